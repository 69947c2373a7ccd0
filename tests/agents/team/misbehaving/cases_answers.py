"""Unusable plans, verdicts and code, or are not meant."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

from genotex.agents import Ending, trace
from genotex.cli.services.agent_screen import show_trace
from tests.agents.playing import plan, python, verdict
from tests.agents.team.misbehaving.case import Case, Outcome
from tests.agents.team.misbehaving.runs import Ended
from tests.agents.team.misbehaving.service import ALWAYS, DIALECT, Moment, Question


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


def several_blocks(question: Question) -> str:
    first = python("import shutil\nshutil.rmtree('.')")
    return f"Clean up first:\n\n{first}\n\nAnd then:\n\n{question.right.text}"


ANSWERS = (
    Case(
        "a plan in prose",
        [Moment(("plan",), "Well, let us first have a look at the data!", times=2)],
        Outcome.RIGHT,
        "It is asked again for the form; then the usual next step is taken.",
        "`unreadable_plans` 1",
        tallies(unreadable_plans=1),
    ),
    Case(
        "a step that does not exist",
        [Moment(("plan",), plan("train_a_neural_network"), times=ALWAYS)],
        Outcome.RIGHT,
        "Only existing steps can be chosen: the usual order decides throughout.",
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
        "the task completed at once",
        [Moment(("plan",), plan("task_completed"), times=ALWAYS)],
        Outcome.FAILED,
        "A notebook is judged by what it wrote, and it wrote nothing.",
        "`why`: the notebook ended without recording the cohort",
        lambda ended: _says(ended, "without recording GSE1"),
    ),
    Case(
        "the same step for ever",
        [Moment(("plan",), plan("load_data"), times=ALWAYS)],
        Outcome.FAILED,
        "A notebook has at most two steps for each kind of step there is.",
        "`ending`: step limit; `why`: nothing was recorded",
        lambda ended: _ends(ended, Ending.STEPS),
    ),
    Case(
        "a plan cut off in the middle",
        [Moment(("plan",), DIALECT.cut_short('{"reasoning": "so it goes", "acti'))],
        Outcome.RIGHT,
        "It is asked again, for a shorter answer.",
        "Both answers in the journal",
        tallies(unreadable_plans=0),
    ),
    Case(
        "a plan nested a hundred thousand times",
        [Moment(("plan",), "[" * 100_000, times=2)],
        Outcome.RIGHT,
        "It is not readable JSON; the usual next step is taken.",
        "`unreadable_plans` 1",
        tallies(unreadable_plans=1),
    ),
    Case(
        "a verdict in prose",
        [Moment(("review",), "Looks good to me!", "load_data", times=ALWAYS)],
        Outcome.RIGHT,
        "Prose is not interpreted; code that ran is accepted.",
        "`unreadable_reviews`, one for each review",
        tallies(unreadable_reviews=1),
    ),
    Case(
        "a verdict of the wrong types",
        [Moment(("review",), {**verdict(True), "approve": "yes", "follows": 1}, "load_data")],
        Outcome.RIGHT,
        "It sees what is wrong, and is asked again.",
        "Both answers in the journal",
        tallies(unreadable_reviews=0, rejections=0),
    ),
    Case(
        "a verdict that contradicts itself",
        [Moment(("review",), {**verdict(True), "follows": False}, "load_data")],
        Outcome.RIGHT,
        "The contradiction is named, and it is asked again.",
        "Both answers in the journal",
        tallies(unreadable_reviews=0, rejections=0),
    ),
    Case(
        "failed code approved of",
        [
            Moment(("write",), python("print(nothing)"), "load_data"),
            Moment(("review",), verdict(True), "load_data"),
        ],
        Outcome.RIGHT,
        "Whether code runs is a fact: the approval does not count, and the code is revised.",
        "`overruled` 1",
        tallies(overruled=1, revisions=1),
    ),
    Case(
        "a reviewer that always rejects",
        [Moment(("review",), verdict(False, "Do it otherwise."), times=ALWAYS)],
        Outcome.RIGHT,
        "The author may keep what is right; a step has two rounds at most.",
        "`rejections` and `kept`, one for each step",
        lambda ended: tallies(rejections=5, kept=5)(ended),
    ),
    Case(
        "contradicting reviews",
        [
            Moment(("review",), contrary, unit="read_clinical_features", times=ALWAYS),
            Moment(("revise",), obeys, unit="read_clinical_features", times=ALWAYS),
        ],
        Outcome.RIGHT,
        "The author follows both; after two rounds the last attempt counts.",
        "All three attempts and both verdicts in the trace",
        contradicted,
        source="appendix H, listings 12 and 13",
    ),
    Case(
        "prose in place of code",
        [Moment(("write",), "I would load the data first, then look at it.", "load_data", times=2)],
        Outcome.RIGHT,
        "Asked again, it answers in prose; the step has failed, and the plan goes back to it.",
        "`unwritten` 1, `retractions` 1; the step without code in the trace",
        tallies(unwritten=1, retractions=1),
    ),
    Case(
        "no code at all",
        [Moment(("write",), "```python\n```", "load_data", times=2)],
        Outcome.RIGHT,
        "The same: an empty block is not code.",
        "`unwritten` 1, `retractions` 1",
        tallies(unwritten=1, retractions=1),
    ),
    Case(
        "a refusal",
        [
            Moment(
                ("write",),
                DIALECT.refusal("I cannot help with medical data."),
                "load_data",
                times=2,
            )
        ],
        Outcome.RIGHT,
        "Asked again, it refuses again; the step has failed, and the plan goes back to it.",
        "`unwritten` 1, and the refusal in the journal",
        tallies(unwritten=1, retractions=1),
    ),
    Case(
        "several blocks of code",
        [Moment(("write",), several_blocks, "load_data")],
        Outcome.RIGHT,
        "Blocks of Python are one cell, in their order; the first one fails, and it is revised.",
        "The code that ran, and that it was joined, in the trace",
        lambda ended: _was_joined(ended, "rmtree"),
    ),
    Case(
        "characters that are not text, and commands to the terminal",
        [
            Moment(("write",), python("print('\ud800 \x1b[2J\x07')\x00"), "load_data"),
            Moment(("plan",), {**plan("load_data"), "reasoning": "\x1b]0;owned\x07 \ud800"}),
        ],
        Outcome.RIGHT,
        "The code does not run, and is revised; such characters are never shown.",
        "Journal and trace",
        lambda ended: _shown_without_signs(ended),
    ),
)


def _says(ended: Ended, why: str) -> None:
    assert why in ended.record.why, ended.record.why


def _ends(ended: Ended, ending: Ending) -> None:
    assert ended.record.ending is ending
    assert "without recording GSE1" in ended.record.why


def _was_joined(ended: Ended, word: str) -> None:
    assert ended.statuses == ["error"]
    found = trace(ended.place.out, ended.record.task).notebook
    assert found is not None
    first = found.context.steps[0].attempts[0]
    assert word in first.code and "find_files" in first.code
    assert first.note == "2 blocks of Python were joined in their order"


def _shown_without_signs(ended: Ended) -> None:
    found = trace(ended.place.out, ended.record.task)
    shown = StringIO()
    with redirect_stdout(shown), redirect_stderr(shown):
        show_trace(found)
    assert "load data" in shown.getvalue()
    assert "\x1b" not in shown.getvalue()
