"""A look at what written code left: what contradicts itself, and what nothing speaks for.

Code may write its files past the toolkit, or change what the toolkit writes. What can be told from
the files and the raw files is told here: contradictions are refused, doubts are recorded. Numbers
that agree with each other are computed again by the direct road, where written code saved them.
"""

from genotex.agents.audit.answer import look_at_answer
from genotex.agents.audit.cohort import look_at_cohort

__all__ = ["look_at_answer", "look_at_cohort"]
