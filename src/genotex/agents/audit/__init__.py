"""Audit of what generated code left: contradictions are rejected, anything suspicious is flagged.

Code may write its files without the toolkit, or change what the toolkit wrote. All that can be
checked against the raw files is checked here, and numbers that generated code saved are recomputed
by the pipeline without agents.
"""

from genotex.agents.audit.answer import audit_answer
from genotex.agents.audit.cohort import audit_cohort

__all__ = ["audit_answer", "audit_cohort"]
