"""Attempts on everything that opens a file from outside: what each file is, and what is said of it.

A case is one attempt: a file made on the fly, the door that it is brought to, and what the refusal
must say. `DOORS` open a file as a user does; a case names one of them.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import pickle
import shutil
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from tests.own_tables import GENES, SAMPLES, count_values, log2_values, write_samples, write_table

Make = Callable[[Path], Path]
"""Writes a file into a folder and returns its path."""

SECRET = 4242.125
"""A number in a file of the machine that no attempt may bring out."""


@dataclass(frozen=True)
class Attempt:
    """One file brought to one door.

    Attributes
    ----------
    id : str
    door : str
        One of `DOORS`.
    make : callable
        Makes the file in a folder of its own.
    said : str
        A pattern that the message of the refusal matches.
    memory : int
        MiB that the whole process may have had at most.
    """

    id: str
    door: str
    make: Make
    said: str
    memory: int = 420


# Doors.


def _samples(path: Path) -> Path:
    return write_samples(path.with_name("samples_of_mine.csv"))


def by_command(path: Path) -> object:
    """Run ``genotex de``, and raise what it says as a user sees it."""
    import sys

    from genotex.cli import main

    samples = path if path.suffix == ".h5ad" else _samples(path)
    output = path.parent / "out"
    design = ["--design", "~ group", "--contrast", "group: case - control"]
    sys.argv = ["genotex", "de", str(path), str(samples), str(output), *design]
    error = sys.stderr
    sys.stderr = said = io.StringIO()
    try:
        main()
    except SystemExit as end:
        if end.code:
            assert not output.exists(), "something was written"
            raise Refused(said.getvalue()) from None
    finally:
        sys.stderr = error
    return output


class Refused(Exception):
    """What a command said when it ended with an error."""


def by_function(path: Path) -> object:
    """Call ``gx.de``."""
    import genotex as gx

    samples = None if path.suffix == ".h5ad" else _samples(path)
    return gx.de(path, samples, design="~ group", contrast="group: case - control")


def by_reading(path: Path) -> object:
    """Call ``gx.read_tables``."""
    import genotex as gx

    return gx.read_tables(path, None if path.suffix == ".h5ad" else _samples(path))


def _workspace(path: Path) -> Any:
    from genotex.studies import Workspace

    root = path.parent / "workbench"
    root.mkdir()
    return Workspace(root)


def _nothing_kept(workspace: Any) -> None:
    left = [str(found) for found in workspace.root.rglob("*") if found.is_file()]
    assert not left, left


def by_upload(path: Path) -> object:
    """Upload an expression table to the workbench."""
    from genotex.app import Sent, keep_tables

    workspace = _workspace(path)
    samples = _samples(path)
    with path.open("rb") as content, samples.open("rb") as other:
        others = [None if path.suffix == ".h5ad" else Sent(samples.name, other), None]
        try:
            return keep_tables(workspace, "mine", "auto", Sent(path.name, content), others)
        except Exception:
            _nothing_kept(workspace)
            raise


def by_series_upload(path: Path) -> object:
    """Upload a file of a series to the workbench."""
    from genotex.app import Sent, keep_series

    workspace = _workspace(path)
    with path.open("rb") as content:
        try:
            return keep_series(workspace, "Asthma", "GSE1", [Sent(path.name, content)])
        except Exception:
            _nothing_kept(workspace)
            raise


def by_set_upload(path: Path) -> object:
    """Upload gene sets to the workbench."""
    from genotex.studies import save_gene_sets

    return save_gene_sets(_workspace(path), path.name, path.read_bytes())


def by_workbench_record(path: Path) -> object:
    """List and open own tables of a folder whose record somebody else wrote."""
    from genotex.studies import load_tables

    workspace = _workspace(path)
    folder = workspace.root / "tables" / "mine"
    folder.mkdir(parents=True)
    shutil.copy(path, folder / "tables.json")
    return load_tables(workspace, "mine")


def by_assistant(path: Path) -> object:
    """Have an assistant annotate a series in the folder of its server."""
    from genotex.mcp import ConfinedFolder, Tools

    series = path.parent / "root" / "input" / "GEO" / "Asthma" / "GSE1"
    series.mkdir(parents=True)
    shutil.copy(path, series)
    return Tools(ConfinedFolder(path.parent / "root")).annotation("input", "Asthma", "GSE1", 5)


def by_assistant_result(path: Path) -> object:
    """Have an assistant look at the analyses of its folder, one of which is hostile."""
    from genotex.errors import FormatError
    from genotex.layout import OutputFolder
    from genotex.mcp import ConfinedFolder, Tools

    output = OutputFolder(path.parent / "root" / "analyses" / "mine")
    target = output.significant_genes("Asthma", None)
    target.parent.mkdir(parents=True)
    (output.root / "preprocess").mkdir()
    shutil.copy(path, target)
    folder = ConfinedFolder(path.parent / "root")
    listing = Tools(folder).listing()
    raise FormatError(" ".join(text.from_file for text in listing.problems))


def by_audit(path: Path) -> object:
    """Audit the cohort that generated code left."""
    from genotex.agents import Task, audit_cohort
    from genotex.formats import CohortInfo, LinkedTable, write_linked_csv
    from genotex.layout import OutputFolder

    output = OutputFolder(path.parent / "written")
    values = log2_values().T
    traits = np.array([0.0, 1.0] * 3)
    table = LinkedTable("Asthma", SAMPLES, traits, {}, GENES, values)
    write_linked_csv(output.linked_csv("Asthma", "GSE1"), table)
    twin = output.linked_parquet("Asthma", "GSE1")
    twin.parent.mkdir(parents=True)
    shutil.copy(path, twin)
    info = CohortInfo.of_linked(biased=False, has_age=False, has_gender=False, samples=6)
    task = Task("geo", "Asthma", str(path.parent), "output", cohort="GSE1")
    return audit_cohort(task, output.root, info).flags


def by_answer(path: Path) -> object:
    """Check the result that a method of a benchmark run left."""
    from genotex.bench.runs.outputs import check_answer
    from genotex.layout import OutputFolder
    from genotex.problems import Problem

    folder = path.parent / "answer"
    target = OutputFolder(folder).significant_genes("Asthma", None)
    target.parent.mkdir(parents=True)
    shutil.copy(path, target)
    return check_answer(folder, Problem("Asthma"))


def by_atlas(path: Path) -> object:
    """Ask an atlas that somebody else made."""
    from genotex.atlas import AtlasReader

    folder = path.parent / "atlas"
    folder.mkdir()
    shutil.copy(path, folder / "manifest.json")
    for other in path.parent.glob("results-*"):
        shutil.copy(other, folder)
    return AtlasReader(folder).results


def by_matrix_of_atlas(path: Path) -> object:
    """Map the numbers of an atlas."""
    from genotex.outside import read_array

    return read_array(path)


def by_fetching(path: Path) -> object:
    """Check a file that was fetched."""
    from genotex.fetch import Content, check_whole

    content = Content.json if path.suffix == ".json" else Content.gzip
    return check_whole(path, content, "https://example.org/file")


def _call(name: str, path: Path) -> object:
    """Call a public reader by its module and name."""
    from importlib import import_module

    module, _, function = name.rpartition(":")
    found: Any = import_module(module)
    for part in function.split("."):
        found = getattr(found, part)
    return found(path)


_READERS = {
    "series matrix": "genotex.formats:read_series_matrix",
    "family SOFT": "genotex.formats:read_family_soft",
    "platform file": "genotex.formats:read_platforms",
    "NCBI counts": "genotex.formats:read_raw_counts",
    "clinical matrix": "genotex.formats:read_clinical_matrix",
    "linked table": "genotex.formats:read_linked_csv",
    "cohort records": "genotex.formats:read_cohort_info",
    "gene sets": "genotex.analysis:read_gmt",
    "gene table": "genotex.genes:GeneTable.load",
    "sample sheet": "genotex.clinical.sheets.files:read_sheet_table",
    "encoding file": "genotex.clinical.encoding_files:load_annotations",
    "vocabulary file": "genotex.clinical:load_vocabulary",
    "task list": "genotex.problems.task_info:TaskInfo.load",
    "trait list": "genotex.problems.trait_list:TraitList.load",
    "problem list": "genotex.problems.problem:read_problems",
    "leaderboard entry": "genotex.bench.evaluation.score_files:read_scores",
    "labelled cases": "genotex.bench.evaluation.labels.label:read_labelled_cases",
    "recording": "genotex.models.recording:read_recording",
    "model settings": "genotex.models.settings:_from_file",
    "gene names": "genotex.atlas.signatures:read_gene_names",
    "journal": "genotex.journal:read_journal",
}

DOORS: Mapping[str, Callable[[Path], object]] = {
    "genotex de": by_command,
    "gx.de": by_function,
    "gx.read_tables": by_reading,
    "upload": by_upload,
    "upload of a series": by_series_upload,
    "upload of gene sets": by_set_upload,
    "record in the workbench": by_workbench_record,
    "assistant": by_assistant,
    "assistant, results": by_assistant_result,
    "audit": by_audit,
    "answer of a method": by_answer,
    "atlas": by_atlas,
    "matrix of an atlas": by_matrix_of_atlas,
    "fetch": by_fetching,
    **{door: partial(_call, name) for door, name in _READERS.items()},
}


# Text, plain and packed.

_MIB = 1 << 20


def _lines(mebibytes: int) -> bytes:
    """Return a table of so many MiB that packs to nearly nothing."""
    line = b"TP53,1,1,1,1,1,1\n"
    return b"gene,S1,S2,S3,S4,S5,S6\n" + line * (mebibytes * _MIB // len(line))


def _put(name: str, content: Callable[[], bytes], folder: Path) -> Path:
    path = folder / name
    path.write_bytes(content())
    return path


def text(name: str, content: bytes | Callable[[], bytes]) -> Make:
    """Make a file of bytes."""
    return partial(_put, name, content if callable(content) else lambda: content)


def gzipped(content: bytes) -> bytes:
    """Return gzip data."""
    return gzip.compress(content, 9, mtime=0)


def repeated(content: bytes, mebibytes: int = 66) -> bytes:
    """Return gzip data that are this over and over, a thousandth of the size."""
    piece = content * max(1, 4 * _MIB // len(content))
    return gzipped(piece) * (mebibytes * _MIB // len(piece) + 1)


def _gzip_bomb(members: int = 1) -> bytes:
    """Return 66 MiB in one gzip member, or in several."""
    return gzipped(_lines(66 // members + 1)) * members


def _bzip2_bomb() -> bytes:
    """Return 150 MiB in streams of a kilobyte: letters that repeat pack fastest."""
    return bz2.compress(b"gene,S1,S2\n") + bz2.compress(b"A" * (5 * _MIB)) * 30


def _xz_bomb() -> bytes:
    return lzma.compress(_lines(8), preset=0) * 10


def _xz_of_a_large_dictionary() -> bytes:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 29}]
    return lzma.compress(_lines(1), format=lzma.FORMAT_XZ, filters=filters)


def zstd_of_runs(blocks: int, *, window: int = 0x50) -> bytes:
    """Return zstd data of blocks that repeat one letter 128 KiB times (RFC 8878)."""
    run = (131072 << 3 | 1 << 1).to_bytes(3, "little") + b"1"
    end = (0 << 3 | 0 << 1 | 1).to_bytes(3, "little")
    return b"\x28\xb5\x2f\xfd\x00" + bytes([window]) + run * blocks + end


def _tar(*members: tuple[str, bytes], link: str = "") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, kind in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, link
            archive.addfile(info)
    return file.getvalue()


def _wide_header() -> bytes:
    names = ",".join(f"S{i}" for i in range(300_000))
    return f"gene,{names}\nTP53,1,2\n".encode()


def _short_rows(rows: int = 300_000, columns: int = 1000) -> bytes:
    """Return rows that leave out all cells but one."""
    names = ",".join(f"S{i}" for i in range(columns))
    return f"gene,{names}\n".encode() + b"TP53,1\n" * rows


def _pickle() -> bytes:
    return pickle.dumps({"gene": "TP53", "values": list(range(100))}, protocol=4)


def _npy() -> bytes:
    file = io.BytesIO()
    np.save(file, np.arange(12.0))
    return file.getvalue()


def _npz_with_objects() -> bytes:
    file = io.BytesIO()
    np.savez(file, x=np.array([{"a": 1}], dtype=object))
    return file.getvalue()


def _negative_counts(folder: Path) -> Path:
    values = count_values(samples=20)
    values[3, 2] = -7
    names = [f"S{i + 1}" for i in range(20)]
    write_samples(folder / "samples_of_mine.csv", names)
    return write_table(folder / "counts.csv", values, samples=names)


# Workbooks.

_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
    'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
    'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override '
    'PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'spreadsheetml.sheet.main+xml"/></Types>'
)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def _rels(*links: tuple[str, str]) -> str:
    found = "".join(
        f'<Relationship Id="rId{i}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for i, (kind, target) in enumerate(links, 1)
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<?xml version="1.0"?><Relationships xmlns="{space}">{found}</Relationships>'


def workbook(
    rows: str,
    *,
    more: Mapping[str, bytes | str] | None = None,
    sheet: str = "worksheets/sheet1.xml",
    dimension: str = "",
    head: str = '<?xml version="1.0"?>',
    strings: str = "",
) -> bytes:
    """Return a workbook with the XML of its rows as it is given."""
    about = f'<dimension ref="{dimension}"/>' if dimension else ""
    links = [("worksheet", sheet)] + ([("sharedStrings", "sharedStrings.xml")] if strings else [])
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    part = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'
    types = _TYPES.replace("</Types>", part) if strings else _TYPES
    parts: dict[str, bytes | str] = {
        "[Content_Types].xml": types,
        "_rels/.rels": _rels(("officeDocument", "xl/workbook.xml")),
        "xl/_rels/workbook.xml.rels": _rels(*links),
        "xl/workbook.xml": (
            f'<?xml version="1.0"?><workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
            '<sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>'
        ),
        "xl/worksheets/sheet1.xml": (
            f'{head}<worksheet xmlns="{_MAIN}">{about}<sheetData>{rows}</sheetData></worksheet>'
        ),
        **({"xl/sharedStrings.xml": strings} if strings else {}),
        **(more or {}),
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def cells(row: Sequence[object]) -> str:
    """Return the XML of a row."""
    made = (
        f"<c><v>{cell}</v></c>"
        if isinstance(cell, int | float)
        else f'<c t="inlineStr"><is><t>{cell}</t></is></c>'
        for cell in row
    )
    return f"<row>{''.join(made)}</row>"


def table_rows() -> str:
    """Return the XML of a small table of expression."""
    values = log2_values()
    rows = [["gene", *SAMPLES], *([g, *v] for g, v in zip(GENES, values.tolist(), strict=True))]
    return "".join(map(cells, rows))


def _far_cell() -> bytes:
    rows = "".join(f'<row r="{i}"><c r="XFD{i}"><v>1</v></c></row>' for i in range(2, 20_000))
    return workbook(cells(["gene", *SAMPLES]) + rows)


def _billion_laughs() -> bytes:
    entities = "".join(
        f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' if i else '<!ENTITY e0 "lol">' for i in range(10)
    )
    head = f'<?xml version="1.0"?><!DOCTYPE x [{entities}]>'
    return workbook('<row><c t="inlineStr"><is><t>&e9;</t></is></c></row>', head=head)


def _entity_of_a_file() -> bytes:
    head = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
    return workbook('<row><c t="inlineStr"><is><t>&f;</t></is></c></row>', head=head)


def _many_elements() -> bytes:
    return workbook("<row/>" * 1_200_000)


def _shared_text() -> bytes:
    """Return one long text that a hundred thousand cells share."""
    strings = f'<?xml version="1.0"?><sst xmlns="{_MAIN}"><si><t>{"A" * 100_000} </t></si></sst>'
    cell = '<c t="s"><v>0</v></c>'
    return workbook(f"<row>{cell * 10}</row>" * 4_000, strings=strings)


def _members(*infos: tuple[zipfile.ZipInfo, bytes]) -> bytes:
    file = io.BytesIO(workbook(table_rows()))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        for info, content in infos:
            archive.writestr(info, content)
    return file.getvalue()


def _link_member() -> bytes:
    info = zipfile.ZipInfo("xl/link.xml")
    info.external_attr = 0o120777 << 16
    return _members((info, b"/etc/passwd"))


def _encrypted() -> bytes:
    """Return a workbook whose directory calls every member encrypted."""
    data = bytearray(workbook(table_rows()))
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        data[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 1)
    return bytes(data)


def _overlapping() -> bytes:
    """Return an archive of which two hundred members are the same bytes."""
    packed = zlib.compress(b"0" * 100_000)[2:-4]
    check = zlib.crc32(b"0" * 100_000)
    local = struct.pack(
        "<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 0, check, len(packed), 100_000, 1, 0
    )
    local += b"a" + packed
    entries = b"".join(
        struct.pack(
            "<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 8, 0, 0, check, len(packed), 100_000,
            len(name), 0, 0, 0, 0, 0, 0,
        ) + name
        for name in (f"m{i}".encode() for i in range(200))
    )  # fmt: skip
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 200, 200, len(entries), len(local), 0)
    return local + entries + end


def _many_members() -> bytes:
    entry = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, *[0] * 16)
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 65535, 65535, len(entry) * 120_000, 4, 0)
    return b"PK\x03\x04" + entry * 120_000 + end


def _large_member() -> bytes:
    return workbook(table_rows(), more={"xl/media/zeros.bin": bytes(80 * _MIB)})


# Parquet, written by hand: whoever attacks states what no library writes.


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _whole(value: int) -> bytes:
    return _varint(value << 1 ^ value >> 63)


def thrift(fields: Mapping[int, object]) -> bytes:
    """Write a structure of Thrift's compact protocol."""
    out, last = b"", 0
    for number, value in fields.items():
        kind, data = _field(value)
        out += bytes([(number - last) << 4 | kind]) + data
        last = number
    return out + b"\0"


