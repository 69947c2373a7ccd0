"""Tables in files of R, which R 4.2.2 wrote with saveRDS and save; nothing in them is executed."""

import base64
import gzip
from pathlib import Path

import pytest

from genotex.errors import FileLimitError, FormatError
from genotex.formats import read_table_file

pytest.importorskip("rdata")

# matrix(c(5L,0L,7L,100L,2L,9L), nrow=3, dimnames=list(c("TP53","A1BG","A2M"), c("s1","s2")))
MATRIX = (
    "H4sIAAAAAAAAA4vgYmBgYGZgYWJiYGYFMhlYQ0PcdC0YGJh4gRw2kAADBLADcQoQMwExJwNQB5BmZGABsRmYUzJzgRQvVJoZ"
    "QqMo4QAqyUvMTS0GsoWh6gQgdoPlWUICTI1hbEdDJ3eY0Y5GvlClTFAhpmJDOMsISP4DAMR2gn3FAAAA"
)
# A dgCMatrix of the same names: 5 and 7 in s1, 9 in s2.
SPARSE = (
    "H4sIAAAAAAAAA4vgYmBgYGZgYWJiYGYFMhlYQ0PcdC0YGJklGYCiQAFGBhYGThCdCSR4waohACKJpqgAiyJmNEXMLpm5UGVQ"
    "aRCNooQDqCQvMTe1GMgWhqoTgLgULM8SEmBqDGM7Gjq5w4x2NPKFKmWCCjEVG8JZRujOrQASfCB9DiIQ9zrIQGklqAdQNbCn"
    "JSaX5BfBnIUuzZqck1gMlGQSQBLkTEl39k0sKcqsQDesIDE5OzE9FepgmDCXnntOflJijmteGZD3D4QB7uYD8qYBAAA="
)
# x <- data.frame(gene=c("TP53","A1BG"), s1=c(1.5,2), s2=c(3,4)); meta <- data.frame(a=1)
SEVERAL = (
    "H4sIAAAAAAAAAwtyiTDmiuBiYGBgZmBhYmJgZgUyGVhDQ9x0LRiAIkAOIwMLAyeIrgAqEgarZGAQAGImqARLSICpMYztaOjk"
    "DqT5QPL2PxjAwIEBDsDiDhxQcQGYMIpFrHmJuanFUEuYYQanp+alQtlMxYZwlhG65uScxGKYZpggV0piSaJeWhHQXDTlnEX5"
    "5Xow+3hBJjYAif////8DUv/QFLPkppYkQgOBEeoZRvsPyJ5g+o9mNWMiRIIZXQLDTSz/0ZzwH+IEhn8ALqP3PKUBAAA="
)
# new("Foo", a=1) of a class that only R knows.
OTHER = (
    "H4sIAAAAAAAAA4vgYmBgYGZgYWJiYGYFMhlYQ0PcdC0YGJklGYCiQAFGBhYGThCdCCT4QAz7DwxQgKKANTknsbiYgYFJAEmQ"
    "2S0/H00de0FicnZieiqQiaySS889Jz8pMcc1rwzI+wfCAJSZzZ+dAAAA"
)
# list(n=1:2000000000L, m=1), which stores the length of the sequence alone.
SEQUENCE = (
    "H4sIAAAAAAAAA4vgYmBgYGZgYWJiYGYFMhlYQ0PcdC0YGJiEgRwmIH4HpRkZWBg4gTRfcn5uQWJySXxmXklxaiGaLEtSYnEq"
    "VIwXLA6h/4F0gqxyvHsWJM9g/4GBAZlGUsOIEGNBNps1LzE3tRjIEABbABFkzIMxckFGAACISP5E0AAAAA=="
)


def write(path: Path, text: str) -> Path:
    path.write_bytes(base64.b64decode(text))
    return path


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (MATRIX, [["TP53", "A1BG", "A2M"], [5, 0, 7], [100, 2, 9]]),
        (SPARSE, [["TP53", "A1BG", "A2M"], [5, 0, 7], [0, 9, 0]]),
    ],
)
def test_matrices_with_names(tmp_path: Path, text: str, columns: list[list[object]]) -> None:
    table = read_table_file(write(tmp_path / "x.rds", text))
    assert table.header == ("", "s1", "s2")
    assert [column.to_list() for column in table.columns] == columns


def test_of_several_tables_the_largest_is_taken_and_the_others_are_noted(tmp_path: Path) -> None:
    table = read_table_file(write(tmp_path / "x.RData", SEVERAL))
    assert table.header == ("gene", "s1", "s2") and table.columns["c2"].to_list() == [3, 4]
    assert table.notes == ("other tables of the file were left out: meta",)


def test_an_object_of_another_class_names_the_cure(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"only R can read .*write\.csv"):
        read_table_file(write(tmp_path / "x.rds", OTHER))


def test_a_sequence_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileLimitError, match="2,000,000,000 numbers"):
        read_table_file(write(tmp_path / "x.rds", SEQUENCE))


@pytest.mark.parametrize("keep", [3, 20, 60, 100])
def test_a_damaged_file_is_an_error_of_ours(tmp_path: Path, keep: int) -> None:
    plain = gzip.decompress(base64.b64decode(MATRIX))
    path = tmp_path / "x.rds"
    path.write_bytes(gzip.compress(plain[:keep]))
    with pytest.raises(FormatError, match=r"file of R that can be read|too early|empty"):
        read_table_file(path)
