"""Replicates, people, treatments, time points and cell lines that a comparison ignores."""

from collections.abc import Mapping, Sequence

import pytest

from genotex.analysis import AnalysisResult, analyze_table
from genotex.errors import UsageError
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.cohort_tables import two_groups

SAMPLES = 24
Groups = Sequence[Mapping[str, object]]


def said(values: Sequence[str | None], place: str = "title") -> Groups:
    """The statements of samples GSM0, GSM1, ..., None where nothing is stated."""
    return [
        {
            "value": value,
            "place": place,
            "words": f"words of {value}",
            "samples": [f"GSM{n}" for n, own in enumerate(values) if own == value],
        }
        for value in dict.fromkeys(v for v in values if v is not None)
    ]


def analyze(
    relations: Mapping[str, Groups],
    facts: Mapping[str, Mapping[str, str | None]] | None = None,
    **options: object,
) -> AnalysisResult:
    table = two_groups(SAMPLES, genes=150)
    chosen = AnalysisOptions(**{"panel": False, "hidden": "none", **options})  # type: ignore[arg-type]
    return analyze_table(
        table, {}, Problem("Asthma", None), chosen, facts or {}, relations=relations
    )


def about(result: AnalysisResult, *words: str) -> list[str]:
    return [w for w in result.warnings if all(word in w for word in words)]