def _field(value: object) -> tuple[int, bytes]:
    if isinstance(value, int):
        return 6, _whole(value)
    if isinstance(value, str | bytes):
        raw = value.encode() if isinstance(value, str) else value
        return 8, _varint(len(raw)) + raw
    if isinstance(value, Mapping):
        return 12, thrift(value)
    assert isinstance(value, list)
    known: dict[int, tuple[int, bytes]] = {}
    kinds = [known.get(id(each)) or known.setdefault(id(each), _field(each)) for each in value]
    kind = kinds[0][0] if kinds else 6
    size = bytes([len(value) << 4 | kind]) if len(value) < 15 else bytes([0xF0 | kind])
    more = b"" if len(value) < 15 else _varint(len(value))
    return 9, size + more + b"".join(data for _, data in kinds)


@dataclass
class Parquet:
    """A Parquet file of one column of numbers, each part of which can lie."""

    rows: int = 10
    page_values: int | None = None
    unpacked: int = 80
    packed: bytes = bytes(80)
    file_path: str = ""
    columns: int = 1
    group_rows: int | None = None
    codec: int = 0
    offset: int | None = None

    def write(self, folder: Path) -> Path:
        """Write it."""
        values = self.rows if self.page_values is None else self.page_values
        page = {1: 0, 2: self.unpacked, 3: len(self.packed), 5: {1: values, 2: 0, 3: 3, 4: 3}}
        header = thrift(page)
        body = header + self.packed
        about = {
            1: 5, 2: [0], 3: ["x"], 4: self.codec, 5: values, 6: self.unpacked,
            7: len(body), 9: 4 if self.offset is None else self.offset,
        }  # fmt: skip
        chunk: dict[int, object] = {1: self.file_path} if self.file_path else {}
        chunk |= {2: 4, 3: about}
        rows = self.rows if self.group_rows is None else self.group_rows
        group = {1: [chunk] * self.columns, 2: len(body), 3: rows}
        leaves = [{1: 5, 3: 0, 4: "x"}] * self.columns
        schema = [{4: "root", 5: self.columns}, *leaves]
        footer = thrift({1: 1, 2: schema, 3: self.rows, 4: [group]})
        path = folder / "values.parquet"
        tail = footer + len(footer).to_bytes(4, "little") + b"PAR1"
        path.write_bytes(b"PAR1" + body + tail)
        return path


