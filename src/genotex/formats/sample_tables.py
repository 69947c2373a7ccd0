"""Tables of single samples, as programs write them, joined to one table of genes x samples."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import numpy as np
import polars as pl

from genotex.errors import FormatError
from genotex.formats.geo.value_sources import SeriesFile
from genotex.formats.own_tables.frames import read_sheet_tables
from genotex.formats.own_tables.table_file import TableFile, titled
from genotex.formats.own_tables.text_tables import read_text_table
from genotex.outside import current_limits

Transcripts = Mapping[str, str]
"""Transcript -> gene."""

_STAR = ("gene", "unstranded", "sense", "antisense")
_LEAST_STRANDED, _LEAST_SHARED = 0.8, 0.8
_NO_GENE = re.compile(r"__\w+|N_(unmapped|multimapping|noFeature|ambiguous)", re.IGNORECASE)
_TRANSCRIPT = re.compile(r"(ENS\w*T\d{11}|[NX][MR]_\d{4,9})(\.\d+)?(_PAR_Y)?(\|.*)?", re.IGNORECASE)
CELL_BARCODE = re.compile(r"(?<![A-Za-z])[ACGT]{8,}(-\d+)?(?![a-z])")
"""In the name of a column that is one cell."""
FEWEST_CELLS = 20
"""Columns of cells, for a table to be of single cells."""
_ANNOTATION = re.compile(
    r"chr(om(osome)?)?|start|end|strand|(gene|transcript|effective|eff)?_?\.?length|\W*|entrez.*"
    r"|(gene|transcript)?_?(id|type|biotype|description)|locus|coverage|isopct|unnamed: 0"
    r"|.*_conf_.*"
    r"|detection.*|.*p[-_ .]?val(ue)?|.*(std_?(err|ev)|nbeads).*|.*effectivelength",
    re.IGNORECASE,
)
_VALUES = (
    r"expected_count|numreads|est_counts|(raw_?|read_?|gene_?)?counts?|reads",
    r"gprocessedsignal|(.*[._ ])?avg_signal|signal|value|intensity",
    r"tpm",
    r"cpm",
    r"[fr]pkm",
)
"""Columns of values by name, the best first."""


@dataclass(frozen=True)
class _ToolTable:
    """How the table of a program is recognised and which of its columns are used."""

    titles: frozenset[str]
    ids: str
    value: str
    symbols: str = ""
    transcripts: bool = False


_PROGRAMS = (
    _ToolTable(frozenset(("transcript_id", "gene_id", "isopct")), "gene_id", "expected_count"),
    _ToolTable(frozenset(("gene_id", "expected_count")), "gene_id", "expected_count"),
    _ToolTable(frozenset(("name", "numreads", "tpm")), "name", "numreads", transcripts=True),
    _ToolTable(frozenset(("target_id", "est_counts")), "target_id", "est_counts", transcripts=True),
    _ToolTable(
        frozenset(("tracking_id", "gene_short_name", "fpkm")),
        "tracking_id",
        "fpkm",
        "gene_short_name",
    ),
    _ToolTable(frozenset(("gene id", "gene name", "tpm")), "gene id", "tpm", "gene name"),
    _ToolTable(
        frozenset(("probename", "gprocessedsignal")),
        "probename",
        "gprocessedsignal",
        "systematicname",
    ),
)
"""RSEM, Salmon, kallisto, Cufflinks, StringTie, Agilent Feature Extraction."""


@dataclass(frozen=True, eq=False)
class _Sample:
    """The table of one sample."""

    name: str
    ids: pl.Series
    values: pl.Series
    title: str  # of the column of values
    symbols: pl.Series | None = None
    strands: pl.DataFrame | None = None  # STAR's three columns
    notes: tuple[str, ...] = ()


def join_samples(files: Sequence[SeriesFile], transcripts: Transcripts | None = None) -> TableFile:
    """Read tables of single samples, and join them by their ids.

    Parameters
    ----------
    files : sequence of SeriesFile
        On the disk; of one kind.
    transcripts : mapping of str to str, optional
        The gene of each transcript, for tables whose rows are transcripts.

    Raises
    ------
    GenotexError
        If a table cannot be read, holds several columns that may be the values, or the tables are
        not of the same genes.
    """
    chosen = _one_for_each(files)
    samples = [_read(name, file, transcripts) for name, file in chosen.items()]
    notes = [f"{len(samples)} tables of single samples joined"]
    if all(each.strands is not None for each in samples):
        samples, strand = _stranded(samples)
        notes.append(f"STAR's {strand} counts")
    titles = {each.title.casefold() for each in samples if each.title != each.name}
    if len(titles) == 1:
        notes.append(f"column {samples[0].title!r}")
    notes += dict.fromkeys(note for each in samples for note in each.notes)
    path = files[0].disk_file.path
    frame, symbols, kept = _joined(samples, path)
    current_limits().check_table(frame.height, frame.width, path)
    notes += kept
    columns = {"ID": frame.to_series(0)}
    columns |= {} if symbols is None else {"Gene symbol": symbols}
    columns |= dict(zip(chosen, frame.get_columns()[1:], strict=True))
    form = "tables of single samples"
    return TableFile(path, path.name, form, **titled(columns), notes=tuple(notes))


def _one_for_each(files: Sequence[SeriesFile]) -> dict[str, SeriesFile]:
    """Return the file of each sample; several are told apart by the last word of their names."""
    of_word: defaultdict[str, defaultdict[str, list[SeriesFile]]] = defaultdict(
        lambda: defaultdict(list)
    )
    every: defaultdict[str, list[SeriesFile]] = defaultdict(list)
    for each in files:
        stem = re.sub(r"(\.[A-Za-z]\w*)+$", "", PurePosixPath(each.name).name)
        name = each.sample or _stem(each.name)
        every[name].append(each)
        of_word[re.split(r"[._-]", stem)[-1].casefold()][name].append(each)
    if all(len(group) == 1 for group in every.values()):
        return {name: group[0] for name, group in every.items()}
    whole = [
        {name: group[0] for name, group in names.items()}
        for names in of_word.values()
        if len(names) == len(every) and all(len(group) == 1 for group in names.values())
    ]
    if len(whole) == 1:
        return whole[0]
    name, several = next((name, group) for name, group in every.items() if len(group) > 1)
    shown = ", ".join(each.name for each in several[:4])
    msg = f"{name} has several tables that may be its values: {shown}"
    hint = "keep one for each sample in the folder"
    raise FormatError(msg, path=files[0].disk_file.path, hint=hint)


def _stem(name: str) -> str:
    """Return a file name, or the name of its folder where all files are called alike."""
    path = PurePosixPath(name)
    stem = re.sub(r"(\.(gz|bz2|xz|zst|txt|tsv|csv|tab|out|results|sf|xlsx))+$", "", path.name)
    alike = re.fullmatch(r"abundance|quant(\.genes)?|ReadsPerGene|genes|counts", stem)
    return path.parent.name or stem if alike else stem


def _read(name: str, file: SeriesFile, transcripts: Transcripts | None) -> _Sample:
    """Read the table of a sample, and choose the columns of ids and values."""
    if file.name.lower().endswith(".xlsx"):
        with file.disk_file.on_disk() as path:
            table = read_sheet_tables(path, most=1)[0]
    else:
        table = read_text_table(file.disk_file)
    table = _with_header(table)
    titles = [title.strip().casefold() for title in table.header]
    place = {title: i for i, title in reversed(list(enumerate(titles)))}
    if table.header == _STAR:
        return _of_star(name, table)
    program = next((each for each in _PROGRAMS if each.titles <= place.keys()), None)
    if program is None:
        return _of_any(name, table, titles, transcripts)
    if "rprocessedsignal" in place:
        msg = "is a two-colour array, which has no value of one sample"
        raise table.error(msg, hint="analyse its series matrix, or the ratios, with genotex de")
    if "controltype" in place:
        table = _rows(table, pl.Series(_numbers(table, place["controltype"]).fill_null(0) == 0))
    ids = _texts(table, place[program.ids])
    symbols = _texts(table, place[program.symbols]) if program.symbols in place else None
    values = _numbers(table, place[program.value])
    found = _Sample(name, ids, values, table.header[place[program.value]].strip(), symbols)
    return _by_gene(found, table, transcripts) if program.transcripts else found


def _with_header(table: TableFile) -> TableFile:
    """Give a table without a header its columns back: its first row was taken as one."""
    first, *others = (cell.strip() for cell in table.header)
    numbers = [_number(cell) for cell in others]
    if not numbers or None in numbers or re.search("gene|^id|symbol|name|probe|^$", first, re.I):
        return table
    is_star = len(others) == 3 and first.casefold().startswith("n_")
    header = _STAR if is_star else ("gene", *(f"column {i + 2}" for i in range(len(others))))
    row = [
        pl.Series(column.name, [first if i == 0 else numbers[i - 1]], strict=False).cast(
            column.dtype
        )
        for i, column in enumerate(table.columns.get_columns())
    ]
    whole = pl.concat([pl.DataFrame(row), table.columns])
    return replace(table, header=header, columns=whole, first_line=table.first_line - 1)


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _of_star(name: str, table: TableFile) -> _Sample:
    ids = _texts(table, 0)
    table = _rows(table, ~ids.str.contains(r"(?i)^N_(unmapped|multimapping|noFeature|ambiguous)$"))
    return _Sample(name, _texts(table, 0), _numbers(table, 1), name, strands=table.columns)


def _stranded(samples: Sequence[_Sample]) -> tuple[list[_Sample], str]:
    """Take the column of the strand that all libraries have, or the one of both strands."""
    sums = np.array(
        [
            [float(each.strands.to_series(i).sum()) for i in (2, 3)]
            for each in samples
            if each.strands is not None
        ]
    )
    share = sums[:, 0] / np.maximum(sums.sum(axis=1), 1)
    chosen = 1
    if (share > _LEAST_STRANDED).all():
        chosen = 2
    elif (share < 1 - _LEAST_STRANDED).all():
        chosen = 3
    words = {1: "unstranded", 2: "sense-strand", 3: "antisense-strand"}[chosen]
    found = [
        replace(each, values=each.strands.to_series(chosen).cast(pl.Float64))
        for each in samples
        if each.strands is not None
    ]
    return found, words


def _of_any(
    name: str, table: TableFile, titles: Sequence[str], transcripts: Transcripts | None
) -> _Sample:
    """Take one column of ids and one of values; columns that are cells are added up."""
    frame = table.columns
    numeric = [i for i, dtype in enumerate(frame.dtypes) if dtype.is_numeric() and i]
    cells = [i for i in numeric if CELL_BARCODE.search(table.header[i])]
    if len(cells) >= FEWEST_CELLS and len(cells) > 0.5 * len(numeric):
        values = frame.select(pl.sum_horizontal(frame.columns[i] for i in cells)).to_series()
        note = "single cells were added up"
        return _Sample(name, _texts(table, 0), values, name, notes=(note,))
    left = [i for i in numeric if not _ANNOTATION.fullmatch(titles[i])]
    if len(left) > 1:
        by_name = ([i for i in left if re.fullmatch(p, titles[i])] for p in _VALUES)
        left = next((found for found in by_name if found), left)
    if len(left) != 1:
        shown = ", ".join(table.header[i] for i in (left or range(frame.width))[:6])
        what = "several columns that may be its values" if left else "no column of values"
        msg = f"has {what}: {shown}"
        raise table.error(msg, hint="keep the ids and one column of values")
    text = [i for i in range(1, frame.width) if i not in numeric]
    named = [i for i in text if re.search(r"symbol|gene_?name|short_name", titles[i])]
    symbols = _texts(table, named[0]) if named else None
    title = table.header[left[0]].strip()
    title = name if title.startswith("column ") else title
    ids = _texts(table, 0)
    kept = ~ids.fill_null("").str.contains(f"(?i)^({_NO_GENE.pattern})$")
    found = _Sample(
        name,
        ids.filter(kept),
        _numbers(table, left[0]).filter(kept),
        title,
        None if symbols is None else symbols.filter(kept),
    )
    some = found.ids.drop_nulls().head(500).to_list()
    if some and sum(_TRANSCRIPT.fullmatch(each) is not None for each in some) > 0.9 * len(some):
        return _by_gene(found, table, transcripts)
    return found


def _by_gene(sample: _Sample, table: TableFile, transcripts: Transcripts | None) -> _Sample:
    """Add the transcripts of each gene up, by GENCODE's names or the map that is given."""
    ids = sample.ids.fill_null("")
    if not ids.head(500).str.contains(_TRANSCRIPT.pattern).mean():
        return sample
    parts = ids.str.split("|")
    if (parts.list.len() > 5).all():
        genes = parts.list.get(1)
    elif transcripts:
        bare = ids.str.replace(r"\.\d+$", "")
        genes = bare.replace_strict(dict(transcripts), default=None, return_dtype=pl.String)
        if genes.null_count() > 0.5 * len(genes):
            msg = "most of its transcripts are not in the map of transcripts to genes"
            raise table.error(msg)
    elif re.fullmatch(_VALUES[0], sample.title, re.IGNORECASE):
        # Counts of one gene are added up once its transcripts are mapped.
        return sample
    else:
        msg = "its rows are transcripts, and no file states their genes"
        hint = "put a table tx2gene (transcript, gene) of its annotation into the folder"
        raise table.error(msg, hint=hint)
    frame = pl.DataFrame({"gene": genes, "value": sample.values}).drop_nulls("gene")
    summed = frame.group_by("gene", maintain_order=True).agg(pl.col("value").sum())
    note = "transcripts of a gene were added up"
    return replace(sample, ids=summed["gene"], values=summed["value"], notes=(note,))


