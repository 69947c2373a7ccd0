"""The folders of the published benchmark, in small."""

import json
from pathlib import Path

from tests.geo_text import write_asthma

STUDY = "TCGA_Melanoma_(SKCM)"


def write_bundle(root: Path) -> Path:
    """Write the published layout with one trait, two problems and one cancer."""
    write_asthma(root / "input")
    texts = {
        f"input/TCGA/{STUDY}/TCGA.SKCM.sampleMap_SKCM_clinicalMatrix": "sampleID\tage\n",
        f"input/TCGA/{STUDY}/TCGA.SKCM.sampleMap_HiSeqV2_PANCAN.gz": "",
        "output/preprocess/Asthma/cohort_info.json": "{}",
        "output/regress/Asthma/significant_genes_condition_None.json": "{}",
        "output/regress/Asthma/significant_genes_condition_Age.json": "{}",
        "metadata/gene_synonym.json": json.dumps({"P53": "TP53"}),
        "metadata/task_info.json": json.dumps(
            {"Asthma": {"related_genes": ["IL13"], "conditions": ["Age"]}}
        ),
    }
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root
