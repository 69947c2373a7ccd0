"""The time to an event: tests, models and curves."""
