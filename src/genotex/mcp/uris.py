"""Addresses of the resources: a report, or the summary, of an analysis."""

from __future__ import annotations

from urllib.parse import quote, unquote

REPORT, SUMMARY = "report", "summary"
_SCHEME = "genotex://"


def report_uri(analysis: str) -> str:
    """Return the address of the report of an analysis."""
    return f"{_SCHEME}{REPORT}/{quote(analysis, safe='')}"


def summary_uri(analysis: str) -> str:
    """Return the address of the summary of an analysis."""
    return f"{_SCHEME}{SUMMARY}/{quote(analysis, safe='')}"


def uri_parts(uri: str) -> tuple[str, str] | None:
    """Return kind and analysis of an address, or None if it is none of ours."""
    kind, slash, name = uri.removeprefix(_SCHEME).partition("/")
    if not uri.startswith(_SCHEME) or not slash or kind not in (REPORT, SUMMARY) or "/" in name:
        return None
    return kind, unquote(name)
