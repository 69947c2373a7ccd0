"""Runs of the team with an ordinary model, and what came of them next to the right tables."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from genotex.agents import (
    Folders,
    SandboxPolicy,
    Session,
    State,
    Switches,
    TeamFinished,
    TeamPlan,
    local_sessions,
    run_team,
)
from genotex.models import ModelSettings, RetryPolicy
from genotex.problems import Problem
from tests.agents.ordinary.model import OrdinaryModel, Style, ordinary_model
from tests.agents.team.misbehaving.runs import results


@dataclass(frozen=True)
class Outcome:
    """What a run came to: calls and tokens, in all and by role."""

    style: str
    outcome: str
    calls: int
    input_tokens: int
    output_tokens: int
    rejections: int
    roles: dict[str, dict[str, int]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Workplace:
    """An input, one model's service and sessions; `right` holds what should come out."""

    source: Path
    trait: str
    root: Path
    model: OrdinaryModel
    make_session: Callable[[Folders], Session]

    @property
    def right(self) -> Path:
        return self.root / "right"

    def plan(self, out: Path, model: str) -> TeamPlan:
        settings = ModelSettings(model, retry=RetryPolicy(attempts=3, first_wait=0.01))
        return TeamPlan(
            self.source, out, [Problem(self.trait)], settings, sandbox=SandboxPolicy.BEST
        )

    def run(self, style: Style) -> Outcome:
        """Run the team with a model of this style."""
        if not self.right.exists():
            run_team(self.plan(self.right, "rules"), make_session=self.make_session)
        out = self.root / "out"
        shutil.rmtree(out, ignore_errors=True)
        self.model.adopt(style)
        finished = run_team(self.plan(out, self.model.name), make_session=self.make_session)
        return self._outcome(style, finished, out)

    def _outcome(self, style: Style, finished: TeamFinished, out: Path) -> Outcome:
        total = finished.usage.total()
        roles = json.loads((out / "run" / "usage.json").read_text(encoding="utf-8"))["roles"]
        return Outcome(
            style.name,
            self._end(finished, out),
            len(self.model.sizes),
            total.input_tokens.known,
            total.output_tokens.known,
            sum(record.tally.rejections for record in finished.notebooks if record.tally),
            {role: self._sizes(role) for role in sorted(roles)},
        )

    def _end(self, finished: TeamFinished, out: Path) -> str:
        if finished.stopped:
            return f"stopped: {finished.stopped}"[:120]
        failed = [r for r in finished.notebooks if r.state is not State.DONE]
        if failed:
            return f"failed: {failed[0].why}"[:120]
        return "right" if results(out) == results(self.right) else "other tables"

    def _sizes(self, role: str) -> dict[str, int]:
        sizes = [tokens for each, tokens in self.model.sizes if each == role]
        if not sizes:
            return {}
        return {"calls": len(sizes), "least": min(sizes), "most": max(sizes), "all": sum(sizes)}


@contextmanager
def workplace(source: Path, trait: str, root: Path) -> Iterator[Workplace]:
    """Start the model's service and the fork server of sessions."""
    with (
        ordinary_model() as model,
        local_sessions(SandboxPolicy.BEST, Switches(), jobs=1) as make_session,
    ):
        yield Workplace(source, trait, root, model, make_session)
