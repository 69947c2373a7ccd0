"""What a report page shows: plain data, filled by the builder and read by the templates."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Answer",
    "CohortRow",
    "Column",
    "FeatureRead",
    "FigureView",
    "FileRow",
    "GeneRow",
    "GeneSetRow",
    "GeneSetsView",
    "GeneTableView",
    "GroupView",
    "InteractionRow",
    "InteractionView",
    "LogStep",
    "ReportPage",
    "TopGene",
    "UnansweredPage",
    "ValueRow",
]


@dataclass(frozen=True)
class GroupView:
    """A group of samples.

    Attributes
    ----------
    key : str
        Style of its mark: ``case``, ``control``, ``other``, ``unknown`` or ``level``.
    label : str
        Name for people.
    samples : int
        How many samples of the linked table are in it.
    raw : tuple of str
        The raw values that say so.
    tested : bool
        Whether the group takes part in the contrast.
    """

    key: str
    label: str
    samples: int
    raw: tuple[str, ...]
    tested: bool


@dataclass(frozen=True)
class TopGene:
    """One line of the short list: written numbers, and where its interval stands on the axis.

    The positions are percentages of the axis that all lines share.
    """

    symbol: str
    estimate: str
    interval: str
    q: str
    direction: str
    significant: bool
    low: float | None
    middle: float | None
    high: float | None


@dataclass(frozen=True)
class Answer:
    """The answer, before anything else is told.

    Attributes
    ----------
    significant, tested, up, down : int
        Counts of genes.
    count : str
        `significant` as it is written.
    headline, contrast : str
        Sentences.
    groups : tuple of GroupView
        Who was compared.
    top : tuple of TopGene
        First genes of the ranking.
    top_title : str
        What the short list is.
    zero : float or None
        Where "no change" stands on the axis of the short list, in percent.
    """

    significant: int
    tested: int
    up: int
    down: int
    count: str
    headline: str
    contrast: str
    groups: tuple[GroupView, ...]
    top: tuple[TopGene, ...]
    top_title: str
    zero: float | None


@dataclass(frozen=True)
class CohortRow:
    """A cohort of the trait, its flags, and why it was or was not used."""

    cohort: str
    url: str | None
    used: bool
    usable: str
    gene: str
    trait: str
    biased: str
    age: str
    gender: str
    samples: str
    reason: str


@dataclass(frozen=True)
class ValueRow:
    """A raw value, the code and role it got, and how many samples have it."""

    raw: str
    code: str
    role: str
    key: str
    samples: int


@dataclass(frozen=True)
class FeatureRead:
    """How trait, age or gender was read from the samples' descriptions."""

    name: str
    where: str
    confidence: str
    evidence: tuple[str, ...]
    values: tuple[ValueRow, ...]
    rest: str
    missing: str | None


@dataclass(frozen=True)
class FigureView:
    """A figure as inline SVG with the words that go with it."""

    key: str
    title: str
    svg: str
    caption: str
    alt: str
    wide: bool = False


@dataclass(frozen=True)
class Column:
    """A column of the gene table.

    Attributes
    ----------
    key : str
        Column of the genes' frame.
    label, explain : str
        Header, and what stands under it.
    csv : str
        Name in the CSV file.
    form : str
        How a number is written: ``signed``, ``fine``, ``plain``, ``p`` or ``count``;
        or ``text``.
    """

    key: str
    label: str
    explain: str
    csv: str
    form: str


@dataclass(frozen=True)
class GeneRow:
    """A gene's written values, in the order of the columns."""

    symbol: str
    significant: bool
    direction: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class GeneTableView:
    """The gene table of the page; the CSV beside it has every gene."""

    columns: tuple[Column, ...]
    rows: tuple[GeneRow, ...]
    total: int
    csv_name: str


@dataclass(frozen=True)
class InteractionRow:
    """A gene's written numbers: change, interaction coefficient, its p-value and q-value."""

    symbol: str
    cells: tuple[str, str, str, str]
    significant: bool


@dataclass(frozen=True)
class InteractionView:
    """The short table of genes whose change may depend on the condition.

    Attributes
    ----------
    title, sentence : str
        What it is, and what came of it.
    meaning : str
        What the interaction coefficient says.
    rows : tuple of InteractionRow
        First genes by the q-value of the interaction; empty when it could not be tested.
    """

    title: str
    sentence: str
    meaning: str
    rows: tuple[InteractionRow, ...]


@dataclass(frozen=True)
class GeneSetRow:
    """A gene set: written numbers, and the genes that make it stand out.

    Attributes
    ----------
    name, description : str
        As in the file of sets.
    size : str
        Genes of the set that were tested.
    score, q : str
        Normalised enrichment score along the ranking, and its q-value; empty without a ranking.
    direction : str
        ``up``, ``down`` or ``none``.
    found, found_q : str
        Significant genes of the set and how many chance would give, and the q-value; empty when
        over-representation was not tested.
    genes : str
        First genes of the set.
    more : int
        How many genes of the same kind follow.
    significant : bool
        By either test.
    """

    name: str
    description: str
    size: str
    score: str
    q: str
    direction: str
    found: str
    found_q: str
    genes: str
    more: int
    significant: bool


@dataclass(frozen=True)
class GeneSetsView:
    """The gene sets that the genes of the answer gather in.

    Attributes
    ----------
    sentences : tuple of str
        What was tested and what came of it.
    ranked, listed : bool
        Whether sets were tested along the ranking, and in the list of significant genes.
    rows : tuple of GeneSetRow
        First sets by p-value.
    meaning : str
        What the score says.
    genes_label : str
        Which genes of the sets are named.
    notes : tuple of str
        What a reader should know.
    file : str
        Place of the table of all sets in the output folder.
    """

    sentences: tuple[str, ...]
    ranked: bool
    listed: bool
    rows: tuple[GeneSetRow, ...]
    meaning: str
    genes_label: str
    notes: tuple[str, ...]
    file: str


@dataclass(frozen=True)
class LogStep:
    """One step of the processing: what, how many, and a remark."""

    name: str
    value: str
    remark: str = ""


@dataclass(frozen=True)
class FileRow:
    """An input file that was read."""

    name: str
    size: str
    used_for: str


@dataclass(frozen=True)
class ReportPage:
    """Everything on the page of one problem."""

    title: str
    trait: str
    condition: str | None
    question: str
    facts: tuple[tuple[str, str], ...]
    version: str
    answer: Answer
    warnings: tuple[str, ...]
    cohort: str
    cohort_url: str | None
    cohort_title: str
    cohort_reason: str
    cohorts: tuple[CohortRow, ...]
    features: tuple[FeatureRead, ...]
    reading_notes: tuple[str, ...]
    figures: tuple[FigureView, ...]
    table: GeneTableView
    interaction: InteractionView | None
    gene_sets: GeneSetsView | None
    log: tuple[LogStep, ...]
    notes: tuple[str, ...]
    methods: str
    files: tuple[FileRow, ...]
    written: str | None


@dataclass(frozen=True)
class UnansweredPage:
    """The page of a problem that no cohort can answer."""

    title: str
    trait: str
    condition: str | None
    question: str
    version: str
    cohorts: tuple[CohortRow, ...]
    written: str | None
