"""The same people in two cohorts under other ids: found by expression, and counted once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from genotex.analysis import analyze_cohorts
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.meta.cohort_folder import groups, put_cohort

FAST = AnalysisOptions(panel=False, hidden="none")


def cohort(number: int, samples: int) -> LinkedTable:
    return groups(number, samples, genes=150)


def again(table: LinkedTable, source: LinkedTable, people: int, prefix: str) -> LinkedTable:
    """Replace the first samples by those of another cohort, measured on the own platform."""
    values, theirs = table.expression.copy(), source.expression
    noise = np.random.default_rng(9).normal(0, 0.2, (people, values.shape[1]))
    values[:people] = values.mean(axis=0) + theirs[:people] - theirs.mean(axis=0) + noise
    traits = table.trait_values.copy()
    traits[:people] = source.trait_values[:people]
    names = tuple(f"{prefix}{i}" for i in range(len(values)))
    return replace(table, expression=values, trait_values=traits, samples=names)


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    output = OutputFolder(tmp_path)
    put_cohort(output, "GSE1", cohort(1, 30))
    put_cohort(output, "GSE2", cohort(2, 28))
    return output


def test_a_cohort_of_the_same_people_is_left_out_and_names_them(output: OutputFolder) -> None:
    put_cohort(output, "GSE3", again(cohort(3, 24), cohort(1, 30), 12, "X"))

    result = analyze_cohorts(output, Problem("Asthma"), FAST)

    assert [each.name for each in result.cohorts] == ["GSE1", "GSE2"]
    why = result.left_out["GSE3"]
    assert why.startswith("12 of its 24 samples are of people who are in GSE1 too, by their expr")
    assert "GSM1" in why and " and X" in why
    assert f"GSE3 was left out: {why}." in result.warnings


def test_few_people_in_common_are_stated_and_the_cohort_is_kept(output: OutputFolder) -> None:
    put_cohort(output, "GSE3", again(cohort(3, 24), cohort(2, 28), 2, "X"))

    result = analyze_cohorts(output, Problem("Asthma"), FAST)

    assert [each.name for each in result.cohorts] == ["GSE1", "GSE2", "GSE3"]
    (warning,) = [text for text in result.warnings if "in common by expression" in text]
    assert warning.startswith("GSE2 and GSE3 have 2 people in common")
    assert "GSM2000 and X0" in warning and "GSM2001 and X1" in warning


def test_two_cohorts_of_the_same_people_are_not_combined(tmp_path: Path) -> None:
    output = OutputFolder(tmp_path)
    put_cohort(output, "GSE1", cohort(1, 30))
    put_cohort(output, "GSE3", again(cohort(3, 24), cohort(1, 30), 24, "X"))

    with pytest.raises(AnalysisError, match=r"only GSE1 can be used.*GSE3: 24 of its 24 samples"):
        analyze_cohorts(output, Problem("Asthma"), FAST)
