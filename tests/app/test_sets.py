"""Gene sets of an analysis: files, tests, table, running sum, and the genes in the plots."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.analysis import Enrichment, enrich_problem, read_enrichment, read_result, running_sum
from genotex.app import Access
from genotex.genes import ontology_terms
from genotex.layout import OutputFolder
from genotex.options import EnrichmentOptions
from genotex.problems import Problem
from genotex.reports import write_report
from genotex.studies import GENE_SETS
from tests.app.conftest import Browser, opened, queue_of, wait
from tests.app.drawn import marks_of, series_of


@pytest.fixture(scope="module")
def own_folder(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    shutil.copytree(study_folder / "results", folder / "results")
    return folder


@pytest.fixture
def page(own_folder: Path, access: Access) -> Iterator[Browser]:
    with opened(own_folder, access) as browser:
        yield browser


@pytest.fixture(scope="module")
def gmt(own_folder: Path) -> bytes:
    """Return sets of the first genes, of the last, and of every tenth."""
    output = OutputFolder(own_folder / "results")
    table = read_result(output, output.traits()[0], None).genes
    genes = table.filter(pl.col("Status") == "tested")["Variable"].to_list()
    sets = {"TOP_<b>": genes[:30], "LAST": genes[-40:], "TENTH": genes[::10][:60]}
    return "".join("\t".join([k, "made", *v]) + "\n" for k, v in sets.items()).encode()


@pytest.fixture(scope="module")
def tested(own_folder: Path, gmt: bytes) -> Enrichment:
    """Return the sets, tested as by the command."""
    file = own_folder / GENE_SETS / "mine.gmt"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(gmt)
    output = OutputFolder(own_folder / "results")
    problem = Problem(output.traits()[0])
    found = enrich_problem(output, problem, file, EnrichmentOptions(min_size=5))
    write_report(output, problem.trait, None)
    return found


def send(page: Browser, place: dict[str, str], name: str, content: bytes) -> tuple[int, str]:
    files = {"sent": (name, content)}
    data = {"test": "camera", "min_size": "5", "max_size": "500", "q": "0.05"}
    headers = {**page.own, "HX-Request": "true"}
    answer = page.post("/sets", params=place, files=files, data=data, headers=headers)
    return answer.status_code, answer.text


@pytest.mark.everyday
def test_sets_are_tested_as_by_the_command(
    page: Browser, place: dict[str, str], gmt: bytes, own_folder: Path, tmp_path: Path
) -> None:
    assert "Test the gene sets" in page.get("/sets", params=place).text
    status, text = send(page, place, "mine.gmt", gmt)
    assert status == 200 and "mine.gmt: " in text and "Cancel" in text
    (record,) = wait(queue_of(page))
    assert record.state == "done" and "of 3 sets significant" in record.message, record
    assert "/sets?output=results" in page.get("/analysis/history").text
    ended = page.get("/sets/job", params=place | {"name": record.name})
    assert ended.headers["hx-redirect"].startswith("/sets?")
    output = OutputFolder(own_folder / "results")
    found = read_enrichment(output, place["trait"], None)
    assert found is not None
    shutil.copytree(own_folder / "results", tmp_path / "copy")
    again = enrich_problem(
        OutputFolder(tmp_path / "copy"),
        Problem(place["trait"]),
        own_folder / GENE_SETS / "mine.gmt",
        EnrichmentOptions(min_size=5),
    )
    assert again.sets.equals(found.sets)
    text = page.get("/sets", params=place).text
    assert "LAST" in text and "TOP &lt;b&gt;" in text and "TOP <b>" not in text
    assert "LAST" not in page.get("/sets/table", params=place | {"search": "top"}).text
    csv = page.get("/sets.csv", params=place).text
    assert len(csv.splitlines()) == 4
    assert page.get("/sets.xlsx", params=place).content[:2] == b"PK"


def test_gene_ontology_is_tested_with_one_click_and_cited(
    page: Browser, place: dict[str, str], study_folder: Path, own_folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(study_folder / "results", own_folder / "other")
    there = place | {"output": "other"}
    text = page.get("/genes", params=there).text
    assert "Test gene sets" in text and "go-bp" in text
    sent = page.post("/sets", params=there, data={"file": "go-bp"}, headers=page.own)
    assert sent.is_success
    (record,) = wait(queue_of(page))
    assert record.state == "done", record
    found = read_enrichment(OutputFolder(own_folder / "other"), place["trait"], None)
    assert found is not None and found.record["gene_sets"]["licence"] == "CC BY 4.0"
    terms = {each.name: each for each in ontology_terms("bp")}
    row = found.sets.filter(pl.col("Overlap p").is_not_null()).row(0, named=True)
    assert row["Description"] == terms[row["Gene Set"]].term
    shown = page.get("/set", params=there | {"set": row["Gene Set"]}).text
    assert f"of {len(terms[row['Gene Set']].genes)} in this analysis" in shown
    assert "CC BY 4.0" in page.get("/sets", params=there).text
    assert "Gene Ontology Consortium 2021; CC BY 4.0" in page.get("/methods", params=there).text


def test_the_running_sum_peaks_at_the_enrichment_score(
    page: Browser, place: dict[str, str], tested: Enrichment
) -> None:
    for row in tested.sets.iter_rows(named=True):
        there = place | {"set": row["Gene Set"]}
        assert page.get("/set", params=there).status_code == 200
        drawn = page.get("/set/running", params=there).json()
        assert len(marks_of(drawn)) == row["Tested Genes"]
        if row["Enrichment Score"] is not None:
            peak = max(series_of(drawn, "line")["one"]["y"], key=abs)
            assert peak == pytest.approx(row["Enrichment Score"], abs=1e-5)


def test_the_genes_of_a_set_are_highlighted(
    page: Browser, place: dict[str, str], tested: Enrichment
) -> None:
    answer = page.post("/set/mark", params=place | {"set": "LAST"}, headers=page.own)
    assert answer.headers["hx-redirect"].startswith("/genes?")
    marked = page.get("/genes.csv", params=place | {"only": "highlighted"}).text
    assert len(marked.splitlines()) == 41


def test_a_running_sum_follows_its_definition() -> None:
    # By hand: hits at 3 of |t| sum 3 + 1 = 4, three misses.
    total = running_sum(
        np.array([True, False, False, True, False]), np.array([3.0, 2.0, 0.5, -1.0, -2.0])
    )
    assert total == pytest.approx([0.75, 0.75 - 1 / 3, 0.75 - 2 / 3, 1 - 2 / 3, 0.0])


@pytest.mark.parametrize("name", ["../../evil.gmt", "..\\evil.gmt", "/tmp/evil.gmt"])
def test_an_upload_stays_in_its_folder(
    page: Browser, place: dict[str, str], gmt: bytes, own_folder: Path, name: str
) -> None:
    assert send(page, place, name, gmt)[0] == 200
    assert (own_folder / GENE_SETS / "evil.gmt").is_file()
    assert not (own_folder / "evil.gmt").exists()
    assert not (own_folder.parent / "evil.gmt").exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.gmt", b"<!DOCTYPE html><html></html>"),
        ("short.gmt", b"ONE\tx\n"),
        ("sets.txt", b"A\tb\tTP53\n"),
        (".gmt.exe", b"A\tb\tTP53\n"),
        ("empty.gmt", b""),
    ],
)
def test_other_files_are_refused_and_not_kept(
    page: Browser, place: dict[str, str], own_folder: Path, name: str, content: bytes
) -> None:
    status, text = send(page, place, name, content)
    assert status == 400 and str(own_folder) not in text
    assert not (own_folder / GENE_SETS / name).exists()


def test_a_file_is_not_overwritten_by_another_of_its_name(
    page: Browser, place: dict[str, str], gmt: bytes
) -> None:
    assert send(page, place, "kept.gmt", gmt)[0] == 200
    status, text = send(page, place, "kept.gmt", gmt + b"MORE\tx\tTP53\n")
    assert status == 400 and "rename" in text


def test_a_test_waits_for_its_turn_is_shown_again_and_can_be_cancelled(
    page: Browser, place: dict[str, str], gmt: bytes, own_folder: Path
) -> None:
    before = sorted((own_folder / "results").rglob("*"))
    assert send(page, place, "mine.gmt", gmt)[0] == send(page, place, "mine.gmt", gmt)[0] == 200
    last, first = queue_of(page).records()
    assert last.name in page.get("/sets", params=place).text
    for record in (last, first):
        asked = place | {"name": record.name}
        assert page.post("/sets/cancel", params=asked).status_code == 403
        assert page.post("/sets/cancel", params=asked, headers=page.own).is_success
    assert [record.state for record in wait(queue_of(page))] == ["cancelled"] * 2
    text = page.get("/sets/job", params=place | {"name": first.name}).text
    assert "cancelled" in text and "hx-get" not in text
    assert sorted((own_folder / "results").rglob("*")) == before


def test_sets_that_cannot_be_tested_are_a_failed_job(
    page: Browser, place: dict[str, str], tested: Enrichment
) -> None:
    status, _ = send(page, place, "strange.gmt", b"ONE\tx\tNOT1\tNOT2\n")
    assert status == 200
    (record,) = wait(queue_of(page))
    text = page.get("/sets/job", params=place | {"name": record.name}).text
    assert record.state == "failed" and 'class="error"' in text and "hx-get" not in text


def test_without_the_header_nothing_is_tested(
    page: Browser, place: dict[str, str], gmt: bytes
) -> None:
    files = {"sent": ("a.gmt", gmt)}
    assert page.post("/sets", params=place, files=files).status_code == 403
    assert page.post("/set/mark", params=place | {"set": "LAST"}).status_code == 403


def test_an_unknown_set_is_not_found(
    page: Browser, place: dict[str, str], tested: Enrichment
) -> None:
    assert page.get("/sets/job", params=place | {"name": "<i>"}).status_code == 404
    answer = page.get("/set", params=place | {"set": "<i>"})
    assert answer.status_code == 404 and "<i>" not in answer.text


def test_the_methods_paragraph_names_the_gene_sets(
    page: Browser, place: dict[str, str], tested: Enrichment
) -> None:
    answer = page.get("/methods", params=place)
    assert "gene set" in answer.text and "attachment" in answer.headers["content-disposition"]
    assert page.get("/script", params=place).status_code == 404
    saved = page.get("/report", params=place | {"save": "1"})
    assert "attachment" in saved.headers["content-disposition"]


def test_methods_are_copied_without_the_sets_of_another_table(
    page: Browser, place: dict[str, str], tested: Enrichment, own_folder: Path
) -> None:
    output = OutputFolder(own_folder / "results")
    table = output.enrichment(tested.trait, None).with_suffix(".csv")
    whole, with_sets = table.read_bytes(), page.get("/methods", params=place).text
    table.write_bytes(whole.rsplit(b"\n", 2)[0] + b"\n")
    try:
        answer = page.get("/methods", params=place)
        assert answer.status_code == 200 and "gene set" not in answer.text
        before, _, after = answer.text.partition(" Software: ")
        assert with_sets.startswith(before) and with_sets.endswith(after) and after
        assert 'role="alert"' in page.get("/sets", params=place).text
    finally:
        table.write_bytes(whole)
