"""Where the expression of a series can come from: its files by kind, contents and preference."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from genotex.outside import StoredFile

_PACKED = r"(\.(gz|bz2|xz|zst))?$"
_GSM = re.compile(r"(?<![A-Za-z0-9])GSM\d+", re.IGNORECASE)
_RAW_SCANS = (
    "the raw scans are not read here: take the series' table of values; or in R, {} writes one for "
    "'genotex de'"
)

_MAP = "tx2gene|t2g|transcripts?_?(to|2)_?gene"
KINDS = (
    ("10x matrix", r"(matrix\.mtx|barcodes\.tsv|(genes|features)\.tsv)" + _PACKED, ""),
    ("10x matrix", r"(feature|gene)_bc_matri(x|ces).*\.(tar\.gz|tgz)$", ""),
    ("h5ad", r"\.h5ad" + _PACKED, ""),
    ("other", r"(molecule_info|abundance|raw_probe_bc_matrix)\.h5" + _PACKED, "is not read"),
    ("10x h5", r"\.h5" + _PACKED, ""),
    ("R object", r"\.(rds|rda|rdata|robj)" + _PACKED, ""),
    ("CEL", r"\.cel" + _PACKED, ""),
    (
        "chip layout",
        r"\.(cdf|pgf|clf|mps)" + _PACKED,
        "describes a chip; it is read with CEL files",
    ),
    ("idat", r"\.idat" + _PACKED, _RAW_SCANS.format("read.idat of limma, or minfi (methylation)")),
    ("two-colour scans", r"\.gpr" + _PACKED, ""),
    ("scans", r"\.(pair|xys|exp|tif|jpg)" + _PACKED, _RAW_SCANS.format("limma or oligo")),
    (
        "reads",
        r"\.(bam|sra|cram|fastq|fq)" + _PACKED,
        "holds reads: quantify them with salmon, or STAR and featureCounts",
    ),
    (
        "peaks",
        r"(\.(bed|(narrow|broad)peak|bw|bigwig|wig|bedgraph|bdg|bb)|[._-]peaks?[._].*)" + _PACKED,
        "holds peaks or coverage along the genome, not genes",
    ),
    ("variants", r"\.(vcf|maf|seg)" + _PACKED, "holds variants, not expression"),
    ("tar", r"\.tar$", ""),
    ("archive", r"\.(tar\.(gz|bz2|xz)|tgz|zip|7z|rar)$", "unpack it into the folder"),
    (
        "table",
        r"\.(txt|tsv|csv|tab|tabular|out|results|sf|gct|xlsx|parquet|fpkm_tracking|counts?)"
        + _PACKED,
        "",
    ),
    ("old workbook", r"\.(xls|ods)" + _PACKED, "save it from the spreadsheet as .xlsx or .csv"),
)
"""Kind of a file, how its name ends, and what to do if it is not read here."""

CONTENTS = (
    # A flow cell ("FC1to11_counts") and two groups ("a_vs_b_counts") are no results of a test.
    (
        "test results",
        r"diff|deg(s|list)?(?![a-z])|limma|edger"
        r"|^(?!.*(counts?|pkm|tpm|cpm)(?![a-z])).*(?<![a-z])(fold|fc|vs)(?![a-z])",
    ),
    (
        "annotation",
        rf"meta_?data|(sample|cell|gene|probe)_?(info|annot|sheet)|clinical|phenotype|{_MAP}",
    ),
    ("methylation", r"beta_?values?|methyl"),
    ("ratios", r"ratios?(?![a-z])"),
    ("TPM", r"(?<![a-z])tpm"),
    ("FPKM", r"(?<![a-z])[fr]pkm"),
    ("CPM", r"(?<![a-z])cpm"),
    ("normalised values", r"(?<!non)(?<!un)(?<!not)[-_ .]?norm(al)|(?<![a-z])(vst|rlog|rma|log2)"),
    ("counts", r"counts?(?![a-z])|htseq|readspergene|numreads|(?<![a-z])(raw|umi|dge)(?![a-z])"),
)
"""What a table holds by its name; the first that fits."""

TOOLS = (
    ("STAR", r"readspergene", "counts"),
    ("RSEM", r"genes\.results", "counts"),
    ("RSEM transcripts", r"(isoforms|transcripts)\.results", "counts"),
    ("Cufflinks", r"genes\.fpkm_tracking", "FPKM"),
    ("Cufflinks transcripts", r"isoforms\.fpkm_tracking", "FPKM"),
    ("Salmon genes", r"quant\.genes\.sf", "counts"),
    ("Salmon", r"quant\.sf|\.sf" + _PACKED, "counts"),
    ("kallisto", r"abundances?\.tsv", "counts"),
)
"""Program that wrote a table of one sample, by its name, and what is taken from it."""

_UNUSABLE = {
    "test results": "holds results of a comparison, not expression by sample",
    "annotation": "describes samples, cells or genes and holds no expression",
    "methylation": "holds methylation, not expression",
    "ratios": "holds ratios to a reference, not expression by sample",
}
_MISLEADING = ("annotation", "test results", "ratios")
_RANK = ("counts", "values", "cells", "TPM", "CPM", "normalised values", "FPKM")
_WHY = {
    "counts": "counts of reads: the best for tests",
    "values": "its name does not say what it holds; the values decide",
    "TPM": "TPM: comparable between samples, tested on the log scale",
    "CPM": "CPM: tested on the log scale",
    "normalised values": "normalised by the submitter: tested as they are",
    "FPKM": "FPKM: tested on the log scale, never as counts",
    "cells": "single cells: the counts of each sample are added up",
    "two-colour scans": "ratios of each sample to the reference that all samples share",
    "CEL": "scans of Affymetrix arrays, by RMA; needs the CDF of the chip (of gene and exon arrays "
    "PGF, CLF and MPS) next to the series",
}
_CELLS = ("10x matrix", "10x h5", "h5ad")
_READ = (*_CELLS, "table", "tables of samples", "R object", "two-colour scans", "CEL")
_LAST = {"R object": 1, "CEL": 2}
_FEWEST_TABLES = 3
_LARGEST_SHEET = 20 << 20
_PART_OF_10X = re.compile(r"(matrix\.mtx|barcodes\.tsv|(genes|features)\.tsv)(\.gz)?$", re.I)


@dataclass(frozen=True)
class SeriesFile:
    """A file of a series, as a folder or an archive lists it."""

    name: str  # in an archive: with the folders there
    size: int | None = None  # bytes
    archive: str = ""  # the tar archive that holds it
    stored: StoredFile | None = None  # where it is on the disk

    @property
    def disk_file(self) -> StoredFile:
        """Where it is on the disk, of a file that is read."""
        assert self.stored is not None
        return self.stored

    @property
    def sample(self) -> str:
        """The accession of the only sample that its name states."""
        found = set(map(str.upper, _GSM.findall(self.name)))
        return found.pop() if len(found) == 1 else ""

    @property
    def kind(self) -> str:
        """What it is, by how its name ends."""
        return next((k for k, pattern, _ in KINDS if re.search(pattern, self.name, re.I)), "other")

    @property
    def cure(self) -> str:
        """What to do with it if it is not read here."""
        found = (cure for _, end, cure in KINDS if re.search(end, self.name, re.I))
        return next(found, "is of no kind that is read here")

    @property
    def is_map(self) -> bool:
        """Whether it states the genes of transcripts, by its name."""
        return self.kind == "table" and re.search(_MAP, self.name, re.I) is not None

    def is_read_with(self, kind: str) -> bool:
        """Whether it is read along with a kind of files: layouts of chips, sheets and maps."""
        if self.kind == "chip layout":
            return kind == "CEL"
        small = (self.size or 0) <= _LARGEST_SHEET
        return self.kind == "table" and self.holds == "annotation" and small

    @property
    def tool(self) -> str:
        """The program that wrote it as the table of one sample, by its name."""
        found = (tool for tool, pattern, _ in TOOLS if re.search(pattern, self.name, re.I))
        return next(found, "")

    @property
    def holds(self) -> str:
        """What it probably holds, by its name."""
        if self.kind in _CELLS:
            return "cells"
        tool = next((holds for name, _, holds in TOOLS if name == self.tool), "")
        name = PurePosixPath(self.name).name.lower()
        found = (holds for holds, pattern in CONTENTS if re.search(pattern, name))
        return tool or next(found, "values")


@dataclass(frozen=True)
class ValueSource:
    """Files that give expression by sample together."""

    kind: str  # of the files: matrix, NCBI counts, table, tables of samples, 10x matrix, ...
    holds: str  # counts, TPM, ...: by name until the values are read
    files: tuple[SeriesFile, ...]
    why: str  # why it is preferred to others
    refused: str = ""  # why it is not used, and what helps

    @property
    def may_mislead(self) -> bool:
        """Whether its name alone rules it out: it is read after all where nothing else is there."""
        return self.kind == "table" and self.holds in _MISLEADING

    @property
    def size(self) -> int | None:
        """Bytes of its files, as far as listed."""
        known = [each.size for each in self.files if each.size is not None]
        return sum(known) if known else None

    @property
    def names(self) -> tuple[str, ...]:
        """The files of the series' folder that it is in."""
        return tuple(dict.fromkeys(each.archive or each.name for each in self.files))

    @property
    def label(self) -> str:
        """What messages call it."""
        inside = sum(bool(each.archive) for each in self.files)
        if not inside:
            first = self.files[0].name if self.files else self.kind
            more = len(self.files) - 1
            return f"{first} and {more} more" if more > 0 else first
        files = f"{inside} file" + ("s" if inside > 1 else "")
        return f"{', '.join(self.names)} ({files} such as {self.files[0].name})"

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "kind": self.kind,
            "holds": self.holds,
            "files": list(self.names),
            "members": len(self.files),
            "bytes": self.size,
            "why": self.why,
            "refused": self.refused,
        }

    @property
    def rank(self) -> tuple[bool, int, int, bool]:
        """Usable ones first, counts first, single tables before those to join, CEL last."""
        known = _RANK.index(self.holds) if self.holds in _RANK else len(_RANK)
        return bool(self.refused), _LAST.get(self.kind, 0), known, self.kind != "table"


