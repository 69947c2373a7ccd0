"""Which trait is studied under which condition, and why."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.errors import UsageError
from genotex.problems import (
    GeneOverlap,
    ListedTrait,
    PairRule,
    ProblemKind,
    TaskInfo,
    TraitInfo,
    TraitList,
    build_conditions,
    describe_condition,
    describe_conditions,
    judge_pair,
)

HEIGHT = ListedTrait("Height", "characteristic")
ASTHMA = ListedTrait("Asthma", "immune")
OBESITY = ListedTrait("Obesity", "metabolic", universal=True)
LDL = ListedTrait("LDL", "metabolic", condition_only=True)
LUNG = ListedTrait("Lung_Cancer", "cancer")
PROSTATE = ListedTrait("Prostate_Cancer", "cancer", "male")
CYSTS = ListedTrait("Cysts", "organ", "female")
TRAITS = (HEIGHT, ASTHMA, OBESITY, LDL, LUNG, PROSTATE, CYSTS)
ALL_ALIKE = GeneOverlap({trait.name: {"A", "B"} for trait in TRAITS})
NOTHING_ALIKE = GeneOverlap({trait.name: {trait.name} for trait in TRAITS})


def judged(trait: ListedTrait, condition: ListedTrait | str, overlap: GeneOverlap) -> str:
    verdict = judge_pair(trait, condition, overlap)
    return ("in: " if verdict.included else "out: ") + verdict.rule.name


def test_rules_of_the_paper() -> None:
    assert judged(ASTHMA, "Age", NOTHING_ALIKE) == "in: AGE"
    assert judged(ASTHMA, "Gender", NOTHING_ALIKE) == "in: GENDER"
    assert judged(PROSTATE, "Age", NOTHING_ALIKE) == "in: AGE"
    assert judged(PROSTATE, "Gender", NOTHING_ALIKE) == "out: ONE_SEX"
    assert judged(PROSTATE, CYSTS, ALL_ALIKE) == "out: OTHER_SEX"
    assert judged(CYSTS, PROSTATE, ALL_ALIKE) == "out: OTHER_SEX"
    assert judged(PROSTATE, ASTHMA, ALL_ALIKE) == "in: JACCARD"
    assert judged(LUNG, PROSTATE, ALL_ALIKE) == "out: CANCERS"
    assert judged(LUNG, OBESITY, NOTHING_ALIKE) == "in: UNIVERSAL"
    assert judged(OBESITY, LUNG, NOTHING_ALIKE) == "out: JACCARD"
    assert judged(LDL, "Age", ALL_ALIKE) == "out: CONDITION_ONLY"
    assert judged(LDL, OBESITY, ALL_ALIKE) == "out: CONDITION_ONLY"
    assert judged(ASTHMA, LDL, ALL_ALIKE) == "in: JACCARD"


def test_jaccard_by_hand() -> None:
    # B, C of A, B, C, D: 2 of 4.
    overlap = GeneOverlap({"x": ["A", "B", "C"], "y": ["D", "C", "B"], "none": []})
    assert overlap.shared("x", "y") == {"B", "C"}
    assert overlap.jaccard("x", "y") == overlap.jaccard("y", "x") == 0.5
    assert overlap.jaccard("x", "none") == overlap.jaccard("none", "unheard") == 0.0


def test_similarity_equal_to_the_threshold_suffices() -> None:
    # 13 of 130, as chronic kidney disease and congestive heart failure have in the published file.
    genes = {"Height": range(100), "Asthma": range(87, 130)}
    overlap = GeneOverlap({name: [f"G{i}" for i in ids] for name, ids in genes.items()})
    verdict = judge_pair(HEIGHT, ASTHMA, overlap, 0.1)
    assert verdict.included and verdict.why == "Jaccard 0.1000, at least 0.1"
    verdict = judge_pair(HEIGHT, ASTHMA, overlap, 0.11)
    assert not verdict.included and verdict.why == "Jaccard 0.1000, below 0.11"
    assert verdict.rule is PairRule.JACCARD


def test_conditions_in_the_order_of_the_published_list() -> None:
    genes = {
        "Height": ["A", "B", "C", "D"],
        "Obesity": ["A"],
        "Asthma": ["A", "B"],
        "LDL": ["A", "B", "C"],
        "Lung_Cancer": ["Z"],
    }
    built = build_conditions(TRAITS, genes, GeneOverlap(genes), 0.1)
    assert built["Height"].conditions == ("Age", "Gender", "LDL", "Asthma", "Obesity")
    assert built["Height"].related_genes == ("A", "B", "C", "D")
    assert built["Lung_Cancer"].conditions == ("Age", "Gender", "Obesity")
    assert built["Cysts"].conditions == ("Age", "Obesity")
    assert built["LDL"].conditions == () and list(built) == [trait.name for trait in TRAITS]


gene_sets = st.fixed_dictionaries({t.name: st.sets(st.sampled_from("ABCDEFGHIJ")) for t in TRAITS})


@settings(deadline=None)
@given(gene_sets, st.floats(0.01, 1), st.floats(0.01, 1))
def test_higher_threshold_never_adds_and_sides_agree(
    genes: dict[str, set[str]], one: float, other: float
) -> None:
    overlap = GeneOverlap(genes)
    lists = {name: sorted(listed) for name, listed in genes.items()}
    low = build_conditions(TRAITS, lists, overlap, min(one, other))
    high = build_conditions(TRAITS, lists, overlap, max(one, other))
    plain = [t.name for t in TRAITS if not t.universal and not t.condition_only]
    for trait in plain:
        assert set(high[trait].conditions) <= set(low[trait].conditions)
        for condition in set(plain) - {trait}:
            assert (condition in low[trait].conditions) == (trait in low[condition].conditions)
            assert 0 <= overlap.jaccard(trait, condition) <= 1


TASKS = TaskInfo(
    Path("task_info.json"),
    {
        "Asthma": TraitInfo(("A", "B", "C"), ("Age", "Eczema", "Gout_of_Mine", "Unheard")),
        "Eczema": TraitInfo(("D", "C", "B"), ()),
        "Gout_of_Mine": TraitInfo((), ()),
    },
)
KNOWN = TraitList.load()


def test_conditions_of_a_trait_in_the_order_of_the_list() -> None:
    age, eczema, gout, unheard = describe_conditions(TASKS, "Asthma", KNOWN)
    assert (age.condition, age.kind, age.jaccard) == ("Age", ProblemKind.ONE_STEP, None)
    assert age.why == "every trait is studied given Age" and age.listed
    # B and C of A, B, C and D, in the order of eczema.
    assert eczema.shared == ("C", "B") and eczema.jaccard == 0.5
    assert eczema.why == "Jaccard 0.5000, at least 0.1"
    assert gout.jaccard == 0 and gout.why is None
    assert unheard.jaccard is None and unheard.shared == () and unheard.why is None


def test_pair_that_is_no_problem() -> None:
    facts = describe_condition(TASKS, "Eczema", "Asthma", KNOWN)
    assert not facts.listed and facts.jaccard == 0.5 and facts.shared == ("B", "C")
    assert describe_condition(TASKS, "Asthma", "Eczema", KNOWN).listed


@pytest.mark.parametrize(
    ("trait", "condition", "words"),
    [
        ("Astma", "Age", "no trait 'Astma'; it has Asthma, Eczema"),
        ("Asthma", "Unheard", "no trait 'Unheard'"),
        ("Asthma", "Asthma", "cannot be its own condition"),
    ],
)
def test_pair_that_cannot_be(trait: str, condition: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        describe_condition(TASKS, trait, condition, KNOWN)
