"""Lines that mark where a table begins and ends."""

from __future__ import annotations

__all__ = ["find_marker", "is_marker"]

_AROUND = ' \t\r"'


def is_marker(text: str, marker: str) -> bool:
    """Return whether a line is this marker, ignoring case, quotes and empty cells around it."""
    return text.strip(_AROUND).lower() == marker.lower()


def find_marker(data: bytes, marker: bytes) -> tuple[int, int]:
    """Return where the line of a marker (lower case) starts and the next one starts, or -1."""
    at = data.find(marker[:1])
    while at >= 0:
        before = data[max(at - 2, 0) : at]
        if (
            data[at : at + len(marker)].lower() == marker
            and (not before or before.endswith(b"\n") or before in (b'"', b'\n"'))
        ):  # fmt: skip
            end = data.find(b"\n", at)
            end = end if end >= 0 else len(data)
            if data[at:end].strip(_AROUND.encode()).lower() == marker:
                return at - before.endswith(b'"'), end + 1
        at = data.find(marker[:1], at + 1)
    return -1, -1
