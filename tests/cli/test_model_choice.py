"""Models and limits on the command line."""

from genotex.cli.model_options import LimitChoice, ModelChoice


def test_options_are_named_as_a_user_writes_them() -> None:
    choice = ModelChoice("rules", planner="rules", expert="rules")
    assert choice.options(LimitChoice(max_cost=1.0, allow_unknown_cost=True)) == (
        "--model",
        "--model.planner",
        "--model.expert",
        "--max-cost",
        "--allow-unknown-cost",
    )
    assert ModelChoice().options(LimitChoice()) == ()
