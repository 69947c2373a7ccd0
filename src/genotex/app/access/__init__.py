"""Who may use the workbench, and how it is served."""
