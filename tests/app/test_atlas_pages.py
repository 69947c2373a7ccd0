"""The atlas in the workbench: its pages, tables, figures, and building one."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.app import Access, Atlases
from genotex.atlas import AtlasReader, build_atlas, compare_traits, find_gene, find_trait
from genotex.studies import AtlasRecord, Workspace
from tests.app.conftest import PORT, Browser, opened, queue_of, wait
from tests.app.drawn import marks_of, series_of
from tests.atlas.result_folders import GENES, write_cohort

HERE = {"atlas": "atlas"}
CHANGED = {gene: 4.0 if i % 2 else -4.0 for i, gene in enumerate(GENES[:20])}
REVERSED = {gene: -size for gene, size in CHANGED.items()}
BAD = "<img src=x onerror=alert(1)>"
COHORTS = [
    ("Lupus_(SLE)", "GSE1", CHANGED),
    ("Lupus_(SLE)", "GSE2", CHANGED),
    ("Eczema", "GSE3", CHANGED),
    ("Psoriasis", "GSE4", REVERSED),
    *((f"Trait_{i}", f"GSE{i}", {}) for i in range(5, 14)),
]


def write_results(folder: Path) -> None:
    for seed, (trait, cohort, changed) in enumerate(COHORTS):
        write_cohort(folder / cohort, trait, cohort, seed=seed, changed=changed)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with results of thirteen cohorts, and their atlas."""
    folder = tmp_path_factory.mktemp("collected")
    write_results(folder)
    build_atlas([folder], folder / "atlas")
    return folder


@pytest.fixture(scope="module")
def tab(folder: Path) -> Iterator[Browser]:
    with opened(folder, Access(PORT)) as browser:
        yield browser


def csv_of(tab: Browser, path: str, **place: str) -> pl.DataFrame:
    answer = tab.get(path, params=HERE | place)
    assert answer.status_code == 200
    return pl.read_csv(io.BytesIO(answer.content))


def test_the_first_page_names_the_atlas_and_how_much_it_holds(tab: Browser) -> None:
    page = tab.get("/").text
    assert 'href="/atlas?atlas=atlas"' in page and "12 traits, 13 cohorts" in page


def test_the_only_atlas_needs_no_name(tab: Browser) -> None:
    answer = tab.get("/atlas")
    assert str(answer.url).endswith("/atlas?atlas=atlas") and "Map of traits" in answer.text


def test_a_manifest_of_something_else_is_no_atlas(tmp_path: Path) -> None:
    for name, text in {"web": '{"name": "app"}', "list": "[]", "cut": "{", "old": "null"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(text, encoding="utf-8")
    assert Atlases().found(Workspace(tmp_path)) == []


def test_an_atlas_that_was_never_finished_is_none(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "atlas").mkdir()
    manifest = json.loads((folder / "atlas" / "manifest.json").read_text())
    (tmp_path / "atlas" / "manifest.json").write_text(json.dumps(manifest | {"files": {}}))
    assert Atlases().get(Workspace(tmp_path), "atlas") is None


def test_an_atlas_whose_files_are_outside_the_folder_is_none(tmp_path: Path, folder: Path) -> None:
    shutil.copytree(folder / "atlas", tmp_path / "outside")
    inside = tmp_path / "inside" / "atlas"
    inside.mkdir(parents=True)
    shutil.copy(folder / "atlas" / "manifest.json", inside)
    for path in (tmp_path / "outside").iterdir():
        if path.name != "manifest.json":
            (inside / path.name).symlink_to(path)
    assert Atlases().found(Workspace(tmp_path / "inside")) == []
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "atlas").symlink_to(tmp_path / "outside")
    assert Atlases().get(Workspace(tmp_path / "linked"), "atlas") is None


