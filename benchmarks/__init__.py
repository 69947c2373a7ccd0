"""What measures speed, memory and quality, makes golden values in R, and maintains packaged data.

``python -m benchmarks`` lists all of it; ``python -m benchmarks NAME`` runs one.
"""
