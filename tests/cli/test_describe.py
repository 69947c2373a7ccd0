"""`genotex describe`: files written, screen, JSON, mistakes."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, on_one_line
from tests.reports.datasets.some_bundle import PEOPLE, write_bundle, write_raw


def test_bundle_is_described_on_the_screen_and_in_files(genotex: Run, tmp_path: Path) -> None:
    root = write_bundle(tmp_path / "bundle")
    code, out, err = on_one_line(genotex)("describe", root)
    assert code == 0
    assert "Raw cohorts" in out and "Preprocessed cohorts" in out and "Answered problems" in out
    assert "cohorts whose expression table is empty (1, input/GEO/Asthma/GSE2 first)" in err
    assert "Croissant also asks for --license, --url, --creator, --date" in err
    assert not [name for name in PEOPLE if name in out + err]
    sheet = (root / "description" / "datasheet.md").read_text()
    assert sheet.startswith("# bundle\n") and "- Licence: not given\n" in sheet
    assert json.loads((root / "croissant.json").read_text())["name"] == "bundle"


def test_what_is_told_stands_in_both_files(genotex: Run, tmp_path: Path) -> None:
    root, out = write_raw(tmp_path / "input"), tmp_path / "out"
    code, _, err = genotex(
        "describe", root, "-o", out, "--name", "My cohorts", "--version", "1.0.0",
        "--license", "https://spdx.org/licenses/CC0-1.0", "--url", "https://example.org/x",
        "--creator", "A One", "--creator", "B Two", "--citation", "One and Two",
        "--publisher", "Example", "--date", "2026-01-31",
    )  # fmt: skip
    assert code == 0 and "also asks for" not in err
    croissant = json.loads((out / "croissant.json").read_text())
    assert [person["name"] for person in croissant["creator"]] == ["A One", "B Two"]
    assert croissant["license"] == "https://spdx.org/licenses/CC0-1.0"
    assert croissant["citeAs"] == "One and Two"
    assert croissant["datePublished"] == "2026-01-31"
    sheet = (out / "description" / "datasheet.md").read_text()
    assert "- Creators: A One, B Two\n" in sheet
    assert sorted(path.name for path in root.iterdir()) == ["GEO", "TCGA"]


def test_describe_in_json(genotex: Run, tmp_path: Path) -> None:
    code, out, _ = genotex("describe", write_raw(tmp_path / "input"), "--json", "--no-checksums")
    told = json.loads(out)
    assert code == 0
    assert told == json.loads((tmp_path / "input/description/datasheet.json").read_text())
    assert told["read_to_the_end"] is False and told["files"] == 5
    assert told["tables"]["Raw cohorts"][0]["samples"] == 24


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{tmp}/absent"], "is not a folder; give the folder of a data set"),
        (["{tmp}/empty"], "holds no data set"),
        (["{tmp}/input", "--license", "CC-BY"], "'CC-BY' is not an address"),
        (["{tmp}/input", "--url", "example.org"], "'example.org' is not an address"),
        (
            ["{tmp}/input", "--date", "yesterday"],
            "'yesterday' is not a day; write it as 2026-01-31",
        ),
        (["{tmp}/input", "-o", "{tmp}/file"], "is a file; give a folder"),
    ],
)
def test_mistakes_get_a_message_and_leave_nothing(
    genotex: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    write_raw(tmp_path / "input")
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    code, out, err = on_one_line(genotex)(
        "describe", *(argument.replace("{tmp}", str(tmp_path)) for argument in arguments)
    )
    assert code == 2 and out == ""
    assert message in err.replace("│ ", "")
    assert not list(tmp_path.rglob("croissant.json")) and not list(tmp_path.rglob("description"))
