"""`genotex clinical`, and the options that steer how every command reads a trait."""

import gzip
import json
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genotex.formats import read_evidence
from genotex.layout import OutputFolder
from tests.geo_text import asthma, series_matrix, write_asthma, write_gz

from .conftest import Run, on_one_line


@pytest.fixture
def genotex(genotex: Run) -> Run:
    """Run the command line; standard error comes as one line."""
    return on_one_line(genotex)


def write_rows(root: Path, *rows: list[str], title: str | None = None) -> Path:
    """Write a cohort of Asthma with these characteristics after age and sex."""
    told = {} if title is None else {"title": title}
    text = series_matrix(characteristics=[*asthma(24)[1:], *rows], **told)
    return write_gz(root / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz", text)


def two_of(key: str, first: str, second: str) -> list[str]:
    return [f"{key}: {first if i % 2 else second}" for i in range(24)]


STATE = two_of("disease state", "asthma", "healthy control")
GROUP = two_of("group", "patient", "control")
OTHER_GROUP = ["group: patient", *GROUP[1:]]
UNCLEAR = two_of("diagnosis", "kobold lung", "healthy")
OWN_WORDS = '[traits.Asthma]\nterms = ["kobold lung"]\n'


def test_show_gives_the_decision_before_its_reasons(genotex: Run, tmp_path: Path) -> None:
    matrix = write_rows(tmp_path, OTHER_GROUP, STATE)
    code, out, _ = genotex("clinical", "show", matrix, "--trait", "Asthma")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "GSE1, annotated for Asthma (procedure sound)"
    (decision,) = [line for line in lines if line.startswith("trait ")]
    assert "available" in decision and " % " in decision and "row 3, key 'disease st" in decision
    (value,) = [line for line in lines if line.startswith("healthy control ")]
    assert "'healthy control' names a control" in value
    second = next(i for i, line in enumerate(lines) if "runner-up: row 2, key 'group'" in line)
    assert [line.strip() for line in lines[second + 1 : second + 3]] == [
        "case: 'patient'", "control: 'control'"
    ]  # fmt: skip
    assert lines.index(decision) < lines.index(value) < second


def test_brackets_of_a_value_are_printed_and_not_taken_for_markup(
    genotex: Run, tmp_path: Path
) -> None:
    values = ("asthma [severe]", "healthy control [bold]")
    matrix = write_rows(tmp_path, two_of("disease state", *values))
    _, out, _ = genotex("clinical", "show", matrix, "--trait", "Asthma")
    for value in values:
        assert any(line.startswith(f"{value} ") for line in out.splitlines()), out


def test_rows_that_say_the_same_share_no_certainty(genotex: Run, tmp_path: Path) -> None:
    certainty = {}
    for name, rows in (("one", [STATE]), ("same", [STATE, GROUP]), ("other", [STATE, OTHER_GROUP])):
        matrix = write_rows(tmp_path / name, *rows)
        _, out, _ = genotex("clinical", "show", matrix, "--trait", "Asthma", "--json")
        trait = json.loads(out)["trait"]
        certainty[name] = trait["certainty"]
        said = "row 3, key 'group', would give every sample the same code"
        assert (said in trait["evidence"]) is (name == "same")
        assert (trait["runner_up"] is not None) is (name == "other")
    assert certainty["same"] >= certainty["one"] > certainty["other"]


def test_show_counts_samples_and_doubts_a_child_among_adults(genotex: Run, tmp_path: Path) -> None:
    matrix = write_rows(tmp_path, STATE)
    text = gzip.decompress(matrix.read_bytes()).decode()
    matrix.write_bytes(gzip.compress(text.replace('"age: 30"', '"age: 2"', 1).encode()))
    _, out, _ = genotex("clinical", "show", matrix, "--trait", "Asthma")
    assert "row 2, key 'disease state': 12 cases, 12 controls, 0 missing" in out
    assert "24 of 24 samples, 2 to " in out and "flagged: 2 among adults" in out


def test_piped_lines_are_whole_and_end_without_blanks(genotex: Run, tmp_path: Path) -> None:
    long = "healthy control " + "who never smoked " * 12
    matrix = write_rows(tmp_path, two_of("disease state", "asthma", long))
    _, out, _ = genotex("clinical", "show", matrix, "--trait", "Asthma")
    assert any(line.startswith(long.strip()) for line in out.splitlines())
    assert not [line for line in out.splitlines() if line != line.rstrip()]


def test_show_prints_the_groups_to_copy_where_no_case_is_known(
    genotex: Run, tmp_path: Path
) -> None:
    matrix = write_rows(tmp_path, UNCLEAR, title="Blood of adults")
    arguments = ("clinical", "show", matrix, "--trait", "Asthma")
    code, out, _ = genotex(*arguments)
    (line,) = [line for line in out.splitlines() if line.startswith("  --case")]
    assert code == 1 and shlex.split(line) == ["--case", "kobold lung", "--control", "healthy"]
    code, out, _ = genotex(*arguments, *shlex.split(line))
    assert code == 0 and "trait, by hand" in out and "12 cases, 12 controls" in out


def test_saved_file_is_added_to_and_not_overwritten(genotex: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    show = ("clinical", "show", write_rows(tmp_path, STATE), "--trait", "Asthma", "--save", mine)
    assert genotex(*show)[0] == 0
    mine.write_text(mine.read_text().replace('"GSE1"', '"GSE2"'))
    code, out, err = genotex(*show, "--json")
    assert code == 0 and json.loads(out)["accession"] == "GSE1" and f"saved: {mine}" in err
    assert list(json.loads(mine.read_text())["cohorts"]) == ["GSE2", "GSE1"]
    before = mine.read_text()
    code, _, err = genotex(*show)
    assert code == 2 and "already has GSE1" in err and mine.read_text() == before
    assert genotex(*show, "--force")[0] == 0
    code, _, err = genotex(*show[:4], "Gout", "--save", mine)
    assert code == 2 and "made for Asthma, not for Gout" in err


def test_saved_file_without_a_trait_holds_what_to_edit(genotex: Run, tmp_path: Path) -> None:
    mine, matrix = tmp_path / "mine.json", write_rows(tmp_path, UNCLEAR, title="Blood of adults")
    show = ("clinical", "show", matrix, "--trait", "Asthma")
    assert genotex(*show, "--save", mine)[0] == 1
    data = json.loads(mine.read_text())
    (row,) = [c for c in data["cohorts"]["GSE1"]["characteristics"] if c["key"] == "diagnosis"]
    assert row["values"] == {"diagnosis: kobold lung": None, "diagnosis: healthy": None}
    row["values"] = {"diagnosis: kobold lung": 1, "diagnosis: healthy": 0}
    data["cohorts"]["GSE1"]["trait"] = row
    mine.write_text(json.dumps(data))
    code, out, _ = genotex(*show, "--encoding", mine)
    assert code == 0 and "trait, by hand" in out and "given by hand in mine.json" in out


def test_edited_encoding_loses_certainty_and_names_its_file(genotex: Run, tmp_path: Path) -> None:
    matrix = write_rows(tmp_path / "input", STATE)
    mine = tmp_path / "mine.json"
    genotex("clinical", "show", matrix, "--trait", "Asthma", "--save", mine)
    plain = ("clinical", "show", matrix, "--trait", "Asthma", "--encoding", mine, "--json")
    assert json.loads(genotex(*plain)[1])["trait"]["certainty"] > 0.5
    data = json.loads(mine.read_text())
    trait = data["cohorts"]["GSE1"]["trait"]
    trait["values"] = {"disease state: asthma": 1, "Healthy Control": 0, "asthmatic": None}
    trait["roles"] = {}
    mine.write_text(json.dumps(data))
    told = json.loads(genotex(*plain)[1])
    assert told["trait"]["certainty"] is None and told["trait"]["confidence"] == "by hand"
    assert any("no sample has 'asthmatic'; perhaps" in note for note in told["notes"])
    assert {v["raw"]: v["code"] for v in told["values"] if v["feature"] == "trait"} == {
        "disease state: asthma": 1, "disease state: healthy control": 0
    }  # fmt: skip
    code, _, _ = genotex("solve", tmp_path / "input", tmp_path / "o", "--trait", "Asthma",
                         "--encoding", mine)  # fmt: skip
    page = (tmp_path / "o" / "report" / "Asthma_condition_None.html").read_text()
    assert code == 0 and "by hand" in page and "iven by hand in mine.json" in page
    assert "Certainty 9" not in page.partition('id="reading"')[2].partition("<h3>Age")[0]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("GPL96.txt.gz", "is the table of a platform"),
        ("TCGA.LUAD.sampleMap_LUAD_clinicalMatrix.gz", "only GEO series are read here"),
        (".", "is a folder"),
    ],
)
def test_show_of_something_else_says_what_it_is(
    genotex: Run, tmp_path: Path, name: str, message: str
) -> None:
    code, _, err = genotex("clinical", "show", tmp_path / name, "--trait", "Asthma")
    assert code == 2 and message in err


