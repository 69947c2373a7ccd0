"""Attempts by generated code: fields of records that are not its own."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.attacks.attempt import CODE, COHORTS, EVIDENCE, HIDDEN, RESULT, Attempt, Change, put
from tests.attacks.doors import accept_cohort, answer


def by_code(**changes: Any) -> Change:
    """Return what generated code writes into the evidence of its cohort, besides its own fields."""

    def change(folder: Path) -> None:
        for place, value in changes.items():
            put(EVIDENCE, place.replace("__", "."), value)(folder)

    return change


def of_generated_code() -> Iterator[Attempt]:
    """Yield fields that a session writes and that are not its own."""
    samples = [f"GSM{i + 1}" for i in range(24)]
    table = {"group": ["case" if i % 3 else "control" for i in range(24)]}
    design = {
        "formula": "~ group", "contrast": "group: case - control", "block": None,
        "missing": "error", "order": {}, "samples": samples, "table": table,
    }  # fmt: skip
    changes: dict[str, dict[str, Any]] = {
        "design": {"design": design},
        "fingerprint": {"fingerprint": "of the pipeline"},
        "genotex_version": {"genotex_version": "99"},
        "options.control_roles": {"options__control_roles": "all"},
        "options.exclude": {"options__exclude": ["GSM1"]},
        "reading.facts": {"reading__facts": {"pair": dict.fromkeys(samples, "one")}},
        "reading.excluded": {"reading__excluded": {"GSM1": "by nobody"}},
        "reading.certainty": {"reading__certainty": 1.0},
        "roles": {"roles": dict.fromkeys(samples, "case")},
        "sample_facts": {"sample_facts": {"batch": dict.fromkeys(samples, "one")}},
        "sample_texts": {"sample_texts": {"title": dict.fromkeys(samples, "pool of 5")}},
        "relations": {
            "relations": {"donor": [{"value": "a", "place": "b", "words": "c", "samples": samples}]}
        },
        "mapping.scale": {"mapping__scale": "linear"},
        "linking.samples": {"linking__samples": 1},
        "files": {"files": [{"name": "made_up.txt", "size": 1, "used_for": "matrix"}]},
        "series.title": {"series__title": CODE},
        "notes": {"notes": [CODE]},
        "info.note": {"info__note": "as good as it gets"},
    }
    words = {"roles": "roles of samples", "sample_facts": "other characteristics"}
    words["info.note"] = "info"
    words["options.control_roles"] = "controls in its evidence"
    for name, change in changes.items():
        told = words.get(name, "fingerprint" if name == "fingerprint" else name)
        yield Attempt(
            f"generated code writes {name}", "by code", by_code(**change), accept_cohort, told,
            "doubted",
        )  # fmt: skip
    hidden = by_code(design={**design, "formula": HIDDEN})
    name = "generated code hides code in a design"
    yield Attempt(name, "by code", hidden, accept_cohort, "design", "doubted")
    other = f"{COHORTS}/evidence/GSE2.json"
    stranger = "is no file of GSE1: not taken"
    yield Attempt(
        "generated code writes the record of another cohort", "by code",
        lambda folder: (folder / other).write_text("{}") and None, accept_cohort, stranger,
        "doubted",
    )  # fmt: skip
    packed = f"{COHORTS}/GSE1.csv"
    yield Attempt(
        "generated code packs its table", "by code",
        lambda folder: (folder / packed).write_bytes(gzip.compress((folder / packed).read_bytes()))
        and None, accept_cohort, "is compressed",
    )  # fmt: skip
    for place, told in (("method.options.hook", "method"), ("warnings", "warnings")):
        value = CODE if place.startswith("method") else ["all is well"]
        change = put(RESULT, place, value)
        name = f"generated code writes {place} of its answer"
        yield Attempt(name, "by code", change, answer, told, "doubted")
    listed = put(RESULT, "significant_genes", {"Variable": ["A2M"], "p": [1e-30]})
    name = "generated code lists other genes"
    yield Attempt(name, "by code", listed, answer, "another than in the table of all genes")

    def listed_alone(folder: Path) -> None:
        listed(folder)
        content = json.loads((folder / RESULT).read_text())
        (folder / "regress/Asthma" / content.pop("all_genes")["file"]).unlink()
        (folder / RESULT).write_text(json.dumps(content))

    yield Attempt(f"{name}, without a table", "by code", listed_alone, answer, "toolkit", "doubted")
