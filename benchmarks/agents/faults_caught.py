"""What caught each fault of a run of the team, told from its journals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.agents.faulty_rules import FaultyRules

from genotex.agents.answers import written_code
from genotex.agents.context import Attempt, Step
from genotex.agents.notebook import Notebook
from genotex.agents.questions import Questions, read_card
from genotex.agents.team.plan import read_plan
from genotex.agents.team.running import TeamFinished
from genotex.agents.team.trace import trace
from genotex.journal import Entry, read_journal
from genotex.models.recording import request_from_json

__all__ = ["CATCHERS", "caught_in"]

CATCHERS = (
    "form of the answer",
    "execution",
    "check of variables",
    "reviewer",
    "expert",
    "author",
    "planner",
    "project manager",
    "checks of results",
    "no harm",
    "nobody",
)
"""Who or what may catch a fault: an answer that cannot be read is asked for again; code fails, or
lacks the variables of its step; a review rejects it; an author keeps what is right; the planner
goes back; the Project Manager refuses an end; what was written is not taken, and the notebook has
failed. Or the outputs are right in spite of it; or they are wrong, and nobody has noticed."""

_AT_THE_END = {"failed": "checks of results", "wrong": "nobody"}


def caught_in(
    finished: TeamFinished, target: Path, ends: Mapping[str, str]
) -> Counter[tuple[str, str]]:
    """Count faults by what caught them.

    Parameters
    ----------
    finished : TeamFinished
    target : Path
        Folder of the run.
    ends : mapping of str to str
        What became of each notebook: ``failed``, ``wrong``, or anything that is right.
    """
    plan = read_plan(target)
    model = FaultyRules(str(plan.models.model))
    caught: Counter[tuple[str, str]] = Counter()
    for record in finished.notebooks:
        entries = read_journal(plan.folder.notebook_journal(record.task))
        notebook = trace(target, record.task).notebook if entries else None
        if notebook is not None:
            end = _AT_THE_END.get(ends.get(record.name, ""), "no harm")
            questions = Questions(record.task, plan.switches.expert)
            caught.update(_Notebook(notebook, entries, model, questions, end).caught())
    return caught


class _Notebook:
    """One notebook, its journal, and who answered."""

    def __init__(
        self,
        notebook: Notebook,
        entries: Sequence[Entry],
        model: FaultyRules,
        questions: Questions,
        end: str,
    ) -> None:
        self._notebook, self._entries, self._end = notebook, entries, end
        self._model, self._questions = model, questions

    def caught(self) -> Iterator[tuple[str, str]]:
        """Yield each fault, and what caught it."""
        codes: dict[str, str] = {}
        plans = -1
        for number, entry in enumerate(self._entries):
            if entry["kind"] != "call":
                continue
            request = request_from_json(entry["request"])
            occasion, fault = read_card(request).occasion, self._model.fault_of(request)
            # What is asked again has more messages.
            plans += occasion == "plan" and len(request.messages) == 2
            if fault is None:
                continue
            if fault == "unreadable_answer":
                yield fault, "form of the answer"
            elif occasion == "plan":
                yield fault, self._plan(plans, number)
            elif occasion == "review":
                yield fault, self._verdict(entry["reply"]["data"], number)
            else:
                found = written_code(entry["reply"]["text"])
                codes[str(found and found.code)] = fault
        for step in (*self._notebook.context.steps, *self._notebook.dropped):
            for attempt in step.attempts:
                if attempt.author and attempt.code in codes:
                    yield codes[attempt.code], self._code(step, attempt)

    def _code(self, step: Step, attempt: Attempt) -> str:
        if not attempt.complete:
            return "check of variables" if attempt.ran else "execution"
        if attempt.verdict is not None and not attempt.verdict.approve:
            return self._questions.reviewer_of(step.unit)
        return "planner" if self._is_dropped(step) else self._end

    def _verdict(self, verdict: Mapping[str, Any], number: int) -> str:
        if not verdict["approve"]:
            return "author"
        cell = next(e for e in reversed(self._entries[:number]) if e["kind"] == "cell")
        return "execution" if cell["result"]["status"] != "ok" else self._end

    def _plan(self, index: int, number: int) -> str:
        choice = self._notebook.plans[index]
        if choice.unit.completes:
            looks = (e["recorded"] for e in self._entries[number:] if e["kind"] == "look")
            return self._end if next(looks, True) else "project manager"
        step = self._step_of(index)
        if step is None or self._is_dropped(step):
            return "planner"
        return self._end if step.final.ran else "execution"

    def _is_dropped(self, step: Step) -> bool:
        # Not by what it holds: done again, a step is often the same.
        return any(step is each for each in self._notebook.dropped)

    def _step_of(self, index: int) -> Step | None:
        """Return the step that a plan led to; None where the work ended before."""
        kept: list[int] = []
        dropped: list[int] = []
        for number, choice in enumerate(self._notebook.plans):
            if choice.retract_to is not None:
                dropped += kept[choice.retract_to - 1 :]
                del kept[choice.retract_to - 1 :]
            if not choice.unit.completes:
                kept.append(number)
        pairs = [*zip(kept, self._notebook.context.steps, strict=False)]
        pairs += zip(dropped, self._notebook.dropped, strict=False)
        return dict(pairs).get(index)
