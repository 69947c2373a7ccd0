"""Cohorts whose samples a person decided: by sheet, by condition, by platform."""

import csv
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest

from genotex.analysis import solve_problem
from genotex.clinical import (
    describe_series,
    load_pairs,
    load_sample_sheet,
    rule_expert,
    sheet_cells,
    sheet_headers,
    write_sheet_table,
)
from genotex.cohorts import (
    CohortOutcome,
    PreprocessOptions,
    RawSeries,
    preprocess,
    propose_sheet,
    read_series_file,
    regroup,
)
from genotex.errors import SampleSheetError, UsageError
from genotex.formats import read_evidence, read_linked, read_linked_csv
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.geo_text import GENES, asthma, series_matrix, write_asthma, write_gz

Rows = list[dict[str, str]]


def propose(matrix: Path, trait: str = "Asthma") -> Rows:
    raw = RawSeries(read_series_file(matrix), ())
    return propose_sheet(
        matrix.parent.name, raw, trait, rule_expert("sound"), PreprocessOptions()
    ).rows


def save(path: Path, rows: Rows) -> Path:
    headers = sheet_headers(rows)
    write_sheet_table(path, headers, sheet_cells(rows, headers))
    return path


def run(
    source: Path, output: OutputFolder, trait: str = "Asthma", **options: object
) -> CohortOutcome:
    given = PreprocessOptions(**options)  # type: ignore[arg-type]
    if given.samples is not None:
        given = replace(given, sheet=load_sample_sheet(given.samples))
    if given.pairs is not None:
        given = replace(given, pair_of=load_pairs(given.pairs))
    (outcome,) = preprocess(source, output.root, traits=[trait], options=given)
    return outcome


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return tmp_path / "input"


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    return OutputFolder(tmp_path / "output")


def test_sheet_shows_what_the_rules_see(source: Path) -> None:
    rows = propose(write_asthma(source))
    assert list(rows[0]) == [
        "series", "sample", "title", "source", "disease state", "age (as in the file)",
        "Sex (as in the file)", "group", "age", "sex", "pair", "batch", "exclude", "certainty",
        "why",
    ]  # fmt: skip
    assert rows[1]["group"] == "case" and rows[1]["sex"] == "male" and rows[1]["age"] == "31"
    assert rows[0]["group"] == "control" and rows[0]["sex"] == "female"
    assert rows[0]["why"].startswith("'healthy control' names a control")
    assert rows[3]["disease state"] == "asthma" and rows[3]["exclude"] == ""


def test_sheet_as_it_was_made_changes_nothing(
    source: Path, output: OutputFolder, tmp_path: Path
) -> None:
    matrix = write_asthma(source)
    run(source, output)
    by_rules = output.linked_csv("Asthma", "GSE1").read_bytes()
    sheet = save(tmp_path / "samples.csv", propose(matrix))
    outcome = run(source, output, samples=sheet)
    assert not outcome.unchanged and not outcome.warnings
    assert output.linked_csv("Asthma", "GSE1").read_bytes() == by_rules
    assert run(source, output, samples=sheet).unchanged


