import numpy as np
import pytest

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats import read_clinical_matrix, read_xena_expression, read_xena_samples
from tests.formats.geo_files import write

CLINICAL = (
    "sampleID\tgender\tage\tgender\n"
    "TCGA-05-4244-01\tMALE\t70\tx\n"
    "TCGA-05-4244-01\t\t[Not Available]\t\n"
    'TCGA-05-4249-11\tFEMALE\t"67\t\n'
)
EXPRESSION = (
    "sample\tTCGA-05-4244-01\tTCGA-05-4244-01\tTCGA-05-4249-11\n"
    "A2M\t1.5\tNA\t3\n?\t1\t2\t3\n?\t4\t5\t\n1-Mar\t0\t-1e-3\tNaN\n"
)


@pytest.mark.parametrize("gz", [True, False])
def test_clinical_matrix(tmp_path, gz):
    matrix = read_clinical_matrix(write(tmp_path / "LUAD_clinicalMatrix", CLINICAL, gz=gz))
    assert matrix.samples == ("TCGA-05-4244-01", "TCGA-05-4244-01", "TCGA-05-4249-11")
    assert matrix.table.columns == ["gender", "age", "gender_duplicated_1"]
    assert matrix.table.rows() == [
        ("MALE", "70", "x"),
        (None, "[Not Available]", None),
        ("FEMALE", '"67', None),
    ]


@pytest.mark.parametrize("gz", [True, False])
def test_xena_expression_keeps_duplicates(tmp_path, gz):
    matrix = read_xena_expression(write(tmp_path / "HiSeqV2", EXPRESSION, gz=gz))
    assert matrix.samples == ("TCGA-05-4244-01", "TCGA-05-4244-01", "TCGA-05-4249-11")
    assert matrix.ids == ("A2M", "?", "?", "1-Mar")
    np.testing.assert_array_equal(
        matrix.values, [[1.5, np.nan, 3], [1, 2, 3], [4, 5, np.nan], [0, -1e-3, np.nan]]
    )


def test_xena_samples_are_read_from_the_header_alone(tmp_path):
    path = write(tmp_path / "HiSeqV2", EXPRESSION + "a line that belongs to no table")
    assert read_xena_samples(path) == ["TCGA-05-4244-01", "TCGA-05-4244-01", "TCGA-05-4249-11"]


@pytest.mark.parametrize("reader", [read_clinical_matrix, read_xena_expression])
def test_xena_table_cut_off_within_a_line(tmp_path, reader):
    text = CLINICAL if reader is read_clinical_matrix else EXPRESSION
    path = write(tmp_path / "x", text[: text.rindex("\t") - 4].rstrip("\t"))
    with pytest.raises(TruncatedFileError, match="the last line is cut off"):
        reader(path)


@pytest.mark.parametrize("gz", [True, False])
@pytest.mark.parametrize("reader", [read_clinical_matrix, read_xena_expression])
def test_xena_table_whose_last_line_has_all_cells_but_no_line_end(tmp_path, caplog, reader, gz):
    """Perhaps cut within its last cell; a gzip checksum would show it."""
    text = CLINICAL if reader is read_clinical_matrix else EXPRESSION
    assert len(reader(write(tmp_path / "x", text, gz=gz)).samples) == 3
    assert not caplog.records
    assert len(reader(write(tmp_path / "x", text.rstrip("\n"), gz=gz)).samples) == 3
    assert ("the last line has no line end" in caplog.text) == (not gz)


@pytest.mark.parametrize("reader", [read_clinical_matrix, read_xena_expression])
def test_xena_table_that_is_none(tmp_path, reader):
    with pytest.raises(FormatError, match="not a tab-separated table"):
        reader(write(tmp_path / "x", "a,b\n1,2\n"))


def test_xena_table_with_a_line_too_long(tmp_path):
    with pytest.raises(FormatError, match="5 cells in a table of 4") as caught:
        read_xena_expression(write(tmp_path / "x", EXPRESSION.replace("\t3\n?", "\t3\t9\n?", 1)))
    assert caught.value.line == 2


def test_xena_cells_that_are_no_number_are_logged(tmp_path, caplog):
    rows = "".join(f"G{i}\t1\t2\t3\n" for i in range(20))
    matrix = read_xena_expression(
        write(tmp_path / "x", EXPRESSION.splitlines()[0] + f"\n{rows}X\ta\t2\t3\n")
    )
    assert np.isnan(matrix.values[-1, 0])
    assert "1 cells are not numbers" in caplog.text


def test_real_clinical_matrix(shared_data):
    matrix = read_clinical_matrix(
        shared_data / "tcga" / "TCGA.LUAD.sampleMap_LUAD_clinicalMatrix.gz"
    )
    assert len(matrix.samples) == 706  # data/README.md
    assert matrix.table.width == 157 - 1
    assert matrix.samples[0] == "TCGA-05-4244-01"
    assert matrix.table["age_at_initial_pathologic_diagnosis"][0] == "70"


@pytest.mark.parametrize("reader", [read_clinical_matrix, read_xena_expression])
def test_xena_table_with_a_whole_last_line_too_short(tmp_path, reader):
    text = CLINICAL if reader is read_clinical_matrix else EXPRESSION
    path = write(tmp_path / "x", text.rstrip("\n").rpartition("\t")[0] + "\n")
    assert len(reader(path).samples) == 3
