"""`genotex evaluate-labels` and `genotex apply-labels`."""

import csv
import json
from pathlib import Path

import pytest

from tests.bench.evaluation.labels.labelled import case, label, write_lines
from tests.geo_text import write_asthma

TRAIT = {"row": 0, "map": {"disease state: asthma": 1, "disease state: healthy control": 0}}
SWAPPED = {"row": 0, "map": {"disease state: asthma": 0, "disease state: healthy control": 1}}


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Two cases by two sets of labels, which differ in the second one."""
    lines = [
        case(1, reading=label(TRAIT), benchmark=label(TRAIT)),
        case(2, reading=label(TRAIT), benchmark=label(SWAPPED)),
    ]
    return write_lines(tmp_path / "cases.jsonl.gz", lines)


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    lines = [{"id": f"Asthma/GSE{n}"} | label(TRAIT) for n in (1, 2)]
    return write_lines(tmp_path / "answers.jsonl", lines)


def test_figures_stand_side_by_side_with_their_difference(genotex, cases, answers) -> None:  # type: ignore[no-untyped-def]
    code, out, err = genotex("evaluate-labels", answers, "--cases", cases)
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert ["cases", "2", "2", "2", "-"] in lines
    assert ["trait_exact", "1.000", "0.500", "-0.500", "0.500"] in lines
    assert ["same", "row,", "cases", "and", "controls", "swapped", "1"] in lines
    assert "benchmark's own labels" in out


def test_json_holds_every_figure_and_every_case(genotex, cases, answers) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = genotex("evaluate-labels", answers, "--cases", cases, "--json")
    assert code == 0
    told = json.loads(out)
    assert list(told) == [
        "prediction", "cases", "base", "labels", "scores", "own_labels", "items",
        "disagreements", "missing", "notes",
    ]  # fmt: skip
    assert (told["base"], told["labels"]) == ("reading", ["reading", "benchmark"])
    benchmark = told["scores"]["cases"]["benchmark"]
    assert (benchmark["count"], benchmark["shared"]) == (2, 2)
    assert benchmark["figures"]["whole_case_exact"] == 0.5
    assert benchmark["difference"]["whole_case_exact"] == -0.5
    assert told["own_labels"]["cases"]["benchmark"]["trait_exact"] == 0.5
    second = told["items"]["cases"]["benchmark"][1]
    assert (second["id"], second["trait_row"], second["trait_values"]) == ("Asthma/GSE2", True, 0.0)


def test_only_the_labels_that_are_named_are_scored_against(genotex, cases, answers) -> None:  # type: ignore[no-untyped-def]
    _, out, _ = genotex(
        "evaluate-labels", answers, "--cases", cases, "--labels", "benchmark", "--json"
    )
    assert list(json.loads(out)["scores"]["cases"]) == ["benchmark"]


def test_without_a_prediction_the_labels_are_compared(genotex, cases) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = genotex("evaluate-labels", "--cases", cases)
    assert code == 0
    assert ["trait_exact", "0.500"] in [line.split() for line in out.splitlines()]


def test_missing_predictions_are_told(genotex, cases, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    one = write_lines(tmp_path / "one.jsonl", [{"id": "Asthma/GSE1"} | label(TRAIT)])
    _, out, err = genotex("evaluate-labels", one, "--cases", cases)
    assert "Asthma/GSE2" in " ".join(err.split())
    assert ["trait_exact", "0.500", "0.500", "+0.000", "0.500"] in [
        line.split() for line in out.splitlines()
    ]


def test_reference_of_labels_and_the_score_of_an_output_folder(  # type: ignore[no-untyped-def]
    genotex, cases, tmp_path: Path
) -> None:
    raw = tmp_path / "input"
    write_asthma(raw, "GSE1")
    write_asthma(raw, "GSE2")
    verified = tmp_path / "verified"
    code, out, _ = genotex("apply-labels", cases, raw, verified, "--json")
    assert code == 0
    assert json.loads(out)["tables"] == 2
    assert genotex("apply-labels", cases, raw, verified)[0] == 0  # the same again
    code, _, err = genotex("apply-labels", cases, raw, verified, "--labels", "benchmark")
    assert code == 2 and "was made from other labels" in " ".join(err.split())

    _, out, _ = genotex(
        "evaluate",
        "-p",
        verified,
        "-r",
        verified,
        "-t",
        "preprocessing",
        "-s",
        "clinical",
        "--json",
    )
    assert [one["csc"] for one in json.loads(out)["preprocessing"]["clinical"]] == [1.0, 1.0]

    files = tmp_path / "scores"
    asked = ("evaluate-labels", verified, "--cases", cases, "--input", raw, "-o", files)
    code, out, err = genotex(*asked)
    assert code == 0 and str(files / "labels.json") in "".join(err.split())
    lines = [line.split() for line in out.splitlines()]
    assert ["filtering_f1", "100.0", "100.0", "+0.0", "100.0"] in lines
    assert ["cohort_exact", "1.000", "0.500", "-0.500", "0.500"] in lines
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    assert set(before) == {
        "labels.json", "labels_figures.csv", "labels_filtering.csv", "labels_clinical.csv",
    }  # fmt: skip
    with (files / "labels_clinical.csv").open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert [(row["labels"], row["cohort"], row["trait_alike"]) for row in rows] == [
        ("reading", "GSE1", "1.0"), ("reading", "GSE2", "1.0"),
        ("benchmark", "GSE1", "1.0"), ("benchmark", "GSE2", "0.0"),
    ]  # fmt: skip
    assert genotex(*asked)[0] == 0
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("nowhere", "--cases", "{cases}"), "nowhere does not exist"),
        (("{cases}", "--cases", "{cases}"), "holds the labels"),
        (("{answers}", "--cases", "{answers}"), "holds the labels"),
        (("{answers}", "--cases", "{cases}", "--input", "x"), "--input does nothing here"),
        (("{answers}", "--cases", "{cases}", "-o", "{cases}"), "is a file; name a folder"),
        (("{answers}", "--cases", "{cases}", "--labels", "mine"), "known: reading, benchmark"),
        (("{answers}", "--cases", "{cases}", "--trait", "Gout"), "case has the trait 'Gout'"),
        (("--cases", "{answers}"), "line 1, trait: must be a text"),
        (("{folder}", "--cases", "{cases}"), "contains no preprocess/"),
        (("{answers}", "--cases", "nowhere"), "nowhere: cannot be opened"),
    ],
)
def test_mistake_gives_a_message_and_code_2(  # type: ignore[no-untyped-def]
    genotex, cases, answers, tmp_path: Path, arguments: tuple[str, ...], what: str
) -> None:
    names = {"cases": str(cases), "answers": str(answers), "folder": str(tmp_path)}
    code, out, err = genotex("evaluate-labels", *(text.format(**names) for text in arguments))
    assert (code, out) == (2, "")
    assert what in " ".join(err.split())


def test_whole_way_on_the_real_series(genotex, shared_data: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    labels = shared_data / "clinical" / "cases_dev.jsonl.gz"
    raw, verified = shared_data / "input", tmp_path / "verified"
    code, _, _ = genotex("apply-labels", labels, raw, verified, "--trait", "Osteoarthritis")
    assert code == 0
    table = verified / "preprocess/Osteoarthritis/clinical_data/GSE55457.csv"
    rows = {line.split(",")[0]: line.split(",") for line in table.read_text().splitlines()}
    codes = {name: dict(zip(rows[""][1:], cells[1:], strict=True)) for name, cells in rows.items()}
    # What the benchmark's notebook recorded of this series: 10 of 33 positive, and two samples.
    assert [float(code) for code in codes["Osteoarthritis"].values()].count(1) == 10
    assert [float(codes[n]["GSM1337304"]) for n in ("Osteoarthritis", "Age", "Gender")] == [
        0,
        61,
        1,
    ]
    assert [float(codes[n]["GSM1337327"]) for n in ("Osteoarthritis", "Age", "Gender")] == [
        1,
        77,
        0,
    ]


def test_benchmarks_own_labels_against_the_verified_ones(genotex, shared_data: Path) -> None:  # type: ignore[no-untyped-def]
    labels = shared_data / "clinical" / "cases_dev.jsonl.gz"
    code, out, _ = genotex("evaluate-labels", "--cases", labels, "--json")
    assert code == 0
    own = json.loads(out)["own_labels"]["cases"]["benchmark"]
    # As told with the cases: trait exact 0.541, whole case exact 0.472.
    assert round(own["trait_exact"], 3) == 0.541
    assert round(own["whole_case_exact"], 3) == 0.472
