"""Series in any folder: matrices side by side, folders named after series, and one series."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from genotex.app import Access
from genotex.layout import GeoCohortFiles, InputFolder, OutputFolder
from genotex.studies import AnalysisRecord, Workspace
from tests.app.conftest import PORT, opened, queue_of, wait
from tests.geo_text import asthma, series_matrix, write_gz

NAMES = ("GSE11", "GSE12")


def write_series(folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = series_matrix(accession=name, characteristics=asthma(12))
    write_gz(folder / f"{name}_series_matrix.txt.gz", text)


def side_by_side(root: Path) -> None:
    for name in NAMES:
        write_series(root, name)


def in_folders(root: Path) -> None:
    for name in NAMES:
        write_series(root / name, name)


def one_below(root: Path) -> None:
    for name in NAMES:
        write_series(root / "downloads", name)


LAYOUTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "side by side": (side_by_side, "."),
    "folders named after series": (in_folders, "."),
    "in a folder below": (one_below, "downloads"),
}


@pytest.fixture(params=LAYOUTS)
def laid_out(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    make, name = LAYOUTS[request.param]
    make(tmp_path)
    return tmp_path, name


def test_series_are_found_once_wherever_they_are(laid_out: tuple[Path, str]) -> None:
    root, name = laid_out
    (found,) = Workspace(root).inputs()
    assert (found.name, bool(found.loose), found.series) == (name, True, {"Unsorted": [*NAMES]})
    for trait in ("Unsorted", "Asthma"):
        files = Workspace(root).series(trait, "GSE12")
        assert files is not None and files.trait == trait and len(files.matrices) == 1
    assert Workspace(root).series("Asthma", "GSE13") is None
    assert Workspace(root).series("", "GSE12") is None


def test_a_folder_of_one_series_is_one(tmp_path: Path) -> None:
    folder = tmp_path / "GSE11"
    write_series(folder, "GSE11")
    (found,) = Workspace(folder).inputs()
    assert found.series == {"Unsorted": ["GSE11"]}


@pytest.mark.everyday
def test_a_trait_is_named_in_the_browser_and_the_series_are_analysed(
    laid_out: tuple[Path, str],
) -> None:
    root, source = laid_out
    with opened(root, Access(PORT)) as browser:
        page = browser.get("/").text
        assert "Series without a trait" in page
        assert "/samples?trait=Unsorted&amp;series=GSE11" in page
        alone = browser.get("/samples?trait=Unsorted&series=GSE11").text
        assert 'action="/samples/trait"' in alone
        typed = {"trait": "asthma", "series": "GSE11"}
        there = browser.get("/samples/trait", params=typed, follow_redirects=False)
        assert there.headers["location"] == "/samples?trait=Asthma&series=GSE11"
        sheet = browser.get(there.headers["location"]).text
        assert "6 case" in sheet and "6 control" in sheet
        form = browser.get("/analysis?trait=asthma&sent=1&series=GSE11")
        assert form.status_code == 200 and 'value="GSE11" checked' in form.text
        assert 'value="GSE12" checked' not in form.text
        asked = {"trait": "Asthma", "series": ["GSE11"], "sent": "1"}
        assert browser.post("/analysis", data=asked, headers=browser.own).status_code == 200
        (record,) = wait(queue_of(browser))
        assert isinstance(record, AnalysisRecord)
        assert (record.source, record.state) == (source, "done"), record.message
        output = OutputFolder(root / record.output)
        assert output.significant_genes("Asthma", None).is_file()
        # Its results are no series.
        assert [each.name for each in Workspace(root).inputs()] == [source]


@pytest.mark.parametrize("trait", ["../x", "", "a/b", ".", "x" * 300])
def test_traits_that_lead_elsewhere_are_refused(tmp_path: Path, trait: str) -> None:
    side_by_side(tmp_path)
    with opened(tmp_path, Access(PORT)) as browser:
        typed = {"trait": trait, "series": "GSE11"}
        answer = browser.get("/samples/trait", params=typed, follow_redirects=False)
        assert answer.status_code == 400
        assert browser.get("/samples", params=typed).status_code in (400, 404)


def test_an_upload_does_not_hide_what_is_there(tmp_path: Path) -> None:
    side_by_side(tmp_path)
    sent = tmp_path / "sent"
    write_series(sent, "GSE7")
    content = (sent / "GSE7_series_matrix.txt.gz").read_bytes()
    shutil.rmtree(sent)
    with opened(tmp_path, Access(PORT)) as browser:
        files = [("files", ("GSE7_series_matrix.txt.gz", content))]
        data = {"trait": "Asthma", "accession": "GSE7"}
        answer = browser.post("/add/series", data=data, files=files, headers=browser.own)
        assert answer.status_code == 200, answer.text
    found = {each.name: each.series for each in Workspace(tmp_path).inputs()}
    assert found == {".": {"Unsorted": [*NAMES]}, "input": {"Asthma": ["GSE7"]}}


def test_a_series_is_found_through_no_link_out_of_the_folder(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    write_series(outside, "GSE11")
    root.mkdir()
    (root / "GSE11").symlink_to(outside)
    (root / "GSE12_series_matrix.txt.gz").symlink_to(outside / "GSE11_series_matrix.txt.gz")
    workspace = Workspace(root)
    assert workspace.series("Asthma", "GSE11") is None
    assert workspace.series("Asthma", "GSE12") is None


@pytest.mark.parametrize("path", ["/", "/analysis?trait=Asthma", "/samples?trait=Asthma&series="])
def test_a_page_reads_the_folders_of_few_series_however_many_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    names = [f"GSE{20 + i}" for i in range(25)]
    for name in names:
        write_series(tmp_path / "input" / "GEO" / "Asthma" / name, name)
    scanned: list[GeoCohortFiles] = []
    real = InputFolder.geo_cohorts

    def counted(
        self: InputFolder, trait: str, names: Collection[str] | None = None
    ) -> list[GeoCohortFiles]:
        found = real(self, trait, names)
        scanned.extend(found)
        return found

    with opened(tmp_path, Access(PORT)) as browser:
        monkeypatch.setattr(InputFolder, "geo_cohorts", counted)
        page = browser.get(path + (names[3] if path.endswith("=") else ""))
        assert page.status_code == 200 and names[3] in page.text
    # The line of steps shows the state of at most 20.
    assert len(scanned) <= (20 if path.startswith("/analysis") else 3)