def parquet(**lies: Any) -> Make:
    """Make a Parquet file that lies."""
    return lambda folder: Parquet(**lies).write(folder)


def frame(**columns: Any) -> Make:
    """Make a Parquet file as polars writes it."""

    def make(folder: Path) -> Path:
        path = folder / "values.parquet"
        pl.DataFrame({"gene": list(GENES), **columns}).write_parquet(path)
        return path

    return make


def _runs(folder: Path) -> Path:
    path = folder / "values.parquet"
    pl.select(pl.repeat(1.0, 10_000_000).alias("x"), pl.lit("A").alias("gene")).write_parquet(path)
    return path


def _repeated_text(folder: Path) -> Path:
    """Make a column of one long text that every row repeats: the file has it once."""
    path = folder / "values.parquet"
    codes = pl.Series([0] * 30_000, dtype=pl.UInt32)
    text = pl.Series(["A" * 50_000]).cast(pl.Categorical)
    long = text.gather(codes)
    pl.DataFrame({"gene": long, "S1": [1.0] * 30_000}).write_parquet(path)
    return path


def _nested_thrift() -> bytes:
    footer = b"\x1c" * 5000 + b"\0" * 5000
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def _long_list() -> bytes:
    footer = b"\x15\x02" + b"\x19" + b"\xfc" + _varint(1 << 31) + b"\0" * 20
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


