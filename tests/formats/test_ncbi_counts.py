"""NCBI's count matrices and their annotation: what is read, and what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from genotex.errors import FormatError, NotDataError, TruncatedFileError
from genotex.formats import read_count_annotation, read_raw_counts

NAME = "GSE1_raw_counts_GRCh38.p13_NCBI.tsv.gz"
COUNTS = "GeneID\tGSM1\tGSM2\n100287102\t7\t0\n653635\t120\t33\n"
ANNOTATION = (
    "GeneID\tSymbol\tDescription\tSynonyms\tGeneType\tEnsemblGeneID\tStatus\tChrAcc\n"
    "100287102\tDDX11L1\tDEAD/H-box\t\tpseudo\t\tactive\tNC_000001.11\n"
    "653635\tWASH7P\tWASP family\tFAM39F\tpseudo\tENSG00000227232\tactive\tNC_000001.11\n"
)


def gzipped(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()))
    return path


def test_counts_are_read_by_gene_id_and_sample(tmp_path: Path) -> None:
    found = read_raw_counts(gzipped(tmp_path / NAME, COUNTS))
    assert found.genes == ("100287102", "653635")
    assert found.samples == ("GSM1", "GSM2")
    np.testing.assert_array_equal(found.counts, [[7, 0], [120, 33]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (COUNTS.replace("GeneID", "Symbol"), "first column is 'Symbol', not GeneID"),
        (COUNTS.replace("653635", "100287102"), "GeneID 100287102 occurs twice"),
        (COUNTS.replace("GSM2", "GSM1"), "sample GSM1 occurs twice"),
        (COUNTS.replace("GSM1\t", "\t"), "column 2 has no sample id"),
        (COUNTS.replace("653635", "WASH7P"), "'WASH7P' is not an NCBI GeneID"),
        (
            COUNTS.replace("120", "120.5"),
            "count 120.5 of GeneID 653635 in GSM1 is not a whole number",
        ),
        (COUNTS.replace("33", "-3"), "count -3 of GeneID 653635 in GSM2 is negative"),
        (COUNTS.replace("33", "NA"), "count of GeneID 653635 in GSM2 is missing"),
        (COUNTS.replace("33", "1e300"), "is too large"),
        (COUNTS.replace("\t33", ""), "too few cells"),
        (COUNTS.replace("33", "many"), "are not numbers, first 'many'"),
        (COUNTS.replace("33", "33\t5"), "4 cells in a table of 3 columns"),
        ("GeneID\tGSM1\n", "the count matrix has no genes"),
    ],
)
def test_what_is_not_a_count_is_refused_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(FormatError) as caught:
        read_raw_counts(gzipped(tmp_path / NAME, text))
    assert message in str(caught.value)
    assert NAME in str(caught.value)


def test_tpm_in_place_of_counts_names_the_file_to_take(tmp_path: Path) -> None:
    path = gzipped(tmp_path / NAME, COUNTS.replace("\t7\t", "\t7.25\t").replace("33", "0.5"))
    with pytest.raises(FormatError, match=r"and 1 more.*take the raw counts"):
        read_raw_counts(path)


def test_web_page_in_place_of_counts(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_text("<!DOCTYPE html><html><body>Too many requests</body></html>")
    with pytest.raises(NotDataError):
        read_raw_counts(path)


def test_cut_gzip_is_reported_as_cut(tmp_path: Path) -> None:
    path = gzipped(tmp_path / NAME, COUNTS * 50)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(TruncatedFileError):
        read_raw_counts(path)


def test_plain_file_that_ends_within_a_row_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "GSE1_raw_counts_GRCh38.p13_NCBI.tsv"
    path.write_text(COUNTS[:-4])
    with pytest.raises(TruncatedFileError, match="last line is cut off"):
        read_raw_counts(path)


def test_annotation_gives_the_symbol_of_each_gene_id(tmp_path: Path) -> None:
    found = read_count_annotation(gzipped(tmp_path / "Human.GRCh38.p13.annot.tsv.gz", ANNOTATION))
    assert found.symbols == {"100287102": "DDX11L1", "653635": "WASH7P"}
    assert found.notes == ()


def test_gene_id_with_two_symbols_gets_none(tmp_path: Path) -> None:
    path = gzipped(tmp_path / "annot.tsv.gz", ANNOTATION + "653635\tOTHER\t\t\t\t\t\t\n")
    found = read_count_annotation(path)
    assert found.symbols == {"100287102": "DDX11L1"}
    assert found.notes == ("1 GeneIDs have two symbols in annot.tsv.gz",)


def test_annotation_without_symbols_is_refused(tmp_path: Path) -> None:
    path = gzipped(tmp_path / "annot.tsv.gz", ANNOTATION.replace("Symbol", "Name"))
    with pytest.raises(FormatError, match="column Symbol is missing"):
        read_count_annotation(path)


BYTES = st.one_of(
    st.binary(max_size=200),
    st.lists(
        st.sampled_from(
            [b"GeneID", b"Symbol", b"GSM1", b"GSM2", b"\t", b"\n", b"12", b"7.5", b"-1", b'"', b""]
        ),
        max_size=40,
    ).map(b"".join),
)


@given(BYTES, st.booleans())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_raise_only_our_errors(tmp_path: Path, content: bytes, packed: bool) -> None:
    path = tmp_path / "any.tsv.gz"
    path.write_bytes(gzip.compress(content) if packed else content)
    for read in (read_raw_counts, read_count_annotation):
        try:
            read(path)
        except FormatError:
            continue
