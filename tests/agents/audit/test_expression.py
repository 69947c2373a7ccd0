"""Tables of generated code are compared with raw files; those of the pipeline pass."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from genotex.agents import Task, audit_cohort
from genotex.cohorts import PreprocessOptions, finish_cohort, prepare_absent_tcga, preprocess
from genotex.errors import MethodFailedError
from genotex.formats import (
    CohortInfo,
    LinkedTable,
    read_cohort_info,
    read_linked_csv,
    read_linked_parquet,
    update_cohort_info,
    write_linked_csv,
    write_linked_parquet,
)
from genotex.layout import OutputFolder
from genotex.simulate import simulate_study
from tests.geo_text import GENES, asthma, series_matrix, write_asthma_on_probes, write_gz
from tests.rna_seq_text import write_counted
from tests.tcga_text import write_melanoma

PROCEDURES = ("sound", "benchmark")
Change = Callable[[LinkedTable], LinkedTable]


def direct(source: Path, output: Path, procedure: str = "sound", **which: Any) -> None:
    preprocess(source, output, options=PreprocessOptions(procedure=procedure), **which)  # type: ignore[arg-type]


def look(
    source: Path, output: Path, trait: str, cohort: str, procedure: str = "sound"
) -> tuple[str, ...]:
    folder = source / "TCGA" if cohort == "TCGA" else source / "GEO" / trait / cohort
    kind = "tcga" if cohort == "TCGA" else "geo"
    task = Task(kind, trait, str(folder), "output", procedure, cohort=cohort)  # type: ignore[arg-type]
    return audit_cohort(
        task, output, read_cohort_info(OutputFolder(output).cohort_info(trait))[cohort]
    ).flags


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return arrays of two platforms, counts, a study of TCGA, and cohorts of no use."""
    root = tmp_path_factory.mktemp("study")
    source = simulate_study(root / "in", samples=24, genes=400, rna_seq=True).folder
    for procedure in PROCEDURES:
        direct(source, root / procedure, procedure)
    return root


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_no_cohort_of_the_pipeline_is_flagged(study: Path, procedure: str) -> None:
    looked = {}
    for path in (study / procedure / "preprocess").glob("*/cohort_info.json"):
        for cohort, info in read_cohort_info(path).items():
            looked[path.parent.name, cohort] = info.is_usable
            out = study / procedure
            assert look(study / "in", out, path.parent.name, cohort, procedure) == (), cohort
    assert sum(looked.values()) >= 4 and not all(looked.values())


@pytest.mark.parametrize(
    "procedure", ["benchmark", pytest.param("sound", marks=pytest.mark.everyday)]
)
def test_real_cohorts_of_the_pipeline_are_not_flagged(
    shared_data: Path, tmp_path: Path, procedure: str
) -> None:
    source, trait = shared_data / "input", "Rheumatoid_Arthritis"
    direct(source, tmp_path, procedure, traits=[trait])
    for cohort in ("GSE55235", "GSE55457"):
        assert look(source, tmp_path, trait, cohort, procedure) == ()


def test_series_with_two_platform_files_is_not_flagged(tmp_path: Path) -> None:
    write_asthma_on_probes(tmp_path / "in")
    folder = tmp_path / "in" / "GEO" / "Asthma" / "GSE1"
    # The other one holds all the ids, too, but means other genes.
    names = zip([f"{1000 + i}_at" for i in range(len(GENES))], reversed(GENES), strict=True)
    rows = ["ID\tGene Symbol", *map("\t".join, names)]
    write_gz(folder / "GPL2.txt.gz", "\n".join(rows) + "\n")
    direct(tmp_path / "in", tmp_path / "out")
    assert look(tmp_path / "in", tmp_path / "out", "Asthma", "GSE1") == ()


def test_gaps_are_held_against_gaps(tmp_path: Path) -> None:
    text = series_matrix(characteristics=asthma(24))
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.startswith('"A2M"'):
            cells = line.split("\t")
            lines[number] = "\t".join([cells[0], "NA", *cells[2:]])
    write_gz(tmp_path / "in/GEO/Asthma/GSE1/GSE1_series_matrix.txt.gz", "\n".join(lines) + "\n")
    direct(tmp_path / "in", tmp_path / "out")
    assert look(tmp_path / "in", tmp_path / "out", "Asthma", "GSE1") == ()

    def made_up(values: Any) -> Any:
        values[0, 1] = 7.0
        return values

    for only_filled in (True, False):
        rewrite(tmp_path / "out", "Asthma", "GSE1", at(made_up), only_filled=only_filled)
        (flag,) = look(tmp_path / "in", tmp_path / "out", "Asthma", "GSE1")
        assert flag.startswith("1 of 720 expression values, in 1 of 30 genes, are not those")


