"""The methods that solve the problems of a run: built in or plugged in."""
