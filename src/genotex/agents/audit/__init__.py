"""Audit of what generated code left: contradictions are rejected, anything suspicious is flagged.

Code may write its files without the toolkit, or change what the toolkit wrote. All that can be
checked against the raw files is checked here, and numbers that generated code saved are recomputed
by the pipeline without agents. What it may write at all is a list of fields (`OWN_FIELDS`); the
host writes the rest.
"""

from genotex.agents.audit.answer import audit_answer
from genotex.agents.audit.auditing import Audit, audit_here, audit_in_session
from genotex.agents.audit.cohort import audit_cohort
from genotex.agents.audit.comparison import OWN_FIELDS, own_part, own_reading

__all__ = [
    "OWN_FIELDS",
    "Audit",
    "audit_answer",
    "audit_cohort",
    "audit_here",
    "audit_in_session",
    "own_part",
    "own_reading",
]
