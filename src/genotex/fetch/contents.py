"""Check a fetched file: by its first bytes, and again when it is complete."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

from genotex.errors import (
    CaptchaError,
    FetchError,
    FileLimitError,
    FormatError,
    TooLargeError,
    WebPageError,
    WrongContentError,
)
from genotex.formats import BYTE_ORDER_MARK, decode, is_gzip, read_chunks
from genotex.outside import (
    GZIP_MAGIC,
    HDF5_MAGIC,
    PARQUET_MAGIC,
    ZIP_MAGIC,
    check_tar,
    check_zip,
    read_json,
)

ENOUGH_TO_JUDGE = 512
WHOLE_PAGE = 1 << 16
"""Bytes of a web page that are searched for a captcha."""
_TAIL, _ENDS = 4096, 1 << 20
_TAR_MAGIC, _TAR_AT = b"ustar", 257

_NO_ROWS = re.compile(rb"!platform_data_row_count\s*=\s*0")
"""The last line of a platform that has no table, as that of a sequencer."""

_PAGE = (b"<!doctype html", b"<html", b"<head", b"<body", b"<script", b"<!--", b"<meta")
_CAPTCHA = re.compile(
    rb"captcha|not a robot|are you a robot|verify (that )?you are (a )?human|unusual traffic|"
    rb"automated (access|requests|queries)",
    re.IGNORECASE,
)
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)

_NOTHING = "nothing of it was kept"
_CUT_SHORT = "the same command fetches it again from the start"


class Content(StrEnum):
    """What a file holds."""

    gzip = "gzip data"
    """Gzip data with text inside."""
    json = "json"
    table = "tab-separated text"
    any_table = "tab-separated text, plain or packed"
    soft = "SOFT text"
    parquet = "parquet"
    tar = "a tar archive"
    """Whose members that are gzip data have checksums."""
    workbook = "an Excel workbook"
    hdf5 = "HDF5"
    text = "text"

    @property
    def has_checksum(self) -> bool:
        """Whether such a file contains checksums of its content."""
        return self in (Content.gzip, Content.tar, Content.workbook)

    @classmethod
    def of_name(cls, name: str) -> Content:
        """Return what a submitter's file should hold, by how its name ends."""
        endings = {
            (".gz", ".tgz", ".rds", ".rda", ".rdata"): cls.gzip,
            (".tar",): cls.tar,
            (".xlsx",): cls.workbook,
            (".h5", ".h5ad"): cls.hdf5,
            (".parquet",): cls.parquet,
        }
        lower = name.lower()
        return next((each for ends, each in endings.items() if lower.endswith(ends)), cls.text)


def check_start(first: bytes, content: Content, address: str) -> None:
    """Refuse a file by its first bytes."""
    refuse_page(first, address)
    if not _starts_as(first, content):
        message = f"{_kind(first)} came in place of {content}"
        raise WrongContentError(message, address=address, hint=_NOTHING)


def refuse_page(first: bytes, address: str) -> None:
    """Refuse a web page."""
    if not _is_page(first):
        return
    refuse_captcha(first, address)
    found = _TITLE.search(first)
    title = " ".join(decode(found[1]).split())[:80] if found else ""
    named = f" ({title!r})" if title.isprintable() and title else ""
    message = f"a web page{named} came in place of the data"
    raise WebPageError(message, address=address, hint=f"{_NOTHING}; try again later")


def refuse_captcha(first: bytes, address: str) -> None:
    """Refuse a web page that requires a person."""
    if _is_page(first) and _CAPTCHA.search(first):
        message = "a captcha page came in place of the data: the server requires a person"
        hint = "nothing of it was kept; wait some hours, then repeat the command to continue"
        raise CaptchaError(message, address=address, hint=hint)


def _is_page(first: bytes) -> bool:
    return _bare(first).lower().startswith(_PAGE)


def _bare(first: bytes) -> bytes:
    return first.removeprefix(BYTE_ORDER_MARK).lstrip()


