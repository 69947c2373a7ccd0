"""Time to an event in own tables: asked for in the form, run in the queue, shown by gene."""

from __future__ import annotations

import csv
import json
import math
from io import StringIO
from pathlib import Path

import pytest

from genotex.cli import main
from tests.app.conftest import Browser
from tests.app.drawn import series_of
from tests.app.people import Person, group_access
from tests.app.test_adding import add_tables, adder, left
from tests.app.test_analysis import queue_of, wait
from tests.html_tables import rows_of

__all__ = ["adder"]

PLACE = {"name": "My_study"}
ASKED = {"design": "~ age", "contrast": "", "survival": ["months", "died"]}


@pytest.fixture
def tested(adder: Browser, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Browser:
    """Return a browser whose folder has a time to an event, tested."""
    assert add_tables(adder, tmp_path_factory.mktemp("own"), name="My study")[0] == 200
    answer = adder.post("/tables", params=PLACE, data=ASKED, headers=adder.own)
    assert answer.status_code == 200, answer.text
    (record,) = wait(queue_of(adder))
    assert record.state == "done" and "associated with the time to died" in record.message, record
    assert record.place == {"output": "analyses/001-My_study"} and record.report is None
    return adder


def test_the_form_states_what_is_tested_and_the_command(
    adder: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert add_tables(adder, tmp_path_factory.mktemp("own"), name="My study")[0] == 200
    text = adder.post("/tables/design", params=PLACE, data=ASKED, headers=adder.own).text
    assert "16 samples" in text and "events, given age" in text
    assert "genotex de tables/My_study/study.csv" in text and "--survival months,died" in text
    assert "--contrast" not in text and "--hidden" not in text
    for change, why in {
        ("survival", ("months", "")): "names no two columns",
        ("survival", ("months", "months")): "names no two columns",
        ("survival", ("months", "sex")): "values other than 0 and 1",
        ("survival", ("sex", "died")): "not numbers",
        ("design", "~ nothing"): "nothing",
        ("contrast", "group: case - control"): "leave the contrast out",
    }.items():
        wrong = ASKED | dict([change])
        text = adder.post("/tables/design", params=PLACE, data=wrong, headers=adder.own).text
        assert why in text, (change, text)
        answer = adder.post("/tables", params=PLACE, data=wrong, headers=adder.own)
        assert answer.status_code == 400 and why in answer.text, change
    assert not queue_of(adder).records()


def test_the_result_is_that_of_the_command(
    tested: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tables" / "My_study"
    tables = [str(folder / name) for name in ("study.csv", "study_samples.csv")]
    command = ["de", *tables, str(tmp_path.parent / "o"), "--survival", "months,died"]
    monkeypatch.setattr("sys.argv", ["genotex", *command, "--design", "~ age"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    written = (tmp_path.parent / "o" / "genes.csv").read_text()
    output = {"output": "analyses/001-My_study"}
    assert tested.get("/survival.csv", params=output).text == written
    assert left(tmp_path / "analyses" / "001-My_study") == [
        "analysis.json", "genes.csv", "survival.html", "survival.json",
    ]  # fmt: skip


def test_genes_are_listed_filtered_and_shown_with_their_hazard_ratio(
    tested: Browser, tmp_path: Path
) -> None:
    output = {"output": "analyses/001-My_study"}
    assert "/survival?output=analyses%2F001-My_study" in tested.get("/").text
    assert "/survival?output=analyses%2F001-My_study" in tested.get("/analysis").text
    page = tested.get("/survival", params=output).text
    rows = list(csv.DictReader(StringIO(tested.get("/survival.csv", params=output).text)))
    assert "Hazard ratio" in page and f"{len(rows)} tested genes" in page
    first = rows[0]["gene"]
    found = tested.get("/survival/table", params=output | {"search": first}).text
    assert first in found and "1 to 1 of 1 gene" in found
    ascending = tested.get("/survival/table", params=output | {"sort": "hazard_ratio"}).text
    assert min(rows, key=lambda row: float(row["hazard_ratio"]))["gene"] in ascending
    book = tested.get("/survival.xlsx", params=output)
    assert book.content.startswith(b"PK")

    gene = output | {"gene": first}
    page = tested.get("/survival/gene", params=gene).text
    assert f"{float(rows[0]['hazard_ratio']):.2f}" in page and "Rank 1" in page
    drawn = tested.get("/survival/curves", params=gene).json()
    curves = series_of(drawn, "line")
    assert list(curves) == ["low", "high"]
    assert all(curve["y"][0] == 1 and curve["x"][0] == 0 for curve in curves.values())
    assert "Log-rank" in drawn["note"]
    assert tested.get("/survival/gene", params=output | {"gene": "NONE"}).status_code == 404

    (tmp_path / "tables" / "My_study" / "study.csv").unlink()
    assert "Rank 1" in tested.get("/survival/gene", params=gene).text
    assert tested.get("/survival/curves", params=gene).status_code == 404


def test_the_interval_of_a_hazard_ratio_is_one_of_ratios(tested: Browser) -> None:
    output = {"output": "analyses/001-My_study"}
    logs = {
        row["gene"]: row
        for row in csv.DictReader(StringIO(tested.get("/survival.csv", params=output).text))
    }
    rows = rows_of(tested.get("/survival/table", params=output).text)
    assert len(rows) == min(50, len(logs))
    for row in rows:
        low, middle, high = (float(row[name]) for name in ("95 % from", "Hazard ratio", "to"))
        assert low <= middle <= high
        for shown, name in ((low, "ci_low"), (high, "ci_high")):
            expected = math.exp(float(logs[row["Gene"]][name]))
            assert shown == pytest.approx(expected, rel=0.05, abs=0.006), (row, name)


@pytest.mark.parametrize("name", ["..", "/etc", "analyses", "analyses/../tables", ""])
def test_other_folders_are_not_opened(tested: Browser, name: str) -> None:
    for path in ("/survival", "/survival.csv", "/survival/table", "/survival/curves"):
        assert tested.get(path, params={"output": name}).status_code == 404


def test_damaged_results_are_reported(tested: Browser, tmp_path: Path) -> None:
    output = {"output": "analyses/001-My_study"}
    folder = tmp_path / "analyses" / "001-My_study"
    kept = (folder / "survival.json").read_text()
    (folder / "survival.json").write_text(json.dumps({"warnings": []}))
    answer = tested.get("/survival", params=output)
    assert answer.status_code == 400 and "run the analysis again" in answer.text
    (folder / "survival.json").write_text(kept)
    (folder / "genes.csv").write_text("gene,p\nTP53,0.1\n")
    answer = tested.get("/survival", params=output)
    assert answer.status_code == 400 and "genes.csv" in answer.text


def test_a_read_only_link_shows_a_time_to_an_event_and_nothing_else(
    tested: Browser, tmp_path: Path
) -> None:
    output = {"output": "analyses/001-My_study"}
    with Browser(tmp_path, group_access(tmp_path)) as browser:
        anna = Person(browser, "anna")
        assert "Read-only link" in anna.get("/survival", params=output).text
        link = anna.link_to("/survival", output)
        other = anna.post("/links/share", params={"output": "results", "page": "/survival"})
        assert other.status_code == 404
        browser.cookies.clear()
        page = browser.get(link)
        assert "tested genes" in page.text and "Read-only link" not in page.text
        first = next(
            csv.DictReader(StringIO(browser.get(f"{link}survival.csv", params=output).text))
        )
        asked = output | {"gene": first["gene"]}
        assert "Rank 1" in browser.get(f"{link}survival/gene", params=asked).text
        assert browser.get(f"{link}survival/curves", params=asked).json()["rows"]
        for path, place in (("survival", {"output": "x"}), ("genes", output), ("tables", PLACE),
                            ("study", output), ("", {})):  # fmt: skip
            refused = browser.get(f"{link}{path}", params=place)
            assert refused.status_code == (403 if path else 200), path
