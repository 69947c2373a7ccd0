"""How samples were annotated, on the screen: every value under its own word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from genotex.cli.data import clinical, clinical_screen, preprocess
from genotex.clinical import (
    AnnotationRow,
    ClinicalAnnotation,
    FeatureEncoding,
    GeneVerdict,
    KeyValues,
    sum_up,
)
from genotex.cohorts import CohortOutcome, ProposedSheet
from genotex.formats import CohortInfo
from tests.cli.conftest import Shown
from tests.cli.test_shown_screens import tables_on

VALUES = {"state: asthma": 1.0, "state: healthy": 0.0, "state: COPD": 0.0, "state: n": None}
ROLES = {"state: asthma": "case", "state: healthy": "healthy control", "state: COPD":
         "other disease"}  # fmt: skip
TRAIT = FeatureEncoding(
    "trait", 3, "state", "binary", VALUES, ROLES, evidence=("the key names a disease",)
)  # type: ignore[arg-type]
SECOND = FeatureEncoding(
    "trait",
    5,
    "group",
    "binary",
    {"group: patient": 1.0, "group: other": 0.0},
    {"group: patient": "case", "group: other": "unknown"},
    certainty=0.024,
)  # type: ignore[arg-type]
READING = ClinicalAnnotation(
    GeneVerdict(True, "genes", ("20,000 rows of genes",), 0.912),
    TRAIT,
    FeatureEncoding("age", 2, "age", "continuous", certainty=0.634, confidence="inferred"),
    FeatureEncoding("gender", 1, "sex", "binary", certainty=0.781, confidence="arguable"),
    certainty=0.956,
    runner_up=SECOND,
    notes=("mind this",),
)


def row(feature: str, raw: str | None, code: float | None, role: str, n: int) -> AnnotationRow:
    return AnnotationRow(feature, 0, feature, raw, code, role, n, f"why {raw}" if role else "")


ROWS = [
    row("trait", "healthy", 0.0, "healthy control", 7), row("trait", "n", None, "", 50),
    row("trait", "COPD", 0.0, "other disease", 4), row("trait", "asthma", 1.0, "case", 11),
    row("trait", "old", 0.0, "unknown", 2),
    *(row("age", f"{20 + i}", 20.0 + i, "", 1 + 2 * (i > 10)) for i in range(13)),
    row("age", None, None, "", 9),
    row("gender", "F", 0.0, "", 5), row("gender", "M", 1.0, "", 6), row("gender", "?", None, "", 3),
]  # fmt: skip


def test_decisions_with_their_certainty_and_place(shown: Shown) -> None:
    screen_, _ = shown(clinical_screen.show_annotation, sum_up(READING, ROWS), "HEAD")
    groups, ages, sexes = tables_on(screen_)
    assert screen_.startswith("HEAD\n")
    lines = screen_.splitlines()
    assert [" ".join(line.split()) for line in lines[2:6]] == [
        "gene data available 91 % 20,000 rows of genes",
        "trait available 96 % row 3, key 'state': 11 cases, 13 controls (4 with another disease, "
        "2 of unknown health), 50 missing",
        "age available 63 % row 2, key 'age': 17 of 26 samples, 20 to 32 years, median 28",
        "gender available 78 % row 1, key 'sex': 5 female, 6 male, 3 missing",
    ]
    assert (
        "Certainty: annotations marked 96 % are right about 96 times in 100. "
        "A dash: certainty not measured."
    ) in lines
    assert [list(each.values()) for each in groups] == [
        ["asthma", "1", "case", "11", "why asthma"],
        ["healthy", "0", "control", "7", "why healthy"],
        ["COPD", "0", "other disease", "4", "why COPD"],
        ["old", "0", "control, health unknown", "2", "why old"],
        ["n", "missing", "-", "50", "-"],
    ]
    assert list(groups[0]) == ["value", "code", "role", "samples", "why"]
    assert len(ages) == 12 and ages[0] == {"value": "31", "code": "31", "samples": "3"}
    assert "... and 2 more values (all with --json)" in lines
    assert [tuple(each.values()) for each in sexes] == [
        ("M", "1", "6"), ("F", "0", "5"), ("?", "missing", "3"),
    ]  # fmt: skip
    twelve = [each for each in ROWS if each.feature != "age" or each.code not in (20.0, None)]
    assert (
        "more values"
        not in shown(clinical_screen.show_annotation, sum_up(READING, twelve), "HEAD")[0]
    )
    second = lines.index("  runner-up: row 5, key 'group', certainty 2 %")
    assert lines[second + 1 : second + 3] == ["    case: 'patient'", "    control: 'other'"]
    marks = [line.partition(":")[0] for line in lines if line.startswith(("trait, ", "age, "))]
    assert marks == ["trait, explicit", "age, inferred"] and lines[-1] == "note: mind this"


@pytest.mark.parametrize(("certainty", "doubted"), [(0.69, True), (0.7, False)])
def test_doubt_of_a_row_begins_below_70_percent(
    shown: Shown, certainty: float, doubted: bool
) -> None:
    reading = replace(READING, certainty=certainty)
    screen_, _ = shown(clinical_screen.show_annotation, sum_up(reading, ROWS), "HEAD")
    assert ("it is less certain that it is the right row (69 %)" in screen_) is doubted


def test_rest_of_the_certainty_without_a_runner_up(shown: Shown) -> None:
    reading = replace(READING, runner_up=None)
    screen_, _ = shown(clinical_screen.show_annotation, sum_up(reading, ROWS), "HEAD")
    assert "  runner-up: none\n    the other 4 % are for a trait that is recorded" in screen_


def key(name: str, values: dict[str, int], controls: tuple[str, ...], **more: object) -> KeyValues:
    others = tuple(value for value in values if value not in controls)
    cells = tuple(f"{name}: {value}" for value in values)
    found = {"cases": (), "others": others, **more}
    return KeyValues(f"row 0, key '{name}'", 0, name, "characteristics_ch1", values, cells,
                     controls, **found)  # type: ignore[arg-type]  # fmt: skip


def test_values_of_each_key_where_no_trait_was_found(shown: Shown) -> None:
    many = {f"v{i}": 40 - i for i in range(7)}
    keys = [
        key("tissue", many, ()),
        key("state", {"odd": 8, "healthy": 9, "x" * 50: 2, "y" * 51: 1}, ("healthy",)),
    ]
    reading = replace(READING, trait=None, runner_up=None, certainty=None)
    screen_, _ = shown(clinical_screen.show_keys, keys, reading)
    (rows,) = tables_on(screen_)[:1]
    assert [row["values (samples)"] for row in rows] == [
        "'v0' (40), 'v1' (39), 'v2' (38), 'v3' (37), 'v4' (36) and 2 more",
        f"'odd' (8), 'healthy' (9), '{'x' * 50}' (2), '{'y' * 49}…' (1)",
    ]
    assert "Controls are named in row 0, key 'state', cases are not. If these" in screen_
    assert screen_.endswith("  --case odd --control healthy\n")
    known = key("state", {"asthma": 5, "odd": 8, "healthy": 9}, ("healthy",),
                cases=("asthma",), others=("odd",))  # fmt: skip
    screen_, _ = shown(clinical_screen.show_keys, [known], reading)
    assert screen_.endswith("Choose the groups yourself with --case VALUE --control VALUE.\n")


def test_what_would_change_the_decision(shown: Shown) -> None:
    matrix = Path("in/GEO/Asthma/GSE1/m.txt.gz")
    screen_, _ = shown(clinical_screen.show_override, READING, [], matrix, "Asthma", "GSE1")
    lines = [line.strip() for line in screen_.splitlines()]
    assert "the runner-up, row 5, key 'group': --case group=patient --control group=other" in lines
    assert "a --least-certainty above 96 % makes the trait not available" in lines
    left_out = replace(READING, trait=None, left_out=0.97)
    screen_, _ = shown(clinical_screen.show_override, left_out, [], matrix, "Asthma", "GSE1")
    assert "the closest candidate, row 5" in screen_
    assert "a --least-certainty below 0.97" in screen_
    assert "genotex solve in OUTPUT --trait Asthma --cohort GSE1 --case" in screen_


@pytest.mark.parametrize(("number", "offered"), [(1, False), (2, True), (10, True), (11, False)])
def test_groups_are_offered_for_a_key_of_few_values(
    shown: Shown, number: int, offered: bool
) -> None:
    values = {"healthy": 9, **{f"odd {i}": 8 for i in range(number - 1)}}
    nothing = replace(READING, trait=None, runner_up=None)
    keys = [key("tissue", {"a": 1, "b": 2}, (), others=()), key("state", values, ("healthy",))]
    screen_, _ = shown(clinical_screen.show_override, nothing, keys, Path("m.gz"), "Asthma", "GSE1")
    groups = "--cohort GSE1 --case 'state=odd 0' --control state=healthy"
    assert (groups in screen_) is offered


def test_outcome_of_each_cohort(shown: Shown) -> None:
    info = CohortInfo.of_linked(biased=False, has_age=True, has_gender=False, samples=37)
    other = CohortInfo.of_linked(biased=True, has_age=False, has_gender=True, samples=21)
    outcomes = [
        CohortOutcome("T", "A", info, unchanged=True),
        CohortOutcome("T", "B", replace(other, is_usable=False), warnings=("w1", "w2")),
        CohortOutcome("T", "C", None, error="broken"),
        CohortOutcome("T", "D", info),
    ]
    screen_, said = shown(preprocess.show_outcomes, outcomes)
    (rows,) = tables_on(screen_)
    assert [list(each.values()) for each in rows] == [
        ["T", "A", "yes", "37", "yes", "no", "done before"],
        ["T", "B", "no", "21", "no", "yes", "-"],
        ["T", "C", "no", "-", "-", "-", "not done, see below"],
        ["T", "D", "yes", "37", "yes", "no", "-"],
    ]
    assert list(rows[0]) == ["trait", "cohort", "usable", "samples", "age", "gender", "why"]
    assert said == "warning T/B: w1; w2\nnot done T/C: broken\n"


def test_groups_of_a_proposed_sheet(shown: Shown) -> None:
    groups = ["case"] * 9 + ["control"] * 8 + ["other disease"] * 7 + ["other control"] * 6
    groups += ["", "", "", "3.5", "4"]
    rows = [
        {"group": group, "exclude": "yes" if i % 8 == 0 else "",
         "why": "check: odd" if i < 5 else "sure"}
        for i, group in enumerate(groups)
    ]  # fmt: skip
    sheets = [ProposedSheet("GSE1", rows, ("mind this",)), ProposedSheet("GSE2", rows[30:33], ())]
    screen_, said = shown(clinical._show, sheets, Path("in"), "Gout", Path("s.csv"))
    (table,) = tables_on(screen_)[:1]
    # Excluded: two cases, a control, one of unknown health, and one without a group.
    assert table == [
        {"series": "GSE1", "samples": "35", "cases": "7", "controls": "7", "other disease": "7",
         "other control": "5", "measured": "2", "excluded": "5", "no group": "2", "to check": "5"},
        {"series": "GSE2", "samples": "3", "cases": "0", "controls": "0", "other disease": "0",
         "other control": "0", "measured": "0", "excluded": "1", "no group": "2", "to check": "0"},
    ]  # fmt: skip
    assert said == "note GSE1: mind this\n"
