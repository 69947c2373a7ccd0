import gzip
from pathlib import Path

from genotex.agents.team.notebooks import MOST_CHARACTERS, list_files


def test_packed_files_are_reported_by_name_size_and_beginning(tmp_path: Path) -> None:
    folder = tmp_path / "GSE1"
    folder.mkdir()
    (folder / "b.txt.gz").write_bytes(gzip.compress(b"!Series_title\tAsthma\nx\n"))
    (folder / "a.json").write_text("{}")
    (folder / ".lock").write_text("hidden")
    size = (folder / "b.txt.gz").stat().st_size
    assert list_files([folder]) == (
        f"GSE1/a.json (2 bytes)\nGSE1/b.txt.gz ({size} bytes)\n\n"
        "== GSE1/a.json ==\n{}\n\n== GSE1/b.txt.gz ==\n!Series_title\tAsthma\nx"
    )


def test_what_is_no_text_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1\x00\x01\x02")
    assert list_files([path]).endswith("== table.parquet ==\n(no text)")


def test_long_lines_and_long_files_are_cut_and_every_file_gets_room(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(f"{name * 200}\n" * 300)
    text = list_files([tmp_path])
    assert len(text) < MOST_CHARACTERS + 400
    for name in ("a", "b", "c"):
        assert text.count(name * 160) > 30
        assert name * 161 not in text


def test_no_files_are_reported(tmp_path: Path) -> None:
    assert list_files([tmp_path]) == "(no files)"
