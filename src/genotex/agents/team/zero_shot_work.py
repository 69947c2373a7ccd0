"""Problems answered from what a model knows: one call, no data, no code."""

from __future__ import annotations

from pathlib import Path

from genotex.agents.models import RoleModels
from genotex.agents.task import Task
from genotex.agents.team.notebook_record import NotebookRecord
from genotex.agents.team.one_notebook import Bench
from genotex.agents.team.without_code import do_without_code
from genotex.agents.zero_shot import ask_without_data
from genotex.bench.runs.methods.method import write_answer
from genotex.layout import OutputFolder

__all__ = ["do_zero_shot"]


def do_zero_shot(task: Task, bench: Bench) -> NotebookRecord:
    """Ask for the genes of a problem, and take them (see `do_without_code` for what it raises)."""
    return do_without_code(task, bench, _ask)


def _ask(task: Task, written: Path, models: RoleModels) -> None:
    write_answer(OutputFolder(written), task.problem, ask_without_data(models, task))