# HDF5.


def anndata_file(folder: Path, **fields: Any) -> Path:
    """Write an honest AnnData file of six samples."""
    path = folder / "values.h5ad"
    if not fields:
        path.write_bytes(_plain_anndata())
    else:
        _write_anndata(path, **fields)
    return path


@cache
def _plain_anndata() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "values.h5ad"
        _write_anndata(path)
        return path.read_bytes()


def _write_anndata(path: Path, **fields: Any) -> None:
    import anndata
    import pandas as pd

    obs = pd.DataFrame(
        {"group": pd.Categorical(["case", "control"] * 3), "age": np.arange(40.0, 46)},
        index=list(SAMPLES),
    )
    values = fields.pop("values", log2_values().T)
    # anndata 0.13 changes the layers that it is given.
    given = {name: copy(each) for name, each in fields.items()}
    data = anndata.AnnData(values, obs=obs, var=pd.DataFrame(index=list(GENES)), **given)
    data.write_h5ad(path)


def h5ad(change: Callable[[Any, Path], object], **fields: Any) -> Make:
    """Make an AnnData file and change it as its author could."""

    def make(folder: Path) -> Path:
        import h5py

        path = anndata_file(folder, **fields)
        with h5py.File(path, "r+") as file:
            change(file, folder)
        return path

    return make


def _replaced(file: Any, name: str, **how: Any) -> Any:
    """Replace a dataset, with the same attributes."""
    attributes = dict(file[name].attrs)
    del file[name]
    made = file.create_dataset(name, **how)
    made.attrs.update(attributes)
    return made


def _secret_file(folder: Path) -> Path:
    """Write a file of the machine that no table has to show."""
    path = folder / "secret.bin"
    path.write_bytes(np.full((6, 16), SECRET).tobytes())
    return path


def _external_storage(file: Any, folder: Path) -> None:
    where = [(str(_secret_file(folder)), 0, 6 * 16 * 8)]
    _replaced(file, "X", shape=(6, 16), dtype="f8", external=where)


def _other_file(folder: Path) -> Path:
    import h5py

    path = folder / "other.h5"
    with h5py.File(path, "w") as other:
        other["X"] = np.full((6, 16), SECRET)
    return path


def _external_link(file: Any, folder: Path) -> None:
    import h5py

    del file["X"]
    file["X"] = h5py.ExternalLink(str(_other_file(folder)), "/X")


def _external_link_in_obs(file: Any, folder: Path) -> None:
    import h5py

    del file["obs/age"]
    file["obs/age"] = h5py.ExternalLink(str(_other_file(folder)), "/X")


def _virtual(file: Any, folder: Path) -> None:
    import h5py

    layout = h5py.VirtualLayout(shape=(6, 16), dtype="f8")
    layout[:] = h5py.VirtualSource(str(_other_file(folder)), "X", shape=(6, 16))
    attributes = dict(file["X"].attrs)
    del file["X"]
    file.create_virtual_dataset("X", layout).attrs.update(attributes)


def _soft_link(file: Any, _: Path) -> None:
    import h5py

    file["layers/counts"] = h5py.SoftLink("/X")


def _cycle(file: Any, _: Path) -> None:
    file["uns/again"] = file["uns"]


def _twice(file: Any, _: Path) -> None:
    for i in range(50):
        file[f"obs/age{i}"] = file["obs/age"]


def _references(file: Any, _: Path) -> None:
    import h5py

    file.create_dataset("uns/r", data=[file["X"].ref] * 3, dtype=h5py.ref_dtype)


def _opaque(file: Any, _: Path) -> None:
    file.create_dataset("uns/o", data=np.zeros(3, dtype="V16"))


def _objects(file: Any, _: Path) -> None:
    import h5py

    file.create_dataset("uns/v", shape=(3,), dtype=h5py.vlen_dtype(np.dtype("i4")))


def _structure_with_references(file: Any, _: Path) -> None:
    import h5py

    kind = np.dtype([("name", "S4"), ("to", h5py.ref_dtype)])
    file.create_dataset("uns/c", shape=(3,), dtype=kind)


def _unknown_filter(file: Any, _: Path) -> None:
    """Name a filter of blosc, which would be loaded from a plug-in."""
    import h5py

    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_chunk((6, 16))
    plan.set_filter(h5py.h5z.FILTER_DEFLATE, h5py.h5z.FLAG_OPTIONAL, (4,))
    space = h5py.h5s.create_simple((6, 16))
    made = h5py.h5d.create(file.id, b"uns/f", h5py.h5t.IEEE_F64LE, space, dcpl=plan)
    h5py.Dataset(made)[...] = 1.0


def _rename_filter(make: Make) -> Make:
    """Change the number of the filter in the file: no library writes one that it does not know."""

    def made(folder: Path) -> Path:
        path = make(folder)
        data = bytearray(path.read_bytes())
        at = data.find(b"deflate\0")
        # Number, length of the name, flags, number of values: two bytes each, before the name.
        data[at - 8 : at - 6] = (32001).to_bytes(2, "little")
        path.write_bytes(data)
        return path

    return made


def _scale_offset(file: Any, _: Path) -> None:
    _replaced(file, "X", data=np.ones((6, 16), dtype="i4"), chunks=(6, 16), scaleoffset=0)


def _fill_value(file: Any, _: Path) -> None:
    _replaced(
        file, "X", shape=(1_000_000, 1_250_000), dtype="f8", chunks=(100, 100), fillvalue=SECRET
    )


def _large_chunk(file: Any, _: Path) -> None:
    _replaced(
        file, "X", shape=(6, 16), maxshape=(None, None), dtype="f8", chunks=(8000, 8000),
        compression="gzip",
    )  # fmt: skip


def _deflate_bomb(file: Any, _: Path) -> None:
    """Put a piece in its place that unpacks to far more than it states."""
    made = _replaced(file, "X", shape=(6, 16), dtype="f8", chunks=(6, 16), compression="gzip")
    packer = zlib.compressobj(9)
    first, other = (
        packer.compress(bytes(16 * _MIB)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2)
    )
    piece = first + other * 40
    made.id.write_direct_chunk((0, 0), piece)


def _shared_names(file: Any, _: Path) -> None:
    """Let every cell of a column be the same long text, of which the file has one copy."""
    import h5py

    count = 20_000
    del file["obs/age"]
    kind = h5py.string_dtype()
    made = file.create_dataset("obs/age", shape=(count,), dtype=kind, chunks=(count,))
    made.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})
    made[0] = "A" * 60_000
    entry = made.id.read_direct_chunk((0,))[1][:16]
    made.id.write_direct_chunk((0,), entry * count)


def _complex(file: Any, _: Path) -> None:
    _replaced(file, "X", data=log2_values().T + 1j)


def _complex_column(file: Any, _: Path) -> None:
    _replaced(file, "obs/age", data=np.arange(6) + 1j)


def _text_values(file: Any, _: Path) -> None:
    _replaced(file, "X", data=np.full((6, 16), b"high"))


def _index_out_of_bounds(file: Any, _: Path) -> None:
    indices = file["X/indices"][...]
    indices[0] = 1 << 30
    file["X/indices"][...] = indices


