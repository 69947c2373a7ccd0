"""The description of a data set: made from its files, written as Croissant and datasheet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from genotex.errors import FormatError
from genotex.options import About
from genotex.parallel import side_by_side
from genotex.problems import ProblemKind, TaskInfo
from genotex.reports.datasets.cohorts import (
    AnswerFacts,
    DatasetCohort,
    Gap,
    RawCohort,
    collect_answers,
    find_gaps,
    prepared_cohorts,
    raw_cohorts,
)
from genotex.reports.datasets.files import (
    FileFacts,
    FilePlace,
    FolderPart,
    examine,
    find_parts,
    list_files,
    place_files,
)

_E_MAIL = re.compile(r"[^\s/@]@[^\s/@]+\.\w")


@dataclass(frozen=True)
class Description:
    """The description of a data set."""

    about: About
    parts: tuple[FolderPart, ...]  # input and output folders in it
    files: tuple[FileFacts, ...]  # by path
    raw: tuple[RawCohort, ...]
    prepared: tuple[DatasetCohort, ...]
    answers: tuple[AnswerFacts, ...]
    problems: dict[str, int] | None  # `traits`, and problems by kind, of its task list
    gaps: tuple[Gap, ...]  # what is missing or damaged
    whole: bool  # whether the files were read to their ends

    @property
    def with_contacts(self) -> int:
        """Number of files that hold the fields for the contact of submitters."""
        return sum(facts.contacts for facts in self.files)


def describe_dataset(
    root: Path,
    about: About,
    *,
    leave_out: Sequence[Path] = (),
    whole: bool = True,
    jobs: int = 1,
    progress: Callable[[str, int], None] | None = None,
) -> Description:
    """Describe a folder: an input folder, an output folder, or one that holds such folders.

    Tables are read in blocks of which nothing is kept but counts.

    Files and folders in `leave_out` are no part of it, such as an earlier description; without
    `whole` only headers are read. `progress` is called with a path and the number of files. Raises
    a UsageError if `root` is no folder or holds neither layout.
    """
    parts = find_parts(root)
    listed = list_files(root, leave_out)
    paths = [path for path in listed if _may_be_listed(path)]
    places = place_files(root, parts, paths)
    files = tuple(
        _without_addresses(facts) for facts in _examined(root, places, whole, jobs, progress)
    )
    problems, wrong = _problems(root, files)
    raw, prepared = raw_cohorts(files), prepared_cohorts(files)
    gaps = [*find_gaps(parts, files, raw, prepared), *wrong]
    if left := len(listed) - len(paths):
        gaps.append(
            Gap(f"{left} files are not listed: their names hold an e-mail address or are no UTF-8")
        )
    answers = collect_answers(files)
    return Description(about, parts, files, raw, prepared, answers, problems, tuple(gaps), whole)


def _examined(
    root: Path,
    places: Sequence[FilePlace],
    whole: bool,
    jobs: int,
    progress: Callable[[str, int], None] | None,
) -> Iterator[FileFacts]:
    matrices = {_cohort(place) for place in places if place.kind == "series matrix"}
    soft = [_cohort(place) not in matrices for place in places]
    with side_by_side(jobs) as run:
        work = zip(places, soft, strict=True)
        for facts in run(partial(_examine_one, root, whole), work):
            yield facts
            if progress is not None:
                progress(facts.place.path, len(places))


def _cohort(place: FilePlace) -> tuple[str, str, str]:
    return place.part, place.trait, place.name


def _examine_one(root: Path, whole: bool, work: tuple[FilePlace, bool]) -> FileFacts:
    place, samples_from_soft = work
    return examine(root, place, whole=whole, samples_from_soft=samples_from_soft)


def _may_be_listed(name: str) -> bool:
    """Whether a name may be written down: it is text, and not an e-mail address."""
    return name.isprintable() and _E_MAIL.search(name) is None


def _without_addresses(facts: FileFacts) -> FileFacts:
    """Return the facts without names from inside the file that no layout has."""
    records = {name: info for name, info in facts.records.items() if _may_be_listed(name)}
    trait = facts.trait_column if _may_be_listed(facts.trait_column) else ""
    return replace(facts, records=records, trait_column=trait)


def _problems(root: Path, files: Sequence[FileFacts]) -> tuple[dict[str, int] | None, list[Gap]]:
    """Return the number of problems of the first task list, and what is wrong with it."""
    paths = [facts.place.path for facts in files if facts.place.kind == "task list"]
    if not paths:
        return None, []
    try:
        tasks = TaskInfo.load(root / paths[0])
    except FormatError:
        return None, [Gap("the list of problems cannot be read", (paths[0],))]
    kinds = [problem.kind for problem in tasks.problems()]
    counts = {kind.value: kinds.count(kind) for kind in ProblemKind}
    return {"traits": len(tasks.traits), **counts}, []
