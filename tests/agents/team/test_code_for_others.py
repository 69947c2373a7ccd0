"""Code is offered to later notebooks once its own has led to something."""

from typing import Any

import pytest

from genotex.agents import Card, State
from genotex.agents.audit import Audit
from tests.agents.playing import plan, python, verdict
from tests.agents.team.conftest import STEPS, Played, PlayedModel, records, solves


def answer(card: Card) -> Any:
    """Answer with code that may be reused, but where it writes the outputs."""
    if card.occasion == "plan":
        return plan(STEPS[card.task.kind][len(card.steps)])
    if card.occasion == "review":
        return verdict(True)
    if card.task.kind == "statistics":
        return python(solves(card))
    if card.unit == "normalise_and_link":
        return python(records(card))
    return python(f"x = '{card.unit}'")


def nothing_of_the_first(card: Card) -> Any:
    """Answer alike, but for a first cohort whose approved code does nothing."""
    if card.occasion == "write" and card.task.cohort == "GSE1":
        return python(f"x = '{card.unit}'")
    return answer(card)


@pytest.fixture
def believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take what was written by hand as written by the toolkit."""
    monkeypatch.setattr("genotex.agents.team.notebooks.audit_here", lambda *told: Audit(()))


def reused(played: Played) -> dict[str, tuple[State, int]]:
    found = played.run().notebooks
    return {r.task.cohort: (r.state, r.tally.reused) for r in found if r.task.kind == "geo"}


@pytest.mark.usefixtures("believed")
def test_code_of_a_notebook_that_is_done_is_offered(played: Played) -> None:
    played.calls = PlayedModel(answer)
    assert reused(played) == {"GSE1": (State.DONE, 0), "GSE2": (State.DONE, 2)}


@pytest.mark.usefixtures("believed")
def test_approved_code_of_a_notebook_that_failed_is_never_offered(played: Played) -> None:
    played.calls = PlayedModel(nothing_of_the_first)
    assert reused(played) == {"GSE1": (State.FAILED, 0), "GSE2": (State.DONE, 0)}


def test_code_of_a_flagged_notebook_is_never_offered(played: Played) -> None:
    played.calls = PlayedModel(answer)
    assert reused(played) == {"GSE1": (State.DONE, 0), "GSE2": (State.DONE, 0)}
