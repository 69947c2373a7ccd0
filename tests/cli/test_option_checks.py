"""Options that would do nothing are refused."""

from typing import Any

import pytest

from genotex.analysis import AnalysisOptions
from genotex.bench.problems import Problem
from genotex.cli.analyze import check_cohorts, check_controls, check_options
from genotex.errors import UsageError

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
