"""GenoAgent: a team of language-model agents that solves problems by writing code."""
