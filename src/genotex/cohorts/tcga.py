"""A TCGA cohort from the Xena hub: trait by barcode, age and gender from the clinical matrix."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genotex.clinical import (
    ClinicalReading,
    EncodedFeature,
    FeatureEncoding,
    GeneVerdict,
    TcgaColumn,
    find_age_column,
    find_gender_column,
)
from genotex.clinical.tcga.columns import read_tcga_cell
from genotex.cohorts.prepared import PreparedCohort, PreprocessOptions
from genotex.cohorts.tcga_facts import tcga_sample_facts
from genotex.errors import FormatError, UsageError
from genotex.formats import (
    ClinicalMatrix,
    ExpressionMatrix,
    Role,
    read_clinical_matrix,
    read_xena_expression,
)
from genotex.genes import GeneMapping, GeneTable, map_to_genes
from genotex.layout import TCGA_COHORT, TcgaCohortFiles

__all__ = ["prepare_absent_tcga", "prepare_tcga_cohort"]


def prepare_tcga_cohort(
    files: TcgaCohortFiles, trait: str, why: str, options: PreprocessOptions
) -> PreparedCohort:
    """Read one TCGA folder.

    Parameters
    ----------
    files : TcgaCohortFiles
    trait : str
        Trait folder name.
    why : str
        Why this folder means the trait.
    options : PreprocessOptions

    Raises
    ------
    FormatError
        If the clinical matrix is missing, or a file cannot be read.
    UsageError
        If groups or an encoding were chosen by hand.
    """
    if options.cases or options.controls or TCGA_COHORT in options.readings:
        message = (
            "groups and encodings chosen by hand do not fit TCGA, whose trait is read from the "
            "barcode; leave it out by naming the other cohorts with --cohort"
        )
        raise UsageError(message)
    if files.clinical is None:
        message = "no *clinicalMatrix* file in the folder"
        hint = "download the clinical matrix of the study from the Xena hub"
        raise FormatError(message, path=files.folder, hint=hint)
    clinical, duplicates = _first_of_duplicates(read_clinical_matrix(files.clinical))
    genes = _read_genes(files, options)
    features, reading = _read_features(clinical, why, options)
    measured = clinical.samples if genes.mapping is None else genes.mapping.expression.samples
    return PreparedCohort(
        trait=trait,
        cohort=TCGA_COHORT,
        source="TCGA",
        samples=clinical.samples,
        reading=reading,
        features=features,
        genes=genes.mapping,
        why_no_genes=genes.why_not,
        series={
            "title": files.name.replace("_", " "),
            "type": "RNA-seq (Illumina HiSeq, RSEM, log2)",
            "organism": "Homo sapiens",
        },
        files=[(files.clinical, "clinical"), *((path, "expression") for path in genes.files)],
        sample_facts=tcga_sample_facts(clinical, measured),
        notes=(
            *genes.notes,
            *duplicates,
            *_paired_patients(clinical.samples, features["trait"], measured),
            *(note for feature in features.values() for note in feature.notes),
        ),
    )


def prepare_absent_tcga(trait: str, why: str) -> PreparedCohort:
    """Return what is recorded of a trait that no TCGA folder means: that, and why.

    Parameters
    ----------
    trait : str
        Trait folder name.
    why : str
        Why no folder means the trait.
    """
    return PreparedCohort(
        trait=trait,
        cohort=TCGA_COHORT,
        source="TCGA",
        samples=(),
        reading=ClinicalReading(GeneVerdict(False, why), None, None, None),
        features={},
        genes=None,
        why_no_genes=why,
        series={},
        files=[],
        sample_facts={},
        notes=(),
    )


@dataclass(frozen=True)
class _Genes:
    """The expression of a TCGA folder by gene, or why there is none."""

    mapping: GeneMapping | None
    why_not: str = ""
    files: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()


def _read_genes(files: TcgaCohortFiles, options: PreprocessOptions) -> _Genes:
    """Read the table: PANCAN-normalised first in `benchmark`, the other one first in `sound`."""
    both = [files.expression, files.expression_pancan]
    if options.procedure == "benchmark":
        both.reverse()
    path = next((path for path in both if path is not None), None)
    if path is None:
        return _Genes(None, "no *HiSeqV2* file in the folder")
    matrix, notes = _average_duplicates(read_xena_expression(path))
    try:
        mapping = map_to_genes(
            matrix,
            (),
            procedure=options.procedure,
            table=GeneTable.load(options.gene_table),
            scale=options.scale,
        )
    except FormatError as error:
        return _Genes(None, f"rows cannot be mapped to genes: {error}", (path,), notes)
    return _Genes(mapping, "", (path,), (*notes, *mapping.notes))


def _average_duplicates(matrix: ExpressionMatrix) -> tuple[ExpressionMatrix, tuple[str, ...]]:
    samples = tuple(dict.fromkeys(matrix.samples))
    if len(samples) == len(matrix.samples):
        return matrix, ()
    position = {sample: j for j, sample in enumerate(samples)}
    target = np.array([position[sample] for sample in matrix.samples])
    known = ~np.isnan(matrix.values)
    sums = np.zeros((len(matrix.ids), len(samples)))
    counts = np.zeros_like(sums)
    np.add.at(sums.T, target, np.where(known, matrix.values, 0.0).T)
    np.add.at(counts.T, target, known.T)
    values = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    repeated = sum(number > 1 for number in Counter(matrix.samples).values())
    note = f"{repeated} sample ids occur more than once in the expression table: averaged"
    return ExpressionMatrix(matrix.ids, samples, values), (note,)


def _first_of_duplicates(clinical: ClinicalMatrix) -> tuple[ClinicalMatrix, tuple[str, ...]]:
    first = {sample: i for i, sample in reversed(list(enumerate(clinical.samples)))}
    if len(first) == len(clinical.samples):
        return clinical, ()
    rows = sorted(first.values())
    repeated = len(clinical.samples) - len(rows)
    note = f"{repeated} repeated rows of the clinical matrix left out (first one kept)"
    samples = tuple(clinical.samples[i] for i in rows)
    return ClinicalMatrix(clinical.path, samples, clinical.table[rows]), (note,)


def _read_features(
    clinical: ClinicalMatrix, why: str, options: PreprocessOptions
) -> tuple[dict[str, EncodedFeature], ClinicalReading]:
    features = {"trait": _trait_by_barcode(clinical.samples, options.procedure)}
    trait = FeatureEncoding(
        feature="trait",
        row=None,
        key="sample type code",
        kind="binary",
        evidence=(why, "barcode codes 01-09 are tumours (1), 10-19 normal tissue (0)"),
        sample_field="barcode",
    )
    table = {name: clinical.table[name].to_list() for name in clinical.table.columns}
    encodings: dict[str, FeatureEncoding | None] = {"Age": None, "Gender": None}
    for name, column in (("Age", find_age_column(table)), ("Gender", find_gender_column(table))):
        if column is None:
            continue
        raw = tuple(read_tcga_cell(cell) for cell in table[column.name])
        no_role: Role = "unknown"
        codes = _codes(column, raw, options.procedure)
        features[name] = EncodedFeature(codes, (no_role,) * len(raw), raw, ())
        encodings[name] = _encoding(name, column)
    gene = GeneVerdict(True, "RNA-seq gene expression of TCGA", ())
    return features, ClinicalReading(gene, trait, encodings["Age"], encodings["Gender"])


def _trait_by_barcode(samples: Sequence[str], procedure: str) -> EncodedFeature:
    codes = np.full(len(samples), np.nan)
    roles: list[Role] = ["unknown"] * len(samples)
    raw: list[str | None] = [None] * len(samples)
    others = 0
    for i, sample in enumerate(samples):
        match = re.search(r"-(\d\d)[A-Z]?$", sample)
        if match is None:
            continue
        raw[i], kind = match.group(1), int(match.group(1))
        if 1 <= kind <= 9:
            codes[i], roles[i] = 1.0, "case"
        elif 10 <= kind <= 19:
            codes[i], roles[i] = 0.0, "healthy control"
        else:
            others += 1
            codes[i] = -1.0 if procedure == "benchmark" else np.nan
    notes = []
    if others:
        fate = "coded -1" if procedure == "benchmark" else "left out"
        notes.append(f"{others} samples with barcode codes 00 or 20 and above {fate}")
    if unread := raw.count(None):
        notes.append(f"{unread} sample ids are no TCGA barcodes: left out")
    return EncodedFeature(codes, tuple(roles), tuple(raw), tuple(notes))


def _codes(column: TcgaColumn, raw: Sequence[str | None], procedure: str) -> NDArray[np.float64]:
    """Return years or sexes; `benchmark` takes the first integer of a cell for the age."""
    values = column.values
    if column.unit and procedure == "benchmark":
        integers = [re.search(r"\d+", cell or "") for cell in raw]
        values = tuple(float(found.group()) if found else None for found in integers)
    return np.array([np.nan if v is None else float(v) for v in values], dtype=np.float64)


def _encoding(feature: str, column: TcgaColumn) -> FeatureEncoding:
    evidence = (
        f"column {column.name} of the clinical matrix: {column.known} of {len(column.values)} known"
    )
    if column.unit == "days":
        evidence += ", in days"
    is_age = feature == "Age"
    return FeatureEncoding(
        feature="age" if is_age else "gender",
        row=None,
        key=column.name,
        kind="continuous" if is_age else "binary",
        parser="age_years" if is_age else "sex",
        evidence=(evidence,),
        sample_field="clinical_matrix",
    )


def _paired_patients(
    samples: Sequence[str], trait: EncodedFeature, measured: Collection[str]
) -> tuple[str, ...]:
    """Count the patients both of whose tissues have expression."""
    there = frozenset(measured)
    patients: dict[str, set[str]] = {}
    for sample, role in zip(samples, trait.roles, strict=True):
        if sample in there:
            patients.setdefault("-".join(sample.split("-")[:3]), set()).add(role)
    both = sum({"case", "healthy control"} <= roles for roles in patients.values())
    if not both:
        return ()
    return (f"{both} patients gave both tumour and normal tissue: these samples are paired",)
