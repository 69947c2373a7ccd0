import gzip

import numpy as np
import pytest

from genotex.errors import FormatError, TruncatedFileError
from genotex.formats import read_family_soft, read_platforms
from tests.formats.geo_files import (
    PLATFORM_TABLE,
    SERIES_ENTITY,
    family_text,
    matrix_text,
    platform_text,
    sample_text,
    write,
)

ANNOT = (
    "^Annotation\n!Annotation_date = 06/20/2008\n!Annotation_platform = GPL97\n"
    "!Annotation_platform_title = HG-U133B\n#ID = ID\n#Gene symbol = symbol\n"
    "!platform_table_begin\nID\tGene symbol\n200_at\tA2M\n!platform_table_end\n"
)


def test_platforms_of_a_family_soft_file(tmp_path):
    first, second = read_platforms(write(tmp_path / "f", family_text(), gz=True))
    assert (first.accession, second.accession) == ("GPL96", "GPL97")
    assert first.fields["organism"] == ("Homo sapiens",)
    assert first.table.shape == (4, 4)
    assert second.table.rows() == [("200_at", "A2M")]


def test_attributes_that_begin_alike_and_those_without_a_value(tmp_path):
    lines = ["a = 1", "a = x = 2", "a= 3", "ab = 4", "a = 5", "b", "b", "a", "a = "]
    text = "".join(f"!Platform_{line}\n" for line in lines)
    (platform,) = read_platforms(write(tmp_path / "f", f"^PLATFORM = GPL1\n{text}"))
    assert platform.fields == {"a": ("1", "x = 2", "3", "5", "", ""), "ab": ("4",), "b": ("", "")}


def test_only_the_platforms_asked_for_are_read(tmp_path):
    path = write(tmp_path / "f", family_text())
    assert [p.accession for p in read_platforms(path, accessions=["gpl97"])] == ["GPL97"]
    assert read_platforms(path, accessions={"GPL1"}) == []


