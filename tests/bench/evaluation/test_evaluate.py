"""Whole output folders against each other."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genotex.bench import EvaluationOptions, Scores, evaluate, evaluate_all, summarise
from genotex.errors import FormatError, UsageError
from genotex.formats import CsvTable, read_csv_table
from genotex.problems import Problem
from tests.bench.evaluation.output_folders import (
    GENES,
    cohort,
    whole_folder,
    write_answer,
    write_cohorts,
    write_json,
    write_table,
    write_task_info,
    write_text_table,
)

TRAIT_FIGURES = {"trait_accuracy", "trait_f1", "trait_r2"}
LENGTHS = {"predicted", "reference"}


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reference, a worse prediction, and the task list in its published place."""
    root = tmp_path_factory.mktemp("simulated")
    whole_folder(root / "reference")
    whole_folder(root / "prediction", noise=1.0)
    write_task_info(root / "metadata" / "task_info.json")
    return root


def averages(scores: Scores) -> dict[str, dict[str, float | None]]:
    return {
        section: {name: found.average for name, found in figures.items()}
        for section, figures in summarise(scores, draws=2).sections.items()
    }


# ------------------------------------------------------------------------------- properties


def test_identical_folders_are_perfect(simulated: Path) -> None:
    """But for trait prediction, which is a figure of one side, and undefined values."""
    scores = evaluate(simulated / "reference", simulated / "reference")
    assert scores.missing == ()
    assert scores.tasks == ("selection", "preprocessing", "analysis")
    assert [str(len(items)) for items in scores.items().values()] == ["3", "6", "3", "5"]
    for section, figures in averages(scores).items():
        perfect = 100 if section in ("filtering", "selection") else 1
        for name, value in figures.items():
            if name not in TRAIT_FIGURES | LENGTHS | {"interaction_f1"}:
                percent = name in ("success", "precision", "recall", "f1")
                expected = 100 if percent else perfect
                assert value == pytest.approx(expected, abs=1e-12), (section, name)


def test_worse_prediction_scores_lower_everywhere(simulated: Path) -> None:
    found = averages(evaluate(simulated / "prediction", simulated / "reference"))
    assert found["filtering"]["f1"] == pytest.approx((100 + 100 + 200 / 3) / 3)
    for section in ("gene", "clinical", "linked"):
        assert 0.1 < (found[section]["csc"] or 0) < 0.95
    assert found["analysis"]["f1"] == pytest.approx(50)
    assert found["analysis"]["success"] == 100


def test_order_of_rows_columns_and_cohorts_changes_nothing(simulated: Path, tmp_path: Path) -> None:
    shuffled = shutil.copytree(simulated / "prediction", tmp_path / "shuffled")
    rng = np.random.default_rng(5)
    for path in shuffled.rglob("*.csv"):
        table = read_csv_table(path)
        rows, columns = (rng.permutation(n) for n in table.values.shape)
        kind = {"gene_data": "gene", "clinical_data": "clinical"}.get(path.parent.name, "linked")
        trait = path.parent.name if kind == "linked" else path.parent.parent.name
        write_table(
            shuffled,
            kind,
            trait,
            path.stem,
            [table.rows[i] for i in rows],
            [table.columns[i] for i in columns],
            table.values[rows][:, columns],
        )
    for path in shuffled.rglob("cohort_info.json"):
        content = json.loads(path.read_text())
        path.write_text(json.dumps(dict(reversed(content.items()))))
    before = averages(evaluate(simulated / "prediction", simulated / "reference"))
    after = averages(evaluate(shuffled, simulated / "reference"))
    for section, figures in before.items():
        assert after[section] == pytest.approx(figures, abs=1e-12), section


