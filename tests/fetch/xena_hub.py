"""A Xena hub in small: the files of a cohort under the names that the hub gives them."""

import gzip
import random

from .server import Site

GENES = ("A1BG", "A2M", "NAT1", "TP53", "TTN")


def clinical_matrix(code: str, patients: int = 40) -> bytes:
    """A clinical matrix, one sample a line; the fourth part of a barcode tells tumour (01)."""
    rows = ["sampleID\tage_at_initial_pathologic_diagnosis\tgender\tsample_type"]
    for i in range(patients):
        sex = "FEMALE" if i % 2 else "MALE"
        rows.append(f"TCGA-{code[:2]}-{i:04}-01\t{40 + i}\t{sex}\tPrimary Tumor")
    return ("\n".join(rows) + "\n").encode()


def expression(code: str, patients: int = 40) -> bytes:
    """An expression table, packed: genes in rows, samples in columns."""
    stream = random.Random(code)
    rows = ["\t".join(["sample", *(f"TCGA-{code[:2]}-{i:04}-01" for i in range(patients))])]
    for gene in GENES:
        rows.append("\t".join([gene, *(f"{stream.gauss(8, 2):.4f}" for _ in range(patients))]))
    return gzip.compress(("\n".join(rows) + "\n").encode(), mtime=0)


def put_cohort(site: Site, code: str, *, packed: bool = False) -> dict[str, bytes]:
    """Put the three files of a cohort on a hub; returns them by the end of their names."""
    files = {
        f"{code}_clinicalMatrix": clinical_matrix(code),
        "HiSeqV2.gz": expression(code),
        "HiSeqV2_PANCAN.gz": expression(code + "PANCAN"),
    }
    for name, content in files.items():
        if packed and name.endswith("clinicalMatrix"):
            name, content = name + ".gz", gzip.compress(content, mtime=0)
        site.put(hub_path(code, name), content)
    return files


def hub_path(code: str, name: str) -> str:
    return f"/download/TCGA.{code}.sampleMap/{name}"
