"""Where the files of a run of the team lie: those of any run, notebooks, and their journals."""

from __future__ import annotations

from pathlib import Path

from genotex.agents.task import Task
from genotex.bench.runs.run_folder import RunFolder

__all__ = ["TeamFolder", "notebook_name"]


def notebook_name(task: Task) -> str:
    """Return what a notebook is called, within the folder of its trait."""
    return f"condition_{task.condition}" if task.kind == "statistics" else task.cohort


class TeamFolder(RunFolder):
    """The folder of a run of the team (see `RunFolder`).

    Attributes
    ----------
    prices, limits, usage : Path
        What models cost when the run began; what it may use, as last said; what it has used.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.prices = self.root / "run" / "prices.json"
        self.limits = self.root / "run" / "limits.json"
        self.usage = self.root / "run" / "usage.json"

    def notebook(self, task: Task) -> Path:
        """Return the path of a notebook."""
        return self.root / "notebooks" / task.trait / f"{notebook_name(task)}.ipynb"

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