def test_platforms_of_a_family_file_cut_off_within_the_samples(tmp_path):
    rng = np.random.default_rng(1)
    rows = [(f"p{i}", f"{value}", "P") for i, value in enumerate(rng.normal(size=20_000))]
    data = gzip.compress((family_text() + sample_text("GSM7", rows=rows)).encode())
    path = write(tmp_path / "f", data[: len(data) // 2])
    assert [p.accession for p in read_platforms(path)] == ["GPL96", "GPL97"]
    with pytest.raises(TruncatedFileError):
        read_family_soft(path)


def test_platform_file_cut_off_within_the_table(tmp_path):
    text = platform_text().replace("!platform_table_end\n", "")
    with pytest.raises(TruncatedFileError, match="platform_table_end is missing"):
        read_platforms(write(tmp_path / "f", text))


def test_annot_file(tmp_path):
    (platform,) = read_platforms(write(tmp_path / "GPL97.annot", ANNOT))
    assert (platform.accession, platform.title) == ("GPL97", "HG-U133B")
    assert platform.table.rows() == [("200_at", "A2M")]


def test_plain_table_as_saved_from_the_web_page(tmp_path):
    text = "#ID = probe\n#Symbol = official symbol\n\nID\tSymbol\n1\tA2M\n#2\n\n!3\tTP53\tmore\n"
    (platform,) = read_platforms(write(tmp_path / "GPL123-456.txt", text))
    assert platform.accession == "GPL123"
    assert platform.table.rows() == [("1", "A2M"), ("#2", None), ("!3", "TP53")]
    assert read_platforms(tmp_path / "GPL123-456.txt", accessions=["GPL9"]) == []


def test_plain_table_with_every_cell_in_quotes(tmp_path):
    text = '"ID"\t"Symbol"\n"1"\t"A2M"\n"2"\t""\n'
    (platform,) = read_platforms(write(tmp_path / "annotation.txt", text))
    assert platform.accession == ""
    assert platform.table.columns == ["ID", "Symbol"]
    assert platform.table.rows() == [("1", "A2M"), ("2", None)]


@pytest.mark.parametrize("text", [SERIES_ENTITY, SERIES_ENTITY + sample_text("GSM1"), "# only\n"])
def test_file_without_a_platform(tmp_path, text):
    with pytest.raises(FormatError, match="no platform in this file"):
        read_platforms(write(tmp_path / "f", text))


def test_file_that_is_no_platform(tmp_path):
    with pytest.raises(FormatError, match="series matrix"):
        read_platforms(write(tmp_path / "m", matrix_text()))
    with pytest.raises(FormatError, match="neither SOFT nor"):
        read_platforms(write(tmp_path / "m", "hello\nworld\n"))


def test_platform_behind_the_samples_is_found(tmp_path):
    text = SERIES_ENTITY + sample_text("GSM1") + platform_text()
    assert [p.accession for p in read_platforms(write(tmp_path / "f", text))] == ["GPL96"]


def test_platform_without_a_table(tmp_path):
    text = "^PLATFORM = GPL1\n!Platform_title = Sequencer\n" + sample_text("GSM1")
    (platform,) = read_platforms(write(tmp_path / "f", text))
    assert platform.title == "Sequencer"
    assert platform.table.shape == (0, 0)


def test_platform_table_of_one_column(tmp_path):
    (platform,) = read_platforms(write(tmp_path / "f", platform_text(table="ID\na\n\tb\nc\td\n")))
    assert platform.table.rows() == [("a",), ("c",)]


def test_platform_table_with_bytes_that_are_not_utf8(tmp_path):
    text = platform_text(table=PLATFORM_TABLE + "x\tSj\xf6gren\t\t\n")
    (platform,) = read_platforms(write(tmp_path / "f", text.encode("cp1252")))
    assert platform.table["GB_ACC"][-1] == "Sj\xf6gren"


def test_family_soft_becomes_series(tmp_path):
    first, second = read_family_soft(write(tmp_path / "f", family_text()))
    assert (first.accession, first.title, first.summary) == ("GSE2", "Kidney", "One.\nTwo.")
    assert first.sample_fields["title"] == (("kidney GSM1", "kidney GSM3"),)
    assert first.sample_fields["description"] == (("Age = 70; Gender = Female",) * 2,)
    assert first.expression is not None
    assert first.expression.ids == ("1007_s_at", "1053_at", "117_at")
    np.testing.assert_array_equal(
        first.expression.values, [[5.5, np.nan], [6.5, np.nan], [np.nan, 8]]
    )
    assert second.expression is not None
    assert second.expression.values.tolist() == [[1.5]]


def test_family_soft_without_expression(tmp_path):
    first, _ = read_family_soft(write(tmp_path / "f", family_text()), expression=False)
    assert first.expression is None
    assert first.samples == ("GSM1", "GSM3")


def test_attribute_given_several_times_makes_several_rows(tmp_path):
    text = (
        SERIES_ENTITY
        + sample_text("GSM1", description=["one", "", "three"])
        + sample_text("GSM2", description=["uno"])
    )
    (series,) = read_family_soft(write(tmp_path / "f", text))
    assert series.sample_fields["description"] == (("one", "uno"), (None, None), ("three", None))


def test_sample_table_without_values_or_not_at_all(tmp_path):
    rows = [("a", "1", "P"), ("b", "2", "P")]
    text = SERIES_ENTITY + sample_text("GSM1", rows=rows)
    text += sample_text("GSM2", rows=rows).replace("\tVALUE\t", "\tCOUNT\t")
    text += "^SAMPLE = GSM3\n!Sample_platform_id = GPL96\n"
    (series,) = read_family_soft(write(tmp_path / "f", text))
    assert series.expression is not None
    np.testing.assert_array_equal(
        series.expression.values, [[1, np.nan, np.nan], [2, np.nan, np.nan]]
    )


def test_sample_that_occurs_twice(tmp_path):
    text = SERIES_ENTITY + sample_text("GSM1") + sample_text("GSM1")
    with pytest.raises(FormatError, match="GSM1 occurs twice"):
        read_family_soft(write(tmp_path / "f", text))


def test_sample_values_that_are_odd(tmp_path):
    rows = [(f"p{i}", f"{i}", "P") for i in range(100)]
    odd = [("x", "high", "P"), ("y", "inf", "P"), ("p0", "4", "P"), ("", "1", "P")]
    text = SERIES_ENTITY + sample_text("GSM1", rows=rows + odd)
    (series,) = read_family_soft(write(tmp_path / "f", text))
    assert series.expression is not None
    assert series.expression.ids[-2:] == ("x", "y")
    np.testing.assert_array_equal(
        series.expression.values[[0, 1, -2, -1], 0], [2, 1, np.nan, np.nan]
    )
    assert series.notes == (
        "1 cells are not numbers and were taken as missing, first 'high'",
        "1 infinite values were taken as missing",
        "ids occur on several rows in 1 samples; these were averaged",
        "rows without an id were left out",
    )
    with pytest.raises(FormatError, match="are not numbers"):
        text = SERIES_ENTITY + sample_text("GSM1", rows=[("a", "x", "P")])
        read_family_soft(write(tmp_path / "f", text))


def test_file_that_is_no_family_soft(tmp_path):
    with pytest.raises(FormatError, match="series matrix"):
        read_family_soft(write(tmp_path / "m", matrix_text()))
    with pytest.raises(FormatError, match="no \\^SAMPLE"):
        read_family_soft(write(tmp_path / "p", platform_text()))


def test_real_platform_files(shared_data):
    folder = shared_data / "input" / "GEO" / "Osteoarthritis" / "GSE55457"
    (gpl96,) = read_platforms(folder / "GPL96.txt.gz")
    assert gpl96.accession == "GPL96"
    assert gpl96.table.height == 22_283
    assert gpl96.table.filter(gpl96.table["ID"] == "1053_at")["Gene Symbol"].item() == "RFC2"
    (gpl97,) = read_platforms(shared_data / "traps" / "GPL97.annot.gz")
    assert gpl97.accession == "GPL97"
    assert gpl97.table.filter(gpl97.table["ID"] == "200000_s_at")["Gene symbol"].item() == "PRPF8"


def test_real_family_soft_file(shared_data):
    path = shared_data / "traps" / "GSE781_family.soft.gz"
    platforms = read_platforms(path)
    # rows between the begin and end lines of the file, less the header line
    assert [(p.accession, p.table.height) for p in platforms] == [
        ("GPL96", 22_283),
        ("GPL97", 22_645),
    ]
    first, second = read_family_soft(path)
    assert [s.platform for s in (first, second)] == ["GPL96", "GPL97"]
    assert [len(s.samples) for s in (first, second)] == [17, 17]
    assert first.expression is not None
    assert first.expression.values.shape == (22_283, 17)
    row = first.expression.ids.index("AFFX-BioB-5_at")
    assert first.expression.values[row, first.samples.index("GSM11805")] == 953.9
    assert (first.sample_fields["description"][0][0] or "").startswith("Age = 70; Gender = Female")
