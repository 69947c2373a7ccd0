"""The command line: wires, never computes."""
