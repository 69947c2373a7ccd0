"""`genotex atlas`: questions across all results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.option_classes import with_options
from genotex.options import Option
from genotex.records import as_json

if TYPE_CHECKING:
    import polars as pl

    from genotex.atlas import BuildReport, SimilarFindings, TraitTree

_PURPOSE = "Ask across all results: genes, traits, signatures."

app = typer.Typer(no_args_is_help=True, help=_PURPOSE)
app.callback(help=_PURPOSE)(lambda: None)

MOST_ROWS = 20

AtlasDir = Annotated[
    Path, Option("Atlas of 'genotex atlas build'.", "--atlas", short="-a", metavar="ATLAS")
]
CsvFile = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Write all rows as CSV.", show_default=False),
]
By = Annotated[Literal["cohort", "trait"], Option("What a row of the CSV file is.", "--by")]
Condition = Annotated[
    str, Option("Results given this condition: None, Age, Gender, a trait, or all.", "--condition")
]


@app.command()
@with_options
def build(
    results: Annotated[
        list[Path],
        o.argument(
            "RESULTS...",
            "Output folders of solve, analyze, de or bench run, or folders that hold some.",
        ),
    ],
    output: Annotated[Path, Option("Made, or brought up to date.", short="-o", metavar="ATLAS")],
    json: o.Json = False,
) -> None:
    r"""Collect results in an atlas, or bring one up to date.

    Only results that changed are read again; results that are gone from a
    folder named here are removed. What came from other folders stays. A result
    that cannot be read is reported and left out; the exit code is 1 if no
    result can be read. The earlier atlas is readable until the new one is
    complete.

    Examples:
      genotex atlas build results -o atlas

      genotex atlas build project_1 project_2/outputs -o atlas --json
    """
    from genotex.atlas import build_atlas

    with screen.progress_by_stage("comparing with the atlas") as step:
        report = build_atlas(results, output, step)
    _show_build(report, output, json)


def _show_build(report: BuildReport, output: Path, json: bool) -> None:
    from genotex.words import counted

    for name, why in report.unreadable.items():
        screen.notify(f"{name}: {why}", "not read")
    figures = {name: value for name, value in vars(report).items() if name != "unreadable"}
    if json:
        record = {"atlas": str(output), **figures, "unreadable": dict(report.unreadable)}
        screen.print_json(record)
    elif not report.results:
        screen.notify("no result can be read; the atlas is as it was", "nothing to collect")
    else:
        screen.show(
            f"{output}: {counted(report.results, 'result')} ({report.added:,} read, "
            f"{report.unchanged:,} unchanged, {report.removed:,} removed, "
            f"{len(report.unreadable):,} unreadable) of {counted(report.cohorts, 'cohort')} and "
            f"{counted(report.traits, 'trait')}; {counted(report.genes, 'gene')}, "
            f"{report.bytes / 1e6:,.0f} MB"
        )
    if not report.results:
        raise typer.Exit(screen.NOTHING_USABLE)


@app.command()
@with_options
def gene(
    symbol: Annotated[str, o.argument("SYMBOL", "Symbol or synonym.")],
    atlas: AtlasDir,
    by: By = "cohort",
    csv: CsvFile = None,
    json: o.Json = False,
) -> None:
    """Show a gene in all traits and cohorts.

    For each trait the meta-analysis over its cohorts, on the scale of Hedges' g
    or Fisher's z; for each cohort effect, p, q and the rank of the gene among
    those tested.

    Examples:
      genotex atlas gene CXCL9 --atlas atlas

      genotex atlas gene CXCL9 --atlas atlas --json

      genotex atlas gene IL8 --atlas atlas --csv il8.csv --by trait
    """
    from genotex.atlas import AtlasReader, find_gene

    _check(csv)
    found = find_gene(AtlasReader(atlas), symbol)
    _write(csv, found.cohorts if by == "cohort" else found.traits)
    if json:
        record = {"gene": found.gene, "asked": found.asked, "notes": list(found.notes)}
        screen.print_json(
            {**record, "traits": _rows(found.traits), "cohorts": _rows(found.cohorts)}
        )
        return
    if found.gene != symbol:
        screen.notify(f"{symbol} is {found.gene}", "note")
    shown = ("trait", "condition", "direction", "effect", "p", "q", "rank", "cohorts", "agreeing")
    _table("traits", found.traits, shown)
    shown = ("trait", "condition", "cohort", "direction", "effect", "p", "q", "rank", "ranked_of")
    _table("cohorts", found.cohorts.sort("p", nulls_last=True), (*shown, "samples", "tissue"))
    _notes(found.notes, csv)


@app.command()
@with_options
def trait(
    name: Annotated[str, o.argument("TRAIT", "The trait.")],
    atlas: AtlasDir,
    condition: Annotated[str, Option("None, Age, Gender or another trait.")] = "None",
    csv: CsvFile = None,
    json: o.Json = False,
) -> None:
    """Show a trait: its genes combined over the cohorts of all folders.

    The table begins with the clearest genes; --csv writes all of them. Cohorts
    that were left out are listed with the reason.

    Examples:
      genotex atlas trait "Rheumatoid Arthritis" --atlas atlas

      genotex atlas trait Asthma --condition Age --atlas atlas
    """
    from genotex.atlas import AtlasReader, find_trait

    _check(csv)
    given = None if condition == "None" else condition
    found = find_trait(AtlasReader(atlas), name, given)
    _write(csv, found.genes)
    if json:
        screen.print_json(
            {
                **as_json(found, "trait", "condition", "conditions", "left_out", "notes"),
                "cohorts": _rows(found.cohorts),
                "genes": _rows(found.genes),
            }
        )
        return
    about = ("cohort", "comparison", "samples", "tested", "significant", "platform", "tissue")
    _table("cohorts", found.cohorts, about)
    shown = ("gene", "direction", "effect", "ci_low", "ci_high", "p", "q", "cohorts", "agreeing")
    _table("genes", found.genes, shown)
    for cohort, why in found.left_out.items():
        screen.notify(f"{cohort}: {why}", "not combined")
    _notes(found.notes, csv)


@app.command()
@with_options
def similar(
    atlas: AtlasDir,
    genes: Annotated[
        Path | None,
        Option(
            "Genes that are up, one on a line; or a table of DESeq2, edgeR or limma, whose "
            "significant genes are taken, up and down.",
            metavar="FILE",
        ),
    ] = None,
    down: Annotated[
        Path | None, Option("Genes that are down, one on a line.", metavar="FILE")
    ] = None,
    condition: Condition = "None",
    by: By = "trait",
    csv: CsvFile = None,
    json: o.Json = False,
) -> None:
    """Find traits and cohorts with a signature like yours, or its reverse.

    The score is the mean normal score of the ranks of your genes. p is that of
    permuted genes, corrected for correlation between them; the docs state how
    well it is calibrated.

    Examples:
      genotex atlas similar --genes up.txt --down down.txt --atlas atlas

      genotex atlas similar --genes up.txt --atlas atlas --by cohort

      genotex atlas similar --genes deseq2.csv --atlas atlas
    """
    from genotex.atlas import AtlasReader, find_similar, read_signature

    _check(csv)
    found = find_similar(AtlasReader(atlas), read_signature(genes, down), condition)
    _write(csv, found.cohorts if by == "cohort" else found.traits)
    if json:
        screen.print_json(_similar_json(found))
        return
    shown = ("trait", "condition", "direction", "score", "p", "q", "found", "samples")
    _table("traits", found.traits, shown)
    shown = ("trait", "condition", "cohort", "direction", "score", "p", "q", "found")
    _table("cohorts", found.cohorts, (*shown, "samples", "platform", "tissue"))
    _notes(found.notes, csv)


def _similar_json(found: SimilarFindings) -> dict[str, Any]:
    return {
        "unknown": list(found.unknown),
        "inflation": {level: each.factor for level, each in found.inflation.items()},
        "notes": list(found.notes),
        "traits": _rows(found.traits),
        "cohorts": _rows(found.cohorts),
    }


@app.command()
@with_options
def traits(
    atlas: AtlasDir, condition: Condition = "None", csv: CsvFile = None, json: o.Json = False
) -> None:
    """Show how similar all traits are: closest pairs, a matrix (--csv), a tree.

    The strongest genes of each trait are scored as a signature in each other
    one, in both directions.

    Examples:
      genotex atlas traits --atlas atlas

      genotex atlas traits --atlas atlas --csv similarity.csv --json
    """
    from genotex.atlas import AtlasReader, compare_traits

    _check(csv)
    found = compare_traits(AtlasReader(atlas), condition)
    _write(csv, _matrix(found))
    if json:
        cells = [[_plain(x) for x in row] for row in found.similarity.tolist()]
        names = list(found.names)
        record = {"traits": names, "similarity": cells, "newick": found.newick}
        screen.print_json({**record, "pairs": _rows(found.pairs)})
        return
    _table("closest pairs", found.pairs, tuple(found.pairs.columns))
    screen.show(f"\ntree: {found.newick}")
    _notes((), csv)


def _matrix(found: TraitTree) -> pl.DataFrame:
    import polars as pl

    table = pl.DataFrame(found.similarity, schema=list(found.names)).fill_nan(None)
    return table.insert_column(0, pl.Series("trait", found.names))


def _check(csv: Path | None) -> None:
    if csv is not None:
        o.check_output_file(csv)


def _write(csv: Path | None, table: pl.DataFrame) -> None:
    if csv is not None:
        import polars as pl

        from genotex.formats import inert_frame

        joined = pl.col(pl.List(pl.String)).list.join("; ")
        o.write_text(csv, inert_frame(table.with_columns(joined)).write_csv())


def _rows(table: pl.DataFrame) -> list[dict[str, Any]]:
    rows = table.iter_rows(named=True)
    return [{name: _plain(value) for name, value in row.items()} for row in rows]


def _plain(value: Any) -> Any:
    """Return a value without NaN, which JSON does not have."""
    return None if isinstance(value, float) and value != value else value


def _table(title: str, table: pl.DataFrame, columns: tuple[str, ...]) -> None:
    more = f", the first {MOST_ROWS} of {table.height:,}" if table.height > MOST_ROWS else ""
    screen.show(f"\n{title}{more}" if table.height else f"\n{title}: none")
    if table.is_empty():
        return
    rows = []
    for row in _rows(table.head(MOST_ROWS).select(columns)):
        named = {name.replace("_", " "): value for name, value in row.items()}
        rows.append({**named, "trait": str(row.get("trait", "")).replace("_", " ")})
    screen.table([name.replace("_", " ") for name in columns], rows)


def _notes(notes: tuple[str, ...], csv: Path | None) -> None:
    for note in notes:
        screen.notify(note, "note")
    if csv is not None:
        screen.show(f"table: {csv}")