def _other_shape(file: Any, _: Path) -> None:
    _replaced(file, "X", data=np.ones((5, 16)))


def _deep_groups(file: Any, _: Path) -> None:
    file.create_group("uns/" + "/".join("a" * 150))


def _negative_layer(file: Any, _: Path) -> None:
    counts = file["layers/counts"][...]
    counts[1, 2] = -3
    file["layers/counts"][...] = counts


def _many_samples(file: Any, _: Path) -> None:
    _replaced(file, "obs/_index", data=np.array([b"s"] * 300_000), compression="gzip")
    _replaced(file, "var/_index", data=np.array([b"g"] * 60_000), compression="gzip")


def _sparse() -> Any:
    from scipy import sparse

    return sparse.csr_matrix(count_values().T)


def _record_of_ours(record: str) -> Callable[[Any, Path], None]:
    def change(file: Any, _: Path) -> None:
        group = file.create_group("uns/genotex")
        group.attrs.update({"encoding-type": "dict", "encoding-version": "0.1.0"})
        made = group.create_dataset("record", data=record)
        made.attrs.update({"encoding-type": "string", "encoding-version": "0.2.0"})

    return change


# Documents and the formats of GEO.


def nested(depth: int, opening: str = "[", closing: str = "]") -> bytes:
    """Return JSON of lists in lists."""
    return (opening * depth + closing * depth).encode()


def _long_document() -> bytes:
    return b'{"a": "' + b"A" * (65 * _MIB) + b'"}'


def _many_lists() -> bytes:
    return b"[" + b"[]," * 6_000_000 + b"[]]"


def _series_lines(*lines: str, samples: int = 6) -> str:
    ids = "\t".join(f'"GSM{i}"' for i in range(samples))
    head = ['!Series_title\t"a"', '!Series_geo_accession\t"GSE1"', f"!Sample_geo_accession\t{ids}"]
    return "\n".join([*head, *lines]) + "\n"


def _series_of_short_rows() -> bytes:
    ids = "\t".join(f'"GSM{i}"' for i in range(2000))
    head = _series_lines("!series_matrix_table_begin", f'"ID_REF"\t{ids}', samples=2000)
    return gzipped((head + "p\t1\n" * 1_000_000).encode())


def _series_bomb() -> bytes:
    ids = "\t".join(f'"GSM{i}"' for i in range(6))
    head = _series_lines("!series_matrix_table_begin", f'"ID_REF"\t{ids}')
    return gzipped(head.encode()) + repeated(b" " * 5000 + b"\n")


def _header_bomb() -> bytes:
    return gzipped(_series_lines().encode()) + repeated(b"!Sample_a" + b"\t" * 5000 + b"\n")


def _counts_bomb() -> bytes:
    return gzipped(b"GeneID\tGSM1\tGSM2\n") + repeated(b" " * 5000 + b"\n")


def _platform_bomb() -> bytes:
    return gzipped(b"ID\tGene Symbol\n") + repeated(b" " * 5000 + b"\n")


def _sets_bomb() -> bytes:
    return repeated(b"SET\tabout\tTP53\tEGFR\n")


def _series_of_short_lines() -> bytes:
    lines = [f"!Sample_characteristics_ch1\ta{i}" for i in range(9000)]
    return gzipped(_series_lines(*lines, samples=2000).encode())


def _family_of_other_ids() -> bytes:
    """Return samples each of which has ids of its own: the joined table is their square."""
    parts = ["^SERIES = GSE1\n!Series_title = a\n"]
    for i in range(600):
        rows = "".join(f"p{i}_{j}\t1\n" for j in range(40))
        parts.append(
            f"^SAMPLE = GSM{i}\n!Sample_platform_id = GPL1\n!sample_table_begin\nID_REF\tVALUE\n"
            f"{rows}!sample_table_end\n"
        )
    return gzipped("".join(parts).encode())


def _family_of_other_fields() -> bytes:
    parts = ["^SERIES = GSE1\n!Series_title = a\n"]
    parts += [
        f"^SAMPLE = GSM{i}\n!Sample_platform_id = GPL1\n!Sample_f{i} = 1\n" for i in range(6000)
    ]
    return gzipped("".join(parts).encode())


def _platform_of_short_rows() -> bytes:
    names = "\t".join(f"c{i}" for i in range(5000))
    return f"ID\t{names}\n".encode() + b"a\tb\n" * 500_000


def _atlas(*names: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        seal = {"bytes": 1, "sha256": "0" * 64}
        path = folder / "manifest.json"
        content = {
            "format": "genotex atlas", "version": 1, "generation": 1,
            "blocks": 64, "files": {name: seal for name in names}, "sources": {},
        }  # fmt: skip
        path.write_text(json.dumps(content))
        return path

    return make


def _atlas_of_runs(folder: Path) -> Path:
    _runs(folder).rename(folder / "results-000001.parquet")
    return _atlas("results-000001.parquet")(folder)


def _sheet_bomb() -> bytes:
    return workbook(cells(["sample", "group"]) + cells(["GSM1", "A" * 20_000]) * 6000)


def _objects_npy(folder: Path) -> Path:
    path = folder / "ranks.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    return path


def _short_npy(folder: Path) -> Path:
    path = folder / "ranks.npy"
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }"
    header = header.ljust(117) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    return path


def _record_of_tables(expression: str) -> bytes:
    record = {"name": "mine", "expression": expression, "samples": None, "platform": None}
    return json.dumps(record).encode()


def _long_line() -> bytes:
    return gzipped(b"!Series_title\t") + repeated(b"A")


# Honest files, some of them strange: these are read.


def _cut_rows(folder: Path) -> Path:
    """Write rows whose last empty cells are left out, as some programs do."""
    path = write_table(folder / "t.tsv", log2_values(), sign="\t")
    lines = path.read_text().splitlines()
    lines[3] = "\t".join(lines[3].split("\t")[:3])
    path.write_text("\n".join(lines) + "\n")
    return path


def _packed_by(pack: Callable[[bytes], bytes], name: str) -> Make:
    """Make a table in two packed streams, one after the other."""

    def make(folder: Path) -> Path:
        data = write_table(folder / "plain.csv", log2_values()).read_bytes()
        path = folder / name
        path.write_bytes(pack(data[:100]) + pack(data[100:]))
        return path

    return make


def _wrong_range() -> bytes:
    """Return a workbook that states the range of a whole sheet, with a hyperlink and a picture."""
    link = '<Relationship Id="r1" Type="hyperlink" Target="https://a.org" TargetMode="External"/>'
    more: dict[str, bytes | str] = {
        "xl/media/image1.png": b"\x89PNG\r\n\x1a\n" + bytes(1000),
        "xl/worksheets/_rels/sheet1.xml.rels": _rels().replace("</Rel", f"{link}</Rel"),
    }
    return workbook(table_rows(), dimension="A1:XFD1048576", more=more)


def _of_scanpy(folder: Path) -> Path:
    """Write what scanpy leaves in a file: structures of texts, graphs, sparse values, raw."""
    from scipy import sparse

    names = np.array([("TP53", "EGFR")], dtype=[("a", "O"), ("b", "O")])
    uns = {"rank_genes_groups": {"names": names, "params": {"method": "t-test"}}, "log1p": {}}
    graph = sparse.csr_matrix(np.eye(6))
    return anndata_file(folder, values=_sparse(), uns=uns, obsp={"connectivities": graph})


