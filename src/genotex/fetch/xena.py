"""TCGA from the UCSC Xena hub: clinical matrix and expression of each cohort."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from genotex.clinical import choose_tcga_study
from genotex.errors import UsageError
from genotex.fetch.contents import Content
from genotex.fetch.download import Wanted

XENA = ("https://tcga-xena-hub.s3.us-east-1.amazonaws.com/", "https://tcga.xenahubs.net/")
"""Base addresses of the TCGA hub: the store of its files, and the hub itself."""

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
    name = "HiSeqV2" if kind is XenaFile.expression else "HiSeqV2_PANCAN"
    return (_wanted(code, f"{name}.gz", Content.gzip, base),)


def _wanted(code: str, name: str, content: Content, base: str) -> Wanted:
    data_set = f"TCGA.{code}.sampleMap"
    place = f"TCGA/{XENA_COHORTS[code]}/{data_set}_{name}"
    return Wanted(f"{base}download/{data_set}/{name}", place, content)
