"""The report of one problem."""