def read_transcripts(file: SeriesFile) -> dict[str, str]:
    """Read a map of transcripts to genes: a column of transcript ids, then one of genes."""
    table = _with_names(read_text_table(file.disk_file, numbers=False))
    columns = [column.fill_null("") for column in table.columns.get_columns()]
    is_transcript = [
        column.head(500).str.contains(r"(?i)^(ENS\w*T\d{11}|[NX][MR]_\d)").sum()
        for column in columns
    ]
    place = max(range(len(columns)), key=lambda i: is_transcript[i])
    if not is_transcript[place] or len(columns) < 2:
        msg = "has no column of transcripts"
        raise table.error(msg)
    genes = columns[1 if place == 0 else 0]
    bare = columns[place].str.replace(r"\.\d+$", "")
    return dict(zip(bare.to_list(), genes.to_list(), strict=True))


def _with_names(table: TableFile) -> TableFile:
    """Give a table of text without a header its first row back."""
    if not any(_TRANSCRIPT.fullmatch(title.strip()) for title in table.header):
        return table
    first = pl.DataFrame({c: [t] for c, t in zip(table.columns.columns, table.header, strict=True)})
    return replace(table, columns=pl.concat([first, table.columns]))


def _joined(
    samples: Sequence[_Sample], path: Path
) -> tuple[pl.DataFrame, pl.Series | None, list[str]]:
    """Return ids and values of all samples, the symbols, and what was left out."""
    first = samples[0]
    if all(each.ids.equals(first.ids) for each in samples):
        frame = pl.DataFrame(
            [first.ids.alias("c0"), *(each.values.alias(f"v{i}") for i, each in enumerate(samples))]
        )
        return frame, first.symbols, []
    frames = []
    for i, each in enumerate(samples):
        frame = pl.DataFrame({"c0": each.ids, f"v{i}": each.values}).drop_nulls("c0")
        if frame["c0"].n_unique() < frame.height:
            frame = frame.group_by("c0", maintain_order=True).agg(pl.col(f"v{i}").sum())
        frames.append(frame)
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.join(frame, on="c0", how="inner", maintain_order="left")
    most = max(frame.height for frame in frames)
    if whole.height < _LEAST_SHARED * most:
        msg = (
            f"the tables of its samples share only {whole.height:,} of up to {most:,} ids: they "
            "are not of one annotation"
        )
        raise FormatError(msg, path=path, hint="count all samples with the same genes")
    symbols = None
    if first.symbols is not None:
        of_id = dict(zip(first.ids.to_list(), first.symbols.to_list(), strict=True))
        symbols = pl.Series([of_id.get(name) for name in whole["c0"].to_list()], dtype=pl.String)
    left = most - whole.height
    note = f"{left:,} ids that some samples lack were left out"
    return whole, symbols, [note] if left else []


def _texts(table: TableFile, i: int) -> pl.Series:
    column = table.columns.to_series(i)
    if column.dtype.is_numeric():
        column = column.cast(pl.Int64, strict=False)
    return column.cast(pl.String).str.strip_chars(' "')


def _numbers(table: TableFile, i: int) -> pl.Series:
    column = table.columns.to_series(i)
    if not column.dtype.is_numeric():
        msg = f"column {table.header[i]!r} holds text where numbers should be"
        raise table.error(msg)
    return column.cast(pl.Float64)


def _rows(table: TableFile, kept: pl.Series) -> TableFile:
    return replace(table, columns=table.columns.filter(kept.fill_null(True)))
