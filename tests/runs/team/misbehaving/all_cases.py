"""All cases, in the order of the page."""

from tests.runs.team.misbehaving.case import Case
from tests.runs.team.misbehaving.cases_answers import ANSWERS
from tests.runs.team.misbehaving.cases_code import HARMFUL, MISTAKEN, REACHING, REPORTED

CASES: tuple[Case, ...] = (*ANSWERS, *REPORTED, *MISTAKEN, *HARMFUL, *REACHING)
