"""All cases, in the order of the page."""

from tests.runs.team.misbehaving.case import Case
from tests.runs.team.misbehaving.cases_answers import ANSWERS

CASES: tuple[Case, ...] = (*ANSWERS,)
