import gzip
from pathlib import Path

import pytest

from genotex.analysis import GeneSet, read_gmt
from genotex.errors import FormatError, NotDataError, TruncatedFileError

TWO_SETS = "HYPOXIA\thttps://example.org/h\tVEGFA\tLDHA\nAPOPTOSIS\t\tCASP3\n"


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_name_description_and_genes(tmp_path: Path) -> None:
    sets = read_gmt(write(tmp_path / "a.gmt", TWO_SETS))
    assert sets == (
        GeneSet("HYPOXIA", "https://example.org/h", ("VEGFA", "LDHA")),
        GeneSet("APOPTOSIS", "", ("CASP3",)),
    )


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(TWO_SETS.encode(), mtime=0),
        b"\xef\xbb\xbf" + TWO_SETS.encode(),
        TWO_SETS.replace("\n", "\r\n").encode(),
        TWO_SETS.replace("\n", "\r").encode(),
        TWO_SETS.rstrip("\n").encode(),
        f"\n{TWO_SETS}\n \n".encode(),
        TWO_SETS.replace("LDHA", "LDHA,1.0\t\tVEGFA").encode(),
    ],
    ids=["gzip", "byte order mark", "Windows", "old Mac", "no last line end", "empty lines", "odd"],
)
def test_ways_of_writing_the_same_sets(tmp_path: Path, content: bytes) -> None:
    assert read_gmt(write(tmp_path / "a.gmt", content)) == read_gmt(
        write(tmp_path / "b.gmt", TWO_SETS)
    )


def test_description_in_another_encoding(tmp_path: Path) -> None:
    content = "A\tSjögren\tX\n".encode("latin-1") + "B\tSjögren\tX\n".encode()
    assert [s.description for s in read_gmt(write(tmp_path / "a.gmt", content))] == ["Sjögren"] * 2


def test_set_without_genes_is_empty(tmp_path: Path) -> None:
    (only,) = read_gmt(write(tmp_path / "a.gmt", "A\tno gene\t\t\n"))
    assert only.genes == ()


def test_set_that_occurs_twice(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gmt", TWO_SETS + "\nHYPOXIA\t\tLDHA\n")
    with pytest.raises(FormatError, match=r"line 4: the set HYPOXIA already occurs in line 1"):
        read_gmt(path)


@pytest.mark.parametrize("line", ["VEGFA", "HYPOXIA\tVEGFA", "HYPOXIA,,VEGFA,LDHA", '{"A": 1}'])
def test_too_few_columns(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "a.gmt", f"A\t\tX\n{line}\n")
    with pytest.raises(FormatError, match=r"line 2: no line of a GMT file: .* at least 3 columns"):
        read_gmt(path)


def test_set_without_name(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 1: the set has no name"):
        read_gmt(write(tmp_path / "a.gmt", "\tdescription\tVEGFA\n"))


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        (b"", TruncatedFileError, "empty"),
        (b" \n\n", TruncatedFileError, "empty"),
        (gzip.compress(b"", mtime=0), TruncatedFileError, "empty"),
        (gzip.compress(TWO_SETS.encode(), mtime=0)[:-12], TruncatedFileError, "end too early"),
        (b"<!DOCTYPE html><html>Log in to MSigDB</html>", NotDataError, "HTML"),
        (b"PK\x03\x04 and so on", NotDataError, "zip archive"),
        (TWO_SETS.encode("utf-16"), NotDataError, "UTF-16"),
        (b"A\t\tVEGFA\x00\x01\x02", NotDataError, "binary"),
    ],
)
def test_other_contents(
    tmp_path: Path, content: bytes, kind: type[FormatError], words: str
) -> None:
    with pytest.raises(kind, match=words):
        read_gmt(write(tmp_path / "a.gmt", content))


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        read_gmt(tmp_path / "none.gmt")
