"""What is not there: what a reader of the layout would look for and not find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from genotex.reports.datasets.cohorts import PreparedCohort, RawCohort
from genotex.reports.datasets.examining import FileFacts
from genotex.reports.datasets.places import Part

__all__ = ["Gap", "find_gaps"]


@dataclass(frozen=True)
class Gap:
    """Something that is missing or does not fit.

    Attributes
    ----------
    what : str
        In words.
    where : tuple of str
        Files or cohorts; empty where the words say it all.
    """

    what: str
    where: tuple[str, ...] = ()


def find_gaps(
    parts: Sequence[Part],
    files: Sequence[FileFacts],
    raw: Sequence[RawCohort],
    prepared: Sequence[PreparedCohort],
) -> tuple[Gap, ...]:
    """Return what is missing, damaged or at odds, the parts first."""
    found = [*_folders(parts, files), *_raw_gaps(raw, files), *_prepared_gaps(prepared, files)]
    problems: dict[str, list[str]] = {}
    for facts in files:
        if facts.problem:
            problems.setdefault(facts.problem, []).append(facts.place.path)
    found += [Gap(f"the file {problem}", tuple(paths)) for problem, paths in problems.items()]
    return tuple(found)


def _folders(parts: Sequence[Part], files: Sequence[FileFacts]) -> Iterator[Gap]:
    paths = [facts.place.path for facts in files]
    for part in parts:
        wanted = ("GEO", "TCGA") if part.layout == "input" else ("preprocess", "regress")
        for name in wanted:
            folder = f"{part.prefix}/{name}/".lstrip("/")
            if not any(path.startswith(folder) for path in paths):
                yield Gap(f"no files under {folder}")
    layouts = {part.layout for part in parts}
    if "input" not in layouts:
        yield Gap("no raw data: neither GEO/ nor TCGA/")
    if "output" not in layouts:
        yield Gap("no preprocessed data, so that nobody knows yet which cohorts are usable")
    if not any(facts.place.kind == "task list" for facts in files):
        yield Gap("no list of problems: task_info.json")


def _raw_gaps(raw: Sequence[RawCohort], files: Sequence[FileFacts]) -> Iterator[Gap]:
    kinds: dict[tuple[str, str, str], set[str]] = {}
    for place in (facts.place for facts in files):
        kinds.setdefault((place.part, place.trait, place.name), set()).add(place.kind)
    have = [(_raw_name(c), c, kinds[c.part, c.trait, c.cohort]) for c in raw]
    geo = [(name, kind) for name, cohort, kind in have if cohort.source == "GEO"]
    tcga = [(name, kind) for name, cohort, kind in have if cohort.source == "TCGA"]
    yield from _named(
        "GEO cohorts without a series matrix", (n for n, k in geo if "series matrix" not in k)
    )
    yield from _named(
        "GEO cohorts with neither family SOFT nor platform table, so that probes stay probes",
        (n for n, k in geo if not k & {"family SOFT", "platform table", "RNA-seq counts"}),
    )
    for kind in ("TCGA clinical matrix", "TCGA expression"):
        yield from _named(f"TCGA studies without {kind}", (n for n, k in tcga if kind not in k))
    yield from _named(
        "cohorts whose expression table is empty", (n for n, c, _ in have if c.rows == 0)
    )


def _prepared_gaps(prepared: Sequence[PreparedCohort], files: Sequence[FileFacts]) -> Iterator[Gap]:
    described = {(f.place.part, f.place.trait) for f in files if f.place.kind == "cohort records"}
    yield from _named(
        "traits with linked tables but no cohort_info.json",
        sorted({_path(c.part, c.trait) for c in prepared if (c.part, c.trait) not in described}),
    )
    yield from _named(
        "usable cohorts without a linked table",
        (_prepared_name(c) for c in prepared if c.is_usable and c.linked is None),
    )
    yield from _named(
        "linked tables without a record in cohort_info.json",
        (_prepared_name(c) for c in prepared if c.info is None and (c.part, c.trait) in described),
    )
    yield from _named(
        "linked tables with another number of samples than cohort_info.json says",
        (_prepared_name(c) for c in prepared if _differ(c)),
    )


def _differ(cohort: PreparedCohort) -> bool:
    told = None if cohort.info is None else cohort.info.sample_size
    found = None if cohort.linked is None else cohort.linked.samples
    return told is not None and found is not None and told != found


def _named(what: str, names: Iterator[str] | Sequence[str]) -> Iterator[Gap]:
    if where := tuple(names):
        yield Gap(what, where)


def _raw_name(cohort: RawCohort) -> str:
    return _path(cohort.part, cohort.source, cohort.trait, cohort.cohort)


def _prepared_name(cohort: PreparedCohort) -> str:
    return _path(cohort.part, cohort.trait, cohort.cohort)


def _path(*names: str) -> str:
    return "/".join(filter(None, names))
