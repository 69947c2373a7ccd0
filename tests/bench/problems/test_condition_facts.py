from pathlib import Path

import pytest

from genotex.bench.problems import (
    ProblemKind,
    TaskInfo,
    TraitInfo,
    TraitList,
    describe_condition,
    describe_conditions,
)
from genotex.errors import UsageError

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