def test_facts_and_traits_of_the_atlas(tab: Browser) -> None:
    page = tab.get("/atlas", params=HERE).text
    assert "<dt>Traits</dt><dd>12</dd>" in page and "<dt>Genes</dt><dd>300</dd>" in page
    assert "/atlas/trait?atlas=atlas&amp;trait=Lupus_%28SLE%29" in page
    found = csv_of(tab, "/atlas.csv", only="with significant genes", sort="trait")
    assert found["trait"].to_list() == ["Eczema", "Lupus_(SLE)", "Psoriasis"]
    assert found.filter(pl.col("trait") == "Lupus_(SLE)")["combined"].item() == 2


def test_the_map_is_the_similarity_in_the_order_of_the_tree(tab: Browser, folder: Path) -> None:
    data = tab.get("/atlas/map", params=HERE).json()
    tree = compare_traits(AtlasReader(folder / "atlas"))
    assert data["traits"] == list(tree.names)
    cells = np.array(series_of(data, "cells")["one"]["y"])
    assert cells == pytest.approx(tree.similarity, abs=1e-4)
    lines = series_of(data, "line")["tree"]["y"]
    # Each of n - 1 joins of the tree is three lines between four points, then a gap.
    assert len(lines) == 5 * (len(tree.names) - 1)
    one, other = (data["traits"].index(name) for name in ("Eczema", "Lupus_(SLE)"))
    joins = [lines[i : i + 5] for i in range(0, len(lines), 5)]
    assert [min(one, other)] * 2 + [max(one, other)] * 2 + [None] in joins


def test_a_pair_shows_what_the_two_have_in_common(tab: Browser) -> None:
    place = HERE | {"trait": "Eczema", "other": "Lupus_(SLE)"}
    part = tab.get("/atlas/pair", params=place).text
    assert "Platforms in common</dt><dd>1" in part and "Genes in common</dt><dd>299" in part
    assert "/atlas/trait?atlas=atlas&amp;trait=Eczema" in part
    turned = HERE | {"trait": "Lupus_(SLE)", "other": "Eczema"}
    assert tab.get("/atlas/pair", params=turned).text == part
    assert "<h3" in tab.get("/atlas/pairs", params=place).text
    for bad in ({"trait": "Eczema", "other": "Eczema"}, {"trait": "Gout", "other": "Eczema"}):
        assert tab.get("/atlas/pair", params=HERE | bad).status_code == 404


def test_pairs_are_searched_by_either_trait_and_filtered(tab: Browser) -> None:
    found = csv_of(tab, "/atlas/pairs.csv", search="lupus (sle)")
    assert found.height == 11
    near = csv_of(tab, "/atlas/pairs.csv", only="above 0.3, no samples in common")
    assert {near["trait"][0], near["other"][0]} == {"Eczema", "Lupus_(SLE)"}
    away = csv_of(tab, "/atlas/pairs.csv", only="reversed (below \N{MINUS SIGN}0.3)")
    assert all("Psoriasis" in row for row in away.select("trait", "other").rows())


def test_a_gene_across_traits_and_cohorts(tab: Browser, folder: Path) -> None:
    gene = GENES[1]
    page = tab.get("/atlas/gene", params=HERE | {"gene": gene.lower()}).text
    assert f"<h1>{gene}</h1>" in page and "ncbi.nlm.nih.gov/gene" in page
    expected = find_gene(AtlasReader(folder / "atlas"), gene)
    traits = csv_of(tab, "/atlas/gene.csv", gene=gene)
    assert traits["trait"].to_list() == expected.traits["trait"].to_list()
    assert traits["p"].to_list() == pytest.approx(expected.traits["p"].to_list())
    cohorts = csv_of(tab, "/atlas/gene/cohorts.csv", gene=gene, search="lupus")
    assert cohorts["cohort"].to_list() == ["GSE1", "GSE2"]
    # A result that the folder holds leads to its analysis.
    assert f"/gene?output=GSE1&amp;trait=Lupus_%28SLE%29&amp;gene={gene}" in page