def _legacy_categories(file: Any, _: Path) -> None:
    """Store a column as AnnData before 0.8 did: categories elsewhere, found by a reference."""
    import h5py

    codes, levels = file["obs/group/codes"][...], file["obs/group/categories"][...]
    del file["obs/group"]
    kept = file["obs"].create_group("__categories")
    text = h5py.string_dtype()
    categories = kept.create_dataset("group", data=levels, dtype=text)
    categories.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})
    made = file["obs"].create_dataset("group", data=codes)
    made.attrs["categories"] = categories.ref


def _compressed_h5ad(folder: Path) -> Path:
    import anndata

    path = anndata_file(folder)
    anndata.read_h5ad(path).write_h5ad(path, compression="gzip")
    return path


HONEST: Mapping[str, Make] = {
    "text whose rows end early": _cut_rows,
    "gzip of two members": _packed_by(gzipped, "t.csv.gz"),
    "bzip2 of two streams": _packed_by(bz2.compress, "t.csv.bz2"),
    "xz of two streams": _packed_by(lzma.compress, "t.csv.xz"),
    "workbook with a wrong range": text("t.xlsx", _wrong_range),
    "parquet of constant columns": frame(
        **{f"S{i}": [1.0 + i, *log2_values()[1:, 0]] for i in range(1, 7)}
    ),
    "h5ad of scanpy": _of_scanpy,
    "h5ad of AnnData 0.7": h5ad(_legacy_categories),
    "h5ad, packed": _compressed_h5ad,
}


# Attempts.

_TABLES: Mapping[str, tuple[Make, str]] = {
    "gzip bomb": (text("t.csv.gz", _gzip_bomb), r"limit 'ratio'.* is 400"),
    "gzip bomb of many members": (
        text("t.csv.gz", partial(_gzip_bomb, 40)), r"times its .*limit 'ratio'",
    ),
    "bzip2 bomb": (text("t.csv.bz2", _bzip2_bomb), "limit 'ratio'"),
    "xz bomb": (text("t.csv.xz", _xz_bomb), "limit 'ratio'"),
    "xz of a large dictionary": (text("t.csv.xz", _xz_of_a_large_dictionary), "limit 'memory'"),
    "zstd bomb": (text("t.csv.zst", lambda: zstd_of_runs(1000)), "limit 'ratio'"),
    "zstd of a large window": (
        text("t.csv.zst", lambda: zstd_of_runs(2, window=0xC0)), "window is larger than 128 MiB",
    ),
    "gzip in gzip": (
        text("t.csv.gz", lambda: gzipped(_gzip_bomb())), "gzip data inside gzip",
    ),
    "300,000 columns": (text("t.csv", _wide_header), "300,001 columns; the limit 'columns'"),
    "rows cut short": (text("t.csv", _short_rows), "limit 'padding'"),
    "packed rows cut short": (
        text("t.csv.gz", lambda: gzipped(_short_rows())), "limit 'padding'",
    ),
    "tar": (text("t.csv", lambda: _tar(("a.csv", tarfile.REGTYPE))), "a tar archive"),
    "tar that leads out": (
        text("t.csv", lambda: _tar(("../../a.csv", tarfile.REGTYPE))), "a tar archive",
    ),
    "tar of an absolute path": (
        text("t.csv", lambda: _tar(("/etc/cron.d/a", tarfile.REGTYPE))), "a tar archive",
    ),
    "tar with a link": (
        text("t.csv", lambda: _tar(("a.csv", tarfile.SYMTYPE), link="/etc/passwd")),
        "a tar archive",
    ),
    "tar with a device": (
        text("t.csv", lambda: _tar(("a.csv", tarfile.CHRTYPE))), "a tar archive",
    ),
    "packed tar": (
        text("t.csv.gz", lambda: gzipped(_tar(("a.csv", tarfile.REGTYPE)))),
        "a tar archive",
    ),
    "pickle": (text("t.csv", _pickle), "a pickle of Python, which is never loaded"),
    "NumPy array": (text("t.csv", _npy), "a NumPy array"),
    "NumPy objects": (text("t.csv", _npz_with_objects), "a zip archive"),
    "negative counts": (_negative_counts, "counts cannot be negative, but CDKN2A in S3 is -7"),
    "workbook of 80 MiB of zeros": (text("t.xlsx", _large_member), "limit 'ratio'"),
    "workbook of far cells": (text("t.xlsx", _far_cell), "limit 'padding'"),
    "workbook of a far row": (
        text("t.xlsx", lambda: workbook('<row r="99999999999"><c><v>1</v></c></row>')),
        "beyond the end of any sheet",
    ),
    "workbook of a far column": (
        text("t.xlsx", lambda: workbook('<row><c r="ZZZ1"><v>1</v></c></row>')),
        "beyond the end of any sheet",
    ),
    "workbook of empty rows": (text("t.xlsx", _many_elements), "limit '(ratio|values|padding)'"),
    "workbook with a shared text": (text("t.xlsx", _shared_text), "limit 'ratio'"),
    "workbook with entities": (text("t.xlsx", _billion_laughs), "document type or entities"),
    "workbook with an entity of a file": (
        text("t.xlsx", _entity_of_a_file), "document type or entities",
    ),
    "workbook linked to another": (
        text(
            "t.xlsx",
            lambda: workbook(
                table_rows(), more={"xl/externalLinks/externalLink1.xml": "<externalLink/>"}
            ),
        ),
        "linked to other workbooks, which are never opened",
    ),
    "workbook with a member that leads out": (
        text("t.xlsx", lambda: workbook(table_rows(), more={"../../a.xml": "<a/>"})),
        "leads out of the archive",
    ),
    "workbook with an absolute member": (
        text("t.xlsx", lambda: workbook(table_rows(), more={"/etc/a.xml": "<a/>"})),
        "absolute path or a backslash",
    ),
    "workbook with a backslash": (
        text("t.xlsx", lambda: workbook(table_rows(), more={"xl\\a.xml": "<a/>"})),
        "absolute path or a backslash",
    ),
    "workbook with a link": (text("t.xlsx", _link_member), "is a link or a device"),
    "workbook, encrypted": (text("t.xlsx", _encrypted), "is encrypted"),
    "workbook that overlaps itself": (text("t.xlsx", _overlapping), "overlap"),
    "workbook of 120,000 members": (text("t.xlsx", _many_members), "120,000 members; the limit"),
    "workbook whose sheet is elsewhere": (
        text("t.xlsx", lambda: workbook(table_rows(), sheet="../../../etc/passwd")),
        "has no sheet with cells",
    ),
    "workbook of deep XML": (
        text("t.xlsx", lambda: workbook("<row>" + "<c>" * 5000 + "</c>" * 5000 + "</row>")),
        "limit 'depth'",
    ),
    "parquet of runs": (_runs, "limit 'ratio'"),
    "parquet of 10 billion rows": (parquet(rows=10**10), "limit 'cells'"),
    "parquet of 300,000 columns": (parquet(columns=300_000), "limit 'columns'"),
    "parquet of a repeated text": (_repeated_text, "limit 'ratio'"),
    "parquet page of 2 GiB": (parquet(unpacked=(1 << 31) - 1, codec=6), "limit 'ratio'"),
    "parquet page of more values than rows": (
        parquet(page_values=10**9), "another number of values",
    ),
    "parquet of fewer rows in groups": (parquet(group_rows=3), "number of (rows|values)"),
    "parquet of negative rows": (parquet(rows=-5, group_rows=-5), "damaged"),
    "parquet column in another file": (
        parquet(file_path="/etc/passwd"), "keeps a column in another file",
    ),
    "parquet column outside the file": (parquet(offset=1 << 40), "outside the file"),
    "parquet of lists": (frame(S1=[[1.0, 2.0]] * 16), "column 'S1' holds lists"),
    "parquet of structures": (frame(S1=[{"a": 1.0}] * 16), "column 'S1' holds structures"),
    "parquet of bytes": (frame(S1=[b"1"] * 16, S2=[1.0] * 16), r"'S1' holds bytes \(Binary\)"),
    "parquet of nested metadata": (text("t.parquet", _nested_thrift), "nested too deep"),
    "parquet of an endless list": (text("t.parquet", _long_list), "longer than the file"),
    "h5ad with external storage": (h5ad(_external_storage), "'X' keeps its values in another file"),
    "h5ad with an external link": (h5ad(_external_link), "'X' is an external link"),
    "h5ad with an external link in obs": (
        h5ad(_external_link_in_obs), "'obs/age' is an external link",
    ),
    "h5ad with a virtual dataset": (h5ad(_virtual), "'X' is a virtual dataset"),
    "h5ad with a soft link": (h5ad(_soft_link), "'layers/counts' is a soft link"),
    "h5ad in a cycle": (h5ad(_cycle), "second link"),
    "h5ad with one column fifty times": (h5ad(_twice), "second link"),
    "h5ad with references": (h5ad(_references), "references, which are never followed"),
    "h5ad with opaque bytes": (h5ad(_opaque), "opaque type"),
    "h5ad with objects": (h5ad(_objects), "'uns/v' holds objects"),
    "h5ad with references in structures": (
        h5ad(_structure_with_references), "structures with references",
    ),
    "h5ad with an unknown filter": (
        _rename_filter(h5ad(_unknown_filter)), "packed with filter 32001",
    ),
    "h5ad with a filter that states sizes": (h5ad(_scale_offset), "packed with filter 6"),
    "h5ad of 10 TB of nothing": (h5ad(_fill_value), "limit 'unpacked'.* is 8 GiB"),
    "h5ad with a large piece": (h5ad(_large_chunk), "pieces of 488.3 MiB"),
    "h5ad with a piece that is a bomb": (
        h5ad(_deflate_bomb), "unpacks to more than it states",
    ),
    "h5ad with a shared text": (h5ad(_shared_names), "limit 'ratio'"),
    "h5ad of complex numbers": (h5ad(_complex), r"complex numbers in X \(type complex128\)"),
    "h5ad with a complex column": (
        h5ad(_complex_column), r"column 'age' holds complex numbers \(complex128\)",
    ),
    "h5ad of text": (h5ad(_text_values), "holds no numbers in X"),
    "h5ad with an index out of bounds": (
        h5ad(_index_out_of_bounds, values=_sparse()), "index|indices",
    ),
    "h5ad of another shape": (h5ad(_other_shape), r"X has the shape \(5, 16\)"),
    "h5ad of deep groups": (h5ad(_deep_groups), "limit 'depth'"),
    "h5ad with negative counts": (
        h5ad(_negative_layer, layers={"counts": count_values().T}),
        "negative counts: CDK4 in S2 of layer 'counts' is -3",
    ),
    "h5ad of single cells": (h5ad(_many_samples), r"pseudobulk.*limit 'samples_x_genes'"),
    "h5ad with a record of lists": (
        h5ad(_record_of_ours('{"counts": [1]}')), "counts: must be an object",
    ),
    "h5ad with a deep record": (
        h5ad(_record_of_ours("[" * 500 + "]" * 500)), "limit 'depth'",
    ),
}  # fmt: skip

