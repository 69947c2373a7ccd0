"""The gene table: its columns, each declared once, and how it is arranged.

Every file, page and data frame takes its columns from `GENE_TABLE`: the stored result those of
`stored_types`, all others those that `columns_at` selects at their level. To add a column, add a
row to `GENE_TABLE`: its values are put under its name by the test that computes them, or follow
from other columns (`derived`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.arrays import Flags, Floats
from genotex.options import RankBy

COLUMN_GROUPS = (
    "gene", "change", "statistic", "significance", "mixed", "levels", "surrogates", "size",
    "interaction", "panel", "status",
)  # fmt: skip
"""Order of the columns in reports; inside a group the order of the declaration holds."""

GRADES = ("robust", "sensitive", "masked")
"""A gene significant with and without adjustment for hidden factors; only without; only with."""
SELECTED = "selected"
"""The kind of a result whose genes were selected without tests."""
HALF_INTERVAL = 1.959963984540054
"""Half a 95 % interval in standard errors."""


_LAST = 100


class TableLevel(IntEnum):
    """How much a table of genes shows; each level has the columns of those before it."""

    SHORT = 1  # ``genes.csv``, `Result.table`, workbooks, AnnData
    FULL = 2  # the report and its CSV file, the workbench, `Result.genes`
    RECORD = 3  # the stored result: Parquet and JSON


SHORT, FULL, RECORD = TableLevel


@dataclass(frozen=True)
class GeneColumn:
    """A column of the gene table."""

    name: str  # In the stored result
    type: type[pl.DataType]  # Of its values
    group: str  # One of `COLUMN_GROUPS`
    csv: str  # Name in CSV files and data frames
    label: str  # Header on the page, and its explanation; ``{...}`` is filled in by the report
    help: str
    # How a number is written: ``signed``, ``fine``, ``plain``, ``size``, ``p``, ``count`` or
    # ``share``; or ``text``
    form: str
    on_page: bool = True  # Whether a page has room for it
    level: TableLevel = FULL  # The first level that shows it
    # Levels that show it even where it holds nothing; elsewhere it is then left out
    always: tuple[TableLevel, ...] = ()
    # Where it is in the short table; other tables have the order of `COLUMN_GROUPS`
    place: int = 50
    # Name of the column with the other end of an interval, which a page shows in one cell
    upper: str = ""
    derived: pl.Expr | None = None  # How it follows from other columns; it is then not stored
    # What differs by ``binary``, ``continuous`` or ``factor`` trait, for ``selected`` genes, by
    # what a contrast of a design tests (`DesignWords.column_kind`), or in the ``short`` table
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of(self, kind: str) -> GeneColumn:
        """Return the column as it is for a kind of trait, or for ``selected`` genes."""
        return replace(self, **self.variants.get(kind, {}))


def _number(
    name: str, group: str, csv: str, label: str, help_: str, form: str, **more: Any
) -> GeneColumn:
    return GeneColumn(name, pl.Float64, group, csv, label, help_, form, **more)


def _in_short(place: int) -> dict[str, Any]:
    """Return what a column of the short table has that is there in every analysis."""
    return {"level": SHORT, "always": (SHORT,), "place": place}


def _text(csv: str, label: str, help_: str) -> dict[str, Any]:
    return {"csv": csv, "label": label, "help": help_}


_WITHOUT_GROUPS = ("continuous", "factor", "combination", "unit", "coefficients", "differences")
_PARTIAL = _text("partial_r", "partial r", "partial correlation with the trait, given the covariates")  # fmt: skip  # noqa: E501
_PARTIAL_ERROR = _text("partial_r_standard_error", "partial r SE", "its standard error")


def _standardised_end(
    name: str, csv: str, label: str, help_: str, sign: int, **more: Any
) -> GeneColumn:
    """Return an end of the interval of Hedges' g, or of r by Fisher's z (Fisher 1921)."""
    size, error = pl.col("Standardised Effect"), pl.col("Standardised Error")
    half = sign * HALF_INTERVAL * error
    partial = {
        **_text(f"partial_r_{csv}", f"r {label}", f"{help_} the partial correlation"),
        "derived": (size.arctanh() + half / (1 - size**2)).tanh(),
    }
    return _number(
        name, "size", f"hedges_g_{csv}", f"g {label}", f"{help_} Hedges' g", "signed",
        level=SHORT, derived=size + half, variants=dict.fromkeys(_WITHOUT_GROUPS, partial), **more,
    )  # fmt: skip


GENE_TABLE: tuple[GeneColumn, ...] = (
    GeneColumn(
        "Variable", pl.String, "gene", "gene", "Gene", "official symbol", "text",
        level=SHORT, always=(SHORT, FULL), place=1,
    ),
    GeneColumn(
        "Coefficient", pl.Float64, "change", "change", "change", "change", "signed",
        **_in_short(2),
        variants={
            "short": {"csv": "log2_fold_change"},
            "binary": _text(
                "log2_fold_change", "log2 FC", "log2 fold change, case against control"
            ),
            "continuous": _text(
                "change_per_sd", "change / SD",
                "change of log2 expression for one standard deviation of the trait",
            ),
            "factor": _text(
                "largest_difference", "largest diff.", "largest difference between two levels"
            ),
            "levels": _text("log2_fold_change", "log2 FC", "{coefficient}"),
            "combination": _text("log2_fold_change", "log2 FC", "{coefficient}"),
            "unit": _text("change_per_unit", "change / unit", "{coefficient}"),
            "differences": _text(
                "largest_difference", "largest diff.", "largest difference to the reference level"
            ),
            "coefficients": _text("largest_coefficient", "largest coef.", "{coefficient}"),
            SELECTED: {
                **_text("coefficient", "coefficient", "coefficient in the Lasso"), "form": "fine",
            },
        },
    ),
    GeneColumn(
        "Absolute Coefficient", pl.Float64, "change", "absolute_coefficient", "|coefficient|",
        "its absolute value, which ranks", "size", level=RECORD,
        variants={SELECTED: {"level": FULL}},
    ),
    _number("Standard Error", "change", "standard_error", "SE",
            "standard error of the change", "plain", on_page=False),
    _number("CI Lower", "change", "ci_low", "95 % interval",
            "95 % confidence interval of the change", "signed", upper="CI Upper", **_in_short(3)),
    _number("CI Upper", "change", "ci_high", "95 % high",
            "upper end of the interval", "signed", on_page=False, **_in_short(4)),
    _number("t", "statistic", "t", "t", "{of_t} statistic", "signed", **_in_short(6)),
    _number("p", "significance", "p", "p", "p-value of the {of_p}", "p",
            **_in_short(7)),
    _number("q", "significance", "q", "q",
            "Benjamini-Hochberg q-value (false discovery rate)", "p", **_in_short(8)),
    GeneColumn("Grade", pl.String, "significance", "grade", "grade",
               "robust: significant with and without adjustment for hidden factors; sensitive: "
               "only without; masked: only with", "text", **_in_short(9)),
    _number("Replication", "significance", "replication", "replication",
            "chance that an independent cohort shows the gene again: same direction, p < 0.05",
            "share", **_in_short(10)),
    _number("Samples to Settle", "significance", "samples_to_settle", "to settle",
            "samples, in two equal groups, that raise this chance to 80 %; empty above 1,000",
            "count", on_page=False),
    _number("Mean Expression", "size", "mean", "mean",
            "mean log2 expression over the samples tested", "plain", **_in_short(5)),
    GeneColumn(
        "Standardised Effect", pl.Float64, "size", "hedges_g", "Hedges' g",
        "difference in sds within {within}, as the covariates leave them", "signed", level=SHORT,
        variants=dict.fromkeys(_WITHOUT_GROUPS, _PARTIAL),
    ),
    GeneColumn(
        "Standardised Error", pl.Float64, "size", "hedges_g_standard_error", "Hedges' g SE",
        "its standard error", "plain", on_page=False,
        variants=dict.fromkeys(_WITHOUT_GROUPS, _PARTIAL_ERROR),
    ),
    _standardised_end("Standardised CI Lower", "ci_low", "95 % interval",
                      "95 % confidence interval of", -1, upper="Standardised CI Upper"),
    _standardised_end("Standardised CI Upper", "ci_high", "95 % high",
                      "upper end of the interval of", 1, on_page=False),
    GeneColumn("Samples", pl.Int64, "size", "n", "n", "samples with a value", "count"),
    _number("F", "statistic", "f", "F", "moderated F statistic of any difference", "plain",
            level=SHORT, place=90, variants={"short": {"csv": "F"}}),
    _number("Departure F", "levels", "departure_f", "dep. F",
            "moderated F of a departure from the line", "plain", on_page=False),
    _number("Departure p", "levels", "departure_p", "dep. p",
            "p-value of a departure from the line", "p", on_page=False),
    _number("Departure q", "levels", "departure_q", "dep. q",
            "q-value of a departure from the line", "p"),
    _number("Panel Coefficient", "panel", "panel_coefficient", "panel",
            "coefficient in the sparse panel", "signed"),
    _number("Selection Frequency", "panel", "selection_frequency", "chosen",
            "share of half-samples in which the panel chooses the gene", "share"),
    _number("Mixed Coefficient", "mixed", "mixed_coefficient", "mixed b",
            "mixed model: change of the trait per unit of log2 expression", "fine", on_page=False),
    _number("Mixed Standard Error", "mixed", "mixed_standard_error", "mixed SE",
            "its standard error", "plain", on_page=False),
    _number("Mixed t", "mixed", "mixed_t", "mixed t",
            "t statistic of the mixed model", "signed", on_page=False),
    _number("Mixed p", "mixed", "mixed_p", "mixed p", "p-value of the mixed model", "p"),
    _number("Mixed q", "mixed", "mixed_q", "mixed q", "q-value of the mixed model", "p"),
    _number("With SV Coefficient", "surrogates", "with_sv_change", "with SV",
            "change with surrogate variables", "signed", on_page=False),
    _number("With SV p", "surrogates", "with_sv_p", "p with SV",
            "p-value with surrogate variables", "p", on_page=False),
    _number("With SV q", "surrogates", "with_sv_q", "q with SV",
            "q-value with surrogate variables", "p", on_page=False),
    _number("Without SV Coefficient", "surrogates", "without_sv_change", "without SV",
            "change without surrogate variables", "signed", on_page=False),
    _number("Without SV p", "surrogates", "without_sv_p", "p without SV",
            "p-value without surrogate variables", "p", on_page=False),
    _number("Without SV q", "surrogates", "without_sv_q", "q without SV",
            "q-value without surrogate variables", "p", on_page=False),
    _number("Interaction Coefficient", "interaction", "interaction", "inter. b",
            "{interaction}: {meaning}", "fine"),
    _number("Interaction Standard Error", "interaction", "interaction_standard_error",
            "inter. SE", "standard error of the {interaction}", "fine", on_page=False),
    _number("Interaction t", "interaction", "interaction_t", "inter. t",
            "moderated t of the {interaction}", "signed", on_page=False),
    _number("Interaction p", "interaction", "interaction_p", "inter. p",
            "p-value of the {interaction}", "p", on_page=False),
    _number("Interaction q", "interaction", "interaction_q", "inter. q",
            "q-value of the {interaction}", "p"),
    GeneColumn("Status", pl.String, "status", "status", "status",
               "whether the gene was tested, or why not", "text", on_page=False,
               variants={SELECTED: {"level": RECORD}}),
    GeneColumn(
        "Significant", pl.Boolean, "status", "significant", "significant",
        "whether the gene is significant", "text", on_page=False, always=(FULL,),
        variants={SELECTED: _text("selected", "selected", "whether the gene is selected")},
    ),
)  # fmt: skip


def stored_types() -> dict[str, type[pl.DataType]]:
    """Return name and type of the columns of a stored result, in order.

    They are null where a gene was not tested. A factor adds three columns for each pair of its
    levels (`pair_columns`), an F test three for each coefficient (`coefficient_columns`).
    """
    return {column.name: column.type for column in GENE_TABLE if column.derived is None}


def complete_genes(genes: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Return a stored table with every column of `GENE_TABLE`: those that it lacks are null.

    `kind` is that of `GeneColumn.of`; NaN becomes null.
    """
    stored = stored_types()
    there = [
        pl.col(name).cast(type_).alias(name)
        if name in genes.columns
        else pl.lit(None, type_).alias(name)
        for name, type_ in stored.items()
    ]
    numbers = [name for name, type_ in stored.items() if type_ is pl.Float64]
    full = genes.select(*there, pl.exclude(*stored)).with_columns(pl.col(numbers).fill_nan(None))
    columns = [column.of(kind) for column in GENE_TABLE]
    return full.with_columns(
        each.derived.cast(each.type).alias(each.name)
        for each in columns
        if each.derived is not None
    )