def test_a_search_among_cohorts_leaves_the_table_of_traits_alone(tab: Browser) -> None:
    place = HERE | {"gene": GENES[1], "search": "Eczema"}
    page = tab.get("/atlas/gene/cohorts", params=place).text
    assert "1 to 12 of 12 traits" in page and "1 to 1 of 1 result (of 13)" in page


def test_the_figure_of_a_gene_has_intervals_by_p(tab: Browser) -> None:
    data = tab.get("/atlas/gene/forest", params=HERE | {"gene": GENES[1]}).json()
    (panel,), drawn, lines = data["rows"][0], series_of(data), series_of(data, "intervals")
    assert panel["x"]["label"] == "Hedges' g" and len(marks_of(data)) == 12
    assert "Psoriasis" in drawn["down"]["ids"] and "Eczema" in drawn["up"]["ids"]
    assert min(drawn["up"]["x"]) > 0 > max(drawn["down"]["x"])
    for meaning, line in lines.items():
        ends = zip(line["low"], drawn[meaning]["x"], line["high"], strict=True)
        assert all(low < effect < high for low, effect, high in ends)


def test_an_unknown_gene_is_answered_with_names_spelt_alike(tab: Browser) -> None:
    answer = tab.get("/atlas/gene", params=HERE | {"gene": "GENE0011"})
    assert answer.status_code == 404 and "spelt alike: GENE011" in answer.text
    assert tab.get("/atlas/gene", params=HERE).status_code == 404


def test_genes_and_cohorts_of_a_trait(tab: Browser, folder: Path) -> None:
    place = HERE | {"trait": "Lupus_(SLE)"}
    page = tab.get("/atlas/trait", params=place).text
    assert "GSE1" in page and "/genes?output=GSE1" in page and "whole blood" in page
    expected = find_trait(AtlasReader(folder / "atlas"), "Lupus_(SLE)").genes
    found = csv_of(tab, "/atlas/trait.csv", trait="Lupus_(SLE)")
    assert found["gene"].to_list() == expected["gene"].to_list()
    low = csv_of(tab, "/atlas/trait.csv", trait="Lupus_(SLE)", only="significant, lower")
    assert set(low["gene"]) <= set(GENES[:20:2]) and low.height > 5
    table = tab.get("/atlas/trait/table", params=place | {"search": "GENE29", "sort": "rank"}).text
    assert "GENE290" in table and f"gene={GENES[0]}" not in table
    assert tab.get("/atlas/trait", params=HERE | {"trait": "Lupos"}).status_code == 400


