"""Series whose folder has no platform table: the packaged map, else the probes themselves."""

from pathlib import Path

import numpy as np
import pytest

from genotex.cohorts import CohortOutcome, PreprocessOptions, preprocess, read_own_tables
from genotex.formats import read_evidence, read_linked
from genotex.genes import packaged_platform
from genotex.layout import OutputFolder
from genotex.problems import Problem, usable_cohorts
from tests.geo_text import asthma, series_matrix, write_gz

PROBES = ["201746_at", "204533_at", "1007_s_at", "200000_s_at", "200001_at", "200002_at"]
GENES = ("CAPNS1", "CXCL10", "PRPF8", "RPL35", "TP53")
"""Genes of the probes, by Affymetrix's own table; 1007_s_at has two."""
UNKNOWN = [f"TC0100000{i}.hg.1" for i in range(len(PROBES))]
"""Of an array that no packaged map covers."""
VALUES = np.random.default_rng(1).normal(8, 1, (len(PROBES), 12)).tolist()


def write(source: Path, platform: str, series: str = "GSE1") -> Path:
    ids = UNKNOWN if platform == "GPL17586" else PROBES
    text = series_matrix(
        series, characteristics=asthma(12), platform=platform, ids=ids, values=VALUES
    )
    return write_gz(source / "GEO" / "Asthma" / series / f"{series}_series_matrix.txt.gz", text)


def run(tmp_path: Path, **options: object) -> tuple[CohortOutcome, OutputFolder]:
    output = OutputFolder(tmp_path / "output")
    chosen = PreprocessOptions(**options)  # type: ignore[arg-type]
    (outcome,) = preprocess(tmp_path / "input", output.root, options=chosen)
    assert outcome.error is None
    return outcome, output


@pytest.mark.parametrize("procedure", ["sound", "benchmark"])
def test_packaged_map_brings_probes_to_genes(tmp_path: Path, procedure: str) -> None:
    write(tmp_path / "input", "GPL570")
    outcome, output = run(tmp_path, procedure=procedure)
    assert read_linked(output, "Asthma", "GSE1").genes == GENES
    (note,) = outcome.expression
    assert note.startswith("packaged map of GPL570: 41,937 probes with a human gene")
    assert note in read_evidence(output.evidence("Asthma", "GSE1")).notes


def test_table_of_the_folder_comes_before_the_packaged_map(tmp_path: Path) -> None:
    matrix = write(tmp_path / "input", "GPL570")
    table = "ID\tGene Symbol\n" + "".join(f"{probe}\tA2M\n" for probe in PROBES)
    write_gz(matrix.with_name("GPL570.txt.gz"), table)
    outcome, output = run(tmp_path)
    assert read_evidence(output.evidence("Asthma", "GSE1")).mapping["genes"] == 1
    assert outcome.expression == ()


def test_probes_are_tested_where_no_map_is_at_hand(tmp_path: Path) -> None:
    write(tmp_path / "input", "GPL17586")
    outcome, output = run(tmp_path)
    assert outcome.info is not None and outcome.info.is_usable
    assert read_linked(output, "Asthma", "GSE1").genes == tuple(sorted(UNKNOWN))
    (warning,) = outcome.warnings
    assert warning == (
        "tested by probe, not by gene: no table of GPL17586 that fits is at hand; to get genes: "
        f"genotex fetch geo {tmp_path / 'input'} --trait Asthma --accession GSE1 --platform-only"
    )


def test_cohort_on_probes_answers_only_where_none_has_genes(tmp_path: Path) -> None:
    write(tmp_path / "input", "GPL17586")
    alone = usable_cohorts(run(tmp_path)[1], Problem("Asthma", None))
    assert alone.cohorts == ("GSE1",)
    write(tmp_path / "input", "GPL570", "GSE2")
    output = OutputFolder(tmp_path / "output")
    preprocess(tmp_path / "input", output.root, options=PreprocessOptions())
    both = usable_cohorts(output, Problem("Asthma", None))
    assert both.cohorts == ("GSE2",)
    assert both.refused == {"GSE1": "tested by probe, not by gene, unlike others"}


def test_published_procedure_has_no_genes_without_a_map(tmp_path: Path) -> None:
    write(tmp_path / "input", "GPL17586")
    outcome, _ = run(tmp_path, procedure="benchmark")
    assert "rows cannot be mapped to genes" in outcome.why_not_usable


def test_table_that_does_not_fit_is_not_passed_over(tmp_path: Path) -> None:
    matrix = write(tmp_path / "input", "GPL570")
    write_gz(matrix.with_name("GPL570.txt.gz"), "ID\tGene Symbol\nnone_at\tA2M\n")
    outcome, _ = run(tmp_path)
    assert "rows cannot be mapped to genes" in outcome.why_not_usable


def test_own_table_of_probes_takes_a_packaged_map_by_name(tmp_path: Path) -> None:
    samples = [f"s{i}" for i in range(8)]
    probes = packaged_platform("GPL96").table["ID"].to_list()[:2000]
    rows = np.random.default_rng(2).normal(8, 1, (len(probes), 8)).round(3).tolist()
    lines = [",".join(["probe", *samples])]
    lines += [",".join([p, *map(str, row)]) for p, row in zip(probes, rows, strict=True)]
    (tmp_path / "values.csv").write_text("\n".join(lines))
    groups = "".join(f"{s},{'ab'[i % 2]}\n" for i, s in enumerate(samples))
    (tmp_path / "samples.csv").write_text(f"sample,group\n{groups}")
    plain = read_own_tables(tmp_path / "values.csv", tmp_path / "samples.csv")
    assert any("--platform GPL" in text for text in plain.warnings)
    tables = read_own_tables(tmp_path / "values.csv", tmp_path / "samples.csv", platform="GPL96")
    assert any("packaged map of GPL96" in note for note in tables.notes)
    assert tables.genes[0] != plain.genes[0] and len(tables.genes) < len(plain.genes)
