"""GEO's folder tree and pages: where the files of a series are, as listings state it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from genotex.errors import NotThereError, WrongContentError
from genotex.fetch.client_limits import shown
from genotex.fetch.contents import WHOLE_PAGE, refuse_captcha, refuse_page
from genotex.fetch.web import WebClient
from genotex.formats import decode
from genotex.outside import GZIP_MAGIC

_MOST_LISTED = 200_000
_MOST_HEAD = 64 << 20
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_LINK = re.compile(r'<a\s[^<>]*href="([^"<>]*)"[^<>]*>[^<>]*</a>([^<>\n]*)', re.IGNORECASE)
_SIZE = re.compile(r"\s(\d+(?:\.\d+)?)([KMGT]?)\s*$")


@dataclass(frozen=True)
class RemoteFile:
    """A file that a folder of GEO lists."""

    name: str  # file name of the expected form; in an archive, with the folders there
    address: str
    size: int | None  # bytes as listed; by a folder's page, rounded to two digits ("2.1M")
    archive: str = ""  # the archive that holds it; nothing is fetched for it alone


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

    def supplementary(self, accession: str) -> list[RemoteFile]:
        """Return the submitter's files, and the members of archives as GEO lists them."""
        folder = f"{_series_folder(accession)}suppl/"
        try:
            files = self._listed(folder, rf"{accession}[-_.][\w.()+-]+|filelist\.txt")
        except NotThereError:
            return []
        found = {each.name: each for each in files if each.name != "filelist.txt"}
        if len(found) < len(files):
            text = decode(self._client.text(f"{self._files}{folder}filelist.txt"))
            for name, size, archive in _members(text):
                address = found[archive].address if archive in found else ""
                if name in found:
                    found[name] = replace(found[name], size=size)
                elif address:
                    found[f"{archive}/{name}"] = RemoteFile(name, address, size, archive)
        return list(found.values())

    def matrix_head(self, file: RemoteFile) -> str:
        """Return the header of a series matrix, of which no more is fetched."""
        address = file.address
        return decode(self._client.again(address, lambda: _head_of(self._client, address)))

    def counts(self, accession: str, name: str) -> RemoteFile:
        """Return NCBI's counts of a series or their annotation, which may not be there."""
        fields = {"type": "rnaseq_counts", "acc": accession, "format": "file", "file": name}
        return RemoteFile(name, f"{self._pages}download/?{urlencode(fields)}", None)

    def is_there(self, file: RemoteFile) -> bool:
        """Return whether a packed file is there; GEO may answer with a page if it is not."""

        def first() -> bytes:
            with self._client.opened(file.address) as answer:
                return next(answer.chunks(), b"")

        try:
            start = self._client.again(file.address, first)
        except NotThereError:
            return False
        refuse_captcha(start, shown(file.address))
        return start.startswith(GZIP_MAGIC)

    def annotation(self, platform: str) -> str:
        """Return the address of the annotation of a platform, if NCBI made one."""
        return f"{self._files}platforms/{_stub(platform)}/{platform}/annot/{platform}.annot.gz"

    def platform_table(self, platform: str) -> str:
        """Return the address of the platform's own table, as its owner submitted it."""
        query = urlencode({"acc": platform, "targ": "self", "form": "text", "view": "full"})
        return f"{self._pages}query/acc.cgi?{query}"

    def _listed(self, folder: str, pattern: str) -> list[RemoteFile]:
        address = self._files + folder
        page = decode(self._client.text(address, page=True))
        # Only names of exactly this form are accepted, not other links of the page.
        return [
            RemoteFile(name, address + name, size)
            for name, size in _entries(page)
            if re.fullmatch(pattern, name)
        ]


def _members(listing: str) -> Iterator[tuple[str, int | None, str]]:
    """Yield names, sizes and archives of GEO's ``filelist.txt``."""
    archive = ""
    for line in listing.splitlines()[:_MOST_LISTED]:
        what, name, _, size, *_ = (*line.split("\t"), "", "", "", "")
        if what == "Archive":
            archive = name
        if what in ("Archive", "File") and name.isprintable():
            yield name, int(size) if size.isascii() and size.isdigit() else None, archive


def _head_of(client: WebClient, address: str) -> bytes:
    """Return the text above the table of a packed series matrix."""
    unpacker, head = zlib.decompressobj(wbits=31), b""
    with client.opened(address) as answer:
        for chunk in answer.chunks():
            refuse_page(chunk[:WHOLE_PAGE] if not head else b"", answer.address)
            try:
                head += unpacker.decompress(chunk, _MOST_HEAD - len(head))
            except zlib.error as error:
                message = "other bytes came in place of the series matrix"
                raise WrongContentError(message, address=answer.address) from error
            if b"series_matrix_table_begin" in head or len(head) >= _MOST_HEAD or unpacker.eof:
                break
    return head.partition(b"!series_matrix_table_begin")[0]


def _series_folder(accession: str) -> str:
    return f"series/{_stub(accession)}/{accession}/"


def _stub(accession: str) -> str:
    """Return the folder of an accession's thousand: ``GSE55nnn``, ``GPLnnn``."""
    return re.sub(r"\d{1,3}$", "nnn", accession)


def _entries(page: str) -> Iterator[tuple[str, int | None]]:
    """Yield the names that a folder's page links to, each once, with the sizes given after them."""
    found: dict[str, str] = {}
    for name, behind in _LINK.findall(page):
        found.setdefault(name, behind)
    for name, behind in found.items():
        size = _SIZE.search(behind.rstrip())
        yield name, None if size is None else round(float(size[1]) * _UNITS[size[2]])
