import hashlib
import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from genotex.analysis import AnalysisResult, analyze_table, read_result, remove_result, write_result
from genotex.errors import AnalysisError, FormatError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.analysis.cohort_tables import linked, two_groups


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    return OutputFolder(tmp_path)


def answer(condition: str | None = None, panel: bool = False) -> AnalysisResult:
    table = two_groups(samples=40)
    table.expression[:, 59] = 8.0
    options = AnalysisOptions(panel=panel)
    result = analyze_table(table, {}, Problem("Asthma", condition), options)
    return replace(
        result, cohort="GSE1", cohort_reason="the largest", other_cohorts={"GSE2": "no Age"}
    )


@pytest.mark.parametrize("condition", [None, "Gender"])
def test_written_result_is_read_back_the_same(output: OutputFolder, condition: str | None) -> None:
    result = answer(condition, panel=True)
    path = write_result(output, result)
    assert path == output.significant_genes("Asthma", condition)
    again = read_result(output, "Asthma", condition)
    assert_frame_equal(again.genes, result.genes)
    for name in ("trait", "condition", "cohort", "cohort_reason", "warnings"):
        assert getattr(again, name) == getattr(result, name)
    for name in ("cv_performance", "method", "other_cohorts"):
        assert getattr(again, name) == dict(getattr(result, name))


def test_json_has_the_published_fields(output: OutputFolder) -> None:
    content = json.loads(write_result(output, answer()).read_text())
    genes = content["significant_genes"]
    assert list(genes)[:3] == ["Variable", "Coefficient", "Absolute Coefficient"]
    assert len({len(column) for column in genes.values()}) == 1
    assert genes["Absolute Coefficient"] == [abs(b) for b in genes["Coefficient"]]
    assert genes["Replication"] == sorted(genes["Replication"], reverse=True)
    assert content["cv_performance"] == {}
    assert content["problem"] == {"trait": "Asthma", "condition": None}
    assert content["cohort"]["id"] == "GSE1"
    assert set(content["method"]["options"]) >= {"q_cut", "controls", "seed"}
    assert set(content["method"]["versions"]) >= {"genotex", "numpy", "scipy", "polars"}


@pytest.mark.parametrize("samples", [6, 8, 24])
def test_no_nan_in_the_json(output: OutputFolder, samples: int) -> None:
    table = two_groups(samples=samples, genes=12)
    table.expression[0, 3] = float("nan")
    result = analyze_table(table, {}, Problem("Asthma", "Age"))
    assert "NaN" not in write_result(output, result).read_text()


def test_perfect_genes_can_be_written(output: OutputFolder) -> None:
    table = linked([0, 1] * 6, [[8.0 + i % 2, 5.0 - i % 2] for i in range(12)])
    result = analyze_table(table, {}, Problem("Asthma"), AnalysisOptions(panel=False))
    assert result.significant.height == 2
    write_result(output, result)


def test_prior_without_scatter_can_be_written(output: OutputFolder) -> None:
    values = [[8.0 + ((i * (2 * j + 3)) % 12) / 12 for j in range(6)] for i in range(12)]
    result = analyze_table(linked([0, 1] * 6, values), {}, Problem("Asthma"))
    assert result.method["prior"]["df_infinite"]
    write_result(output, result)
    assert read_result(output, "Asthma", None).method["prior"]["df"] is None


def test_table_of_another_run_is_refused(output: OutputFolder) -> None:
    write_result(output, answer())
    table = output.all_genes("Asthma", None)
    pl.read_parquet(table).head(50).write_parquet(table)
    with pytest.raises(FormatError, match="digests differ"):
        read_result(output, "Asthma", None)


def test_json_names_its_table(output: OutputFolder) -> None:
    content = json.loads(write_result(output, answer()).read_text())
    table = output.all_genes("Asthma", None)
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    assert content["all_genes"] == {"file": table.name, "sha256": digest}


