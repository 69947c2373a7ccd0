"""Options come from the fields of options classes; those that would do nothing are refused."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from typer.testing import CliRunner

from genotex.cli.genes.analyze import check_cohorts, check_controls, check_options
from genotex.cli.option_classes import Only, Without, changed, with_options
from genotex.cli.services.model_options import LimitChoice, ModelChoice
from genotex.errors import UsageError
from genotex.options import AnalysisOptions, EnrichmentOptions, Option, PreprocessChoices
from genotex.problems import Problem

ASTHMA = [Problem("Asthma"), Problem("Asthma", "Age")]
OBESITY = Problem("Asthma", "Obesity")


@pytest.mark.parametrize(
    ("chosen", "named"),
    [
        ({"model": "mixed"}, "--test does"),
        ({"hidden": "sva", "pair": "donor"}, "--hidden, --pair do"),
        ({"covariates": ()}, "--covariates does"),
        ({"levels": "ordered"}, "--levels does"),
        ({"filter_low": False, "trend": True}, "--no-filter, --trend do"),
        ({"batch": False, "panel": False}, "--no-batch, --no-panel do"),
        ({"min_effect": 1.0, "q_cut": 0.1, "seed": 1}, "--q, --min-effect, --seed do"),
    ],
)
def test_options_of_sound_in_the_benchmark(chosen: dict[str, Any], named: str) -> None:
    check_options(AnalysisOptions(**chosen), ASTHMA)
    told = f"{named} nothing in the procedure 'benchmark'; .*use --procedure sound"
    with pytest.raises(UsageError, match=told):
        check_options(AnalysisOptions(procedure="benchmark", **chosen), ASTHMA)


def test_a_factor_cannot_be_combined_over_cohorts() -> None:
    check_cohorts("largest", AnalysisOptions(levels="factor"))
    check_cohorts("all", AnalysisOptions(levels="ordered"))
    with pytest.raises(UsageError, match="--levels factor gives each gene several effects"):
        check_cohorts("all", AnalysisOptions(levels="factor"))


def test_solver_belongs_to_the_benchmark() -> None:
    check_options(AnalysisOptions(procedure="benchmark", solver="exact"), ASTHMA)
    with pytest.raises(UsageError, match="add --procedure benchmark"):
        check_options(AnalysisOptions(solver="exact"), ASTHMA)


@pytest.mark.parametrize("chosen", [{"regressors": "exclusive"}, {"condition_cohort": "GSE1"}])
def test_options_of_two_step_problems(chosen: dict[str, Any]) -> None:
    check_options(AnalysisOptions(**chosen), [*ASTHMA, OBESITY])
    with pytest.raises(UsageError, match="no other trait is the condition; leave it out"):
        check_options(AnalysisOptions(**chosen), ASTHMA)


def test_controls_of_a_table_that_is_taken_as_it_is() -> None:
    check_controls(AnalysisOptions(procedure="benchmark"))
    check_controls(AnalysisOptions(controls="all"))
    with pytest.raises(UsageError, match="--controls all does nothing"):
        check_controls(AnalysisOptions(procedure="benchmark", controls="all"))


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


@dataclass(frozen=True)
class Meal:
    """An options class with a field of every kind."""

    size: Annotated[Literal["small", "large"], Option("Size.")] = "small"
    sauce: Annotated[bool, Option("Sauce.", "--sauce/--no-sauce", panel="Extras")] = True
    drinks: Annotated[tuple[str, ...], Option("Drinks.", "--drink")] = ()
    words: Annotated[
        tuple[str, ...], Option("Words.", parse=lambda text: tuple(text.split(",")))
    ] = ("a", "b")
    share: Annotated[float, Option("Share.", above=0, most=1)] = 0.5
    table: Annotated[Path | None, typer.Option("--table", help="Table.")] = None
    secret: int = 7

    def __post_init__(self) -> None:
        if self.drinks == ("sea",):
            msg = "drinks must be drinkable"
            raise UsageError(msg)


def run(command: Any, *arguments: str) -> Any:
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, list(arguments))


def test_each_field_with_an_option_is_offered_with_its_default_and_type() -> None:
    found: list[Meal] = []

    @with_options
    def eat(meal: Meal) -> None:
        found.append(meal)

    assert run(eat).exit_code == 0
    chosen = ("--size", "large", "--no-sauce", "--drink", "tea", "--drink", "milk")
    more = ("--words", "x,y,z", "--share", "1", "--table", "t.csv")
    assert run(eat, *chosen, *more).exit_code == 0
    assert found == [
        Meal(),
        Meal("large", False, ("tea", "milk"), ("x", "y", "z"), 1.0, Path("t.csv")),
    ]
    shown = run(eat, "--help").output
    assert "Extras" in shown and "a,b" in shown and "secret" not in shown


def test_values_out_of_range_and_unknown_words_are_refused() -> None:
    @with_options
    def eat(meal: Meal) -> None: ...

    assert "out of range" in run(eat, "--share", "0").output
    assert run(eat, "--share", "nan").exit_code == 2
    assert run(eat, "--size", "huge").exit_code == 2


def test_message_about_a_field_names_the_option() -> None:
    @with_options
    def eat(meal: Meal) -> None: ...

    assert str(run(eat, "--drink", "sea").exception) == "--drink must be drinkable"


def test_some_fields_and_an_option_of_two_classes() -> None:
    found: list[Any] = []

    @with_options
    def solve(
        data: Annotated[PreprocessChoices, Only("procedure", "cases", "control_roles")],
        analysis: Annotated[AnalysisOptions, Without("cohort")],
    ) -> None:
        found.extend((data, analysis))

    chosen = ("--procedure", "benchmark", "--controls", "all", "--case", "x", "--q", "0.1")
    assert run(solve, *chosen).exit_code == 0
    data, analysis = found
    assert data == PreprocessChoices("benchmark", cases=("x",), control_roles="all")
    assert analysis == AnalysisOptions("benchmark", controls="all", q_cut=0.1)
    assert run(solve, "--cohort", "GSE1").exit_code == 2


def test_options_that_were_changed_are_named_as_a_user_writes_them() -> None:
    assert changed(EnrichmentOptions(0.1, seed=1), lambda _: True) == ["--q", "--seed"]
    assert changed(AnalysisOptions(), lambda _: True) == []
    named = changed(AnalysisOptions(filter_low=False, solver="exact"), lambda _: True, values=True)
    assert named == ["--no-filter", "--solver exact"]
