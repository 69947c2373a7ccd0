"""From raw files to linked tables: time, memory, and planted genes found."""
