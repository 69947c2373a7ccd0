"""The benchmark's record of each cohort of a trait, ``cohort_info.json`` (README, section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from genotex.formats.json_files import read_json_object, write_json
from genotex.io import lock, remove_leftovers
from genotex.layout import CohortName
from genotex.records import checked


@dataclass(frozen=True)
class CohortInfo:
    """The benchmark's record of one cohort; None where a field was never reached."""

    is_usable: bool
    is_gene_available: bool
    is_trait_available: bool
    is_available: bool
    is_biased: bool | None = None
    has_age: bool | None = None
    has_gender: bool | None = None
    sample_size: int | None = None
    note: str | None = None

    @classmethod
    def of_linked(
        cls, *, biased: bool, has_age: bool, has_gender: bool, samples: int, note: str | None = None
    ) -> CohortInfo:
        """Return the record of a cohort whose trait and genes could be linked."""
        return cls(
            is_usable=not biased,
            is_gene_available=True,
            is_trait_available=True,
            is_available=True,
            is_biased=biased,
            has_age=has_age,
            has_gender=has_gender,
            sample_size=samples,
            note=note,
        )


def read_cohort_info(path: Path | str) -> dict[str, CohortInfo]:
    """Read the records of a trait's cohorts, from any source.

    Unknown fields are ignored. A flag that older releases do not write is derived
    from the others where possible. Older releases call the TCGA cohort ``Xena``; the name in the
    file is kept.

    Returns in file order.
    """
    path = Path(path)
    completed = {n: _with_derived_flags(r) for n, r in read_json_object(path).items()}
    return checked(dict[CohortName, CohortInfo], completed, path=path)


def write_cohort_info(path: Path, records: Mapping[str, CohortInfo]) -> None:
    """Write the records of all cohorts of a trait, in this order; the file is replaced."""
    write_json(path, {cohort: asdict(info) for cohort, info in records.items()})


def update_cohort_info(path: Path, cohort: str, info: CohortInfo) -> None:
    """Write the record of one cohort and leave those of the others as they are."""
    # Safe while other processes do the same; a new cohort is added at the end.
    with lock(path):
        remove_leftovers(path)
        records = read_json_object(path) if path.exists() else {}
        records[cohort] = asdict(info)
        write_json(path, records)


def _with_derived_flags(record: Any) -> Any:
    """Add missing flags that follow from the others (GenoTEX README, section 3d)."""
    if not isinstance(record, dict):
        return record
    known = {key: value for key, value in record.items() if value is not None}
    gene, trait = known.get("is_gene_available"), known.get("is_trait_available")
    if isinstance(gene, bool) and isinstance(trait, bool):
        known.setdefault("is_available", gene and trait)
    available, biased = known.get("is_available"), known.get("is_biased")
    if isinstance(available, bool):
        known.setdefault("is_gene_available", available)
        known.setdefault("is_trait_available", available)
        if not available or isinstance(biased, bool):
            known.setdefault("is_usable", available and not biased)
    size, note = known.get("sample_size"), known.get("note")
    if isinstance(size, float) and size.is_integer():
        known["sample_size"] = int(size)
    return known if note is None else {**known, "note": str(note)}
