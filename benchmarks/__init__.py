"""What speed, memory and quality are measured with; run one with ``python -m benchmarks NAME``."""
