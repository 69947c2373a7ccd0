"""A notebook as a file of Jupyter (nbformat 4.5), which can be run again cell by cell."""

from __future__ import annotations

from typing import Any

from genotex.agents.context import Attempt, Step, cut
from genotex.agents.notebook import Notebook
from genotex.agents.sandbox import CellResult, CellStatus, Output


def to_ipynb(notebook: Notebook, python: str) -> dict[str, Any]:
    """Return a notebook as plain JSON values.

    Run again in an empty folder it writes the same tables into ``output/`` there.
    """
    cells = _notebook_cells(notebook)
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python", "version": python},
            "genotex": {
                "task": notebook.task.to_json(),
                "ending": None if notebook.ending is None else notebook.ending.value,
                "tally": notebook.tally.to_json(),
            },
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _notebook_cells(notebook: Notebook) -> list[dict[str, Any]]:
    """Return the cells without their ids: the first cell, then text and code of each step."""
    cells = [_code(notebook.set_up, CellResult(CellStatus.OK), 1)]
    ran = 1
    for number, step in enumerate(notebook.context.steps, start=1):
        cells.append(_text(number, step))
        if step.final.result.state_kept and step.final.code:
            ran += 1
            cells.append(_code(step.final.code, step.final.result, ran))
        else:
            cells.append(_not_run(step.final))
    return cells


def _text(number: int, step: Step) -> dict[str, Any]:
    lines = [f"## Step {number}: {step.unit.title}", "", step.instruction.rstrip()]
    for attempt in step.attempts:
        lines += [f"\n*{remark}*" for remark in attempt.remarks]
        if attempt.verdict is not None:
            word = "approved" if attempt.approved else "rejected"
            lines += ["", f"*Review: {word}. {attempt.verdict.reasoning}*"]
    return {"cell_type": "markdown", "metadata": {}, "source": _lines("\n".join(lines))}


def _code(code: str, result: CellResult, count: int) -> dict[str, Any]:
    failed = result.exception is not None
    # With this tag, running all cells continues after a cell that failed the first time, too.
    metadata = {"tags": ["raises-exception"]} if failed else {}
    return {
        "cell_type": "code",
        "execution_count": count,
        "metadata": metadata,
        "source": _lines(code.rstrip("\n")),
        "outputs": [_output(each, count) for each in result.outputs] + _error(result),
    }


def _output(output: Output, count: int) -> dict[str, Any]:
    if output.kind in ("stdout", "stderr"):
        return {"output_type": "stream", "name": output.kind, "text": _lines(output.text)}
    data = {"text/plain": _lines(output.text)}
    if output.kind == "result":
        return {
            "output_type": "execute_result",
            "execution_count": count,
            "data": data,
            "metadata": {},
        }
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _error(result: CellResult) -> list[dict[str, Any]]:
    if result.exception is None:
        return []
    return [
        {
            "output_type": "error",
            "ename": result.exception,
            "evalue": result.message or "",
            "traceback": result.traceback.splitlines(),
        }
    ]


def _not_run(attempt: Attempt) -> dict[str, Any]:
    """Return a stopped cell as text: later cells do not build on it."""
    output = cut(attempt.result.text).strip()
    source = f"{attempt.code.rstrip()}\n\n# Not part of the notebook's state: {output}"
    return {"cell_type": "raw", "metadata": {}, "source": _lines(source)}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
