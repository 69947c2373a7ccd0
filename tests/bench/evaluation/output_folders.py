"""Output folders made by hand, file by file, and a small whole one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from genotex.bench import Table, table_path
from genotex.formats import write_csv_table
from genotex.layout import OutputFolder

GENES = tuple(f"GENE{i}" for i in range(12))
RELATED = {"Asthma": ["GENE0", "GENE1"], "Obesity": ["GENE1", "GENE2"], "Gout": ["GENE3"]}
BINARY = {"accuracy": 80.0, "f1": 75.0}
CONTINUOUS = {"r_squared": 0.25, "nmse": 0.75}


def cohort(size: int | None = 10, **flags: bool) -> dict[str, Any]:
    """Return the record of a usable cohort without age and gender, but for the flags given."""
    usual = {
        "is_usable": True,
        "is_gene_available": True,
        "is_trait_available": True,
        "is_available": True,
        "is_biased": False,
        "has_age": False,
        "has_gender": False,
    }
    return {**usual, **flags, "sample_size": size}


UNAVAILABLE = {**cohort(None), "is_usable": False, "is_available": False, "is_biased": None}


def write_json(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def write_cohorts(root: Path, trait: str, cohorts: Mapping[str, object]) -> Path:
    return write_json(OutputFolder(root).cohort_info(trait), cohorts)


def write_text_table(root: Path, kind: Table, trait: str, name: str, text: str) -> Path:
    path = table_path(OutputFolder(root), kind, trait, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def write_table(
    root: Path,
    kind: Table,
    trait: str,
    name: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: np.ndarray,
) -> Path:
    path = write_text_table(root, kind, trait, name, "")
    with path.open("wb") as handle:
        write_csv_table(handle, rows, columns, values)
    return path


def write_answer(
    root: Path,
    trait: str,
    condition: str | None,
    genes: Sequence[str],
    prediction: Mapping[str, float] | None = None,
) -> Path:
    content: dict[str, Any] = {"significant_genes": {"Variable": list(genes)}}
    if prediction is not None:
        content["cv_performance"] = {"prediction": dict(prediction)}
    return write_json(OutputFolder(root).significant_genes(trait, condition), content)


def write_task_info(path: Path, conditions: Mapping[str, Sequence[str]] | None = None) -> Path:
    asked = conditions or {"Asthma": ["Age", "Obesity"], "Obesity": ["Gender"], "Gout": []}
    content = {
        trait: {"related_genes": RELATED.get(trait, []), "conditions": list(names)}
        for trait, names in asked.items()
    }
    return write_json(path, content)


def whole_folder(root: Path, noise: float = 0.0, seed: int = 1) -> Path:
    """Write three traits with cohorts, tables and answers of all kinds.

    With noise it is a prediction: values are blurred, some samples and genes are gone, a cohort is
    wrongly available, and lists of genes are half right.
    """
    rng = np.random.default_rng(seed)
    worse = noise > 0
    for trait, cohorts in {
        "Asthma": {"GSE1": cohort(8, has_age=True), "TCGA": cohort(6, has_gender=True)},
        "Obesity": {"GSE3": cohort(7, has_gender=True), "GSE4": UNAVAILABLE},
        "Gout": {"GSE5": cohort(6)},
    }.items():
        told = {**cohorts, "GSE4": cohort(5)} if worse and trait == "Obesity" else cohorts
        write_cohorts(root, trait, told)
        for name, info in cohorts.items():
            _write_tables(root, trait, name, info["sample_size"] or 5, noise, rng)
    kept = 3 if worse else 6
    for trait, condition, prediction in (
        ("Asthma", None, BINARY),
        ("Asthma", "Age", BINARY),
        ("Asthma", "Obesity", BINARY),
        ("Obesity", None, CONTINUOUS),
        ("Gout", None, None),
    ):
        genes = [*GENES[:kept], *(GENES[9:] if worse else ())]
        write_answer(root, trait, condition, genes, prediction)
    return root


def _write_tables(
    root: Path, trait: str, name: str, size: int, noise: float, rng: np.random.Generator
) -> None:
    samples = [f"GSM{i}" for i in range(size)]
    clinical, genes = [trait, "Age"], list(GENES)
    values = np.arange(size * 14.0).reshape(size, 14) % 11 + noise * rng.normal(size=(size, 14))
    if noise:
        samples, values = samples[1:], values[1:]
        genes, values = genes[:-2], values[:, :-2]
    write_table(root, "clinical", trait, name, clinical, samples, values[:, :2].T)
    write_table(root, "gene", trait, name, genes, samples, values[:, 2:].T)
    if name != "GSE4":
        write_table(root, "linked", trait, name, samples, [*clinical, *genes], values)
