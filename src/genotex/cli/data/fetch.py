"""`genotex fetch`: files of the public databases (GEO series: `genotex.cli.data.fetch_geo`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.data.fetch_geo import geo, server
from genotex.cli.data.fetch_screen import (
    note_pause,
    outcomes_json,
    progress_of_files,
    show_outcomes,
)
from genotex.cli.data.verify import benchmark
from genotex.cli.option_classes import with_options
from genotex.errors import UsageError
from genotex.options import Option
from genotex.procedure import Procedure

if TYPE_CHECKING:
    from genotex.fetch import Fetched, FetchedGenes, Outcome, Wanted
    from genotex.fetch.open_targets import TraitDiseases
    from genotex.problems import ListedTrait

_PURPOSE = "Fetch files of the public databases, checked; resumes where it stopped."

app = typer.Typer(no_args_is_help=True, help=_PURPOSE)


class _XenaKind(StrEnum):  # Typer has no lists of literals.
    clinical = "clinical"
    expression = "expression"
    pancan = "pancan"


app.callback(help=_PURPOSE)(lambda: None)
app.command()(geo)


@dataclass(frozen=True)
class _Tcga:
    """Which cohorts and files are fetched, from where."""

    trait: Annotated[tuple[str, ...], Option("The cohort of this trait; repeat for several.")] = ()
    cohort: Annotated[
        tuple[str, ...], Option("A cohort by its code, such as KIRC; repeat.", default="all 36")
    ] = ()
    file: Annotated[
        list[_XenaKind] | None,
        typer.Option(
            "--file",
            help="Only this file of each cohort: clinical, expression (HiSeqV2, read by the "
            "procedure sound), pancan (HiSeqV2_PANCAN, read by benchmark); repeat.",
            show_default="all",
        ),
    ] = None
    dry_run: Annotated[
        bool, Option("List what would be fetched, without any request.", "--dry-run")
    ] = False
    xena_address: Annotated[str | None, server("Base address of the Xena hub.", "UCSC's")] = None

    def files(self, bases: Sequence[str]) -> list[tuple[Wanted, ...]]:
        """Return the forms of each file of the cohorts."""
        from genotex.fetch import XenaFile, xena_files

        kinds = [XenaFile(each.value) for each in _XenaKind if not self.file or each in self.file]
        codes = _codes(self.trait, self.cohort)
        return [forms for code in codes for forms in xena_files(code, kinds, bases)]


@app.command()
@with_options
def tcga(
    folder: Annotated[
        Path, o.argument("INPUT", "Input folder; the files go to INPUT/TCGA/<name>/.")
    ],
    asked: _Tcga,
    json: o.Json = False,
) -> None:
    r"""Fetch TCGA cohorts from the UCSC Xena hub.

    Clinical matrix, HiSeqV2 and HiSeqV2_PANCAN. Existing files are kept; the
    same command resumes where it stopped. Ends with exit code 3 if a file
    could not be fetched.

    Examples:
      genotex fetch tcga input --trait Kidney_Clear_Cell_Carcinoma

      genotex fetch tcga input --cohort KIRC --cohort KIRP \
          --file clinical --file pancan

      genotex fetch tcga input --dry-run
    """
    from genotex.fetch import XENA, WebClient, base_address, fetch_each, open_fetch_folder

    bases = [base_address(asked.xena_address)] if asked.xena_address else XENA
    files = asked.files(bases)
    if asked.dry_run:
        rows = [{"file": forms[0].path, "address": forms[0].address} for forms in files]
        if json:
            screen.print_json(rows)
        else:
            screen.table(("file", "address"), rows, fold=("file", "address"))
        return
    with (
        WebClient(bases, waiting=note_pause) as client,
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


def _codes(traits: Sequence[str], cohorts: Sequence[str]) -> list[str]:
    """Return the chosen cohorts; all without a choice."""
    from genotex.fetch import XENA_COHORTS, cohort_named, cohort_of_trait

    codes = [cohort_named(code) for code in cohorts]
    for trait in traits:
        code, reason = cohort_of_trait(trait)
        if code is None:
            screen.notify(reason, "warning")
        else:
            screen.notify(reason)
            codes.append(code)
    if not codes and traits:
        msg = "none of the traits has a TCGA cohort; name one with --cohort to take it as a proxy"
        raise UsageError(msg)
    return list(dict.fromkeys(codes)) or list(XENA_COHORTS)


@app.command()
@with_options
def genes(
    folder: Annotated[
        Path, o.argument("DIR", "Folder for the files, such as the metadata folder.")
    ],
    genes_address: Annotated[
        str | None, server("Base address of NCBI's gene data.", "NCBI's")
    ] = None,
    json: o.Json = False,
) -> None:
    r"""Fetch NCBI's human genes, and make a gene table of them.

    Fetches gene_info, and writes the gene table and gene_synonym.json. An
    existing gene_info file is kept; remove it for NCBI's newest.

    Examples:
      genotex fetch genes metadata

      genotex solve input output --trait Asthma \
          --gene-table metadata/gene_table/genes.parquet
    """
    from genotex.fetch import WebClient, base_address, fetch_genes, open_fetch_folder
    from genotex.fetch.gene_info import GENE_INFO, NCBI_GENE

    base = base_address(genes_address or NCBI_GENE)
    with (
        WebClient([base], waiting=note_pause) as client,
        open_fetch_folder(folder) as place,
        progress_of_files(None, 1) as start,
    ):
        found = fetch_genes(client, place, base, start("file", 1, GENE_INFO))
    if json:
        screen.print_json(_genes_json(found))
    else:
        _show_genes(found)


def _show_genes(found: FetchedGenes) -> None:
    source = found.genes.source
    names = found.genes.symbols(Procedure.BENCHMARK)
    made = [
        (found.gene_info, f"NCBI's of {source.date}" if source.date else "as NCBI has it"),
        (found.synonyms, f"{len(names):,} names in capitals -> official symbols"),
        (found.table[-1], f"{source.genes:,} genes, {source.accessions:,} accessions"),
    ]
    rows = [
        {
            "state": _state(file, "fetched" if file is found.gene_info else "made"),
            "file": str(file.path),
            "MB": f"{file.size / 1e6:,.1f}",
            "what": what,
        }
        for file, what in made
    ]
    screen.table(("state", "file", "MB", "what"), rows, fold=("file", "what"), right=("MB",))
    screen.show(f"\nuse it with --gene-table {found.table[-1].path}")


def _state(file: Fetched, now: str) -> str:
    return now if file.now else "was there"


def _genes_json(found: FetchedGenes) -> dict[str, Any]:
    source = found.genes.source
    files = (found.gene_info, found.synonyms, *found.table)
    return {
        "state": _state(found.gene_info, "fetched"),
        "date": source.date or None,
        "genes": source.genes,
        "accessions": source.accessions,
        "names": len(found.genes.symbols(Procedure.BENCHMARK)),
        "gene_table": str(found.table[-1].path),
        "files": [
            {"path": str(file.path), "size": file.size, "sha256": file.sha256} for file in files
        ],
    }


@app.command()
@with_options
def opentargets(
    folder: Annotated[Path, o.argument("DIR", "Folder for the associations.")],
    trait: o.TraitNames = (),
    disease_ids: Annotated[
        Path | None,
        Option(
            "Disease ids of the traits: lines of trait, tab, id, or JSON or TOML.",
            default="DIR/disease_ids.tsv; missing ones are searched by name",
        ),
    ] = None,
    traits: o.TraitListFile = None,
    open_targets_address: Annotated[
        str | None, server("Base address of the Open Targets Platform's API.", "Open Targets'")
    ] = None,
    json: o.Json = False,
) -> None:
    r"""Fetch the associations of traits and genes for 'genotex problems build'.

    They are the direct ones of the traits' diseases. Without --disease-ids a
    trait's disease is searched by its name, and written to
    DIR/disease_ids.tsv for you to check: edit a line, and the same command
    uses your id. Diseases already fetched are kept. Ends with exit code 3 if
    one could not be fetched.

    Examples:
      genotex fetch opentargets targets --trait Asthma --trait Eczema

      genotex problems build --associations targets/associations \
          --disease-ids targets/disease_ids.tsv -o task_info.json
    """
    from genotex.fetch import base_address
    from genotex.fetch.open_targets import DISEASE_IDS, OPEN_TARGETS
    from genotex.layout import trait_folder_name
    from genotex.problems import TraitList

    base = base_address(open_targets_address or OPEN_TARGETS)
    known = TraitList.load(traits)
    wanted = known.among([trait_folder_name(name) for name in trait or known.traits])
    release, chosen, outcomes = _fetch_diseases(folder, base, wanted, disease_ids)
    rows = [row for each in chosen for row in _disease_rows(each, outcomes)]
    if json:
        screen.print_json({"release": release, "diseases": rows})
    else:
        _show_diseases(rows)
        _note_names(chosen, release, folder / DISEASE_IDS)
    if any(row["state"] not in ("fetched", "was there") for row in rows):
        raise typer.Exit(screen.STOPPED)


def _fetch_diseases(
    folder: Path, base: str, wanted: Sequence[ListedTrait], disease_ids: Path | None
) -> tuple[str, Sequence[TraitDiseases], dict[str, Outcome]]:
    """Return the release, the diseases of each trait, and the outcome of each disease."""
    from genotex.fetch import (
        OpenTargets,
        WebClient,
        choose_diseases,
        fetch_associations,
        keep_to_one_release,
        open_fetch_folder,
        write_found,
    )
    from genotex.fetch.open_targets import DISEASE_IDS

    kept = folder / DISEASE_IDS
    listed = disease_ids or (kept if kept.exists() else None)
    search = disease_ids is None
    screen.resumes.set()
    with (
        WebClient([base], waiting=note_pause) as client,
        open_fetch_folder(folder) as place,
        screen.progress_by_stage("Open Targets") as step,
    ):
        source = OpenTargets(client, base)
        release = keep_to_one_release(source, folder)
        searched = partial(step, "searching")
        chosen = choose_diseases(source, wanted, listed, search=search, step=searched)
        if search:
            write_found(kept, chosen)
        diseases = list(dict.fromkeys(disease for each in chosen for disease in each.ids))
        outcomes = {}
        for disease, outcome in zip(
            diseases, fetch_associations(source, place, diseases), strict=True
        ):
            outcomes[disease] = outcome
            step("fetching", disease, len(diseases))
    return release, chosen, outcomes


def _disease_rows(chosen: TraitDiseases, outcomes: dict[str, Outcome]) -> list[dict[str, Any]]:
    front = {"trait": chosen.trait, "how": chosen.how, "name": chosen.name or None}
    if not chosen.ids:
        return [{**front, "disease": None, "state": "no disease"}]
    return [{**front, "disease": disease, **_outcome(outcomes[disease])} for disease in chosen.ids]


def _outcome(outcome: Outcome) -> dict[str, Any]:
    from genotex.formats import count_lines

    error = None if outcome.error is None else str(outcome.error)
    rows = None
    if outcome.fetched is not None:
        rows = count_lines(outcome.fetched.path)
    return {"state": outcome.state, "associations": rows, "error": error}


def _show_diseases(rows: Sequence[dict[str, Any]]) -> None:
    columns = ["trait", "disease", "how", "name", "associations", "state"]
    failed = any(row.get("error") for row in rows)
    screen.table([*columns, *(["error"] if failed else [])], rows, fold=("name", "error"))


def _note_names(chosen: Sequence[TraitDiseases], release: str, listed: Path) -> None:
    screen.show(f"\nOpen Targets release {release}")
    nearest = [each.trait for each in chosen if each.how == "nearest name"]
    if nearest:
        screen.notify(
            f"{len(nearest)} of the names are only the nearest ones: check them in {listed}",
            "warning",
        )


app.command()(benchmark)
