"""What pages of the workbench that are no tables of genes show: each value under its own name."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import datetime
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from genotex.analysis import AuditFinding, CheckResult, CohortAudit
from genotex.app import Access, CohortQuality, StoredQuality
from genotex.clinical import write_sheet_table
from genotex.figures import COLOURS
from genotex.formats import CohortInfo, update_cohort_info, write_evidence, write_linked_csv
from genotex.layout import OutputFolder
from genotex.studies import Apart
from tests.app.conftest import Browser, opened
from tests.app.drawn import series_of
from tests.html_tables import rows_of, table_with
from tests.reports.report_cohort import make_evidence, make_table


@pytest.fixture
def tab(tmp_path: Path, access: Access) -> Iterator[Browser]:
    with opened(tmp_path, access) as browser:
        yield browser


def facts_of(page: str) -> dict[str, str]:
    return dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))


def write_analysis(
    output: OutputFolder, trait: str, condition: str | None, cohort: str, listed: int, tested: int
) -> Path:
    """Write the record of an analysis, as far as the first page reads it."""
    groups = {"case": ["a"] * 3, "control": ["b"] * 4, "left_out": ["c"] * 5}
    contrast = {"text": f"{cohort} cases against controls", "samples": groups}
    record = {
        "problem": {"trait": trait, "condition": condition}, "cohort": {"id": cohort},
        "method": {"filter": {"tested": tested}, "contrast": contrast},
        "significant_genes": {"Variable": [f"G{i}" for i in range(listed)]},
    }  # fmt: skip
    path = output.significant_genes(trait, condition)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def test_the_first_page_lists_analyses_by_age_and_cohorts_with_what_they_have(
    tab: Browser, tmp_path: Path
) -> None:
    output, other = OutputFolder(tmp_path / "mine"), OutputFolder(tmp_path / "yours")
    rows = {
        ("Gout", None): (other, "GSE1", 1234, 5678, 1.5e9),
        ("Lung_Cancer", "Age"): (output, "GSE2", 7, 40, 1.7e9),
        ("Acne", None): (output, "GSE3", 0, 9000, 1.6e9),
    }
    for (trait, condition), (where, cohort, *counts, written) in rows.items():
        path = write_analysis(where, trait, condition, cohort, *counts)
        os.utime(path, (written, written))
    for path in (output.report("Lung_Cancer", "Age"), output.meta_genes("Acne", None)):
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}", encoding="utf-8")
    infos = {
        "GSE2": CohortInfo(True, True, True, True, False, True, False, 61),
        "GSE3": CohortInfo(False, True, True, True, True, False, True, 1200),
        "GSE4": CohortInfo(False, False, True, False),
    }
    path = output.cohort_info("Lung_Cancer")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({k: asdict(v) for k, v in infos.items()}), encoding="utf-8")
    for name in ("GEO/Acne/GSE9", "GEO/Gout/GSE8", "TCGA/TCGA_Lung_Cancer_(LUNG)"):
        (tmp_path / "raw" / name).mkdir(parents=True)
    page = tab.get("/").text
    heads = ("Trait", "Condition", "Cohort", "Compared", "Significant", "Tested", "Folder", "When")
    shown = table_with(page, *heads)
    reports = [row["Report"].strip() for row in shown]
    assert [tuple(row[head] for head in heads) for row in shown] == [
        (
            trait.replace("_", " "), condition or "", cohort, f"{cohort} cases against controls",
            f"{listed:,}", f"{tested:,}", where.root.name,
            f"{datetime.fromtimestamp(written):%Y-%m-%d %H:%M}",
        )
        for (trait, condition), (where, cohort, listed, tested, written) in sorted(
            rows.items(), key=lambda row: -row[1][-1]
        )
    ]  # fmt: skip
    assert reports == ["report", "all cohorts", ""]
    heads = ("Trait", "Cohort", "Usable", "Samples", "Age", "Sex")
    (mine,) = (table for table in [table_with(page, "Usable")])
    assert [tuple(row[head] for head in heads) for row in mine] == [
        ("Lung Cancer", "GSE2: sample quality", "yes", "61", "yes", ""),
        ("Lung Cancer", "GSE3", "no", "1200", "", "yes"),
        ("Lung Cancer", "GSE4", "no", "", "", ""),
    ]
    inputs = page.partition('id="inputs"')[2].partition("</section>")[0]
    found = re.findall(r"<h3>(.*?)</h3>\n<ul.*?>\n<li><a[^>]*>(.*?)</a>", inputs)
    assert found == [("Acne", "GSE9"), ("Gout", "GSE8")] and "1 TCGA folder in raw" in inputs
    assert "over all cohorts" not in page, "one usable cohort is not combined"
    assert 'id="narrow"' not in page, "there is little to search in"


SHEET = ["series", "sample", "title", "source", "stage", "group", "age", "sex", "exclude", "why"]
SAMPLES = [
    ["GSE9", "GSM1", "t3", "s1", "9", "case", "50", "female", "", "w1"],
    ["GSE9", "GSM2", "t1", "s2", "10", "healthy control", "", "male", "", "w2"],
    ["GSE9", "GSM3", "t2", "s3", "II", "case", "7.5", "", "", "w3"],
    ["GSE9", "GSM4", "t5", "s4", "", "case", "101", "male", "yes", "w4"],
    ["GSE9", "GSM5", "t4", "s5", "nan", "", "33", "male", "", "w5"],
]


@pytest.fixture
def sheet(tab: Browser, tmp_path: Path) -> Browser:
    (tmp_path / "GEO" / "Acne" / "GSE9").mkdir(parents=True)
    path = tmp_path / "sheets" / "Acne" / "GSE9.csv"
    path.parent.mkdir(parents=True)
    write_sheet_table(path, SHEET, SAMPLES)
    return tab


def test_the_sheet_has_each_cell_under_its_header_and_counts_those_in_use(sheet: Browser) -> None:
    place = {"trait": "Acne", "series": "GSE9"}
    page = sheet.get("/samples", params=place).text
    rows = rows_of(page)
    for row, stored in zip(rows, SAMPLES, strict=True):
        cells = dict(zip(SHEET, stored, strict=True))
        assert {name: cells.get(name, "") for name in row if name} == {
            name: text for name, text in row.items() if name
        }
    assert {*rows[0]} - {""} == {*SHEET, "batch", "pair", "certainty"} & {*rows[0]} | {*SHEET} - {
        "series"
    }
    status = re.findall(r'role="status">(.*?)</p>', page)[0]
    assert status.startswith("2 case, 1 healthy control, 1 no group; 1 excluded. 5 of 5 samples")
    assert status.endswith("Saved as sheets/Acne/GSE9.csv.")
    lines = re.findall(r"<tr.*?</tr>", page.partition("<tbody>")[2], re.DOTALL)
    for line, stored in zip(lines, SAMPLES, strict=True):
        cells = dict(zip(SHEET, stored, strict=True))
        assert line.startswith('<tr class="excluded">') == (cells["exclude"] == "yes")
        assert f'value="{cells["sample"]}"' in line and f'title="{cells["why"]}"' in line
        assert f'class="group {cells["group"].replace(" ", "-")}"' in line


@pytest.mark.parametrize(
    ("asked", "samples"),
    [
        ({"sort": "age"}, "35142"),
        ({"sort": "age", "order": "descending"}, "41532"),
        ({"sort": "stage"}, "12354"),
        ({"sort": "stage", "order": "descending"}, "53214"),
        ({"sort": "title"}, "23154"),
        ({"sort": "nothing"}, "12345"),
        ({"search": "GSM2"}, "2"),
        ({"search": "T1"}, "2"),
        ({"search": "sex=male", "sort": "age"}, "542"),
        ({"search": "group= Case"}, "134"),
        ({"search": "group="}, "5"),
    ],
)
def test_a_sheet_sorts_numbers_texts_and_last_empty_cells(
    sheet: Browser, asked: dict[str, str], samples: str
) -> None:
    place = {"trait": "Acne", "series": "GSE9"} | asked
    page = sheet.get("/samples/table", params=place).text
    wanted = [f"GSM{number}" for number in samples]
    assert re.findall(r'name="sample" value="(.*?)"', page) == wanted
    assert f" {len(wanted)} of 5 samples shown" in page
    if asked.get("sort") in SHEET:
        turned = "ascending" if "order" not in asked else "descending"
        assert f'aria-sort="{turned}"' in page
        assert ("order=descending" in page) == (turned == "ascending")


def test_a_file_and_its_undoing_count_samples_and_not_cells(sheet: Browser) -> None:
    place, own = {"trait": "Acne", "series": "GSE9"}, sheet.own
    sheet.get("/samples", params=place)
    control = "healthy control"
    cells = [("GSM1", "case", "50"), ("GSM3", "case", "7.5")]
    cells += [("GSM2", control, "52"), ("GSM5", control, "34")]
    text = "\n".join(map(",".join, [("sample", "group", "age"), *cells]))
    sent = {"file": ("x.csv", text.encode())}
    data = {"version": "0"}
    page = sheet.post("/samples/upload", params=place, data=data, files=sent, headers=own).text
    assert "2 samples changed by the file." in page and "2 case, 2 healthy control; 1 exc" in page
    back = {"change": "undo", "version": "1"}
    page = sheet.post("/samples/assign", params=place, data=back, headers=own).text
    assert "Undone for 2 samples." in page and "2 case, 1 healthy control, 1 no group" in page


PEOPLE = tuple(f"S{i}" for i in range(8))
GROUPS = ["case", "case", "healthy control", "other disease", "other control", "", "case", "case"]
CHECKED = {
    "judged": True, "samples": 8, "excluded": [], "note": "",
    "outliers": [{"sample": "S6", "reasons": ["far from its group"]}],
    "near_identical": [{"samples": ["S0", "S1"]}], "pools": [],
    "blocks": {"judged": True, "score": 0.31, "needed": 0.72, "members": {}},
    "sex": {
        "judged": True, "xist": [9.0 - i for i in range(8)], "y": [2.0 + i / 2 for i in range(8)],
        "predicted": dict(zip(PEOPLE, ["female"] * 5 + ["male"] * 3, strict=True)),
        "recorded": ["female"] * 4 + ["male"] * 4, "mismatches": ["S4"],
        "unclear": {}, "genes": ["XIST", "RPS4Y1"],
    },
    "by_sample": {"sample": list(PEOPLE), "distance": [1.0 + i / 4 for i in range(8)]},
}  # fmt: skip
AUDIT = CohortAudit(
    "GSE1", (("Samples", "8"),),
    (
        CheckResult("sex", "Sex by expression", (
            AuditFinding("warning", "S4 is recorded male & female by expression.", "Ask.", ("S4",)),
        )),
        CheckResult("pools", "Pools"),
        CheckResult("rows", "Rows of the sample sheet", why_not="no two groups"),
        CheckResult("scale", "Scale of the values", (
            AuditFinding("note", "Flat.", "Nothing."),
            AuditFinding("serious", "Linear values.", "Take logarithms.", ("S0", "S7")),
        )),
    ),
)  # fmt: skip
PLOTS = {
    "pca": ("PC1 (41.2 % of variance)", "PC2 (7.6 % of variance)"),
    "mds": ("MDS 1", "MDS 2"),
    "distance": ("sample", "distance from its group / usual distance"),
    "sex": ("XIST, log2", "genes of the Y chromosome, log2"),
}


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> CohortQuality:
    """Return what every page of the quality of a cohort then shows."""
    random = np.random.default_rng(4)
    found = CohortQuality(
        PEOPLE, 12345, {"group": GROUPS, "age": [f"{40 + i}" for i in range(8)]}, CHECKED,
        AUDIT, random.normal(size=(8, 2)), random.normal(size=(8, 2)),
        (0.412, 0.0763), random.uniform(-1, 1, (8, 8)), np.arange(8)[::-1],
        np.sort(random.normal(8, 1, (8, 5))), random.uniform(size=(8, 4)),
        np.array([1.0, 2.0, 3.0, 4.0]), "raw.txt.gz", ["first step", "second step"],
    )  # fmt: skip
    monkeypatch.setattr("genotex.app.quality.cohorts._read_stored", lambda *_: found)
    return found


@pytest.fixture
def cohort(tab: Browser, tmp_path: Path) -> dict[str, str]:
    """Return the address of a cohort whose files hold nothing."""
    output = OutputFolder(tmp_path / "results")
    info = {"GSE1": asdict(CohortInfo(True, True, True, True, False, False, False, 8))}
    output.linked_csv("Acne", "GSE1").parent.mkdir(parents=True)
    output.cohort_info("Acne").write_text(json.dumps(info), encoding="utf-8")
    output.linked_csv("Acne", "GSE1").touch()
    return {"output": "results", "trait": "Acne", "cohort": "GSE1"}


def test_the_findings_and_checks_of_a_cohort_are_those_of_its_audit(
    tab: Browser, cohort: dict[str, str], measured: CohortQuality
) -> None:
    page = tab.get("/quality", params=cohort).text
    lead = re.search(r'<p class="lead">(.*?)</p>', page)
    assert lead is not None
    assert re.sub("<.*?>", "", lead[1]) == "8 samples, 12,345 genes; the audit: do not use"
    assert "First step; second step." in page
    assert "<h3>Before: raw.txt.gz</h3>" in page
    assert [tuple(row.values()) for row in table_with(page, "Check")] == [
        ("Sex by expression", "wants a look", "1 finding"), ("Pools", "nothing found", ""),
        ("Rows of the sample sheet", "not judged", "no two groups"),
        ("Scale of the values", "serious", "2 findings"),
    ]  # fmt: skip
    findings = re.findall(r'<li class="(\w+)">(.*?)</li>', page)
    shown = [
        (severity, unescape(" ".join(re.sub("<.*?>", " ", text).split())))
        for severity, text in findings
    ]
    assert shown == [
        ("serious", "serious Scale of the values Linear values. Take logarithms. Samples: S0, S7"),
        ("warning", "wants a look Sex by expression S4 is recorded male & female by expression. "
         "Ask."),
        ("note", "note Scale of the values Flat. Nothing."),
    ]  # fmt: skip
    plots = re.findall(r'data-quality="(\w+)" aria-pressed="(\w+)">(.*?)<', page)
    assert plots == [
        ("pca", "true", "PCA"), ("mds", "false", "MDS"), ("correlation", "false", "Correlation"),
        ("box", "false", "Box plots"), ("density", "false", "Densities"),
        ("distance", "false", "Outliers"), ("sex", "false", "Sex"),
    ]  # fmt: skip


@pytest.mark.parametrize("plot", PLOTS)
def test_samples_are_points_at_their_values_in_the_colour_of_their_group(
    tab: Browser, cohort: dict[str, str], measured: CohortQuality, plot: str
) -> None:
    sex, distance = CHECKED["sex"], CHECKED["by_sample"]["distance"]
    places = {
        "pca": measured.pca, "mds": measured.mds, "sex": np.array([sex["xist"], sex["y"]]).T,
        "distance": np.array([range(1, 9), distance]).T,
    }[plot]  # fmt: skip
    data = tab.get("/quality/points", params=cohort | {"plot": plot, "by": "group"}).json()
    ((panel,),) = data["rows"]
    assert tuple(unescape(panel[axis]["label"]) for axis in "xy") == PLOTS[plot]
    drawn, ringed = series_of(data), set()
    for series in drawn.values():
        rows = [PEOPLE.index(name) for name in series["ids"]]
        assert series["x"] == pytest.approx(places[rows, 0], abs=1e-3)
        assert series["y"] == pytest.approx(places[rows, 1], abs=1e-3)
        ringed |= {name for name, on in zip(series["ids"], series["ringed"], strict=True) if on}
    assert ringed == ({"S4"} if plot == "sex" else {"S6"})
    assert {key: (s["ids"], s["label"]) for key, s in drawn.items()} == {
        "case": (["S0", "S1", "S6", "S7"], "case (4)"),
        "control": (["S2"], "healthy control (1)"), "other": (["S3"], "other disease (1)"),
        "absent": (["S5"], "not recorded (1)"),
        next(key for key in drawn if "S4" in drawn[key]["ids"]): (["S4"], "other control (1)"),
    }  # fmt: skip
    assert all(drawn[key]["colour"] == COLOURS[key] for key in drawn)
    lines = [(line["along"], line["at"]) for line in panel["lines"]]
    assert lines == {"distance": [("y", 1.6)], "sex": []}.get(plot, [("y", 0.0), ("x", 0.0)])
    aged = tab.get("/quality/points", params=cohort | {"plot": plot, "by": "age"}).json()
    levels = series_of(aged)["one"]["levels"]
    assert levels == [40.0 + i for i in range(8)] and aged["by"] == "age"


def test_correlations_and_distributions_are_those_of_the_samples(
    tab: Browser, cohort: dict[str, str], measured: CohortQuality
) -> None:
    asked = cohort | {"by": "group"}
    ask = {p: tab.get("/quality/points", params=asked | {"plot": p}).json()
           for p in ("correlation", "box", "density")}  # fmt: skip
    cells = series_of(ask["correlation"], "cells")["one"]
    assert np.array(cells["y"], dtype=float) == pytest.approx(measured.correlation, abs=1e-2)
    for series in series_of(ask["box"], "boxes").values():
        rows = [PEOPLE.index(name) for name in series["ids"]]
        assert np.array(series["y"]) == pytest.approx(measured.quantiles[rows], abs=1e-2)
    for series in series_of(ask["density"], "curves").values():
        rows = [PEOPLE.index(text.partition(":")[0]) for text in series["texts"]]
        assert series["x"] == pytest.approx(measured.middles)
        # Densities are of `drawn`, which has the samples the other way round.
        wanted = measured.densities[[7 - row for row in rows]]
        assert np.array(series["y"], dtype=float) == pytest.approx(wanted, abs=1e-3)


def test_a_plot_says_how_many_of_the_samples_it_shows(
    tab: Browser, cohort: dict[str, str], measured: CohortQuality, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = CHECKED["by_sample"]
    some = {"by_sample": {name: values[:5] for name, values in of.items()}}
    found = replace(measured, record=CHECKED | some, drawn=measured.drawn[:3])
    monkeypatch.setattr("genotex.app.quality.cohorts._read_stored", lambda *_: found)
    notes = {
        plot: tab.get("/quality/points", params=cohort | {"plot": plot}).json()["note"]
        for plot in ("pca", "distance", "density")
    }
    assert notes["distance"].endswith(" 5 of 8 samples are drawn.")
    assert notes["density"].endswith(" 3 of 8 samples are drawn.")
    assert "are drawn" not in notes["pca"]


@pytest.mark.parametrize(
    ("uses", "name"),
    [
        (("matrix", "expression", "counts"), "counts"),
        (("matrix", "expression", "platform"), "expression"),
        (("platform", "matrix"), "matrix"),
    ],
)
def test_a_cohort_states_its_file_its_steps_and_what_is_known_of_its_samples(
    tab: Browser, tmp_path: Path, uses: tuple[str, ...], name: str
) -> None:
    output = OutputFolder(tmp_path / "results")
    table, roles = make_table(genes=40)
    evidence = replace(
        make_evidence(table, roles),
        files=[{"name": f"{use}.txt", "size": 1, "used_for": use} for use in uses],
    )
    info = CohortInfo(True, True, True, True, False, True, True, 33)
    write_linked_csv(output.linked_csv(table.trait, evidence.cohort), table)
    update_cohort_info(output.cohort_info(table.trait), evidence.cohort, info)
    write_evidence(output.evidence(table.trait, evidence.cohort), evidence)
    found = StoredQuality(output, table.trait, evidence.cohort, Apart()).quality
    assert found.file == f"{name}.txt" and found.genes == 40
    assert found.steps == [
        "log2 of the linear values", "22,283 rows became 12,988 genes",
        "no normalisation between samples was added",
    ]  # fmt: skip
    assert found.columns["group"] == [roles[sample] for sample in found.samples]
    at = [table.samples.index(sample) for sample in found.samples]
    ages, sexes = table.covariates["Age"][at], table.covariates["Gender"][at]
    assert found.columns["age"] == [f"{age:g}" for age in ages]
    assert found.columns["sex"] == ["female" if code == 0 else "male" for code in sexes]
    assert found.quantiles[:, 2] == pytest.approx(np.median(table.expression[at], axis=1))