def test_missing_file_never_helps(simulated: Path, tmp_path: Path) -> None:
    """Any predicted file is deleted: no average rises.

    That holds of figures that are never negative. Where a correlation, an R2 or an enrichment
    score (-0.00005 without a hit) is below 0, a missing file's 0 is more. And by definition a pair
    of cohorts is passed over when a linked table is missing, so dataset selection, which looks at
    choices, may come to another pair, even to the right one; the linked table itself then scores
    0. Here neither happens.
    """
    whole = averages(evaluate(simulated / "prediction", simulated / "reference"))
    files = [path for path in (simulated / "prediction").rglob("*") if path.is_file()]
    assert len(files) == 3 + 4 + 2 * 5 + 5
    for path in files:
        copy = shutil.copytree(simulated / "prediction", tmp_path / "copy")
        (copy / path.relative_to(simulated / "prediction")).unlink()
        scores = evaluate(copy, simulated / "reference")
        shutil.rmtree(copy)
        assert scores.missing or path.name == "GSE4.csv", path
        for section, figures in averages(scores).items():
            for name, value in figures.items():
                before = whole[section][name]
                if before is not None and name not in LENGTHS:
                    assert value is not None, (path, section, name)
                    assert value <= before + 1e-12, (path, section, name)


def test_empty_prediction_scores_0_and_everything_is_listed(
    simulated: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    scores = evaluate(tmp_path / "empty", simulated / "reference")
    for section, figures in averages(scores).items():
        for name, value in figures.items():
            assert value in (0, None) or name == "reference", (section, name)
    assert len(scores.missing) == 3 + 6 + (5 + 5 + 4) + 5
    assert {item.why for item in scores.missing} == {
        "missing",
        *(f"cohort_info.json of {trait}: missing" for trait in ("Asthma", "Obesity", "Gout")),
    }
    assert scores.notes[0] == (
        f"{tmp_path / 'empty'} has no folder preprocess, so all of selection and preprocessing is 0"
    )


def name_xena(folder: Path, tables: str) -> None:
    for path in list(folder.rglob(tables)):
        path.rename(path.with_name("Xena.csv"))


def test_xena_and_tcga_are_one_cohort(simulated: Path, tmp_path: Path) -> None:
    older = shutil.copytree(simulated / "prediction", tmp_path / "older")
    name_xena(older, "TCGA.csv")
    before = evaluate(simulated / "prediction", simulated / "reference")
    assert evaluate(older, simulated / "reference").items() == before.items()
    info = older / "preprocess" / "Asthma" / "cohort_info.json"
    info.write_text(info.read_text().replace("TCGA", "Xena"))
    assert evaluate(older, simulated / "reference").items() == before.items()


def test_genes_of_a_cohort_whose_table_bears_the_other_name(
    simulated: Path, tmp_path: Path
) -> None:
    """TCGA is the one of Asthma's cohorts with both Gender and its table named Xena."""
    reference = shutil.copytree(simulated / "reference", tmp_path / "reference")
    write_answer(reference, "Asthma", "Gender", GENES[:6])
    options = EvaluationOptions(tasks=("analysis",), gene_universe="reference")
    before = evaluate(simulated / "prediction", reference, options)
    name_xena(reference, "preprocess/Asthma/TCGA.csv")
    found = evaluate(simulated / "prediction", reference, options)
    assert (found.analysis, found.notes) == (before.analysis, before.notes)


def test_several_folders_score_what_each_scores_alone(simulated: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    folders = [simulated / "prediction", tmp_path / "empty", simulated / "reference"]
    alone = [evaluate(folder, simulated / "reference") for folder in folders]
    for jobs in (1, 2):
        assert evaluate_all(folders, simulated / "reference", jobs=jobs) == alone


def test_reference_is_read_once_for_all_folders(
    simulated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def counting(path: Path, **how: Any) -> CsvTable:
        read.append(path)
        return read_csv_table(path, **how)

    monkeypatch.setattr("genotex.bench.evaluation.preprocessing.read_csv_table", counting)
    evaluate_all([simulated / "prediction"] * 3, simulated / "reference")
    of_reference = [path for path in read if path.is_relative_to(simulated / "reference")]
    assert len(of_reference) == len(set(of_reference)) == 5 + 5 + 4
    assert len(read) == 4 * len(of_reference)


def test_every_item_of_every_folder_is_told(simulated: Path) -> None:
    told: list[int] = []
    evaluate_all(
        [simulated / "prediction"] * 2,
        simulated / "reference",
        progress=lambda _, total: told.append(total),
    )
    assert told == [2 * (3 + 6 + 14 + 5)] * len(told)
    assert len(told) == told[0]


def test_processes_side_by_side_give_the_same_scores(simulated: Path) -> None:
    sides = simulated / "prediction", simulated / "reference"
    assert evaluate(*sides, jobs=2) == evaluate(*sides)


def test_progress_tells_every_item(simulated: Path) -> None:
    told: list[tuple[str, int]] = []
    scores = evaluate(
        simulated / "prediction", simulated / "reference", progress=lambda *step: told.append(step)
    )
    count = 3 + 6 + 14 + 5
    assert {total for _, total in told} == {count}
    assert len(told) == count
    assert told[0] == ("Asthma", count)
    assert scores.filtering[0].trait == "Asthma"


# ------------------------------------------------------------------------------- what is scored


def test_one_task_and_one_kind_of_table(simulated: Path) -> None:
    options = EvaluationOptions(tasks=("preprocessing",), tables=("linked",))
    scores = evaluate(simulated / "prediction", simulated / "reference", options)
    assert scores.tasks == ("preprocessing",)
    assert list(scores.preprocessing) == ["linked"]
    assert (scores.filtering, scores.selection, scores.analysis) == ((), (), ())
    assert scores.settings["task_info"] is None, "nobody needs it"


def test_task_whose_folder_the_reference_lacks(simulated: Path, tmp_path: Path) -> None:
    write_answer(tmp_path / "r", "Asthma", None, ["GENE1"])
    scores = evaluate(simulated / "prediction", tmp_path / "r")
    assert scores.tasks == ("analysis",)
    assert scores.notes == (
        f"selection and preprocessing left out: {tmp_path / 'r'} has no folder preprocess",
    )
    with pytest.raises(UsageError, match="r has no folder preprocess, against which selection"):
        evaluate(simulated / "prediction", tmp_path / "r", EvaluationOptions(tasks=("selection",)))


def test_folders_that_are_none(simulated: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere is not a folder; .* the prediction"):
        evaluate(tmp_path / "nowhere", simulated / "reference")
    with pytest.raises(UsageError, match=r"nowhere is not a folder; .* the reference"):
        evaluate(simulated / "prediction", tmp_path / "nowhere")
    with pytest.raises(UsageError, match="contains neither preprocess/ nor regress/"):
        evaluate(simulated / "prediction", tmp_path)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ("preprocess/Crohn's Disease/cohort_info.json", "rename it to Crohns_Disease"),
        ("regress/Age/significant_genes_condition_None.json", "Age is a covariate, not a trait"),
        ("regress/Gout/significant_genes_condition_Gout.json", "cannot be its own condition"),
    ],
)
def test_reference_that_is_not_named_as_the_benchmark_names_it(
    tmp_path: Path, made: str, message: str
) -> None:
    write_json(tmp_path / "r" / made, {})
    (tmp_path / "p").mkdir()
    with pytest.raises(UsageError, match=message) as caught:
        evaluate(tmp_path / "p", tmp_path / "r")
    assert str(tmp_path / "r") in str(caught.value)


def test_folders_without_files(tmp_path: Path) -> None:
    for side in ("p", "r"):
        for folder in ("preprocess/Asthma", "regress/.hidden"):
            (tmp_path / side / folder).mkdir(parents=True)
    scores = evaluate(tmp_path / "p", tmp_path / "r")
    assert scores.notes == (
        f"selection: {tmp_path / 'r'} has no cohort_info.json",
        *(
            f"preprocessing: {tmp_path / 'r'} has no {kind} tables"
            for kind in ("gene", "clinical", "linked")
        ),
        f"analysis: {tmp_path / 'r'} has no result",
    )
    assert scores.missing == ()


def test_unreadable_reference_table_is_an_error(simulated: Path, tmp_path: Path) -> None:
    broken = shutil.copytree(simulated / "reference", tmp_path / "broken")
    write_text_table(broken, "linked", "Gout", "GSE5", "<html>Are you a robot?</html>")
    for jobs in (1, 2):
        with pytest.raises(FormatError, match="web page"):
            evaluate(simulated / "prediction", broken, jobs=jobs)


# ------------------------------------------------------------------------------- settings


def test_settings_are_told(simulated: Path, tmp_path: Path) -> None:
    given = write_task_info(tmp_path / "tasks.json", {"Asthma": []})
    genes = tmp_path / "genes.txt"
    genes.write_text("\n".join(GENES))
    options = EvaluationOptions(
        task_info=given,
        metrics="legacy",
        df_field="is_usable",
        regressors="inclusive",
        gene_universe=genes,
        repair_reference=True,
    )
    scores = evaluate(simulated / "prediction", simulated / "reference", options)
    assert scores.settings == {
        "rules": "genotex",
        "metrics": "legacy",
        "df_field": "is_usable",
        "regressors": "inclusive",
        "gene_universe": str(genes),
        "repair_reference": True,
        "task_info": str(given),
        "problems": None,
        "reference_kind": "other",
    }
    assert [item.trait for item in scores.selection] == ["Asthma"]
    default = evaluate(
        simulated / "prediction", simulated / "reference", replace(options, metrics="default")
    )
    # Three hits in front; of nine positives the older code knows those three only.
    assert scores.analysis[0].auroc == 1.0
    assert default.analysis[0].auroc == pytest.approx((3 * 6 + 3 * 3 / 2) / (6 * 6))


def test_named_problems_and_the_cohorts_of_their_traits_alone(simulated: Path) -> None:
    whole = evaluate(simulated / "prediction", simulated / "reference")
    asked = (Problem("Asthma"), Problem("Gout"))
    scores = evaluate(
        simulated / "prediction", simulated / "reference", EvaluationOptions(problems=asked)
    )
    assert scores.settings["problems"] == 2
    assert "only 2 problems and the cohorts of 2 traits were asked for" in scores.notes[-1]
    for name in ("selection", "analysis"):
        found = scores.items()[name]
        assert {(item["trait"], item["condition"]) for item in found} <= {
            ("Asthma", None),
            ("Gout", None),
        }
        assert found == [
            item
            for item in whole.items()[name]
            if item["condition"] is None and item["trait"] in ("Asthma", "Gout")
        ]
    assert scores.analysis
    assert {item.trait for item in scores.filtering} == {"Asthma", "Gout"}
    assert {item.trait for items in scores.preprocessing.values() for item in items} <= {
        "Asthma",
        "Gout",
    }


def test_named_problem_that_was_not_answered_still_scores_0(
    simulated: Path, tmp_path: Path
) -> None:
    (tmp_path / "nothing").mkdir()
    options = EvaluationOptions(tasks=("analysis",), problems=(Problem("Asthma"),))
    scores = evaluate(tmp_path / "nothing", simulated / "reference", options)
    assert [item.success for item in scores.analysis] == [0.0]


def test_task_list_in_its_published_place_is_named(simulated: Path) -> None:
    path = simulated / "metadata" / "task_info.json"
    scores = evaluate(simulated / "prediction", simulated / "reference")
    assert scores.settings["task_info"] == str(path)
    assert scores.notes == (f"problems and related genes are those of {path}",)


def test_genes_of_the_cohorts_that_the_reference_chooses(simulated: Path, tmp_path: Path) -> None:
    """Twelve genes in every linked table; Gout's result has none, as it lost its table."""
    reference = shutil.copytree(simulated / "reference", tmp_path / "reference")
    shutil.copytree(simulated / "metadata", tmp_path / "metadata")
    (reference / "preprocess" / "Gout" / "GSE5.csv").unlink()
    options = EvaluationOptions(tasks=("analysis",), gene_universe="reference")
    scores = evaluate(simulated / "prediction", reference, options)
    genes = tmp_path / "genes.txt"
    genes.write_text("\n".join(GENES))
    listed = evaluate(simulated / "prediction", reference, replace(options, gene_universe=genes))
    padded = evaluate(simulated / "prediction", reference, replace(options, gene_universe=None))
    by_trait = {
        name: [(item.auroc, item.gsea_es) for item in found.analysis if item.trait == name]
        for found in (scores,)
        for name in ("Asthma", "Gout", "Obesity")
    }
    for name, expected in (("Asthma", listed), ("Obesity", listed), ("Gout", padded)):
        assert by_trait[name] == [
            (item.auroc, item.gsea_es) for item in expected.analysis if item.trait == name
        ]
    assert scores.notes[-1] == (
        "analysis: the reference has no linked table for 1 problem, so the padding to 20,000 genes "
        "is used there"
    )


def test_unknown_cohorts_of_a_pair_leave_20000_genes(simulated: Path, tmp_path: Path) -> None:
    reference = shutil.copytree(simulated / "reference", tmp_path / "reference")
    options = EvaluationOptions(tasks=("analysis",), gene_universe="reference")
    scores = evaluate(simulated / "prediction", reference, options)
    assert scores.settings["task_info"] is None
    assert "for 1 problem," in scores.notes[-1], "the two-step one, without a task list"


def test_repair_is_noted_beside_the_repaired_figures(tmp_path: Path) -> None:
    for side, text in (("p", ",GSM1,GSM2\nGout,0,1\n"), ("r", "id,Gout\nGSM1,0\nGSM2,1\n")):
        write_cohorts(tmp_path / side, "Gout", {"GSE1": cohort()})
        write_text_table(tmp_path / side, "clinical", "Gout", "GSE1", text)
    options = EvaluationOptions(
        tasks=("preprocessing",), tables=("clinical",), repair_reference=True
    )
    scores = evaluate(tmp_path / "p", tmp_path / "r", options)
    assert scores.preprocessing["clinical"][0].csc == pytest.approx(1)
    assert scores.notes == (
        "clinical tables of the reference: 1 transposed, 0 without names left out; all 1 as they "
        "were published score AJ 0.000, SJ 0.000, correlation 0.000, CSC 0.000",
    )


# ------------------------------------------------------------------------------- real results


@pytest.fixture
def perturbed(shared_data: Path, tmp_path: Path) -> Path:
    """The answers of 2024 with every second gene gone, one file missing, one broken."""
    for number, path in enumerate(_answers(shared_data)):
        content = json.loads(path.read_text())
        genes = content["significant_genes"]
        genes["Variable"] = genes["Variable"][::2]
        target = tmp_path / "p" / path.relative_to(shared_data / "reference_2024")
        if number != 3:
            write_json(target, content)
        if number == 5:
            target.write_text("{")
    return tmp_path / "p"


def _answers(shared_data: Path) -> Iterator[Path]:
    yield from sorted((shared_data / "reference_2024" / "regress").glob("*/*.json"))


def test_real_answers_of_2024_against_an_identical_copy(shared_data: Path) -> None:
    reference = shared_data / "reference_2024"
    scores = evaluate(reference, reference)
    assert len(scores.analysis) == 21
    for item in scores.analysis:
        assert (item.success, item.precision, item.recall, item.f1) == (100, 100, 100, 100)
        assert (item.auroc, item.auprc, item.gsea_es, item.gsea_es_within) == (1, 1, 1, 1)
        assert item.trait_kind == "binary"


def test_real_answers_of_2024_against_a_perturbed_copy(shared_data: Path, perturbed: Path) -> None:
    scores = evaluate(perturbed, shared_data / "reference_2024")
    whole = [item for item in scores.analysis if item.success]
    assert (len(whole), len(scores.missing)) == (19, 2)
    for item in whole:
        half = (item.reference + 1) // 2
        assert (item.predicted, item.precision) == (half, 100)
        assert item.recall == pytest.approx(100 * half / item.reference)
        # All hits are in front, the missed half ties with all negatives.
        assert item.auroc == pytest.approx((1 + item.recall / 100) / 2, abs=1e-12)
        assert item.gsea_es == pytest.approx(item.recall / 100, abs=1e-12)
    assert averages(scores)["analysis"]["success"] == pytest.approx(100 * 19 / 21)
