"""The sheet of a series: shown, changed, undone, and the file that commands read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from genotex.analysis import read_result
from genotex.app import Access, EditedSheet
from genotex.clinical import load_sample_sheet, read_sheet_table, write_sheet_table
from genotex.cohorts import PreprocessOptions
from genotex.layout import OutputFolder
from genotex.options import PreprocessChoices
from tests.annotators import KEY, annotating, contrary
from tests.app.conftest import Browser, opened, queue_of, wait
from tests.geo_text import GENES, series_matrix, write_gz


@pytest.fixture
def folder(input_folder: Path) -> Path:
    return input_folder


@pytest.fixture
def editor(folder: Path, access: Access) -> Iterator[Browser]:
    with opened(folder, access) as browser:
        yield browser


@pytest.fixture
def series(first_series: str, place: dict[str, str]) -> dict[str, str]:
    return {"trait": place["trait"], "series": first_series}


def sheet_of(editor: Browser, folder: Path, series: dict[str, str]) -> EditedSheet:
    editor.get("/samples", params=series)
    (sheet,) = editor.app.state.workbench.sheets._open.values()  # type: ignore[attr-defined]
    assert isinstance(sheet, EditedSheet)
    return sheet


def post(editor: Browser, series: dict[str, str], **data: object) -> str:
    answer = editor.post("/samples/assign", params=series, data=data, headers=editor.own)
    assert answer.status_code == 200
    return answer.text


def test_the_sheet_shows_characteristics_groups_and_evidence(
    editor: Browser, folder: Path, series: dict[str, str]
) -> None:
    page = editor.get("/samples", params=series).text
    sheet = sheet_of(editor, folder, series)
    assert sheet.counts["case"] > 0 and sheet.characteristics
    for row in sheet.rows[:5]:
        assert row["sample"] in page
    assert 'title="' in page and "Proposed by the rules" in page


def test_a_change_is_saved_as_the_file_that_commands_read(
    editor: Browser, folder: Path, series: dict[str, str]
) -> None:
    sheet = sheet_of(editor, folder, series)
    chosen = [row["sample"] for row in sheet.rows[:3]]
    text = post(editor, series, change="group:other control", sample=chosen, version=0)
    assert "3 samples: group other control." in text and "Saved as sheets/" in text
    path = folder / "sheets" / series["trait"] / f"{series['series']}.csv"
    loaded = load_sample_sheet(path)
    assert [s.role for s in loaded.samples[:3]] == ["unknown"] * 3
    assert PreprocessOptions(samples=path).samples == path


def test_undo_takes_back_one_change_after_the_other(
    editor: Browser, folder: Path, series: dict[str, str]
) -> None:
    sheet = sheet_of(editor, folder, series)
    before = [dict(row) for row in sheet.rows]
    chosen = [row["sample"] for row in before]
    post(editor, series, change="exclude:yes", sample=chosen[:4], version=0)
    post(editor, series, change="set", column="batch", value="B1", sample=chosen[:2], version=1)
    assert "Undone for 2" in post(editor, series, change="undo", version=2)
    assert "Undone for 4" in post(editor, series, change="undo", version=3)
    assert sheet.rows == before and not sheet.can_undo


def test_a_value_that_makes_no_sense_changes_nothing(
    editor: Browser, folder: Path, series: dict[str, str]
) -> None:
    sheet = sheet_of(editor, folder, series)
    chosen = sheet.rows[0]["sample"]
    for column, value in (("age", "300"), ("sex", "maybe"), ("group", "ill"), ("why", "x")):
        change = {"change": "set", "column": column, "value": value}
        assert "Not changed" in post(editor, series, **change, sample=chosen, version=0)
    assert not sheet.saved and sheet.version == 0


def test_a_page_that_is_older_than_the_sheet_changes_nothing(
    editor: Browser, folder: Path, series: dict[str, str]
) -> None:
    sheet = sheet_of(editor, folder, series)
    chosen = sheet.rows[0]["sample"]
    post(editor, series, change="group:case", sample=chosen, version=0)
    post(editor, series, change="group:control", sample=chosen, version=1)
    text = post(editor, series, change="group:case", sample=chosen, version=1)
    assert "changed in another tab" in text and sheet.rows[0]["group"] == "control"


def test_rows_are_filtered_and_sorted(
    editor: Browser, folder: Path, series: dict[str, str]
) -> None:
    sheet = sheet_of(editor, folder, series)
    cases = editor.get("/samples/table", params=series | {"search": "group=case"}).text
    assert cases.count('name="sample"') == sheet.counts["case"]
    by_age = editor.get("/samples/table", params=series | {"sort": "age"}).text
    assert 'aria-sort="ascending"' in by_age


def test_a_sheet_edited_in_a_spreadsheet_is_shown_as_it_is(
    editor: Browser, folder: Path, series: dict[str, str]
) -> None:
    sheet = sheet_of(editor, folder, series)
    post(editor, series, change="group:case", sample=sheet.rows[0]["sample"], version=0)
    table = read_sheet_table(sheet.path)
    text = sheet.path.read_text(encoding="utf-8-sig").replace(",control,", ",other disease,")
    sheet.path.write_text(text, encoding="utf-8")
    page = editor.get("/samples", params=series).text
    assert "other disease" in page and len(table.rows) == len(sheet.rows)


def test_html_in_a_sample_title_is_shown_as_text(
    editor: Browser, folder: Path, series: dict[str, str]
) -> None:
    sheet = sheet_of(editor, folder, series)
    bad = "<script>alert(1)</script>"
    sheet.rows[0] |= {"title": bad, "why": f'"{bad}'}
    page = editor.get("/samples/table", params=series).text
    assert bad not in page and "&lt;script&gt;" in page


@pytest.mark.parametrize("change", [{"series": "../x"}, {"series": "GSE0"}, {"trait": ".."}])
def test_an_unknown_series_is_not_found(
    editor: Browser, series: dict[str, str], change: dict[str, str]
) -> None:
    assert editor.get("/samples", params=series | change).status_code == 404


def upload(editor: Browser, series: dict[str, str], name: str, content: bytes, version: int) -> str:
    answer = editor.post(
        "/samples/upload",
        params=series,
        data={"version": version},
        files={"file": (name, content)},
        headers=editor.own,
    )
    assert answer.status_code == 200
    return answer.text


def test_groups_of_an_uploaded_workbook_are_taken_and_undone(
    editor: Browser, folder: Path, series: dict[str, str], tmp_path: Path
) -> None:
    sheet = sheet_of(editor, folder, series)
    path, ages = tmp_path / "mine.xlsx", [row["age"] for row in sheet.rows]
    rows = [[row["sample"], row["group"]] for row in sheet.rows]
    rows[:3] = [[sample, "other disease"] for sample, _ in rows[:3]]
    write_sheet_table(path, ["sample", "group"], rows)
    text = upload(editor, series, "../../mine.xlsx", path.read_bytes(), 0)
    assert "3 samples changed by the file." in text and sheet.counts["other disease"] == 3
    assert [row["age"] for row in sheet.rows] == ages
    assert "Undone for 3" in post(editor, series, change="undo", version=1)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.exe", b"MZ"),
        ("x.xlsx", b"PK\x03\x04 no workbook"),
        ("x.csv", b"sample,group\nGSM-unknown,case\n"),
        ("x.csv", b"\0\0"),
        ("", b""),
    ],
)
def test_a_file_that_is_no_sheet_of_the_series_changes_nothing(
    editor: Browser, folder: Path, series: dict[str, str], name: str, content: bytes
) -> None:
    sheet = sheet_of(editor, folder, series)
    text = upload(editor, series, name, content, 0)
    assert "Not changed" in text or "No file chosen" in text
    assert sheet.version == 0 and not sheet.saved


def test_a_model_proposes_the_groups_within_its_limit(
    folder: Path, access: Access, series: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_COMPATIBLE_API_KEY", KEY)
    with annotating(contrary) as model:
        chosen = PreprocessChoices(annotator=f"both:{model.name}", max_calls=1)
        with opened(folder, access, chosen) as browser:
            page = browser.get("/samples", params=series).text
            again = browser.get("/samples", params=series).text
            other = {**series, "series": sorted(path.name for path in others(folder, series))[0]}
            beyond = browser.get("/samples", params=other).text
        assert model.calls == 1
    assert f"Proposed by the rules and {model.name}" in page and page == again
    assert "check: trait: the rules say" in page
    assert "proposed by the rules alone: the limit \u2018Max calls\u2019 is reached" in beyond


def others(folder: Path, series: dict[str, str]) -> list[Path]:
    """The folders of the other series of the trait."""
    (place,) = folder.rglob(series["series"])
    return [path for path in place.parent.iterdir() if path.is_dir() and path != place]


def write_paired(folder: Path) -> None:
    """Write a series of eight tumours with adjacent tissue, whose pairs only a suffix names."""
    names = [f"03-{212 + number // 2}{'AB'[number % 2]}" for number in range(16)]
    tissue = ["Liver Tumor Tissue", "Liver Non-Tumor Tissue"] * 8
    cells = [[f"Tissue: {text}" for text in tissue], [f"Individual: {name}" for name in names]]
    text = series_matrix("GSE1", characteristics=cells, title="Hepatocellular carcinoma")
    place = "input/GEO/Hepatocellular_Carcinoma/GSE1/GSE1_series_matrix.txt.gz"
    write_gz(folder / place, text)


@pytest.fixture
def paired(tmp_path: Path, access: Access) -> Iterator[tuple[Browser, EditedSheet]]:
    write_paired(tmp_path)
    query = {"trait": "Hepatocellular_Carcinoma", "series": "GSE1"}
    with opened(tmp_path, access) as browser:
        yield browser, sheet_of(browser, tmp_path, query)


@pytest.mark.parametrize("way", ["last", "common"])
def test_one_step_fills_all_pairs_from_a_column_and_names_who_stays_alone(
    paired: tuple[Browser, EditedSheet], way: str
) -> None:
    browser, sheet = paired
    query = {"trait": "Hepatocellular_Carcinoma", "series": "GSE1"}
    page = browser.get("/samples", params=query).text
    assert "8 pairs from Individual (the part in common)" in page
    post(browser, query, change="exclude:yes", sample=sheet.rows[1]["sample"], version=0)
    fill = {"change": "fill", "target": "pair", "from": "Individual", "way": way}
    text = post(browser, query, **fill, version=1)
    assert "7 pairs of 14 samples" in text and "7 with samples of different groups" in text
    assert f"alone: {sheet.rows[0]['sample']}." in text
    assert [row["pair"] for row in sheet.rows[:4]] == ["", "", "03-213", "03-213"]
    data = {"trait": query["trait"], "sent": "1", "series": "GSE1"}
    shown = browser.post("/analysis/design", data=data, headers=browser.own).text
    assert "of unaffected tissue" in shown and "healthy" not in shown
    assert "1 samples have no partner" in shown and "suspected" not in shown
    assert "Undone for 14" in post(browser, query, change="undo", version=2)


def test_a_column_is_filled_only_from_one_that_is_there_and_with_what_makes_sense(
    paired: tuple[Browser, EditedSheet],
) -> None:
    browser, sheet = paired
    query = {"trait": "Hepatocellular_Carcinoma", "series": "GSE1"}
    for target, column, way in (
        ("why", "Tissue", "value"),
        ("pair", "nothing", "value"),
        ("pair", "Tissue", "eval"),
        ("age", "Tissue", "value"),
        ("pair", "title", "value"),
    ):
        fill = {"change": "fill", "target": target, "from": column, "way": way}
        assert "Not changed" in post(browser, query, **fill, version=0)
    assert sheet.version == 0


@pytest.mark.everyday
def test_what_a_series_compares_is_listed_and_tested_without_a_trait(
    tmp_path: Path, access: Access
) -> None:
    treated = [f"treatment: {['vehicle', 'vemurafenib'][number % 2]}" for number in range(8)]
    values = np.random.default_rng(1).normal(8, 1, (len(GENES), 8)).tolist()
    text = series_matrix("GSE1", characteristics=[treated], values=values, title="A375 cells")
    write_gz(tmp_path / "input/GEO/Unsorted/GSE1/GSE1_series_matrix.txt.gz", text)
    place = {"trait": "Unsorted", "series": "GSE1"}
    with opened(tmp_path, access) as browser:
        listed = browser.get("/samples", params=place).text
        assert "vemurafenib vs vehicle" in listed and "4 against 4 samples" in listed
        data = {"change": "exclude:yes", "sample": "GSM1", "version": 0}
        browser.post("/samples/assign", params=place, data=data, headers=browser.own)
        for name, code in (("nothing", 400), ("vemurafenib_vs_vehicle", 200)):
            answer = browser.post(
                "/samples/compare", params=place, data={"comparison": name}, headers=browser.own
            )
            assert answer.status_code == code
        (record,) = wait(queue_of(browser))
        assert record.state == "done", record.message
        page = browser.get("/genes", params=record.place)
    assert page.is_success and "vemurafenib" in page.text
    output = OutputFolder(tmp_path / "analyses" / record.name)
    result = read_result(output, "vemurafenib_vs_vehicle", None)
    assert result.samples == 7


def test_people_found_by_their_expression_become_pairs_in_a_click(
    paired: tuple[Browser, EditedSheet], monkeypatch: pytest.MonkeyPatch
) -> None:
    browser, sheet = paired
    query = {"trait": "Hepatocellular_Carcinoma", "series": "GSE1"}
    assert "was not read yet" in post(browser, query, change="people", version=0)
    names = [row["sample"] for row in sheet.rows]
    blocks = {name: f"block {number // 2 + 1}" for number, name in enumerate(names[:6])}
    found = {"detected_blocks": blocks | {name: name for name in names[6:]}}
    place = {"trait": query["trait"], "cohort": "GSE1", "judge": 1}
    browser.post("/quality/read", params=place, headers=browser.own)
    (series,) = browser.app.state.workbench.series._kept.values()  # type: ignore[attr-defined]
    monkeypatch.setattr(series, "quality", replace(series.quality, record=found))
    text = post(browser, query, change="people", version=0)
    assert "3 pairs of 6 samples from their expression" in text
    assert [row["pair"] for row in sheet.rows[:7]] == [blocks.get(name, "") for name in names[:7]]
