"""People who occur in two cohorts under different ids, found by their expression."""

from __future__ import annotations

import numpy as np
import pytest

from genotex.analysis import PERSONAL_GENES, PeopleTable, SharedPeople, find_shared_people
from tests.analysis.sample_cohorts import Floats

GENES = (*sorted(PERSONAL_GENES), *(f"GENE{j}" for j in range(700)))
_INHERITED = len(PERSONAL_GENES)
FEW, MANY = 20, 24


def people(seed: int, count: int) -> tuple[Floats, Floats]:
    """What is inherited, and what else is special about a sample; cells vary in all tissues."""
    rng = np.random.default_rng(seed)
    own = rng.standard_normal((count, len(GENES)))
    own[:, :_INHERITED] = 0
    inherited = np.zeros_like(own)
    inherited[:, :_INHERITED] = rng.choice([-2.0, 2.0], (count, _INHERITED))
    return inherited, own


def measured(profile: Floats, seed: int, name: str, noise: float = 0.4) -> PeopleTable:
    """Measure people on a platform of its own: levels, ranges and a mixture of cells."""
    rng = np.random.default_rng(seed)
    cells = np.outer(
        rng.standard_normal(len(profile)), np.random.default_rng(7).normal(0, 1, len(GENES))
    )
    values = rng.uniform(4, 12, len(GENES)) + rng.uniform(0.5, 2, len(GENES)) * (profile + cells)
    values += noise * rng.standard_normal(values.shape)
    groups = ["case" if i % 2 else "control" for i in range(len(values))]
    values[np.array(groups) == "case", 300:340] += 3
    return PeopleTable([f"{name}{i}" for i in range(len(values))], GENES, values, groups)


def names(found: SharedPeople) -> set[tuple[str, str]]:
    return {(pair.first, pair.second) for pair in found.pairs}


@pytest.mark.parametrize("shared", [4, 12], ids=["a few", "more than half"])
def test_one_rna_on_two_platforms_is_the_same_person(shared: int) -> None:
    inherited, own = people(1, FEW + MANY)
    profile = inherited + own
    first = measured(profile[:FEW], 2, "A")
    second = measured(np.roll(profile, shared - FEW, axis=0)[:MANY], 3, "B")

    found = find_shared_people(first, second)

    assert names(found) <= {(f"A{FEW - shared + i}", f"B{i}") for i in range(shared)}
    assert len(found.pairs) >= shared - 1
    assert not any(pair.copy for pair in found.pairs)
    assert found.overlap is not None
    assert found.overlap > 6.5


def test_two_tissues_of_the_same_people_agree_in_inherited_genes_only() -> None:
    inherited, blood = people(4, FEW)
    _, skin = people(5, FEW)

    found = find_shared_people(
        measured(inherited + blood, 6, "A"), measured(inherited + skin, 8, "B")
    )

    assert len(found.pairs) >= FEW // 2
    assert names(found) <= {(f"A{i}", f"B{i}") for i in range(FEW)}
    assert found.personal == _INHERITED


@pytest.mark.parametrize("seed", range(4))
def test_strangers_share_nobody_though_trait_and_cells_are_alike(seed: int) -> None:
    first = measured(sum(people(10 + seed, FEW)), 20 + seed, "A")
    second = measured(sum(people(30 + seed, MANY)), 40 + seed, "B")

    assert find_shared_people(first, second).pairs == ()


@pytest.mark.parametrize("kept", [FEW, 5], ids=["large cohorts", "too small to know people"])
def test_copied_arrays_are_found_under_other_ids_and_another_scale(kept: int) -> None:
    table = measured(sum(people(50, FEW)), 51, "A")
    other = measured(sum(people(52, FEW)), 53, "B")
    values = other.values.copy()
    values[1], values[3] = 2 * table.values[2] + 1, table.values[4]
    second = PeopleTable(other.samples[:kept], GENES, values[:kept], other.groups[:kept])
    first = PeopleTable(table.samples[:kept], GENES, table.values[:kept], table.groups[:kept])

    found = find_shared_people(first, second)

    assert names(found) == {("A2", "B1"), ("A4", "B3")}
    assert all(pair.copy for pair in found.pairs)
    assert found.named in {"A2 and B1; A4 and B3", "A4 and B3; A2 and B1"}
    assert ("5 samples are too few" in found.why_not) is (kept == 5)


def test_genes_are_matched_by_name_and_gaps_do_not_hide_a_copy() -> None:
    table = measured(sum(people(60, FEW)), 61, "A")
    order = np.random.default_rng(62).permutation(len(GENES))
    values = table.values[:, order].copy()
    values[np.random.default_rng(63).random(values.shape) < 0.02] = np.nan
    shuffled = PeopleTable(table.samples, [GENES[j] for j in order], values, table.groups)

    found = find_shared_people(table, shuffled)

    assert names(found) == {(name, name) for name in table.samples}
    assert found.named == "; ".join([pair.first for pair in found.pairs[:3]] + ["..."])


def test_too_few_genes_in_common_say_so() -> None:
    table = measured(sum(people(70, FEW)), 71, "A")
    other = PeopleTable(table.samples, [f"AFFX{i}" for i in range(len(GENES))], table.values)

    found = find_shared_people(table, other)

    assert found.pairs == ()
    assert found.overlap is None
    assert found.why_not == "0 genes in common are too few; 100 are needed"
