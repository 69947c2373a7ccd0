"""`genotex audit`: what makes cohorts doubtful, before anything is tested."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.option_classes import with_options
from genotex.options import AuditOptions, Option

if TYPE_CHECKING:
    from genotex.analysis import CohortsAudit

_PLACE = (
    "Folder with GEO/<Trait>/<GSE>/, a series' folder or matrix, an accession in the folder "
    "'input', a table, a folder of tables, or an output folder."
)
_SAMPLES = "Of a table: one row per sample, with groups, sex, batch and the like."
_COLOURS = {"note": "cyan", "warning": "yellow", "serious": "red"}


@dataclass(frozen=True)
class _Written:
    """Where the page goes, and what is printed."""

    output: Annotated[Path, Option("Write the page here.", short="-o", default="audit.html")] = (
        Path("audit.html")
    )
    json: o.Json = False


@with_options
def audit(
    place: Annotated[Path, o.argument("FOLDER|SERIES|TABLE", _PLACE)],
    asked: AuditOptions,
    written: _Written,
    samples: Annotated[Path | None, typer.Argument(metavar="[SAMPLES]", help=_SAMPLES)] = None,
) -> None:
    """Check cohorts before you use them: one page, one verdict.

    Sex against expression, people and arrays that are there twice (also
    in another series), pools, outliers, labels, batches, the scale of the
    values, codes for missing values, and what spreadsheets do to tables.

    The verdict is "sound", "wants a look" or "do not use"; the last one
    ends with exit code 1.

    Examples:
      genotex audit input

      genotex audit input/GEO/Osteoarthritis/GSE55457

      genotex audit GSE55457 --json

      genotex audit values.csv samples.csv --group disease -o audit.html
    """
    from genotex.reports import write_audit_page
    from genotex.workflows import audit as run
    from genotex.workflows import find_sources

    o.check_output_file(written.output)
    sources = find_sources(place, samples, asked)
    with screen.work() as progress:
        found = run(sources, progress)
    page = write_audit_page(written.output, found)
    if written.json:
        screen.print_json({**found.record(), "page": str(page)})
    else:
        _show(found)
        screen.show(f"\npage: {page}")
    serious = found.verdict == "do not use"
    raise typer.Exit(screen.NOTHING_USABLE if serious else screen.DONE)


def _show(found: CohortsAudit) -> None:
    """Print the cohorts with their verdicts, and the findings above a note."""
    columns = ("cohort", "samples", "genes", "verdict", "findings")
    rows = []
    for each in found.cohorts:
        facts = dict(each.facts)
        titles = [c.title for c in each.checks if c.state in ("warning", "serious")]
        rows.append({
            "cohort": each.name, "samples": facts.get("Samples"), "genes": facts.get("Genes"),
            "verdict": each.verdict, "findings": "; ".join(titles) or None,
        })  # fmt: skip
    screen.table(columns, rows, right=("samples", "genes"))
    for name, _, finding in found.findings:
        if finding.severity == "note":
            continue
        screen.out.print()
        place = f"{name}: " if name else ""
        screen.show_marked(f"{place}{finding.seen}", finding.severity, _COLOURS[finding.severity])
        screen.show(f"  {finding.do}")
    screen.show(f"\nverdict: {found.verdict}. {found.advice}")
