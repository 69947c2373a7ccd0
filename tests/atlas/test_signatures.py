"""Signatures: scores, their p-values under permutation, and how correlation inflates them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import ks_2samp, kstest, norm, spearmanr

from genotex.atlas import (
    AtlasReader,
    Inflation,
    Signature,
    build_atlas,
    compare_traits,
    correlate_ranks,
    estimate_inflation,
    find_similar,
    normal_scores,
    read_gene_names,
    read_signature,
    score_connectivity,
    score_signature,
    signature_p,
)
from genotex.atlas.trait_similarity import _links, _tree
from genotex.errors import FormatError, UsageError
from tests.atlas.conftest import ASTHMA
from tests.atlas.result_folders import GENES, write_cohort

UP = tuple(gene for gene, size in ASTHMA.items() if size > 0)
DOWN = tuple(gene for gene, size in ASTHMA.items() if size < 0)
PLAIN = Inflation(1.0, float("inf"), 0)


def column(rng: np.random.Generator, genes: int) -> np.ndarray:
    return normal_scores(pl.Series(rng.normal(size=genes)))[:, None].astype(float)


@pytest.mark.parametrize(("up", "down"), [(3, 0), (10, 10), (30, 5)])
def test_the_deviate_is_that_of_permuted_genes(up: int, down: int) -> None:
    rng = np.random.default_rng(3)
    scores = column(rng, 200)
    weights = np.repeat([1.0, -1.0], [up, down])
    ranked, spread = np.array([200.0]), np.mean(scores**2, axis=0)
    drawn = []
    for _ in range(4000):
        genes = rng.permutation(200)[: up + down]
        drawn.append(score_signature(scores[genes], weights, ranked, spread).z[0])
    # 4,000 permutations: the mean is known to 0.016, the standard deviation to 0.011.
    assert abs(np.mean(drawn)) < 0.06 and abs(np.std(drawn) - 1) < 0.04
    assert kstest(drawn, "norm").pvalue > 0.001


def test_genes_that_a_result_lacks_are_left_out() -> None:
    scores = np.array([[1.0, 1.0], [2.0, 2.0], [0.5, 0.5], [np.nan, 3.0]])
    found = score_signature(scores, np.ones(4), np.array([100.0, 100.0]), np.ones(2))
    assert found.genes.tolist() == [3, 4]
    assert found.score.tolist() == pytest.approx([3.5 / 3, 6.5 / 4])
    few = score_signature(scores[:2], np.ones(2), np.array([100.0, 100.0]), np.ones(2))
    assert np.isnan(few.score).all()


def test_connectivity_is_the_score_of_the_connectivity_map() -> None:
    rng = np.random.default_rng(5)
    scores = column(rng, 500)
    up, down = np.arange(0, 40), np.arange(40, 70)
    found = score_connectivity(
        scores[np.r_[up, down]], np.repeat([1.0, -1.0], [40, 30]), np.ones(1), np.ones(1)
    )
    uniform = (np.arange(500) + 0.5) / 500
    sizes = [ks_2samp(1 - norm.cdf(scores[part, 0]), uniform).statistic for part in (up, down)]
    # Against a uniform distribution rather than a sample: within a step of the ranks.
    parts = [
        score_connectivity(scores[part], np.ones(len(part)), np.ones(1), np.ones(1)).score[0]
        for part in (up, down)
    ]
    assert np.abs(parts) == pytest.approx(sizes, abs=0.01)
    expected = parts[0] - parts[1] if np.sign(parts[0]) != np.sign(parts[1]) else 0
    assert found.score[0] == pytest.approx(expected)


def test_inflation_is_found_in_unrelated_cohorts_also_among_related_ones() -> None:
    rng = np.random.default_rng(1)
    z = 3 * rng.normal(size=2000)
    found = estimate_inflation(z, range(2000), 50)
    assert found.factor == pytest.approx(9, rel=0.15)
    assert found.df == pytest.approx(740)
    z[:100] += 40
    assert estimate_inflation(z, range(2000), 50).factor == pytest.approx(9, rel=0.3)


def test_results_of_one_cohort_count_once() -> None:
    z = np.concatenate([np.full(90, 30.0), np.random.default_rng(0).normal(size=10)])
    cohorts = ["same"] * 90 + list(range(10))
    assert estimate_inflation(z, cohorts, 50).factor < 5
    assert estimate_inflation(z, cohorts, 50).cohorts == 11


def test_few_cohorts_take_a_preset_correlation() -> None:
    found = estimate_inflation(np.ones(5), range(5), 101)
    assert (found.factor, found.cohorts) == (pytest.approx(2.0), 0)
    assert signature_p(np.array([2 * 1.959964]), Inflation(4, float("inf"), 0)) == pytest.approx(
        0.05
    )


def test_the_same_and_the_reversed_signature_come_first(atlas: AtlasReader) -> None:
    found = find_similar(atlas, Signature(UP, DOWN))
    first = found.traits.head(3)
    assert dict(first.select("trait", "direction").iter_rows()) == {
        "Asthma": "similar",
        "Eczema": "similar",
        "Psoriasis": "reversed",
    }
    assert (first["q"] < 0.05).all() and (found.traits["q"][3:] > 0.05).all()
    assert set(found.cohorts["cohort"].head(5)) == {"GSE1", "GSE2", "GSE3", "GSE4", "GSE5"}
    assert found.traits["found"].to_list() == [20] * 13


def test_unknown_genes_are_counted_and_too_few_refused(atlas: AtlasReader) -> None:
    found = find_similar(atlas, Signature((*UP, "NOSUCH1")))
    assert found.unknown == ("NOSUCH1",)
    assert found.notes[0].startswith("1 of 11 genes are in no result")
    with pytest.raises(UsageError, match=r"2 of 4 genes of the signature are in the atlas"):
        find_similar(atlas, Signature((UP[0], "X1"), (DOWN[0], "X2")))


def test_signatures_without_genes_or_with_contradictions_are_refused() -> None:
    with pytest.raises(UsageError, match="GENE001 is both up and down"):
        Signature(UP, (*DOWN, UP[0]))
    with pytest.raises(UsageError, match="no genes"):
        Signature(())


def test_shared_samples_and_platforms_are_reported(tmp_path: Path) -> None:
    samples = [f"GSM{i}" for i in range(40)]
    write_cohort(tmp_path / "a", "Asthma", "GSE1", seed=1, changed=ASTHMA, samples=samples)
    write_cohort(tmp_path / "a", "Eczema", "GSE1", seed=1, changed=ASTHMA, samples=samples)
    write_cohort(tmp_path / "b", "Psoriasis", "GSE2", seed=2)
    build_atlas([tmp_path], tmp_path / "atlas")
    atlas = AtlasReader(tmp_path / "atlas")
    notes = " ".join(find_similar(atlas, Signature(UP, DOWN)).notes)
    assert "Asthma in GSE1 and Eczema in GSE1 (40)" in notes
    assert "2 of 2 cohorts are from platform GPL1" in notes
    assert "too few to estimate" in notes
    pairs = compare_traits(atlas).pairs
    assert pairs.row(0, named=True)["shared_samples"] == 40
    assert pairs["shared_platforms"].to_list() == [1, 1, 1]


def test_own_sample_names_of_two_cohorts_are_not_taken_for_the_same(tmp_path: Path) -> None:
    names = [f"s{i}" for i in range(40)]
    write_cohort(tmp_path / "a", "Asthma", "first", seed=1, samples=names)
    write_cohort(tmp_path / "b", "Asthma", "second", seed=2, samples=names)
    build_atlas([tmp_path], tmp_path / "atlas")
    atlas = AtlasReader(tmp_path / "atlas")
    assert atlas.groups["cohorts"].to_list() == [["first", "second"]]


def test_similar_traits_are_next_to_each_other_in_the_tree(atlas: AtlasReader) -> None:
    found = compare_traits(atlas)
    place = {name: i for i, name in enumerate(found.names)}
    assert abs(place["Asthma"] - place["Eczema"]) == 1
    assert found.pairs.row(0)[:2] == ("Asthma", "Eczema")
    assert found.pairs["similarity"][-1] < -0.2
    assert np.diag(found.similarity) == pytest.approx(np.ones(13))
    assert found.newick.endswith(";") and all(name in found.newick for name in found.names)
    assert found.newick.count("(") == found.newick.count(")") == 12


def test_rank_correlation_is_that_of_scipy_where_both_have_the_gene() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(400, 2)) @ np.array([[1, 0.5], [0, 1]])
    scores = np.column_stack([normal_scores(pl.Series(column)) for column in values.T])
    expected = spearmanr(values).statistic
    assert correlate_ranks(scores.astype(float))[0, 1] == pytest.approx(expected, abs=1e-3)
    missing = scores.astype(float)
    missing[:100, 0] = np.nan
    assert np.isfinite(correlate_ranks(missing)[0, 1])


def test_gene_files_may_have_more_columns_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "genes.txt"
    path.write_text('# mine\nIL6\t2.1\n"TNF",3\n\n CXCL9 \n')
    assert read_gene_names(path) == ["IL6", "TNF", "CXCL9"]
    path.write_text("# nothing\n")
    with pytest.raises(FormatError, match="no gene names"):
        read_gene_names(path)
    assert len(GENES) == 300


def test_names_with_marks_of_the_tree_format_are_quoted() -> None:
    _, newick = _tree(_links(np.array([[1.0, 0.5], [0.5, 1.0]])), ["Glioma (low)", "Gout"])
    assert newick == "('Glioma_(low)':0.2500,Gout:0.2500);"


def test_significant_genes_of_deseq2_are_a_signature_with_both_sides(tmp_path: Path) -> None:
    path = tmp_path / "deseq2.csv"
    head = "gene,baseMean,log2FoldChange,lfcSE,stat,pvalue,padj"
    rows = ["TP53,9,2,.2,9,1e-9,1e-8", "EGFR,9,-1,.2,-5,1e-6,1e-5", "MYC,9,1,1,1,.3,.4"]
    path.write_text("\n".join([head, *rows]))
    assert read_signature(path, None) == Signature(("TP53",), ("EGFR",))
    path.write_text("\n".join([head, rows[2]]))
    with pytest.raises(UsageError, match=r"no gene with q < 0.05; give a list of genes"):
        read_signature(path, None)
    lists = tmp_path / "up.txt", tmp_path / "down.txt"
    for each, names in zip(lists, ("IL6\nTNF\n", "ALB\n"), strict=True):
        each.write_text(names)
    assert read_signature(*lists) == Signature(("IL6", "TNF"), ("ALB",))
    assert read_signature(None, lists[1]) == Signature((), ("ALB",))
