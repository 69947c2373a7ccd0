"""A small TCGA folder in the form of the Xena hub, written by hand for the tests."""

from pathlib import Path

from tests.geo_text import GENES, write_gz

STUDIES = ("TCGA_Melanoma_(SKCM)", "TCGA_Thyroid_Cancer_(THCA)")


def write_melanoma(root: Path) -> None:
    """Write two studies of 12 tumours and 12 normal tissues each."""
    for folder in STUDIES:
        code = folder[-5:-1]
        names = [f"TCGA-{code[:2]}-{i:04d}-{'11' if i % 2 else '01'}" for i in range(24)]
        sexes = ["MALE" if i % 3 else "FEMALE" for i in range(24)]
        people = [
            f"{name}\t{30 + i}\t{sex}"
            for i, (name, sex) in enumerate(zip(names, sexes, strict=True))
        ]
        clinical = ["sampleID\tage_at_initial_pathologic_diagnosis\tgender", *people]
        place = root / "TCGA" / folder
        write_gz(place / f"TCGA.{code}.sampleMap_{code}_clinicalMatrix.gz", _text(clinical))
        rows = [
            "\t".join([gene, *(f"{7 + ((i * 7 + j * 3) % 5) / 2}" for i in range(24))])
            for j, gene in enumerate(GENES)
        ]
        expression = ["\t".join(["sample", *names]), *rows]
        write_gz(place / f"TCGA.{code}.sampleMap_HiSeqV2.gz", _text(expression))


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