def test_misspelt_group_is_no_reason_to_preprocess_first(genotex: Run, tmp_path: Path) -> None:
    write_rows(tmp_path / "input", STATE)
    arguments = ("solve", tmp_path / "input", tmp_path / "o", "--trait", "Asthma")
    code, _, err = genotex(*arguments, "--case", "asthmma")
    assert code == 2 and "perhaps 'asthma'" in err and "preprocess first" not in err


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_cases_that_hold_nothing_or_would_be_overwritten(
    genotex: Run, tmp_path: Path, text: str
) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(text)
    code, _, err = genotex("clinical", "infer", cases, "-o", tmp_path / "out.jsonl")
    assert code == 2 and "holds no cases" in err
    code, _, err = genotex("clinical", "infer", cases, "-o", cases)
    assert code == 2 and "holds the cases" in err and cases.read_text() == text


def test_infer_with_the_benchmark_takes_the_first_integer_as_age(
    genotex: Run, tmp_path: Path
) -> None:
    rows = {"0": ["age: 45.7", "age: 51.2"]}
    cases, answers = tmp_path / "cases.jsonl", tmp_path / "out.jsonl"
    cases.write_text(json.dumps({"id": "a", "trait": "Asthma", "sample_characteristics": rows}))
    for procedure, ages in (("sound", [45.7, 51.2]), ("benchmark", [45, 51])):
        genotex("clinical", "infer", cases, "-o", answers, "--procedure", procedure)
        answer = json.loads(answers.read_text())
        assert list(answer["age"]["map"].values()) == ages
        assert answer["keys"] == {"age": "age"} and answer["certainties"]["age"] > 0.5