def value_sources(
    files: Iterable[SeriesFile],
    *,
    samples: int = 0,
    matrix: Sequence[SeriesFile] = (),
    rows: int | None = None,
    counts: Sequence[SeriesFile] = (),
) -> tuple[ValueSource, ...]:
    """Return what expression of a series can be taken from, the best first.

    Parameters
    ----------
    files : iterable of SeriesFile
        Supplementary files, and the members of their archives.
    samples : int
        Number of samples of the series, if known.
    matrix, counts : sequence of SeriesFile
        The series matrix, and NCBI's counts where there are some.
    rows : int, optional
        Rows of the matrix; None if that is not known.
    """
    found: list[ValueSource] = []
    empty = "" if rows is None or rows > 0 else "its table is empty"
    if matrix:
        why = f"{rows:,} rows of values as the submitter processed them" if rows else "GEO's matrix"
        found.append(ValueSource("matrix", "values", tuple(matrix), why, empty))
    if counts:
        why = "counts of reads by NCBI, the same way for all series"
        found.append(ValueSource("NCBI counts", "counts", tuple(counts), why))
    others = [_source(kind, holds, group) for (kind, holds, _), group in _groups(files, samples)]
    return (*found, *sorted(others, key=lambda each: (each.rank, each.label)))


def best_source(sources: Sequence[ValueSource], chosen: str = "") -> ValueSource | None:
    """Return the first source that is not refused, or the one that has a file of this name.

    Where all are refused, a table whose name may mislead.
    """
    if chosen:
        return next((replace(each, refused="") for each in sources if chosen in each.names), None)
    usable = [each for each in sources if not each.refused]
    return next(iter(usable + [each for each in sources if each.may_mislead]), None)


