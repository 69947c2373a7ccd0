import pytest

from genotex.bench.problems import Problem, ProblemKind
from genotex.errors import UsageError


@pytest.mark.parametrize(
    ("condition", "kind", "words"),
    [
        (None, ProblemKind.UNCONDITIONAL, "Crohns_Disease"),
        ("Age", ProblemKind.ONE_STEP, "Crohns_Disease given Age"),
        ("Gender", ProblemKind.ONE_STEP, "Crohns_Disease given Gender"),
        ("Type 2 Diabetes", ProblemKind.TWO_STEP, "Crohns_Disease given Type_2_Diabetes"),
    ],
)
def test_kind_follows_from_the_condition(
    condition: str | None, kind: ProblemKind, words: str
) -> None:
    problem = Problem("Crohn's Disease", condition)
    assert problem.kind is kind
    assert str(problem) == words


@pytest.mark.parametrize(
    ("trait", "condition"), [("Age", None), ("Asthma", "Asthma"), ("../x", None), ("Asthma", "")]
)
def test_names_that_make_no_problem(trait: str, condition: str | None) -> None:
    with pytest.raises(UsageError):
        Problem(trait, condition)
