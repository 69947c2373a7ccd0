"""The report of a time to an event."""
