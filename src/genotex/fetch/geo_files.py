"""The files of a GEO series: where they are, which would be fetched, and whether one is whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from genotex.errors import FormatError, NotThereError, WrongContentError
from genotex.fetch.geo_search import Criteria, GeoSummary, SummaryWord
from genotex.fetch.web import WebClient
from genotex.formats import decode, read_chunks, read_series_matrix
from genotex.options import GeoOptions

COUNTS_ANNOTATION = "Human.GRCh38.p13.annot.tsv.gz"
"""Which gene each row of NCBI's counts is."""
_COUNTS = "{accession}_raw_counts_GRCh38.p13_NCBI.tsv.gz"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"\s(\d+(?:\.\d+)?)([KMGT]?)\s*$")


@dataclass(frozen=True)
class RemoteFile:
    """A file that a folder of GEO lists."""

    name: str  # file name of the expected form
    address: str
    size: int | None  # bytes as listed, rounded to two digits ("2.1M")


class GeoTree:
    """GEO's public files."""

    # Source: NCBI, "Download GEO data", https://www.ncbi.nlm.nih.gov/geo/info/download.html
    # `files, pages`: Base addresses of the folder tree (``https://ftp.ncbi.nlm.nih.gov/geo/``) and
    # of GEO's own pages (``https://www.ncbi.nlm.nih.gov/geo/``), ending in a slash.

    def __init__(self, client: WebClient, files: str, pages: str) -> None:
        self._client = client
        self._files = files
        self._pages = pages

    @property
    def addresses(self) -> tuple[str, str]:
        """Base addresses of the folder tree and of the pages."""
        return self._files, self._pages

    def matrices(self, accession: str) -> list[RemoteFile]:
        """Return the parts of a series matrix, one for each platform."""
        pattern = rf"{accession}(-GPL\d+)?_series_matrix\.txt\.gz"
        return self._listed(f"{_series_folder(accession)}matrix/", pattern)

    def family(self, accession: str) -> list[RemoteFile]:
        """Return the family SOFT file, if there is one."""
        pattern = rf"{accession}_family\.soft\.gz"
        return self._listed(f"{_series_folder(accession)}soft/", pattern)

    def annotation(self, platform: str) -> str:
        """Return the address of the annotation of a platform, if NCBI made one."""
        return f"{self._files}platforms/{_stub(platform)}/{platform}/annot/{platform}.annot.gz"

    def platform_table(self, platform: str) -> str:
        """Return the address of the platform's own table, as its owner submitted it."""
        query = urlencode({"acc": platform, "targ": "self", "form": "text", "view": "full"})
        return f"{self._pages}query/acc.cgi?{query}"

    def counts(self, accession: str) -> str:
        """Return the address of NCBI's raw counts of a series, if there are any."""
        return self._rnaseq(accession, self.counts_name(accession))

    def counts_annotation(self, accession: str) -> str:
        """Return the address of the annotation of NCBI's counts."""
        return self._rnaseq(accession, COUNTS_ANNOTATION)

    @staticmethod
    def counts_name(accession: str) -> str:
        """Return the file name of NCBI's raw counts of a series."""
        return _COUNTS.format(accession=accession)

    def _rnaseq(self, accession: str, name: str) -> str:
        fields = {"type": "rnaseq_counts", "acc": accession, "format": "file", "file": name}
        return f"{self._pages}download/?{urlencode(fields)}"

    def _listed(self, folder: str, pattern: str) -> list[RemoteFile]:
        address = self._files + folder
        page = decode(self._client.text(address, page=True))
        # Only names of exactly this form are accepted, not other links of the page.
        return [
            RemoteFile(name, address + name, size)
            for name, size in _entries(page)
            if re.fullmatch(pattern, name)
        ]


def _series_folder(accession: str) -> str:
    return f"series/{_stub(accession)}/{accession}/"


def _stub(accession: str) -> str:
    """Return the folder of an accession's thousand: ``GSE55nnn``, ``GPLnnn``."""
    return re.sub(r"\d{1,3}$", "nnn", accession)


def _entries(page: str) -> Iterator[tuple[str, int | None]]:
    """Yield the names that a folder's page links to, each once, with the sizes given after them."""
    reader = _FolderPage()
    reader.feed(page)
    reader.close()
    seen = set()
    for name, behind in reader.links:
        if name not in seen:
            seen.add(name)
            yield name, _size("".join(behind))