def test_a_cohort_that_was_not_combined_is_listed_with_the_reason(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_cohort(tmp_path / name, "Gout", "GSE1", seed=1)
    write_cohort(tmp_path / "c", "Gout", "GSE2", seed=2)
    build_atlas([tmp_path], tmp_path / "atlas")
    with opened(tmp_path, Access(PORT)) as browser:
        page = browser.get("/atlas/trait", params=HERE | {"trait": "Gout"}).text
        home, atlas = browser.get("/").text, browser.get("/atlas", params=HERE).text
    assert page.count("was not combined:") == 1
    assert "over 3 cohorts in all folders, 1 of them not combined." in page
    # One cohort was analysed in two folders.
    assert "</a>: 1 trait, 2 cohorts</li>" in home
    assert "<dt>Cohorts</dt><dd>2</dd>" in atlas and "<dt>Results</dt><dd>3</dd>" in atlas


def test_a_trait_that_cannot_be_combined_has_its_cohorts(tmp_path: Path) -> None:
    write_cohort(tmp_path / "a", "Stage", "GSE1", kind="factor")
    build_atlas([tmp_path], tmp_path / "atlas")
    with opened(tmp_path, Access(PORT)) as browser:
        page = browser.get("/atlas/trait", params=HERE | {"trait": "Stage"}).text
        assert "no genes are combined" in page and "GSE1" in page and 'id="search"' not in page
        assert "At least two traits" in browser.get("/atlas", params=HERE).text
        assert browser.get("/atlas/map", params=HERE).status_code == 400
        found = browser.get("/atlas/gene/forest", params=HERE | {"gene": GENES[0]}).json()
        assert "rows" not in found and "No trait" in found["note"]


def test_results_given_a_condition_are_kept_apart(tmp_path: Path) -> None:
    for seed, (trait, condition) in enumerate(
        (t, c) for t in ("Gout", "Asthma", "Lupus") for c in (None, "Heart_failure")
    ):
        name, changed = f"GSE{seed}", CHANGED if condition else {}
        write_cohort(tmp_path / name, trait, name, seed=seed, changed=changed, condition=condition)
    build_atlas([tmp_path], tmp_path / "atlas")
    given, gout = {"condition": "Heart_failure"}, {"trait": "Gout"}
    with opened(tmp_path, Access(PORT)) as browser:
        page = browser.get("/atlas", params=HERE).text
        assert '<option value="Heart_failure">Heart failure</option>' in page
        assert "trait=Gout&amp;condition=Heart_failure" in page
        plain, alike = (
            min(
                min(row)
                for row in series_of(browser.get("/atlas/map", params=HERE | more).json(), "cells")[
                    "one"
                ]["y"]
            )
            for more in ({}, given)
        )
        assert plain < 0.3 < alike
        page = browser.get("/atlas/trait", params=HERE | gout | given).text
        assert "given Heart failure" in page and "GSE1" in page and "GSE0" not in page
        assert "condition=Heart_failure&amp;search=Gout" in page
        page = browser.get("/atlas/pairs", params=HERE | given).text
        assert '<option value="Heart_failure" selected>' in page
        drawn = browser.get("/atlas/gene/forest", params=HERE | given | {"gene": GENES[1]}).json()
        assert sorted(marks_of(drawn)) == ["Asthma", "Gout", "Lupus"]
        for condition, height in (("", 3), ("Heart_failure", 3), ("all", 6)):
            there = ask(browser, " ".join(GENES[1:20:2]), condition=condition)
            table = browser.get(there.replace("/similar?", "/similar.csv?")).content
            assert pl.read_csv(io.BytesIO(table)).height == height
        refused = browser.post(
            "/atlas/similar", params=HERE, data={"up": "A", "condition": "x"}, headers=browser.own
        )
        assert refused.status_code == 400 and "compares no results given" in refused.text


@pytest.mark.parametrize(("search", "rows"), [("", 299), ("GENE1", 100), ("GENE00", 10)])
def test_pages_of_a_table_have_each_row_once_and_none_is_empty(
    tab: Browser, search: str, rows: int
) -> None:
    place = HERE | {"trait": "Eczema", "search": search}
    wanted = csv_of(tab, "/atlas/trait.csv", **place)["gene"].to_list()
    assert len(wanted) == rows
    found, page = [], 1
    while page:
        text = tab.get("/atlas/trait/table", params=place | {"page": str(page)}).text
        names = re.findall(r'<th scope="row" class="name"><a[^>]*>(.*?)</a>', text)
        assert names, page
        assert f"{len(found) + 1} to {len(found) + len(names)} of {rows}" in text
        found += names
        (following,) = re.findall(r"page=(\d+)[^>]*>Next<", text) or ("0",)
        page = int(following)
    assert found == wanted


def ask(tab: Browser, up: str, down: str = "", **more: str) -> str:
    data = {"up": up, "down": down, "by": "trait", "condition": ""} | more
    answer = tab.post("/atlas/similar", params=HERE, data=data, headers=tab.own)
    assert answer.status_code == 200, answer.text
    return answer.headers["HX-Redirect"]


def test_a_signature_finds_its_trait_and_the_reverse(tab: Browser) -> None:
    there = ask(tab, ", ".join(GENES[1:20:2]), "\n".join([*GENES[0:20:2], "NOSUCH"]))
    page = tab.get(there).text
    assert "NOSUCH" in page and "reversed" in page
    table = tab.get(there.replace("/similar?", "/similar.csv?")).content
    found = pl.read_csv(io.BytesIO(table))
    assert found["direction"][0] == "similar" and "Psoriasis" in found["trait"].head(3).to_list()
    cohorts = tab.get(there.replace("by=trait", "by=cohort").replace("/similar?", "/similar.csv?"))
    assert pl.read_csv(io.BytesIO(cohorts.content)).height == 13


@pytest.mark.parametrize(("first", "last"), [(0, 20), (12, 24)])
@pytest.mark.parametrize("by", ["trait", "cohort"])
def test_rows_of_a_signature_stand_out_by_their_q_and_not_by_their_p(
    tab: Browser, first: int, last: int, by: str
) -> None:
    there = ask(tab, " ".join(GENES[first + 1 : last : 2]), " ".join(GENES[first:last:2]), by=by)
    files = there.replace("/similar?", "/similar.csv?")
    found = pl.read_csv(io.BytesIO(tab.get(files).content))
    # One signature is clear, of the other no q is below 0.05, though the p-values of some are.
    low = found.filter(pl.col("q") < 0.05)
    assert (low.height > 0) == (first == 0) and (found["p"] < 0.05).any()
    only = tab.get(files + "&only=q+below+0.05")
    assert pl.read_csv(io.BytesIO(only.content))[by].to_list() == low[by].to_list()
    assert tab.get(there).text.count('<tr class="sig') == low.height


@pytest.mark.parametrize(
    ("up", "why"),
    [("", "has no genes"), ("A B C D", "of the signature are in"), ("GENE001", "3 are needed")],
)
def test_a_signature_without_known_genes_is_refused(tab: Browser, up: str, why: str) -> None:
    data = {"up": up, "down": "", "by": "trait"}
    answer = tab.post("/atlas/similar", params=HERE, data=data, headers=tab.own)
    assert answer.status_code == 400 and why in answer.text


def test_a_signature_of_an_earlier_start_is_asked_for_again(tab: Browser) -> None:
    page = tab.get("/atlas/similar", params=HERE | {"of": "0123456789abcdef"}).text
    assert "Paste the genes once more" in page
    there = HERE | {"of": "0123456789abcdef"}
    assert tab.get("/atlas/similar/table", params=there).status_code == 404


def test_a_gene_of_an_analysis_leads_to_the_atlas(
    study_folder: Path, tmp_path: Path, place: dict[str, str]
) -> None:
    shutil.copytree(study_folder, tmp_path, dirs_exist_ok=True)
    with opened(tmp_path, Access(PORT)) as browser:
        table = browser.get("/genes.csv", params=place).text.splitlines()
        gene = table[1].partition(",")[0]
        assert "/atlas/gene" not in browser.get("/gene", params=place | {"gene": gene}).text
        build_atlas([tmp_path / "results"], tmp_path / "atlas")
        page = browser.get("/gene", params=place | {"gene": gene}).text
        there = f"/atlas/gene?atlas=atlas&amp;gene={gene}"
        assert there in page
        assert "/gene?output=results" in browser.get(there.replace("&amp;", "&")).text


@pytest.mark.everyday
def test_an_atlas_is_built_and_brought_up_to_date(tmp_path: Path) -> None:
    write_cohort(tmp_path / "a", "Gout", "GSE1", seed=1)
    with opened(tmp_path, Access(PORT)) as browser:
        assert "Build an atlas" in browser.get("/").text
        assert "Build an atlas" in browser.get("/atlas").text
        for add in ("", "b"):
            if add:
                write_cohort(tmp_path / add, "Asthma", "GSE2", seed=2)
            data = HERE if add else {}
            answer = browser.post("/atlas/build", data=data, headers=browser.own)
            assert answer.status_code == 200 and "Cancel" in answer.text
            job = wait(queue_of(browser))[0]
            assert isinstance(job, AtlasRecord)
            assert job.state == "done", job.message
            ended = browser.get("/atlas/job", params={"name": job.name})
            assert ended.headers["HX-Redirect"] == "/atlas?atlas=atlas"
            assert add or "1 result" in job.message
        # The changed manifest is noticed.
        assert "<dt>Cohorts</dt><dd>2</dd>" in browser.get("/atlas", params=HERE).text


def test_a_build_that_is_cancelled_leaves_no_atlas_and_can_be_started_again(tmp_path: Path) -> None:
    write_cohort(tmp_path / "a", "Gout", "GSE1", seed=1)
    with opened(tmp_path, Access(PORT)) as browser:
        browser.post("/atlas/build", headers=browser.own)
        (job,) = queue_of(browser).records()
        answer = browser.post("/atlas/cancel", params={"name": job.name}, headers=browser.own)
        assert answer.status_code == 200
        assert wait(queue_of(browser))[0].state == "cancelled"
        assert browser.get("/atlas", params=HERE).status_code == 404
        browser.post("/atlas/build", headers=browser.own)
        assert wait(queue_of(browser))[0].state == "done"
        assert browser.get("/atlas", params=HERE).status_code == 200


def test_results_behind_a_link_out_of_the_folder_are_not_collected(tmp_path: Path) -> None:
    write_cohort(tmp_path / "outside", "Gout", "GSE1", seed=1)
    inside = tmp_path / "inside" / "results"
    inside.mkdir(parents=True)
    (inside / "regress").symlink_to(tmp_path / "outside" / "regress")
    with opened(tmp_path / "inside", Access(PORT)) as browser:
        browser.post("/atlas/build", headers=browser.own)
        (job,) = wait(queue_of(browser))
        assert (job.state, "no results" in job.message) == ("failed", True)


def test_a_build_needs_the_header_of_our_pages_and_a_name_that_is_there(tab: Browser) -> None:
    assert tab.post("/atlas/build").status_code == 403
    for name in ("../outside", "results", "/etc"):
        answer = tab.post("/atlas/build", data={"atlas": name}, headers=tab.own)
        assert answer.status_code == 404


@pytest.mark.parametrize(
    "name", ["..", "../atlas", "/atlas", "/etc", "atlas/genes", "GSE1", "", BAD]
)
@pytest.mark.parametrize(
    "path",
    ["/atlas/map", "/atlas/gene", "/atlas/trait", "/atlas/pairs", "/atlas/similar", "/atlas.csv"],
)
def test_names_of_an_address_are_no_paths(tab: Browser, path: str, name: str) -> None:
    answer = tab.get(path, params={"atlas": name, "gene": GENES[0], "trait": "Eczema"})
    assert answer.status_code == 404 and BAD not in answer.text


def test_odd_names_in_an_address_are_refused(tab: Browser) -> None:
    for place in ({"trait": "../Eczema"}, {"trait": "Eczema", "condition": "../x"}):
        assert tab.get("/atlas/trait", params=HERE | place).status_code in (400, 404)


def test_html_in_names_is_text(tmp_path: Path) -> None:
    write_cohort(tmp_path / "a", BAD, BAD, seed=1, genes=[BAD, *GENES])
    write_cohort(tmp_path / "b", "Gout", "GSE2", seed=2, genes=[BAD, *GENES])
    build_atlas([tmp_path], tmp_path / "atlas")
    trait = BAD.replace(" ", "_")
    paths = [("/", {}), ("/atlas", {}), ("/atlas/pairs", {"trait": trait, "other": "Gout"}),
             ("/atlas/pair", {"trait": trait, "other": "Gout"}), ("/atlas/gene", {"gene": BAD}),
             ("/atlas/gene", {"gene": BAD + "x"}), ("/atlas/trait", {"trait": trait})]  # fmt: skip
    with opened(tmp_path, Access(PORT)) as browser:
        for path, place in paths:
            page = browser.get(path, params=HERE | place).text
            assert "<img" not in page and (path == "/" or "&lt;img" in page)
        there = ask(browser, " ".join([GENES[3], GENES[4], GENES[5], "<img"]))
        assert "<img" not in browser.get(there).text
