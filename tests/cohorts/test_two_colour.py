"""Series of two-colour scans: the common reference and dye swaps are read from the design."""

from pathlib import Path

import numpy as np
import pytest

from genotex.cohorts import PreprocessOptions, preprocess
from genotex.formats import read_evidence, read_gene_csv
from genotex.layout import OutputFolder
from tests.geo_text import GENES, series_matrix, write_gz

SAMPLES = [f"GSM{i}" for i in range(1, 9)]
GROUPS = ["disease state: asthma" if i % 2 else "disease state: healthy control" for i in range(8)]


def write(
    folder: Path,
    *,
    swapped: tuple[int, ...] = (),
    reference: str = "Stratagene pool",
    bright: bool = False,
) -> None:
    """Write scans in which asthma has eight times the first gene; some with exchanged dyes."""
    rng = np.random.default_rng(4)
    count = len(GENES) * 8
    level = rng.normal(5000, 800, count) if bright else rng.exponential(900, count)
    spots = [gene for gene in GENES for _ in range(8)]
    for i, sample in enumerate(SAMPLES):
        ratio = rng.normal(0, 0.05, len(spots))
        ratio[:8] += 3 * (i % 2)
        sides = level * 2 ** (ratio / 2), level * 2 ** (-ratio / 2)
        red, green = sides[::-1] if i in swapped else sides
        rows = [
            f"1\t{gene}\t{r + 50 + rng.normal(0, 9):.1f}\t50\t{g + 40 + rng.normal(0, 9):.1f}\t40"
            for gene, r, g in zip(spots, red, green, strict=True)
        ]
        head = "ATF\t1.0\n0\t6\nBlock\tID\tF635 Mean\tB635 Median\tF532 Mean\tB532 Median\n"
        write_gz(folder / f"{sample}_{i}.gpr.gz", head + "\n".join(rows) + "\n")
    labels = [("Cy3", "Cy5") if i in swapped else ("Cy5", "Cy3") for i in range(8)]
    lines = [
        ("Sample_source_name_ch1", [f"biopsy {i}" for i in range(8)]),
        ("Sample_source_name_ch2", [reference.format(i=i) for i in range(8)]),
        ("Sample_label_ch1", [a for a, _ in labels]),
        ("Sample_label_ch2", [b for _, b in labels]),
    ]
    extra = "".join("\t".join([f"!{k}", *(f'"{c}"' for c in cells)]) + "\n" for k, cells in lines)
    text = series_matrix(characteristics=[GROUPS], ids=())
    text = text.replace("!series_matrix_table_begin", extra + "!series_matrix_table_begin")
    write_gz(folder / "GSE1_series_matrix.txt.gz", text)


def run(tmp_path: Path, **written: object):
    write(tmp_path / "input" / "GEO" / "Asthma" / "GSE1", **written)  # type: ignore[arg-type]
    output = OutputFolder(tmp_path / "output")
    (outcome,) = preprocess(tmp_path / "input", output.root, options=PreprocessOptions())
    return outcome, output


@pytest.mark.parametrize("swapped", [(), (2, 3, 5)])
def test_ratio_is_of_sample_to_reference_whatever_the_dye(
    tmp_path: Path, swapped: tuple[int, ...]
) -> None:
    outcome, output = run(tmp_path, swapped=swapped)
    assert outcome.info is not None and outcome.info.is_usable
    genes = read_gene_csv(output.gene_csv("Asthma", "GSE1"))
    first = genes.values[genes.ids.index(GENES[0])]
    assert (first[1::2] - first[::2]).mean() == pytest.approx(3, abs=0.4)
    (note,) = outcome.expression
    assert f"{len(swapped)} of them with the sample in green" in note
    files = read_evidence(output.evidence("Asthma", "GSE1")).files
    assert sum(f["used_for"] == "expression" for f in files) == 8


def test_background_that_cannot_be_fitted_is_subtracted(tmp_path: Path) -> None:
    outcome, output = run(tmp_path, bright=True)
    (note,) = outcome.expression
    assert "background subtracted (no fit by normexp)" in note
    genes = read_gene_csv(output.gene_csv("Asthma", "GSE1"))
    first = genes.values[genes.ids.index(GENES[0])]
    assert (first[1::2] - first[::2]).mean() == pytest.approx(3, abs=0.4)


def test_direct_design_is_refused_with_a_way_out(tmp_path: Path) -> None:
    outcome, _ = run(tmp_path, reference="biopsy after {i}")
    assert "without a common reference" in outcome.why_not_usable
    assert "genotex de" in outcome.why_not_usable
