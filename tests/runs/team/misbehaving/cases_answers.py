"""Plans, verdicts and code that are none, or are not meant."""

from __future__ import annotations

from typing import Any

from tests.agents.playing import plan, verdict
from tests.runs.team.misbehaving.case import Case, Outcome
from tests.runs.team.misbehaving.runs import Ended
from tests.runs.team.misbehaving.service import ALWAYS, Moment, Question


def tallies(**counts: int) -> Any:
    """Check counts of the notebook's record."""

    def check(ended: Ended) -> None:
        found = ended.record.tally.to_json()
        assert {name: found[name] for name in counts} == counts

    return check


def back_to_the_start(question: Question) -> dict[str, Any]:
    return plan("load_data", back_to=1) if question.card.steps else plan("load_data")


def contrary(question: Question) -> dict[str, Any]:
    first = len(question.card.attempts) == 1
    return verdict(
        False, "Assume the disease where nothing tells it." if first else "Never assume."
    )


def obeys(question: Question) -> str:
    """Follow the last review, whatever it says."""
    if len(question.card.attempts) > 1:
        return question.right.text
    code = question.code.replace('"healthy control": 0', '"healthy control": 1')
    assert code != question.code
    return f"```python\n{code}```"


def contradicted(ended: Ended) -> None:
    advice = [
        entry["reply"]["text"] for entry in ended.journal if "Assume" in str(entry.get("reply"))
    ]
    assert len(advice) == 1
    assert ended.record.tally.rejections == 2


ANSWERS = (
    Case(
        "a plan in prose",
        [Moment(("plan",), "Well, let us first have a look at the data!", times=2)],
        Outcome.RIGHT,
        "It is asked once more for the form; then the usual next step is taken.",
        "`unreadable_plans` 1",
        tallies(unreadable_plans=1),
    ),
    Case(
        "a step that does not exist",
        [Moment(("plan",), plan("train_a_neural_network"), times=ALWAYS)],
        Outcome.RIGHT,
        "Only steps that there are can be chosen: the usual order decides throughout.",
        "`unreadable_plans`, one for each plan",
        lambda ended: tallies(unreadable_plans=len(ended.record.steps) + 1)(ended),
    ),
    Case(
        "going back for ever",
        [Moment(("plan",), back_to_the_start, times=ALWAYS)],
        Outcome.RIGHT,
        "It may go back once; after that the form of a plan leaves no way back.",
        "`retractions` 1; the dropped step in the trace",
        tallies(retractions=1),
    ),
    Case(
        "contradicting reviews",
        [
            Moment(("review",), contrary, unit="read_clinical_features", times=ALWAYS),
            Moment(("revise",), obeys, unit="read_clinical_features", times=ALWAYS),
        ],
        Outcome.RIGHT,
        "The author follows both; after two rounds the last attempt stands.",
        "All three attempts and both verdicts in the trace",
        contradicted,
        source="appendix H, listings 12 and 13",
    ),
)
