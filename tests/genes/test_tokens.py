import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.genes.tokens import CellForm, cell_form, scan_column, scan_symbols, split_cell


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
