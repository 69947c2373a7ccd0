import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from packaging.version import Version

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats import (
    ExpressionMatrix,
    read_clinical_csv,
    read_csv_table,
    read_gene_csv,
    write_clinical_csv,
    write_gene_csv,
)
from tests.formats.geo_files import write

quiet = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
NUMBERS = st.one_of(st.just(float("nan")), st.floats(allow_infinity=False, allow_nan=False))


@st.composite
def matrices(draw, min_rows=0):
    rows = draw(st.lists(NAMES, min_size=min_rows, max_size=4))
    columns = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    values = draw(arrays(np.float64, (len(rows), len(columns)), elements=NUMBERS))
    return ExpressionMatrix(tuple(rows), tuple(columns), values)


def read_by_pandas(path):
    # By default pandas drops digits of small numbers; from 3.1 on it does not, and wants no word.
    exact = {} if Version(pd.__version__) >= Version("3.1") else {"float_precision": "round_trip"}
    return pd.read_csv(path, index_col=0, keep_default_na=False, na_values=[""], **exact)


def assert_close(actual, expected):
    """Equal but for the last digit, which older versions of pandas read carelessly."""
    np.testing.assert_allclose(actual, expected, rtol=1e-14, atol=1e-300)


def test_gene_csv_is_written_as_pandas_writes_it(tmp_path):
    values = np.array([[1.0, 2.5, np.nan], [0.1 + 0.2, -3.0, 1234567.0]])
    write_gene_csv(
        tmp_path / "g.csv", ExpressionMatrix(("A2M", "HLA,A"), ("s1", "s 2", 's"3'), values)
    )
    frame = pd.DataFrame(values, index=["A2M", "HLA,A"], columns=["s1", "s 2", 's"3'])
    assert (tmp_path / "g.csv").read_text() == frame.to_csv()


@quiet
@given(matrix=matrices())
def test_gene_csv_round_trip(tmp_path, matrix):
    path = tmp_path / "gene_data" / "GSE1.csv"
    write_gene_csv(path, matrix)
    again = read_gene_csv(path)
    assert again.ids == matrix.ids
    assert again.samples == matrix.samples
    np.testing.assert_array_equal(again.values, matrix.values)
    with path.open(newline="", encoding="utf-8") as handle:
        assert next(csv.reader(handle)) == ["", *matrix.samples]


@quiet
@given(matrix=matrices(min_rows=1))
def test_gene_csv_is_read_by_pandas(tmp_path, matrix):
    write_gene_csv(tmp_path / "g.csv", matrix)
    frame = read_by_pandas(tmp_path / "g.csv")
    assert_close(frame.to_numpy(dtype=float), matrix.values)


@quiet
@given(matrix=matrices(min_rows=1))
def test_gene_csv_written_by_pandas_is_read(tmp_path, matrix):
    frame = pd.DataFrame(matrix.values, index=list(matrix.ids), columns=list(matrix.samples))
    frame.to_csv(tmp_path / "g.csv", index_label="Gene")
    again = read_gene_csv(tmp_path / "g.csv")
    assert (again.ids, again.samples) == (matrix.ids, matrix.samples)
    np.testing.assert_array_equal(again.values, matrix.values)


def test_wide_table_is_written_as_a_tall_one(tmp_path):
    values = np.random.default_rng(3).normal(size=(3, 1500))
    values[1, 7] = np.nan
    names = tuple(f"s{i}" for i in range(1500))
    write_gene_csv(tmp_path / "g.csv", ExpressionMatrix(("a", 'b"', "NA"), names, values))
    frame = read_by_pandas(tmp_path / "g.csv")
    assert list(frame.index) == ["a", 'b"', "NA"]
    assert_close(frame.to_numpy(), values)
    np.testing.assert_array_equal(read_gene_csv(tmp_path / "g.csv").values, values)


def test_single_precision_is_written_short(tmp_path):
    values = np.array([[0.1, 1.0]], dtype=np.float32)
    write_gene_csv(tmp_path / "g.csv", ExpressionMatrix(("A2M",), ("a", "b"), values))
    assert (tmp_path / "g.csv").read_text() == ",a,b\nA2M,0.1,1.0\n"


def test_clinical_csv_round_trip(tmp_path):
    features = {"Osteoarthritis": np.array([0.0, 1.0]), "Age": np.array([61.0, np.nan])}
    path = tmp_path / "clinical_data" / "GSE1.csv"
    write_clinical_csv(path, ["GSM1", "GSM2"], features)
    assert path.read_text() == ",GSM1,GSM2\nOsteoarthritis,0.0,1.0\nAge,61.0,\n"
    samples, again = read_clinical_csv(path)
    assert samples == ("GSM1", "GSM2")
    assert list(again) == list(features)
    for name, codes in features.items():
        np.testing.assert_array_equal(again[name], codes)