def test_show_says_what_was_nearest_and_why_it_was_left_out(genotex: Run, tmp_path: Path) -> None:
    matrix = write_rows(tmp_path, STATE)
    arguments = ("clinical", "show", matrix, "--trait", "Asthma", "--least-certainty", "1")
    code, out, _ = genotex(*arguments)
    assert code == 1
    assert "best candidate that was left out: row 2, key 'disease state', certainty" in out
    assert " %, you asked for 100 %" in out.partition("why it was not chosen: ")[2]
    (decision,) = [line for line in out.splitlines() if line.startswith("trait  ")]
    assert decision.split()[:4] == ["trait", "not", "available", "-"], "no certainty of 'none'"
    assert out.count("you asked for") == 2, "in the table and below, and no third time as a note"


def test_show_with_nothing_that_could_be_meant(genotex: Run, tmp_path: Path) -> None:
    matrix = write_rows(tmp_path, two_of("batch", "1", "2"), title="Mice")
    code, out, _ = genotex("clinical", "show", matrix, "--trait", "Gout")
    assert code == 1 and "no row separates cases from controls" in out
    assert "row 2, key 'batch'" in out and "'2' (12), '1' (12)" in out


def test_show_in_json_tells_certainty_and_runner_up(genotex: Run, tmp_path: Path) -> None:
    matrix = write_rows(tmp_path, OTHER_GROUP, STATE)
    _, out, _ = genotex("clinical", "show", matrix, "--trait", "Asthma", "--json")
    trait = json.loads(out)["trait"]
    assert trait["available"] and 0 < trait["certainty"] < 1
    assert trait["runner_up"]["row"] == 2 and trait["inferred_from"] is None
    arguments = ("--trait", "Asthma", "--json", "--least-certainty", "1")
    code, out, _ = genotex("clinical", "show", matrix, *arguments)
    trait = json.loads(out)["trait"]
    assert code == 1 and not trait["available"] and "you asked for" in trait["why_not"]
    assert trait["left_out"] == 1


