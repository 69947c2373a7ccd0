"""A release of verified labels: labels, where another set differs and why, card and checksums."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genotex import __version__
from genotex.bench.evaluation.labels.label import (
    FEATURES,
    FeatureLabel,
    Label,
    LabelledCase,
    labelled_by,
)
from genotex.bench.evaluation.labels.scoring import Disagreement, agreement, compare_traits
from genotex.bench.evaluation.score_files import to_csv
from genotex.errors import UsageError
from genotex.formats import sha256
from genotex.io import atomic_folder

_AGREE = (Disagreement.ALIKE, Disagreement.NEITHER)
_COLUMNS = (
    "case", "trait", "cohort", "feature", "difference", "verified_row", "other_row", "other_values",
    "confidence", "why",
)  # fmt: skip
_MOST_VALUES = 4
_LICENCE = """\
Creative Commons Attribution 4.0 International (CC BY 4.0)
https://creativecommons.org/licenses/by/4.0/legalcode

The labels of the benchmark are from GenoTEX (Liu, Chen, Zhang, Wang; CC BY 4.0,
https://github.com/Liu-Hy/GenoTEX), changed in form only. The texts that the labels quote are
those of their submitters, from NCBI GEO.
"""


@dataclass(frozen=True)
class Release:
    """What a release holds."""

    cases: int
    traits: int
    differing: int  # cases in which the other set has another label of any feature
    kinds: Mapping[str, int]  # how the other set differs on the trait -> cases


def release_labels(
    cases: Sequence[LabelledCase],
    folder: Path,
    *,
    verified: str,
    other: str,
    creators: Sequence[str] = (),
) -> Release:
    """Write a folder that can be published: every file is named in ``SHA256SUMS``.

    Parameters
    ----------
    cases
        The cases; those without a verified label are left out.
    folder
        New or empty; it appears whole or not at all.
    verified, other
        The set of labels that is released, and the one it is compared with.
    creators
        Names of its authors, for the deposit: ``Family, Given``.
    """
    base, rival = labelled_by(cases, verified), labelled_by(cases, other)
    kept = [case for case in cases if case.id in base]
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        msg = f"{folder} is not an empty folder; name a new one"
        raise UsageError(msg)
    rows = [row for case in kept for row in _differences(case, base[case.id], rival.get(case.id))]
    both = [case.id for case in kept if case.id in rival]
    kinds = Counter(compare_traits(base[one].trait, rival[one].trait) for one in both)
    made = Release(
        len(kept),
        len({case.trait for case in kept}),
        len({row["case"] for row in rows}),
        {str(kind): kinds[kind] for kind in Disagreement if kinds[kind]},
    )
    texts = {
        "labels.jsonl": "".join(_line(case, (verified, other)) for case in kept),
        "differences.csv": to_csv(_COLUMNS, rows),
        "LICENSE": _LICENCE,
        "README.md": _card(made, verified, other),
        "zenodo.json": json.dumps(_deposit(made, creators), indent=2) + "\n",
    }
    with atomic_folder(folder) as part:
        for name, text in texts.items():
            (part / name).write_text(text, encoding="utf-8", newline="\n")
        sums = "".join(f"{sha256(part / name)}  {name}\n" for name in sorted(texts))
        (part / "SHA256SUMS").write_text(sums, encoding="utf-8")
    return made


def _line(case: LabelledCase, sets: Sequence[str]) -> str:
    labels = {name: _plain(case.labels[name]) for name in sets if name in case.labels}
    whole = {"id": case.id, "trait": case.trait, "cohort": case.cohort, "labels": labels}
    return json.dumps(whole, ensure_ascii=False) + "\n"


def _plain(label: Label) -> dict[str, Any]:
    features: dict[str, Any] = {name: _feature(label.feature(name)) for name in FEATURES}
    return {
        "is_gene_available": label.is_gene_available,
        **features,
        "confidence": label.confidence,
        "why": label.why,
    }


def _feature(label: FeatureLabel | None) -> dict[str, Any] | None:
    return None if label is None else {"row": label.row, "map": dict(label.map)}


def _differences(case: LabelledCase, base: Label, rival: Label | None) -> list[dict[str, Any]]:
    """Return a row for each feature of a case that the other set labels otherwise."""
    if rival is None:
        return []
    found: dict[str, str] = {}
    if base.is_gene_available != rival.is_gene_available:
        found["gene expression"] = "taken for it" if rival.is_gene_available else "overlooked"
    kind = compare_traits(base.trait, rival.trait)
    if kind not in _AGREE:
        found["trait"] = str(kind)
    for name in FEATURES[1:]:
        if not agreement(base.feature(name), rival.feature(name)).exact:
            found[name] = "another row or other codes"
    rows = []
    for feature, difference in found.items():
        ours, theirs = (_of(label, feature) for label in (base, rival))
        codes = [] if theirs is None else [f"{cell} -> {code}" for cell, code in theirs.map.items()]
        values = (
            *(case.id, case.trait, case.cohort, feature, difference),
            None if ours is None else ours.row,
            None if theirs is None else theirs.row,
            "; ".join(codes[:_MOST_VALUES]) + (" ..." if len(codes) > _MOST_VALUES else ""),
            base.confidence,
            base.why,
        )
        rows.append(dict(zip(_COLUMNS, values, strict=True)))
    return rows


def _of(label: Label, feature: str) -> FeatureLabel | None:
    return next((label.feature(name) for name in FEATURES if name == feature), None)


def _card(made: Release, verified: str, other: str) -> str:
    kinds = "\n".join(f"| {kind} | {count} |" for kind, count in made.kinds.items())
    return f"""\
---
license: cc-by-4.0
task_categories: [text-classification]
tags: [gene expression, GEO, GenoTEX, annotation]
pretty_name: Verified labels of GenoTEX series
---

# Verified labels of GenoTEX series

For {made.cases} series of {made.traits} traits: whether a series is human gene expression, which
row of its sample characteristics records trait, age and sex, and the code of each value.
`{verified}` was read from the text of the series alone, blind to `{other}`, by written rules;
`{other}` is what it is compared with.

| file | what |
|---|---|
| `labels.jsonl` | a case on each line, with both sets of labels |
| `differences.csv` | each feature that `{other}` labels otherwise: how, by which values, and why |
| `zenodo.json` | metadata of a deposit |
| `SHA256SUMS` | checksums of all files: `sha256sum -c SHA256SUMS` |

`{other}` differs in {made.differing} cases. On the trait:

| how | cases |
|---|---|
{kinds}

Score a prediction: `genotex evaluate-labels ANSWERS --cases labels.jsonl`. The labels do not cover
expression values; the series are in NCBI GEO, by accession. Rules of the reading, limits and
figures: the page "Verified labels" of genotex {__version__}. Licence: see `LICENSE`.
"""


def _deposit(made: Release, creators: Sequence[str]) -> dict[str, Any]:
    return {
        "title": "Verified labels of GenoTEX series",
        "upload_type": "dataset",
        "description": f"Labels of trait, age and sex for {made.cases} series of NCBI GEO "
        f"({made.traits} traits of the GenoTEX benchmark), next to the benchmark's own.",
        "license": "cc-by-4.0",
        "keywords": ["gene expression", "GEO", "benchmark", "annotation"],
        "related_identifiers": [{"relation": "isDerivedFrom", "identifier": "arXiv:2406.15341"}],
        "creators": [{"name": name} for name in creators],
    }