def columns_at(
    level: TableLevel,
    kind: str,
    genes: pl.DataFrame,
    more: Iterable[GeneColumn] = (),
    *,
    mixed_ranks: bool = False,
) -> tuple[GeneColumn, ...]:
    """Return the columns of the short or the full table that hold anything, in order.

    `kind` is that of `GeneColumn.of`, `genes` a table of `complete_genes`, `more` are columns of
    pairs of levels or of several coefficients. Where the mixed model ranks, its columns come first.
    """
    every = [column.of(kind) for column in (*GENE_TABLE, *more)]
    if level is SHORT:
        every = sorted((column.of("short") for column in every), key=lambda column: column.place)
    else:
        order = list(COLUMN_GROUPS)
        if mixed_ranks:
            order.remove("mixed")
            order.insert(order.index("statistic"), "mixed")
        every.sort(key=lambda column: order.index(column.group))
    return tuple(
        column
        for column in every
        if column.level <= level
        and (level in column.always or genes[column.name].null_count() < genes.height)
    )


def select_columns(genes: pl.DataFrame, columns: Sequence[GeneColumn]) -> pl.DataFrame:
    """Return the columns of a table under their names in CSV files and data frames."""
    return genes.select(pl.col(column.name).alias(column.csv) for column in columns)


def undeclared_columns(genes: pl.DataFrame) -> tuple[GeneColumn, ...]:
    """Return columns of the short table for pairs of levels and coefficients, as they are named."""
    declared = {column.name for column in GENE_TABLE}
    return tuple(
        _number(name, "levels", name, name, "", "plain", level=SHORT, place=_LAST)
        for name in genes.columns
        if name not in declared
    )


