"""Genes and traits of an atlas."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from genotex.analysis import combine_results, read_result
from genotex.atlas import AtlasReader, build_atlas, compare_traits, find_gene, find_trait
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.problems import Problem
from tests.atlas.result_folders import GENES, write_cohort


def test_cohorts_are_combined_as_by_analyze(folders: Path, atlas: AtlasReader) -> None:
    results = {
        n: read_result(OutputFolder(folders / n), "Asthma", None) for n in ("GSE1", "GSE2", "GSE3")
    }
    expected = combine_results(Problem("Asthma"), results).genes.sort("Variable")
    found = find_trait(atlas, "Asthma").genes.sort("gene")
    assert found["gene"].to_list() == expected["Variable"].to_list()
    for ours, theirs in {"effect": "Combined Effect", "p": "p", "q": "q", "i2": "I2"}.items():
        assert found[ours].to_list() == pytest.approx(
            expected[theirs].to_list(), rel=1e-3, abs=1e-4
        )
    gene = find_gene(atlas, GENES[0])
    row = gene.traits.filter(pl.col("trait") == "Asthma").row(0, named=True)
    assert (row["cohorts"], row["agreeing"], row["direction"]) == (3, 3, "down")


def test_a_synonym_names_the_gene(tmp_path: Path) -> None:
    write_cohort(tmp_path / "out", "Asthma", "GSE1", genes=["CXCL8", *GENES])
    build_atlas([tmp_path / "out"], tmp_path / "atlas")
    atlas = AtlasReader(tmp_path / "atlas")
    assert find_gene(atlas, "IL8").gene == find_gene(atlas, "cxcl8").gene == "CXCL8"


def test_an_unknown_gene_gets_symbols_that_are_spelt_alike(atlas: AtlasReader) -> None:
    with pytest.raises(UsageError, match="has a gene 'GENE0011'; spelt alike: GENE011"):
        find_gene(atlas, "GENE0011")


def test_traits_are_found_by_any_spelling_and_unknown_ones_get_near_misses(
    atlas: AtlasReader,
) -> None:
    assert find_trait(atlas, "asthma").trait == "Asthma"
    with pytest.raises(UsageError, match="spelt alike: Asthma"):
        find_trait(atlas, "Astma")
    with pytest.raises(UsageError, match="its conditions are None"):
        find_trait(atlas, "Asthma", "Age")


def test_of_two_folders_with_the_same_samples_one_is_combined(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_cohort(tmp_path / name, "Asthma", "GSE1", seed=1)
    write_cohort(tmp_path / "c", "Asthma", "GSE2", seed=2)
    build_atlas([tmp_path / name for name in "abc"], tmp_path / "atlas")
    found = find_trait(AtlasReader(tmp_path / "atlas"), "Asthma")
    assert found.cohorts.height == 3
    assert list(found.left_out) == ["GSE1 (2)"]
    assert "shares 40 of its 40 samples" in found.left_out["GSE1 (2)"]
    assert "Samples in common" in " ".join(found.notes)


def test_cohorts_with_the_most_samples_in_common_are_named_first(tmp_path: Path) -> None:
    every = [f"GSM{i}" for i in range(100)]
    for number, start in enumerate((0, 5, 35, 60), 1):
        cohort = f"GSE{number}"
        samples = every[start : start + 40]
        write_cohort(tmp_path / cohort, "Asthma", cohort, seed=number, samples=samples)
    build_atlas([tmp_path], tmp_path / "atlas")
    notes = find_trait(AtlasReader(tmp_path / "atlas"), "Asthma").notes
    (note,) = (each for each in notes if each.startswith("Samples in common"))
    shared = re.findall(r"in (GSE\d) and .*? in (GSE\d) \((\d+)\)", note)
    assert shared == [
        ("GSE1", "GSE2", "35"), ("GSE3", "GSE4", "15"), ("GSE2", "GSE3", "10"),
        ("GSE1", "GSE3", "5"),
    ]  # fmt: skip


def test_a_gene_of_one_cohort_keeps_its_values_among_several(tmp_path: Path) -> None:
    write_cohort(tmp_path / "a", "Asthma", "GSE1", seed=1)
    write_cohort(tmp_path / "b", "Asthma", "GSE2", seed=2, genes=GENES[:100])
    build_atlas([tmp_path], tmp_path / "atlas")
    genes = find_trait(AtlasReader(tmp_path / "atlas"), "Asthma").genes
    alone = genes.filter(pl.col("gene") == GENES[200]).row(0, named=True)
    assert (alone["cohorts"], alone["q"], alone["significant"]) == (1, None, False)
    # All but the last of each table, which was not tested; the shorter table lacks one more.
    assert genes.height == len(GENES) - 1


def test_a_trait_of_several_levels_has_no_direction(tmp_path: Path) -> None:
    write_cohort(tmp_path / "out", "Stage", "GSE1", kind="factor")
    build_atlas([tmp_path / "out"], tmp_path / "atlas")
    found = find_gene(AtlasReader(tmp_path / "atlas"), GENES[0])
    assert found.cohorts["direction"].to_list() == [None]
    assert found.traits.is_empty() and "no single direction" in found.notes[-1]
    with pytest.raises(UsageError, match="two are needed"):
        compare_traits(AtlasReader(tmp_path / "atlas"))


def test_an_atlas_that_is_replaced_while_it_is_asked_says_so(folders: Path, tmp_path: Path) -> None:
    build_atlas([folders], tmp_path / "atlas")
    for pattern in ("genes/*/*.parquet", "results-*.parquet"):
        atlas = AtlasReader(tmp_path / "atlas")
        for path in (tmp_path / "atlas").glob(pattern):
            path.unlink()
        with pytest.raises(UsageError, match="brought up to date while it was asked"):
            find_gene(atlas, GENES[0])


def test_the_largest_cohort_of_a_trait_comes_first(
    atlas: AtlasReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"GSE1": 30, "GSE2": 50, "GSE3": 40}
    larger = pl.col("cohort").replace_strict(sizes, default=20, return_dtype=pl.Int64)
    results = atlas.results.with_columns(samples=larger)
    monkeypatch.setattr(AtlasReader, "results", property(lambda _: results))
    found = find_trait(atlas, "Asthma").cohorts
    assert found["cohort"].to_list() == ["GSE2", "GSE3", "GSE1"]
    assert found["samples"].to_list() == [50, 40, 30]
