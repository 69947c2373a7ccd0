"""The RNA-seq cohort of a simulated study: its files, and the pipeline from them to the genes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from genotex.analysis import AnalysisResult, analyze_cohorts, solve_problem
from genotex.cohorts import preprocess
from genotex.formats import read_count_annotation, read_evidence, read_raw_counts
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.simulate import SimulatedStudy, score_against_truth, simulate_study
from tests.simulate.test_simulate_study import contents

ACCESSION, TRAIT = "GSE90000007", "Simulated_Arthritis"
SMALL = {"samples": 24, "genes": 400}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> SimulatedStudy:
    folder = tmp_path_factory.mktemp("counted") / "input"
    return simulate_study(folder, seed=2, genes=1500, rna_seq=True)


@pytest.fixture(scope="module")
def output(study: SimulatedStudy) -> OutputFolder:
    folder = OutputFolder(study.folder.parent / "output")
    preprocess(
        study.folder, folder.root, traits=[TRAIT], cohorts=[ACCESSION, "GSE90000001"], jobs=1
    )
    return folder


@pytest.fixture(scope="module")
def result(output: OutputFolder) -> AnalysisResult:
    options = AnalysisOptions(cohort=ACCESSION, panel=False)
    return solve_problem(output, Problem(TRAIT, None), options)


def test_other_files_are_those_of_a_study_without_it(tmp_path: Path) -> None:
    for name, rna_seq in (("with", True), ("again", True), ("without", False)):
        simulate_study(tmp_path / name, seed=5, rna_seq=rna_seq, **SMALL)
    with_it, again, without = (contents(tmp_path / name) for name in ("with", "again", "without"))
    assert with_it == again
    added = with_it.keys() - without.keys()
    assert {Path(name).parent.name for name in added} == {ACCESSION}
    same = without.keys() - {"truth.json"}
    assert {name: with_it[name] for name in same} == {name: without[name] for name in same}


def test_counts_have_the_format_of_ncbi(study: SimulatedStudy) -> None:
    folder = study.folder / "GEO" / TRAIT / ACCESSION
    counts = read_raw_counts(folder / f"{ACCESSION}_raw_counts_GRCh38.p13_NCBI.tsv.gz")
    annotation = read_count_annotation(folder / "Human.GRCh38.p13.annot.tsv.gz")
    assert set(counts.genes) == set(annotation.symbols)
    assert counts.samples == tuple(study.truth.cohorts[ACCESSION].samples)
    libraries = counts.counts.sum(axis=0)
    assert libraries.max() > 3 * libraries.min()
    low = (counts.counts.mean(axis=1) < 5).mean()
    assert 0.2 < low < 0.6
    assert study.truth.cohorts[ACCESSION].scale == "counts"


def test_planted_genes_are_found_from_raw_files(
    study: SimulatedStudy, result: AnalysisResult
) -> None:
    score = score_against_truth(study.truth, result.significant["Variable"])
    assert score.planted == 60
    assert score.found >= 40
    assert score.false_discovery_proportion <= 0.10
    assert result.method["counts"]["weights"] == "voom"


def test_genes_of_withdrawn_ids_are_found_under_their_official_symbol(
    study: SimulatedStudy, output: OutputFolder
) -> None:
    evidence = read_evidence(output.evidence(TRAIT, ACCESSION))
    (note,) = [note for note in evidence.notes if "named by the annotation" in note]
    assert note == (
        f"{len(study.truth.aliases)} GeneIDs are not in the gene table; named by the annotation"
    )
    assert evidence.counts["genes"] == 1500 + 750


def test_effects_are_those_planted(study: SimulatedStudy, result: AnalysisResult) -> None:
    effects = study.truth.cohorts[ACCESSION].effects
    found = dict(zip(result.genes["Variable"], result.genes["Coefficient"], strict=True))
    both = [(effects[gene], found[gene]) for gene in effects if found.get(gene) is not None]
    planted, estimated = np.array(both).T
    assert len(both) >= 55
    slope = float(planted @ estimated / (planted @ planted))
    assert slope == pytest.approx(1.0, abs=0.1)


def test_counts_and_arrays_are_combined(study: SimulatedStudy, output: OutputFolder) -> None:
    meta = analyze_cohorts(output, Problem(TRAIT, None))
    assert {cohort.name for cohort in meta.cohorts} == {ACCESSION, "GSE90000001"}
    genes = meta.genes.filter(meta.genes["Significant"])["Variable"]
    score = score_against_truth(study.truth, genes)
    assert score.found >= 50
    assert score.false_discovery_proportion <= 0.12
