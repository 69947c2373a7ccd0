"""Every table of the workbench shows what is stored: values, filters, order, pages, files, links.

A new table needs a row in `shown_tables`, a new column of a table one in its headers.
"""

from __future__ import annotations

import importlib
import io
import json
import pkgutil
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import openpyxl
import polars as pl
import pytest

import genotex.app
from genotex.analysis import read_result
from genotex.app import Access, PageTable
from genotex.atlas import AtlasReader, build_atlas, compare_traits, find_gene, find_trait
from genotex.formats import find_evidence
from genotex.layout import OutputFolder
from tests.app.conftest import PORT, Browser, opened
from tests.app.shown_tables import OF_THE_ATLAS, OF_THE_STUDY, Shown, prepare_study, stored_genes
from tests.app.test_atlas_pages import write_results
from tests.atlas.result_folders import GENES
from tests.html_tables import rows_of, table_with
from tests.shown import agrees

WITHOUT_QUERY = {("", "cohort"), ("/log", "action")}
CASES = [*OF_THE_STUDY, *OF_THE_ATLAS]
BY_NAME = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]}s of {case[0]}")


@pytest.fixture(scope="module")
def study(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("shown")
    prepare_study(study_folder, folder)
    with opened(folder, Access(PORT)) as browser:
        yield browser


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("collected")
    write_results(folder)
    build_atlas([folder], folder / "atlas")
    with opened(folder, Access(PORT)) as browser:
        yield browser


class Tables:
    """The tables by address and noun, each with the browser that has it open."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self.request = request
        self.known: dict[tuple[str, str], tuple[Browser, Shown]] = {}

    def get(self, case: tuple[str, str]) -> tuple[Browser, Shown]:
        if case not in self.known:
            name = "study" if case in OF_THE_STUDY else "collected"
            browser: Browser = self.request.getfixturevalue(name)
            root = browser.app.state.workbench.workspace.root  # type: ignore[attr-defined]
            if case in OF_THE_STUDY:
                (trait,) = OutputFolder(root / "results").traits()
                place = {"output": "results", "trait": trait, "condition": ""}
                shown = OF_THE_STUDY[case](root, place)
            else:
                shown = OF_THE_ATLAS[case](root, browser)
            self.known[case] = browser, shown
        return self.known[case]


@pytest.fixture(scope="module")
def tables(request: pytest.FixtureRequest) -> Tables:
    return Tables(request)


def part(browser: Browser, address: str, **place: str) -> str:
    """Return a table alone, as htmx asks for it."""
    answer = browser.get(address, params=place or None)
    assert answer.status_code == 200, (address, answer.text)
    return answer.text


def link(text: str, label: str) -> str | None:
    """Return where a link or a header leads; of one that htmx follows, what it asks for."""
    for attributes, content in re.findall(r"<a\b([^>]*)>(.*?)</a>", text):
        if unescape(content) == label:
            (found,) = re.findall(r'hx-get="(.*?)"', attributes) or re.findall(
                r'href="(.*?)"', attributes
            )
            return unescape(found)
    return None


def file_of(browser: Browser, text: str, label: str = "JSON") -> pl.DataFrame:
    """Return the rows of the file that a link below a table leads to."""
    address = link(text, label)
    assert address is not None
    answer = browser.get(address)
    assert answer.status_code == 200, answer.text
    kind, saved = answer.headers["content-type"], answer.headers["content-disposition"]
    if label == "JSON":
        assert kind == "application/json" and '.json"' in saved
        return pl.DataFrame(json.loads(answer.text), infer_schema_length=None)
    if label == "CSV":
        assert kind.startswith("text/csv") and '.csv"' in saved
        return pl.read_csv(io.BytesIO(answer.content), infer_schema_length=None)
    assert "spreadsheetml" in kind and '.xlsx"' in saved
    head, *rows = (
        openpyxl.load_workbook(io.BytesIO(answer.content), read_only=True)
        .worksheets[0]
        .iter_rows(values_only=True)
    )
    names = [str(name) for name in head]
    return pl.DataFrame([dict(zip(names, row, strict=True)) for row in rows],
                        infer_schema_length=None)  # fmt: skip


def names_in(shown: Shown, found: pl.DataFrame) -> list[tuple[Any, ...]]:
    """Return the names of the rows of a file."""
    by_stored = {shown.files[name]: name for name in found.columns if name in shown.files}
    if not found.height:
        return []
    return found.select(by_stored[name] for name in shown.named).rows()


def names(shown: Shown, stored: pl.DataFrame) -> list[tuple[Any, ...]]:
    return stored.select(shown.named).rows()


def ends(column: str | tuple[str, str]) -> tuple[str, ...]:
    return (column,) if isinstance(column, str) else column


def test_every_table_of_the_workbench_is_among_them() -> None:
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(genotex.app.__path__, "genotex.app.")
    ]
    declared = {
        (value.base, value.noun)
        for module in modules
        for value in vars(module).values()
        if isinstance(value, PageTable)
    }
    assert declared == {*CASES} | WITHOUT_QUERY


@BY_NAME
def test_a_value_under_its_header_is_the_stored_one(tables: Tables, case: tuple[str, str]) -> None:
    browser, shown = tables.get(case)
    text = part(browser, f"{case[0]}/table", **shown.place)
    rows, expected = rows_of(text), shown.stored.head(50).to_dicts()
    holding = {
        header
        for header, column in shown.headers.items()
        if shown.stored[ends(column)[0]].null_count() < shown.stored.height
    }
    assert set(rows[0]) == holding and len(rows) == len(expected)
    for row, stored in zip(rows, expected, strict=True):
        for header, value in row.items():
            wanted = tuple(stored[name] for name in ends(shown.headers[header]))
            assert agrees(value, *wanted), (row, header, value, wanted)
    classes = re.findall(r'<tr class="(.*?)"', text)
    flagged = shown.stored.head(50).with_columns(flag=shown.flag.fill_null(False))["flag"]
    assert ["sig" in each for each in classes] == flagged.to_list()
    if shown.signs:
        signs = ["up" if row[shown.signs] > 0 else "down" for row in expected]
        assert [each.split()[-1] for each in classes] == signs


@BY_NAME
def test_a_file_behind_its_link_has_the_stored_values(
    tables: Tables, case: tuple[str, str]
) -> None:
    browser, shown = tables.get(case)
    text = part(browser, f"{case[0]}/table", **shown.place)
    for label in ("CSV", "Excel", "JSON"):
        found = file_of(browser, text, label)
        assert found.height == shown.stored.height
        for name in found.columns:
            stored, values = shown.stored[shown.files[name]], found[name]
            if stored.dtype.is_float():
                one, other = (
                    each.cast(pl.Float64).fill_null(np.nan).to_numpy() for each in (values, stored)
                )
                np.testing.assert_allclose(one, other, rtol=2e-6, err_msg=f"{label}: {name}")
            else:
                assert values.to_list() == stored.to_list(), (label, name)


@BY_NAME
def test_a_filter_keeps_the_rows_that_its_name_says(tables: Tables, case: tuple[str, str]) -> None:
    browser, shown = tables.get(case)
    page = part(browser, case[0], **shown.place)
    table, total = page.split(f'id="{prefix(page, case)}only"')[1], shown.stored.height
    options = re.findall(r"<option[^>]*>(.*?)</option>", table.split("</select>")[0])
    assert list(map(unescape, options)) == ["all", *shown.filters]
    for name, rule in shown.filters.items():
        text = part(browser, f"{case[0]}/table", **shown.place, only=name)
        kept = shown.stored.filter(rule)
        assert names_in(shown, file_of(browser, text)) == names(shown, kept), name
        assert len(rows_of(text)) == min(50, kept.height)
        (status,) = re.findall(r'role="status">(.*?)\.\n', text)
        noun = case[1] if kept.height == 1 else f"{case[1]}s"
        many = f"1 to {min(50, kept.height)} of {kept.height:,} {noun}"
        many = many if kept.height else f"No {case[1]} fits"
        assert status == (many if kept.height == total else f"{many} (of {total:,})"), name


@BY_NAME
def test_a_header_sorts_by_its_column_up_and_then_down(
    tables: Tables, case: tuple[str, str]
) -> None:
    browser, shown = tables.get(case)
    search, stored = fewer(shown)
    start = part(browser, f"{case[0]}/table", **shown.place, search=search)
    place = dict(zip(names(shown, stored), stored.to_dicts(), strict=True))
    for header in rows_of(start)[0]:
        text, column = start, ends(shown.headers[header])[0]
        values = [spaced(value) for value in stored[column]]
        known = sorted(value for value in values if value is not None)
        empty = [None] * (len(values) - len(known))
        for direction, expected in (("ascending", known), ("descending", known[::-1])):
            address = link(text, header)
            assert address is not None
            text = part(browser, address)
            order = names_in(shown, file_of(browser, text))
            found = [spaced(place[name][column]) for name in order]
            assert found == expected + empty, (header, direction)
            sorted_by = re.findall(r'aria-sort="(\w+)"[^>]*><a[^>]*>(.*?)</a>', text)
            assert [(a, unescape(b)) for a, b in sorted_by] == [(direction, header)]
            assert [spaced(name[0]) for name in order[:50]] == first_cells(text)


@BY_NAME
def test_pages_show_each_row_once_in_the_order_asked_for(
    tables: Tables, case: tuple[str, str]
) -> None:
    browser, shown = tables.get(case)
    search, stored = fewer(shown)
    text = part(browser, f"{case[0]}/table", **shown.place, search=search)
    text = part(browser, link(text, list(rows_of(text)[0])[-1]) or "")
    wanted = [spaced(row[0]) for row in names_in(shown, file_of(browser, text))]
    found: list[object] = []
    following: str | None = "first"
    while following:
        shown_now = first_cells(text)
        before, following = len(found), link(text, "Next")
        found += shown_now
        assert shown_now and f"{before + 1} to {len(found)} of {len(wanted)} " in text
        assert (link(text, "First") is None) == (before == 0)
        if following is None and before:
            assert first_cells(part(browser, link(text, "First") or "")) == found[:50]
        elif following:
            text = part(browser, following)
    assert found == wanted and len(found) == stored.height


@BY_NAME
def test_a_search_finds_parts_of_names(tables: Tables, case: tuple[str, str]) -> None:
    browser, shown = tables.get(case)
    searched = shown.searched or (shown.named[0],)
    words = pl.concat_str(searched, separator=" ", ignore_nulls=True)
    lower = words.str.to_lowercase().str.replace_all("_", " ")
    for row in shown.stored[[0, shown.stored.height // 2]].iter_rows(named=True):
        for wanted in (str(row[searched[-1]])[:4].lower(), str(row[searched[0]])):
            text = part(browser, f"{case[0]}/table", **shown.place, search=wanted)
            plain = wanted.lower().replace("_", " ")
            kept = shown.stored.filter(lower.str.contains(plain, literal=True))
            assert names_in(shown, file_of(browser, text)) == names(shown, kept), wanted


@BY_NAME
def test_a_row_leads_to_its_own_page(tables: Tables, case: tuple[str, str]) -> None:
    browser, shown = tables.get(case)
    text = part(browser, f"{case[0]}/table", **shown.place)
    leads = [unescape(each) for each in re.findall(r'<th scope="row"[^>]*><a href="(.*?)"', text)]
    assert len(leads) == min(50, shown.stored.height)
    for address, row in zip(leads, shown.stored.iter_rows(named=True), strict=False):
        there = urlsplit(address)
        given = {name: value[0] for name, value in parse_qs(there.query).items()}
        own = {name: row[column] for name, column in shown.leads_by.items()}
        assert there.path == shown.leads and {name: given.get(name) for name in own} == own
    if shown.opens:
        page = part(browser, leads[0])
        name = str(shown.stored[shown.named[0]][0]).replace("_", " ")
        assert name in unescape(re.findall(r"<h1\b[^>]*>(.*?)</h1>", page, re.DOTALL)[0])


def spaced(value: object) -> Any:
    """Return a name in words, as pages write it."""
    return value.replace("_", " ") if isinstance(value, str) else value


def first_cells(text: str) -> list[object]:
    return [spaced(next(iter(row.values()))) for row in rows_of(text)]


def fewer(shown: Shown) -> tuple[str, pl.DataFrame]:
    """Return what to search for so that some pages are left of a long table, and its rows.

    The last page is full where that can be had.
    """
    lower = pl.col(shown.named[0]).str.to_lowercase()
    for letters in ("gene1", "a1", "c1", "b1", "a2", "c2", "k", "m"):
        found = shown.stored.filter(lower.str.contains(letters, literal=True))
        if 50 < found.height <= 400:
            return letters, found
    assert shown.stored.height <= 400
    return "", shown.stored


def prefix(page: str, case: tuple[str, str]) -> str:
    """Return what the ids of a table begin with, where a page has two."""
    (found,) = re.findall(rf'id="([a-z-]*)query" class="filter"[^>]*action="{case[0]}"', page)
    return str(found)


def test_facts_of_a_comparison_are_those_of_its_genes(tables: Tables) -> None:
    browser, shown = tables.get(("/compare", "gene"))
    page = part(browser, "/compare", **shown.place)
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    genes = shown.stored
    where = dict(genes["significant in"].value_counts().iter_rows())
    both = genes.filter(pl.col("significant in") == "both")
    wanted: dict[str, float] = {"genes in both": genes.height} | {
        f"significant in {name}": where.get(name, 0)
        for name in ("both", "first only", "second only")
    }
    for name, label in (("effect", "effects"), ("t", "t statistics")):
        known = genes.select(f"{name} 1", f"{name} 2").drop_nulls()
        found = known.select(pl.corr(f"{name} 1", f"{name} 2", method="spearman")).item()
        wanted[f"rank correlation of {label}"] = found
    assert both.height < genes.height
    share = both.filter(pl.col("direction") == "same").height / both.height
    wanted["same direction, of those in both"] = share
    assert facts.keys() == wanted.keys()
    for name, value in wanted.items():
        assert agrees(facts[name], value), (name, facts[name], value)


def facts_of(page: str) -> dict[str, str]:
    return dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))


def test_an_atlas_its_pairs_and_its_genes_have_their_own_counts(collected: Browser) -> None:
    root = collected.app.state.workbench.workspace.root  # type: ignore[attr-defined]
    reader = AtlasReader(root / "atlas")
    results, known = reader.results, facts_of(part(collected, "/atlas", atlas="atlas"))
    counts = {
        "Traits": results["trait"].n_unique(), "Cohorts": results["cohort"].n_unique(),
        "Results": results.height, "Genes": len(reader.symbols),
    }  # fmt: skip
    assert {name: known[name] for name in counts} == {k: f"{v:,}" for k, v in counts.items()}
    assert {*known} == {*counts, "Built"}
    pairs = compare_traits(reader).pairs
    for row in (pairs.row(0, named=True), pairs.row(-1, named=True)):
        place = {"atlas": "atlas", "trait": row["other"], "other": row["trait"]}
        text = part(collected, "/atlas/pair", **place)
        stored = {
            "Similarity": row["similarity"], "Genes in common": row["genes"],
            "Samples in common": row["shared_samples"],
            "Platforms in common": row["shared_platforms"],
        }  # fmt: skip
        facts = facts_of(text)
        assert facts.keys() == stored.keys()
        assert all(agrees(facts[name], value) for name, value in stored.items()), facts
        assert ("samples overlap" in text) == (row["shared_samples"] > 0)
        for name in (row["trait"], row["other"]):
            target = urlsplit(link(text, name.replace("_", " ")) or "")
            assert target.path == "/atlas/trait" and parse_qs(target.query)["trait"] == [name]
    for gene in (GENES[0], GENES[2], GENES[5]):
        traits = find_gene(reader, gene).traits.filter("significant")
        up, down = ((traits["direction"] == name).sum() for name in ("up", "down"))
        lead = f"Significant in {up + down} of {counts['Traits']} traits"
        found = part(collected, "/atlas/gene", atlas="atlas", gene=gene)
        assert f"{lead}: higher in {up}, lower in {down}." in found


def test_cohorts_of_a_trait_have_what_their_own_results_state(collected: Browser) -> None:
    root = collected.app.state.workbench.workspace.root  # type: ignore[attr-defined]
    trait = "Lupus_(SLE)"
    page = part(collected, "/atlas/trait", atlas="atlas", trait=trait)
    rows = table_with(page, "Cohort", "Compared")
    genes = find_trait(AtlasReader(root / "atlas"), trait).genes
    found = f"<strong>{genes['significant'].sum()}</strong> of {genes.height} genes significant"
    assert f"{found} over {len(rows)} cohorts in all folders" in page
    assert sorted(row["Cohort"] for row in rows) == ["GSE1", "GSE2"]
    for row in rows:
        output = OutputFolder(root / row["Cohort"])
        stored, result = stored_genes(output), read_result(output, trait, None)
        groups = result.method["contrast"]["samples"]
        wanted = {
            "Samples": len(groups["case"]) + len(groups["control"]),
            "Tested": stored["p"].drop_nulls().len(), "Significant": stored["Significant"].sum(),
            "Procedure": "sound",
        }  # fmt: skip
        assert all(agrees(row[name], value) for name, value in wanted.items()), (row, wanted)
        evidence = find_evidence(output, trait, row["Cohort"])
        assert evidence is not None and row["Platform"] == evidence.series["platform"]
        target = parse_qs(urlsplit(link(page, row["Cohort"]) or "").query)
        assert (target["output"], target["trait"]) == ([row["Cohort"]], [trait])
