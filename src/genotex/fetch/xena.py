"""TCGA from the UCSC Xena hub: clinical matrix and expression of each cohort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path

from genotex.clinical import choose_tcga_study
from genotex.errors import UsageError
from genotex.fetch.contents import Content, ends_of, wrong
from genotex.fetch.download import Wanted
from genotex.formats import decode

XENA = ("https://tcga-xena-hub.s3.us-east-1.amazonaws.com/", "https://tcga.xenahubs.net/")
"""Base addresses of the TCGA hub: the store of its files, and the hub itself."""

GENES, FEWEST_GENES = 20_530, 20_000
"""Rows of HiSeqV2, the same in all cohorts, and those below which a table is cut short."""

XENA_COHORTS = {
    "ACC": "TCGA_Adrenocortical_Cancer_(ACC)",
    "BLCA": "TCGA_Bladder_Cancer_(BLCA)",
    "BRCA": "TCGA_Breast_Cancer_(BRCA)",
    "CESC": "TCGA_Cervical_Cancer_(CESC)",
    "CHOL": "TCGA_Bile_Duct_Cancer_(CHOL)",
    "COAD": "TCGA_Colon_Cancer_(COAD)",
    "COADREAD": "TCGA_Colon_and_Rectal_Cancer_(COADREAD)",
    "DLBC": "TCGA_Large_Bcell_Lymphoma_(DLBC)",
    "ESCA": "TCGA_Esophageal_Cancer_(ESCA)",
    "GBM": "TCGA_Glioblastoma_(GBM)",
    "GBMLGG": "TCGA_lower_grade_glioma_and_glioblastoma_(GBMLGG)",
    "HNSC": "TCGA_Head_and_Neck_Cancer_(HNSC)",
    "KICH": "TCGA_Kidney_Chromophobe_(KICH)",
    "KIRC": "TCGA_Kidney_Clear_Cell_Carcinoma_(KIRC)",
    "KIRP": "TCGA_Kidney_Papillary_Cell_Carcinoma_(KIRP)",
    "LAML": "TCGA_Acute_Myeloid_Leukemia_(LAML)",
    "LGG": "TCGA_Lower_Grade_Glioma_(LGG)",
    "LIHC": "TCGA_Liver_Cancer_(LIHC)",
    "LUAD": "TCGA_Lung_Adenocarcinoma_(LUAD)",
    "LUNG": "TCGA_Lung_Cancer_(LUNG)",
    "LUSC": "TCGA_Lung_Squamous_Cell_Carcinoma_(LUSC)",
    "MESO": "TCGA_Mesothelioma_(MESO)",
    "OV": "TCGA_Ovarian_Cancer_(OV)",
    "PAAD": "TCGA_Pancreatic_Cancer_(PAAD)",
    "PCPG": "TCGA_Pheochromocytoma_Paraganglioma_(PCPG)",
    "PRAD": "TCGA_Prostate_Cancer_(PRAD)",
    "READ": "TCGA_Rectal_Cancer_(READ)",
    "SARC": "TCGA_Sarcoma_(SARC)",
    "SKCM": "TCGA_Melanoma_(SKCM)",
    "STAD": "TCGA_Stomach_Cancer_(STAD)",
    "TGCT": "TCGA_Testicular_Cancer_(TGCT)",
    "THCA": "TCGA_Thyroid_Cancer_(THCA)",
    "THYM": "TCGA_Thymoma_(THYM)",
    "UCEC": "TCGA_Endometrioid_Cancer_(UCEC)",
    "UCS": "TCGA_Uterine_Carcinosarcoma_(UCS)",
    "UVM": "TCGA_Ocular_melanomas_(UVM)",
}
"""Folder of each cohort, in the hub's words, as the benchmark has them (its tcga_manifest.json).