def _starts_as(first: bytes, content: Content) -> bool:
    match content:
        case Content.any_table:
            return _starts_as(first, Content.gzip) or _starts_as(first, Content.table)
        case Content.gzip:
            return first.startswith(GZIP_MAGIC)
        case Content.parquet:
            return first.startswith(PARQUET_MAGIC)
        case Content.tar:
            return first[_TAR_AT:].startswith(_TAR_MAGIC)
        case Content.workbook:
            return first.startswith(ZIP_MAGIC)
        case Content.hdf5:
            return first.startswith(HDF5_MAGIC)
        case Content.text:
            return b"\0" not in first
        case Content.json:
            return _bare(first)[:1] in (b"{", b"[")
        case Content.soft:
            return _bare(first)[:1] == b"^"
        case Content.table:
            is_text = b"\0" not in first and not first.startswith(GZIP_MAGIC)
            return is_text and b"\t" in first


def _kind(first: bytes) -> str:
    if not first:
        return "an empty file"
    if first.startswith(GZIP_MAGIC):
        return "gzip data"
    start = first_line(first)
    return "other bytes" if start in ("", "other bytes") else f"{start!r}"


def check_whole(path: Path, content: Content, address: str) -> None:
    """Read a file to its end, and refuse it where it is cut short or damaged."""
    # Gzip data are unpacked piece by piece and thrown away: their checksum is at the end, so
    # a file of the right length may still be half of one.
    with path.open("rb") as handle:
        check_start(handle.read(WHOLE_PAGE), content, address)
    if content is Content.any_table:
        content = Content.gzip if is_gzip(path) else Content.table
    try:
        match content:
            case Content.gzip:
                for _ in read_chunks(path):
                    pass
            case Content.json:
                read_json(path, words="is not complete JSON")
            case Content.tar:
                check_tar(path)
            case Content.workbook:
                with path.open("rb") as handle:
                    check_zip(handle, path)
            case Content.hdf5 | Content.text:
                # HDF5 states its size, and its reader refuses another.
                pass
            case Content.soft | Content.parquet | Content.table:
                _check_end(path, content, address)
    except FileLimitError as error:
        hint = f"{_NOTHING}; {error.hint}"
        raise TooLargeError(error.message, address=address, hint=hint) from error
    except FormatError as error:
        raise _damaged(error.message, address) from error


def ends_of(path: Path, address: str) -> tuple[bytes, bytes, int]:
    """Return the first bytes of a file, unpacked, its last line with text, and its line ends."""
    head, tail, lines = b"", b"", 0
    try:
        for chunk in read_chunks(path):
            head += chunk[: _ENDS - len(head)]
            tail = (tail + chunk)[-_ENDS:]
            lines += chunk.count(b"\n")
    except FormatError as error:
        raise wrong(error.message, address) from error
    last = next((line for line in reversed(tail.split(b"\n")) if line.strip()), b"")
    return head, last.rstrip(b"\r"), lines


def first_line(head: bytes) -> str:
    """Return the start of a file as messages quote it."""
    line = decode(head.lstrip()[:60]).split("\n")[0].strip()
    return line if line.isprintable() else "other bytes"


def wrong(message: str, address: str) -> WrongContentError:
    """Return the error for a file that is not the intended one."""
    return WrongContentError(message, address=address, hint=f"{_NOTHING}; try again later")


def _damaged(message: str, address: str) -> FetchError:
    return WrongContentError(message, address=address, hint=_CUT_SHORT)


def _check_end(path: Path, content: Content, address: str) -> None:
    with path.open("rb") as handle:
        handle.seek(max(0, path.stat().st_size - _TAIL))
        tail = handle.read()
    if content is Content.parquet:
        whole = tail.endswith(PARQUET_MAGIC)
    elif content is Content.table:
        # A table has no other mark of its end, so it must not end within a line.
        whole = tail.endswith(b"\n")
    else:
        last = tail.rstrip().rpartition(b"\n")[2].strip().lower()
        whole = last == b"!platform_table_end" or _NO_ROWS.fullmatch(last) is not None
    if not whole:
        message = f"the {content} ends too early"
        raise _damaged(message, address)
