"""A small data set in the layout of the benchmark's bundle, with people named in its files."""

from pathlib import Path

import numpy as np

from tests.bench.evaluation.output_folders import (
    UNAVAILABLE,
    cohort,
    write_answer,
    write_cohorts,
    write_json,
    write_table,
    write_task_info,
)
from tests.geo_text import asthma, series_matrix, write_gz

PEOPLE = ("Ada", "Lovelace", "ada.lovelace@uni.example", "+49 36691 00000", "Nutmeg Lane 7",
          "Charles", "Babbage", "babbage@post.example", "Oldtown", "XZ-07999")  # fmt: skip
"""Who stands in the files and may stand in no description."""

CONTACT = (
    '!Series_contributor\t"Charles,,Babbage"\n'
    '!Series_contact_name\t"Ada,,Lovelace"\n'
    '!Series_contact_email\t"ada.lovelace@uni.example"\n'
    '!Series_contact_phone\t"+49 36691 00000"\n'
    '!Series_contact_address\t"Nutmeg Lane 7"\n'
    '!Series_contact_city\t"Oldtown"\n'
    '!Series_contact_zip/postal_code\t"XZ-07999"\n'
)
XENA = "sample\tTCGA-AA-0001-01\tTCGA-AA-0002-01\nTP53\t1.5\t2.5\nEGFR\t3\t4\nA2M\t\t1\n"
XENA_CLINICAL = (
    "sampleID\tgender\nTCGA-AA-0001-01\tMALE\nTCGA-AA-0002-01\tFEMALE\nTCGA-AA-0003-01\t\n"
)


def series_with_people(accession: str, number: int = 12, **fields: object) -> str:
    """Return a series matrix that tells its submitters, in fields of their own and in free text."""
    text = series_matrix(
        accession,
        characteristics=asthma(number),
        title="Blood, data of babbage@post.example",
        **fields,  # type: ignore[arg-type]
    )
    samples = "\t".join(['"ada.lovelace@uni.example"'] * number)
    text = text.replace("!Series_type", CONTACT + "!Series_type", 1)
    return text.replace("!Sample_type", f"!Sample_contact_email\t{samples}\n!Sample_type", 1)


def write_raw(root: Path) -> Path:
    """Write an input folder: two series of asthma, the second without expression, and TCGA."""
    geo = root / "GEO" / "Asthma"
    write_gz(geo / "GSE1" / "GSE1_series_matrix.txt.gz", series_with_people("GSE1"))
    write_gz(
        geo / "GSE1" / "GSE1_family.soft.gz",
        "^SERIES = GSE1\n!Series_contact_name = Ada,,Lovelace\n",
    )
    write_gz(geo / "GSE2" / "GSE2_series_matrix.txt.gz", series_with_people("GSE2", 10, ids=()))
    tcga = root / "TCGA" / "TCGA_Lung"
    write_gz(tcga / "TCGA.LUNG.sampleMap_HiSeqV2.gz", XENA)
    write_gz(tcga / "TCGA.LUNG.sampleMap_LUNG_clinicalMatrix.gz", XENA_CLINICAL)
    return root


def write_outputs(root: Path) -> Path:
    """Write an output folder: GSE1 with a linked table, GSE2 not usable, two answers."""
    record = {**cohort(4, has_age=True, has_gender=True), "note": "asked babbage@post.example"}
    write_cohorts(root, "Asthma", {"GSE1": record, "GSE2": UNAVAILABLE})
    samples = ["GSM1", "GSM2", "GSM3", "GSM4"]
    linked = np.array(
        [[1, 30, 0, 7.5, 8.5], [0, 41, 1, 6.5, 9.5], [1, 52, 1, 5.5, 4.5], [0, 63, 0, 3.5, 2.5]]
    )
    columns = ["Asthma", "Age", "Gender", "A2M", "TP53"]
    write_table(root, "linked", "Asthma", "GSE1", samples, columns, linked)
    write_table(root, "gene", "Asthma", "GSE1", columns[3:], samples, linked[:, 3:].T)
    write_table(root, "clinical", "Asthma", "GSE1", columns[:3], samples, linked[:, :3].T)
    content = {
        "significant_genes": {
            "Variable": ["TP53", "A2M"],
            "Coefficient": [-1.5, 0.5],
            "Absolute Coefficient": [1.5, 0.5],
        }
    }
    write_json(root / "regress/Asthma/significant_genes_condition_None.json", content)
    write_answer(root, "Asthma", "Age", ["A2M"])
    evidence = {"series": {"title": "babbage@post.example"}}
    write_json(root / "preprocess" / "Asthma" / "evidence" / "GSE1.json", evidence)
    return root


def write_bundle(root: Path) -> Path:
    """Write input, output and metadata as the published bundle has them."""
    write_raw(root / "input")
    write_outputs(root / "output")
    write_task_info(root / "metadata" / "task_info.json")
    (root / "README.md").write_text("Ask Ada Lovelace, ada.lovelace@uni.example\n")
    (root / "ada.lovelace@uni.example.txt").write_text("mine\n")
    return root
