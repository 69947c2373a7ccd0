"""From the public databases to a checked input folder."""