_IN_PYTHON = {
    "gzip bomb": "gx.de",
    "zstd bomb": "gx.read_tables",
    "bzip2 bomb": "gx.read_tables",
    "rows cut short": "gx.read_tables",
    "workbook with entities": "gx.read_tables",
    "workbook of far cells": "gx.de",
    "parquet of runs": "gx.de",
    "parquet of a repeated text": "gx.read_tables",
    "parquet of bytes": "gx.read_tables",
    "h5ad with external storage": "gx.de",
    "h5ad with an external link": "gx.read_tables",
    "h5ad with a virtual dataset": "gx.read_tables",
    "h5ad with references": "gx.de",
    "h5ad of 10 TB of nothing": "gx.de",
    "h5ad with a piece that is a bomb": "gx.read_tables",
    "h5ad of complex numbers": "gx.de",
    "h5ad with negative counts": "gx.read_tables",
    "h5ad with a record of lists": "gx.de",
    "h5ad with a deep record": "gx.de",
}
"""Attempts that are made in Python too; the last two are read there alone."""

_UPLOADED = {
    "gzip bomb": "limit 'ratio'",
    "bzip2 bomb": "limit 'ratio'",
    "xz bomb": "limit 'ratio'",
    "zstd bomb": "limit 'ratio'",
    "300,000 columns": "limit 'columns'.*put the file in the folder yourself",
    "tar with a link": "a tar archive",
    "pickle": "a pickle",
    "workbook of 80 MiB of zeros": "limit 'ratio'.*put the file in the folder yourself",
    "workbook with an entity of a file": "document type or entities",
    "workbook with a member that leads out": "leads out of the archive",
    "workbook with a link": "is a link or a device",
    "parquet of runs": "limit 'ratio'",
    "parquet column in another file": "in another file",
    "h5ad with external storage": "in another file",
    "h5ad with an external link in obs": "external link",
    "h5ad with a virtual dataset": "virtual dataset",
    "h5ad of 10 TB of nothing": "limit 'unpacked'.* is 2 GiB",
    "h5ad with a shared text": "limit 'ratio'",
    "negative counts": "counts cannot be negative",
}

_ONLY_IN_PYTHON = ("h5ad with a record of lists", "h5ad with a deep record")

