"""Building an atlas: everything is collected, only what changed is read, a crash does no harm."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from genotex.analysis import AnalysisResult, combine_results, write_meta, write_result
from genotex.atlas import AtlasReader, build_atlas, building, find_gene, find_trait, store
from genotex.errors import FormatError, UsageError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.atlas.result_folders import GENES, gene_table, write_cohort


def read_count(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows by the name of each result that is read."""
    read: list[str] = []
    own = building.read_effects
    monkeypatch.setattr(building, "read_effects", lambda f: (read.append(f.trait), own(f))[1])
    return read


def test_every_gene_of_every_result_is_there_with_its_numbers(
    folders: Path, atlas_folder: Path
) -> None:
    atlas = AtlasReader(atlas_folder)
    table = pl.read_parquet(folders / "GSE1/regress/Asthma/all_genes_condition_None.parquet")
    rows = atlas.store.read_owned(atlas.manifest, "genes", [_result(atlas, "GSE1")])
    assert sorted(rows["gene"]) == sorted(table["Variable"]) == GENES
    both = rows.join(table, left_on="gene", right_on="Variable").filter(pl.col("p").is_not_null())
    assert both["effect"].to_list() == pytest.approx(both["Coefficient"].to_list(), rel=1e-6)
    assert (10 ** both["log10_p"]).to_list() == pytest.approx(both["p"].to_list(), rel=1e-4)
    assert both.sort("p")["rank"].to_list() == list(range(1, both.height + 1))


def _result(atlas: AtlasReader, cohort: str) -> int:
    return int(atlas.results.filter(pl.col("cohort") == cohort)["result"][0])


def test_a_gene_that_was_not_tested_is_there_with_nulls(atlas: AtlasReader) -> None:
    rows = find_gene(atlas, GENES[-1]).cohorts
    assert rows.height == 15
    assert rows["p"].null_count() == rows["error"].null_count() == 15
    assert rows["status"].unique().to_list() == ["low"]


def test_platform_and_tissue_come_from_the_record_of_the_cohort(atlas: AtlasReader) -> None:
    assert set(atlas.results["platform"]) == {"GPL1"}
    assert set(atlas.results["tissue"]) == {"whole blood"}


def test_only_what_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for i, trait in enumerate(("Asthma", "Eczema")):
        write_cohort(tmp_path / "out", trait, f"GSE{i}", seed=i)
    build_atlas([tmp_path / "out"], tmp_path / "atlas")
    read = read_count(monkeypatch)
    assert build_atlas([tmp_path / "out"], tmp_path / "atlas").unchanged == 2
    assert read == []
    write_cohort(tmp_path / "out", "Eczema", "GSE1", seed=7)
    report = build_atlas([tmp_path / "out"], tmp_path / "atlas")
    assert (report.added, report.removed, report.unchanged) == (1, 1, 1)
    assert read == ["Eczema"]


def test_an_updated_atlas_answers_like_a_new_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_cohort(out / "a", "Asthma", "GSE1", seed=1)
    write_cohort(out / "b", "Asthma", "GSE2", seed=2, genes=GENES[:200])
    build_atlas([out], tmp_path / "updated")
    write_cohort(out / "b", "Asthma", "GSE2", seed=3, genes=GENES[50:])
    write_cohort(out / "c", "Eczema", "GSE3", seed=4)
    build_atlas([out], tmp_path / "updated")
    build_atlas([out], tmp_path / "new")
    one, other = AtlasReader(tmp_path / "updated"), AtlasReader(tmp_path / "new")
    for gene in (GENES[0], GENES[100], GENES[250]):
        assert find_gene(one, gene).cohorts.equals(find_gene(other, gene).cohorts)
        assert find_gene(one, gene).traits.equals(find_gene(other, gene).traits)


def test_tables_with_a_new_time_but_the_same_content_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_cohort(tmp_path / "out", "Asthma", "GSE1")
    build_atlas([tmp_path / "out"], tmp_path / "atlas")
    read = read_count(monkeypatch)
    (tmp_path / "out/regress/Asthma/all_genes_condition_None.parquet").touch()
    build_atlas([tmp_path / "out"], tmp_path / "atlas")
    assert read == []


def test_what_is_gone_from_a_named_folder_is_removed_and_other_folders_stay(tmp_path: Path) -> None:
    for name, trait in (("a", "Asthma"), ("a", "Eczema"), ("b", "Psoriasis")):
        write_cohort(tmp_path / name, trait, f"GSE_{trait}")
    build_atlas([tmp_path / "a", tmp_path / "b"], tmp_path / "atlas")
    for path in (tmp_path / "a/regress/Eczema").iterdir():
        path.unlink()
    report = build_atlas([tmp_path / "a"], tmp_path / "atlas")
    assert (report.removed, report.results) == (1, 2)
    rows = find_gene(AtlasReader(tmp_path / "atlas"), GENES[0])
    assert set(rows.cohorts["trait"]) == set(rows.traits["trait"]) == {"Asthma", "Psoriasis"}
    shutil.rmtree(tmp_path / "a")
    report = build_atlas([tmp_path], tmp_path / "atlas")
    assert (report.removed, report.results) == (1, 1), "gone from a folder of output folders"


