"""What is refused, and what is doubted, of the files that generated code left."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from genotex.agents import Task, audit_answer, audit_cohort
from genotex.analysis import solve_problem, write_result
from genotex.bench import ErrorClass
from genotex.cohorts import preprocess
from genotex.errors import MethodFailedError
from genotex.formats import read_cohort_info
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.simulate import simulate_study
from tests.geo_text import write_asthma


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an input, and the output of the pipeline without agents."""
    root = tmp_path_factory.mktemp("looking")
    write_asthma(root / "in", number=24)
    preprocess(root / "in", root / "out")
    result = solve_problem(OutputFolder(root / "out"), Problem("Asthma"), AnalysisOptions())
    write_result(OutputFolder(root / "out"), result)
    return root


@pytest.fixture
def written(done: Path, tmp_path: Path) -> Path:
    return shutil.copytree(done / "out", tmp_path / "written")


def at_cohort(done: Path, written: Path) -> tuple[str, ...]:
    task = Task("geo", "Asthma", str(done / "in/GEO/Asthma/GSE1"), "output", cohort="GSE1")
    info = read_cohort_info(OutputFolder(written).cohort_info("Asthma"))["GSE1"]
    return audit_cohort(task, written, info).flags


def at_answer(done: Path, written: Path, cohort: str | None = "GSE1") -> tuple[str, ...]:
    return audit_answer(Task("statistics", "Asthma", str(done / "out"), "x"), written, cohort).flags