_OTHERS: Sequence[tuple[str, str, Make, str]] = (
    ("gzip bomb", "fetch", text("a.gz", _gzip_bomb), "limit 'ratio'.*nothing of it was kept"),
    ("deep JSON", "fetch", text("a.json", nested(5000)), "limit 'depth'"),
    ("long JSON", "fetch", text("a.json", _long_document), "limit 'document'"),
    ("gzip bomb", "series matrix", text("m.txt.gz", _series_bomb), "limit 'ratio'"),
    ("rows cut short", "series matrix", text("m.txt.gz", _series_of_short_rows), "'padding'"),
    ("lines cut short", "series matrix", text("m.txt.gz", _series_of_short_lines), "'padding'"),
    ("a line of 80 MiB", "series matrix", text("m.txt.gz", _long_line), "limit '(line|ratio)'"),
    ("ids of their own", "family SOFT", text("f.soft.gz", _family_of_other_ids), "'padding'"),
    ("fields of their own", "family SOFT", text("f.soft.gz", _family_of_other_fields), "'padding'"),
    ("rows cut short", "platform file", text("GPL1.txt", _platform_of_short_rows), "'padding'"),
    ("gzip bomb", "platform file", text("GPL1.txt.gz", _platform_bomb), "limit 'ratio'"),
    ("gzip bomb", "NCBI counts", text("c.tsv.gz", _counts_bomb), "limit 'ratio'"),
    ("300,000 columns", "clinical matrix", text(
        "c.tsv", lambda: b"sampleID\t" + b"\t".join([b"x"] * 300_000) + b"\n"
    ), "limit 'columns'"),
    ("300,000 columns", "linked table", text("l.csv", _wide_header), "limit 'columns'"),
    ("gzip bomb", "gene sets", text("a.gmt.gz", _sets_bomb), "limit '(ratio|gene_sets)'"),
    ("gzip bomb", "upload of gene sets", text("a.gmt.gz", _sets_bomb),
     "limit '(ratio|gene_sets)'.*put the file in the folder yourself"),
    ("gzip bomb", "upload of a series", text("GSE1_series_matrix.txt.gz", _series_bomb), "'ratio'"),
    ("tar", "upload of a series", text(
        "GSE1_series_matrix.txt", lambda: _tar(("../a", tarfile.REGTYPE))
    ), "a tar archive"),
    ("cells without end", "assistant", text("GSE1_series_matrix.txt.gz", _header_bomb), "'values'"),
    ("deep JSON", "assistant, results", text("r.json", nested(5000)), "limit 'depth'"),
    ("long JSON", "assistant, results", text("r.json", _long_document), "limit 'document'"),
    ("parquet of runs", "audit", _runs, "cannot be read as Parquet: has .*limit 'ratio'"),
    ("parquet page of 2 GiB", "audit", parquet(unpacked=(1 << 31) - 1, codec=6), "limit 'ratio'"),
    ("parquet of too many rows", "audit", frame(S1=[1.0] * 16, S2=[b"x" * 9] * 16),
     "GSE1.parquet|damaged"),
    ("long JSON", "answer of a method", text("r.json", _long_document), "limit 'document'"),
    ("deep JSON", "answer of a method", text("r.json", nested(5000)), "limit 'depth'"),
    ("a path that leads out", "atlas", _atlas("results-1.parquet", "../../etc/passwd"),
     "is no file of an atlas"),
    ("an absolute path", "atlas", _atlas("/etc/passwd"), "is no file of an atlas"),
    ("parquet of runs", "atlas", _atlas_of_runs, "limit 'ratio'"),
    ("objects", "matrix of an atlas", _objects_npy, "not a NumPy array|no numbers"),
    ("more than the file has", "matrix of an atlas", _short_npy, "not a NumPy array"),
    ("a path that leads out", "record in the workbench", text(
        "tables.json", _record_of_tables("../../../secret.csv")
    ), "holds no file"),
    ("an absolute path", "record in the workbench", text(
        "tables.json", _record_of_tables("/etc/passwd")
    ), "holds no file"),
    ("deep JSON", "cohort records", text("cohort_info.json", nested(5000)), "limit 'depth'"),
    ("long JSON", "cohort records", text("cohort_info.json", _long_document), "limit 'document'"),
    ("packed JSON bomb", "cohort records", text(
        "cohort_info.json", lambda: gzipped(_long_document())
    ), "limit '(document|ratio)'"),
    ("6 million lists", "cohort records", text("cohort_info.json", _many_lists), "limit 'values'"),
    ("gzip bomb", "gene table", text("gene_info.gz", _gzip_bomb), "limit 'ratio'"),
    ("deep JSON", "gene table", text("s.json", b'{"a":' + nested(5000) + b"}"), "limit 'depth'"),
    ("workbook bomb", "sample sheet", text("s.xlsx", _sheet_bomb), "limit '(sheet|unpacked|ratio)"),
    ("workbook with entities", "sample sheet", text("s.xlsx", _billion_laughs), "entities"),
    ("workbook of a far row", "sample sheet", text(
        "s.xlsx", lambda: workbook('<row r="9999999"><c><v>1</v></c></row>')
    ), "beyond the end"),
    ("sheet of 70 MiB", "sample sheet", text("s.csv", lambda: _lines(70)), "limit 'sheet'"),
    ("sheet of commas", "sample sheet", text("s.csv", lambda: b"," * (51 << 20)), "'workbook'"),
    ("deep JSON", "encoding file", text("e.json", nested(5000)), "limit 'depth'"),
    ("long JSON", "encoding file", text("e.json", _long_document), "limit 'document'"),
    ("deep TOML", "vocabulary file", text("v.toml", b"a = " + nested(800)), "'depth'|recursion"),
    ("deep keys", "vocabulary file", text("v.toml", b"a." * 400 + b"b = 1"), "limit 'depth'"),
    ("long TOML", "vocabulary file", text("v.toml", lambda: b"#" * (65 * _MIB)), "'document'"),
    ("deep TOML", "trait list", text("t.toml", b"a = " + nested(800)), "'depth'|recursion"),
    ("gzip bomb", "trait list", text("t.toml", _gzip_bomb), "limit '(document|ratio)'"),
    ("deep JSON", "task list", text("t.json", nested(5000)), "limit 'depth'"),
    ("long JSON", "task list", text("t.json", _long_document), "limit 'document'"),
    ("deep JSON", "problem list", text("p.json", nested(5000)), "limit 'depth'"),
    ("gzip bomb", "problem list", text("p.json", _gzip_bomb), "limit '(document|ratio)'"),
    ("deep JSON", "leaderboard entry", text("s.json", b'{"a":' + nested(5000) + b"}"), "'depth'"),
    ("long JSON", "leaderboard entry", text("s.json", _long_document), "limit 'document'"),
    ("deep JSON", "labelled cases", text("l.jsonl", b'{"a":' + nested(5000) + b"}\n"), "'depth'"),
    ("gzip bomb", "labelled cases", text(
        "l.jsonl.gz", lambda: repeated(b" " * 5000 + b"\n")
    ), "limit 'ratio'|lacks|missing"),
    ("deep JSON", "recording", text("r.jsonl", b'{"a":' + nested(5000) + b"}\n"), "limit 'depth'"),
    ("deep JSON", "journal", text("j.jsonl", b'{"entry":' + nested(5000) + b"}\n{}\n"), "'depth'"),
    ("deep TOML", "model settings", text("m.toml", b"a = " + nested(800)), "'depth'|recursion"),
    ("long text", "gene names", text("g.txt", lambda: b"TP53\n" * (14 * _MIB)), "'document'"),
)  # fmt: skip


def _attempts() -> list[Attempt]:
    found = []
    for name, (make, said) in _TABLES.items():
        if name not in _ONLY_IN_PYTHON:
            found.append(Attempt(f"genotex de: {name}", "genotex de", make, said))
        if name in _IN_PYTHON:
            found.append(Attempt(f"{_IN_PYTHON[name]}: {name}", _IN_PYTHON[name], make, said))
        if name in _UPLOADED:
            found.append(Attempt(f"upload: {name}", "upload", make, _UPLOADED[name]))
    found += [Attempt(f"{door}: {name}", door, make, said) for name, door, make, said in _OTHERS]
    return found


ATTEMPTS: Mapping[str, Attempt] = {each.id: each for each in _attempts()}