# Cases and controls alternate: pairs of samples have both.
PEOPLE = [f"patient {n // 2}" for n in range(SAMPLES)]
MIXED = ["untreated" if n // 2 % 2 else "treated" for n in range(SAMPLES)]
TRAIT = ["treated" if n % 2 else "control treatment" for n in range(SAMPLES)]


def test_mixed_treatments_are_warned_of_and_can_be_adjusted_for() -> None:
    [warning] = about(analyze({"treatment group": said(MIXED)}), "Treated and untreated samples")
    assert (
        "treated: 12, untreated: 12" in warning and "--exclude 'treatment group=VALUE'" in warning
    )
    adjusted = analyze({"treatment group": said(MIXED)}, covariates=("Treatment group",))
    assert not about(adjusted, "Treated and untreated")
    assert "treatment group" in adjusted.method["named_covariates"]
    assert adjusted.method["relations"][0]["used"]


def test_treatment_that_is_the_trait_is_confounded_not_mixed() -> None:
    [warning] = about(analyze({"treatment group": said(TRAIT)}), "treatment group")
    assert "confounded" in warning and "cannot be separated" in warning
    assert "unless that is another name of the trait" in warning


def test_characteristic_that_is_adjusted_for_is_not_warned_of_again() -> None:
    values = {f"GSM{n}": value for n, value in enumerate(MIXED)}
    relations = {"treatment group": said(MIXED, "characteristic 'Agent'")}
    found = analyze(relations, {"Agent": values}, covariates=("agent",))
    assert not about(found, "Treated and untreated")


def test_treatment_of_a_characteristic_is_warned_of_once() -> None:
    place = "characteristic 'Agent'"
    mixed = {"Agent": {f"GSM{n}": value for n, value in enumerate(MIXED)}}
    assert len(about(analyze({"treatment group": said(MIXED, place)}, mixed), "Treated and")) == 1
    trait = {"Agent": {f"GSM{n}": value for n, value in enumerate(TRAIT)}}
    [warning] = about(analyze({"treatment group": said(TRAIT, place)}, trait), "Asthma is")
    assert "'Agent'" in warning


def test_drugs_are_listed_where_treated_and_untreated_are_not() -> None:
    drugs = ["drug A" if n // 2 % 2 else "drug B" for n in range(SAMPLES)]
    [warning] = about(analyze({"treatment": said(drugs)}), "are compared together")
    assert "drug B: 12, drug A: 12" in warning
    both = {"treatment": said(drugs), "treatment group": said(["treated"] * SAMPLES)}
    assert len(about(analyze(both), "are compared together")) == 1
    both = {"treatment": said(drugs), "treatment group": said(MIXED)}
    [warning] = about(analyze(both), "are compared together")
    assert "untreated: 12" in warning


def test_three_time_points_that_go_with_the_trait_are_confounded() -> None:
    times = [f"day {n // 2 % 2 + 1}" if n % 2 else "day 0" for n in range(SAMPLES)]
    [warning] = about(analyze({"time point": said(times)}), "time point")
    assert "Asthma is confounded with the time point" in warning
    # Who says nothing is left out of the test.
    some = [time if n < 12 else None for n, time in enumerate(times)]
    [warning] = about(analyze({"time point": said(some)}), "time point")
    assert "Asthma is confounded with the time point" in warning and "day 0: 6" in warning


def test_time_points_in_titles_are_warned_of() -> None:
    times = ["baseline" if n // 2 % 2 else "day 7" for n in range(SAMPLES)]
    [warning] = about(analyze({"time point": said(times)}), "several time points")
    assert "day 7: 12, baseline: 12" in warning
    assert not about(analyze({"time point": said(["day 7"] * SAMPLES)}), "time point")


def test_people_in_titles_are_repeated_until_blocked_on() -> None:
    found = analyze({"donor": said(PEOPLE)})
    [warning] = about(found, "Paired or repeated samples suspected", "--pair donor")
    assert "12 of them with several samples each (24 samples in all)" in warning
    paired = analyze({"donor": said(PEOPLE)}, pair="donor")
    assert paired.method["pair"]["blocks"] == 12 and paired.method["pair"]["design"] == "paired"
    assert not about(paired, "repeated samples suspected")


def test_people_of_a_characteristic_are_warned_of_once() -> None:
    donors: dict[str, str | None] = {f"GSM{n}": name for n, name in enumerate(PEOPLE)}
    relations = {"donor": said(PEOPLE, "characteristic 'donor'")}
    assert len(about(analyze(relations, {"donor": donors}), "Paired or repeated")) == 1


def test_technical_replicates_are_averaged_unless_asked() -> None:
    twins = [f"tumour {n // 4}.{n % 2}" for n in range(SAMPLES)]
    relations = {"technical replicate": said(twins)}
    [warning] = about(analyze(relations, pair="none"), "technical replicates")
    assert "24 samples are technical replicates of 12 biological samples" in warning
    found = analyze(relations)
    assert found.method["pair"]["design"] == "averaged"
    assert not about(found, "count as independent")


def test_group_of_one_cell_line_is_no_group_of_people() -> None:
    lines = ["A375" if n % 2 else None for n in range(SAMPLES)]
    [warning] = about(analyze({"cell line": said(lines)}), "cell line A375")
    assert warning.startswith("All 12 cases are of the cell line A375: cultures of one line")
    lines = ["A375" if n % 2 else "HeLa" for n in range(SAMPLES)]
    [warning] = about(analyze({"cell line": said(lines)}), "cell line")
    assert "All 12 cases are of the cell line A375 and all 12 controls are of the" in warning
    lines = ["A375" if n % 2 and n > 1 else None for n in range(SAMPLES)]
    assert not about(analyze({"cell line": said(lines)}), "cell line")
    several = [f"line {n // 4}" for n in range(SAMPLES)]
    assert not about(analyze({"cell line": said(several)}), "cell line")


def test_unknown_covariate_lists_the_relations() -> None:
    with pytest.raises(UsageError, match="'time point'"):
        analyze({"time point": said(["day 7"] * SAMPLES)}, covariates=("dose",))


def test_relations_do_not_change_the_results() -> None:
    relations = {"donor": said(PEOPLE), "treatment group": said(MIXED)}
    hidden = AnalysisOptions().hidden
    plain, told = (analyze(each, panel=True, hidden=hidden) for each in ({}, relations))
    assert plain.genes.equals(told.genes)
    assert "relations" not in plain.method
