"""The plain objects that the functions of the toolkit give and take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from genotex.agents.task import Task
from genotex.agents.toolkit.tables import Table, listed
from genotex.agents.toolkit.tool import Made
from genotex.clinical import EncodedFeature, FeatureEncoding
from genotex.cohorts.geo_files import RawSeries
from genotex.cohorts.judging import FilledCohort, JudgedCohort, LinkedCohort
from genotex.cohorts.tcga_files import RawClinical, RawExpression
from genotex.formats import ExpressionMatrix, LinkedTable, Platform
from genotex.genes import GeneMapping, RowGenes
from genotex.layout import GeoCohortFiles, TcgaCohortFiles

__all__ = [
    "Annotation",
    "ClinicalColumns",
    "ClinicalTable",
    "CohortFiles",
    "Expression",
    "Feature",
    "FilledTable",
    "Genes",
    "JudgedTable",
    "LinkedSamples",
    "MappedRows",
    "OfSamples",
    "SeriesText",
]


@dataclass(frozen=True, eq=False)
class CohortFiles(Made):
    """The files of one cohort; `geo` or `tcga` is set."""

    made_by: ClassVar[str] = "find_files(task)"
    task: Task
    geo: GeoCohortFiles | None = None
    tcga: TcgaCohortFiles | None = None

    @property
    def by_purpose(self) -> dict[str, tuple[Path, ...]]:
        """The files by what they hold."""
        if self.geo is not None:
            return {
                "series matrix": self.geo.matrices,
                "family SOFT": self.geo.family_soft,
                "platform table": self.geo.platforms,
            }
        assert self.tcga is not None
        found = {
            "clinical matrix": self.tcga.clinical,
            "expression": self.tcga.expression,
            "PANCAN-normalised expression": self.tcga.expression_pancan,
        }
        return {purpose: () if path is None else (path,) for purpose, path in found.items()}

    def __repr__(self) -> str:
        """List the files by what they hold."""
        lines = (
            f"  {what}: {listed([p.name for p in ps])}" for what, ps in self.by_purpose.items()
        )
        return "\n".join([f"files of {self.task.cohort}", *lines])


@dataclass(frozen=True, eq=False)
class SeriesText(Made):
    """What a GEO series says of itself and its samples, without their expression."""

    made_by: ClassVar[str] = "read_series(files)"
    task: Task
    files: GeoCohortFiles
    raw: RawSeries

    @property
    def background(self) -> str:
        """Title, summary and design, as one text."""
        series = self.raw.series
        parts = {
            "Title": series.title,
            "Type": ", ".join(series.series_fields.get("type", ())),
            "Summary": series.summary,
            "Overall design": series.overall_design,
        }
        return "\n".join(f"{name}: {text}" for name, text in parts.items() if text)

    @property
    def samples(self) -> tuple[str, ...]:
        """Sample ids in file order."""
        return self.raw.series.samples

    def __repr__(self) -> str:
        """Tell what was read."""
        series = self.raw.series
        return (
            f"{self.task.cohort} on {series.platform}: {len(series.samples)} samples, "
            f"{len(series.characteristics)} rows of characteristics"
        )


@dataclass(frozen=True, eq=False)
class ClinicalColumns(Made):
    """The clinical matrix of a TCGA study."""

    made_by: ClassVar[str] = "read_clinical_matrix(files)"
    task: Task
    files: TcgaCohortFiles
    raw: RawClinical

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.raw.matrix.table.columns)

    @property
    def samples(self) -> tuple[str, ...]:
        """Sample ids (barcodes) in file order."""
        return self.raw.matrix.samples

    def __repr__(self) -> str:
        """Tell what was read."""
        return f"{self.files.name}: {len(self.samples)} samples, {len(self.names)} columns"


@dataclass(frozen=True, eq=False)
class Feature(Made):
    """Trait, age or gender of all samples, and how it was coded."""

    made_by: ClassVar[str] = "encode_feature(...)"
    encoding: FeatureEncoding
    encoded: EncodedFeature
    samples: tuple[str, ...]

    @property
    def codes(self) -> NDArray[np.float64]:
        """One code for each sample; NaN is missing."""
        return self.encoded.codes

    @property
    def known(self) -> int:
        """Number of samples with a code."""
        return int((~np.isnan(self.codes)).sum())

    def __repr__(self) -> str:
        """Tell how many samples have which code."""
        return f"{self.encoding.feature} ({self.encoding.kind}): {self.summary}"

    @property
    def summary(self) -> str:
        """How many samples have which code, or the range of a measured feature."""
        known = self.codes[~np.isnan(self.codes)]
        missing = f"missing in {len(self.codes) - len(known)} of {len(self.codes)} samples"
        if self.encoding.kind == "continuous" and len(known):
            return f"{known.min():g} to {known.max():g}, mean {known.mean():.4g}; {missing}"
        levels, counts = np.unique(known, return_counts=True)
        shown = (f"{level:g}: {n} samples" for level, n in zip(levels, counts, strict=True))
        return f"{', '.join(shown)}; {missing}"


@dataclass(frozen=True, eq=False, repr=False)
class ClinicalTable(Table):
    """The clinical features of a cohort, features x samples."""

    made_by: ClassVar[str] = "clinical_table(...)"
    task: Task
    source: SeriesText | ClinicalColumns
    trait: Feature | None = None
    age: Feature | None = None
    gender: Feature | None = None
    why_no_trait: str = ""

    @property
    def features(self) -> Mapping[str, Feature]:
        """Features by the names of their rows, as far as they are told."""
        named = {self.task.trait: self.trait, "Age": self.age, "Gender": self.gender}
        return {name: feature for name, feature in named.items() if feature is not None}

    @property
    def rows(self) -> tuple[str, ...]:
        """Trait, Age and Gender as far as they are told."""
        return tuple(self.features)

    @property
    def columns(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.source.samples

    @property
    def values(self) -> NDArray[np.float64]:
        """Codes."""
        codes = [feature.codes for feature in self.features.values()]
        return np.array(codes).reshape(len(codes), len(self.columns))

    def __repr__(self) -> str:
        """Tell each feature in a line."""
        lines = [f"  {name}: {feature.summary}" for name, feature in self.features.items()]
        lines += [f"  {self.task.trait}: not available"] if self.trait is None else []
        return "\n".join([f"clinical features of {len(self.columns)} samples", *lines])


@dataclass(frozen=True, eq=False, repr=False)
class Expression(Table):
    """Expression by the rows of the file, before they are mapped to genes."""

    made_by: ClassVar[str] = "read_expression(...)"
    task: Task
    raw: RawSeries | RawExpression
    matrix: ExpressionMatrix

    @property
    def rows(self) -> tuple[str, ...]:
        """Row ids: probes, gene symbols or ids of a database."""
        return self.matrix.ids

    @property
    def columns(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.matrix.samples

    @property
    def values(self) -> NDArray[np.floating]:
        """Expression as it stands in the file."""
        return self.matrix.values

    def __repr__(self) -> str:
        """Tell size and first row ids."""
        rows, samples = self.shape
        return f"expression, {rows} rows x {samples} samples; first rows: {listed(self.rows, 20)}"


@dataclass(frozen=True, eq=False)
class Annotation(Made):
    """The annotation tables at hand, the series' own platform first."""

    made_by: ClassVar[str] = "read_annotation(series)"
    task: Task
    platforms: tuple[Platform, ...]
    used: tuple[tuple[Path, str], ...]
    own: str | None

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the first table."""
        return tuple(self.platforms[0].table.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """Accessions (or file names) of the platforms."""
        return tuple(platform.accession or platform.path.name for platform in self.platforms)

    def __repr__(self) -> str:
        """Tell the platforms and their columns."""
        lines = (
            f"  {name}: {p.table.height} rows; columns {listed(p.table.columns, 30)}"
            for name, p in zip(self.names, self.platforms, strict=True)
        )
        return "\n".join([f"annotation; the series' own platform is {self.own}", *lines])


@dataclass(frozen=True, eq=False)
class MappedRows(Made):
    """Expression with the names of the genes found for each row."""

    made_by: ClassVar[str] = "map_probes(expression, ...)"
    task: Task
    expression: Expression
    found: RowGenes
    annotation: Annotation | None = None

    def __repr__(self) -> str:
        """Tell how many rows found a gene."""
        named = sum(map(bool, self.found.names))
        genes = len({name for names in self.found.names for name in names})
        return f"{named} of {len(self.found.names)} rows name a gene, {genes} different names"


@dataclass(frozen=True, eq=False, repr=False)
class Genes(Table):
    """Expression by official gene symbol, genes x samples."""

    made_by: ClassVar[str] = "normalise_symbols(...)"
    task: Task
    expression: Expression
    mapping: GeneMapping
    annotation: Annotation | None = None

    @property
    def rows(self) -> tuple[str, ...]:
        """Official symbols, sorted."""
        return self.mapping.expression.ids

    @property
    def columns(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.mapping.expression.samples

    @property
    def values(self) -> NDArray[np.floating]:
        """Expression."""
        return self.mapping.expression.values

    def __repr__(self) -> str:
        """Tell size, first genes and what was left out."""
        rows, samples = self.shape
        lines = [f"{rows} genes x {samples} samples; first genes: {listed(self.rows, 10)}"]
        return "\n".join([*lines, *(f"  {note}" for note in self.mapping.notes)])


class OfSamples(Table):
    """A linked table, samples x (trait, Age, Gender, genes)."""

    @property
    def table(self) -> LinkedTable:
        """The table that is shown."""
        raise NotImplementedError

    @property
    def rows(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.table.samples

    @property
    def columns(self) -> tuple[str, ...]:
        """The trait, covariates, genes."""
        return (self.table.trait, *self.table.covariates, *self.table.genes)

    @property
    def values(self) -> NDArray[np.float64]:
        """All of them as numbers."""
        table = self.table
        features = [table.trait_values, *table.covariates.values()]
        return np.column_stack([*features, table.expression])

    @property
    def size(self) -> str:
        """Samples, features and genes in words."""
        table = self.table
        features = ", ".join([table.trait, *table.covariates])
        return f"{len(table.samples)} samples x ({features}, {len(table.genes)} genes)"


@dataclass(frozen=True, eq=False, repr=False)
class LinkedSamples(OfSamples):
    """Clinical features and genes side by side, with all their gaps."""

    made_by: ClassVar[str] = "link(clinical, genes)"
    task: Task
    cohort: LinkedCohort

    @property
    def table(self) -> LinkedTable:
        """The table with its gaps."""
        return self.cohort.table

    def __repr__(self) -> str:
        """Tell the size."""
        left = self.cohort.without_expression
        return f"linked: {self.size}; {left} samples without expression left out"


@dataclass(frozen=True, eq=False, repr=False)
class FilledTable(OfSamples):
    """A linked table whose missing values were dealt with."""

    made_by: ClassVar[str] = "handle_missing_values(linked)"
    task: Task
    cohort: FilledCohort

    @property
    def table(self) -> LinkedTable:
        """The table without gaps."""
        return self.cohort.filled

    def __repr__(self) -> str:
        """Tell the size, and what was dropped and filled."""
        counts = (f"{n.replace('_', ' ')} {v}" for n, v in self.cohort.counts.as_dict().items())
        return f"without gaps: {self.size}; {', '.join(counts)}"


@dataclass(frozen=True, eq=False, repr=False)
class JudgedTable(OfSamples):
    """A linked table that was judged."""

    made_by: ClassVar[str] = "judge_bias(filled)"
    task: Task
    cohort: JudgedCohort
    filled: LinkedTable = field(repr=False)

    @property
    def table(self) -> LinkedTable:
        """The table without gaps and without covariates that hardly vary."""
        return self.filled

    @property
    def is_usable(self) -> bool:
        """Whether the cohort can be used."""
        return self.cohort.info.is_usable

    def __repr__(self) -> str:
        """Tell the verdict."""
        verdict = "usable" if self.is_usable else "not usable"
        notes = "; ".join(self.cohort.notes) or "nothing to note"
        return f"{verdict}: {self.size}; {notes}"
