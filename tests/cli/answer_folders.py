"""Output folders that hold lists of genes and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from genotex.layout import OutputFolder
from genotex.problems import Problem

REFERENCE = {
    Problem("Asthma"): ["A", "B", "C", "D"],
    Problem("Asthma", "Age"): ["A", "B"],
    Problem("Obesity"): ["E", "F", "G", "H"],
}


def write_answers(root: Path, answers: Mapping[Problem, Sequence[str]]) -> Path:
    """Write a result for each problem; gives the folder."""
    for problem, genes in answers.items():
        path = OutputFolder(root).significant_genes(problem.trait, problem.condition)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"significant_genes": {"Variable": list(genes)}}))
    return root


def write_three(root: Path) -> tuple[Path, Path, Path]:
    """Write a reference, a run that finds half of each list and one that answers one problem."""
    half = {problem: genes[: len(genes) // 2] for problem, genes in REFERENCE.items()}
    one = {Problem("Asthma"): REFERENCE[Problem("Asthma")]}
    return (
        write_answers(root / "reference", REFERENCE),
        write_answers(root / "half", half),
        write_answers(root / "one", one),
    )
