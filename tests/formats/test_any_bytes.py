"""For any bytes, a reader gives a result or one of our own errors."""

import gzip
import io
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.errors import GenotexError
from genotex.formats import (
    read_clinical_csv,
    read_clinical_matrix,
    read_cohort_info,
    read_evidence,
    read_family_soft,
    read_gene_csv,
    read_linked_csv,
    read_linked_header,
    read_linked_parquet,
    read_platforms,
    read_series_matrix,
    read_xena_expression,
)
from tests.formats.geo_files import family_text, matrix_text, platform_text, sample_text

TSV = 'sample\tTCGA-1\tTCGA-1\nA2M\t1.5\tNA\n?\t"2"\tx\n'
CSV = ',GSM1,"GSM,2"\nTrait,1.0,0.0\nAge,61,\n"G""1",1e5,NaN\n'
JSON = (
    '{"GSE1": {"is_usable": true, "is_gene_available": true, "is_trait_available": true,\n'
    '"is_available": true, "sample_size": 3.0, "note": "x"}}'
)
EVIDENCE = (
    '{"trait": "T", "cohort": "C", "procedure": "sound", "source": "GEO",\n'
    '"genotex_version": "1", "files": [], "notes": ["a"], "info": {"is_usable": null}}'
)
MATRIX = matrix_text(extra='!Sample_description\t"one\ntwo"\t"a ""b"""\t""\n')

READERS = {
    read_series_matrix: MATRIX,
    read_family_soft: family_text(),
    read_platforms: platform_text() + sample_text("GSM1"),
    read_clinical_matrix: TSV,
    read_xena_expression: TSV,
    read_gene_csv: CSV,
    read_clinical_csv: CSV,
    read_linked_csv: CSV,
    read_linked_header: CSV,
    read_cohort_info: JSON,
    read_evidence: EVIDENCE,
}
every_reader = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
some = settings(max_examples=60, deadline=None)
POOL = b'\t\n\r"!#^,=<\x00\xff\x81 09.eE-naN[{'


def result_or_our_error(reader, data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "GSE1_file.txt.gz"
        path.write_bytes(data)
        try:
            reader(path)
        except GenotexError as error:
            assert str(path) in str(error)


@st.composite
def mutations(draw):
    """Return a function that damages bytes in one of the ways files get damaged."""
    kind = draw(st.sampled_from(["cut", "flip", "insert", "drop", "double", "shuffle", "splice"]))
    seed = draw(st.randoms(use_true_random=False))
    count = draw(st.integers(1, 6))

    def damage(data: bytes) -> bytes:
        changed = bytearray(data)
        lines = data.split(b"\n")
        if kind == "cut":
            return data[: seed.randrange(len(data) + 1)]
        for _ in range(count):
            at = seed.randrange(len(changed))
            if kind == "flip":
                changed[at] ^= 1 << seed.randrange(8)
            elif kind == "insert":
                changed[at:at] = seed.choice(POOL).to_bytes() * seed.choice([1, 1, 2, 40])
            elif kind == "splice":
                other = seed.randrange(len(changed))
                changed[at:at] = changed[other : other + seed.randrange(80)]
            elif kind == "drop" and len(lines) > 1:
                del lines[seed.randrange(len(lines))]
            elif kind == "double":
                lines.insert(seed.randrange(len(lines)), seed.choice(lines))
            elif kind == "shuffle":
                seed.shuffle(lines)
        return bytes(changed) if kind in ("flip", "insert", "splice") else b"\n".join(lines)

    return damage


@every_reader
@some
@given(data=st.one_of(st.binary(max_size=200), st.lists(st.sampled_from(list(POOL))).map(bytes)))
def test_arbitrary_bytes(reader, data):
    result_or_our_error(reader, data)


@every_reader
@some
@given(data=st.binary(max_size=100))
def test_arbitrary_bytes_in_gzip(reader, data):
    result_or_our_error(reader, gzip.compress(data, 1, mtime=0))


@every_reader
@settings(some, max_examples=150)
@given(first=mutations(), second=mutations())
def test_damaged_file(reader, first, second):
    result_or_our_error(reader, second(first(READERS[reader].encode()) or b"x"))


@every_reader
@some
@given(damage=mutations())
def test_damaged_gzip(reader, damage):
    result_or_our_error(reader, damage(gzip.compress(READERS[reader].encode(), 1, mtime=0)))


@some
@given(damage=mutations())
def test_damaged_parquet(damage):
    result_or_our_error(read_linked_parquet, damage(_parquet()))


def _parquet() -> bytes:
    out = io.BytesIO()
    pl.DataFrame({"feature": ["T", "Age", "A2M"], "GSM1": [1.0, 61.0, 8.5]}).write_parquet(out)
    return out.getvalue()
