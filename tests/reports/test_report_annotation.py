"""How sure a reading is, what came second, and where it was inferred from, on the page."""

from dataclasses import replace
from typing import Any

from genotex.formats import Evidence
from genotex.reports import build_page, features_of, render_page

from .report_cohort import make_evidence, make_findings, make_infos, make_table

SECOND = {
    "row": 4,
    "key": "group",
    "kind": "binary",
    "values": {"group: patient": 1.0, "group: control": 0.0},
    "roles": {"group: patient": "case", "group: control": "healthy control"},
    "sample_field": "characteristics_ch1",
    "certainty": 0.11,
}


def evidence(**reading: Any) -> Evidence:
    record = make_evidence(*make_table(genes=20))
    return replace(record, reading={**record.reading, **reading})


def page(record: Evidence) -> str:
    table, roles = make_table(genes=20)
    findings = make_findings(table, roles)
    return render_page(build_page(record, table, make_infos(), findings, csv_name="genes.csv"))


def test_certainty_is_reported_with_its_meaning() -> None:
    record = evidence(certainty=0.784)
    assert features_of(record)[0].certainty.startswith(
        "Certainty 78 %: annotations marked 78 % are right about 78 times in 100"
    )
    assert "Certainty 78 %" in page(record)


def test_runner_up_is_reported_with_its_groups() -> None:
    told = features_of(evidence(certainty=0.8, runner_up=SECOND))[0].runner_up
    assert told.startswith("Runner-up: row 4, key 'group'")
    assert told.endswith("certainty 11 %; case: 'patient'; control: 'control'.")
    assert "Runner-up: row 4, key" in page(evidence(runner_up=SECOND))


def test_runner_up_of_a_trait_that_is_not_available() -> None:
    record = replace(evidence(trait=None, runner_up=SECOND), encoded={})
    assert features_of(record)[0].runner_up.startswith("Best candidate that was left out")


def test_what_was_read_outside_the_characteristics_is_marked() -> None:
    trait = {**evidence().reading["trait"], "row": None, "sample_field": "title"}
    record = evidence(trait={**trait, "confidence": "explicit"})
    told = features_of(record)[0]
    assert told.mark == "inferred from the sample titles" and told.confidence == "inferred"
    assert told.certainty == "Certainty not measured."
    assert '<span class="tag inferred">inferred from the sample titles</span>' in page(record)


def test_certainty_of_age_where_it_is_known() -> None:
    age = {**evidence().reading["age"], "certainty": 0.97}
    assert features_of(evidence(age=age))[1].certainty == "Certainty 97 %."


def test_record_of_before_certainty_has_none() -> None:
    assert all(not f.certainty and not f.runner_up for f in features_of(evidence()))