def coefficient_columns(name: str, label: str, *, on_page: bool) -> tuple[GeneColumn, ...]:
    """Return the columns of one of several coefficients of a design, called `label` on the page."""
    return _test_columns(name, label, "coefficient", f"coefficient {label}", on_page)


def pair_columns(pair: str, *, on_page: bool) -> tuple[GeneColumn, ...]:
    """Return the columns that a factor adds for a pair of levels such as ``1 vs 0``."""
    change = f"difference of log2 expression, {pair}"
    return _test_columns(pair, pair, "difference", change, on_page)


def _test_columns(
    name: str, label: str, what: str, change: str, on_page: bool
) -> tuple[GeneColumn, ...]:
    key, tested = label.replace(" ", "_"), f"{what} {label}"
    return (
        _number(f"{name} Coefficient", "levels", f"{what}_{key}", label, change, "signed",
                on_page=on_page),
        _number(f"{name} p", "levels", f"p_{key}", f"p {label}", f"p-value of the {tested}", "p",
                on_page=False),
        _number(f"{name} q", "levels", f"q_{key}", f"q {label}", f"q-value of the {tested}", "p",
                on_page=on_page),
    )  # fmt: skip


def arrange_genes(
    names: Sequence[str],
    status: NDArray[np.str_],
    columns: Mapping[str, Floats],
    grade: NDArray[np.str_],
    *,
    q_cut: float,
    min_effect: float,
    test: str = "",
    by: RankBy = "p",
) -> pl.DataFrame:
    """Put the tested genes in order, then the others as in the table, with all of `stored_types`.

    The order is that of p-values; by ``replication``, significant genes come first by the chance
    that another cohort shows them. A gene is significant when its q-value is below `q_cut` and its
    coefficient at least `min_effect`. `test` is the start of the names of the columns that rank:
    empty, or ``Mixed``. A column of `stored_types` that was not found stays null; others (pairs of
    levels) come last.
    """
    # Shapes: names, p of them; status (p,), ``tested`` or why not; columns, grade (m,), of those
    # tested.
    tested = status == "tested"
    statistic = columns[f"{test}t"] if f"{test}t" in columns else columns["F"]
    significant = (columns[f"{test}q"] < q_cut) & (columns["Absolute Coefficient"] >= min_effect)
    keys = [-np.abs(statistic), columns[f"{test}p"]]
    if by == "replication" and "Replication" in columns:
        keys += [np.where(significant, -columns["Replication"], 0.0)]
    order = np.lexsort(keys)
    rest = np.flatnonzero(~tested)
    place = np.concatenate([np.flatnonzero(tested)[order], rest])
    known: dict[str, pl.Series] = {
        "Variable": pl.Series([names[i] for i in place], dtype=pl.String),
        "Status": pl.Series(status[place].tolist(), dtype=pl.String),
        "Significant": pl.Series([*significant[order].tolist(), *[False] * len(rest)]),
        "Grade": pl.Series([*(str(g) or None for g in grade[order]), *[None] * len(rest)]),
    }
    for name, column in columns.items():
        full = np.concatenate([column[order], np.full(len(rest), np.nan)])
        known[name] = pl.Series(full).fill_nan(None)
    nothing = pl.Series([None] * len(place))
    kinds = stored_types()
    kinds |= {name: pl.Float64 for name in columns if name not in kinds}
    return pl.DataFrame(
        [known.get(name, nothing).cast(kind).alias(name) for name, kind in kinds.items()]
    )


def describe_selection(genes: pl.DataFrame, related: Collection[str]) -> dict[str, float] | None:
    """Return how the significant genes overlap with the related genes of the trait, in percent.

    Only related genes that are in the table count; None where there are none. A description:
    nothing is chosen by it.
    """
    known = genes["Variable"].is_in(list(related)).to_numpy()
    if not known.any():
        return None
    return score_selection(genes["Significant"].fill_null(False).to_numpy(), known)


def score_selection(selected: Flags, related: Flags) -> dict[str, float]:
    """Score selected genes against the related genes, in percent."""
    # Shapes: selected (p,), related (p,).
    # Returns ``precision``, ``recall``, ``f1``, ``jaccard``; 0 where nothing can be divided.
    hits, chosen, known = int((selected & related).sum()), int(selected.sum()), int(related.sum())
    precision, recall = percent(hits, chosen), percent(hits, known)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if hits else 0.0,
        "jaccard": percent(hits, chosen + known - hits),
    }


def percent(part: int, whole: int) -> float:
    """Return a share in percent; 0 of nothing."""
    return 100.0 * (part / whole) if whole else 0.0
