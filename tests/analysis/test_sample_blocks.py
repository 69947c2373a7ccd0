"""Samples of the same person although no id records it."""

from dataclasses import replace

import numpy as np
import pytest

from genotex.analysis import PERSONAL_GENES, choose_contrast, detect_blocks, find_blocks
from tests.analysis.sample_cohorts import changed, clean_cohort, profiles, repeated_people


@pytest.mark.parametrize("samples", [8, 12, 20, 60])
def test_unrelated_people_are_not_taken_for_repeats(samples: int) -> None:
    for seed in range(5):
        found = find_blocks(profiles(clean_cohort(samples, seed=seed)))
        assert found.blocks == {} and found.warnings == ()
        assert found.record["score"] < found.record["needed"]


@pytest.mark.parametrize(("people", "each"), [(10, 2), (10, 3), (6, 5)])
def test_people_with_several_samples_are_found(people: int, each: int) -> None:
    table = repeated_people(people, each)
    found = find_blocks(profiles(table))
    labels = [found.blocks[sample] for sample in table.samples]
    assert labels == [f"block {i // each + 1}" for i in range(people * each)]
    (warning,) = found.warnings
    assert f"{people * each} of the {people * each} samples fall into {people} blocks" in warning
    assert "p-values may be too small; adjust with --pair detected." in warning


def test_agreement_in_inherited_genes_makes_them_people() -> None:
    table = repeated_people()
    assert "seem to be the same people" in find_blocks(profiles(table)).warnings[0]
    renamed = tuple(f"X{j}" if g in PERSONAL_GENES else g for j, g in enumerate(table.genes))
    other = find_blocks(profiles(replace(table, genes=renamed)))
    assert other.record["personal_excess"] is None
    assert "the same people, cell lines or batches" in other.warnings[0]


def test_pairs_of_case_and_control_may_have_p_values_too_large() -> None:
    table = repeated_people(10, 2)
    pairs = replace(table, trait_values=(np.arange(20) % 2).astype(float))
    (warning,) = find_blocks(profiles(pairs)).warnings
    assert "too small or, for pairs of case and control, too large" in warning


def test_sample_without_company_is_a_block_of_its_own() -> None:
    table = repeated_people()
    values = table.expression.copy()
    alone = clean_cohort(8, seed=9).expression
    values[0] = values.mean(axis=0) + alone[0] - alone.mean(axis=0)
    found = find_blocks(profiles(changed(table, values)))
    assert found.blocks["GSM0"] == "GSM0"
    assert found.blocks["GSM1"] == found.blocks["GSM2"] != found.blocks["GSM3"]
    assert not any("GSM0" in members for members in found.record["members"].values())


def test_batch_of_half_of_the_samples_is_no_person() -> None:
    table = clean_cohort(24)
    values = table.expression.copy()
    values[::3] += np.random.default_rng(1).normal(0, 0.8, values.shape[1])
    assert find_blocks(profiles(changed(table, values))).blocks == {}


def test_tissues_that_are_recorded_do_not_hide_the_people() -> None:
    table = repeated_people(10, 2)
    tissue = {s: "liver" if i % 2 else "lung" for i, s in enumerate(table.samples)}
    values = table.expression.copy()
    values[1::2] += np.random.default_rng(2).normal(0, 2, values.shape[1])
    mixed = changed(table, values)
    contrast = choose_contrast(mixed, {}, "all")
    assert detect_blocks(mixed, contrast) == {}
    found = detect_blocks(mixed, contrast, {"tissue": tissue})
    assert found == detect_blocks(table, contrast)
    assert len(set(found.values())) == 10


def test_missing_values_do_not_hide_the_people() -> None:
    table = repeated_people()
    values = table.expression.copy()
    values[np.random.default_rng(3).random(values.shape) < 0.05] = np.nan
    assert len(find_blocks(profiles(changed(table, values))).record["members"]) == 10


def test_people_are_found_with_a_measured_trait() -> None:
    table = repeated_people()
    measured = replace(table, trait_values=np.random.default_rng(4).normal(size=30))
    assert len(set(find_blocks(profiles(measured)).blocks.values())) == 10


def test_few_samples_are_not_judged() -> None:
    found = find_blocks(profiles(clean_cohort(6)))
    assert found.record == {
        "judged": False,
        "why_not": "6 samples are too few; 8 are needed",
        "score": None,
        "members": {},
    }
