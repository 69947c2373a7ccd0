"""A TCGA cohort from the Xena hub: trait by barcode, age and gender from the clinical matrix."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from genotex.clinical import (
    ClinicalAnnotation,
    EncodedFeature,
    Feature,
    FeatureEncoding,
    GeneVerdict,
    TcgaColumn,
    find_tcga_column,
    read_tcga_cell,
)
from genotex.cohorts.prepared import PreparedCohort, PreprocessOptions, input_distributions
from genotex.cohorts.tcga.files import (
    NO_EXPRESSION,
    RawClinical,
    RawExpression,
    read_raw_clinical,
    read_raw_genes,
    tcga_sample_facts,
)
from genotex.errors import FormatError, UsageError
from genotex.features import SampleFeature, table_features
from genotex.formats import ClinicalMatrix, Parser, Role
from genotex.genes import GeneMapping, GeneTable, map_to_genes
from genotex.layout import TCGA_COHORT, TcgaCohortFiles
from genotex.procedure import Procedure


def prepare_tcga_cohort(
    files: TcgaCohortFiles, trait: str, why: str, options: PreprocessOptions
) -> PreparedCohort:
    """Read one TCGA folder."""
    chosen = (options.cases, options.controls, options.exclude, options.pairs)
    if any(chosen) or TCGA_COHORT in options.readings:
        message = (
            "groups, samples and encodings chosen by hand do not fit TCGA, whose trait is read "
            "from the barcode; leave it out by naming the other cohorts with --cohort"
        )
        raise UsageError(message)
    clinical = read_raw_clinical(files)
    expression = read_raw_genes(files, options.procedure)
    genes, why_no_genes = tcga_genes(expression, options)
    features, reading = read_tcga_features(clinical.matrix, why, options)
    return assemble_tcga_cohort(
        files, trait, clinical, expression, reading, features, genes, why_no_genes
    )


def assemble_tcga_cohort(
    files: TcgaCohortFiles,
    trait: str,
    clinical: RawClinical,
    expression: RawExpression | None,
    reading: ClinicalAnnotation,
    features: Mapping[str, EncodedFeature],
    genes: GeneMapping | None,
    why_no_genes: str,
) -> PreparedCohort:
    """Assemble a TCGA cohort."""
    matrix = clinical.matrix
    measured = matrix.samples if genes is None else genes.expression.samples
    used = [(matrix.path, "clinical")]
    used += [] if expression is None else [(expression.path, "expression")]
    status = features.get("trait")
    paired = () if status is None else _paired_patients(matrix.samples, status, measured)
    return PreparedCohort(
        trait=trait,
        cohort=TCGA_COHORT,
        source="TCGA",
        samples=matrix.samples,
        reading=reading,
        features=features,
        genes=genes,
        why_no_genes=why_no_genes,
        series={
            "title": files.name.replace("_", " "),
            "type": "RNA-seq (Illumina HiSeq, RSEM, log2)",
            "organism": "Homo sapiens",
        },
        files=used,
        sample_facts=tcga_sample_facts(matrix, measured),
        distributions=input_distributions(None if expression is None else expression.matrix, genes),
        notes=(
            *(() if expression is None else expression.notes),
            *(() if genes is None else genes.notes),
            *clinical.notes,
            *paired,
            *(note for feature in features.values() for note in feature.notes),
        ),
    )


def prepare_absent_tcga(trait: str, why: str) -> PreparedCohort:
    """Return the cohort of a trait without a TCGA folder: only the reason."""
    return PreparedCohort(
        trait=trait,
        cohort=TCGA_COHORT,
        source="TCGA",
        samples=(),
        reading=ClinicalAnnotation(GeneVerdict(False, why), None, None, None),
        features={},
        genes=None,
        why_no_genes=why,
        series={},
        files=[],
        sample_facts={},
        notes=(),
    )


def tcga_genes(
    expression: RawExpression | None, options: PreprocessOptions
) -> tuple[GeneMapping | None, str]:
    """Return the genes of a study, or why there are none."""
    if expression is None:
        return None, NO_EXPRESSION
    try:
        mapping = map_to_genes(
            expression.matrix,
            (),
            procedure=options.procedure,
            table=GeneTable.load(options.gene_table),
            scale=options.scale,
        )
    except FormatError as error:
        return None, f"rows cannot be mapped to genes: {error}"
    return mapping, ""


def read_tcga_features(
    clinical: ClinicalMatrix, why: str, options: PreprocessOptions
) -> tuple[dict[str, EncodedFeature], ClinicalAnnotation]:
    """Read the trait from the barcodes, age and gender from the most informative columns."""
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
    encodings: dict[str, Any] = {}
    for feature in table_features():
        column = find_tcga_column(feature, table)
        encodings[feature.encoded] = None
        if column is None:
            continue
        name = feature.column
        raw = tuple(read_tcga_cell(cell) for cell in table[column.name])
        no_role: Role = "unknown"
        codes = _codes(column, raw, options.procedure)
        features[name] = EncodedFeature(codes, (no_role,) * len(raw), raw, ())
        encodings[feature.encoded] = _encoding(feature, column)
    gene = GeneVerdict(True, "RNA-seq gene expression of TCGA", ())
    return features, ClinicalAnnotation(gene, trait, **encodings)


def tcga_cells(clinical: ClinicalMatrix, column: str) -> list[str | None]:
    """Return the raw cells of a column; of ``barcode`` the two digits that end each sample id."""
    if column == "barcode":
        return _sample_type_codes(clinical.samples)
    if column not in clinical.table.columns:
        msg = f"there is no column {column!r}"
        raise UsageError(msg)
    return [read_tcga_cell(cell) for cell in clinical.table[column].to_list()]


def apply_tcga_encoding(encoding: FeatureEncoding, clinical: ClinicalMatrix) -> EncodedFeature:
    """Code a feature for every sample of a study by the values that the encoding lists."""
    column = "barcode" if encoding.sample_field == "barcode" else encoding.key
    raw = tcga_cells(clinical, column)
    found = [None if cell is None else encoding.values.get(cell) for cell in raw]
    is_trait = encoding.feature == "trait" and encoding.kind == "binary"
    roles = tuple(_role_of_sample_type(code) if is_trait else "unknown" for code in found)
    values = np.array([np.nan if code is None else code for code in found], dtype=np.float64)
    return EncodedFeature(values, roles, tuple(raw), ())


def _sample_type_codes(samples: Sequence[str]) -> list[str | None]:
    """Return the two digits at the end of each barcode, None for other ids."""
    found = [re.search(r"-(\d\d)[A-Z]?$", sample) for sample in samples]
    return [None if match is None else match[1] for match in found]


def _role_of_sample_type(code: float | None) -> Role:
    """Return the role of a sample in the contrast, by the code of its type."""
    if code == 1:
        return "case"
    return "healthy control" if code == 0 else "unknown"


def _trait_by_barcode(samples: Sequence[str], procedure: Procedure) -> EncodedFeature:
    raw = _sample_type_codes(samples)
    other = procedure.other_sample_type_code
    codes = [None if cell is None else _code_of_type(int(cell), other) for cell in raw]
    others = sum(cell is not None for cell in raw) - codes.count(1.0) - codes.count(0.0)
    notes = []
    if others:
        fate = "left out" if other is None else f"coded {other:g}"
        notes.append(f"{others} samples with barcode codes 00 or 20 and above {fate}")
    if unread := raw.count(None):
        notes.append(f"{unread} sample ids are not TCGA barcodes: left out")
    values = np.array([np.nan if code is None else code for code in codes], dtype=np.float64)
    return EncodedFeature(values, tuple(map(_role_of_sample_type, codes)), tuple(raw), tuple(notes))


def _code_of_type(kind: int, other: float | None) -> float | None:
    if 1 <= kind <= 9:
        return 1.0
    if 10 <= kind <= 19:
        return 0.0
    return other


def _codes(
    column: TcgaColumn, raw: Sequence[str | None], procedure: Procedure
) -> NDArray[np.float64]:
    """Return years or sexes."""
    values = column.values
    if column.unit and procedure.first_integer_age:
        integers = [re.search(r"\d+", cell or "") for cell in raw]
        values = tuple(float(found.group()) if found else None for found in integers)
    return np.array([np.nan if v is None else float(v) for v in values], dtype=np.float64)


def _encoding(feature: SampleFeature, column: TcgaColumn) -> FeatureEncoding:
    evidence = (
        f"column {column.name} of the clinical matrix: {column.known} of {len(column.values)} known"
    )
    if column.unit == "days":
        evidence += ", in days"
    return FeatureEncoding(
        feature=cast(Feature, feature.encoded),
        row=None,
        key=column.name,
        kind=feature.kind,
        parser=cast(Parser, feature.parser),
        evidence=(evidence,),
        sample_field="clinical_matrix",
    )


def _paired_patients(
    samples: Sequence[str], trait: EncodedFeature, measured: Collection[str]
) -> tuple[str, ...]:
    """Count the patients with expression of both tissues."""
    there = frozenset(measured)
    patients: dict[str, set[str]] = {}
    for sample, role in zip(samples, trait.roles, strict=True):
        if sample in there:
            patients.setdefault("-".join(sample.split("-")[:3]), set()).add(role)
    both = sum({"case", "healthy control"} <= roles for roles in patients.values())
    if not both:
        return ()
    return (f"{both} patients gave both tumour and normal tissue: these samples are paired",)
