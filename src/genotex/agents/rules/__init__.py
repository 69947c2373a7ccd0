"""The built-in rules as a model of the team, with the code that they write for every step."""