def test_clinical_csv_of_others(tmp_path):
    text = 'feature,GSM1,GSM2,GSM3\r\nTrait,1,0,NA\r\n\r\nAge,"45",NaN,\r\n'
    samples, features = read_clinical_csv(write(tmp_path / "c.csv", text))
    assert samples == ("GSM1", "GSM2", "GSM3")
    np.testing.assert_array_equal(features["Trait"], [1, 0, np.nan])
    np.testing.assert_array_equal(features["Age"], [45, np.nan, np.nan])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no table", "not a table of comma-separated"),
        (",a,b\nx,1,2\ny,1,2,3\n", "line 3: 4 cells for 3 columns"),
        (",a,b\nx,1,2,3\ny,1\n", "line 2: 4 cells for 3 columns"),
        (',a,b\n"x",1,2,3\n', "cells"),
        (",a,b\nx,1\n", "cells"),
        (",a,b\nx,1,male\n", "'male' is not a number"),
        (",a,b\nx,1,2\nx,3,4\n", "two rows"),
        (',"a,b\nx,1,2\n', "header is not valid CSV"),
    ],
)
def test_csv_that_is_no_table_of_numbers(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        read_clinical_csv(write(tmp_path / "c.csv", text))


def test_csv_cut_off_within_its_last_line(tmp_path):
    with pytest.raises(TruncatedFileError, match="cut off"):
        read_gene_csv(write(tmp_path / "c.csv", ",a,b\nx,1,2\ny,1"))


@pytest.mark.parametrize("quoted", [True, False])
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("{},1,2\nG2,3", r"line 3: the last line is cut off"),
        ("{},1,2\nG2,3\n", r"line 3: 2 cells for 3 columns"),
        ("{},1\nG2,3,4\n", r"line 2: 2 cells for 3 columns"),
        ("{},1,2\n\nG2,3,4,5\n", r"line 4: 4 cells for 3 columns"),
        ("{},1,2\n\nG2,3,male\n", r"line 4, column S2: 'male' is not a number"),
    ],
)
def test_uneven_lines_are_reported_with_and_without_quotes(tmp_path, rows, message, quoted):
    name = '"G,1"' if quoted else "G1"
    with pytest.raises(FormatError, match=message) as caught:
        read_gene_csv(write(tmp_path / "c.csv", ",S1,S2\n" + rows.format(name)))
    assert isinstance(caught.value, TruncatedFileError) == ("cut off" in message)


@pytest.mark.parametrize(
    ("rows", "message", "kind"),
    [
        ('"G\n1",1,2\nG2,3,"4,5"\n', "line 4, column S2: '4,5' is not a number", FormatError),
        ('"G1",1,"2\n3"\n', "column S2: '2\\\\n3' is not a number", FormatError),
        ('G1,1,2\n"G2,3,4\nG3,1,2\n', "line 3: the quotes do not match", FormatError),
        ('"G1",1,2\n"G2', "line 3: the quotes do not match", TruncatedFileError),
        ('"G1"x,1,2\nG2,1,2\n', "line 2: the quotes do not match", FormatError),
    ],
)
def test_quotes_around_what_is_no_number_or_never_closed(tmp_path, rows, message, kind):
    with pytest.raises(FormatError, match=message) as caught:
        read_gene_csv(write(tmp_path / "c.csv", ",S1,S2\n" + rows))
    assert type(caught.value) is kind


def test_quotes_line_ends_blank_lines_and_a_byte_order_mark(tmp_path):
    text = '\N{BOM}"","S,1","S""2"\n"G\n1","1","2"\n\n  \n"G""2",NA,\n5"x,"",7\n"NA",1,2\n"",3,4\n'
    for ends in ("\n", "\r\n"):
        matrix = read_gene_csv(write(tmp_path / "c.csv", text.replace("\n", ends)))
        assert matrix.samples == ("S,1", 'S"2')
        assert matrix.ids == ("G\n1", 'G"2', '5"x', "NA", "")
        nan = np.nan
        expected = [[1, 2], [nan, nan], [nan, 7], [1, 2], [3, 4]]
        np.testing.assert_array_equal(matrix.values, expected)


def test_csv_of_one_column_with_quotes_and_missing_values(tmp_path):
    matrix = read_gene_csv(write(tmp_path / "c.csv", ',S1\n"G1",\nG2,2\n'))
    np.testing.assert_array_equal(matrix.values, [[np.nan], [2]])


@pytest.mark.parametrize("quote", ["", '"'])
def test_text_is_missing_where_that_is_asked_for(tmp_path, quote):
    cells = [f"{quote}{cell}{quote}" for cell in ("male", " 2", "1_0", "-3e1", "n.a.", "")]
    text = f",a,b,c,d,e,f\nx,{','.join(cells)}\ny,1,2,3,4,5,6\n"
    path = write(tmp_path / "c.csv", text)
    with pytest.raises(FormatError, match="line 2, column a: 'male' is not a number"):
        read_csv_table(path)
    table = read_csv_table(path, text="missing")
    nan = np.nan
    expected = [[nan, 2, nan, -30, nan, nan], [1, 2, 3, 4, 5, 6]]
    np.testing.assert_array_equal(table.values, expected)


