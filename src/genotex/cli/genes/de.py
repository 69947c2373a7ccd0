"""`genotex de`: own tables and a design to genes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.genes.analyze import check_cohorts
from genotex.cli.genes.results import combine_cohorts, show_figures, show_result
from genotex.cli.option_classes import OfDesigns, with_options
from genotex.layout import OutputFolder, trait_folder_name
from genotex.options import AnalysisOptions, DesignOptions, FigureOptions, Option, ReadingOptions

if TYPE_CHECKING:
    from genotex.cohorts import OwnTables
    from genotex.workflows import DesignsTested

TOP_GENES = 10
_EXPRESSION = (
    "Genes or probes x samples, either way round: csv, tsv, xlsx, parquet, h5ad, also .gz."
)
_SAMPLES = (
    "One row per sample: csv, tsv, xlsx, or a sample sheet of 'genotex clinical sheet'. For an "
    "h5ad file its own obs: give the same file again."
)


@with_options
def de(
    expression: Annotated[Path, o.argument("EXPRESSION", _EXPRESSION)],
    samples: Annotated[Path, o.argument("SAMPLES", _SAMPLES)],
    output: o.OutputDir,
    asked: DesignOptions,
    reading: ReadingOptions,
    analysis: Annotated[AnalysisOptions, OfDesigns()],
    drawing: FigureOptions,
    trait: Annotated[str | None, Option("Name of the result.", default="the contrast")] = None,
    cohorts: o.Cohorts = "largest",
    json: o.Json = False,
) -> None:
    r"""Test genes in tables of your own, under any design.

    Results go to OUTPUT: genes.csv, the report, and all that 'genotex solve'
    writes, so that report, enrich and analyze work on them. analysis.R does
    the same in R with limma. Unmeasured confounding is adjusted for as by
    solve; --hidden none switches that off.

    Examples:
      genotex de counts.csv samples.csv results \
          --design "~ group + age" --contrast "group: case - control"

      genotex de counts.tsv.gz samples.xlsx results \
          --design "~ group * sex" --contrast group:sex \
          --contrast "group: B - A | sex = female"

      genotex de values.csv samples.csv results --block patient \
          --design "~ group + ns(age, 3)" --contrast "group: case - control"

      genotex de values.h5ad values.h5ad results --design "~ stage" \
          --order "stage: I < II < III" --contrast "stage: trend"

      genotex de values.csv samples.csv results --survival months,died \
          --design "~ age"
    """
    if asked.survival is None:
        check_cohorts(cohorts, analysis)
    with screen.progress("reading the tables", total=1):
        tables = _read(expression, samples, reading)
    _say(tables, json)
    folder, every = OutputFolder(output), cohorts == "all"
    if asked.survival is not None:
        raise typer.Exit(_survival(tables, asked, analysis, folder, drawing, json))
    done = _analyze(tables, asked, analysis, folder, trait, drawing, every=every, json=json)
    raise typer.Exit(done)


def _read(expression: Path, samples: Path, how: ReadingOptions) -> OwnTables:
    from genotex.cohorts import read_own_tables

    same = expression.suffix == ".h5ad" and samples.resolve() == expression.resolve()
    name = None if how.cohort is None else trait_folder_name(how.cohort)
    given = None if same else samples
    return read_own_tables(expression, given, platform=how.platform, scale=how.scale, name=name)


def _say(tables: OwnTables, quiet: bool) -> None:
    for note in () if quiet else tables.notes:
        screen.notify(note, "note")
    for warning in tables.warnings:
        screen.notify(warning, "warning")


def _analyze(
    tables: OwnTables,
    asked: DesignOptions,
    analysis: AnalysisOptions,
    output: OutputFolder,
    trait: str | None,
    drawing: FigureOptions,
    *,
    every: bool,
    json: bool,
) -> int:
    """Test the contrasts, with `every` also over all cohorts; return the exit code."""
    from genotex.workflows import analyze_designs, prepare_designs, save_result_figures

    prepared, notes = prepare_designs(tables, asked, analysis, trait)
    for note in notes:
        screen.notify(note, "note")
    with screen.work() as progress:
        tested = analyze_designs(prepared, analysis, output, progress)
    answered = [outcome.problem for outcome in tested.outcomes if outcome.result is not None]
    drawn = [path for each in answered for path in save_result_figures(output, each, drawing)]
    if not json:
        show_designs(tested)
        show_figures(drawn)
    combined = []
    if every:
        combined = combine_cohorts(output.root, tested.problems, analysis, None, quiet=json)
    if json:
        rows = [tested.summary(outcome) for outcome in tested.outcomes]
        more: dict[str, Any] = {"combined": combined} if every else {}
        more |= {"figures": [str(path) for path in drawn]} if drawing.formats else {}
        screen.print_json({"contrasts": rows, **more})
    return screen.DONE if tested.results else screen.NOTHING_USABLE


def show_designs(tested: DesignsTested) -> None:
    """Print the result of each contrast."""
    for outcome in tested.outcomes:
        screen.out.print()
        if outcome.result is None:
            screen.notify(outcome.why, "not answered")
            continue
        formula, trait = outcome.result.method["formula"], outcome.problem.trait
        screen.show(f"{formula['contrast']} in {formula['formula']}")
        show_result(outcome.result)
        screen.show(f"\ngenes:  {tested.genes[trait]}")
        screen.show(f"report: {tested.reports[trait]}")
        screen.show(f"in R:   {tested.scripts[trait]}")


def _survival(
    tables: OwnTables,
    asked: DesignOptions,
    analysis: AnalysisOptions,
    output: OutputFolder,
    drawing: FigureOptions,
    json: bool,
) -> int:
    """Test the time to an event; there is no cohort to combine."""
    from genotex.workflows import analyze_survival, save_survival_figures

    with screen.work() as progress:
        tested = analyze_survival(tables, asked, analysis, output, progress)
    drawn = save_survival_figures(output, tested, drawing)
    found = tested.found
    top = found.genes.head(TOP_GENES).to_dicts()
    if json:
        record = {"significant": found.significant.height, "tested": found.genes.height}
        files = {"genes.csv": str(tested.genes), "report": str(tested.report)}
        files |= {path.name: str(path) for path in drawn}
        screen.print_json({**record, "top": top, **files})
        return screen.DONE
    method = found.method
    screen.show(
        f"\n{found.significant.height} of {found.genes.height} genes are associated with the time "
        f"to {method['survival']['event']} at q < {analysis.q_cut:g}: {len(method['samples'])} "
        f"samples, {method['events']} events"
    )
    names = ("gene", "hazard_ratio", "ci_low", "ci_high", "p", "q")
    screen.table(
        [name.replace("_", " ") for name in names],
        [{name.replace("_", " "): _exp(row, name) for name in names} for row in top],
    )
    for warning in found.warnings:
        screen.notify(warning, "warning")
    screen.show(f"\ngenes:  {tested.genes}\nrecord: {tested.record}\nreport: {tested.report}")
    show_figures(drawn)
    return screen.DONE


def _exp(row: dict[str, Any], name: str) -> Any:
    """Return a value of the table; limits of the log hazard ratio as those of the hazard ratio."""
    value = row[name]
    return math.exp(value) if name in ("ci_low", "ci_high") and value is not None else value
