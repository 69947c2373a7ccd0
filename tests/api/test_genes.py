"""Several cohorts, gene sets, agreement with a reference, and fetching."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import genotex as gx
from tests.api.conftest import ARTHRITIS
from tests.fetch.geo_tree import GeoSite
from tests.fetch.server import serving

CONTRAST = "group: case - control"


@pytest.fixture(scope="module")
def results(study: Path) -> list[gx.Result]:
    folder = study / "GEO" / "Simulated_Arthritis"
    return [
        gx.de(gx.read_geo(folder / name, ARTHRITIS), design="~ group", contrast=CONTRAST)
        for name in ("GSE90000001", "GSE90000002", "GSE90000007")
    ]


def test_cohorts_are_combined_gene_by_gene(study: Path, results: list[gx.Result]) -> None:
    both = gx.meta(results)
    assert both["cohorts"].max() == 3
    by_p = gx.meta(results, rank_by="p", next_cohort=4)
    assert by_p["p"].is_monotonic_increasing and set(by_p.index) == set(both.index)
    significant = both.index[both["significant"]]
    assert both.loc[significant, "replication"].is_monotonic_decreasing
    assert (by_p.loc[significant, "replication"] < both.loc[significant, "replication"]).all()
    assert any("GSE90000001" in name for name in both.columns)
    assert {"effect", "q", "i2", "replicates"} <= set(both.columns)
    truth = json.loads((study / "truth.json").read_text())
    planted = set(truth["planted"][ARTHRITIS.replace(" ", "_")])
    assert set(both.index[:5]) <= planted


def test_a_cohort_that_cannot_be_combined_is_named(results: list[gx.Result]) -> None:
    with pytest.raises(gx.AnalysisError, match="two cohorts are needed"):
        gx.meta(results[:1])
    with pytest.raises(gx.AnalysisError, match="shares 24 of its 24 samples"):
        gx.meta([results[0], results[0]])
    with pytest.raises(gx.UsageError, match="unknown method 'fisher'"):
        gx.meta(results, combine="fisher")


def test_a_set_of_the_strongest_genes_is_found(results: list[gx.Result], tmp_path: Path) -> None:
    table = results[0].table
    lines = [
        "\t".join(["STRONG", "", *table.index[:12]]),
        "\t".join(["WEAK", "", *table.index[-40:]]),
    ]
    path = tmp_path / "sets.gmt"
    path.write_text("\n".join(lines) + "\n")
    found = gx.enrich(results[0], path, test="fry-mixed")
    assert found.index[0] == "STRONG" and found["mixed_q"].iloc[0] < 0.05
    assert found.attrs["record"]["tests"]["genes"] == len(table)


def test_packaged_sets_need_no_file(results: list[gx.Result]) -> None:
    found = gx.enrich(results[0], sets="go-cc")
    about = found.attrs["record"]["gene_sets"]
    assert about["file"] == "Gene Ontology, cellular component (2022-07-01)"
    assert len(found) == about["tested"] and found["overlap_p"].between(0, 1).all()
    with pytest.raises(gx.UsageError, match="use go-bp, go-mf, go-cc"):
        gx.enrich(results[0], sets="kegg")  # type: ignore[arg-type]


def test_sets_without_a_fitting_size_are_refused(results: list[gx.Result], tmp_path: Path) -> None:
    path = tmp_path / "sets.gmt"
    path.write_text("ONE\t\tTP53\n")
    with pytest.raises(gx.AnalysisError):
        gx.enrich(results[0], str(path))


def test_a_ranked_list_is_compared_with_a_reference(tmp_path: Path) -> None:
    folder = tmp_path / "regress" / "Gout"
    folder.mkdir(parents=True)
    answer = {"significant_genes": {"Variable": ["TP53", "CXCL9"]}}
    (folder / "significant_genes_condition_None.json").write_text(json.dumps(answer))
    found = gx.evaluate_genes(["CXCL9", "ABC1"], "Gout", tmp_path)
    assert found["precision"] == 50 and found["recall"] == 50
    assert gx.evaluate_genes(["TP53", "CXCL9"], ("Gout", None), tmp_path)["auroc"] == 1
    with pytest.raises(gx.UsageError, match="no answer to Asthma"):
        gx.evaluate_genes(["CXCL9"], "Asthma", tmp_path)
    with pytest.raises(gx.UsageError, match="give a list of symbols"):
        gx.evaluate_genes("CXCL9", "Gout", tmp_path)


def test_real_reference_files_are_read(shared_data: Path) -> None:
    reference = shared_data / "reference_2024"
    trait = sorted(path.name for path in (reference / "regress").iterdir())[0]
    (path, *_) = sorted((reference / "regress" / trait).glob("significant_genes_*.json"))
    condition = path.stem.removeprefix("significant_genes_condition_")
    problem = (trait, None if condition == "None" else condition)
    genes = json.loads(path.read_text())["significant_genes"]["Variable"]
    assert gx.evaluate_genes(genes, problem, reference)["f1"] == 100


@pytest.fixture
def geo(monkeypatch: pytest.MonkeyPatch) -> Iterator[GeoSite]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("NCBI_API_KEY", raising=False)
    with serving() as site:
        place = GeoSite(site)
        named = dict(zip(place.addresses[::2], place.addresses[1::2], strict=True))
        for constant, option in (
            ("EUTILS", "--eutils-address"),
            ("GEO_FILES", "--geo-files-address"),
            ("GEO_PAGES", "--geo-address"),
        ):
            monkeypatch.setattr(f"genotex.fetch.geo.{constant}", named[option])
        yield place


def test_a_series_is_fetched_into_a_folder_that_can_be_read(geo: GeoSite, tmp_path: Path) -> None:
    geo.add("GSE1", probes=False)
    folder = gx.fetch_geo("GSE1", str(tmp_path / "input"), trait="Asthma")
    assert folder == tmp_path / "input" / "GEO" / "Asthma" / "GSE1"
    assert gx.read_geo(folder, "Asthma").obs["group"].notna().any()


def test_a_plan_says_what_expression_is_taken_from(geo: GeoSite) -> None:
    geo.add("GSE1", rows=30)
    plan = gx.plan_geo("gse1")
    assert plan["best"]["kind"] == "matrix" and "30 rows" in plan["best"]["why"]
    assert [source["refused"] for source in plan["sources"]] == [""]


def test_a_series_that_is_not_there_is_an_error(geo: GeoSite, tmp_path: Path) -> None:
    with pytest.raises(gx.GenotexError):
        gx.fetch_geo("GSE404", tmp_path)
