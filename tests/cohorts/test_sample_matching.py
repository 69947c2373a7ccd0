"""Names of samples in two tables: how they match, and what is stated where they do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest

from genotex.cohorts import OwnTables, read_own_tables
from genotex.errors import FormatError, UsageError
from tests.own_tables import GENES, SAMPLES, log2_values, write_samples, write_table


def _read(
    tmp_path: Path, samples: Sequence[str], columns: Mapping[str, Sequence[object]]
) -> OwnTables:
    values = log2_values(samples=len(samples))
    expression = write_table(tmp_path / "e.tsv", values, samples=samples, sign="\t")
    lines = [
        ",".join(columns),
        *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
    ]
    (tmp_path / "s.csv").write_text("\n".join(lines) + "\n")
    return read_own_tables(expression, tmp_path / "s.csv")


GROUP = ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    ("samples", "names", "words"),
    [
        (["A1", "A2", "B1", "B2"], ["A1", "A2", "B1", "B2"], "4 exactly"),
        (
            ["GSM7_x", "GSM8_y", "GSM9_z", "GSM10"],
            ["GSM7", "GSM8", "GSM9", "GSM10"],
            "1 exactly, 3 by GSM",
        ),
        (["a1", "a2", "b1", "B2"], ["A1", "A2", "B1", "B2"], "1 exactly, 3 ignoring upper"),
        (
            ["/x/A1.sorted.bam", "/x/A2.sorted.bam", "/x/B1.bam", "/x/B2.bam"],
            ["A1", "A2", "B1", "B2"],
            "4 without path and file ending",
        ),
        (["X1.a", "X2.a", "X1.b", "X2.b"], ["1-a", "2-a", "1-b", "2-b"], "make.names"),
        (["case.1", "case_2", "ctrl 1", "ctrl2"], ["case 1", "case 2", "ctrl-1", "CTRL 2"], "make"),
        (
            ["S1_counts", "S2_counts", "S3_counts", "S4_counts"],
            ["S1", "S2", "S3", "S4"],
            "4 exactly",
        ),
        (
            ["Sample_1_S1", "Sample_2_S2", "Sample_3_S3_L001_R1_001", "Sample_4_S4"],
            ["1", "2", "3", "4"],
            "sequencer's number",
        ),
    ],
)
def test_names_match_in_steps_that_are_stated(
    tmp_path: Path, samples: list[str], names: list[str], words: str
) -> None:
    groups = GROUP[: len(names)]
    tables = _read(tmp_path, samples, {"group": groups, "id": names})
    assert list(tables.samples) == names
    assert tables.sample_table["group"].to_list() == groups
    assert any("samples by column 'id'" in note and words in note for note in tables.notes)


def test_the_column_is_found_by_its_contents(tmp_path: Path) -> None:
    titles = ["liver 1", "liver 2", "blood 1", "blood 2"]
    columns = {"gsm": ["GSM1", "GSM2", "GSM3", "GSM4"], "title": titles, "group": GROUP}
    tables = _read(tmp_path, ["liver_1", "liver_2", "blood_1", "blood_2"], columns)
    assert tables.record["samples"]["column"] == "title"
    assert tables.sample_table.columns[:4] == ["sample", "gsm", "title", "group"]


def test_two_columns_that_match_different_rows(tmp_path: Path) -> None:
    columns = {"a": ["P", "Q", "R", "S"], "b": ["Q", "P", "R", "S"], "group": GROUP}
    with pytest.raises(FormatError, match=r"'a' and 'b' both hold names .*such as P"):
        _read(tmp_path, ["P", "Q", "R", "S"], columns)


def test_names_that_differ_in_signs_alone_and_match_in_none(tmp_path: Path) -> None:
    columns = {"id": ["A-1", "A.1", "B1", "B2"], "group": GROUP}
    with pytest.raises(FormatError, match=r"match in several ways .*A_1 .* A-1, A\.1"):
        _read(tmp_path, ["A_1", "B1", "B2"], columns)


def test_two_samples_for_one_row(tmp_path: Path) -> None:
    columns = {"id": ["A 1", "B1", "B2"], "group": GROUP[:3]}
    with pytest.raises(FormatError, match=r"match in several ways .*A-1, A_1 .* A 1 of the"):
        _read(tmp_path, ["A-1", "A_1", "B1", "B2"], columns)


def test_names_that_differ_in_signs_alone_and_match_exactly(tmp_path: Path) -> None:
    columns = {"id": ["A-1", "A.1", "B1", "B2"], "group": GROUP}
    assert _read(tmp_path, ["A.1", "A-1", "B1", "B2"], columns).samples[0] == "A.1"


def test_a_sample_in_two_rows(tmp_path: Path) -> None:
    columns = {"id": ["A", "A", "B", "C"], "group": GROUP}
    with pytest.raises(FormatError, match=r"s\.csv: sample A is in 2 rows; keep one"):
        _read(tmp_path, ["A", "B", "C"], columns)


def test_samples_on_one_side_are_left_out_with_their_names(tmp_path: Path) -> None:
    columns = {"id": ["A", "B", "D", "E"], "group": GROUP}
    tables = _read(tmp_path, ["A", "B", "C"], columns)
    assert tables.samples == ("A", "B")
    assert tables.warnings[:2] == (
        "1 sample only in the expression table, left out: C",
        "2 samples only in the sample table, left out: D, E",
    )


def test_no_sample_matches_lists_both_sides(tmp_path: Path) -> None:
    names = [f"patient{i}" for i in range(14)]
    columns = {"group": ["x", "y"] * 7, "old": ["", *names[1:]], "id": names}
    with pytest.raises(FormatError) as caught:
        _read(tmp_path, ["A", "B", "C"], columns)
    text = str(caught.value)
    assert "Expression: A, B, C." in text
    assert "Samples (id): patient0, patient1" in text
    assert "patient9 and 4 more" in text


def test_the_sheet_of_genotex_leaves_excluded_samples_out(tmp_path: Path) -> None:
    columns = {
        "series": ["GSE1"] * 4,
        "sample": ["GSM1", "GSM2", "GSM3", "GSM4"],
        "title": ["t1", "t2", "t3", "t4"],
        "group": ["case", "healthy control", "case", "healthy control"],
        "exclude": ["", "yes", "", ""],
        "why": ["", "", "", ""],
    }
    tables = _read(tmp_path, ["GSM4", "GSM3", "GSM2", "GSM1"], columns)
    assert tables.samples == ("GSM4", "GSM3", "GSM1")
    assert "1 sample excluded by the sample table: GSM2" in tables.notes
    assert tables.warnings == ()


def test_an_unknown_word_in_the_column_exclude(tmp_path: Path) -> None:
    columns = {"id": ["A", "B"], "exclude": ["no", "maybe"]}
    with pytest.raises(FormatError, match=r"line 3: exclude 'maybe' is not known"):
        _read(tmp_path, ["A", "B"], columns)


def test_a_sample_table_with_samples_in_columns(tmp_path: Path) -> None:
    columns = {"": ["group", "age"], "A": ["x", 30], "B": ["y", 40], "C": ["x", 50]}
    tables = _read(tmp_path, ["A", "B", "C"], columns)
    assert tables.sample_table.columns == ["sample", "group", "age"]
    assert tables.sample_table["age"].to_list() == [30, 40, 50]


def test_columns_of_the_sample_table_keep_what_they_mean(tmp_path: Path) -> None:
    columns = {
        "id": ["A", "B", "C", "D"],
        "batch": ["01", "02", "01", "02"],
        "age": ["30", "NA", "41", ""],
        "dose": ["0.5", "1", "2", "1e-3"],
        "note": ["x", "n/a", "3", "y"],
    }
    table = _read(tmp_path, ["A", "B", "C", "D"], columns).sample_table
    assert table["batch"].to_list() == ["01", "02", "01", "02"]
    assert table["age"].to_list() == [30, None, 41, None]
    assert table["dose"].to_list() == [0.5, 1.0, 2.0, 0.001]
    assert table["note"].to_list() == ["x", None, "3", "y"]


def test_a_column_twice_in_the_sample_table(tmp_path: Path) -> None:
    expression = write_table(tmp_path / "e.csv", log2_values())
    (tmp_path / "s.csv").write_text("id,age,age\nS1,1,2\nS2,3,4\n")
    with pytest.raises(FormatError, match="columns occur more than once: age"):
        read_own_tables(expression, tmp_path / "s.csv")


def test_covariates_next_to_genes_are_no_genes(tmp_path: Path) -> None:
    values = log2_values()
    frame = pl.DataFrame(
        {
            "id": SAMPLES,
            "group": ["a", "b"] * 3,
            "age": [30, 31, 32, 33, 34, 35],
            **{gene: values[i] for i, gene in enumerate(GENES)},
        }
    )
    tables = read_own_tables(frame, write_samples(tmp_path / "s.csv"))
    assert tables.genes == GENES
    assert any("not genes were left out: group, age" in note for note in tables.notes)


def test_no_sample_table(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give a sample table"):
        read_own_tables(write_table(tmp_path / "e.csv", log2_values()))


def test_one_sample_in_common(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="only 1 sample is in both tables; at least 2"):
        _read(tmp_path, ["A", "B", "C"], {"id": ["A", "X", "Y"], "group": ["a", "b", "a"]})