def test_a_build_that_ends_early_leaves_the_old_atlas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_cohort(tmp_path / "out", "Asthma", "GSE1", seed=1)
    build_atlas([tmp_path / "out"], tmp_path / "atlas")
    before = find_gene(AtlasReader(tmp_path / "atlas"), GENES[0]).cohorts
    write_cohort(tmp_path / "out", "Asthma", "GSE1", seed=2)

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store.AtlasFolder, "commit", stopped)
        with pytest.raises(KeyboardInterrupt):
            build_atlas([tmp_path / "out"], tmp_path / "atlas")
    assert find_gene(AtlasReader(tmp_path / "atlas"), GENES[0]).cohorts.equals(before)
    build_atlas([tmp_path / "out"], tmp_path / "atlas")
    reader = AtlasReader(tmp_path / "atlas")
    assert not find_gene(reader, GENES[0]).cohorts.equals(before)
    there = {p.relative_to(tmp_path / "atlas").as_posix() for p in _files(tmp_path / "atlas")}
    assert there == {*reader.manifest.files, "manifest.json", "views.sql"}


def _files(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file() and not p.name.startswith(".")]


def test_a_first_build_that_ends_early_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_cohort(tmp_path / "out", "Asthma", "GSE1")

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(store.AtlasFolder, "write_matrix", stopped)
        with pytest.raises(KeyboardInterrupt):
            build_atlas([tmp_path / "out"], tmp_path / "atlas")
    assert [path.name for path in _files(tmp_path / "atlas")] == ["manifest.json"]
    with pytest.raises(UsageError, match="never finished"):
        AtlasReader(tmp_path / "atlas")
    # As a process leaves it that was killed in the middle.
    (tmp_path / "atlas/genes/block=99").mkdir(parents=True)
    (tmp_path / "atlas/genes/block=99/000001-0000.parquet").write_bytes(b"half")
    assert build_atlas([tmp_path / "out"], tmp_path / "atlas").results == 1


def test_without_any_readable_result_the_atlas_stays_as_it_was(tmp_path: Path) -> None:
    write_cohort(tmp_path / "out", "Asthma", "GSE1")
    record = tmp_path / "out/regress/Asthma/significant_genes_condition_None.json"
    build_atlas([tmp_path / "out"], tmp_path / "atlas")
    record.write_text("{")
    report = build_atlas([tmp_path / "out"], tmp_path / "atlas")
    assert (report.results, len(report.unreadable)) == (0, 1)
    assert find_gene(AtlasReader(tmp_path / "atlas"), GENES[0]).cohorts.height == 1


def test_an_open_reader_sees_the_next_build(tmp_path: Path) -> None:
    write_cohort(tmp_path / "out", "Asthma", "GSE1", seed=1)
    build_atlas([tmp_path / "out"], tmp_path / "atlas")
    reader = AtlasReader(tmp_path / "atlas")
    assert find_gene(reader, GENES[0]).cohorts.height == 1
    write_cohort(tmp_path / "out", "Eczema", "GSE2", seed=2)
    build_atlas([tmp_path / "out"], tmp_path / "atlas")
    assert find_gene(reader, GENES[0]).cohorts.height == 2


def test_many_segments_are_merged_without_the_rows_of_removed_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "MOST_SEGMENTS", 1)
    write_cohort(tmp_path / "out" / "GSE1", "Asthma", "GSE1")
    for seed in (2, 3):
        write_cohort(tmp_path / "out" / "GSE2", "Asthma", "GSE2", seed=seed)
        build_atlas([tmp_path / "out"], tmp_path / "atlas")
    reader = AtlasReader(tmp_path / "atlas")
    assert len(reader.manifest.segments) <= 1
    for table, owner, alive in (("genes", "result", 2), ("combined", "group", 1)):
        stored = pl.read_parquet(tmp_path / "atlas" / table / "*/*.parquet")
        assert stored[owner].n_unique() == alive, table
    found = find_gene(reader, GENES[0])
    assert (found.cohorts.height, found.traits.height) == (2, 1)


def test_a_result_that_cannot_be_read_is_reported_and_tried_again(tmp_path: Path) -> None:
    write_cohort(tmp_path / "out", "Asthma", "GSE1")
    write_cohort(tmp_path / "out", "Eczema", "GSE2")
    table = tmp_path / "out/regress/Eczema/all_genes_condition_None.parquet"
    whole = table.read_bytes()
    table.write_bytes(whole[:-10])
    report = build_atlas([tmp_path / "out"], tmp_path / "atlas")
    assert report.results == 1
    (name, why), *more = report.unreadable.items()
    assert name.endswith("regress/Eczema/significant_genes_condition_None.json") and not more
    assert "digests differ" in why
    table.write_bytes(whole)
    report = build_atlas([tmp_path / "out"], tmp_path / "atlas")
    assert (report.results, dict(report.unreadable)) == (2, {})
    assert (report.added, report.unchanged) == (1, 1)


