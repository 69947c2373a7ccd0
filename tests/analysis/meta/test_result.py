"""The result over all cohorts: files and warnings."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.analysis import (
    CohortFacts,
    MetaResult,
    analyze_cohorts,
    cohort_warnings,
    cohorts_differ,
    combine_effects,
    differing_share,
    read_meta,
    remove_meta,
    write_meta,
)
from genotex.errors import AnalysisError, FormatError
from genotex.layout import OutputFolder
from genotex.problems import Problem
from tests.analysis.meta.cohort_folder import groups, put_cohort


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    output = OutputFolder(tmp_path)
    for number in (1, 2, 3):
        put_cohort(output, f"GSE{number}", groups(number, 20 + number))
    return output


@pytest.fixture
def result(output: OutputFolder) -> MetaResult:
    return analyze_cohorts(output, Problem("Asthma"))


def test_a_result_of_an_earlier_version_has_no_chance_of_replication(
    output: OutputFolder, result: MetaResult
) -> None:
    earlier = ["Replication", "Samples to Settle"]
    write_meta(output, replace(result, genes=result.genes.drop(earlier)))
    found = read_meta(output, "Asthma", None)
    assert found.genes.drop(earlier).equals(result.genes.drop(earlier))
    assert found.genes[earlier[0]].null_count() == found.genes.height


def test_what_is_read_is_what_was_written(output: OutputFolder, result: MetaResult) -> None:
    path = write_meta(output, result)
    assert path == output.meta_genes("Asthma", None)
    again = read_meta(output, "Asthma", None)
    assert again.genes.equals(result.genes)
    assert again.effects.equals(result.effects)
    assert again.cohorts == result.cohorts
    assert again.summary() == result.summary()
    assert again.method == result.method


def test_json_lists_the_significant_genes_and_the_rule(
    output: OutputFolder, result: MetaResult
) -> None:
    content = json.loads(write_meta(output, result).read_text())
    listed = content["significant_genes"]
    assert listed["Variable"] == result.significant["Variable"].to_list()
    assert listed["Replicates"] == result.significant["Replicates"].to_list()
    assert "partial conjunction" in content["method"]["replication"]
    assert content["method"]["replication_cohorts"] == 2
    assert [q < 0.05 for q in listed["Replication q"]] == listed["Replicates"]
    assert [cohort["name"] for cohort in content["cohorts"]] == ["GSE3", "GSE2", "GSE1"]


def test_writing_again_removes_the_report_of_the_old_numbers(
    output: OutputFolder, result: MetaResult
) -> None:
    page = output.meta_report("Asthma", None)
    page.parent.mkdir()
    page.touch()
    page.with_suffix(".csv").touch()
    write_meta(output, result)
    assert not list(page.parent.iterdir())


def test_removed_result_is_gone(output: OutputFolder, result: MetaResult) -> None:
    path = write_meta(output, result)
    remove_meta(output, "Asthma", None)
    assert not list(path.parent.iterdir())
    with pytest.raises(AnalysisError, match="run analyze with all cohorts first"):
        read_meta(output, "Asthma", None)


def test_table_of_another_run(output: OutputFolder, result: MetaResult) -> None:
    write_meta(output, result)
    with output.meta_table("Asthma", None).open("ab") as table:
        table.write(b"more")
    with pytest.raises(FormatError, match="digests differ"):
        read_meta(output, "Asthma", None)


@pytest.mark.parametrize(
    ("text", "message"), [("{", "not valid JSON"), ("{}", "was not written by genotex")]
)
def test_record_that_is_none(
    output: OutputFolder, result: MetaResult, text: str, message: str
) -> None:
    write_meta(output, result).write_text(text)
    with pytest.raises(FormatError, match=message):
        read_meta(output, "Asthma", None)


def study(cohorts: int, tau: float, genes: int = 2000, alone: int = 0) -> pl.DataFrame:
    """Genes without any mean effect, that differ by `tau` from cohort to cohort."""
    rng = np.random.default_rng(cohorts)
    error = np.full((cohorts, genes), 0.3)
    effect = rng.normal(size=error.shape) * np.sqrt(0.3**2 + tau**2)
    effect[-1, :alone] = np.nan
    found = combine_effects(effect, error)
    columns: dict[str, Any] = {"Q p": found.heterogeneity_p, "p": found.p}
    columns["Random p"] = found.strict_p
    return pl.DataFrame(columns).fill_nan(None)


def warning(genes: pl.DataFrame) -> str:
    return " ".join(cohort_warnings((), genes, kind="binary", min_effect=0.0))


@pytest.mark.parametrize("cohorts", [2, 3, 5])
def test_cohorts_that_share_one_effect_are_not_warned_of(cohorts: int) -> None:
    genes = study(cohorts, 0.0)
    assert differing_share(genes) == pytest.approx(0.05, abs=0.02)
    assert warning(genes) == ""


def test_three_cohorts_that_differ_have_an_interval_that_allows_for_it() -> None:
    genes = study(3, 0.3)
    # Of two chi-squared variables of one degree each, twice as large: exp(-5.991 / 4).
    assert differing_share(genes) == pytest.approx(np.exp(-5.991 / 4), abs=0.03)
    assert (genes["p"] < 0.05).mean() > 0.08  # type: ignore[operator]
    assert (genes["Random p"] < 0.05).mean() < 0.05  # type: ignore[operator]
    assert "p, q and replication allow for it" in warning(genes)
    assert "strict p (Random p in the result) by the gene alone." in warning(genes)


def test_two_cohorts_that_differ_have_an_interval_that_does_not() -> None:
    text = warning(study(2, 0.3))
    assert "the combined effect and its 95 % interval do not" in text
    assert "intervals of the single cohorts" in text
    assert "strict" not in text


def test_genes_of_two_among_three_cohorts_are_reported() -> None:
    assert "except where only two cohorts tested a gene" in warning(study(3, 0.5, alone=500))


def test_few_genes_may_differ_by_chance() -> None:
    genes = pl.DataFrame({"Q p": [0.01] * 4 + [0.5] * 26, "Random p": [0.5] * 30})
    assert differing_share(genes) > 0.1
    assert not cohorts_differ(genes)
    assert cohorts_differ(pl.concat([genes] * 10))
    # By chance 6 or more of 30 in 0.0033, 7 or more in 0.00057 of all studies (scipy.stats.binom).
    for differing, surely in ((6, False), (7, True)):
        genes = pl.DataFrame({"Q p": [0.01] * differing + [0.5] * (30 - differing)})
        assert cohorts_differ(genes) is surely
    # More than chance gives, but on few genes.
    genes = pl.DataFrame({"Q p": [0.01] * 400 + [0.5] * 4600, "Random p": [0.5] * 5000})
    assert differing_share(genes) == 0.08
    assert not cohorts_differ(genes)


def test_a_small_cohort_has_fewer_than_twenty_samples() -> None:
    facts = [CohortFacts(f"GSE{n}", "cases against controls", n, 9, 0) for n in (19, 20, 21)]
    text = " ".join(cohort_warnings(facts, study(3, 0.0), kind="binary", min_effect=0.0))
    assert "Fewer than 20 samples in GSE19 (19):" in text
    assert "GSE20" not in text and "GSE21" not in text
    # Hedges' g is of two groups.
    assert cohort_warnings(facts, study(3, 0.0), kind="continuous", min_effect=0.0) == ()
