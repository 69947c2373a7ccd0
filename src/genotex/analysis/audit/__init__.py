"""The audit of cohorts: what makes their samples, values or groups doubtful."""