def test_what_source_names_tell_is_marked_and_not_read_in_benchmark(
    genotex: Run, tmp_path: Path
) -> None:
    names = [f'"{"blood of asthma patient" if i % 2 else "blood of healthy control"}"'
             for i in range(24)]  # fmt: skip
    text = series_matrix(characteristics=asthma(24)[1:])
    line = "\t".join(["!Sample_source_name_ch1", *names])
    matrix = write_gz(
        tmp_path / "GSE1_series_matrix.txt.gz",
        text.replace("!Sample_type", line + "\n!Sample_type", 1),
    )
    arguments = ("clinical", "show", matrix, "--trait", "Asthma")
    code, out, _ = genotex(*arguments)
    assert code == 0 and "trait, inferred from the source names" in out
    code, out, _ = genotex(*arguments, "--procedure", "benchmark")
    assert code == 1 and "inferred from the source names" not in out
    assert "  --case 'blood of asthma patient' --control 'blood of healthy control'" not in out


def given_back(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Edit the one reading of an encoding file; gives the file."""
    data = json.loads(path.read_text())
    change(data["cohorts"]["GSE1"])
    path.write_text(json.dumps(data))
    return path


def decision(out: str, feature: str) -> str:
    return next(line for line in out.splitlines() if line.startswith(f"{feature} "))


def choices(out: str) -> list[list[str]]:
    return [shlex.split(line) for line in out.splitlines() if line.startswith("  --case")]


THREE = ["disease: asthma", "disease: lupus", "disease: healthy"] * 8


def test_groups_to_copy_are_those_of_the_reading_that_was_left_out(
    genotex: Run, tmp_path: Path
) -> None:
    mine, arguments = tmp_path / "mine.json", ("clinical", "show", write_rows(tmp_path, THREE))
    arguments = (*arguments, "--trait", "Asthma")
    code, out, _ = genotex(*arguments, "--least-certainty", "1", "--save", mine)
    (line,) = choices(out)
    assert code == 1 and line[:2] == ["--case", "asthma"]
    assert sorted(line[3::2]) == ["healthy", "lupus"] and set(line[2::2]) == {"--control"}
    code, shown, _ = genotex(*arguments, *line)
    assert code == 0 and "8 cases, 16 controls" in decision(shown, "trait")
    code, again, _ = genotex(*arguments, "--encoding", mine)
    assert code == 1 and choices(again) == [line], "given back it is left out all the same"
    assert decision(again, "trait") == decision(out, "trait") and "mine.json" not in again


def test_person_who_says_not_available_is_given_no_groups(genotex: Run, tmp_path: Path) -> None:
    mine, arguments = tmp_path / "mine.json", ("clinical", "show", write_rows(tmp_path, THREE))
    genotex(*arguments, "--trait", "Asthma", "--save", mine)
    given_back(mine, lambda d: d.update(trait=None))
    code, out, _ = genotex(*arguments, "--trait", "Asthma", "--encoding", mine)
    assert code == 1 and "not available by mine.json" in decision(out, "trait")
    assert not choices(out) and "row 2, key 'disease'" in out


@pytest.mark.parametrize(
    ("kept", "why"),
    [
        (1, "no sample is a control; row 2, key 'disease state': 12 cases, 0 controls, 12 missing"),
        (0, "no sample is a case; row 2, key 'disease state': 0 cases, 12 controls, 12 missing"),
        (None, "no sample has a code; row 2, key 'disease state': 0 cases, 0 controls, 24 missing"),
    ],
)
def test_encoding_with_an_empty_side_is_not_available(
    genotex: Run, tmp_path: Path, kept: int | None, why: str
) -> None:
    mine, arguments = tmp_path / "mine.json", ("clinical", "show", write_rows(tmp_path, STATE))
    genotex(*arguments, "--trait", "Asthma", "--save", mine)

    def empty(reading: dict[str, Any]) -> None:
        codes = reading["trait"]["values"]
        codes.update({cell: code if code == kept else None for cell, code in codes.items()})
        reading["age"].update(row=2, key="disease state", values={})

    given_back(mine, empty)
    code, out, _ = genotex(*arguments, "--trait", "Asthma", "--encoding", mine)
    assert code == 1 and "not available" in decision(out, "trait") and why in out
    assert "not available" in decision(out, "age") and "no sample has a code" in out
    _, out, _ = genotex(*arguments, "--trait", "Asthma", "--encoding", mine, "--json")
    told = json.loads(out)["trait"]
    assert not told["available"] and told["why_not"] == why and told["certainty"] is None


def test_encoding_saved_under_an_alias_is_given_back_under_it_or_the_name(
    genotex: Run, tmp_path: Path
) -> None:
    cells = two_of("disease", "osteoarthritis", "healthy")
    mine, arguments = tmp_path / "mine.json", ("clinical", "show", write_rows(tmp_path, cells))
    genotex(*arguments, "--trait", "OA", "--save", mine)
    assert "is read by the words of" not in mine.read_text()
    old = "'OA' is read by the words of Osteoarthritis"
    given_back(mine, lambda d: d.update(notes=[old, "mine"]))
    for trait in ("OA", "Osteoarthritis", "osteoarthritis"):
        code, out, _ = genotex(*arguments, "--trait", trait, "--encoding", mine)
        assert code == 0 and "note: mine" in out and old not in out
    code, _, err = genotex(*arguments, "--trait", "Gout", "--encoding", mine)
    assert code == 2 and "made for Osteoarthritis, not for Gout" in err


def test_verdict_on_gene_data_that_a_person_changed(genotex: Run, tmp_path: Path) -> None:
    mine, arguments = tmp_path / "mine.json", ("clinical", "show", write_rows(tmp_path, STATE))
    genotex(*arguments, "--trait", "Asthma", "--save", mine)
    given_back(mine, lambda d: d["gene"].update(available=False))
    arguments = (*arguments, "--trait", "Asthma", "--encoding", mine)
    code, out, _ = genotex(*arguments)
    assert code == 1
    told = decision(out, "gene data").split(maxsplit=5)
    assert told == ["gene", "data", "not", "available", "-", "given by hand in mine.json"]
    given_back(mine, lambda d: d["gene"].update(reason="tiling array"))
    assert "given by hand in mine.json: tiling array" in genotex(*arguments)[1]


def test_words_are_edited_and_given_back(genotex: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    code, _, err = genotex("clinical", "words", "--trait", "Asthma", "-o", mine)
    assert code == 0 and f"--vocabulary {mine}" in err
    matrix = write_rows(tmp_path, UNCLEAR, title="Blood of adults")
    arguments = ("clinical", "show", matrix, "--trait", "Asthma", "--vocabulary", mine)
    assert genotex(*arguments)[0] == 1
    text = mine.read_text()
    mine.write_text(text.replace('terms = ["asthma"', 'terms = ["asthma", "kobold lung"'))
    assert mine.read_text() != text
    code, out, _ = genotex(*arguments)
    assert code == 0 and "names the trait ('kobold lung')" in out


def test_words_that_were_edited_are_not_overwritten(genotex: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(OWN_WORDS)
    arguments = ("clinical", "words", "--trait", "Asthma", "-o", mine)
    code, _, err = genotex(*arguments)
    assert code == 2 and "exists already" in err and "--force" in err
    assert mine.read_text() == OWN_WORDS
    code, _, _ = genotex(*arguments, "--force")
    assert code == 0 and "replace = true" in mine.read_text()


@pytest.mark.parametrize("command", ["words", "infer"])
def test_folder_as_output_is_named(genotex: Run, tmp_path: Path, command: str) -> None:
    cases, folder, file = tmp_path / "cases.jsonl", tmp_path / "answers", tmp_path / "file"
    cases.write_text(json.dumps({"id": "a", "trait": "Asthma"}))
    folder.mkdir()
    file.touch()
    start = ("infer", cases) if command == "infer" else ("words", "--trait", "Asthma", "--force")
    code, _, err = genotex("clinical", *start, "-o", folder)
    assert code == 2 and "is a folder" in err and ".part" not in err
    assert "answers" in err.partition(" is a folder")[0] and not list(folder.iterdir())
    code, _, err = genotex("clinical", *start, "-o", file / "inner" / "out")
    assert code == 2 and "is not a folder" in err


def test_answers_under_a_name_of_gzip_are_compressed(genotex: Run, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps({"id": "a", "trait": "Asthma"}))
    plain, zipped = tmp_path / "out.jsonl", tmp_path / "out.jsonl.gz"
    for answers in (plain, zipped):
        assert genotex("clinical", "infer", cases, "-o", answers)[0] == 0
    assert gzip.decompress(zipped.read_bytes()) == plain.read_bytes()
    assert json.loads(plain.read_text())["id"] == "a"


def test_words_on_the_screen_are_toml(genotex: Run) -> None:
    code, out, _ = genotex("clinical", "words", "--trait", "Nonsuch fever")
    assert code == 0 and out.startswith("# Edit these words, then give the file back")
    assert list(tomllib.loads(out)["traits"]) == ["Nonsuch fever"]


@pytest.mark.parametrize("command", ["solve", "preprocess"])
def test_vocabulary_of_ones_own_is_used_and_recorded(
    genotex: Run, tmp_path: Path, command: str
) -> None:
    write_rows(tmp_path / "input", UNCLEAR, title="Blood of adults")
    mine = tmp_path / "mine.toml"
    mine.write_text(OWN_WORDS)
    arguments = (command, tmp_path / "input", tmp_path / "o", "--trait", "Asthma")
    code, _, _ = genotex(*arguments)
    assert code == 1
    code, _, _ = genotex(*arguments, "--vocabulary", mine)
    assert code == 0
    options = read_evidence(OutputFolder(tmp_path / "o").evidence("Asthma", "GSE1")).options
    assert options["vocabulary"]["name"] == "mine.toml"
    assert len(options["vocabulary"]["sha256"]) == 64 and options["least_certainty"] == 0


def test_solve_says_what_was_read_too_unsurely(genotex: Run, tmp_path: Path) -> None:
    write_rows(tmp_path / "input", STATE)
    arguments = ("solve", tmp_path / "input", tmp_path / "o", "--trait", "Asthma")
    code, out, _ = genotex(*arguments, "--least-certainty", "1")
    assert code == 1 and "trait not available: row 2, key 'disease state', was" in out
    page = (tmp_path / "o" / "report" / "Asthma_condition_None.html").read_text()
    assert "was left out: " in page and "you asked for" in page
    reading = page.partition('id="reading"')[2]
    assert "<h3>GSE1</h3>" in reading and "Best candidate that was left out: row 2" in reading
    assert "24 of 24 samples, 30 to 53 years" in reading


def test_groups_chosen_by_hand_need_no_certainty(genotex: Run, tmp_path: Path) -> None:
    write_rows(tmp_path / "input", STATE)
    arguments = ("preprocess", tmp_path / "input", tmp_path / "o", "--least-certainty", "1")
    code, _, _ = genotex(*arguments, "--case", "asthma", "--control", "healthy control")
    assert code == 0
    evidence = read_evidence(OutputFolder(tmp_path / "o").evidence("Asthma", "GSE1"))
    assert evidence.reading["certainty"] is None and evidence.reading["runner_up"] is None
    assert not any("was read with" in note for note in evidence.notes)


def test_infer_with_words_and_a_least_certainty(genotex: Run, tmp_path: Path) -> None:
    case = {
        "id": "a",
        "trait": "Asthma",
        "sample_characteristics": {"0": list(dict.fromkeys(UNCLEAR))},
    }
    cases, answers, mine = (tmp_path / name for name in ("cases.jsonl", "out.jsonl", "mine.toml"))
    cases.write_text(json.dumps(case) + "\n")
    mine.write_text(OWN_WORDS)
    arguments = ("clinical", "infer", cases, "-o", answers)
    for options, found in (
        ((), False),
        (("--vocabulary", mine, "--procedure", "benchmark"), True),
        (("--vocabulary", mine, "--least-certainty", "1"), False),
    ):
        code, _, _ = genotex(*arguments, *options)
        answer = json.loads(answers.read_text())
        assert code == 0 and (answer["trait"] is not None) is found
    assert answer["runner_up"]["row"] == 0 and answer["certainty"] < 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "mine.toml: cannot be opened"),
        ("[traits.Asthma]\nterm = []", "mine.toml, traits.Asthma.term: unknown key"),
    ],
)
@pytest.mark.parametrize("command", ["solve", "preprocess", "show", "infer", "words"])
def test_mistake_in_the_vocabulary_stops_before_any_work(
    genotex: Run, tmp_path: Path, command: str, text: str | None, message: str
) -> None:
    matrix = write_asthma(tmp_path / "input")
    mine, output = tmp_path / "mine.toml", tmp_path / "o"
    if text is not None:
        mine.write_text(text)
    arguments = {
        "solve": ("solve", tmp_path / "input", output, "--trait", "Asthma"),
        "preprocess": ("preprocess", tmp_path / "input", output),
        "show": ("clinical", "show", matrix, "--trait", "Asthma"),
        "infer": ("clinical", "infer", matrix, "-o", output),
        "words": ("clinical", "words", "--trait", "Asthma", "-o", output),
    }[command]
    code, _, err = genotex(*arguments, "--vocabulary", mine)
    assert code == 2 and message in err.replace("mine. toml", "mine.toml")
    assert not output.exists()


@pytest.mark.parametrize("value", ["1.5", "-1", "sure", "nan"])
def test_certainty_that_is_none_is_refused(genotex: Run, tmp_path: Path, value: str) -> None:
    matrix = write_asthma(tmp_path / "input")
    arguments = ("--trait", "Asthma", "--least-certainty", value)
    code, _, _ = genotex("clinical", "show", matrix, *arguments)
    assert code == 2


def test_encoding_made_under_an_alias_is_that_of_the_trait(genotex: Run, tmp_path: Path) -> None:
    cells = two_of("disease", "osteoarthritis", "healthy")
    matrix = write_rows(tmp_path / "input", cells)
    saved = tmp_path / "oa.json"
    code, out, err = genotex("clinical", "show", matrix, "--trait", "OA", "--save", saved)
    assert code == 0 and json.loads(saved.read_text())["trait"] == "Osteoarthritis"
    assert "by the vocabulary of Osteoarthritis" in out and "'OA' is read by" in err


@pytest.mark.parametrize("trait", ["", " ", "??"])
@pytest.mark.parametrize("command", ["solve", "preprocess", "show", "words"])
def test_trait_without_a_name_is_refused(
    genotex: Run, tmp_path: Path, command: str, trait: str
) -> None:
    matrix = write_asthma(tmp_path / "input")
    arguments = {
        "solve": ("solve", tmp_path / "input", tmp_path / "o"),
        "preprocess": ("preprocess", tmp_path / "input", tmp_path / "o"),
        "show": ("clinical", "show", matrix),
        "words": ("clinical", "words"),
    }[command]
    code, _, err = genotex(*arguments, "--trait", trait)
    assert code == 2 and ("not a trait name" in err or "cannot be a trait name" in err)


def test_name_of_several_traits_is_refused(genotex: Run, tmp_path: Path) -> None:
    code, _, err = genotex("clinical", "show", write_asthma(tmp_path / "input"), "--trait", "AS")
    assert code == 2 and "Angelman_Syndrome, Ankylosing_Spondylitis" in err


def test_name_that_is_not_listed_is_no_finding(genotex: Run, tmp_path: Path) -> None:
    matrix = write_asthma(tmp_path / "input")
    code, out, err = genotex("clinical", "show", matrix, "--trait", "Athsma")
    assert code == 1
    assert "perhaps Asthma" in err
    line = next(line for line in out.splitlines() if line.startswith("trait"))
    assert "%" not in line


def test_words_for_another_trait_are_told(genotex: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('[traits.Gout]\nterms = ["podagra"]\n')
    matrix = write_asthma(tmp_path / "input")
    _, _, err = genotex("clinical", "show", matrix, "--trait", "Asthma", "--vocabulary", mine)
    assert "Gout is not the trait asked for" in " ".join(err.split())


def test_folder_of_another_name_is_suggested(genotex: Run, tmp_path: Path) -> None:
    write_asthma(tmp_path / "input")
    name = "bronchial asthma"
    code, _, err = genotex("solve", tmp_path / "input", tmp_path / "o", "--trait", name)
    assert code == 2 and "perhaps --trait Asthma" in " ".join(err.split())


def test_signs_that_a_terminal_obeys_are_not_shown_where_a_series_has_them(
    genotex: Run, tmp_path: Path
) -> None:
    state = two_of("disease\x1b]0;owned\x07 state", "asthma\x1b[2J\u202e", "healthy control")
    matrix = write_rows(tmp_path, state, title="Asthma \x1b[31mand\x9b31m health")
    code, out, err = genotex("clinical", "show", matrix, "--trait", "Asthma")
    assert code == 0
    assert "healthy control" in out
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(out + err)


@pytest.mark.parametrize(
    ("record", "trait", "groups"),
    [
        ("input/GEO/Rheumatoid_Arthritis/GSE55457", "Rheumatoid_Arthritis", "13 cases, 20 c"),
        ("input/GEO/Osteoarthritis/GSE55457", "Osteoarthritis", "10 cases, 23 controls"),
        ("more/GEO/Hepatocellular_Carcinoma/GSE14520", "Hepatocellular_Carcinoma", "22 cases, 21 "),
        ("more/GEO/Multiple_sclerosis/GSE60424", "Multiple_sclerosis", "39 cases, 95 controls"),
        ("more/GEO/Breast_Cancer/GSE183947", "Breast_Cancer", "30 cases, 30 controls"),
        ("traps/GSE30528_series_matrix.txt.gz", "Diabetic_Nephropathy", "9 cases, 13 controls"),
        ("traps/GSE157103_series_matrix.txt.gz", "COVID-19", "100 cases, 26 controls"),
        ("more/GEO/Melanoma/GSE42872", "Melanoma", ""),
    ],
)
def test_groups_of_real_records_are_those_that_a_reader_finds(
    genotex: Run, shared_data: Path, record: str, trait: str, groups: str
) -> None:
    place = shared_data / record
    matrix = next(place.glob("*series_matrix*")) if place.is_dir() else place
    code, out, _ = genotex("clinical", "show", matrix, "--trait", trait, "--json")
    found = json.loads(out)["trait"]
    assert code == (0 if groups else 1) and found["available"] == bool(groups)
    assert (found["samples"] or "").startswith(groups)