def _size(behind: str) -> int | None:
    line = behind.splitlines()[0] if behind.strip() else ""
    found = _SIZE.search(line.rstrip())
    return None if found is None else round(float(found[1]) * _UNITS[found[2]])


class _FolderPage(HTMLParser):
    """Collects links and the text after each."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, list[str]]] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = dict(attrs).get("href")
        if tag == "a" and address:
            self.links.append((address, []))
            self._inside = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self._inside = False

    def handle_data(self, data: str) -> None:
        if self.links and not self._inside:
            self.links[-1][1].append(data)


@dataclass(frozen=True)
class SeriesPlan:
    """A series and its files."""

    # Of the series.
    accession: str
    title: str
    samples: int  # number of samples
    kind: str  # study types
    is_sequencing: bool  # whether NCBI's counts are used if GEO's matrix is empty
    platforms: tuple[str, ...] = ()  # whose tables are fetched instead of the family SOFT
    # What is fetched.
    matrices: tuple[RemoteFile, ...] = ()
    family: tuple[RemoteFile, ...] = ()
    expression: bool = True  # whether the summary indicates human gene expression
    word: str = ""  # why
    trait_in: str = ""  # where the summary mentions the trait
    refused: str = ""  # why nothing is fetched; empty if accepted
    sample_ids: tuple[str, ...] = ()  # ``GSM...`` of its samples, as far as Entrez lists them

    @property
    def size(self) -> int:
        """Bytes to fetch, as far as listed; platform tables and counts are not."""
        return sum(file.size or 0 for file in (*self.matrices, *self.family))

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        return asdict(self)


def choose_series(
    ranked: Iterable[tuple[GeoSummary, SummaryWord]],
    tree: GeoTree,
    criteria: Criteria,
    options: GeoOptions,
) -> Iterator[SeriesPlan]:
    """Go through series, best first, until enough of them fit."""
    taken = 0
    for summary, word in ranked:
        if taken >= criteria.most:
            return
        plan = plan_series(summary, word, tree, criteria, options)
        taken += not plan.refused
        yield plan


def plan_series(
    summary: GeoSummary,
    word: SummaryWord,
    tree: GeoTree,
    criteria: Criteria,
    options: GeoOptions,
    *,
    by_name: bool = False,
) -> SeriesPlan:
    """Return what of a series would be fetched, or why nothing of it."""
    facts: dict[str, Any] = {
        "accession": summary.accession,
        "title": summary.title,
        "samples": summary.samples,
        "kind": "; ".join(summary.study_types),
        "is_sequencing": summary.is_sequencing,
        "expression": word.expression,
        "word": word.why,
        "trait_in": word.trait,
        "sample_ids": summary.sample_ids,
    }
    if not (by_name or options.any_assay or word.expression):
        return SeriesPlan(**facts, refused=word.why)
    try:
        facts["matrices"] = tuple(tree.matrices(summary.accession))
        if options.platform_only:
            # Reads of a sequencer have no probes, and their platform has no table.
            facts["platforms"] = () if summary.is_sequencing_alone else summary.platforms
        else:
            facts["family"] = tuple(tree.family(summary.accession))
    except NotThereError:
        return SeriesPlan(**facts, refused="GEO has no folder of its files")
    plan = SeriesPlan(**facts)
    return SeriesPlan(**facts, refused=_why_refused(plan, criteria, options, by_name))


def _why_refused(plan: SeriesPlan, criteria: Criteria, options: GeoOptions, by_name: bool) -> str:
    if not plan.matrices:
        return "GEO has no series matrix of it"
    if not plan.family and not options.platform_only:
        return "GEO has no family SOFT of it"
    smallest, largest = criteria.matrix_bytes
    matrix = sum(file.size or 0 for file in plan.matrices)
    if matrix > largest:
        return f"matrix of {megabytes(matrix)}; at most {megabytes(largest)} with --max-matrix"
    if matrix < smallest and not (by_name or plan.is_sequencing):
        return f"matrix of {megabytes(matrix)}; at least {megabytes(smallest)} with --min-matrix"
    family = sum(file.size or 0 for file in plan.family)
    if family > criteria.family_bytes:
        limit = megabytes(criteria.family_bytes)
        reason = f"family SOFT of {megabytes(family)}; at most {limit} with --max-family"
        return f"{reason}; or --platform-only"
    return ""


def megabytes(size: int) -> str:
    """Return bytes as people read them."""
    amount = size / 1e6
    if amount < 0.1:
        return f"{size / 1e3:.3g} kB"
    return f"{amount:,.0f} MB" if amount >= 100 else f"{amount:.3g} MB"


Refuse = Callable[[Path, str], None]

_HEAD, _TAIL = 1 << 20, 4096
_NOTHING_KEPT = "nothing of it was kept; try again later"
_SERIES = re.compile(rb"^(?:!Series_geo_accession\t\"?|\^SERIES\s*=\s*)(\w+)", re.MULTILINE)
_FAMILY_END = re.compile(
    rb"!(?:sample|platform)_table_end|!(?:sample|platform)_data_row_count\s*=\s*0"
)


def matrix_of(accession: str, samples: Collection[str] = ()) -> Refuse:
    """Return a check that a file is the whole series matrix of a series.

    `accession`: the series. `samples`: Its GSM accessions by Entrez, by which a file that does not
    state its series is recognised.
    """
    return partial(_check_matrix, accession, frozenset(samples))


def _check_matrix(accession: str, samples: frozenset[str], path: Path, address: str) -> None:
    head, last = _ends(path, address)
    if not head.lstrip().startswith(b"!"):
        msg = f"it is not a series matrix: it begins with {_first_line(head)!r}"
        raise _wrong(msg, address)
    found = _SERIES.search(head)
    _refuse_other(found, accession, "the matrix", address)
    if last.strip(b'"').lower() != b"!series_matrix_table_end":
        msg = "the series matrix ends too early, although its gzip data are whole"
        raise _wrong(msg, address)
    if found is None:
        _refuse_samples(accession, samples, path, address)


def _refuse_samples(accession: str, samples: frozenset[str], path: Path, address: str) -> None:
    """Refuse a matrix that does not state its series, unless its samples are those of Entrez."""
    try:
        there = read_series_matrix(path, expression=False).samples
    except FormatError:
        there = ()
    if not (there and samples):
        message = "the series matrix does not state its series"
        raise _wrong(message, address)
    if samples.isdisjoint(there):
        message = f"none of its samples ({there[0]}, ...) is one of {accession}"
        raise _wrong(message, address)


def check_family(accession: str, path: Path, address: str) -> None:
    """Refuse what is not the whole family SOFT of a series."""
    head, last = _ends(path, address)
    found = _SERIES.search(head)
    if not head.lstrip().startswith(b"^") or found is None:
        msg = f"it is not a family SOFT: it begins with {_first_line(head)!r}"
        raise _wrong(msg, address)
    _refuse_other(found, accession, "the family SOFT", address)
    if _FAMILY_END.fullmatch(last.lower()) is None:
        msg = "the family SOFT ends too early, although its gzip data are whole"
        raise _wrong(msg, address)


def check_counts(path: Path, address: str) -> None:
    """Refuse what holds no counts of NCBI."""
    head, _ = _ends(path, address)
    names = decode(head.partition(b"\n")[0]).strip().split("\t")
    if names[0] != "GeneID" or len(names) < 2:
        msg = f"it holds no counts: it begins with {_first_line(head)!r}"
        raise _wrong(msg, address)


def check_platform(platform: str, path: Path, address: str) -> None:
    """Refuse what does not describe a platform."""
    head, _ = _ends(path, address)
    named = re.search(rf"=\s*{re.escape(platform)}\b".encode(), head)
    if not head.lstrip().startswith(b"^") or named is None:
        message = f"it is not the table of {platform}: it begins with {_first_line(head)!r}"
        raise _wrong(message, address)


def _refuse_other(found: re.Match[bytes] | None, accession: str, what: str, address: str) -> None:
    if found is not None and (other := decode(found[1])) != accession:
        msg = f"it is {what} of {other[:20]!r}, not of {accession}"
        raise _wrong(msg, address)


def _ends(path: Path, address: str) -> tuple[bytes, bytes]:
    """Return the first bytes of a file, unpacked, and its last line that is not empty."""
    head = tail = b""
    try:
        for chunk in read_chunks(path):
            if len(head) < _HEAD:
                head += chunk[: _HEAD - len(head)]
            tail = (tail + chunk)[-_TAIL:]
    except FormatError as error:
        raise _wrong(error.message, address) from error
    return head, tail.rstrip().rpartition(b"\n")[2].strip()


def _first_line(head: bytes) -> str:
    line = decode(head.lstrip()[:60]).split("\n")[0].strip()
    return line if line.isprintable() else "other bytes"


def _wrong(message: str, address: str) -> WrongContentError:
    return WrongContentError(message, address=address, hint=_NOTHING_KEPT)