def change(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_what_the_pipeline_writes_raises_no_flag(done: Path, written: Path) -> None:
    assert at_cohort(done, written) == ()
    assert at_answer(done, written) == ()


@pytest.mark.parametrize(
    ("part", "old", "new", "why"),
    [
        ("GSE1.csv", "GSM3,", "GSM3x,", "GSM3x of the linked table is not a sample"),
        ("GSE1.csv", "GSM2,1.0", "GSM2,0.0", "1 of 24 samples have a different trait"),
        ("GSE1.csv", "\nGSM24,", "\n\nGSM24,,", "GSE1.csv"),
        ("cohort_info.json", '"has_age": true', '"has_age": false', "has_age False, but"),
        ("evidence/GSE1.json", '"cohort": "GSE1"', '"cohort": "GSE2"', "is that of GSE2"),
        ("evidence/GSE1.json", '"is_usable": true', '"is_usable": false', "disagree about"),
        ("evidence/GSE1.json", '"kind": "binary"', '"kind": "guessed"', "kind"),
    ],
)
def test_contradictions_of_a_cohort_are_refused(
    done: Path, written: Path, part: str, old: str, new: str, why: str
) -> None:
    folder = written / "preprocess" / "Asthma"
    shutil.rmtree(folder / "linked")
    text = (folder / part).read_text()
    assert old in text
    (folder / part).write_text(text.replace(old, new, 1))
    with pytest.raises(MethodFailedError, match=why) as error:
        at_cohort(done, written)
    assert error.value.error_class is ErrorClass.BAD_OUTPUT


def test_genes_that_are_none_are_flagged(done: Path, written: Path) -> None:
    folder = written / "preprocess" / "Asthma"
    shutil.rmtree(folder / "linked")
    table = folder / "GSE1.csv"
    table.write_text(table.read_text().replace(",A2M,", ",CURE4ALL,"))
    assert at_cohort(done, written) == (
        "1 of its genes are not known as human genes, such as CURE4ALL",
        "it lacks 1 genes of the raw files, such as A2M",
        "it has 1 genes that the raw files do not give, such as CURE4ALL",
    )


def test_cohort_without_evidence_is_flagged(done: Path, written: Path) -> None:
    (written / "preprocess/Asthma/evidence/GSE1.json").unlink()
    (flag,) = at_cohort(done, written)
    assert "not written by the toolkit" in flag


def test_trait_that_the_rules_annotate_differently_is_flagged(done: Path, written: Path) -> None:
    evidence = written / "preprocess/Asthma/evidence/GSE1.json"
    reading = json.loads(evidence.read_text())["reading"]
    told = {
        **reading["trait"],
        "values": {"disease state: asthma": 0.0, "disease state: healthy control": 1.0},
        "roles": {},
    }
    change(evidence, reading={**reading, "trait": told})
    table = written / "preprocess/Asthma/GSE1.csv"
    head, *lines = table.read_text().splitlines()
    swapped = {"0.0": "1.0", "1.0": "0.0"}
    rows = [line.split(",", 2) for line in lines]
    lines = [f"{sample},{swapped[trait]},{others}" for sample, trait, others in rows]
    table.write_text("\n".join([head, *lines]) + "\n")
    shutil.rmtree(table.parent / "linked")
    flag, roles, clinical = at_cohort(done, written)
    assert clinical == "its table of clinical features is not the one that its encodings give"
    assert roles == "the roles of samples in its evidence are not those that the raw files give"
    assert flag == (
        "the built-in rules take the trait from 'disease state', and code 24 of 24 samples "
        "differently"
    )


def test_answer_that_names_no_cohort_is_flagged(done: Path, written: Path) -> None:
    assert at_answer(done, written, None) == ("the answer does not name its cohort",)


def test_answer_with_a_gene_of_another_cohort_is_refused(done: Path, written: Path) -> None:
    path = OutputFolder(written).significant_genes("Asthma", None)
    change(path, significant_genes={"Variable": ["TP53"]})
    with pytest.raises(MethodFailedError, match="TP53, which is not a gene of GSE1"):
        at_answer(done, written)


def test_answer_about_a_cohort_that_is_not_usable_is_refused(done: Path, written: Path) -> None:
    with pytest.raises(MethodFailedError, match="GSE2, which is not a usable cohort of Asthma"):
        at_answer(done, written, "GSE2")


def test_answer_without_its_table_of_all_genes_is_flagged(done: Path, written: Path) -> None:
    OutputFolder(written).all_genes("Asthma", None).unlink()
    (flag,) = at_answer(done, written)
    assert "not written by the toolkit" in flag


def test_tcga_cohort_raises_no_flag_and_its_record_is_held_against_its_table(
    tmp_path: Path,
) -> None:
    trait = "Simulated_Carcinoma"
    study = simulate_study(tmp_path / "in", samples=24, genes=400)
    preprocess(study.folder, tmp_path / "out", traits=[trait], cohorts=["TCGA"])
    task = Task("tcga", trait, str(study.folder / "TCGA"), "output")
    info = read_cohort_info(OutputFolder(tmp_path / "out").cohort_info(trait))["TCGA"]
    assert audit_cohort(task, tmp_path / "out", info).flags == ()
    with pytest.raises(MethodFailedError, match="sample_size 1"):
        audit_cohort(task, tmp_path / "out", replace(info, sample_size=1))


def bomb(path: Path) -> None:
    """Write a small file that unfolds to a table of many rows."""
    pl.DataFrame({"feature": "x", "GSM1": 0.0}).select(
        pl.all().repeat_by(1_000_000).explode()
    ).write_parquet(path)
    assert path.stat().st_size < 100_000


def test_parquet_file_that_unfolds_to_any_size_is_not_read(done: Path, written: Path) -> None:
    bomb(OutputFolder(written).linked_parquet("Asthma", "GSE1"))
    with pytest.raises(MethodFailedError, match=r"GSE1\.parquet has 1000000 rows"):
        at_cohort(done, written)
    bomb(OutputFolder(written).all_genes("Asthma", None))
    with pytest.raises(MethodFailedError, match=r"None\.parquet has 1000000 rows"):
        at_answer(done, written)


def test_parquet_file_that_is_none_is_refused(done: Path, written: Path) -> None:
    OutputFolder(written).linked_parquet("Asthma", "GSE1").write_bytes(b"PAR1, it says")
    with pytest.raises(MethodFailedError, match="cannot be read as Parquet"):
        at_cohort(done, written)
