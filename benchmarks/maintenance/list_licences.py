"""Write docs/licences.md: the licence of each direct dependency, as installed here.

python -m benchmarks list_licences
"""

from __future__ import annotations

import argparse
import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"^[A-Za-z0-9._-]+")
FOR_DEVELOPERS = ("dev", "docs", "browser")
STATED_ELSEWHERE = {"mlcroissant": "Apache-2.0"}
"""Licences that only the repository of a package states."""

DATA = [
    "",
    "## Packaged data",
    "",
    "- `genes/data/genes.parquet`, `accessions.parquet`: NCBI Gene (public domain), by way of "
    "Bioconductor's org.Hs.eg.db (Artistic-2.0).",
    "- `genes/data/ontology_terms.parquet.xz`, `ontology_genes.parquet.xz`: Gene Ontology of "
    "2022-07-01 (CC BY 4.0, Gene Ontology Consortium; annotations of 2022-09-12), by way of "
    "Bioconductor's GO.db and org.Hs.eg.db (Artistic-2.0). Changed: genes are propagated to "
    "ancestors by is_a and part_of; terms with fewer than 5 human genes are left out.",
    "- `genes/data/platforms.parquet.xz`: Bioconductor's annotation packages, collected by idmap1 "
    "(Artistic-2.0, text in `genes/data/Artistic-2.0.txt`). Changed: human symbols are brought up "
    "to date, and all platforms are one table.",
]


def main() -> None:
    """Write the page."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    parts = {"always": project["dependencies"]}
    parts |= {name: extras[name] for name in extras if name not in FOR_DEVELOPERS}
    lines = [
        "# Licences of dependencies",
        "",
        "Made by `python -m benchmarks list_licences` from the metadata of the installed packages.",
        "",
        "| package | needed by | licence |",
        "|---|---|---|",
    ]
    needed: dict[str, list[str]] = {}
    for part, wanted in parts.items():
        for requirement in wanted:
            found = NAME.match(requirement)
            if found and found[0] != "genotex":
                needed.setdefault(found[0], []).append(part)
    for name in sorted(needed):
        where = ", ".join(dict.fromkeys(needed[name]))
        lines.append(f"| {name} | {where} | {licence(name)} |")
    lines += DATA
    page = ROOT / "docs" / "licences.md"
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def licence(package: str) -> str:
    """Return the licence that a package declares."""
    try:
        about = metadata(package)
    except PackageNotFoundError:
        return "not installed when this page was made"
    classified = [
        text.rpartition(" :: ")[2]
        for text in about.get_all("Classifier") or ()
        if text.startswith("License ::") and text.count(" :: ") > 1
    ]
    # Some give the whole text, which starts with the licence's name.
    name = about.get("License", "").partition("\n")[0]
    short = name if len(name) < 60 else ""
    stated = about.get("License-Expression", "")
    found = stated or ", ".join(classified) or short
    return found or STATED_ELSEWHERE.get(package, "not stated")
