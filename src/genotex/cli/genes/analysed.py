"""`genotex report` and `genotex enrich`: what is made of an output folder with results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.genes.results import show_figures
from genotex.cli.option_classes import with_options
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.options import EnrichmentOptions, FigureOptions, Option, SetCollection

if TYPE_CHECKING:
    from genotex.analysis import Enrichment


@with_options
def report(
    output: o.AnalysedDir, asked: o.AskedProblem, drawing: FigureOptions, json: o.Json = False
) -> None:
    """Write the report of an analysed problem from its output folder.

    If cohorts were combined, the page over all cohorts is written as well.
    The raw files are not needed.

    Examples:
      genotex report output --trait Osteoarthritis

      genotex report output --trait "Rheumatoid Arthritis" --condition Age

      genotex report output --trait Osteoarthritis --figures pdf,png
    """
    from genotex.workflows import report as write
    from genotex.workflows import save_result_figures

    folder = _folder(output)
    problem = asked.problem(folder)
    with screen.work() as progress:
        pages = write(folder, problem, progress)
    drawn = save_result_figures(folder, problem, drawing)
    if json:
        files = {what: str(path) for what, path in pages.items()}
        files |= {path.name: str(path) for path in drawn}
        screen.print_json({"trait": problem.trait, "condition": problem.condition, "files": files})
        return
    for what, path in pages.items():
        screen.show(f"{what}: {path}")
    show_figures(drawn)


MOST_ROWS = 15
MOST_GENES = 3
_QUESTIONS = {
    "fry": "does a set change at all, in one direction?",
    "camera": "does a set change more than the other genes?",
    "fry-mixed": "does a set change at all, in either?",
}


_ENRICHED = "Output folder of 'genotex analyze' or 'solve'; or results of DESeq2, edgeR or limma."


@with_options
def enrich(
    output: Annotated[Path, o.argument("OUTPUT", _ENRICHED)],
    asked: o.AskedProblem,
    enrichment: EnrichmentOptions,
    sets: Annotated[
        SetCollection,
        Option(
            "Packaged sets: Gene Ontology, biological process, molecular function or cellular "
            "component."
        ),
    ] = "go-bp",
    gmt: Annotated[
        Path | None,
        Option("Own file of gene sets (GMT, official symbols, also .gz) in their place."),
    ] = None,
    json: o.Json = False,
) -> None:
    r"""Test gene sets for association with an analysed trait.

    fry asks whether a set changes at all, in one direction or mixed, camera
    whether it changes more than the other genes. Both allow for genes that
    rise and fall together, and need the cohort's table in OUTPUT.

    Of a table of results the sets are described, not tested: that needs
    expression. --trait is what it is called.

    Scores and leading edges describe the sets further and need gseapy (the
    extra "enrichment" of genotex). Nothing is downloaded: other files of gene
    sets (GMT) are offered by MSigDB, Reactome and the Enrichr libraries.

    Examples:
      genotex enrich output --trait Osteoarthritis

      genotex enrich output --trait Osteoarthritis --gmt h.all.symbols.gmt

      genotex enrich output --trait Osteoarthritis --condition Age \
          --gmt sets.gmt.gz --min-size 5

      genotex enrich output --trait Asthma --gmt sets.gmt --test camera

      genotex enrich deseq2.csv --trait Asthma --gmt sets.gmt
    """
    from genotex.workflows import enrich as run
    from genotex.workflows import enrich_results

    with screen.work() as progress:
        if output.is_file():
            trait = asked.problem().trait
            found, files = enrich_results(output, trait, gmt or sets, enrichment, progress)
        else:
            folder = _folder(output)
            problem = asked.problem(folder)
            found, files = run(folder, problem, gmt or sets, enrichment, progress)
    if json:
        screen.print_json(_for_machines(found, files))
        return
    _show(found)
    for what, path in files.items():
        screen.show(f"{what}: {path}")


def _folder(output: Path) -> OutputFolder:
    if not output.is_dir():
        msg = f"{output} is not a folder; give the output folder of 'genotex analyze'"
        raise UsageError(msg)
    return OutputFolder(output)


def _for_machines(enrichment: Enrichment, files: dict[str, Path]) -> dict[str, Any]:
    return {
        "trait": enrichment.trait,
        "condition": enrichment.condition,
        **enrichment.record,
        "significant_sets": enrichment.significant.to_dicts(),
        "files": {what: str(path) for what, path in files.items()},
    }


def _show(enrichment: Enrichment) -> None:
    from genotex.analysis import TEST_COLUMNS

    record = enrichment.record
    sets, options, hits = record["gene_sets"], record["options"], record["significant"]
    where = sets.get("file", "the file")
    screen.show(
        f"{sets['tested']:,} of {sets['sets']:,} gene sets have {options['min_size']} to "
        f"{options['max_size']} tested genes; {sets['genes_tested']:,} of the {sets['genes']:,} "
        f"genes in {where} were tested in {record['cohort']}"
    )
    trait, at = enrichment.trait.replace("_", " "), f"q < {options['q_cut']:g}"
    for name, found in sorted(hits.items(), key=lambda each: each[0] != options["test"]):
        decides = " (decides)" if name == options["test"] else ""
        screen.show(f"{name}{decides}, {_QUESTIONS[name]} {at}: {_found(found, trait)}")
    direction = TEST_COLUMNS[options["test"]][0]
    rows = [_row(row, direction) for row in enrichment.sets.head(MOST_ROWS).iter_rows(named=True)]
    columns = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    screen.table(columns, rows)
    for note in record["notes"]:
        screen.notify(note, "note")


def _found(hits: int | dict[str, int], trait: str) -> str:
    if isinstance(hits, int):
        return str(hits)
    return f"{hits['up']} higher, {hits['down']} lower with {trait}"


def _row(row: dict[str, Any], direction: str) -> dict[str, Any]:
    found = row["Significant Genes"]
    leading = row["Leading Edge"] if row["Leading Edge"] is not None else row["Overlap"]
    genes = (leading or "").split()
    return {
        "gene set": row["Gene Set"],
        "genes": row["Tested Genes"],
        "change": row[direction],
        "shift": row["Shift"],
        "fry q": row["Fry q"],
        "camera q": row["q"],
        "mixed q": row["Mixed q"],
        "score": row["Normalised Score"],
        "significant": None if found is None else f"{found} (by chance {row['Expected']:.1f})",
        "first genes": " ".join(genes[:MOST_GENES]) + (" ..." if len(genes) > MOST_GENES else ""),
    }
