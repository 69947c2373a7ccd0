"""`genotex clinical sheet`, and solving with the groups that a person chose."""

import csv
import shlex
from pathlib import Path

import openpyxl
import pytest

from genotex.formats import read_cohort_info, read_evidence
from genotex.layout import OutputFolder
from tests.geo_text import series_matrix, write_asthma, write_gz

from .conftest import Run, on_one_line


@pytest.fixture
def genotex(genotex: Run) -> Run:
    """Run the command line; standard error comes as one line."""
    return on_one_line(genotex)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write_asthma(tmp_path / "input", number=24)
    return tmp_path / "input"


def make(genotex: Run, source: Path, path: Path, *options: object) -> str:
    code, out, _ = genotex("clinical", "sheet", source, "--trait", "Asthma", "-o", path, *options)
    assert code == 0
    return out


@pytest.mark.everyday
def test_sheet_is_made_edited_and_solved(genotex: Run, source: Path, tmp_path: Path) -> None:
    write_asthma(source, "GSE2", number=14)
    path = tmp_path / "samples.xlsx"
    out = make(genotex, source, path)
    assert "GSE1 24 12 12 0" in " ".join(out.split())
    command = shlex.split(out.splitlines()[-1])
    assert command[:2] == ["genotex", "solve"] and command[-2:] == ["--samples", str(path)]

    book = openpyxl.load_workbook(path)
    rows = list(book.active.iter_rows())
    column = {cell.value: number for number, cell in enumerate(rows[0])}
    rows[1][column["group"]].value = "case"
    rows[2][column["exclude"]].value = "x"
    book.save(path)
    command[3] = str(tmp_path / "o")
    code, out, err = genotex(*command[1:])
    assert code == 0
    assert "samples decided by a person (sample sheet samples.xlsx): 12 cases, 11 controls" in err
    assert "12 cases against 11 healthy controls" in " ".join(out.split())
    folder = OutputFolder(tmp_path / "o")
    note = read_cohort_info(folder.cohort_info("Asthma"))["GSE1"].note
    assert note is not None and "decided by a person (sample sheet samples.xlsx)" in note
    page = (tmp_path / "o" / "report" / "Asthma_condition_None.html").read_text()
    assert "A person decided the groups of the samples (sample sheet samples.xlsx)" in page


def test_sheet_of_one_series_leaves_the_others_alone(
    genotex: Run, source: Path, tmp_path: Path
) -> None:
    write_asthma(source, "GSE2", number=30)
    path = tmp_path / "s.csv"
    make(genotex, source, path, "--cohort", "GSE1")
    arguments = ("preprocess", source, tmp_path / "o", "--trait", "Asthma", "--samples", path)
    assert genotex(*arguments)[0] == 0
    assert list(read_cohort_info(OutputFolder(tmp_path / "o").cohort_info("Asthma"))) == ["GSE1"]
    code, _, err = genotex(*arguments, "--cohort", "GSE2")
    assert code == 2 and "holds no sample of the series to be used, GSE2" in err
    code, _, err = genotex(*arguments, "--cohort", "GSE1", "--cohort", "GSE2")
    assert code == 0 and err.count("decided by a person") == 1


