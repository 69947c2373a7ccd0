"""`genotex fetch tcga`: clinical matrices and expression from the UCSC Xena hub."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.fetch_screen import progress_of_files, tell_wait
from genotex.cli.fetch_table import outcomes_json, show_outcomes
from genotex.errors import UsageError

__all__ = ["tcga"]


class Files(StrEnum):
    """The files of a cohort."""

    clinical = "clinical"
    expression = "expression"
    pancan = "pancan"


def tcga(
    folder: Annotated[
        Path,
        typer.Argument(metavar="INPUT", help="Input folder; the files go to INPUT/TCGA/<name>/."),
    ],
    trait: Annotated[
        list[str] | None,
        typer.Option("--trait", help="The cohort that means this trait; repeat for several."),
    ] = None,
    cohort: Annotated[
        list[str] | None,
        typer.Option(
            "--cohort", help="A cohort by its code, such as KIRC; repeat.", show_default="all 36"
        ),
    ] = None,
    file: Annotated[
        list[Files] | None,
        typer.Option(
            "--file",
            help="Only this file of each cohort: clinical, expression (HiSeqV2, read by the "
            "procedure sound), pancan (HiSeqV2_PANCAN, read by benchmark); repeat.",
            show_default="all",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would be fetched, and ask no server.")
    ] = False,
    xena_address: Annotated[
        str | None,
        typer.Option(
            "--xena-address",
            metavar="ADDRESS",
            help="Base address of the Xena hub.",
            show_default="UCSC's",
            rich_help_panel="Addresses",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    r"""Fetch TCGA cohorts from the UCSC Xena hub.

    Clinical matrix, HiSeqV2 and HiSeqV2_PANCAN. Files that are there are not
    asked for again; the same command goes on where it stopped. Ends with exit
    code 3 where a file could not be had.

    Examples:
      genotex fetch tcga input --trait Kidney_Clear_Cell_Carcinoma

      genotex fetch tcga input --cohort KIRC --cohort KIRP \
          --file clinical --file pancan

      genotex fetch tcga input --dry-run
    """
    from genotex.fetch import WebClient, base_address, open_fetch_folder
    from genotex.fetch.folder import fetch_each
    from genotex.fetch.xena import XENA, XenaFile, xena_files

    bases = [base_address(xena_address)] if xena_address else XENA
    kinds = [XenaFile(each.value) for each in Files if not file or each in file]
    files = [forms for code in _codes(trait, cohort) for forms in xena_files(code, kinds, bases)]
    if dry_run:
        rows = [{"file": forms[0].path, "address": forms[0].address} for forms in files]
        if json:
            screen.print_json(rows)
        else:
            screen.table(("file", "address"), rows, fold=("file", "address"))
        return
    with (
        WebClient(bases, waiting=tell_wait) as client,
        open_fetch_folder(folder) as place,
        progress_of_files(None, len(files)) as start,
    ):
        bar = partial(start, "file")
        outcomes = list(fetch_each(client, place, files, bar))
    if json:
        screen.print_json(outcomes_json(outcomes))
    else:
        show_outcomes(outcomes)
    if any(each.fetched is None for each in outcomes):
        raise typer.Exit(screen.STOPPED)


def _codes(traits: list[str] | None, cohorts: list[str] | None) -> list[str]:
    """Return the cohorts asked for, all where nothing is."""
    from genotex.fetch.xena import XENA_COHORTS, cohort_named, cohort_of_trait

    codes = [cohort_named(code) for code in cohorts or ()]
    for trait in traits or ():
        code, reason = cohort_of_trait(trait)
        if code is None:
            screen.tell(reason, "warning")
        else:
            screen.tell(reason)
            codes.append(code)
    if not codes and traits:
        msg = "none of the traits has a TCGA cohort; name one with --cohort to take it as a proxy"
        raise UsageError(msg)
    return list(dict.fromkeys(codes)) or list(XENA_COHORTS)
