"""Options that the commands of `genotex fetch` share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Accessions",
    "AnyAssay",
    "DryRun",
    "EutilsAddress",
    "GeoAddress",
    "GeoFilesAddress",
    "InputToFill",
    "MaxFamily",
    "MaxMatrix",
    "MaxSamples",
    "MaxSeries",
    "MinMatrix",
    "MinSamples",
    "Organism",
    "PlatformOnly",
    "Query",
    "SeriesTraits",
    "StudyTypes",
    "YearFrom",
    "YearTo",
]

_MOST_MB = 1_000_000
CRITERIA, ADDRESSES = "Which series (paper, appendix E)", "Addresses"

SeriesTraits = Annotated[
    list[str] | None,
    typer.Option("--trait", help="A trait to search series for; repeat for several."),
]
InputToFill = Annotated[
    Path, typer.Argument(metavar="INPUT", help="Input folder to fetch into; made when missing.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="List what would come, and fetch nothing.")]
Accessions = Annotated[
    list[str] | None,
    typer.Option("--accession", metavar="GSE...", help="A series by name; repeat for several."),
]
Query = Annotated[
    str | None,
    typer.Option("--query", help="Search words of your own, in place of the trait's."),
]
PlatformOnly = Annotated[
    bool,
    typer.Option(
        "--platform-only",
        help="Take the platform's table in place of the family SOFT, which can have gigabytes.",
    ),
]
AnyAssay = Annotated[
    bool,
    typer.Option(
        "--any-assay", help="Also series that are no human gene expression by their summary."
    ),
]
MaxSeries = Annotated[
    int, typer.Option("--max-series", min=1, help="The best ones.", rich_help_panel=CRITERIA)
]
MinSamples = Annotated[
    int, typer.Option("--min-samples", min=1, help="Fewest samples.", rich_help_panel=CRITERIA)
]
MaxSamples = Annotated[
    int, typer.Option("--max-samples", min=1, help="Most samples.", rich_help_panel=CRITERIA)
]
YearFrom = Annotated[
    int,
    typer.Option(
        "--from", min=2000, max=2100, help="First year of publication.", rich_help_panel=CRITERIA
    ),
]
YearTo = Annotated[
    int,
    typer.Option(
        "--to", min=2000, max=2100, help="Last year of publication.", rich_help_panel=CRITERIA
    ),
]
Organism = Annotated[
    str, typer.Option("--organism", help="Whose samples.", rich_help_panel=CRITERIA)
]
StudyTypes = Annotated[
    list[str] | None,
    typer.Option(
        "--study-type",
        help="GEO's type of a study; repeat for several.",
        show_default="expression, genome variation, SNP, reanalysis",
        rich_help_panel=CRITERIA,
    ),
]
MinMatrix = Annotated[
    float,
    typer.Option(
        "--min-matrix", min=0, max=_MOST_MB, help="Smallest matrix, MB.", rich_help_panel=CRITERIA
    ),
]
MaxMatrix = Annotated[
    float,
    typer.Option(
        "--max-matrix", min=0, max=_MOST_MB, help="Largest matrix, MB.", rich_help_panel=CRITERIA
    ),
]
MaxFamily = Annotated[
    float,
    typer.Option(
        "--max-family",
        min=0,
        max=_MOST_MB,
        help="Largest family SOFT, MB.",
        rich_help_panel=CRITERIA,
    ),
]
EutilsAddress = Annotated[
    str | None,
    typer.Option(
        "--eutils-address",
        metavar="ADDRESS",
        help="Base address of the E-utilities.",
        show_default="NCBI's",
        rich_help_panel=ADDRESSES,
    ),
]
GeoFilesAddress = Annotated[
    str | None,
    typer.Option(
        "--geo-files-address",
        metavar="ADDRESS",
        help="Base address of GEO's folder tree.",
        show_default="NCBI's",
        rich_help_panel=ADDRESSES,
    ),
]
GeoAddress = Annotated[
    str | None,
    typer.Option(
        "--geo-address",
        metavar="ADDRESS",
        help="Base address of GEO's pages, for platform tables and counts.",
        show_default="NCBI's",
        rich_help_panel=ADDRESSES,
    ),
]
