"""Labelled cases, written by hand for the tests."""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from genotex.bench import FeatureLabel, Label, LabelledCase

CASE, CONTROL = "disease: asthma", "disease: healthy"
TRAIT = {"row": 0, "map": {CASE: 1, CONTROL: 0}}
AGE = {"row": 1, "map": {"age: 45": 45, "age: 51.5": 51.5, "age: NA": None}}
GENDER = {"row": 2, "map": {"sex: F": 0, "sex: M": 1}}


def label(
    trait: Any = None, age: Any = None, gender: Any = None, *, gene: bool = True
) -> dict[str, Any]:
    """Return a label or a prediction as JSON has it."""
    return {"is_gene_available": gene, "trait": trait, "age": age, "gender": gender}


def case(number: int, trait: str = "Asthma", **labels: Any) -> dict[str, Any]:
    """Return a case as JSON has it."""
    cohort = f"GSE{number}"
    return {"id": f"{trait}/{cohort}", "trait": trait, "cohort": cohort, "labels": labels}


def write_lines(path: Path, lines: Sequence[Any]) -> Path:
    """Write JSON Lines, compressed where the name ends in .gz."""
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path


def feature(row: int, codes: Mapping[str, float | None]) -> FeatureLabel:
    return FeatureLabel(row, codes)


def labelled(number: int, trait: str = "Asthma", **labels: Label) -> LabelledCase:
    return LabelledCase(f"{trait}/GSE{number}", trait, f"GSE{number}", labels)
