"""A session that only pretends, and a model that plays all roles by functions of the card."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from genotex.agents import (
    Card,
    CellResult,
    CellStatus,
    CodeShelf,
    Confinement,
    Notebook,
    NotebookWork,
    Output,
    SandboxPolicy,
    Switches,
    Task,
    read_card,
)
from genotex.agents.promises import is_check
from genotex.models import Model, Reply, Request, ScriptedModel

GEO = Task("geo", "Asthma", "/data/GEO/Asthma/GSE1", "output", cohort="GSE1")
TCGA = Task("tcga", "Asthma", "/data/TCGA", "output")
PROBLEM = Task("statistics", "Asthma", "/data/out", "output", condition="Age")

GEO_STEPS = [
    "load_data",
    "read_clinical_features",
    "extract_gene_data",
    "review_gene_ids",
    "read_annotation",
    "map_gene_ids",
    "normalise_and_link",
]

ENDS = {
    "raise": CellResult(CellStatus.ERROR, exception="ValueError", traceback="ValueError: no"),
    "loop": CellResult(CellStatus.TIMED_OUT, explanation="Stopped after 3 s.", state_kept=True),
    "exit": CellResult(CellStatus.DIED, explanation="The session died.", state_kept=False),
}


class FakeSession:
    """Runs nothing: how a cell ends stands in its code; ``write: NAME TEXT`` writes a file."""

    def __init__(self, writable: Path | None = None, seconds: float = 0.0) -> None:
        self.writable = writable
        self.seconds = seconds
        self.cells: list[str] = []
        self.ran: list[str] = []
        self.limits: list[float | None] = []
        self.restored: list[int] = []
        self.started = self.closed = False
        self.removed: tuple[str, ...] = ()
        self.confinement = Confinement(SandboxPolicy.OFF)

    @property
    def step(self) -> int:
        return len(self.cells)

    def start(self) -> None:
        self.started = True

    def execute(self, code: str, *, seconds: float | None = None) -> CellResult:
        if is_check(code):
            # There are no variables to check.
            return CellResult(CellStatus.OK, step=self.step)
        self.ran.append(code)
        self.limits.append(seconds)
        told = CellResult(CellStatus.OK, (Output("stdout", f"out of {code.splitlines()[0]}\n"),))
        for word, end in ENDS.items():
            if f"# {word}" in code:
                told = end
        if told.state_kept:
            self.cells.append(code)
            self.write(code)
        return CellResult(**{**vars(told), "seconds": self.seconds, "step": self.step})

    def write(self, code: str) -> None:
        for line in code.splitlines():
            if line.startswith("# write: ") and self.writable is not None:
                name, _, text = line.removeprefix("# write: ").partition(" ")
                path = self.writable / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.replace("\\n", "\n"))

    def interrupt(self) -> None: ...

    def restore(self, step: int) -> None:
        self.restored.append(step)
        del self.cells[step:]

    def close(self) -> None:
        self.closed = True

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def plan(action: str, back_to: int | None = None) -> dict[str, Any]:
    return {
        "reasoning": "so it goes",
        "action": action,
        "retract": back_to is not None,
        "retract_to_step": back_to,
    }


def verdict(approve: bool, *suggestions: str) -> dict[str, Any]:
    return {
        "follows": approve,
        "reasoning": "fine" if approve else "not fine",
        "suggestions": list(suggestions),
        "approve": approve,
    }


def python(code: str) -> str:
    return f"```python\n{code}\n```"


Play = Callable[[Card], Any]


def next_in_order(card: Card) -> dict[str, Any]:
    return plan([*GEO_STEPS, "task_completed"][len(card.steps)])


def playing(
    planner: Play = next_in_order,
    write: Play = lambda card: python(f"x = '{card.unit}'"),
    revise: Play = lambda card: python(f"x = '{card.unit}, {len(card.attempts)} tries'"),
    review: Play = lambda card: verdict(True),
) -> ScriptedModel:
    """Return a model whose answers are functions of the card."""
    plays: Mapping[str, Play] = {
        "plan": planner,
        "write": write,
        "revise": revise,
        "review": review,
    }

    def answer(request: Request) -> Any:
        card = read_card(request)
        return plays[card.occasion](card)

    return ScriptedModel(answer)


def occasions(model: ScriptedModel) -> list[tuple[str, str]]:
    """Return who was asked for what, in order."""
    return [(request.role, read_card(request).occasion) for request in model.requests]


def work(
    model: Model,
    task: Task = GEO,
    session: FakeSession | None = None,
    shelf: CodeShelf | None = None,
    is_recorded: Callable[[], bool] = lambda: True,
    **switches: Any,
) -> Notebook:
    """Have a notebook done by a model in a session that only pretends."""
    return NotebookWork(
        task,
        Switches(**switches),
        model,
        session or FakeSession(),
        shelf or CodeShelf(),
        is_recorded=is_recorded,
    ).run()


def in_turn(*answers: Any) -> Play:
    """Return a play that gives one answer after the other."""
    left = iter(answers)
    return lambda card: next(left)


def slow(model: ScriptedModel, working: float, waiting: float = 0.0) -> Model:
    """Return a model whose answers take so long."""

    class Slow:
        name = "slow"

        def answer(self, request: Request) -> Reply:
            reply = model.answer(request)
            return Reply(**{**vars(reply), "working": working, "waiting": waiting})

    return Slow()
