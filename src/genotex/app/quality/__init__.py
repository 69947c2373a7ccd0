"""Quality of samples and cohorts."""
