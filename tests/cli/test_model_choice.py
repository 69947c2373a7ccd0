"""What is said about models and limits on the command line."""

from genotex.cli.model_choice import LimitChoice, ModelChoice, RoleChoice


def test_options_are_told_as_they_are_written() -> None:
    roles = RoleChoice(planner="rules", expert="rules")
    choice = ModelChoice("rules", roles, limits=LimitChoice(max_cost=1.0, allow_unknown_cost=True))
    assert choice.options == (
        "--model",
        "--model.planner",
        "--model.expert",
        "--max-cost",
        "--allow-unknown-cost",
    )
    assert ModelChoice().options == ()
