"""``cohort_info.json`` and the evidence files: read tolerantly, written whole."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from genotex.errors import FormatError
from genotex.formats.cohort_record import CohortInfo, Evidence
from genotex.formats.raw import decode, read_bytes
from genotex.layout import atomic_write, lock

__all__ = [
    "read_cohort_info",
    "read_evidence",
    "update_cohort_info",
    "write_cohort_info",
    "write_evidence",
]

_FLAGS = ("is_usable", "is_gene_available", "is_trait_available", "is_available")
_LATER_FLAGS = ("is_biased", "has_age", "has_gender")
_TEXTS = ("trait", "cohort", "procedure", "source", "genotex_version")


def read_cohort_info(path: Path) -> dict[str, CohortInfo]:
    """Read the records of a trait's cohorts, ours or anyone's.

    Fields that we do not know are passed over. Older releases of the benchmark name the TCGA
    cohort ``Xena``; it is given under the name it has in the file.

    Returns
    -------
    dict of str to CohortInfo
        In file order.

    Raises
    ------
    FormatError
        If the file is no such JSON; names the line or the field.
    """
    return {name: _info(name, record, path) for name, record in _read_object(path).items()}


def update_cohort_info(path: Path, cohort: str, info: CohortInfo) -> None:
    """Write the record of one cohort and leave those of the others as they are.

    Safe while other processes do the same for other cohorts; a new cohort goes to the end.

    Parameters
    ----------
    path : Path
        The trait's ``cohort_info.json``; made if absent.
    cohort : str
        Its id.
    info : CohortInfo
        Its record.

    Raises
    ------
    FormatError
        If the file that is there is no such JSON; it is left alone.
    """
    with lock(path):
        records = _read_object(path) if path.exists() else {}
        records[cohort] = asdict(info)
        _write_json(path, records)


def write_cohort_info(path: Path, records: Mapping[str, CohortInfo]) -> None:
    """Write the records of all cohorts of a trait, in place of those that were there."""
    _write_json(path, {cohort: asdict(info) for cohort, info in records.items()})


def write_evidence(path: Path, evidence: Evidence) -> None:
    """Write the record of every decision about a cohort; what is not finite becomes null."""
    _write_json(path, {item.name: getattr(evidence, item.name) for item in fields(evidence)})


def read_evidence(path: Path) -> Evidence:
    """Read the record of every decision about a cohort.

    Raises
    ------
    FormatError
        If the file is no such JSON; names the line or the field.
    """
    record = _read_object(path)
    known: dict[str, Any] = {}
    for item in fields(Evidence):
        if item.name not in record:
            if item.name in _TEXTS:
                msg = "this field is missing"
                raise FormatError(msg, path=path, field=item.name, hint="preprocess it again")
            continue
        value = record[item.name]
        wanted = _evidence_type(item.name)
        if not isinstance(value, wanted):
            msg = f"expected {wanted.__name__}, found {type(value).__name__}"
            raise FormatError(msg, path=path, field=item.name, hint="preprocess it again")
        known[item.name] = value
    return Evidence(**known)


def _evidence_type(name: str) -> type:
    if name in (*_TEXTS, "fingerprint"):
        return str
    return list if name in ("files", "notes") else dict


def _info(name: str, record: object, path: Path) -> CohortInfo:
    if not isinstance(record, dict):
        msg = "the record of a cohort should be a JSON object"
        raise FormatError(msg, path=path, field=name)
    flags = {key: _flag(record.get(key), path, f"{name}.{key}") for key in _FLAGS}
    later = {
        key: None if record.get(key) is None else _flag(record[key], path, f"{name}.{key}")
        for key in _LATER_FLAGS
    }
    size = record.get("sample_size")
    if size is not None and (isinstance(size, bool) or size != _whole(size)):
        msg = f"expected a number of samples, found {json.dumps(size)[:40]}"
        raise FormatError(msg, path=path, field=f"{name}.sample_size")
    note = record.get("note")
    return CohortInfo(
        **flags,
        is_biased=later["is_biased"],
        has_age=later["has_age"],
        has_gender=later["has_gender"],
        sample_size=_whole(size),
        note=None if note is None else str(note),
    )


def _flag(value: object, path: Path, place: str) -> bool:
    if not isinstance(value, bool):
        msg = f"expected true or false, found {json.dumps(value)[:40]}"
        raise FormatError(msg, path=path, field=place)
    return value


def _whole(value: object) -> int | None:
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, float) and math.isfinite(value) else None


def _read_object(path: Path) -> dict[str, Any]:
    text = decode(read_bytes(path))
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        msg = f"not valid JSON: {error.msg}"
        raise FormatError(msg, path=path, line=error.lineno, hint="mend or remove it") from error
    except (ValueError, RecursionError) as error:
        msg = f"not valid JSON: {error}"
        raise FormatError(msg, path=path, hint="mend or remove it") from error
    if not isinstance(content, dict):
        msg = "expected a JSON object"
        raise FormatError(msg, path=path, line=1, hint="mend or remove it")
    return content


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    text = json.dumps(_plain(content), indent=4, ensure_ascii=False, allow_nan=False)
    with atomic_write(path) as part:
        part.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


def _plain(value: Any) -> Any:
    """Return the value as JSON knows it: no NumPy scalars, nothing that is not finite."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
