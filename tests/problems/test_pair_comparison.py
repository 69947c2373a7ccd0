from itertools import permutations
from pathlib import Path

import pytest

from genotex.problems import (
    GeneOverlap,
    ListedTrait,
    PairRule,
    Problem,
    TaskInfo,
    TraitInfo,
    TraitList,
    compare_pairs,
)

TRAITS = (
    ListedTrait("Asthma", "immune"),
    ListedTrait("Eczema", "immune"),
    ListedTrait("Lung_Cancer", "cancer"),
    ListedTrait("Liver_Cancer", "cancer"),
)
# Asthma and eczema share 2 of 4 genes, the cancers both of theirs.
GENES = {
    "Asthma": ["A", "B", "C"],
    "Eczema": ["B", "C", "D"],
    "Lung_Cancer": ["X", "Y"],
    "Liver_Cancer": ["X", "Y"],
}


def published(**conditions: list[str]) -> dict[str, TraitInfo]:
    return {trait: TraitInfo((), tuple(names)) for trait, names in conditions.items()}


def test_differences_come_with_their_reasons() -> None:
    theirs = published(
        Asthma=["Age", "Gender"],
        Eczema=["Age", "Gender", "Asthma", "Lung Cancer", "Gout"],
        Lung_Cancer=["Age", "Gender", "Liver_Cancer"],
        Liver_Cancer=["Gender"],
    )
    found = compare_pairs(TRAITS, theirs, GeneOverlap(GENES), 0.5)
    # Four traits with five possible conditions each.
    assert found.candidates == 20 and found.built == 10 and found.published == 11
    assert [(str(item.problem), item.why) for item in found.only_built] == [
        ("Asthma given Eczema", "Jaccard 0.5000, at least 0.5"),
        ("Liver_Cancer given Age", "every trait is studied given Age"),
    ]
    assert [(str(item.problem), item.why) for item in found.only_published] == [
        ("Eczema given Lung_Cancer", "Jaccard 0.0000, below 0.5"),
        ("Lung_Cancer given Liver_Cancer", "trait and condition are both cancers"),
        ("Eczema given Gout", "trait or condition is not in the trait list"),
    ]
    assert len(found.agreeing) == 8 and Problem("Eczema", "Asthma") in found.agreeing
    assert found.precision == 8 / 10 and found.recall == 8 / 11
    counts = {count.rule: count for count in found.rules}
    cancers, jaccard = counts[PairRule.CANCERS], counts[PairRule.JACCARD]
    assert (cancers.pairs, cancers.similar, cancers.built, cancers.published) == (2, 2, 0, 1)
    assert (jaccard.pairs, jaccard.similar, jaccard.built, jaccard.published) == (10, 2, 2, 2)


def test_nothing_built_or_published_has_no_rate() -> None:
    only = (ListedTrait("LDL", "metabolic", condition_only=True),)
    found = compare_pairs(only, published(LDL=[]), GeneOverlap({}), 0.1)
    assert found.precision is None and found.recall is None and found.candidates == 2


def expected(tasks: TaskInfo, threshold: float) -> set[tuple[str, str]]:
    """The rules of appendix D once more, with plain sets."""
    listed = TraitList.load().traits
    genes = {trait: set(info.related_genes) for trait, info in tasks.traits.items()}
    pairs = set()
    for trait, condition in permutations(genes, 2):
        of_trait, of_condition = listed[trait], listed[condition]
        sexes = {of_trait.sex, of_condition.sex} - {None}
        both_cancer = of_trait.category == of_condition.category == "cancer"
        either = genes[trait] | genes[condition]
        alike = either and len(genes[trait] & genes[condition]) / len(either) >= threshold
        if condition in ("Obesity", "Hypertension") or (alike and not both_cancer):
            pairs |= {(trait, condition)} if len(sexes) < 2 else set()
    for trait in genes:
        pairs |= {(trait, "Age")} | ({(trait, "Gender")} if listed[trait].sex is None else set())
    return {pair for pair in pairs if not listed[pair[0]].condition_only}


def test_published_pairs_are_explained_to_the_last(shared_data: Path) -> None:
    tasks = TaskInfo.load(shared_data / "metadata" / "task_info.json")
    overlap = GeneOverlap({t: info.related_genes for t, info in tasks.traits.items()})
    traits = TraitList.load().among(tasks.traits)
    found = compare_pairs(traits, tasks.traits, overlap, 0.1)
    # The paper counts 17,556 possible pairs.
    assert found.candidates == 17_556 and len(found.agreeing) == 1252
    assert found.only_built == found.only_published == ()


@pytest.mark.parametrize("threshold", [0.05, 0.15, 0.2])
def test_other_thresholds_against_plain_sets(shared_data: Path, threshold: float) -> None:
    tasks = TaskInfo.load(shared_data / "metadata" / "task_info.json")
    overlap = GeneOverlap({t: info.related_genes for t, info in tasks.traits.items()})
    traits = TraitList.load().among(tasks.traits)
    found = compare_pairs(traits, tasks.traits, overlap, threshold)
    built = {*found.agreeing, *(item.problem for item in found.only_built)}
    assert {(p.trait, p.condition) for p in built} == expected(tasks, threshold)
    theirs = {p for p in tasks.problems() if p.condition is not None}
    assert set(found.agreeing) == built & theirs
    assert {item.problem for item in found.only_published} == theirs - built
