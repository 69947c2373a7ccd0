import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from genotex.errors import FormatError, UsageError
from genotex.problems import read_associations

ROWS = [
    {"diseaseId": "EFO_1", "targetId": "ENSG1", "score": 0.9, "evidenceCount": 3},
    {"diseaseId": "EFO_1", "targetId": "ENSG2", "score": 0.2, "evidenceCount": 1},
    {"diseaseId": "EFO_2", "targetId": "ENSG2", "score": 0.21, "evidenceCount": 1},
    {"diseaseId": "EFO_3", "targetId": "ENSG1", "score": 1, "evidenceCount": 1},
    {"diseaseId": "EFO_4", "targetId": "ENSG1", "score": 0.1, "evidenceCount": 1},
]
KEPT = [("ENSG1", "EFO_1", 0.9), ("ENSG2", "EFO_2", 0.21)]
ASKED = {"EFO_1", "EFO_2", "EFO_4", "EFO_5"}


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def renamed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{("associationScore" if k == "score" else k): row[k] for k in row} for row in rows]


@pytest.mark.parametrize("rows", [ROWS, renamed(ROWS)])
@pytest.mark.parametrize("name", ["a.json", "a.json.gz", "a.parquet", "without_ending"])
def test_one_file_in_every_form(tmp_path: Path, name: str, rows: list[dict[str, Any]]) -> None:
    path = tmp_path / name
    if name.endswith(".parquet"):
        pl.DataFrame(rows).write_parquet(path)
    else:
        path.write_bytes(
            gzip.compress(lines(rows), mtime=0) if name.endswith(".gz") else lines(rows)
        )
    found = read_associations(path, ASKED, 0.2)
    assert found.table.columns == ["targetId", "diseaseId", "score"]
    assert found.table.rows() == KEPT
    assert found.rows == 5 and found.repeated == 0
    assert found.found == {"EFO_1", "EFO_2", "EFO_4"}


def test_folder_of_parts_as_spark_writes_it(tmp_path: Path) -> None:
    folder = tmp_path / "association_overall_direct"
    folder.mkdir()
    (folder / "part-00001-x.json").write_bytes(lines(ROWS[2:]))
    (folder / "part-00000-x.json").write_bytes(lines(ROWS[:2]))
    (folder / "part-00002-x.json").write_bytes(b"")
    (folder / "_SUCCESS").write_bytes(b"")
    (folder / ".part-00000-x.json.crc").write_bytes(b"crc")
    for name in (".part-00003-x.json", "_part-00003-x.json", "notes.txt"):
        (folder / name).write_bytes(b"no associations")
    steps: list[tuple[str, int]] = []
    found = read_associations(folder, ASKED, 0.2, progress=lambda *step: steps.append(step))
    assert found.table.rows() == KEPT
    assert steps == [("part-00000-x.json", 2), ("part-00001-x.json", 2)]


def test_pair_that_is_repeated_counts_once_with_its_highest_score(tmp_path: Path) -> None:
    path = tmp_path / "by_source.json"
    pair = {"diseaseId": "EFO_1", "targetId": "ENSG1"}
    rows = [{**pair, "datasourceId": s, "score": x} for s, x in (("a", 0.3), ("b", 0.7))]
    path.write_bytes(lines(rows))
    found = read_associations(path, ASKED, 0.2)
    assert found.table.rows() == [("ENSG1", "EFO_1", 0.7)] and found.repeated == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"<html></html>", "web page"),
        (gzip.compress(lines(ROWS), mtime=0)[:30], "too early"),
        (lines(ROWS)[:-20], "not a valid JSON Lines file"),
        (b"targetId,diseaseId\n", "not a valid JSON Lines file"),
        (lines([{"targetId": "ENSG1", "score": 0.5}]), "has no diseaseId"),
        (lines([{"diseaseId": "EFO_1"}]), "has no targetId and no score"),
        (lines([ROWS[0], {"diseaseId": "EFO_1", "score": 1}]), "1 of 2 rows have no targetId"),
        (lines([{**ROWS[0], "score": "high"}]), "not a valid JSON Lines file"),
        (b"PAR1 and no more", "not a valid Parquet file"),
    ],
)
def test_file_that_holds_something_else(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "part.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"part\.json") as caught:
        read_associations(path, ASKED, 0.2)
    assert words in str(caught.value)


def test_parquet_that_lacks_a_column_or_holds_texts(tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    pl.DataFrame(ROWS).drop("score").write_parquet(path)
    with pytest.raises(FormatError, match="has no score"):
        read_associations(path, ASKED, 0.2)
    pl.DataFrame(ROWS).with_columns(score=pl.lit("high")).write_parquet(path)
    with pytest.raises(FormatError, match="not a valid Parquet file"):
        read_associations(path, ASKED, 0.2)


def test_absent_file_and_folder_without_parts(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        read_associations(tmp_path / "none.json", ASKED, 0.2)
    with pytest.raises(UsageError, match=r"holds no \.json or \.parquet file"):
        read_associations(tmp_path, ASKED, 0.2)