def test_edited_sheet_is_not_overwritten(genotex: Run, source: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    make(genotex, source, path)
    path.write_text("edited")
    arguments = ("clinical", "sheet", source, "--trait", "Asthma", "-o", path)
    code, _, err = genotex(*arguments)
    assert code == 2 and "replace it with --force" in err and path.read_text() == "edited"
    assert genotex(*arguments, "--force")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--trait", "Asthma", "-o", "s.ods"), "must end in .csv, .tsv or .xlsx"),
        (("--trait", "Gout", "-o", "s.csv"), "no GEO series of Gout"),
        (("--trait", "Asthma", "--cohort", "GSE9", "-o", "s.csv"), "it holds GSE1"),
        (("--trait", "Asthma", "--case", "state=x", "-o", "s.csv"), "no key is called 'state'"),
    ],
)
def test_sheet_that_cannot_be_made_is_explained(
    genotex: Run,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    why: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = genotex("clinical", "sheet", source, *arguments)
    assert code == 2 and why in err
    assert not list(tmp_path.glob("s.*"))


def test_mistakes_in_a_sheet_end_before_any_output(
    genotex: Run, source: Path, tmp_path: Path
) -> None:
    path = tmp_path / "s.csv"
    make(genotex, source, path)
    path.write_text(path.read_text().replace(",control,", ",contol,", 1))
    code, _, err = genotex("solve", source, tmp_path / "o", "--trait", "Asthma", "--samples", path)
    assert code == 2 and "row 2, GSM1: unknown group 'contol'; perhaps 'control'" in err
    assert not (tmp_path / "o").exists()


def test_groups_in_a_mind_alone_are_typed_into_an_empty_column(
    genotex: Run, tmp_path: Path
) -> None:
    source = tmp_path / "input"
    text = series_matrix("GSE5", characteristics=[["tissue: blood"] * 20], title="People")
    write_gz(source / "GEO" / "Left_handed" / "GSE5" / "GSE5_series_matrix.txt.gz", text)
    path = tmp_path / "s.csv"
    code, _, err = genotex("clinical", "sheet", source, "--trait", "Left handed", "-o", path)
    assert code == 0 and "the rules found no groups; fill in the column group" in err
    with path.open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    for number, row in enumerate(rows):
        row["group"] = "case" if number < 9 else "control"
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    code, out, err = genotex(
        "solve", source, tmp_path / "o", "--trait", "Left handed", "--samples", path
    )
    assert code == 0 and "text with semicolons between cells" in err
    assert "9 cases against 11 healthy controls" in " ".join(out.split())


def test_conditions_on_the_command_line_choose_groups(
    genotex: Run, source: Path, tmp_path: Path
) -> None:
    code, out, err = genotex(
        "solve", source, tmp_path / "o", "--trait", "Asthma", "--case", "disease state=asthma",
        "--control", "disease state~healthy", "--exclude", "GSM1", "--exclude", "age=31",
    )  # fmt: skip
    assert code == 0 and "11 cases, 11 controls; 2 excluded: GSM1, GSM2" in err
    assert "11 cases against 11 healthy controls" in " ".join(out.split())
    evidence = read_evidence(OutputFolder(tmp_path / "o").evidence("Asthma", "GSE1"))
    assert evidence.options["exclude"] == ["GSM1", "age=31"]


def test_analyze_regroups_without_the_raw_files(genotex: Run, source: Path, tmp_path: Path) -> None:
    path, output = tmp_path / "s.csv", tmp_path / "o"
    make(genotex, source, path)
    assert genotex("preprocess", source, output, "--trait", "Asthma")[0] == 0
    path.write_text(path.read_text().replace(",control,", ",case,", 2))
    arguments = ("analyze", output, "--trait", "Asthma", "--samples", path)
    code, out, err = genotex(*arguments)
    assert code == 0 and "(sample sheet s.csv): 14 cases, 10 controls" in err
    assert "14 cases against 10 healthy controls" in " ".join(out.split())
    path.write_text(path.read_text().replace(",case,", ",csae,", 1))
    code, _, err = genotex(*arguments)
    assert code == 2 and "unknown group 'csae'; perhaps 'case'" in err


def test_show_ends_with_a_command_that_gives_the_same_groups(
    genotex: Run, source: Path, tmp_path: Path
) -> None:
    matrix = source / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz"
    code, out, _ = genotex("clinical", "show", matrix, "--trait", "Asthma")
    assert code == 0 and "What would change this:" in out
    lines = [line.strip() for line in out.splitlines()]
    command = shlex.split(lines[lines.index("To choose the groups yourself, edit and run:") + 1])
    assert command[:3] == ["genotex", "solve", str(source)]
    command[3] = str(tmp_path / "o")
    code, _, err = genotex(*command[1:])
    assert code == 0 and "12 cases, 12 controls" in err
    assert lines[-1] == shlex.join(
        ["genotex", "solve", str(source), "OUTPUT", "--trait", "Asthma", "--samples", "samples.csv"]
    )


def test_help_offers_the_sheet_before_the_encoding_file(genotex: Run) -> None:
    _, out, _ = genotex("solve", "--help")
    text = " ".join(out.replace("│", " ").split())
    assert text.index("--samples <path>") < text.index("--encoding <path>")
    assert "for programs; people use --samples" in text