def at(change: Callable[[Any], Any]) -> Change:
    """Return a change of the expression."""
    return lambda table: replace(table, expression=change(table.expression.copy()))


def rewrite(
    output: Path, trait: str, cohort: str, change: Change, *, only_filled: bool = False
) -> None:
    """Change both files of a linked table alike, or one, and their seal with them."""
    folder = OutputFolder(output)
    csv, twin = folder.linked_csv(trait, cohort), folder.linked_parquet(trait, cohort)
    filled, unfilled = read_linked_csv(csv), read_linked_parquet(twin)
    write_linked_csv(csv, change(filled))
    write_linked_parquet(twin, unfilled if only_filled else change(unfilled), csv=csv)


@pytest.fixture
def arrays(study: Path, tmp_path: Path) -> Iterator[Path]:
    yield shutil.copytree(study / "sound", tmp_path / "written")


TRAIT, ARRAY, COUNTED = "Simulated_Arthritis", "GSE90000001", "GSE90000007"


@pytest.mark.parametrize("cohort", [ARRAY, COUNTED])
def test_other_numbers_are_flagged(study: Path, arrays: Path, cohort: str) -> None:
    rewrite(arrays, TRAIT, cohort, at(lambda values: values + 0.01))
    (flag,) = look(study / "in", arrays, TRAIT, cohort)
    assert flag.endswith("are not those that the raw files give; they differ by up to 0.01")
    number = len(read_linked_csv(OutputFolder(arrays).linked_csv(TRAIT, cohort)).genes)
    assert f"in {number} of {number} genes" in flag


def test_one_gene_that_was_made_to_correlate_with_the_trait_is_flagged(
    study: Path, arrays: Path
) -> None:
    def change(table: LinkedTable) -> LinkedTable:
        expression = table.expression.copy()
        expression[:, 101] = 5 + 3 * table.trait_values
        return replace(table, expression=expression)

    rewrite(arrays, TRAIT, ARRAY, change)
    (flag,) = look(study / "in", arrays, TRAIT, ARRAY)
    assert "in 1 of" in flag


def test_genes_left_out_are_flagged(study: Path, arrays: Path) -> None:
    def change(table: LinkedTable) -> LinkedTable:
        return replace(table, genes=table.genes[2:], expression=table.expression[:, 2:])

    first = read_linked_csv(OutputFolder(arrays).linked_csv(TRAIT, ARRAY)).genes[0]
    rewrite(arrays, TRAIT, ARRAY, change)
    flags = look(study / "in", arrays, TRAIT, ARRAY)
    assert flags == (f"it lacks 2 genes of the raw files, such as {first}",)


@pytest.mark.parametrize(
    ("field", "change", "told"),
    [
        ("roles", lambda found: dict.fromkeys(found, "unknown"), "the roles of samples in its"),
        ("sample_facts", lambda found: {}, "the other characteristics in its evidence"),
        ("options", lambda found: {**found, "control_roles": "all"}, "the controls in its"),
    ],
)
def test_evidence_by_which_the_analysis_would_go_wrong_is_flagged(
    study: Path, arrays: Path, field: str, change: Callable[[Any], Any], told: str
) -> None:
    edit(arrays, TRAIT, ARRAY, field, change)
    (flag,) = look(study / "in", arrays, TRAIT, ARRAY)
    assert flag.startswith(told)


def edit(output: Path, trait: str, cohort: str, field: str, change: Callable[[Any], Any]) -> None:
    path = OutputFolder(output).evidence(trait, cohort)
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, field: change(content[field])}))


def test_library_sizes_that_are_others_are_flagged(study: Path, arrays: Path) -> None:
    def halved(found: Mapping[str, Any]) -> Mapping[str, Any]:
        sizes = {name: size / 2 for name, size in found["effective_library_sizes"].items()}
        return {**found, "effective_library_sizes": sizes}

    edit(arrays, TRAIT, COUNTED, "counts", halved)
    (flag,) = look(study / "in", arrays, TRAIT, COUNTED)
    assert flag.startswith("the counts in its evidence are not those")


