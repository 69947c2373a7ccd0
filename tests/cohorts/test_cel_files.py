"""Series of which there are CEL files alone: RMA by the CDF of their chip."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from genotex.cohorts import PreprocessOptions, preprocess
from genotex.formats import read_evidence, read_gene_csv
from genotex.layout import OutputFolder
from tests.affymetrix_files import cdf, cel, library
from tests.geo_text import GENES, asthma, series_matrix, write_gz
from tests.laid_out_series import lines, tar

SAMPLES, SIDE, PAIRS = 8, 30, 11
SETS = [f"{1000 + i}_at" for i in range(len(GENES))]
CELLS = np.random.default_rng(1).permutation(SIDE**2)[: len(SETS) * PAIRS].reshape(-1, PAIRS)


def scan(i: int, chip: str = "Made-Chip") -> bytes:
    """The first gene is eight times as high in every second sample."""
    stream = np.random.default_rng(20 + i)
    values = stream.normal(80, 10, SIDE**2) + stream.exponential(10, SIDE**2)
    level = 2 ** ((8 + np.arange(len(SETS))) % 11 + stream.normal(0, 0.05, len(SETS)))
    level[0] *= 8 ** (i % 2)
    values[CELLS] += level[:, None] * stream.lognormal(0, 0.1, CELLS.shape)
    return cel(values, SIDE, chip)


def made(tmp_path: Path, chips: dict[int, str] | None = None, more: dict[str, bytes] | None = None):
    folder = tmp_path / "input" / "GEO" / "Asthma" / "GSE1"
    write_gz(
        folder / "GSE1_series_matrix.txt.gz", series_matrix(characteristics=asthma(SAMPLES), ids=())
    )
    names = {i: (chips or {}).get(i, "Made-Chip") for i in range(SAMPLES)}
    scans = {
        f"GSM{i + 1}_{'abcdefgh'[7 - i]}.CEL.gz": gzip.compress(scan(i, names[i]))
        for i in range(SAMPLES)
    }
    scans["GSM77_other_platform.CEL.gz"] = b"not read"
    (folder / "GSE1_RAW.tar").write_bytes(tar(scans))
    table = lines(["ID", "Gene Symbol"], list(zip(SETS, GENES, strict=True)))
    (folder / "GPL1.txt.gz").write_bytes(gzip.compress(table.encode()))
    for name, body in (more or {}).items():
        (folder / name).write_bytes(body)
    return folder


def run(tmp_path: Path):
    output = OutputFolder(tmp_path / "output")
    (outcome,) = preprocess(tmp_path / "input", output.root, options=PreprocessOptions())
    return outcome, output


def layout() -> bytes:
    return cdf(SETS, CELLS.tolist(), SIDE, SIDE)


@pytest.mark.parametrize("place", [".", "../.."])
def test_scans_become_genes_by_the_layout_of_their_chip(tmp_path: Path, place: str) -> None:
    folder = made(tmp_path)
    (folder / place / "GPL1_Made-Chip.cdf.gz").write_bytes(gzip.compress(layout()))
    outcome, output = run(tmp_path)
    assert outcome.info is not None and outcome.info.is_usable
    notes = " ".join(read_evidence(output.evidence("Asthma", "GSE1")).notes)
    assert f"RMA of {SAMPLES} arrays of Made-Chip, 30 probe sets by GPL1_Made-Chip.cdf.gz" in notes
    genes = read_gene_csv(output.gene_csv("Asthma", "GSE1"))
    assert len(genes.ids) == len(GENES) and len(genes.samples) == SAMPLES
    first = genes.values[genes.ids.index(GENES[0])]
    # RMA draws large differences in; the other genes do not differ.
    assert 2 < (first[1::2] - first[::2]).mean() < 3.5
    change = (genes.values[:, 1::2] - genes.values[:, ::2]).mean(axis=1)
    assert np.sort(np.abs(change))[:-1].max() < 0.5


def test_scans_of_a_gene_array_become_genes_by_its_library_files(tmp_path: Path) -> None:
    files = library(SETS, CELLS.tolist(), SIDE, SIDE)
    more = {f"Made-Chip.r4.{end}": body for end, body in files.items()}
    more["Made-Chip.r4.full.mps"] = more.pop("Made-Chip.r4.mps")
    made(tmp_path / "cdf", more={"Made-Chip.cdf": layout()})
    made(tmp_path / "pgf", more=more | {"Made-Chip.r4.core.mps": files["mps"]})
    outputs = [run(tmp_path / name)[1] for name in ("cdf", "pgf")]
    by_cdf, by_pgf = (read_gene_csv(each.gene_csv("Asthma", "GSE1")) for each in outputs)
    assert by_cdf.ids == by_pgf.ids
    np.testing.assert_array_equal(by_cdf.values, by_pgf.values)
    notes = " ".join(read_evidence(outputs[1].evidence("Asthma", "GSE1")).notes)
    assert "by Made-Chip.r4.pgf and Made-Chip.r4.clf and Made-Chip.r4.core.mps" in notes


def test_incomplete_library_files_are_refused_with_what_is_missing(tmp_path: Path) -> None:
    files = library(SETS, CELLS.tolist(), SIDE, SIDE)
    made(tmp_path, more={f"Made-Chip.{end}": files[end] for end in ("pgf", "clf")})
    outcome, _ = run(tmp_path)
    assert "of gene and exon arrays Made-Chip.pgf, .clf and .mps" in outcome.why_not_usable


def test_missing_layout_is_named(tmp_path: Path) -> None:
    made(tmp_path, more={"Another.cdf": cdf(["a_at"], [[1, 2]], 4, 4)})
    outcome, _ = run(tmp_path)
    assert "put Made-Chip.cdf into the folder" in outcome.why_not_usable
    assert "Another.cdf is not it" in outcome.why_not_usable


def test_scans_of_several_chips_are_refused(tmp_path: Path) -> None:
    made(tmp_path, chips={3: "Other"}, more={"Made-Chip.cdf": layout()})
    outcome, _ = run(tmp_path)
    assert "GSM4_e.CEL.gz is of the chip Other" in outcome.why_not_usable