def test_crash_between_table_and_json_leaves_no_pair(
    output: OutputFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_result(output, answer())

    def crash(self: Path, *_: object, **__: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", crash)
        with pytest.raises(KeyboardInterrupt):
            write_result(output, answer())
    assert not path.exists()
    with pytest.raises(AnalysisError, match="run analyze first"):
        read_result(output, "Asthma", None)


def test_table_that_cannot_be_written_keeps_the_old_pair(
    output: OutputFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_result(output, answer())

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(pl.DataFrame, "write_parquet", full_disk)
        with pytest.raises(OSError, match="No space"):
            write_result(output, answer())
    assert read_result(output, "Asthma", None).cohort == "GSE1"


@pytest.mark.parametrize("remove", [True, False])
def test_report_of_a_result_that_is_gone_goes_too(output: OutputFolder, remove: bool) -> None:
    write_result(output, answer())
    page = output.report("Asthma", None)
    other = output.report("Asthma", "Age")
    for path in (page, page.with_suffix(".csv"), other):
        path.parent.mkdir(exist_ok=True)
        path.write_text("numbers of the old result")
    if remove:
        remove_result(output, "Asthma", None)
        assert not output.significant_genes("Asthma", None).exists()
        assert not output.all_genes("Asthma", None).exists()
    else:
        write_result(output, answer())
    assert list(page.parent.iterdir()) == [other]


def test_significant_interactions_have_a_block_of_their_own(output: OutputFolder) -> None:
    table = two_groups(samples=40, changed=0)
    for gene in (3, 8):
        table.expression[:, gene] += gene * table.trait_values * table.covariates["Gender"]
    result = analyze_table(table, {}, Problem("Asthma", "Gender"), AnalysisOptions(panel=False))
    content = json.loads(write_result(output, result).read_text())
    block = content["significant_interactions"]
    assert set(block["Variable"][:2]) == {"GENE3", "GENE8"}
    assert list(block) == ["Variable", "Coefficient", "q"]
    assert block["q"] == sorted(block["q"])
    assert content["method"]["interaction"]["significant"] == len(block["q"])
    assert max(block["q"]) < 0.05
    again = read_result(output, "Asthma", "Gender")
    assert_frame_equal(again.significant_interactions, result.significant_interactions)
    plain = json.loads(write_result(output, answer()).read_text())
    assert "significant_interactions" not in plain


def test_no_p_value_in_the_middle_can_be_written(output: OutputFolder) -> None:
    # Two genes that are the same in cases and controls, and two that change.
    values = [[8 + i // 2, 9 - i // 2, 8 + 5 * (i % 2) + i / 9, 7 - i % 2] for i in range(12)]
    result = analyze_table(linked([0, 1] * 6, values), {}, Problem("Asthma"))
    assert result.method["excess_near_one"] is None
    write_result(output, result)


def test_result_that_was_never_written(output: OutputFolder) -> None:
    with pytest.raises(AnalysisError, match="run analyze first"):
        read_result(output, "Asthma", None)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"procedure": "quick"}, "procedure 'quick' is not known; use sound or benchmark"),
        ("sound", "method: must be an object"),
    ],
)
def test_result_of_an_unknown_procedure(output: OutputFolder, method: object, message: str) -> None:
    path = write_result(output, answer())
    path.write_text(json.dumps(json.loads(path.read_text()) | {"method": method}))
    with pytest.raises(FormatError, match=message):
        read_result(output, "Asthma", None)


def test_result_of_another_tool(output: OutputFolder) -> None:
    write_result(output, answer())
    path = output.significant_genes("Asthma", None)
    path.write_text('{"significant_genes": {"Variable": []}, "cv_performance": {}}')
    with pytest.raises(FormatError, match="not written by genotex"):
        read_result(output, "Asthma", None)
    path.write_text("<html>")
    with pytest.raises(FormatError, match="an HTML or XML page"):
        read_result(output, "Asthma", None)


@pytest.mark.parametrize("spoil", ["absent", "rubbish", "columns"])
def test_spoiled_table_of_all_genes(output: OutputFolder, spoil: str) -> None:
    write_result(output, answer())
    path = output.all_genes("Asthma", None)
    if spoil == "absent":
        path.unlink()
    elif spoil == "rubbish":
        path.write_bytes(b"PAR1 and nothing more")
    else:
        pl.DataFrame({"Variable": ["A"]}).write_parquet(path)
    with pytest.raises(FormatError, match=r"all_genes_condition_None\.parquet"):
        read_result(output, "Asthma", None)
