"""How to cite the software and the methods of a page, and the session that made its numbers."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import PurePath
from typing import Any

from genotex.analysis import formula_of
from genotex.formats import Evidence
from genotex.options import AnalysisOptions
from genotex.reports.findings import Findings
from genotex.reports.references import cited_works

__all__ = [
    "PACKAGES",
    "SoftwareView",
    "citation",
    "problem_software",
    "software_view",
    "written_options",
]

Rows = Sequence[tuple[str, str]]
PACKAGES = {
    "python": "Python",
    "numpy": "NumPy",
    "scipy": "SciPy",
    "polars": "Polars",
    "platform": "Platform",
}
"""Names of packages as they write them."""


@dataclass(frozen=True)
class SoftwareView:
    """The section on the software: how to cite it, the works cited, and the session."""

    citation: str
    references: tuple[str, ...]
    session: tuple[tuple[str, str], ...]


def software_view(methods: str, method: Mapping[str, Any], more: Rows = ()) -> SoftwareView:
    """Return the section for a methods paragraph and the record of a method."""
    versions: Mapping[str, str] = method.get("versions") or {}
    session: Mapping[str, str] = method.get("session") or {}
    rows = [(PACKAGES.get(name, name), str(found)) for name, found in versions.items()]
    rows += [(PACKAGES.get(name, name), str(found)) for name, found in session.items()]
    found = [(name, value) for name, value in (*rows, *more) if value]
    return SoftwareView(
        citation(str(versions.get("genotex") or "")), cited_works(methods), tuple(found)
    )


def problem_software(evidence: Evidence, findings: Findings, methods: str) -> SoftwareView:
    """Return the section for the page of one problem."""
    formula = None if findings.selects else formula_of(findings.result)
    words = "" if formula is None else shlex.join(["genotex", "de", "...", *formula.words])
    method = findings.result.method
    made = str((method.get("versions") or {}).get("genotex") or "")
    prepared = evidence.genotex_version if evidence.genotex_version != made else ""
    digests = [
        (f"SHA-256 of {file.get('name', 'a file')}", str(file["sha256"]))
        for file in evidence.files
        if file.get("sha256")
    ]
    more = [
        ("Cohort prepared with genotex", prepared),
        ("Procedure", str(findings.result.procedure)),
        ("Design in the words of genotex de", words),
        ("Options of preprocessing", written_options(evidence.options, {})),
        ("Options of the analysis", written_options(method.get("options") or {})),
        *digests,
        ("Digest of input files, options and version", evidence.fingerprint),
    ]
    return software_view(methods, method, more)


def citation(version: str) -> str:
    """Return how to cite genotex, from the metadata of the package."""
    try:
        about = metadata("genotex")
    except PackageNotFoundError:
        return f"genotex, version {version} [computer software]."
    summary = about["Summary"].rstrip(".") if "Summary" in about else ""
    urls = [url.partition(",")[2].strip() for url in about.get_all("Project-URL") or ()]
    address = about["Home-page"] if "Home-page" in about else next(iter(urls), "")
    title = f"genotex: {summary}" if summary else "genotex"
    authors = ", ".join(about.get_all("Author") or ())
    made = f"Version {version or about['Version']} [computer software]"
    parts = [title, authors, made, address]
    return "".join(f"{part}. " for part in parts if part).strip()


def written_options(options: Mapping[str, Any], defaults: Mapping[str, Any] | None = None) -> str:
    """Return the options that differ from their defaults; of paths only the name of the file."""
    defaults = AnalysisOptions().as_json() if defaults is None else defaults
    empty: tuple[Any, ...] = (None, [], {}, "", False, "auto")
    chosen = {
        name: value
        for name, value in options.items()
        if (value != defaults[name] if name in defaults else value not in empty)
    }
    written = [f"{name} = {_written(value)}" for name, value in chosen.items()]
    return "; ".join(written) or "defaults"


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return _written(value.get("name", ", ".join(f"{k}: {v}" for k, v in value.items())))
    if isinstance(value, list | tuple):
        return ", ".join(map(_written, value))
    text = str(value)
    return PurePath(text).name if "/" in text and " " not in text else text
