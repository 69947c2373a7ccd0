"""Files sent by the browser: names, sizes and contents are checked before they are kept."""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from genotex.clinical import load_vocabulary, rule_expert
from genotex.cohorts import (
    OwnTables,
    PreprocessOptions,
    prepare_geo_cohort,
    read_own_tables,
    rows_need_mapping,
)
from genotex.errors import GenotexError, UsageError
from genotex.fetch import UNSORTED
from genotex.formats import Series, read_family_soft, read_platforms, read_series_matrix
from genotex.genes import GeneTable, packaged_platform
from genotex.io import make_folder
from genotex.layout import GeoCohortFiles, geo_cohort_files, sort_geo_files, trait_folder_name
from genotex.options import Scale
from genotex.outside import check_upload, current_limits, use_limits
from genotex.procedure import Procedure
from genotex.simulate import format_of
from genotex.studies import TABLES, TABLES_RECORD, Apart, Kept, TablesFiles, Workspace

INPUT = "input"
"""Input folder that is made where the folder has none."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._()+-]{0,149}")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_keeping = threading.Lock()


@dataclass(frozen=True)
class Sent:
    """A file as sent: the name that the browser states, and its bytes."""

    name: str
    content: BinaryIO


@dataclass
class _UploadedSeries:
    """The place of a series that was uploaded, and how its files were read."""

    trait: str
    series: str
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def input_for(workspace: Workspace, trait: str) -> str:
    """Return the input folder for a series of a trait: the one with the trait, else the first."""
    inputs = workspace.inputs()
    # A simulated study gets no series; series in no folder of a trait would be hidden by one.
    laid_out = [found for found in inputs if not found.loose]
    with_trait = [found for found in laid_out if found.series.get(trait)]
    plain = [found for found in laid_out if not format_of(found.folder)]
    return next((found.name for found in [*with_trait, *plain]), INPUT)


def trait_named(text: str) -> str:
    """Return the folder name of a trait by its listed name, so that each trait has one folder."""
    if not text.strip():
        msg = "name the trait: the disease or property that the samples differ in"
        raise UsageError(msg)
    name = trait_folder_name(load_vocabulary().named(text.strip()).name)
    if len(name.encode()) > 200 or not name.isprintable():
        msg = f"{text[:60]!r} cannot be a trait name: use letters, digits, '-', '_' and spaces"
        raise UsageError(msg)
    return name


def _checked_name(text: str) -> str:
    """Return a file name; anything that could be a path is refused, not repaired."""
    if not _NAME.fullmatch(text) or text.endswith((".part", ".", " ")):
        msg = (
            f"{text[:100]!r} cannot be the name of a file here: use letters, digits and . _ - + ( )"
        )
        raise UsageError(msg)
    return text


@contextmanager
def _staged(workspace: Workspace, sent: Sequence[Sent]) -> Iterator[Path]:
    """Write files to a hidden folder that is removed at the end; errors name files alone."""
    names = [_checked_name(each.name) for each in sent]
    if not names:
        msg = "choose at least one file"
        raise UsageError(msg)
    if len({name.casefold() for name in names}) < len(names):
        msg = "two files have the same name"
        raise UsageError(msg)
    stage = Path(tempfile.mkdtemp(prefix=".upload-", dir=workspace.root))
    try:
        for name, each in zip(names, sent, strict=True):
            with (stage / name).open("xb") as file:
                shutil.copyfileobj(each.content, file, 1 << 20)
            check_upload(stage / name)
        with use_limits(current_limits().for_uploads()):
            yield stage
    except GenotexError as error:
        raise UsageError(str(error).replace(f"{stage}/", "")) from error
    except OSError as error:
        msg = f"the files could not be kept: {error.strerror or error}"
        raise UsageError(msg) from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def keep_series(
    workspace: Workspace,
    trait: str,
    accession: str,
    sent: Sequence[Sent],
    apart: Apart | None = None,
) -> _UploadedSeries:
    """Check files of a series, and keep them in ``input/GEO/<Trait>/<GSE>/``.

    `apart`: Where they are read, which takes memory.

    Raises
    ------
    UsageError
        If a name, a size or what is in a file does not fit; nothing is kept then.
    """
    trait = trait_named(trait) if trait.strip() else UNSORTED
    apart = apart or Apart()
    with _staged(workspace, sent) as stage:
        files = geo_cohort_files(trait, stage)
        described = apart.run(_read_described, files)
        stated, notes = described.accessions, described.notes
        name = accession.strip() or next(iter(stated), "")
        if not _WORD.fullmatch(name):
            msg = "the files state no accession: name the series, as GSE55457"
            raise UsageError(msg)
        if stated - {name}:
            msg = f"the files are of {', '.join(sorted(stated))}, not of {name}"
            raise UsageError(msg)
        target = workspace.root / input_for(workspace, trait) / "GEO" / trait / name
        before = geo_cohort_files(trait, target) if target.is_dir() else None
        if not described.series and (before is None or not (before.matrices or before.family_soft)):
            msg = f"no samples are described: add the series matrix or family SOFT of {name}"
            raise UsageError(msg)
        there = () if before is None else before.inputs
        # Of a trait cohorts are human; a series by itself may be of mice.
        asked = "" if trait == UNSORTED else trait
        every = sort_geo_files(asked, name, target, sorted((*there, *files.inputs)))
        warnings = described.warnings[bool(every.platforms or every.family_soft)]
        if sent_values := (*files.supplementary, *files.counts, *files.annotations):
            notes += apart.run(_read_values, every, sent_values)
            warnings = []
        _move(workspace, sorted(stage.iterdir()), target)
    return _UploadedSeries(trait, name, notes, warnings)


@dataclass(frozen=True)
class _Described:
    """What files state of a series; the warnings without the annotation of its rows, and with."""

    series: int
    accessions: frozenset[str]
    notes: list[str]
    warnings: tuple[list[str], list[str]]


def _read_described(files: GeoCohortFiles) -> _Described:
    """Read the files that describe a series, within the limits of what is sent."""
    with use_limits(current_limits().for_uploads()):
        series, notes = _read_annotated(files)
        warnings = _warnings(series, False), _warnings(series, True)
    named = frozenset(each.accession for each in series if each.accession)
    return _Described(len(series), named, notes, warnings)


def _read_values(files: GeoCohortFiles, sent: Sequence[Path]) -> list[str]:
    """Read a series as analyses do; of the files sent with values each must be of use."""
    with use_limits(current_limits().for_uploads()):
        prepared = prepare_geo_cohort(files, rule_expert(Procedure.SOUND), PreprocessOptions())
    if prepared.genes is None:
        raise UsageError(prepared.why_no_genes)
    used = {path for path, _ in prepared.files}
    for path in sent:
        notes = [note for note in prepared.notes if path.name in note]
        # Layouts of chips, sample sheets and maps of transcripts are named where they were used.
        refused = [note for note in notes if f"{path.name} is not " in note]
        if path not in used and (refused or not notes):
            why = f"{path.name} is of no use: the expression is in other files"
            raise UsageError(next(iter(refused), why))
    return list(prepared.notes)


def _read_annotated(files: GeoCohortFiles) -> tuple[list[Series], list[str]]:
    """Read the files that describe samples and platforms, whole."""
    series: list[Series] = []
    notes = []
    for path in (*files.matrices, *files.family_soft):
        read = [read_series_matrix(path)] if path in files.matrices else read_family_soft(path)
        series += read
        for each in read:
            rows = 0 if each.expression is None else len(each.expression.ids)
            notes.append(f"{path.name}: {len(each.samples)} samples, {rows:,} rows")
            notes += [f"{path.name}: {note}" for note in each.notes]
    for path in files.platforms:
        for platform in read_platforms(path):
            notes.append(f"{path.name}: {platform.table.height:,} rows of a platform")
    return series, notes


def _warnings(series: Sequence[Series], annotated: bool) -> list[str]:
    warnings = []
    for each in series:
        ids = () if each.expression is None else each.expression.ids
        if each.expression is not None and not ids:
            warnings.append(
                f"{each.path.name} has no expression values: add NCBI's counts, or the submitter's "
                "table of all samples"
            )
        elif not annotated and rows_need_mapping(each, GeneTable.load()):
            packaged = packaged_platform(each.platform, ids)
            warnings.append(
                f"the rows of {each.path.name} are probes, and tested as such: add the table of "
                f"its platform ({each.platform or 'GPL...'})"
                if packaged is None
                else f"{packaged.fields['packaged'][0]}; the series' own table would replace it"
            )
    return warnings


def _read_sent(files: TablesFiles, folder: Path) -> OwnTables:
    """Read tables that were sent, within the limits of what is sent."""
    with use_limits(current_limits().for_uploads()):
        return read_own_tables(
            folder / files.expression,
            None if files.samples is None else folder / files.samples,
            platform=None if files.platform is None else folder / files.platform,
            scale=files.scale,
            name=files.name,
        )


def keep_tables(
    workspace: Workspace,
    name: str,
    scale: Scale,
    expression: Sent,
    others: Sequence[Sent | None],
    apart: Apart | None = None,
) -> tuple[TablesFiles, Kept[OwnTables]]:
    """Check own tables, and keep them in ``tables/<name>/``; `others`: samples and platform.

    `apart`: Where they are read, which takes memory; they are returned as they were read there.

    Raises
    ------
    UsageError
        If a name or size does not fit, or they cannot be read; nothing is kept then.
    """
    samples, platform = others
    given = name.strip() or expression.name.partition(".")[0]
    wanted = re.sub(r"[^A-Za-z0-9_-]+", "_", given).strip("_-")
    if not _WORD.fullmatch(wanted):
        msg = "give the tables a name of letters, digits, - and _"
        raise UsageError(msg)
    sent = [each for each in (expression, samples, platform) if each is not None]
    with _staged(workspace, sent) as stage:
        files = TablesFiles(
            name=wanted,
            expression=expression.name,
            samples=samples.name if samples else None,
            platform=platform.name if platform else None,
            scale=scale,
        )
        if TABLES_RECORD in (each.name for each in sent):
            msg = f"no table can have the name {TABLES_RECORD}"
            raise UsageError(msg)
        read = (apart or Apart()).keep(_read_sent, files, stage)
        record = stage / TABLES_RECORD
        record.write_text(files.model_dump_json(indent=1) + "\n", encoding="utf-8")
        kept = [stage / each.name for each in sent]
        _move(workspace, [*kept, record], workspace.root / TABLES / wanted)
    return files, read


def _move(workspace: Workspace, paths: Sequence[Path], target: Path) -> None:
    """Move files to their folder; nothing is overwritten."""
    with _keeping:
        if not workspace.holds(target):
            msg = f"{target.name} leads out of the folder"
            raise UsageError(msg)
        there = [path.name for path in paths if (target / path.name).exists()]
        if there:
            msg = f"{target.name} holds {', '.join(there)} already; nothing is overwritten"
            raise UsageError(msg)
        make_folder(target)
        for path in paths:
            path.replace(target / path.name)
