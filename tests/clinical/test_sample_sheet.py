"""Sample sheets as people write them, checked against the series."""

from pathlib import Path

import pytest

from genotex.clinical import (
    ClinicalAnnotation,
    GeneVerdict,
    SeriesDescription,
    annotation_from_json,
    annotation_from_sheet,
    annotation_to_json,
    check_sample_sheet,
    find_relations,
    load_sample_sheet,
)
from genotex.errors import SampleSheetError

SERIES = {"GSE1": ("GSM1", "GSM2", "GSM3", "GSM4"), "GSE2": ("GSM5", "GSM6", "GSM7", "GSM8")}
RULES = ClinicalAnnotation(GeneVerdict(True, "human array"), None, None, None)
GOOD = """series,sample,group,age,sex,pair,batch,exclude
GSE1,GSM1,case,45,female,,a,
GSE1,GSM2,Case,"45,5",M,,b,
GSE1,GSM3,control,,,,a,no
GSE1,GSM4,control,61,male,,b,
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "samples.csv"
    path.write_text(text)
    return path


def annotation(path: Path) -> ClinicalAnnotation:
    description = SeriesDescription(cohort="GSE1", samples=SERIES["GSE1"])
    return annotation_from_sheet(load_sample_sheet(path), RULES, description)


def test_sheet_is_used_exactly_as_it_states(tmp_path: Path) -> None:
    found = annotation(write(tmp_path, GOOD))
    assert found.trait is not None and found.age is not None and found.gender is not None
    assert found.trait.values == {"GSM1": 1.0, "GSM2": 1.0, "GSM3": 0.0, "GSM4": 0.0}
    assert found.trait.roles["GSM3"] == "healthy control"
    assert found.age.values == {"GSM1": 45.0, "GSM2": 45.5, "GSM4": 61.0}
    assert found.gender.values == {"GSM1": 0.0, "GSM2": 1.0, "GSM4": 1.0}
    assert found.facts == {"batch": {"GSM1": "a", "GSM2": "b", "GSM3": "a", "GSM4": "b"}}
    assert found.by == "hand" and found.trait.evidence == ("sample sheet samples.csv",)
    assert annotation_from_json(annotation_to_json(found)) == found


def test_groups_are_words_or_numbers(tmp_path: Path) -> None:
    words = "sample,group\nGSM1,CASE\nGSM2,other disease\nGSM3,Other  Control\nGSM4,\n"
    found = annotation(write(tmp_path, words)).trait
    assert found is not None and found.values == {"GSM1": 1.0, "GSM2": 0.0, "GSM3": 0.0}
    assert found.roles == {"GSM1": "case", "GSM2": "other disease", "GSM3": "unknown"}
    binary = annotation(write(tmp_path, "sample,group\nGSM1,1\nGSM2,0\n")).trait
    assert binary is not None and binary.roles == {"GSM1": "case", "GSM2": "healthy control"}
    levels = annotation(write(tmp_path, "sample,group\nGSM1,0\nGSM2,1\nGSM3,2\n")).trait
    assert levels is not None and levels.kind == "continuous" and not levels.roles
    assert levels.values == {"GSM1": 0.0, "GSM2": 1.0, "GSM3": 2.0}


@pytest.mark.parametrize("word", ["n.d.", "Not determined", "null", "not applicable", "--"])
def test_word_for_missing_is_no_value_in_any_column(tmp_path: Path, word: str) -> None:
    text = f"sample,group,age,tissue\nGSM1,case,{word},{word}\nGSM2,{word},45,liver\n"
    first, second = load_sample_sheet(write(tmp_path, text)).samples
    assert first.features == {"tissue": ""} and first.code == 1.0
    assert second.features == {"age": 45.0, "tissue": "liver"} and second.code is None


def test_emptied_cell_states_nothing_where_a_kept_or_unread_one_does(tmp_path: Path) -> None:
    rows = (("bmi: 24.5", "bmi: Overweight", "bmi: 31", None),)
    titles = ("Monocytes, day 0", "Monocytes, day 7", "Monocytes, day 0", "Monocytes, day 7")
    description = SeriesDescription(
        cohort="GSE1", samples=SERIES["GSE1"], characteristics=rows, cells=rows, titles=titles
    )
    text = """sample,group,bmi,time point