def test_another_age_than_its_own_encoding_gives_is_refused(study: Path, arrays: Path) -> None:
    def change(table: LinkedTable) -> LinkedTable:
        return replace(table, covariates={**table.covariates, "Age": table.covariates["Age"][::-1]})

    rewrite(arrays, TRAIT, ARRAY, change)
    with pytest.raises(MethodFailedError, match="have a different Age in the linked table"):
        look(study / "in", arrays, TRAIT, ARRAY)


@pytest.fixture
def melanoma(tmp_path: Path) -> Path:
    write_melanoma(tmp_path / "in")
    direct(tmp_path / "in", tmp_path / "out", traits=["Melanoma"])
    return tmp_path


def test_tcga_expression_that_is_another_is_flagged(melanoma: Path) -> None:
    assert look(melanoma / "in", melanoma / "out", "Melanoma", "TCGA") == ()
    rewrite(melanoma / "out", "Melanoma", "TCGA", at(lambda values: values * 1.5))
    (flag,) = look(melanoma / "in", melanoma / "out", "Melanoma", "TCGA")
    assert flag.startswith("720 of 720 expression values")


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"01": 1.0, "11": 10**400}, r"trait\.values\['11'\]: must be a finite number"),
        ({"01": [1], "11": {}}, r"trait\.values\['01'\]: must be a number"),
        (["01"], r"trait\.values: must be an object"),
        ({}, "has no values"),
        ({"01": 0.0, "11": 1.0}, "24 of 24 samples have a different trait"),
    ],
)
def test_tcga_evidence_that_is_none_is_refused(melanoma: Path, values: object, told: str) -> None:
    def change(reading: dict[str, Any]) -> dict[str, Any]:
        return {**reading, "trait": {**reading["trait"], "key": "gender", "values": values}}

    def coded(reading: dict[str, Any]) -> dict[str, Any]:
        return {**reading, "trait": {**reading["trait"], "values": values}}

    edit(melanoma / "out", "Melanoma", "TCGA", "reading", coded if values else change)
    with pytest.raises(MethodFailedError, match=told):
        look(melanoma / "in", melanoma / "out", "Melanoma", "TCGA")


def test_study_that_does_not_exist_is_refused(melanoma: Path) -> None:
    edit(melanoma / "out", "Melanoma", "TCGA", "series", lambda found: {**found, "title": "x"})
    with pytest.raises(MethodFailedError, match="names the study 'x', which is not in the input"):
        look(melanoma / "in", melanoma / "out", "Melanoma", "TCGA")


def test_study_that_no_rule_would_take_is_flagged(melanoma: Path) -> None:
    out = melanoma / "out" / "preprocess"
    (out / "Melanoma").rename(out / "Asthma")
    for path in out.rglob("*.*"):
        if path.suffix in (".csv", ".json"):
            path.write_text(
                path.read_text()
                .replace("Melanoma,", "Asthma,")
                .replace('trait": "Melanoma"', 'trait": "Asthma"')
            )
    shutil.rmtree(out / "Asthma" / "linked")
    (flag,) = look(melanoma / "in", melanoma / "out", "Asthma", "TCGA")
    assert flag.startswith("generated code chose TCGA_Melanoma_(SKCM), the built-in rules none")


def test_study_left_out_is_flagged(melanoma: Path) -> None:
    output = OutputFolder(melanoma / "empty")
    absent = prepare_absent_tcga("Melanoma", "none was looked for")
    evidence = finish_cohort(absent, output, PreprocessOptions(), "")
    update_cohort_info(output.cohort_info("Melanoma"), "TCGA", CohortInfo(**evidence.info))
    (flag,) = look(melanoma / "in", melanoma / "empty", "Melanoma", "TCGA")
    assert flag.startswith("the built-in rules choose TCGA_Melanoma_(SKCM)")
    assert flag.endswith("generated code none")


def test_counts_without_enough_reads_are_not_flagged(tmp_path: Path) -> None:
    write_counted(tmp_path / "in", rows={gene: [1, 0] * 6 for gene in ("1", "2", "9")})
    direct(tmp_path / "in", tmp_path / "out")
    assert look(tmp_path / "in", tmp_path / "out", "Asthma", "GSE1") == ()
