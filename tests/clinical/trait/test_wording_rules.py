"""One rule each, with diseases that were not in view when the rule was written."""

from collections.abc import Sequence

import pytest

from ..conftest import CodesOf

BOTH = "Patients and healthy controls were compared."
Row = tuple[str, str, Sequence[str], Sequence[float | None] | None, str, str]

FORMS: list[Row] = [
    (
        "Graft_Versus_Host_Disease", "status", ["aGVHD", "cGVHD", "no GVHD"], [1, 1, 0],
        "Blood after stem cell transplantation", "Graft versus host disease (GVHD) and none.",
    ),
    (
        "Frontotemporal_Dementia", "group", ["bvFTD", "AD", "control"], [1, 0, 0],
        "Cortex in frontotemporal dementia (FTD)", BOTH,
    ),
    (
        "Inflammatory_Bowel_Disease", "group", ["nonIBD", "IBD"], [0, 1],
        "Colon in inflammatory bowel disease (IBD)", BOTH,
    ),
    (
        "Myelodysplastic_Syndrome", "dx", ["tMDS", "healthy"], [1, 0],
        "Marrow in myelodysplastic syndrome (MDS)", BOTH,
    ),
    (
        "Tetralogy_of_Fallot", "sample", ["TOFAdult", "TOFChild", "Control"], [1, 1, 0],
        "Right ventricle in tetralogy of Fallot (TOF)", BOTH,
    ),
    (
        "Hepatocellular_Carcinoma", "tissue", ["HCCAdjacent", "HCC"], [0, 1],
        "Hepatocellular carcinoma (HCC)", "Tumours and adjacent liver.",
    ),
    (
        "Diffuse_Large_B-Cell_Lymphoma", "histology",
        ["Lymphoma, diffuse, large B-cell", "Follicular lymphoma", "reactive node"], [1, 0, 0],
        "Lymph nodes", "Diffuse large B-cell lymphoma and other nodes.",
    ),
    (
        "Clear_Cell_Sarcoma_of_the_Kidney", "tumour",
        ["Kidney sarcoma, clear cell", "Wilms tumour"], [1, 0],
        "Childhood tumours", "Renal tumours of children.",
    ),
    (
        "Patau_Syndrome", "karyotype", ["T13", "euploid"], [1, 0],
        "Fibroblasts with trisomy 13", "Patau syndrome and euploid controls.",
    ),
]  # fmt: skip

KEYS: list[Row] = [
    (
        "Listeria_monocytogenes_Infection", "lm", ["pos", "neg"], [1, 0],
        "Placenta", "Placentas with and without L. monocytogenes infection were studied.",
    ),
    (
        "Campylobacter_jejuni_Infection", "infection", ["C. jejuni", "none"], [1, 0],
        "Duodenal biopsies", "Infection by C. jejuni and controls.",
    ),
    (
        "Rhinovirus_Infection", "infection", ["rhinovirus", "adenovirus", "none"], [1, 0, 0],
        "Nasal swabs of children with rhinovirus infection", BOTH,
    ),
    (
        "Dyslipidemia", "pmh", ["dyslipidemia", "gout", "none"], [1, 0, 0],
        "Fat tissue", "Patients at surgery.",
    ),
    (
        "Glaucoma", "past history", ["glaucoma", "0", "2 caesarean sections"], [1, 0, 0],
        "Blood of women", "Histories of volunteers.",
    ),
    (
        "Mercury_Exposure", "mercury exposure", ["high", "low"], [1, 0],
        "Placenta and mercury exposure", "Births in a coastal town.",
    ),
    (
        "Dengue", "severity", ["NEG", "mild", "severe"], [0, 1, 1],
        "Blood transcriptome in dengue", "Dengue patients and healthy controls.",
    ),
    (
        "Hantavirus_Infection", "severity", ["none", "moderate", "critical"], [0, 1, 1],
        "Blood in hantavirus infection", "Patients with hantavirus infection and controls.",
    ),
    (
        "Marfan_Syndrome", "genotype", ["FBN1 c.1453C>T/+", "FBN1 delE22", "wild type"],
        [1, 1, 0], "Aortic cells in Marfan syndrome", BOTH,
    ),
    (
        "Bladder_Cancer", "type", ["Ca", "Normal"], [1, 0],
        "Bladder cancer", "Tumours and normal urothelium.",
    ),
    (
        "Epilepsy", "cause", ["genetic epilepsy", "traumatic", "control"], [1, 1, 0],
        "Cortex in epilepsy", BOTH,
    ),
    (
        "Patau_Syndrome", "karyotype", ["47,XY,+13", "46,XX"], [1, 0],
        "Fibroblasts in Patau syndrome", BOTH,
    ),
    (
        "West_Nile_Fever", "infection", ["WNV", "healthy"], [1, 0],
        "Blood in West Nile fever", BOTH,
    ),
    (
        "Malaria", "malaria", ["cerebral", "other febrile illness", "healthy"], [1, 0, 0],
        "Blood in malaria", BOTH,
    ),
    (
        "Gastric_Cancer", "cancer (c) or normal mucosa (n)", ["C", "N"], [1, 0],
        "Gastric cancer", BOTH,
    ),
    (
        "Takayasu_Arteritis", "subject", ["Takayasu's", "healthy"], [1, 0],
        "Blood in Takayasu arteritis", BOTH,
    ),
    (
        "Hepatitis_E", "hepatitis", ["E", "A", "none"], [1, 0, 0],
        "Liver in hepatitis E", BOTH,
    ),
]  # fmt: skip

NEAR_MISSES: list[Row] = [
    (
        "Azoospermia", "karyotype", ["46,XY", "47,XXY"], None,
        "Testis in azoospermia", "Men with azoospermia.",
    ),
    (
        "Sickle_Cell_Disease", "severity", ["mild", "severe"], None,
        "Blood in sickle cell disease", "All patients have sickle cell disease.",
    ),
    (
        "Wilms_Tumor", "relapse", ["case", "control"], None,
        "Relapse of Wilms tumours", "Patients with Wilms tumour and relapse, and others.",
    ),
    (
        "Follicular_Lymphoma", "crp", ["elevated", "normal"], None,
        "Follicular lymphoma", "Biopsies of patients before treatment.",
    ),
    (
        "Gastric_Cancer", "diagnosis", ["CRC Met", "BRCA Met"], None,
        "Metastases to the stomach", "Metastases of other cancers.",
    ),
    (
        "Primary_Ciliary_Dyskinesia", "gene", ["primary myelofibrosis", "ET"], None,
        "Blood", "Myeloproliferative diseases.",
    ),
    (
        "Chronic_Urticaria", "group", ["exercise", "attention control"], None,
        "Exercise in chronic urticaria",
        "In a randomized trial all patients had chronic urticaria.",
    ),
    (
        "Cardiomyopathy", "mrna", ["cardiac myosin binding protein", "scramble"], None,
        "Knockdown in cells", "Knockdown of genes in HeLa cells.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("trait", "key", "values", "codes", "title", "summary"), [*FORMS, *KEYS, *NEAR_MISSES]
)
def test_rule(
    codes_of: CodesOf,
    trait: str,
    key: str,
    values: Sequence[str],
    codes: Sequence[float | None] | None,
    title: str,
    summary: str,
) -> None:
    assert codes_of(trait, key, values, title=title, summary=summary) == codes