The hub's pilot study of fixed tissue (FPPP) has no such expression table, and PANCAN joins all.
"""


class XenaFile(StrEnum):
    """The files of a cohort."""

    clinical = "clinical"
    """What is known of the patients and samples."""
    expression = "expression"
    """log2(RSEM + 1) of each gene (HiSeqV2), which the procedure ``sound`` reads."""
    pancan = "pancan"
    """The same, centred over all TCGA cohorts (HiSeqV2_PANCAN), which ``benchmark`` reads."""


def cohort_named(code: str) -> str:
    """Return a cohort's code in capitals."""
    known = code.strip().upper().removeprefix("TCGA-").removeprefix("TCGA.")
    if known not in XENA_COHORTS:
        msg = f"the TCGA hub has no cohort {code!r}; it has {', '.join(XENA_COHORTS)}"
        raise UsageError(msg)
    return known


def cohort_of_trait(trait: str) -> tuple[str | None, str]:
    """Return the code of the cohort of a trait, or None, and why."""
    folders: dict[str, str | None] = {folder: code for code, folder in XENA_COHORTS.items()}
    choice = choose_tcga_study(trait, folders)
    return None if choice.folder is None else folders[choice.folder], choice.reason


def xena_files(
    code: str, kinds: Sequence[XenaFile] = tuple(XenaFile), bases: Sequence[str] = XENA
) -> tuple[tuple[Wanted, ...], ...]:
    """Return the files of a cohort, each with the forms in which the hub may have it."""
    return tuple(
        tuple(form for base in bases for form in _forms(code, kind, base)) for kind in kinds
    )


def _forms(code: str, kind: XenaFile, base: str) -> tuple[Wanted, ...]:
    if kind is XenaFile.clinical:
        # The hub has had it plain and packed, under either name.
        name = f"{code}_clinicalMatrix"
        plain = _wanted(code, name, Content.any_table, base)
        return plain, _wanted(code, f"{name}.gz", Content.gzip, base)
    # Of a hub of one's own the number of genes is not known.
    fewest = FEWEST_GENES if base in XENA else 1
    name = "HiSeqV2" if kind is XenaFile.expression else "HiSeqV2_PANCAN"
    return (_wanted(code, f"{name}.gz", Content.gzip, base, partial(_check_expression, fewest)),)


def _wanted(
    code: str,
    name: str,
    content: Content,
    base: str,
    refuse: Callable[[Path, str], None] | None = None,
) -> Wanted:
    data_set = f"TCGA.{code}.sampleMap"
    place = f"TCGA/{XENA_COHORTS[code]}/{data_set}_{name}"
    address = f"{base}download/{data_set}/{name}"
    return Wanted(address, place, content, refuse=refuse or _check_clinical)


def _check_clinical(path: Path, address: str) -> None:
    """Refuse what is not a table of TCGA samples."""
    header, first, last, _ = _lines(path, address)
    rows = [line.split("\t") for line in (first, last)]
    if len(header) < 2 or not all(row[0].startswith("TCGA-") for row in rows):
        msg = "it is not a clinical matrix of TCGA"
        raise wrong(msg, address)
    if len(rows[1]) > len(header):
        msg = f"its last row has {len(rows[1])} cells for {len(header)} columns"
        raise wrong(msg, address)


def _check_expression(fewest: int, path: Path, address: str) -> None:
    """Refuse what is not the whole table of genes x TCGA samples."""
    header, _, last, rows = _lines(path, address)
    if len(header) < 2 or not all(name.startswith("TCGA-") for name in header[1:]):
        msg = "it is not a table of genes x TCGA samples"
        raise wrong(msg, address)
    if (cells := len(last.split("\t"))) != len(header):
        msg = f"its last row has {cells} cells for {len(header)} columns"
        raise wrong(msg, address)
    if rows < fewest:
        msg = f"it has {rows:,} genes, where HiSeqV2 has {GENES:,}: cut short"
        raise wrong(msg, address)


def _lines(path: Path, address: str) -> tuple[list[str], str, str, int]:
    """Return the cells of the header, the first and the last row, and the number of rows."""
    head, last, lines = ends_of(path, address)
    first = [*decode(head).split("\n"), ""]
    return first[0].rstrip("\r").split("\t"), first[1], decode(last), lines - 1
