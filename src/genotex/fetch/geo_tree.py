"""Where GEO keeps the files of a series, and what its folders list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urlencode

from genotex.fetch.web import WebClient
from genotex.formats import decode

__all__ = ["COUNTS_ANNOTATION", "GeoTree", "ListedFile"]

COUNTS_ANNOTATION = "Human.GRCh38.p13.annot.tsv.gz"
"""Which gene each row of NCBI's counts is."""
_COUNTS = "{accession}_raw_counts_GRCh38.p13_NCBI.tsv.gz"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"\s(\d+(?:\.\d+)?)([KMGT]?)\s*$")


@dataclass(frozen=True)
class ListedFile:
    """A file that a folder of GEO lists.

    Attributes
    ----------
    name : str
        File name; of the form that was looked for.
    address : str
        Where it lies.
    size : int or None
        Bytes as the folder tells them, rounded to two digits ("2.1M").
    """

    name: str
    address: str
    size: int | None


class GeoTree:
    """GEO's public files.

    Parameters
    ----------
    client : WebClient
        Whom to ask through.
    files, pages : str
        Base addresses of the folder tree (``https://ftp.ncbi.nlm.nih.gov/geo/``) and of GEO's own
        pages (``https://www.ncbi.nlm.nih.gov/geo/``), ending in a slash.

    References
    ----------
    NCBI, "Download GEO data", https://www.ncbi.nlm.nih.gov/geo/info/download.html
    """

    def __init__(self, client: WebClient, files: str, pages: str) -> None:
        self._client = client
        self._files = files
        self._pages = pages

    @property
    def addresses(self) -> tuple[str, str]:
        """Base addresses of the folder tree and of the pages."""
        return self._files, self._pages

    def matrices(self, accession: str) -> list[ListedFile]:
        """Return the parts of a series matrix, one for each platform.

        Raises
        ------
        FetchError
            If the folder is not there or cannot be read.
        """
        pattern = rf"{accession}(-GPL\d+)?_series_matrix\.txt\.gz"
        return self._listed(f"{_series_folder(accession)}matrix/", pattern)

    def family(self, accession: str) -> list[ListedFile]:
        """Return the family SOFT file, if there is one.

        Raises
        ------
        FetchError
            If the folder is not there or cannot be read.
        """
        pattern = rf"{accession}_family\.soft\.gz"
        return self._listed(f"{_series_folder(accession)}soft/", pattern)

    def annotation(self, platform: str) -> str:
        """Return where the annotation of a platform lies, if NCBI made one."""
        return f"{self._files}platforms/{_stub(platform)}/{platform}/annot/{platform}.annot.gz"

    def platform_table(self, platform: str) -> str:
        """Return where the platform's own table is had, as its owner gave it."""
        query = urlencode({"acc": platform, "targ": "self", "form": "text", "view": "full"})
        return f"{self._pages}query/acc.cgi?{query}"

    def counts(self, accession: str) -> str:
        """Return where NCBI's raw counts of a series are had, if it computed them."""
        return self._rnaseq(accession, self.counts_name(accession))

    def counts_annotation(self, accession: str) -> str:
        """Return where the annotation of NCBI's counts is had."""
        return self._rnaseq(accession, COUNTS_ANNOTATION)

    @staticmethod
    def counts_name(accession: str) -> str:
        """Return the file name of NCBI's raw counts of a series."""
        return _COUNTS.format(accession=accession)

    def _rnaseq(self, accession: str, name: str) -> str:
        fields = {"type": "rnaseq_counts", "acc": accession, "format": "file", "file": name}
        return f"{self._pages}download/?{urlencode(fields)}"

    def _listed(self, folder: str, pattern: str) -> list[ListedFile]:
        address = self._files + folder
        page = decode(self._client.text(address, page=True))
        # Only names of the very form are taken, whatever else the page names.
        return [
            ListedFile(name, address + name, size)
            for name, size in _entries(page)
            if re.fullmatch(pattern, name)
        ]


def _series_folder(accession: str) -> str:
    return f"series/{_stub(accession)}/{accession}/"


def _stub(accession: str) -> str:
    """Return the folder of an accession's thousand: ``GSE55nnn``, ``GPLnnn``."""
    return re.sub(r"\d{1,3}$", "nnn", accession)


def _entries(page: str) -> Iterator[tuple[str, int | None]]:
    """Yield the names that a folder's page links to, each once, with the sizes told behind them."""
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
    """Gathers links and the text behind each."""

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