GSM1,case,,
GSM2,case,Overweight,day 7
GSM3,control,31,n.d.
GSM4,control,,day 14
"""
    sheet = load_sample_sheet(write(tmp_path, text))
    found = annotation_from_sheet(sheet, RULES, description)
    relations = find_relations(description).with_facts(found.facts)
    assert relations.values("bmi") == {"GSM3": "31"}
    assert relations.values("time point") == {"GSM2": "day 7", "GSM4": "day 14"}
    assert annotation_from_json(annotation_to_json(found)) == found
    untouched = text.replace("case,,\n", "case,24.5,day 0\n").replace("n.d.", "day 0")
    sheet = load_sample_sheet(write(tmp_path, untouched.replace("day 14", "day 7")))
    kept = annotation_from_sheet(sheet, RULES, description).facts
    assert find_relations(description).with_facts(kept) == find_relations(description)


@pytest.mark.parametrize("word", ["yes", "TRUE", "1", "x", "Y"])
def test_excluded_samples_have_no_values(tmp_path: Path, word: str) -> None:
    text = GOOD.replace("GSM4,control,61,male,,b,", f"GSM4,control,61,male,,b,{word}")
    found = annotation(write(tmp_path, text))
    assert found.excluded == {"GSM4": "sample sheet samples.csv, row 5"}
    assert all("GSM4" not in e.values for e in found.features.values() if e is not None)


def test_samples_missing_from_the_sheet_are_left_out_with_a_note(tmp_path: Path) -> None:
    found = annotation(write(tmp_path, "sample,group\nGSM1,case\nGSM2,control\n"))
    assert found.trait is not None and set(found.trait.values) == {"GSM1", "GSM2"}
    (note,) = found.notes
    assert "2 samples of the series are not in the sample sheet samples.csv" in note


def test_sheet_made_by_hand_may_use_other_names(tmp_path: Path) -> None:
    sheet = load_sample_sheet(write(tmp_path, "GSM,Group,Gender\nGSM1,case,f\nGSM2,control,m\n"))
    assert [sample.features.get("sex") for sample in sheet.samples] == [0.0, 1.0]
    assert "no column age, pair, batch, exclude" in sheet.understood


def test_characteristic_called_gender_is_not_taken_for_a_lost_column(tmp_path: Path) -> None:
    text = "sample,gender,group,why\nGSM1,f,case,x\nGSM2,m,control,x\n"
    assert [s.features.get("sex") for s in load_sample_sheet(write(tmp_path, text)).samples] == [
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("GSE1,GSM1,contol,,,,,", "row 2, GSM1: unknown group 'contol'; perhaps 'control'"),
        ("GSE1,GSM1,cases,,,,,", "row 2, GSM1: unknown group 'cases'; perhaps 'case'"),
        ("GSE1,GSM1,2,,,,,", "unknown group '2'; other rows hold case or control"),
        ("GSE1,GSM1,case,old,,,,", "age 'old' is not a number of years"),
        ("GSE1,GSM1,case,450,,,,", "age '450' is not a number of years from 0 to 125"),
        ("GSE1,GSM1,case,45,robot,,,", "sex 'robot' is not known; write female or male"),
        ("GSE1,GSM1,case,45,,,,perhaps", "exclude 'perhaps' is not known; write yes or nothing"),
        ("GSE1,,case,45,,,,", "row 2: no sample id"),
        ("GSE1,GSM2,case,45,,,,", "rows 2, 3: GSM2 is there 2 times; keep one"),
    ],
)
def test_mistakes_are_named_by_row(tmp_path: Path, row: str, why: str) -> None:
    text = GOOD.replace("GSE1,GSM1,case,45,female,,a,", row)
    with pytest.raises(SampleSheetError) as error:
        load_sample_sheet(write(tmp_path, text))
    assert why in str(error.value) and "samples.csv" in str(error.value)
    if "unknown group" in why:
        assert "accepted in group: case, control, other disease" in str(error.value)


def test_all_mistakes_are_listed_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("GSM1,case", "GSM1,cse").replace("GSM4,control,61", "GSM4,control,x")
    with pytest.raises(SampleSheetError, match="2 mistakes"):
        load_sample_sheet(write(tmp_path, text))


@pytest.mark.parametrize(
    ("header", "why"),
    [("sample,grp", "no column group"), ("smaple,group", "perhaps 'smaple' is meant")],
)
def test_missing_columns_are_named_with_those_there(tmp_path: Path, header: str, why: str) -> None:
    with pytest.raises(SampleSheetError, match=why):
        load_sample_sheet(write(tmp_path, f"{header}\nGSM1,case\n"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            GOOD.replace("GSM4", "GSM44"),
            "row 5: GSM44 is not a sample of GSE1; the nearest are GSM4",
        ),
        (GOOD.replace("GSE1,GSM4", "GSE11,GSM4"), "GSE11 is not a series here"),
        ("sample,group\nGSM9,case\n", "GSM9 is not a sample of the series"),
        (GOOD.replace("GSM4,control", "GSM4,"), "the group control has 1 sample;"),
        (GOOD.replace(",control", ",case"), "the group control has no samples"),
        ("sample,group\nGSM1,\nGSM2,\n", "the column group is empty for GSE1"),
        ("sample,group\nGSM1,2\nGSM2,2\n", "all samples have the same value"),
    ],
)
def test_sheet_that_does_not_fit_the_series_is_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(SampleSheetError) as error:
        check_sample_sheet(load_sample_sheet(write(tmp_path, text)), SERIES)
    assert why in str(error.value)


def test_sheet_of_several_series_fits_each(tmp_path: Path) -> None:
    more = (
        "GSE2,GSM5,case,,,,,\nGSE2,gsm6,case,,,,,\nGSE2,GSM7,control,,,,,\nGSE2,GSM8,control,,,,,\n"
    )
    sheet = load_sample_sheet(write(tmp_path, GOOD + more))
    check_sample_sheet(sheet, SERIES)
    assert list(sheet.of("GSE2", SERIES["GSE2"])) == list(SERIES["GSE2"])
    # Rows of a series that is there and not used are ignored.
    check_sample_sheet(sheet, {"GSE1": SERIES["GSE1"]}, ["GSE2"])


def test_series_without_groups_is_not_available_where_others_have_some(tmp_path: Path) -> None:
    more = "GSE2,GSM5,,,,,,\nGSE2,GSM6,,,,,,\n"
    check_sample_sheet(load_sample_sheet(write(tmp_path, GOOD + more)), SERIES)
