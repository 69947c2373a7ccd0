"""GEO series fetched into an input folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from genotex.api.choices import as_path
from genotex.errors import FetchError, NotThereError
from genotex.fetch import (
    GeoRequest,
    fetch_series,
    open_fetch_folder,
    open_geo_source,
    read_accessions,
)
from genotex.fetch.geo import choose
from genotex.options import GeoOptions


def fetch_geo(
    accession: str | Sequence[str],
    folder: str | Path,
    trait: str | None = None,
    *,
    platform_only: bool = False,
) -> Path | dict[str, Path]:
    """Fetch GEO series by accession into ``folder/GEO/<Trait>/<GSE>/``.

    Files that are there already are not fetched again; every file is checked before it is put in
    place. A key of NCBI in the environment (``NCBI_API_KEY``) is used.

    Parameters
    ----------
    accession : str or sequence of str
        ``"GSE55457"``, or several.
    folder : str or Path
        Input folder; made when missing.
    trait : str, optional
        Trait whose folder the series go to; ``Unsorted`` without one.
    platform_only : bool
        Fetch the platform table, not the family SOFT file, which can have gigabytes.

    Returns
    -------
    Path, or dict of str to Path
        The folder of the series, for `read_geo`; by accession where a sequence was given.

    Raises
    ------
    FetchError
        If a series could not be fetched, or is not what genotex reads.
    """
    names = read_accessions([accession] if isinstance(accession, str) else list(accession))
    request = GeoRequest(trait, names, options=GeoOptions(platform_only, any_assay=True))
    with open_geo_source() as source, open_fetch_folder(as_path(folder)) as place:
        plans = list(choose(source, request))
        for plan in plans:
            if plan.refused:
                msg = f"{plan.accession}: {plan.refused}"
                raise NotThereError(msg)
        for outcome in fetch_series(source, place, request, plans, lambda plan, name: _no_progress):
            if outcome.error is not None:
                raise outcome.error
    root = as_path(folder) / "GEO" / request.folder
    found = {plan.accession: root / plan.accession for plan in plans}
    if missing := [name for name in names if name not in found]:
        msg = f"GEO has no series {', '.join(missing)}"
        raise FetchError(msg)
    return found[names[0]] if isinstance(accession, str) else found


def _no_progress(done: int, total: int | None) -> None:
    """Report nothing."""
