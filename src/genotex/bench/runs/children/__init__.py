"""Each problem in a process of its own, whose crash, end or delay stops no other."""

from genotex.bench.runs.children.client import Children, Ended
from genotex.bench.runs.children.task import Report, Setup, Task

__all__ = ["Children", "Ended", "Report", "Setup", "Task"]
