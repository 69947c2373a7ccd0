"""The columns of the gene table, each declared once.

The analysis takes names and types from here; the report takes the names of its CSV file and what
its page shows; ``genes.csv`` and `genotex.de` those with a place in the short table. To add a
column, add a row to `GENE_TABLE`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import polars as pl

COLUMN_GROUPS = (
    "gene", "change", "statistic", "significance", "mixed", "levels", "surrogates", "size",
    "interaction", "panel", "status",
)  # fmt: skip
"""Order of the columns in reports; inside a group the order of the declaration holds."""

TESTED, SELECTED = "tested", "selected"
_BOTH = frozenset({TESTED, SELECTED})


@dataclass(frozen=True)
class GeneColumn:
    """A column of the gene table.

    Attributes
    ----------
    name : str
        In the table of all genes and in the JSON of the result.
    type : polars data type
        Of its values.
    group : str
        One of `COLUMN_GROUPS`.
    csv : str
        Name in the CSV file of the report.
    label, help : str
        Header on the page, and its explanation; ``{...}`` is filled in by the report.
    form : str
        How a number is written: ``signed``, ``fine``, ``plain``, ``size``, ``p``, ``count`` or
        ``share``; or ``text``.
    on_page : bool
        Whether the page has room for it; the CSV file has all columns.
    reported_for : frozenset of str
        Whether genes that were ``tested``, ``selected`` (procedure ``benchmark``) or both have it
        in reports.
    short : int
        Place in the short table of genes, counted from 1; 0 where it is not there.
    variants : mapping of str to mapping
        What differs by ``binary``, ``continuous`` or ``factor`` trait, for ``selected`` genes, or
        by what a contrast of a design tests (`DesignWords.column_kind`).
    """

    name: str
    type: type[pl.DataType]
    group: str
    csv: str
    label: str
    help: str
    form: str
    on_page: bool = True
    reported_for: frozenset[str] = frozenset({TESTED})
    short: int = 0
    variants: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def of(self, kind: str) -> GeneColumn:
        """Return the column as it is for a kind of trait, or for ``selected`` genes."""
        return replace(self, **self.variants.get(kind, {}))  # type: ignore[arg-type]


def _number(
    name: str,
    group: str,
    csv: str,
    label: str,
    help_: str,
    form: str,
    *,
    on_page: bool = True,
    short: int = 0,
) -> GeneColumn:
    return GeneColumn(name, pl.Float64, group, csv, label, help_, form, on_page, short=short)


def _text(csv: str, label: str, help_: str) -> dict[str, str]:
    return {"csv": csv, "label": label, "help": help_}


_WITHOUT_GROUPS = ("continuous", "factor", "combination", "unit", "coefficients", "differences")
_PARTIAL = _text("partial_r", "partial r", "partial correlation with the trait, given the covariates")  # fmt: skip  # noqa: E501
_PARTIAL_ERROR = _text("partial_r_standard_error", "partial r SE", "its standard error")

GENE_TABLE: tuple[GeneColumn, ...] = (
    GeneColumn(
        "Variable", pl.String, "gene", "gene", "Gene", "official symbol", "text",
        reported_for=_BOTH, short=1,
    ),
    GeneColumn(
        "Coefficient", pl.Float64, "change", "change", "change", "change", "signed",
        reported_for=_BOTH, short=2,
        variants={
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
        "its absolute value, which ranks", "size", reported_for=frozenset({SELECTED}),
    ),
    _number("Standard Error", "change", "standard_error", "SE",
            "standard error of the change", "plain", on_page=False),
    _number("CI Lower", "change", "ci_low", "95 % interval",
            "95 % confidence interval of the change", "signed", short=3),
    _number("CI Upper", "change", "ci_high", "95 % high",
            "upper end of the interval", "signed", on_page=False, short=4),
    _number("t", "statistic", "t", "t", "moderated t statistic", "signed", short=6),
    _number("p", "significance", "p", "p", "p-value of the moderated {statistic}", "p",
            short=7),
    _number("q", "significance", "q", "q",
            "Benjamini-Hochberg q-value (false discovery rate)", "p", short=8),
    _number("Mean Expression", "size", "mean", "mean",
            "mean log2 expression over the samples tested", "plain", short=5),
    GeneColumn(
        "Standardised Effect", pl.Float64, "size", "hedges_g", "Hedges' g",
        "difference in sds within {within}, as the covariates leave them", "signed",
        variants=dict.fromkeys(_WITHOUT_GROUPS, _PARTIAL),
    ),
    GeneColumn(
        "Standardised Error", pl.Float64, "size", "hedges_g_standard_error", "Hedges' g SE",
        "its standard error", "plain", on_page=False,
        variants=dict.fromkeys(_WITHOUT_GROUPS, _PARTIAL_ERROR),
    ),
    GeneColumn("Samples", pl.Int64, "size", "n", "n", "samples with a value", "count"),
    _number("F", "statistic", "f", "F", "moderated F statistic of any difference", "plain"),
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
            "q-value with surrogate variables", "p"),
    _number("Without SV Coefficient", "surrogates", "without_sv_change", "without SV",
            "change without surrogate variables", "signed", on_page=False),
    _number("Without SV p", "surrogates", "without_sv_p", "p without SV",
            "p-value without surrogate variables", "p", on_page=False),
    _number("Without SV q", "surrogates", "without_sv_q", "q without SV",
            "q-value without surrogate variables", "p"),
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
               "whether the gene was tested, or why not", "text", on_page=False),
    GeneColumn(
        "Significant", pl.Boolean, "status", "significant", "significant",
        "whether the gene is significant", "text", on_page=False, reported_for=_BOTH,
        variants={SELECTED: _text("selected", "selected", "whether the gene is selected")},
    ),
)  # fmt: skip

GENE_COLUMNS: dict[str, type[pl.DataType]] = {column.name: column.type for column in GENE_TABLE}
"""Columns of the table of all genes; null where a gene was not tested. A factor adds three columns
for each pair of its levels (`genotex.analysis.gene_tests.factor_columns`, `pair_columns`)."""

RESULT_COLUMNS: dict[str, str] = {
    column.of("binary").csv: column.name
    for column in sorted(GENE_TABLE, key=lambda column: column.short)
    if column.short
}
"""Columns of the short table of genes, and where they come from."""


def coefficient_columns(name: str, label: str, *, on_page: bool) -> tuple[GeneColumn, ...]:
    """Return the columns of one of several coefficients of a design, called `label` on the page."""
    key = label.replace(" ", "_")
    return (
        _number(f"{name} Coefficient", "levels", f"coefficient_{key}", label,
                f"coefficient {label}", "signed", on_page=on_page),
        _number(f"{name} p", "levels", f"p_{key}", f"p {label}",
                f"p-value of the coefficient {label}", "p", on_page=False),
        _number(f"{name} q", "levels", f"q_{key}", f"q {label}",
                f"q-value of the coefficient {label}", "p", on_page=on_page),
    )  # fmt: skip


def pair_columns(pair: str, *, on_page: bool) -> tuple[GeneColumn, ...]:
    """Return the columns that a factor adds for a pair of levels such as ``1 vs 0``."""
    key = pair.replace(" ", "_")
    return (
        _number(f"{pair} Coefficient", "levels", f"difference_{key}", pair,
                f"difference of log2 expression, {pair}", "signed", on_page=on_page),
        _number(f"{pair} p", "levels", f"p_{key}", f"p {pair}",
                f"p-value of the difference {pair}", "p", on_page=False),
        _number(f"{pair} q", "levels", f"q_{key}", f"q {pair}",
                f"q-value of the difference {pair}", "p", on_page=on_page),
    )  # fmt: skip
