"""Faults planted in small cohorts, and what the audit says of them."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from genotex.analysis import (
    CHECKS,
    AuditedCohort,
    AuditFinding,
    CheckResult,
    CohortAudit,
    CohortsAudit,
    audit_across,
    audit_cohort,
)
from genotex.formats import ExpressionMatrix, LinkedTable

from .sample_cohorts import changed, clean_cohort

N = 20


def cohort(table: LinkedTable | None = None, **known: object) -> AuditedCohort:
    table = with_groups() if table is None else table
    given = {"raw": ExpressionMatrix(table.genes, table.samples, table.expression.T)}
    return AuditedCohort("study", table, **{"scale": "log2", **given, **known})  # type: ignore[arg-type]


def with_groups(seed: int = 0, genes: int = 600) -> LinkedTable:
    """Return a cohort whose groups can be told by sixty of its genes."""
    table = clean_cohort(N, genes, seed)
    values = table.expression.copy()
    values[:, -60:] += 1.5 * table.trait_values[:, None]
    return changed(table, values)


def found(audited: AuditedCohort, key: str) -> CheckResult:
    return next(check for check in audit_cohort(audited).checks if check.key == key)


def the_one(audited: AuditedCohort, key: str) -> AuditFinding:
    (finding,) = found(audited, key).findings
    return finding


def with_sample(table: LinkedTable, place: int, values: np.ndarray) -> LinkedTable:
    expression = table.expression.copy()
    expression[place] = values
    return changed(table, expression)


def test_a_clean_cohort_is_sound_and_the_checks_that_need_more_say_what() -> None:
    audit = audit_cohort(cohort())
    assert audit.verdict == "sound"
    assert [check.key for check in audit.checks] == [check.key for check in CHECKS]
    assert {check.key: check.why_not for check in audit.checks if check.why_not} == {
        "batch": "no characteristics but the groups are recorded",
        "degradation": "the table has no probes of the 3' and 5' ends of ACTB and GAPDH",
        "controls": "the table has no control probes",
    }
    assert dict(audit.facts)["Samples"] == "20"


def test_a_swapped_sex_names_the_sample_and_what_is_recorded() -> None:
    table = with_groups()
    male = table.covariates["Gender"].copy()
    male[5] = 1 - male[5]
    finding = the_one(cohort(replace(table, covariates={"Gender": male})), "sex")
    assert finding.severity == "warning"
    assert finding.samples == ("GSM5",)
    assert "recorded male, by expression female" in finding.seen


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (lambda values: values, "the same array"),
        (lambda values: values + 1, "1 higher"),
        (lambda values: values * 1.2, "1.20 times as spread"),
        (lambda values: np.round(values, 1), "the same"),
    ],
)
def test_an_array_that_is_there_twice_is_found_however_it_was_changed(
    how: Callable[[np.ndarray], np.ndarray], words: str
) -> None:
    table = with_groups()
    finding = the_one(cohort(with_sample(table, 7, how(table.expression[3]))), "copies")
    assert finding.samples == ("GSM3", "GSM7")
    assert words in finding.seen


def test_another_sample_of_a_person_is_one_person_unless_the_donor_is_recorded() -> None:
    table, rng = with_groups(), np.random.default_rng(1)
    case = table.trait_values == table.trait_values[2]
    mean = table.expression[case].mean(axis=0)
    left = table.expression[2] - mean
    other = mean + 0.8 * left + 0.55 * left.std() * rng.standard_normal(len(left))
    repeated = with_sample(table, 8, other)
    assert the_one(cohort(repeated), "people").samples == ("GSM2", "GSM8")
    donors = {sample: f"P{i}" for i, sample in enumerate(table.samples)} | {"GSM8": "P2"}
    assert found(cohort(repeated, facts={"donor": donors}), "people").state == "fine"


def test_a_person_of_one_cohort_is_found_in_another_on_other_levels() -> None:
    one, other = with_groups(), with_groups(seed=5)
    case = one.trait_values == 0
    left = one.expression[4] - one.expression[case].mean(axis=0)
    mean = other.expression[other.trait_values == 0].mean(axis=0)
    values = with_sample(other, 6, mean + 0.95 * left).expression + 2
    renamed = replace(changed(other, values), samples=tuple(f"X{i}" for i in range(N)))
    (check,) = audit_across([cohort(one), cohort(renamed)])
    assert [finding.samples for finding in check.findings] == [("GSM4", "X6")]


def test_the_same_series_under_two_names_is_one_finding() -> None:
    table = with_groups()
    (check,) = audit_across([cohort(table), cohort(table)])
    (finding,) = check.findings
    assert "20 samples" in finding.seen
    assert "same arrays" in finding.seen


def test_nothing_is_checked_across_a_single_cohort() -> None:
    assert audit_across([cohort()]) == ()


def test_linear_values_taken_for_log2_are_serious() -> None:
    table = with_groups()
    finding = the_one(cohort(changed(table, 2.0 ** (table.expression - 8))), "scale")
    assert finding.severity == "serious"
    assert "skewed" in finding.seen


def test_a_logarithm_taken_twice_is_serious() -> None:
    table = with_groups()
    finding = the_one(cohort(changed(table, np.log2(np.maximum(table.expression, 1)))), "scale")
    assert "too narrow" in finding.seen


def test_single_values_without_their_decimal_comma_are_found() -> None:
    table = with_groups()
    values = table.expression.copy()
    values[3, :4] *= 1000
    finding = the_one(cohort(changed(table, values)), "extremes")
    assert finding.samples == ("GSM3",)
    assert "4 values" in finding.seen


def test_samples_on_another_scale_are_named() -> None:
    table = with_groups()
    values = table.expression.copy()
    values[[2, 9]] = 2.0 ** values[[2, 9]]
    assert the_one(cohort(changed(table, values)), "mixture").samples == ("GSM2", "GSM9")


def test_negative_values_of_a_linear_table_are_counted() -> None:
    table = with_groups()
    linear = 2.0**table.expression
    linear -= np.percentile(linear, 10, axis=1)[:, None]
    raw = ExpressionMatrix(table.genes, table.samples, linear.T)
    finding = the_one(cohort(table, raw=raw, scale="linear"), "negative")
    assert finding.seen.startswith("10 %")


@pytest.mark.parametrize("code", [0.0, -9.0, -99.0, 999.0])
def test_numbers_for_missing_values_are_found(code: float) -> None:
    table, rng = with_groups(), np.random.default_rng(1)
    hit = rng.random(table.expression.shape) < 0.03
    finding = the_one(cohort(changed(table, np.where(hit, code, table.expression))), "missing")
    assert f"exactly {code:g}" in finding.seen


def test_zeros_of_genes_without_reads_are_no_missing_values() -> None:
    table = with_groups()
    low = table.expression < 4
    values = np.where(low, 0.0, table.expression)
    assert found(cohort(changed(table, values)), "missing").state == "fine"


def test_symbols_that_became_dates_or_numbers_are_named() -> None:
    table = with_groups()
    ids = ("1-Mar", "2-Sep", "1.00E+05", *table.genes[3:])
    raw = ExpressionMatrix(ids, table.samples, table.expression.T)
    dates, numbers = found(cohort(table, raw=raw), "symbols").findings
    assert "1-Mar, 2-Sep" in dates.seen
    assert "1.00E+05" in numbers.seen


def test_genes_called_like_months_are_no_dates() -> None:
    table = with_groups()
    ids = ("DEC1", "SEPT2", "MARCH1", *table.genes[3:])
    raw = ExpressionMatrix(ids, table.samples, table.expression.T)
    assert found(cohort(table, raw=raw), "symbols").state == "fine"


@pytest.mark.parametrize("rows", [65_535, 65_536])
def test_a_table_of_as_many_rows_as_a_spreadsheet_has_is_cut(rows: int) -> None:
    table = with_groups()
    values = np.resize(table.expression.T, (rows, N))
    raw = ExpressionMatrix(tuple(map(str, range(rows))), table.samples, values)
    assert f"exactly {rows:,} rows" in the_one(cohort(table, raw=raw), "size").seen


def test_rows_in_alphabetical_order_that_end_at_m_are_cut() -> None:
    table = with_groups()
    ids = tuple(sorted(f"{'ABCDEFGHIJKLM'[i % 13]}GENE{i}" for i in range(2000)))
    raw = ExpressionMatrix(ids, table.samples, np.resize(table.expression.T, (2000, N)))
    assert "alphabetical" in the_one(cohort(table, raw=raw), "size").seen


def test_cells_that_are_dates_are_serious() -> None:
    finding = the_one(cohort(unreadable={"5-Nov": "TP53, GSM1"}), "cells")
    assert finding.severity == "serious"
    assert "'5-Nov' (TP53, GSM1)" in finding.seen


def test_exchanged_groups_are_named() -> None:
    table = with_groups()
    trait = table.trait_values.copy()
    trait[[4, 7]] = trait[[7, 4]]
    finding = the_one(cohort(replace(table, trait_values=trait)), "labels")
    assert finding.samples == ("GSM4", "GSM7")


def test_groups_that_expression_cannot_tell_are_not_judged() -> None:
    assert "cannot be told" in found(cohort(clean_cohort(N)), "labels").why_not


def test_a_sheet_that_is_one_row_off_is_serious() -> None:
    table, rng = with_groups(), np.random.default_rng(2)
    order = rng.permutation(N)
    mixed = replace(
        table, trait_values=table.trait_values[order], expression=table.expression[order]
    )
    moved = replace(mixed, trait_values=np.roll(mixed.trait_values, 1), covariates={})
    assert the_one(cohort(moved), "rows").severity == "serious"
    assert found(cohort(replace(mixed, covariates={})), "rows").state == "fine"


def test_a_scan_date_that_is_the_group_is_serious() -> None:
    table = with_groups()
    days = ["2009-03-02" if value else "2009-05-07" for value in table.trait_values]
    facts = {"scan date": dict(zip(table.samples, days, strict=True))}
    finding = the_one(cohort(table, facts=facts), "batch")
    assert finding.severity == "serious"
    assert "one group only" in finding.seen


def measures(table: LinkedTable, kind: str, name: str, values: np.ndarray) -> dict[str, object]:
    return {kind: {name: dict(zip(table.samples, values.tolist(), strict=True))}}


def test_a_sample_whose_5_prime_ends_fall_behind_is_degraded() -> None:
    table, rng = with_groups(), np.random.default_rng(1)
    behind = rng.normal(1, 0.2, N)
    behind[11] = 4
    known = measures(table, "RNA degradation", "GAPDH", behind)
    finding = the_one(cohort(table, measures=known), "degradation")
    assert finding.samples == ("GSM11",)
    assert "GSM11 (4.0)" in finding.seen


def test_spike_ins_that_differ_between_the_groups_tell_of_handling() -> None:
    table, rng = with_groups(), np.random.default_rng(1)
    level = rng.normal(8, 0.2, N) + table.trait_values
    finding = the_one(
        cohort(table, measures=measures(table, "spike-in probes", "bioc", level)), "controls"
    )
    assert "bioc of the spike-in probes" in finding.seen


def test_half_of_each_group_in_another_batch_is_a_cluster() -> None:
    table, rng = with_groups(), np.random.default_rng(1)
    second = (np.arange(N) // 2) % 2
    shift = rng.normal(0, 1.5, table.expression.shape[1])
    batch = changed(table, table.expression + np.outer(second, shift))
    finding = the_one(cohort(batch), "clusters")
    assert len(finding.samples) == 10


def test_the_mean_of_five_samples_has_the_variance_of_a_pool() -> None:
    table = with_groups()
    pooled = with_sample(table, 0, table.expression[[2, 4, 6, 8, 10]].mean(axis=0))
    assert the_one(cohort(pooled), "pools").samples == ("GSM0",)


def test_flat_p_values_are_a_note() -> None:
    finding = the_one(cohort(clean_cohort(N)), "p-values")
    assert finding.severity == "note"
    assert "are flat" in finding.seen


def test_values_rounded_to_whole_numbers_give_discrete_p_values() -> None:
    table = with_groups()
    coarse = changed(table, np.round(table.expression / 2))
    assert "are different" in the_one(cohort(coarse), "p-values").seen


def test_a_sample_with_noise_is_an_outlier() -> None:
    table, rng = with_groups(), np.random.default_rng(1)
    noisy = table.expression[6] + rng.normal(0, 2, table.expression.shape[1])
    assert the_one(cohort(with_sample(table, 6, noisy)), "outliers").samples == ("GSM6",)


def test_a_sample_of_few_genes_says_so() -> None:
    table, rng = with_groups(), np.random.default_rng(1)
    values = table.expression[6].copy()
    lost = rng.random(len(values)) < 0.6
    values[lost] = np.percentile(values, 5) + rng.normal(0, 0.3, int(lost.sum()))
    finding = the_one(cohort(with_sample(table, 6, values)), "outliers")
    assert "as low as background" in finding.seen
    assert "Another species" in finding.do


def test_the_verdict_is_that_of_the_worst_finding_and_the_worst_comes_first() -> None:
    def one(name: str, *severities: str) -> CohortAudit:
        findings = tuple(AuditFinding(each, each, "Do.") for each in severities)  # type: ignore[arg-type]
        return CohortAudit(name, (), (CheckResult("x", "X", findings),))

    assert [one("a", *s).verdict for s in ([], ["note"], ["note", "warning"])] == [
        "sound", "sound", "wants a look",
    ]  # fmt: skip
    every = CohortsAudit((one("a", "note", "warning"), one("b", "serious")))
    assert every.verdict == "do not use"
    assert [(name, finding.seen) for name, _, finding in every.findings] == [
        ("b", "serious"), ("a", "warning"), ("a", "note"),
    ]  # fmt: skip
    assert every.record()["cohorts"][1]["checks"][0]["state"] == "serious"