@pytest.mark.parametrize("text", ["no JSON", "[]", '{"significant_genes": {}}', "{}"])
def test_strange_records_are_reported(tmp_path: Path, text: str) -> None:
    write_cohort(tmp_path / "out", "Asthma", "GSE1")
    strange = tmp_path / "out/regress/Eczema/significant_genes_condition_None.json"
    strange.parent.mkdir()
    strange.write_text(text)
    report = build_atlas([tmp_path / "out"], tmp_path / "atlas")
    assert (report.results, len(report.unreadable)) == (1, 1)


def test_genes_listed_by_an_agent_are_collected(tmp_path: Path) -> None:
    record = tmp_path / "out/regress/Asthma/significant_genes_condition_Age.json"
    record.parent.mkdir(parents=True)
    genes = {"Variable": ["IL6", "TNF"], "Coefficient": [0.5, -0.2]}
    record.write_text(json.dumps({"significant_genes": genes, "cv_performance": {}}))
    build_atlas([tmp_path / "out"], tmp_path / "atlas")
    row = find_gene(AtlasReader(tmp_path / "atlas"), "TNF").cohorts.row(0, named=True)
    assert (row["direction"], row["rank"], row["status"]) == ("down", 2, "listed")
    assert row["p"] is None and row["condition"] == "Age"


def test_a_result_of_benchmark_keeps_its_coefficients_and_is_not_combined(tmp_path: Path) -> None:
    table = gene_table(pl.Series(range(-150, 150)).to_numpy() / 50, GENES)
    empty = [n for n in table.columns if n not in ("Variable", "Status", "Significant")]
    kept = ("Coefficient", "Absolute Coefficient")
    table = table.with_columns(pl.lit(None, pl.Float64).alias(n) for n in empty if n not in kept)
    table = table.with_columns(Samples=pl.lit(None, pl.Int64))
    method = {"procedure": "benchmark", "contrast": {"kind": "binary", "samples": {}, "text": ""}}
    result = AnalysisResult("Asthma", None, table, {}, method, cohort="GSE1")
    write_result(OutputFolder(tmp_path / "out"), result)
    build_atlas([tmp_path / "out"], tmp_path / "atlas")
    atlas = AtlasReader(tmp_path / "atlas")
    # The last gene was not tested; the one before has the largest coefficient.
    found = find_gene(atlas, GENES[-2])
    assert found.cohorts["rank"].to_list() == [1] and found.cohorts["p"].to_list() == [None]
    assert found.traits.is_empty()
    assert "no genes are combined" in find_trait(atlas, "Asthma").notes[-1]


def test_cohorts_of_a_meta_analysis_are_collected_once(tmp_path: Path) -> None:
    results = {
        f"GSE{i}": write_cohort(tmp_path / f"o{i}", "Asthma", f"GSE{i}", seed=i) for i in (1, 2)
    }
    out = OutputFolder(tmp_path / "out")
    write_result(out, results["GSE1"])
    write_meta(out, combine_results(Problem("Asthma"), results, AnalysisOptions()))
    build_atlas([out.root], tmp_path / "atlas")
    atlas = AtlasReader(tmp_path / "atlas")
    origins = dict(atlas.results.select("cohort", "origin").iter_rows())
    assert origins == {"GSE1": "analysis", "GSE2": "meta"}
    rows = find_gene(atlas, GENES[3]).cohorts.sort("cohort")
    expected = results["GSE2"].genes.filter(pl.col("Variable") == GENES[3]).row(0, named=True)
    assert rows["p"][1] == pytest.approx(expected["p"], rel=1e-4)
    assert rows["standardised"][1] == pytest.approx(expected["Standardised Effect"], rel=1e-5)


def test_folders_are_refused_that_hold_no_results_or_something_else(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no results"):
        build_atlas([tmp_path / "empty"], tmp_path / "atlas")
    with pytest.raises(UsageError, match="not a folder"):
        build_atlas([tmp_path / "nowhere"], tmp_path / "atlas")
    assert not (tmp_path / "atlas").exists()
    write_cohort(tmp_path / "out", "Asthma", "GSE1")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds no atlas"):
        build_atlas([tmp_path / "out"], tmp_path / "full")


def test_a_manifest_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"format": "other"}')
    with pytest.raises(FormatError, match="not the manifest of an atlas"):
        AtlasReader(tmp_path)
    with pytest.raises(UsageError, match="genotex atlas build"):
        AtlasReader(tmp_path / "nowhere")
