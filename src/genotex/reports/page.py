"""What a report page shows: plain data, filled by the builder and read by the templates."""

from __future__ import annotations

from dataclasses import dataclass

from genotex.reports.sections import FigureView, GeneSetsView, InteractionView, Section

__all__ = [
    "Answer",
    "CohortRow",
    "Column",
    "FeatureRead",
    "FigureView",
    "FileRow",
    "GeneRow",
    "GeneTableView",
    "GroupView",
    "LogStep",
    "Remark",
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
    samples, compared : int
        How many samples of the linked table are in it, and how many of them take part in the
        contrast.
    raw : tuple of str
        The raw values that say so.
    """

    key: str
    label: str
    samples: int
    compared: int
    raw: tuple[str, ...]

    @property
    def tested(self) -> bool:
        """Whether the group takes part in the contrast."""
        return self.compared > 0


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
class Remark:
    """A line of the answer and the section that tells more."""

    text: str
    section: str


@dataclass(frozen=True)
class Answer:
    """The answer, before anything else is told.

    Attributes
    ----------
    significant, tested, up, down : int
        Counts of genes; ``significant`` means selected where there are no tests.
    count, noun : str
        `significant` as it is written, and what these genes are.
    headline, contrast : str
        Sentences.
    remarks : tuple of Remark
        What else bears on the answer, each with the section that tells more.
    groups : tuple of GroupView
        Who was compared.
    top : tuple of TopGene
        First genes of the ranking.
    top_title : str
        What the short list is.
    zero : float or None
        Where "no change" stands on the axis of the short list, in percent.
    order : str
        What the ranking is by.
    change, axis, q : str
        Headers of the short list; no q-value without tests.
    """

    significant: int
    tested: int
    up: int
    down: int
    count: str
    noun: str
    headline: str
    contrast: str
    groups: tuple[GroupView, ...]
    top: tuple[TopGene, ...]
    top_title: str
    zero: float | None
    order: str
    change: str
    axis: str
    q: str
    remarks: tuple[Remark, ...] = ()


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
    """A raw value, the code and role it got, how many samples have it, and why."""

    raw: str
    code: str
    role: str
    key: str
    samples: int
    why: str = ""


@dataclass(frozen=True)
class FeatureRead:
    """How trait, age or gender was read from the samples' descriptions.

    Attributes
    ----------
    name, where : str
        What was read, and from where.
    confidence : str
        ``explicit``, ``inferred`` or ``arguable``; empty when nobody says.
    mark : str
        What the tag beside the name says: the confidence, or where it was inferred from.
    evidence : tuple of str
        Why, as sentences.
    values : tuple of ValueRow
        Raw values, or the first of many.
    rest : str
        What the values that are not shown amount to.
    missing : str or None
        Why it is not available.
    certainty : str
        How sure, as a sentence; empty when not measured.
    runner_up : str
        What came second, as a sentence.
    amount : str
        How many samples of which kind, as a sentence.
    """

    name: str
    where: str
    confidence: str
    mark: str
    evidence: tuple[str, ...]
    values: tuple[ValueRow, ...]
    rest: str
    missing: str | None
    certainty: str = ""
    runner_up: str = ""
    amount: str = ""


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
        How a number is written: ``signed``, ``fine``, ``plain``, ``size``, ``p``, ``count`` or
        ``share``; or ``text``.
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
    """The gene table of the page; the CSV beside it has every gene.

    Attributes
    ----------
    columns : tuple of Column
        Headers.
    rows : tuple of GeneRow
        The genes shown.
    total : int
        Genes in the CSV file.
    csv_name : str
        The file beside the page.
    title : str
        How many of how many, and in which order.
    sorted_by : str
        Key of the column that orders the rows.
    sort : str
        ``ascending`` or ``descending``.
    filters : bool
        Whether some of the rows are significant and others are not.
    """

    columns: tuple[Column, ...]
    rows: tuple[GeneRow, ...]
    total: int
    csv_name: str
    title: str = ""
    sorted_by: str = "p"
    sort: str = "ascending"
    filters: bool = True


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
    sections: tuple[Section, ...]
    log: tuple[LogStep, ...]
    notes: tuple[str, ...]
    methods: str
    files: tuple[FileRow, ...]
    written: str | None


@dataclass(frozen=True)
class UnansweredPage:
    """The page of a problem that no cohort can answer.

    `readings` holds, for each cohort that was read, how its trait, age and gender were told.
    """

    title: str
    trait: str
    condition: str | None
    question: str
    version: str
    cohorts: tuple[CohortRow, ...]
    written: str | None
    why: str = ""
    readings: tuple[tuple[str, tuple[FeatureRead, ...]], ...] = ()
