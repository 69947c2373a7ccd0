"""Methods of the registry rank genes over all cohorts."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.analysis import (
    METHODS,
    CohortStatistics,
    CombinationMethod,
    analyze_cohorts,
    method_sentence,
    read_meta,
    write_meta,
)
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.problems import Problem
from tests.analysis.meta.cohort_folder import groups, put_cohort

ASTHMA = Problem("Asthma")


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    output = OutputFolder(tmp_path)
    for number in (1, 2, 3):
        put_cohort(output, f"GSE{number}", groups(number, 20 + number))
    return output


def largest(found: CohortStatistics) -> np.ndarray:
    return np.asarray(np.nanmax(found.p, axis=0))


def test_a_method_of_the_registry_ranks_and_is_recorded(
    output: OutputFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = CombinationMethod(
        largest, "the largest p-value of a cohort", "Genes were ranked by their worst p."
    )
    monkeypatch.setitem(METHODS, "worst", own)
    result = analyze_cohorts(output, ASTHMA, combine="worst")
    single = result.effects.select(f"GSE{n} p" for n in (1, 2, 3))
    np.testing.assert_array_equal(result.genes["p"], single.max_horizontal())
    assert result.genes.filter(~pl.col("Significant"))["p"].is_sorted()
    assert result.method["ranking"] == own.ranking
    write_meta(output, result)
    assert method_sentence(read_meta(output, "Asthma", None).method) == own.sentence


def test_the_usual_method_is_not_named_in_the_file(output: OutputFolder) -> None:
    record = analyze_cohorts(output, ASTHMA).method
    assert "combine" not in json.loads(json.dumps(record))
    assert "restricted maximum likelihood" in method_sentence(record)


def test_an_unknown_method_is_refused_before_any_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="combine 'vote' is not known; use common"):
        analyze_cohorts(OutputFolder(tmp_path), ASTHMA, combine="vote")
