"""What the workbench computes in the background."""
