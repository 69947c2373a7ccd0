"""The audit of cohorts in Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from genotex.analysis import CohortsAudit
from genotex.api.choices import as_path, options_of
from genotex.errors import UsageError
from genotex.options import AuditOptions
from genotex.workflows import audit as run
from genotex.workflows import find_sources, table_source


def audit(data: Any, samples: Any = None, **options: Any) -> CohortsAudit:
    """Check cohorts before they are used: samples, values, groups, and people in several of them.

    Parameters
    ----------
    data : path, data frame, AnnData, or mapping of names to pairs
        A folder with ``GEO/<Trait>/<GSE>/``, a series, a table of expression or a folder of tables;
        a table in memory; or several as ``{"name": (expression, samples)}``.
    samples : path or data frame, optional
        Of a table: a row for each sample, with groups, sex, batch and the like.
    **options
        ``trait``, ``group``, ``cohorts``, ``scale`` and ``platform``, as in
        ``genotex audit --help``.

    Returns
    -------
    CohortsAudit
        ``verdict``: ``sound``, ``wants a look`` or ``do not use``; ``findings``: cohort, check and
        finding, the worst first; ``record()``: everything as plain JSON.

    Raises
    ------
    UsageError
        If there is no cohort to audit. One that cannot be read is a finding.

    Examples
    --------
    >>> import genotex as gx
    >>> found = gx.audit("study/GEO/Simulated_Arthritis/GSE90000001")
    >>> found.verdict
    'sound'
    """
    asked: AuditOptions = options_of(AuditOptions, options, {})
    if isinstance(data, Mapping):
        if alone := [n for n, pair in data.items() if not isinstance(pair, tuple | list)]:
            msg = f"{alone[0]!r} has no sample table: give {{name: (expression, samples)}}"
            raise UsageError(msg)
        sources = [
            table_source(str(name), expression, sheet, asked)
            for name, (expression, sheet) in data.items()
        ]
    elif isinstance(data, str | Path):
        given = as_path(samples) if isinstance(samples, str) else samples
        place = as_path(data)
        if given is None or isinstance(given, Path):
            sources = find_sources(place, given, asked)
        else:
            sources = [table_source(place.name.split(".")[0], place, given, asked)]
    else:
        sources = [table_source("table", data, samples, asked)]
    return run(sources)
