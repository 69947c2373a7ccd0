"""Every fault that is put into generated code fails in the way it is named after, or is seen."""

from pathlib import Path
from typing import Any

import pytest

from genotex.agents import (
    ActionUnit,
    Task,
    action_unit,
    plan_units,
    review_output,
    set_up_code,
    write_code,
)
from genotex.errors import UsageError
from genotex.simulate import SimulatedStudy
from tests.agents.conftest import Run, cohort_task
from tests.agents.seeded_faults import FAULTS, faults_of, with_fault

SEEDS = (1, 2)
STOP_AFTER = 0.3
LOOPING = "tcga load_data"
FAILS = {
    "crash": ("NameError: name '", "' is not defined"),
    "endless_loop": ("KeyboardInterrupt: stopped: it did not end",),
    "header_not_stripped": ("every value became None", "begin with their header"),
    "unknown_keyword": ("unexpected keyword argument", "its arguments are"),
    "placeholder_conversion": ("encode_feature(): ", "which is not a code; it must give a number"),
    "wrong_file_reading": ("Error", "polars"),
    "wrong_row": ("encode_feature(): trait, row ", "every value became None"),
    "wrong_column": ("there is no column|is not a column|is not known",),
    "missing_table": ("not done before its tables are written", "save_table("),
}

Tried = dict[tuple[str, str, int], dict[str, Any]]


@pytest.fixture(scope="module")
def tasks(study: SimulatedStudy, tmp_path_factory: pytest.TempPathFactory) -> list[Task]:
    target = tmp_path_factory.mktemp("faults")
    return [
        cohort_task(study.folder, target / "geo", "Simulated_Arthritis", "GSE90000001", "sound"),
        cohort_task(study.folder, target / "tcga", "Simulated_Carcinoma", "TCGA", "sound"),
    ]


@pytest.fixture(scope="module")
def tried(tasks: list[Task], run_notebooks: Run) -> Tried:
    """Run every fault that every step can have, each on what the right steps before it left."""
    notebooks, names = [], []
    for task in tasks:
        cells: list[dict[str, Any]] = [{"code": set_up_code(task)}]
        for unit in plan_units(task):
            code = write_code(task, unit)
            made = [(f"{task.kind} {unit.name}", f, s) for f in faults_of(code) for s in SEEDS]
            # Each endless loop has to be waited for, so one step shows it for all.
            made = [name for name in made if name[1] != "endless_loop" or name[0] == LOOPING]
            variants = [
                {"code": with_fault(code, unit, fault, seed)}
                | ({"seconds": STOP_AFTER} if fault == "endless_loop" else {})
                for _, fault, seed in made
            ]
            names.append(made)
            cells.append({"code": code, "variants": variants})
        notebooks.append({"folder": task.output, "cells": cells})
    results = run_notebooks(notebooks)
    by_step = [cell["variants"] for cells in results for cell in cells[1:]]
    return {
        name: outcome
        for made, outcomes in zip(names, by_step, strict=True)
        for name, outcome in zip(made, outcomes, strict=True)
    }


RUNS = "lost_variable"
"""The one fault that runs: what is wrong shows in a later step, or to who reads the code."""


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != RUNS])
def test_fault_fails_as_it_is_named(tried: Tried, fault: str) -> None:
    found = {name: outcome for name, outcome in tried.items() if name[1] == fault}
    assert found
    for name, outcome in found.items():
        assert outcome["failed"], name
        for part in FAILS[fault]:
            assert any(p in outcome["output"] for p in part.split("|")), (name, outcome["output"])


def test_reviewer_rejects_every_fault_with_advice(tried: Tried, tasks: list[Task]) -> None:
    units = {
        f"{task.kind} {unit.name}": (task, unit) for task in tasks for unit in plan_units(task)
    }
    for (step, fault, seed), outcome in tried.items():
        task, unit = units[step]
        code = with_fault(write_code(task, unit), unit, fault, seed)
        verdict = review_output(unit, code, outcome["output"])
        assert not verdict.approved, (step, fault)
        assert verdict.runs == (fault == RUNS), (step, fault)
        assert 1 <= len(verdict.suggestions) <= 3 and all(verdict.suggestions)


def test_each_step_can_crash_loop_and_be_called_wrongly(tried: Tried, tasks: list[Task]) -> None:
    for task in tasks:
        for unit in plan_units(task)[:-1]:
            assert {"crash", "endless_loop"} <= set(faults_of(write_code(task, unit)))
    assert {fault for _, fault, _ in tried} == set(FAULTS)


def unit_and_code(tasks: list[Task], name: str) -> tuple[ActionUnit, str]:
    unit = action_unit("geo", name)
    return unit, write_code(tasks[0], unit)


def test_same_seed_gives_the_same_fault(tasks: list[Task]) -> None:
    unit, code = unit_and_code(tasks, "read_clinical_features")
    for fault in faults_of(code):
        once, again = (with_fault(code, unit, fault, seed=7) for _ in range(2))
        assert once == again != code


def test_fault_without_a_place_and_unknown_fault_are_refused(tasks: list[Task]) -> None:
    unit, code = unit_and_code(tasks, "review_gene_ids")
    with pytest.raises(UsageError, match="review gene ids has no place for the fault 'wrong_row'"):
        with_fault(code, unit, "wrong_row", 1)
    with pytest.raises(UsageError, match="there is no fault 'typo'; use crash, "):
        with_fault(code, unit, "typo", 1)


def test_statistics_can_be_called_with_a_keyword_that_does_not_exist(tmp_path: Path) -> None:
    task = Task("statistics", "Asthma", str(tmp_path), str(tmp_path))
    unit = action_unit("statistics", "unconditional_regression")
    codes = {with_fault(write_code(task, unit), unit, "unknown_keyword", s) for s in range(100)}
    assert any("analyse(data, fit_intercept=True)" in code for code in codes)


def test_lost_variable_runs_and_prints_the_same_but_leaves_nothing(tried: Tried) -> None:
    outcomes = [outcome for (_, fault, _), outcome in tried.items() if fault == RUNS]
    assert len(outcomes) >= 10
    assert not any(outcome["failed"] for outcome in outcomes)


def test_lost_variable_leaves_texts_and_keywords_alone(tasks: list[Task]) -> None:
    unit, code = unit_and_code(tasks, "extract_gene_data")
    lost = with_fault(f'{code}print("no expression", end="")\n', unit, RUNS, seed=1)
    assert "my_expression = read_expression(series)" in lost
    assert 'print("no expression", end="")' in lost
    unit, code = unit_and_code(tasks, "read_clinical_features")
    assert "save_table(my_clinical)" in with_fault(code, unit, RUNS, seed=1)
