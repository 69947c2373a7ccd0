"""The procedures, and every decision in which they differ, declared once.

Code asks for a decision (``procedure.first_integer_age``), never for the procedure's name. To let
the procedures differ in one more matter, add a row to `Decisions` and to the table in
docs/benchmark-procedure.md.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Generic, NoReturn, TypeVar, overload

from genotex.errors import UsageError

Choice = TypeVar("Choice")


class _Decision(Generic[Choice]):
    """A matter that the procedures decide differently; on a procedure, what it chooses.

    `meaning`: what is chosen, in one sentence. `sound`, `benchmark`: the choice of each procedure.
    """

    def __init__(self, meaning: str, *, sound: Choice, benchmark: Choice) -> None:
        self.meaning = meaning
        self.choices = {"sound": sound, "benchmark": benchmark}

    @overload
    def __get__(self, procedure: None, owner: type) -> _Decision[Choice]: ...

    @overload
    def __get__(self, procedure: Decisions, owner: type) -> Choice: ...

    def __get__(self, procedure: Decisions | None, owner: type) -> _Decision[Choice] | Choice:
        """Return the choice of a procedure; on the class, the decision itself."""
        return self if procedure is None else self.choices[str(procedure)]


class Decisions:
    """All decisions in which the procedures differ, in the order of the pipeline."""

    # Clinical features
    reads_sample_texts = _Decision(
        "Titles, source names and descriptions of samples count as rows for the trait, and are "
        "searched for a feature that the characteristics do not record.",
        sound=True,
        benchmark=False,
    )
    finds_values_by_key = _Decision(
        "A sample's value is found by its key in any characteristic; otherwise one row is used as "
        "it is.",
        sound=True,
        benchmark=False,
    )
    first_integer_age = _Decision(
        "An age is the first whole number of its cell, whatever its unit.",
        sound=False,
        benchmark=True,
    )
    other_sample_type_code: _Decision[float | None] = _Decision(
        "Trait of a TCGA sample that is neither tumour nor normal tissue; none leaves it out.",
        sound=None,
        benchmark=-1.0,
    )

    # Expression
    uses_ncbi_counts = _Decision(
        "NCBI's counts stand in for the empty expression table of an RNA-seq series.",
        sound=True,
        benchmark=False,
    )
    prefers_pan_cancer_table = _Decision(
        "Of two TCGA expression tables, the one normalised over all cancers is read.",
        sound=False,
        benchmark=True,
    )
    logs_linear_values = _Decision(
        "Expression on a linear scale is log2-transformed.", sound=True, benchmark=False
    )

    # Genes of rows
    scans_for_symbols = _Decision(
        "A gene cell is scanned for words that look like symbols, not split at its separators.",
        sound=False,
        benchmark=True,
    )
    prefers_descriptions_to_entrez = _Decision(
        "Without a column of symbols, descriptions are scanned before Entrez ids are used.",
        sound=False,
        benchmark=True,
    )
    drops_ambiguous_aliases = _Decision(
        "An alias of several genes is dropped; otherwise it names the last of them in the gene "
        "table.",
        sound=True,
        benchmark=False,
    )
    divides_rows_among_genes = _Decision(
        "A row of several genes is divided among them and a gene is the sum of its rows; otherwise "
        "such rows are dropped and a gene is the mean of its rows.",
        sound=False,
        benchmark=True,
    )
    keeps_rows_without_map = _Decision(
        "Where no map brings probes to genes, the probes themselves are tested.",
        sound=True,
        benchmark=False,
    )
    gene_values = _Decision(
        "What the value of a gene is, for messages.",
        sound="means over probes on the log2 scale",
        benchmark="sums over probes on the scale of the input",
    )

    # Analysis
    analyses_filled_tables = _Decision(
        "Missing values of the linked table are filled before the analysis.",
        sound=False,
        benchmark=True,
    )
    chooses_controls = _Decision(
        "The analysis may compare cases with healthy controls alone, not with all samples.",
        sound=True,
        benchmark=False,
    )
    leaves_uncertain_cohorts = _Decision(
        "Cohorts whose groups are uncertain are left for review where another cohort fits.",
        sound=True,
        benchmark=False,
    )
    needs_related_genes = _Decision(
        "The genes known to be related to the trait are required; they choose the penalty.",
        sound=False,
        benchmark=True,
    )
    tests_genes = _Decision(
        "Every gene is tested, with effect, standard error and p-value; otherwise a Lasso selects "
        "genes.",
        sound=True,
        benchmark=False,
    )


class Procedure(Decisions, StrEnum):
    """A procedure, from raw files to genes; also its name, as a text.

    ``Procedure(name)`` makes one from a text. What it does differently from the other one are its
    attributes, listed in `Decisions`.
    """

    SOUND = "sound"
    BENCHMARK = "benchmark"

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        msg = f"procedure {value!r} is not known; use {' or '.join(cls)}"
        raise UsageError(msg)

    def __repr__(self) -> str:
        """Return the name in quotes, as generated code and messages write it."""
        return repr(self.value)

    @classmethod
    def decisions(cls) -> dict[str, _Decision[Any]]:
        """Return all decisions by name, in the order of the pipeline."""
        return {name: each for name, each in vars(Decisions).items() if isinstance(each, _Decision)}
