"""Pages and tables that people read."""
