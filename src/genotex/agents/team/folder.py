"""The files of a run of the team, and the limits stored among them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from genotex.agents.sandbox.confined.removing import remove_tree
from genotex.agents.task import Task
from genotex.bench.runs.run_folder import RunFolder
from genotex.formats import read_json_object, write_json
from genotex.io import PART
from genotex.models import Limits, Setting
from genotex.records import checked, plain


def notebook_name(task: Task) -> str:
    """Return what a notebook is called, within the folder of its trait."""
    return f"condition_{task.condition}" if task.kind == "statistics" else task.cohort


class TeamFolder(RunFolder):
    """The folder of a run of the team (see `RunFolder`)."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.prices = self.root / "run" / "prices.json"
        self.limits = self.root / "run" / "limits.json"
        self.usage = self.root / "run" / "usage.json"
        self.inputs = self.root / "run" / "inputs.json"

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Lock the folder, and remove unfinished work and files of a killed run."""
        with super().hold():
            for folder in (self._notebooks, self._own):
                for part in folder.rglob(f".*{PART}"):
                    part.unlink(missing_ok=True)
            yield

    def remove_work(self) -> None:
        """Remove the folders of sessions, whatever generated code left in them."""
        with suppress(OSError):
            remove_tree(self.work)

    @property
    def _notebooks(self) -> Path:
        return self.root / "notebooks"

    def notebook(self, task: Task) -> Path:
        """Return the path of a notebook."""
        return self._notebooks / task.trait / f"{notebook_name(task)}.ipynb"

    def notebook_journal(self, task: Task) -> Path:
        """Return the path of the journal of a notebook's calls and cells."""
        return self._journals / task.trait / f"{notebook_name(task)}.jsonl"

    def put_aside(self, task: Task) -> list[Path]:
        """Return the journals of a notebook's earlier attempts, which were put aside."""
        path = self.notebook_journal(task)
        return sorted(path.parent.glob(f"{path.stem}.try*.jsonl"))

    @property
    def _journals(self) -> Path:
        return self.root / "run" / "notebooks"

    def notebook_journals(self) -> list[Path]:
        """Return all journals of notebooks, also those put aside."""
        return sorted(self._journals.rglob("*.jsonl"))

    def work_of(self, task: Task) -> Path:
        """Return where a notebook's session writes."""
        return self.work / task.trait / notebook_name(task)

    def audit_of(self, task: Task) -> Path:
        """Return where the audit of a notebook writes."""
        return self.work / "audits" / task.trait / notebook_name(task)


def write_limits(path: Path, limits: Limits) -> None:
    """Write limits as JSON."""
    write_json(path, plain(limits))


def read_limits(path: Path) -> Limits:
    """Return the limits that were written; none where nothing was."""
    if not path.is_file():
        return Limits()
    hint = "remove it, and state the limits when the run is resumed"
    return checked(Limits, read_json_object(path), path=path, hint=hint)


def changed_limits(
    kept: Limits,
    *,
    max_cost: float | Decimal | None = None,
    max_tokens: int | None = None,
    max_time: float | None = None,
    allow_unknown: bool = False,
) -> Limits:
    """Return the limits of a resumed run: those stated now, else those stored."""
    if max_cost is not None:
        kept = replace(kept, max_cost=Setting(max_cost, "--max-cost").money())
    if max_tokens is not None:
        kept = replace(kept, max_tokens=Setting(max_tokens, "--max-tokens").whole())
    if max_time is not None:
        kept = replace(kept, max_time=Setting(max_time, "--max-time").number())
    return replace(kept, allow_unknown=kept.allow_unknown or allow_unknown)