def listed_files(stored: Iterable[StoredFile]) -> list[SeriesFile]:
    """Return files on the disk, and members of archives, as they are planned."""
    return [
        SeriesFile(each.member or each.name, each.size, each.member and each.path.name, each)
        for each in stored
    ]


def cell_files(files: Sequence[SeriesFile]) -> dict[str, tuple[SeriesFile, ...]]:
    """Return the files of each sample of single cells: three of a 10x matrix, or one.

    Filtered matrices are taken in place of raw ones of the same sample.
    """
    found: defaultdict[str, list[SeriesFile]] = defaultdict(list)
    for each in files:
        stem = _PART_OF_10X.sub("", each.name) if _PART_OF_10X.search(each.name) else each.name
        found[stem.rstrip("._-/")].append(each)
    filtered = [name for name in found if re.search("filtered", name, re.I)]
    plain = {re.sub("filtered", "", name, flags=re.I) for name in filtered}
    return {
        name: tuple(group)
        for name, group in found.items()
        if re.sub(r"raw|unfiltered", "", name, flags=re.I) not in plain or name in filtered
    }


def _groups(
    files: Iterable[SeriesFile], samples: int
) -> list[tuple[tuple[str, str, str], list[SeriesFile]]]:
    """Group files that are read together, by kind and contents."""
    groups: defaultdict[tuple[str, str, str], list[SeriesFile]] = defaultdict(list)
    alone: defaultdict[tuple[str, str], list[SeriesFile]] = defaultdict(list)
    for each in files:
        kind, holds = each.kind, each.holds
        if kind == "tar":
            # Its members are listed as well, or it is refused where they cannot be.
            continue
        if kind == "table" and (each.archive or each.sample or each.tool):
            groups["tables of samples", holds, each.tool].append(each)
        elif kind == "table":
            alone[holds, each.tool].append(each)
        elif kind in _CELLS:
            groups[kind, holds, ""].append(each)
        else:
            groups[kind, holds if kind == "R object" else "", ""].append(each)
    for (holds, tool), group in alone.items():
        groups["table", holds, tool] += group
        if len(group) >= max(_FEWEST_TABLES, samples / 2):
            groups["tables of samples", holds, tool] += group
    return list(groups.items())


def _source(kind: str, holds: str, files: Sequence[SeriesFile]) -> ValueSource:
    holds = holds or kind
    refused = files[0].cure or _UNUSABLE.get(holds, "")
    if kind not in _READ:
        refused = files[0].cure or "is of no kind that is read here"
    return ValueSource(kind, holds, tuple(files), _WHY.get(holds, ""), refused)