def test_quoted_text_with_commas_is_one_missing_cell(tmp_path):
    path = write(tmp_path / "c.csv", ',a,b\nx,"1,5",2\n"y\n2",3,"4\n"\n')
    table = read_csv_table(path, text="missing")
    assert table.rows == ["x", "y\n2"]
    np.testing.assert_array_equal(table.values, [[np.nan, 2], [3, np.nan]])


@pytest.mark.parametrize("text", ["refuse", "missing"])
@pytest.mark.parametrize("shape", [(3, 9000), (9000, 3)])
def test_tables_of_several_pieces(tmp_path, monkeypatch, shape, text):
    monkeypatch.setattr("genotex.formats.csv_tables.PIECE", 10_000)
    values = np.random.default_rng(4).normal(size=shape)
    values[values > 2] = np.nan
    names = [[f"{side}{i}" for i in range(n)] for side, n in zip("rc", shape, strict=True)]
    path = tmp_path / "c.csv"
    pd.DataFrame(values, index=names[0], columns=names[1]).to_csv(path)
    table = read_csv_table(path, text=text)
    assert [table.rows, table.columns] == names
    np.testing.assert_array_equal(table.values, values)


def test_first_text_of_a_later_piece_is_reported_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr("genotex.formats.csv_tables.PIECE", 10)
    rows = [f"r{i},{i},{i}\n" for i in range(50)]
    rows[40] = "r40,40,forty\n"
    with pytest.raises(FormatError, match="line 43, column b: 'forty' is not a number"):
        read_csv_table(write(tmp_path / "c.csv", ",a,b\n\n" + "".join(rows)))


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("gz", [True, False])
def test_csv_whose_last_line_has_all_cells_but_no_line_end(tmp_path, caplog, gz, quote):
    """Perhaps cut within its last number, 2.25; a gzip checksum would show it."""
    path = write(tmp_path / "c.csv", f",S1,S2\n{quote}G1{quote},1,2.2", gz=gz)
    assert read_gene_csv(path).values.tolist() == [[1, 2.2]]
    assert ("the last line has no line end" in caplog.text) == (not gz)


def test_csv_with_macintosh_line_ends(tmp_path):
    matrix = read_gene_csv(write(tmp_path / "c.csv", ",S1,S2\rG1,1,2\rG2,3,4\r"))
    assert matrix.values.tolist() == [[1, 2], [3, 4]]


def test_csv_without_rows(tmp_path):
    matrix = read_gene_csv(write(tmp_path / "c.csv", ",a,b\n"))
    assert matrix.values.shape == (0, 2)


def test_writing_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("old")
    with pytest.raises(ValueError, match="shorter"):
        write_gene_csv(path, _lying_matrix())
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["g.csv"]


def _lying_matrix():
    matrix = ExpressionMatrix(("a",), tuple(map(str, range(1500))), np.zeros((1, 1500)))
    object.__setattr__(matrix, "ids", ("a", "b"))
    return matrix


def test_pandas_reads_from_memory_what_we_wrote(tmp_path):
    write_clinical_csv(tmp_path / "c.csv", ["NA", "true"], {"x,y": np.array([1.0, 2.0])})
    frame = read_by_pandas(io.BytesIO((tmp_path / "c.csv").read_bytes()))
    assert list(frame.columns) == ["NA", "true"]
    assert list(frame.index) == ["x,y"]


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("chunk", [1, 7, 300, 1 << 20])
def test_chunks_of_any_size_are_the_same_table(tmp_path, monkeypatch, chunk, quote, last, ends):
    monkeypatch.setattr("genotex.outside.unpacking.CHUNK", chunk)
    monkeypatch.setattr("genotex.formats.csv_tables._LONG", 100)
    values = np.random.default_rng(5).normal(size=(40, 25)).round(6)
    columns = [f"S{i}" for i in range(25)]
    rows = ["caf\N{LATIN SMALL LETTER E WITH ACUTE}", *(f"G{i}" for i in range(1, 39)), "last"]
    lines = [",".join(["\N{BOM}", *columns]), ""]
    for name, row in zip(rows, values, strict=True):
        quoted = f"{quote}{name}{quote}" if name == "G30" else name
        lines.append(",".join([quoted, *map(str, row)]))
    # Not UTF-8: a line in the encoding of Windows among the others.
    path = write(tmp_path / "c.csv", b"")
    path.write_bytes(
        ends.join(lines).encode().replace("caf\xe9".encode(), "caf\xe9".encode("cp1252"))
        + (last and ends).encode()
    )
    table = read_csv_table(path)
    assert (table.rows, table.columns) == (rows, columns)
    np.testing.assert_array_equal(table.values, values)


@pytest.mark.parametrize("chunk", [1, 7, 300])
def test_a_wrong_line_of_a_later_chunk_is_named(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr("genotex.outside.unpacking.CHUNK", chunk)
    rows = [f"r{i},{i},{i}\n" for i in range(50)]
    path = write(tmp_path / "c.csv", ",a,b\n" + "".join([*rows[:40], "r40,1\n", *rows]))
    with pytest.raises(FormatError, match="line 42: 2 cells for 3 columns"):
        read_csv_table(path)
