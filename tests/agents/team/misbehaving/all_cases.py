"""All cases, in the order of the page."""

from tests.agents.team.misbehaving.case import Case
from tests.agents.team.misbehaving.cases_answers import ANSWERS
from tests.agents.team.misbehaving.cases_code import HARMFUL, MISTAKEN, REACHING, REPORTED
from tests.agents.team.misbehaving.cases_results import FORGED, WRONG
from tests.agents.team.misbehaving.cases_service import FAILING, INJECTING, STRUCTURED

SECTIONS: dict[str, tuple[Case, ...]] = {
    "Failures that the paper reports": REPORTED,
    "Unusable plans, verdicts and code": ANSWERS,
    "Mistakes": MISTAKEN,
    "Code that does harm": HARMFUL,
    "Code that reaches out": REACHING,
    "Forged results": FORGED,
    "Wrong results": WRONG,
    "Texts that give instructions": INJECTING,
    "Services that fail": FAILING,
    "Models that answer with data (`--structured`)": STRUCTURED,
}
CASES: tuple[Case, ...] = tuple(case for section in SECTIONS.values() for case in section)
