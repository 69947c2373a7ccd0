"""Gene symbols in cells, and their official form."""

import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.genes import (
    CellForm,
    cell_form,
    date_symbols,
    official_symbols,
    scan_column,
    scan_symbols,
    split_cell,
)


@pytest.mark.parametrize("name", ["7-Sep", "07-Sep", "Sep-07", "7-Sep-20", "2020-09-07", "7-SEP"])
def test_a_date_that_was_septin_7(small, name):
    found = official_symbols([name], small, "sound")
    assert found.symbols == ("SEPTIN7",)
    assert found.dates == (name,)


def test_a_date_that_may_have_been_march1_or_marc1(small):
    found = official_symbols(["1-Mar", "10-Mar", "3-Nov"], small, "sound")
    assert found.symbols == (None, "MARCHF10", None)
    assert found.lost_dates == ("1-Mar", "3-Nov")
    assert (found.ambiguous, found.unknown) == (1, 1)


@pytest.mark.parametrize("name", ["43891", "7-Foo", "32-Sep", "0-Sep", "2020-13-07", "SEPT7", ""])
def test_texts_that_are_no_dates(name):
    assert date_symbols(name) == ()


def test_an_alias_that_looks_like_a_date_is_an_alias(packaged):
    # NCBI lists 1-Cys as a synonym of PRDX6; no month, and synonyms come first
    assert official_symbols(["1-Cys"], packaged, "sound").symbols == ("PRDX6",)


def test_case_and_blanks_do_not_matter(small):
    assert official_symbols([" p53 ", '"TP53"'], small, "sound").symbols == ("TP53", "TP53")


def test_tcga_symbols_followed_by_entrez_ids(small):
    names = ["TP53|7157", "?|780", "?", "?|4"]
    found = official_symbols(names, small, "sound")
    assert found.symbols == ("TP53", "DDR1", None, None)
    assert found.unknown == 2


def test_nanostring_suffix_and_several_spellings(small):
    names = ["A2M-mRNA", "P53 /// TP53", "A2M /// TP53", "XYZ /// TP53"]
    assert official_symbols(names, small, "sound").symbols == ("A2M", "TP53", None, "TP53")


def test_ambiguous_aliases_are_counted_in_sound_alone(small):
    assert official_symbols(["SHARED"], small, "sound").ambiguous == 1
    assert official_symbols(["SHARED"], small, "benchmark").symbols == ("OTHER",)


@pytest.mark.parametrize(
    ("cell", "tokens"),
    [
        ("TMEM189-UBE2V1", ("TMEM189-", "UBE2V1")),  # the example of spec/preprocessing.md
        ("DDR1 /// MIR4640", ("DDR1", "MIR4640")),
        ("C11orf52", ("C11orf52",)),
        ("C1orf112 /// SCYL3", ("C1orf112", "SCYL3")),
        ("HLA-DRB1", ("HLA-DRB1",)),
        ("NR_046018 // DDX11L1 // DEAD/H", ("DDX11L1", "DEAD")),
        ("LOC100506168 /// LINC00115 /// XR_001", ()),
        ("DNA RNA PCR EST CHR", ()),
        ("TP53 TP53 TP53", ("TP53",)),
        ("A", ()),
        ("tp53", ()),
        ("hsaTP53", ()),
        ("N-acetyltransferase 2", ("N-",)),
        ("ABCDEFGHIJ", ("ABCDEFGHIJ",)),
        ("ABCDEFGHIJK", ()),  # no boundary within ten characters
        ("---", ()),
        ("", ()),
    ],
)
def test_scanning_for_symbols(cell, tokens):
    assert scan_symbols(cell) == tokens
    assert scan_column(pl.Series([cell])) == [tokens]


texts = st.text(alphabet="ABCXYZ0123456789-_/ ,;()orfabé.", max_size=40)


@given(texts)
def test_tokens_follow_the_rule(text):
    found = scan_symbols(text)
    assert len(set(found)) == len(found)
    for token in found:
        assert re.fullmatch(r"[A-Z][A-Z0-9-]{1,9}|C\d+orf\d+", token)
        assert token in text
        assert token not in {"DNA", "RNA", "PCR", "EST", "CHR"}
        assert not re.match(r"LOC\d|LINC\d", token)


@given(st.lists(texts, max_size=5))
def test_a_column_is_scanned_like_its_cells(cells):
    column = pl.Series(cells, dtype=pl.String)
    assert scan_column(column) == [scan_symbols(cell) for cell in cells]


@given(st.lists(st.from_regex(r"[A-Z][A-Z0-9]{1,9}", fullmatch=True), unique=True, max_size=6))
def test_separated_symbols_come_back_by_either_way(symbols):
    left = [s for s in symbols if s not in {"DNA", "RNA", "PCR", "EST", "CHR", "NA"}]
    left = [
        s for s in left if not re.match(r"LOC\d|LINC\d", s) and s not in {"NULL", "NONE", "NAN"}
    ]
    assert scan_symbols(" /// ".join(left)) == tuple(left)
    for separator in (" /// ", "//", ";", " | ", ", "):
        assert split_cell(separator.join(left)) == tuple(left)


ASSIGNMENT = (
    "NM_001005484 // OR4F5 // olfactory receptor, family 4 // 1p36.33 // 79501 /// "
    "ENST00000335137 // OR4F5 // olfactory receptor // 1p36.33 // 79501"
)
DESCRIPTION = (
    "NM_152486 // RefSeq // Homo sapiens sterile alpha motif domain containing 11 (SAMD11), mRNA."
    " // chr1 // 100 /// ENST01 // ENSEMBL // cdna:known chromosome (GRCh37) gene // chr1"
)


def test_fields_of_gene_assignment():
    assert split_cell(ASSIGNMENT, CellForm.ASSIGNMENT) == ("OR4F5",)
    assert split_cell("---", CellForm.ASSIGNMENT) == ()


def test_symbols_in_parentheses():
    assert "SAMD11" in split_cell(DESCRIPTION, CellForm.TEXT)


@pytest.mark.parametrize(
    ("cells", "form"),
    [
        (["DDR1 /// MIR4640", "RFC2"], CellForm.LIST),
        ([ASSIGNMENT, "---"], CellForm.ASSIGNMENT),
        ([DESCRIPTION], CellForm.TEXT),
        ([], CellForm.LIST),
    ],
)
def test_form_of_a_column(cells, form, packaged):
    assert cell_form(cells, packaged.symbols("sound")) is form