def test_what_a_person_decided_is_used_and_recorded(
    source: Path, output: OutputFolder, tmp_path: Path
) -> None:
    rows = propose(write_asthma(source, number=24))
    rows[0]["group"], rows[1]["group"] = rows[1]["group"], rows[0]["group"]
    rows[2]["exclude"] = "x"
    rows[3]["age"] = "99"
    for number, row in enumerate(rows):
        row["batch"] = "ab"[number // 2 % 2]
    sheet = save(tmp_path / "mine.xlsx", rows[:-1])
    outcome = run(source, output, samples=sheet)
    table = read_linked_csv(output.linked_csv("Asthma", "GSE1"))
    assert table.samples[:3] == ("GSM1", "GSM2", "GSM4") and "GSM24" not in table.samples
    assert table.trait_values[:3].tolist() == [1, 0, 1]
    assert table.covariates["Age"][2] == 99
    assert outcome.by_person == (
        "samples decided by a person (sample sheet mine.xlsx): 11 cases, 11 controls; "
        "1 without a group; 1 excluded: GSM3"
    )
    assert any("not in the sample sheet mine.xlsx" in warning for warning in outcome.warnings)
    record = read_evidence(output.evidence("Asthma", "GSE1"))
    assert record.reading["by"] == "hand"
    assert record.reading["trait"]["evidence"] == ["sample sheet mine.xlsx"]
    assert record.reading["excluded"] == {"GSM3": "sample sheet mine.xlsx, row 4"}
    assert record.options["samples"]["name"] == "mine.xlsx"
    assert record.sample_facts["batch"]["GSM1"] == "a"
    assert "disease state" not in record.sample_facts
    raw = {(value["raw"], value["samples"]) for value in record.encoded["trait"]}
    assert raw == {("case", 11), ("control", 11), (None, 2)}


def test_trait_that_the_rules_do_not_know_is_decided_by_the_sheet(
    source: Path, output: OutputFolder, tmp_path: Path
) -> None:
    text = series_matrix("GSE7", characteristics=[["tissue: blood"] * 12], title="Some people")
    folder = source / "GEO" / "Night_owls" / "GSE7"
    rows = propose(write_gz(folder / "GSE7_series_matrix.txt.gz", text), "Night owls")
    assert {row["group"] for row in rows} == {""}
    assert rows[0]["why"].startswith("the rules found no groups")
    for number, row in enumerate(rows):
        row["group"] = str(number / 2)
    outcome = run(source, output, "Night owls", samples=save(tmp_path / "s.csv", rows))
    assert outcome.info is not None and outcome.info.is_usable
    table = read_linked_csv(output.linked_csv("Night owls", "GSE7"))
    assert table.trait_values.tolist() == [number / 2 for number in range(12)]


@pytest.mark.parametrize("change", ["series", "sample", "group"])
def test_sheet_that_does_not_fit_leaves_everything_as_it_was(
    source: Path, output: OutputFolder, tmp_path: Path, change: str
) -> None:
    rows = propose(write_asthma(source))
    write_asthma(source, "GSE2", number=14)
    for row in rows if change == "group" else rows[:1]:
        row[change] = "case" if change == "group" else "GSM99"
    sheet = save(tmp_path / "s.csv", rows)
    with pytest.raises(SampleSheetError):
        run(source, output, samples=sheet)
    assert not output.root.exists()


def test_sheet_and_other_ways_to_choose_groups_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--case and --pairs cannot be combined with --samples"):
        PreprocessOptions(samples=tmp_path / "s.csv", cases=("x",), pairs=tmp_path / "p.csv")


def test_conditions_choose_groups_over_keys(source: Path, output: OutputFolder) -> None:
    write_asthma(source, number=24)
    outcome = run(
        source,
        output,
        cases=("disease state=asthma",),
        controls=("disease state~healthy",),
        exclude=("age=30", "GSM2"),
    )
    assert outcome.by_person.endswith("11 cases, 11 controls; 2 excluded: GSM1, GSM2")
    assert "GSM2" not in read_linked_csv(output.linked_csv("Asthma", "GSE1")).samples


def test_excluded_samples_leave_the_groups_of_the_rules(source: Path, output: OutputFolder) -> None:
    write_asthma(source, number=24)
    outcome = run(source, output, exclude=("GSM2",))
    assert outcome.by_person.startswith("samples decided by a person (--exclude): 11 cases, 12")
    record = read_evidence(output.evidence("Asthma", "GSE1"))
    assert record.reading["trait"]["key"] == "disease state"


def test_unmet_condition_is_an_error_before_anything_is_written(
    source: Path, output: OutputFolder
) -> None:
    write_asthma(source)
    with pytest.raises(UsageError, match="disease state: healthy control \\(6\\), asthma \\(6\\)"):
        run(source, output, exclude=("disease state=pool",))
    assert not output.root.exists()


def pairs_file(tmp_path: Path, samples: int) -> Path:
    path = tmp_path / "pairs.csv"
    lines = [f"GSM{i + 1},P{i // 2}" for i in range(samples)]
    path.write_text("\n".join(["sample,pair", *lines]) + "\n")
    return path


def test_pairs_of_a_table_are_used_by_the_analysis(
    source: Path, output: OutputFolder, tmp_path: Path
) -> None:
    write_asthma(source, number=24)
    run(source, output, pairs=pairs_file(tmp_path, 24))
    result = solve_problem(output, Problem("Asthma", None), AnalysisOptions(panel=False))
    assert result.method["pair"]["key"] == "pair" and result.method["pair"]["design"] == "paired"


def test_pairs_of_unknown_samples_are_refused(
    source: Path, output: OutputFolder, tmp_path: Path
) -> None:
    write_asthma(source)
    with pytest.raises(UsageError, match="GSM13, GSM14 not among the samples of GSE1"):
        run(source, output, pairs=pairs_file(tmp_path, 14))


def write_parts(source: Path, *platforms: str, ids: dict[str, list[str]] | None = None) -> None:
    """Write a series in parts of 12, 14, ... samples."""
    first = 1
    for number, platform in enumerate(platforms):
        rows = asthma(12 + 2 * number)
        text = series_matrix(
            characteristics=rows,
            platform=platform,
            first_sample=first,
            ids=(ids or {}).get(platform, GENES),
        )
        name = f"GSE1-{platform}_series_matrix-{number}.txt.gz"
        write_gz(source / "GEO" / "Asthma" / "GSE1" / name, text)
        first += len(rows[0])


def test_platform_of_a_series_is_chosen(source: Path, output: OutputFolder) -> None:
    write_parts(source, "GPL1", "GPL2")
    run(source, output)
    assert len(read_linked(output, "Asthma", "GSE1").samples) == 14
    outcome = run(source, output, series_platform=("gpl1",))
    assert len(read_linked(output, "Asthma", "GSE1").samples) == 12
    assert "GPL1 (12 samples) chosen by a person; not used: GPL2 (14 samples)" in outcome.notes


def test_unknown_platform_lists_those_there(source: Path, output: OutputFolder) -> None:
    write_parts(source, "GPL1", "GPL2")
    with pytest.raises(UsageError, match=r"no samples on GPL3; it has GPL2 .14 samples., GPL1"):
        run(source, output, series_platform=("GPL3",))
    assert not output.root.exists()


@pytest.mark.parametrize(
    ("platforms", "chosen"), [(("GPL1", "GPL1"), ("GPL1",)), (("GPL1", "GPL2"), ("GPL1", "GPL2"))]
)
def test_parts_of_the_same_array_are_joined(
    source: Path, output: OutputFolder, platforms: tuple[str, ...], chosen: tuple[str, ...]
) -> None:
    write_parts(source, *platforms, ids={"GPL2": GENES[::-1]})
    outcome = run(source, output, series_platform=chosen)
    table = read_linked(output, "Asthma", "GSE1")
    assert len(table.samples) == 26 and set(table.genes) == set(GENES)
    assert "2 parts of the same array were joined" in outcome.notes


def test_parts_of_different_arrays_are_not_joined(source: Path, output: OutputFolder) -> None:
    write_parts(source, "GPL1", "GPL2", ids={"GPL2": GENES[:20]})
    with pytest.raises(UsageError, match=r"not the same array .20 and 30 rows, 20 in common"):
        run(source, output, series_platform=("GPL1", "GPL2"))


def test_copies_and_pools_are_to_be_checked(tmp_path: Path) -> None:
    ids = [f"GENE{i}" for i in range(120)]
    values = [[1.0 * i, 2.0 * i, 1.0 * i, 3.0 * i] for i in range(120)]
    rows = [["disease state: asthma", "disease state: healthy"] * 2]
    text = series_matrix(characteristics=rows, ids=ids, values=values)
    raw = RawSeries(read_series_file(write_gz(tmp_path / "GSE1_series_matrix.txt.gz", text)), ())
    sheet = propose_sheet(
        "GSE1",
        raw,
        "Asthma",
        rule_expert("sound"),
        PreprocessOptions(),
        lambda *_: {"GSM2": "pool of 5"},
    )
    why = [row["why"] for row in sheet.rows]
    assert why[2].endswith("check: the same values as GSM1, perhaps a copy")
    assert why[1].endswith("check: the text 'pool of 5' names a pool")
    assert not any(row["exclude"] for row in sheet.rows)


def tables(output: OutputFolder) -> dict[str, bytes]:
    paths = [output.linked_csv("Asthma", "GSE1"), output.clinical_csv("Asthma", "GSE1")]
    return {path.name + path.parent.name: path.read_bytes() for path in paths}


def test_preprocessed_cohort_is_regrouped_as_if_read_again(
    source: Path, output: OutputFolder, tmp_path: Path
) -> None:
    rows = propose(write_asthma(source, number=24))
    for number, row in enumerate(rows):
        row["group"], row["pair"] = ("case", "control")[number % 3 % 2], f"P{number // 2}"
    rows[4]["exclude"] = "yes"
    sheet = save(tmp_path / "s.csv", rows)
    again = OutputFolder(tmp_path / "again")
    run(source, again, samples=sheet)
    run(source, output)
    by_rules = tables(output)
    decided = regroup(output, "Asthma", load_sample_sheet(sheet))
    assert list(decided) == ["GSE1"] and tables(output) == tables(again) != by_rules
    ours, theirs = (read_evidence(o.evidence("Asthma", "GSE1")) for o in (output, again))
    for name in ("reading", "encoded", "roles", "sample_facts", "linking", "info", "mapping"):
        assert getattr(ours, name) == getattr(theirs, name), name
    # From the raw files the rules decide again.
    assert not run(source, output).unchanged and tables(output) == by_rules


def test_regrouping_by_a_sheet_that_does_not_fit_changes_nothing(
    source: Path, output: OutputFolder, tmp_path: Path
) -> None:
    rows = propose(write_asthma(source))
    run(source, output)
    before = tables(output)
    rows[0]["sample"] = "GSM99"
    with pytest.raises(SampleSheetError, match="GSM99 is not a sample of GSE1"):
        regroup(output, "Asthma", load_sample_sheet(save(tmp_path / "s.csv", rows)))
    for row in rows:
        row["series"] = "GSE9"
    with pytest.raises(UsageError, match="it holds none"):
        regroup(output, "Gout", load_sample_sheet(save(tmp_path / "s.csv", rows)))
    assert tables(output) == before


@pytest.fixture(scope="module")
def rheumatoid(shared_data: Path) -> Path:
    return shared_data / "input" / "GEO" / "Osteoarthritis" / "GSE55457"


def test_real_series_edited_as_a_person_would(
    rheumatoid: Path, shared_data: Path, output: OutputFolder, tmp_path: Path
) -> None:
    """Groups swapped and a sample excluded in a workbook, then solved."""
    rows = propose(rheumatoid / "GSE55457_series_matrix.txt.gz", "Osteoarthritis")
    path = save(tmp_path / "samples.xlsx", rows)
    book = openpyxl.load_workbook(path)
    cells = list(book["samples"].iter_rows())
    column = {cell.value: number for number, cell in enumerate(cells[0])}
    group = {str(row[column["sample"]].value): row[column["group"]] for row in cells[1:]}
    assert [cell.value for cell in group.values()].count("case") == 10
    case = next(name for name, cell in group.items() if cell.value == "case")
    control = next(name for name, cell in group.items() if cell.value == "control")
    group[case].value, group[control].value = "control", "case"
    cells[5][column["exclude"]].value = True
    gone = str(cells[5][column["sample"]].value)
    book.save(path)

    (outcome,) = preprocess(
        shared_data / "input",
        output.root,
        traits=["Osteoarthritis"],
        options=PreprocessOptions(samples=path, sheet=load_sample_sheet(path)),
    )
    assert outcome.cohort == "GSE55457", "only the series of the sheet is used"
    table = read_linked(output, "Osteoarthritis", "GSE55457")
    values = dict(zip(table.samples, table.trait_values, strict=True))
    assert values[case] == 0 and values[control] == 1 and gone not in values
    roles = read_evidence(output.evidence("Osteoarthritis", "GSE55457")).roles
    counts = {role: list(roles.values()).count(role) for role in set(roles.values())}
    assert counts == {"case": 10, "healthy control": 9, "other disease": 13, "unknown": 1}
    result = solve_problem(output, Problem("Osteoarthritis", None), AnalysisOptions(panel=False))
    assert "10 cases against 9 healthy controls" in result.method["contrast"]["text"]


def test_real_series_comes_back_from_a_semicolon_file_of_excel(
    rheumatoid: Path, tmp_path: Path
) -> None:
    rows = propose(rheumatoid / "GSE55457_series_matrix.txt.gz", "Osteoarthritis")
    path = tmp_path / "samples.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), delimiter=";", lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
    sheet = load_sample_sheet(path)
    assert "semicolons" in sheet.understood and sheet.series == ("GSE55457",)
    description = describe_series(read_series_file(rheumatoid / "GSE55457_series_matrix.txt.gz"))
    assert len(sheet.of("GSE55457", description.samples)) == 33
