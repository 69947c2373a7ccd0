"""The page: every section, nothing from outside, hostile text escaped, calm without a hit."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.formats import CohortInfo, Evidence
from genotex.reports import (
    FigureView,
    Findings,
    ReportPage,
    build_page,
    build_unanswered_page,
    draw_figures,
    mark_samples,
    ranked,
    render_page,
)
from tests.reports.conftest import PAGE
from tests.reports.report_cohort import (
    PLANTED,
    make_evidence,
    make_findings,
    make_infos,
    make_table,
    vary,
)

SECTIONS = [
    "answer", "warnings", "figures", "genes", "cohorts", "reading", "processing", "methods",
    "software", "files",
]  # fmt: skip
VOID = {"meta", "link", "br", "input", "img", "hr"}


class Reader(HTMLParser):
    """Collects what the tests ask for and checks that tags close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@cache
def some_figures() -> tuple[FigureView, ...]:
    table, roles = make_table(genes=60)
    findings = make_findings(table, roles)
    marks = mark_samples(make_evidence(table, roles), table, findings)
    return draw_figures(findings, ranked(findings), table, marks)


@pytest.fixture(autouse=True)
def drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures have tests of their own: here the same ones do for every page."""
    monkeypatch.setattr(f"{PAGE}.draw_figures", lambda *_: some_figures())
    monkeypatch.setattr(f"{PAGE}.draw_sample_figures", lambda *_: ())


@cache
def plain_page() -> ReportPage:
    return page_of()


def page_of(
    genes: int = 120,
    *,
    effect: float = 2.2,
    findings: dict[str, object] | None = None,
    **evidence: object,
) -> ReportPage:
    table, roles = make_table(genes=genes, effect=effect)
    told: Findings = vary(make_findings(table, roles), **(findings or {}))  # type: ignore[arg-type]
    record: Evidence = replace(make_evidence(table, roles), **evidence)  # type: ignore[arg-type]
    return build_page(record, table, make_infos(), told, csv_name="genes.csv")


def interaction(tested: int, significant: int) -> dict[str, Any]:
    """Return the record of the test of an interaction."""
    return {"interaction": {"tested": tested, "significant": significant}}


def test_page_has_every_section_and_closes_its_tags() -> None:
    reader = read(render_page(plain_page()))
    assert [a["id"] for tag, a in reader.tags if tag == "section"] == SECTIONS
    links = {
        a["href"] for tag, a in reader.tags if tag == "a" and (a["href"] or "").startswith("#")
    }
    assert links == {f"#{name}" for name in SECTIONS}


def test_page_refers_to_nothing_outside() -> None:
    html = render_page(plain_page())
    for tag, attributes in read(html).tags:
        for name in ("src", "href", "xlink:href", "action", "data", "poster", "srcset"):
            target = attributes.get(name) or ""
            outside = target.startswith(("http:", "https:", "//"))
            assert not outside or (
                tag == "a" and target.startswith("https://www.ncbi.nlm.nih.gov/")
            )
    assert "@import" not in html
    assert "@font-face" not in html
    assert not re.search(r"url\((?!#)", html)


@pytest.mark.everyday
def test_hostile_text_is_escaped_wherever_it_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    attack = "<script>alert('x')</script>\"'><img src=x onerror=alert(1)>"
    table, roles = make_table(genes=20)
    findings = make_findings(table, roles)
    genes = findings.result.genes.with_columns(
        Variable=pl.when(pl.col("Variable") == "CXCL9").then(pl.lit(attack)).otherwise("Variable")
    )
    evidence = replace(
        make_evidence(table, roles),
        series={"title": attack, "platform": attack, "platform_title": attack},
        notes=[attack],
        files=[{"name": attack, "size": 1, "used_for": attack}],
        encoded={"trait": [{"raw": attack, "code": 1.0, "role": "case", "samples": 3}]},
        linking={attack: attack},
        mapping={"rows": 1, "genes": 1, "gene_column": attack, "id_kind": attack, "scale": attack},
    )
    infos = {attack: CohortInfo(False, False, True, False, note=attack)}
    told = vary(
        findings,
        genes=genes,
        warnings=(attack,),
        other_cohorts={attack: attack},
        cohort_reason=attack,
    )
    clean = read(
        render_page(build_page(make_evidence(table, roles), table, {}, findings, csv_name="a.csv"))
    )
    html = render_page(build_page(evidence, table, infos, told, csv_name="a.csv"))
    reader = read(html)
    scripts = [tag for tag, _ in reader.tags if tag == "script"]
    assert len(scripts) == len([tag for tag, _ in clean.tags if tag == "script"]) == 1
    assert not any(tag == "img" or "onerror" in attributes for tag, attributes in reader.tags)
    assert attack in "".join(reader.text)


def test_answer_counts_and_directions() -> None:
    page = plain_page()
    genes = ranked(make_findings(*make_table(genes=120)))
    hits = genes.filter(pl.col("q") < 0.05)
    assert page.answer.significant == hits.height
    assert page.answer.up == (hits["Coefficient"] > 0).sum()
    assert page.answer.up + page.answer.down == hits.height
    assert [gene.symbol for gene in page.answer.top] == genes["Variable"][:12].to_list()
    assert (
        "13 cases against 10 healthy controls, adjusted for age and gender." in page.answer.contrast
    )
    assert f"{hits.height} significant genes" in read(render_page(page)).words


def test_groups_show_which_samples_were_compared() -> None:
    groups = {group.key: group for group in plain_page().answer.groups}
    assert groups["case"].samples == 13
    assert groups["case"].raw == ("clinical status: rheumatoid arthritis",)
    assert groups["control"].tested
    assert not groups["other"].tested


def test_controls_of_unknown_role_are_not_called_healthy() -> None:
    table, roles = make_table(genes=20)
    findings = vary(make_findings(table, roles), tested=table.samples)
    bare = replace(make_evidence(table, roles), roles={}, encoded={})
    page = build_page(bare, table, {}, findings, csv_name="a.csv")
    assert [group.label for group in page.answer.groups] == ["Case", "Control"]
    assert page.answer.contrast.startswith("13 cases against 20 controls")
    partly = {s: r for s, r in roles.items() if r != "other disease"}
    mixed = build_page(replace(bare, roles=partly), table, {}, findings, csv_name="a.csv")
    assert {g.label: g.samples for g in mixed.answer.groups} == {
        "Case": 13,
        "Healthy control": 10,
        "Other control": 10,
    }


def test_another_disease_as_control_is_called_so() -> None:
    table, _ = make_table(genes=20)
    page = page_of(20, findings={"tested": table.samples})
    assert "10 healthy controls and 10 samples of another disease" in page.answer.contrast
    assert all(group.tested for group in page.answer.groups)


def test_warnings_name_the_trait_as_people_do() -> None:
    page = page_of(20, findings={"warnings": ("Rheumatoid_Arthritis goes with Gender",)})
    assert page.warnings == ("Rheumatoid Arthritis goes with Gender.",)


def test_no_significant_gene_is_stated_as_a_result_and_the_ranking_shown() -> None:
    page = page_of(effect=0.0)
    reader = read(render_page(page))
    assert page.answer.significant == 0
    assert "That is a result, not an error" in reader.words
    assert "First genes of the ranking" in reader.words
    assert len(page.table.rows) == 120


def test_table_shows_two_hundred_genes_and_all_significant_ones() -> None:
    assert len(page_of(genes=900, effect=0.0).table.rows) == 200
    page = page_of(genes=9000, effect=6.0)
    assert 200 < page.answer.significant == len(page.table.rows) < 2000


def test_table_leaves_out_columns_that_hold_nothing() -> None:
    keys = [column.name for column in plain_page().table.columns]
    assert "Interaction Coefficient" not in keys
    assert "Panel Coefficient" in keys
    table = plain_page().table
    assert all(len(row) > len(keys) and set(keys) <= set(row) for row in table.rows)
    body = render_page(plain_page()).split('id="gene-table"')[1].split("<tbody>")[1]
    assert body.split("</tr>")[0].count("<td>") == len(keys) - 1


def test_interaction_columns_are_shown_when_there_are_any() -> None:
    table, roles = make_table(genes=30)
    genes = make_findings(table, roles).result.genes.with_columns(
        pl.lit(0.5).alias("Interaction Coefficient"),
        pl.lit(0.01).alias("Interaction p"),
        pl.lit(0.04).alias("Interaction q"),
    )
    told = {"genes": genes, "condition": "Age", "method": interaction(30, 30)}
    page = page_of(30, findings=told)
    labels = {column.name: column.help for column in page.table.columns}
    assert (
        "trait by Age interaction: by how much the log2 fold change"
        in labels["Interaction Coefficient"]
    )
    assert page.question.endswith("given age?")
    assert page.interaction is not None
    assert len(page.interaction.rows) == 10
    assert page.answer.headline.endswith(
        "The change depends on age for 30 genes (interaction, q < 0.05)."
    )
    reader = read(render_page(page))
    sections = [a["id"] for tag, a in reader.tags if tag == "section"]
    assert sections[sections.index("genes") + 1] == "interaction"


def test_interaction_is_ordered_by_its_own_q_value() -> None:
    table, roles = make_table(genes=30)
    rising = np.linspace(0.9, 0.001, 30)
    genes = make_findings(table, roles).result.genes.with_columns(
        pl.lit(-0.5).alias("Interaction Coefficient"),
        pl.Series("Interaction p", rising / 2),
        pl.Series("Interaction q", rising),
    )
    told = {"genes": genes, "condition": "Gender", "method": interaction(30, 1)}
    view = page_of(30, findings=told).interaction
    assert view is not None
    assert view.title == "Interaction with Gender"
    assert [row["Variable"] for row in view.rows] == genes["Variable"].reverse()[:10].to_list()
    assert [row["Interaction q"] < view.cut for row in view.rows[:3]] == [True, True, False]
    assert "in men minus that in women" in view.meaning


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (interaction(100, 0), "No gene passes q < 0.05 for an interaction with age."),
        (interaction(0, 0), "Whether the change depends on age could not be tested."),
    ],
)
def test_no_interaction_is_stated_even_when_no_gene_changes(
    found: dict[str, Any], said: str
) -> None:
    page = page_of(effect=0.0, findings={"condition": "Age", "method": found})
    assert "That is a result, not an error" in page.answer.headline
    assert page.answer.headline.endswith(said)
    assert page.interaction is not None
    assert page.interaction.rows == []
    read(render_page(page))


def test_without_a_condition_interaction_is_not_mentioned() -> None:
    assert plain_page().interaction is None
    assert "nteraction" not in read(render_page(plain_page())).words


def test_cohorts_are_listed_with_the_chosen_one_first() -> None:
    rows = plain_page().cohorts
    assert [row.cohort for row in rows] == ["GSE55457", "GSE55235", "GSE157103", "TCGA"]
    assert [row.used for row in rows] == [True, False, False, False]
    assert rows[2].reason == "The expression table is empty."
    assert rows[3].reason == "The trait cannot be annotated."
    assert rows[3].url is None


def test_note_is_a_reason_only_where_a_cohort_is_unusable() -> None:
    infos = {
        "GSE1": CohortInfo(True, True, True, True, False, note="3 probes dropped"),
        "GSE2": CohortInfo(False, True, True, True, True, note="40 x 0, 2 x 1"),
    }
    page = build_unanswered_page("Asthma", None, infos, {}, version="0.1.0")
    assert [row.reason for row in page.cohorts] == [
        "Usable.",
        "The trait hardly varies. 40 x 0, 2 x 1.",
    ]


def test_values_are_read_with_roles_and_counts() -> None:
    trait, age, gender = plain_page().features
    assert (trait.values[0].code, trait.values[0].role, trait.values[0].samples) == (
        "1",
        "case",
        13,
    )
    assert "row 2" in trait.where
    assert len(age.values) == 4
    assert age.rest == "The first 4 of 20 different values."
    assert age.amount.startswith("33 of 33 samples, ")
    assert trait.amount == "13 cases, 20 controls (10 with another disease), 0 missing."
    assert gender.confidence == "inferred"


def test_feature_without_annotation_is_reported() -> None:
    table, roles = make_table(genes=20)
    reading = {**make_evidence(table, roles).reading, "age": None}
    page = page_of(20, reading=reading, encoded={})
    assert page.features[1].missing
    assert "Not available" in read(render_page(page)).words


def test_evidence_of_another_tool_has_no_record_and_still_gives_a_page() -> None:
    table, roles = make_table(genes=40)
    bare = Evidence(table.trait, "GSE55457", "sound", "GEO", "0.1.0")
    page = build_page(bare, table, {}, make_findings(table, roles), csv_name="a.csv")
    assert {group.key for group in page.answer.groups} == {"case", "control"}
    assert "lists no file" in read(render_page(page)).words


def test_continuous_trait_is_described_as_a_level() -> None:
    table, roles = make_table(genes=40)
    table = replace(table, trait="Body_mass", trait_values=table.expression[:, 0] * 3)
    page = build_page(
        make_evidence(table, roles),
        table,
        {},
        make_findings(table, roles, continuous=True),
        csv_name="a.csv",
    )
    assert page.question == "Which genes change with Body mass?"
    assert [column.label for column in page.table.columns[:2]] == ["Gene", "change / SD"]
    assert page.answer.contrast.startswith("33 samples along the measured level")
    read(render_page(page))


def test_genes_without_numbers_are_written_as_empty_cells() -> None:
    table, roles = make_table(genes=20)
    genes = make_findings(table, roles).result.genes.with_columns(
        pl.when(pl.col("Variable") == "JUN").then(float("nan")).otherwise(pl.col(name)).alias(name)
        for name in ("Coefficient", "CI Lower", "CI Upper", "t", "p", "q")
    )
    page = page_of(20, findings={"genes": genes})
    assert page.table.rows[-1]["Variable"] == "JUN"
    assert page.answer.tested == 19
    assert "nan" not in read(render_page(page)).words.lower().split()


def test_methods_paragraph_names_data_model_and_versions() -> None:
    text = plain_page().methods
    for part in ("GSE55457", "GPL96", "22,283 rows", "12,988", "Benjamini", "q < 0.05",
                 "genotex 0.1.0",
                 "age and gender as covariates", "NumPy", "clinical status"):  # fmt: skip
        assert part in text


def test_methods_state_which_samples_were_compared_and_left_out() -> None:
    assert (
        "13 cases were compared with 10 healthy controls; 10 samples of another disease were left "
        "out." in plain_page().methods
    )
    table, _ = make_table(genes=20)
    everybody = page_of(20, findings={"tested": table.samples}).methods
    told = "13 cases were compared with 10 healthy controls and 10 samples of another disease."
    assert told in everybody and "were left out" not in everybody.split(told)[1]
    kept = tuple(s for s, y in zip(table.samples, table.trait_values, strict=True) if not y)
    fewer = page_of(20, findings={"tested": (*kept, *(set(table.samples) - {*kept}))[:-1]})
    assert "12 cases were compared" in fewer.methods and "; 1 case was left out." in fewer.methods


def test_same_input_same_page() -> None:
    assert render_page(page_of()) == render_page(plain_page())


def test_no_warning_no_section() -> None:
    reader = read(render_page(page_of(findings={"warnings": ()})))
    assert "warnings" not in [a["id"] for tag, a in reader.tags if tag == "section"]


def test_headers_of_the_gene_table_are_buttons_for_the_keyboard() -> None:
    html = render_page(plain_page())
    head = html[html.index('id="gene-table"') :]
    head = head[: head.index("</thead>")]
    assert head.count('<button type="button">') == len(plain_page().table.columns)
    assert 'aria-sort="ascending"' in head


@pytest.mark.parametrize("infos", [{}, make_infos()])
def test_unanswered_page_gives_each_reason(infos: dict[str, CohortInfo]) -> None:
    reasons = {"GSE157103": "the expression table is empty", "GSE1": "no <b>trait</b>"}
    page = build_unanswered_page("Crohns_Disease", "Age", infos, reasons, version="0.1.0")
    reader = read(render_page(page))
    assert "Not answerable" in reader.words
    assert "The expression table is empty." in reader.words
    assert "No <b>trait</b>." in reader.words
    assert not any(tag == "script" for tag, _ in reader.tags)


def test_planted_genes_are_found_and_listed() -> None:
    symbols = {row["Variable"] for row in page_of(genes=400).table.rows if row["Significant"]}
    assert len(symbols & set(PLANTED)) >= 5


def test_infinite_and_missing_numbers_do_not_break_the_short_list() -> None:
    table, roles = make_table(genes=15)
    genes = make_findings(table, roles).result.genes.with_columns(
        pl.lit(-np.inf).alias("CI Lower"), pl.lit(None, pl.Float64).alias("CI Upper")
    )
    read(render_page(page_of(15, findings={"genes": genes})))
