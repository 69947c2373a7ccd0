"""How to cite the software, the works that are cited, and the session."""

from __future__ import annotations

import platform
import re
from dataclasses import replace

import pytest

import genotex
from genotex.options import AnalysisOptions
from genotex.reports import (
    REFERENCES,
    Findings,
    citation,
    cited_works,
    problem_software,
    software_view,
    written_options,
)
from tests.reports.report_cohort import make_evidence, make_table, vary
from tests.reports.report_steps import (
    page_of,
    plain,
    selected,
    with_mixed,
    with_pairs,
    with_surrogates,
)

CITED = re.compile(
    r"[A-Z][a-z]+[A-Za-z]*(?:(?:, [A-Z][a-z]+)? and [A-Z][a-z]+| et al\.)? \(?(?:19|20)\d\d"
)


pytestmark = pytest.mark.usefixtures("undrawn")


def test_citation_is_made_of_the_metadata() -> None:
    assert citation("9.1").startswith("genotex: Raw GEO and TCGA files in")
    assert "Version 9.1 [computer software]." in citation("9.1")
    assert genotex.__version__ in citation("")


@pytest.mark.parametrize(
    "findings",
    [
        plain(),
        with_surrogates(plain()),
        with_mixed(plain(), ranks=True),
        with_pairs(plain(), design="correlated", correlation=0.4),
        selected({"CXCL9": 0.2}),
    ],
)
def test_every_work_that_the_methods_cite_is_in_the_list(findings: Findings) -> None:
    page = page_of(findings)
    cited = {found.replace("(", "") for found in CITED.findall(page.methods)}
    assert cited, page.methods
    for short in cited:
        assert any(known.endswith(short) for known in REFERENCES), short
    assert len(page.software.references) >= len(cited)


def test_references_are_in_order_and_name_the_year() -> None:
    assert list(REFERENCES) == sorted(REFERENCES)
    for short, full in REFERENCES.items():
        assert short.split()[-1] in full and short.split()[0].rstrip(",") in full
    assert cited_works("as of Benjamini and Hochberg (1995) and Smyth 2004") == (
        REFERENCES["Benjamini and Hochberg 1995"],
        REFERENCES["Smyth 2004"],
    )


def session_of(findings: Findings, **evidence: object) -> dict[str, str]:
    table, roles = make_table(genes=30)
    record = replace(make_evidence(table, roles), **evidence)  # type: ignore[arg-type]
    return dict(problem_software(record, findings, "").session)


def test_session_has_versions_options_and_digests() -> None:
    options = {**AnalysisOptions().as_json(), "q_cut": 0.01}
    record = {"options": options, "session": {"platform": "Linux x86_64", "pandas": "2.3"}}
    files = [{"name": "values.csv", "size": 3, "sha256": "ab12", "used_for": "expression"}]
    found = session_of(
        vary(plain(30), method=record), files=files, fingerprint="cd34", options={"cases": ["RA"]}
    )
    assert found["Python"] == "3.11.7" and found["pandas"] == "2.3"
    assert found["Platform"] == "Linux x86_64"
    assert found["Options of the analysis"] == "q_cut = 0.01"
    assert found["Options of preprocessing"] == "cases = RA"
    assert found["SHA-256 of values.csv"] == "ab12"
    assert found["Digest of input files, options and version"] == "cd34"


def test_session_names_neither_host_nor_folders() -> None:
    options = {"gene_table": "/home/someone/genes.csv", "vocabulary": {"name": "v"}}
    assert written_options(options, {}) == "gene_table = genes.csv; vocabulary = v"
    page = page_of(plain())
    text = " ".join(value for _, value in page.software.session)
    assert platform.node() not in text.split() and "/" not in text


def test_results_of_earlier_versions_have_what_they_recorded() -> None:
    view = software_view("", {"versions": {"genotex": "0.1"}})
    assert view.session == (("genotex", "0.1"),) and view.references == ()
