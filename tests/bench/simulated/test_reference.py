"""The reference tells the truth, in files that everybody's readers can read."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from genotex.bench import SimulatedBenchmark
from genotex.formats import read_clinical_csv, read_cohort_info, read_gene_csv, read_linked_csv
from genotex.layout import TCGA_COHORT, OutputFolder
from genotex.problems import ProblemKind, TaskInfo, choose_cohort, choose_pair
from genotex.simulate import CohortTruth
from tests.simulate.plain_geo import geo_path, read_matrix, read_soft_sections

CODES = {"case": 1.0, "healthy control": 0.0, "other disease": 0.0, "unknown": np.nan}


def cohorts(simulated: SimulatedBenchmark) -> list[tuple[str, str, CohortTruth]]:
    return [
        (trait, name, cohort)
        for trait, truth in simulated.truth.traits.items()
        for name, cohort in truth.cohorts.items()
    ]


def the_one(simulated: SimulatedBenchmark, reason: str) -> tuple[str, str, CohortTruth]:
    """Return the first cohort of which the truth says this."""
    return next(found for found in cohorts(simulated) if found[2].reason.startswith(reason))


def test_usable_cohorts_are_those_of_the_truth(
    simulated: SimulatedBenchmark, reference: OutputFolder
) -> None:
    assert reference.traits() == sorted(simulated.truth.traits)
    for trait in reference.traits():
        records = read_cohort_info(reference.cohort_info(trait))
        assert set(records) == {*simulated.truth.traits[trait].cohorts, TCGA_COHORT}
        usable = sorted(name for name, info in records.items() if info.is_usable)
        assert usable == simulated.truth.usable_cohorts(trait)
        for name, info in records.items():
            assert reference.linked_csv(trait, name).is_file() == info.is_usable
            assert reference.gene_csv(trait, name).is_file() == info.is_gene_available
            assert reference.clinical_csv(trait, name).is_file() == info.is_trait_available


@pytest.mark.parametrize(
    ("reason", "flags"),
    [
        ("every sample has the disease", (True, False, None)),
        ("the files do not tell the trait", (True, False, None)),
        ("DNA methylation", (False, True, None)),
        ("the table of values is empty", (False, True, None)),
        ("nearly all are healthy", (True, True, True)),
    ],
)
def test_record_says_why_a_cohort_cannot_be_used(
    simulated: SimulatedBenchmark,
    reference: OutputFolder,
    reason: str,
    flags: tuple[bool, bool, bool | None],
) -> None:
    trait, name, _ = the_one(simulated, reason)
    info = read_cohort_info(reference.cohort_info(trait))[name]
    assert (info.is_gene_available, info.is_trait_available, info.is_biased) == flags
    assert not info.is_usable
    assert (info.sample_size is None) == (flags[2] is None)


def test_trait_without_tcga_study_has_a_record_of_that(reference: OutputFolder) -> None:
    info = read_cohort_info(reference.cohort_info("Simulated_Arthritis"))[TCGA_COHORT]
    assert not info.is_gene_available and not info.is_trait_available and not info.is_available
    assert info.is_biased is None and info.note is None


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("the largest one, but age and sex are not told", (False, False)),
        ("the sex is not told", (True, False)),
        ("the age is not told", (False, True)),
        ("sex and age stand in one cell", (True, True)),
    ],
)
def test_record_says_whether_age_and_sex_are_told(
    simulated: SimulatedBenchmark, reference: OutputFolder, reason: str, told: tuple[bool, bool]
) -> None:
    trait, name, _ = the_one(simulated, reason)
    info = read_cohort_info(reference.cohort_info(trait))[name]
    assert (info.has_age, info.has_gender) == told


def test_clinical_tables_hold_what_the_files_tell(
    simulated: SimulatedBenchmark, reference: OutputFolder
) -> None:
    seen = 0
    for trait, name, truth in cohorts(simulated):
        path = reference.clinical_csv(trait, name)
        if not path.is_file():
            continue
        samples, features = read_clinical_csv(path)
        assert list(samples) == list(truth.samples)
        people = [truth.samples[sample] for sample in samples]
        expected = [p["level"] if "level" in p else CODES[p["group"]] for p in people]
        np.testing.assert_array_equal(features[trait], np.array(expected, dtype=float))
        for feature, key in (("Age", "age"), ("Gender", "gender")):
            told = np.array([p[key] for p in people], dtype=float)
            if feature in features:
                np.testing.assert_array_equal(features[feature], told)
            else:
                assert np.isnan(told).all()
        seen += 1
    assert seen > 30


def test_linked_tables_are_made_as_the_benchmark_makes_them(
    simulated: SimulatedBenchmark, reference: OutputFolder
) -> None:
    """Step 9 of the benchmark's preprocessing, written again with pandas."""
    for trait, name, truth in cohorts(simulated):
        if not truth.usable:
            continue
        clinical = pd.read_csv(reference.clinical_csv(trait, name), index_col=0).T
        genes = pd.read_csv(reference.gene_csv(trait, name), index_col=0).T
        unfit = [sample for sample, person in truth.samples.items() if person.get("unfit")]
        table = clinical.join(genes, how="inner").dropna(subset=[trait]).drop(unfit)
        few = table[genes.columns].isna().mean() > 0.2
        table = table.drop(columns=few.index[few])
        kept = table.columns.intersection(genes.columns)
        table = table[table[kept].isna().mean(axis=1) <= 0.05]
        if "Gender" in table:
            table["Gender"] = table["Gender"].fillna(table["Gender"].mode()[0])
        table = table.fillna(table.mean())
        linked = read_linked_csv(reference.linked_csv(trait, name))
        assert list(linked.samples) == list(table.index)
        assert [trait, *linked.covariates, *linked.genes] == list(table.columns)
        np.testing.assert_allclose(linked.expression, table[kept], rtol=0, atol=6e-4)
        np.testing.assert_array_equal(linked.trait_values, table[trait])
        for feature, values in linked.covariates.items():
            np.testing.assert_allclose(values, table[feature], rtol=1e-12)
        size = read_cohort_info(reference.cohort_info(trait))[name].sample_size
        assert size == len(table)


def test_gene_table_is_what_the_probes_measure(
    simulated: SimulatedBenchmark, reference: OutputFolder
) -> None:
    trait, name, _ = next(c for c in cohorts(simulated) if c[2].scale == "log2")
    matrix = read_matrix(geo_path(simulated.folder, trait, name, "matrix"))
    header, *rows = read_soft_sections(geo_path(simulated.folder, trait, name, "soft"))[2][3]
    column = header.index("Symbol")
    probes: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        if row[column] and ";" not in row[column]:
            probes.setdefault(row[column], []).append(i)
    table = read_gene_csv(reference.gene_csv(trait, name))
    assert set(table.ids) == set(probes)
    assert list(table.samples) == matrix.samples
    correlations = []
    for gene, true in zip(table.ids, table.values, strict=True):
        measured = matrix.values[probes[gene]]
        np.testing.assert_array_equal(np.isnan(true), np.isnan(measured).all(axis=0))
        there = ~np.isnan(measured).any(axis=0)
        mean = measured[:, there].mean(axis=0)
        correlations.append(np.corrcoef(mean, true[there])[0, 1])
    assert np.isnan(table.values).any()
    assert np.mean(correlations) > 0.9


def test_planted_genes_differ_in_the_reference_tables_as_the_truth_says(
    simulated: SimulatedBenchmark, reference: OutputFolder
) -> None:
    for trait, name, truth in cohorts(simulated):
        if not truth.usable:
            continue
        table = read_linked_csv(reference.linked_csv(trait, name))
        status = table.trait_values
        if simulated.truth.traits[trait].kind == "continuous":
            # People one standard deviation (12) above and below the mean differ by the effect.
            status = status / 24.0
        centred = status - status.mean()
        slope = centred @ table.expression / (centred @ centred)
        found = dict(zip(table.genes, slope, strict=True))
        planted = [gene for gene in truth.effects if gene in found]
        assert len(planted) >= len(truth.effects) - 1
        effects = [truth.effects[gene] for gene in planted]
        assert np.corrcoef(effects, [found[gene] for gene in planted])[0, 1] > 0.6


def test_answers_are_what_differs_given_the_condition_the_largest_difference_first(
    simulated: SimulatedBenchmark, reference: OutputFolder
) -> None:
    tasks = TaskInfo.load(simulated.task_info)
    written = {path for path in (reference.root / "regress").rglob("*") if path.is_file()}
    assert written == {
        reference.significant_genes(p.trait, p.condition) for p in simulated.answered
    }
    for problem in tasks.problems():
        path = reference.significant_genes(problem.trait, problem.condition)
        if not path.is_file():
            continue
        content = json.loads(path.read_text())
        genes, changing = content["significant_genes"], content.get("significant_interactions")
        trait = simulated.truth.traits[problem.trait]
        through = simulated.truth.traits[trait.companion].planted
        expected = {*trait.planted}
        if trait.companion != problem.condition:
            # Opposite effects of the companion hide the genes of both.
            expected ^= {*through}
        assert set(genes["Variable"]) == expected
        assert (changing is None) == (problem.kind is not ProblemKind.ONE_STEP)
        if changing is not None:
            assert changing["Variable"] == list(trait.interactions[str(problem.condition)])
            assert not {*changing["Variable"]} & expected
        sizes = genes["Absolute Coefficient"]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes == [abs(size) for size in genes["Coefficient"]]


def test_age_sex_and_companion_go_with_a_trait_and_other_traits_do_not(
    simulated: SimulatedBenchmark,
) -> None:
    recorded, together = [], []
    for trait, _, truth in cohorts(simulated):
        companion = simulated.truth.traits[trait].companion
        design = {name: np.array(v) for name, v in truth.design.items() if len(set(v)) > 1}
        if not truth.usable or truth.source == "TCGA" or "donor" in design:
            continue
        status = design.pop(trait)
        found = {name: abs(np.corrcoef(status, v)[0, 1]) for name, v in design.items()}
        together.append(found[companion])
        changing = {name for name in found if " by " in name}
        assert all(not found[name] > 1e-6 for name in changing)
        others = set(found) - {companion, "age", "sex", "batch", *changing}
        if simulated.truth.traits[trait].kind == "binary":
            assert found[companion] > 0.3
            assert all(found[other] < 0.2 for other in others)
        if any(p["age"] is not None for p in truth.samples.values()):
            recorded.append(max(found["age"], found["sex"]))
    assert np.mean(recorded) > 0.4
    assert np.mean(together) > 0.5


def test_unanswerable_trait_has_no_answer_as_trait_or_condition(
    simulated: SimulatedBenchmark,
) -> None:
    (lost,) = [
        trait for trait in simulated.truth.traits if not simulated.truth.usable_cohorts(trait)
    ]
    without = [problem for problem in simulated.problems if problem not in simulated.answered]
    assert len(without) == 9
    assert all(lost in (problem.trait, problem.condition) for problem in without)
    asked = [p for p in simulated.problems if lost in (p.trait, p.condition)]
    assert asked == without


def test_largest_cohort_without_age_is_passed_over_for_the_condition_age(
    simulated: SimulatedBenchmark, reference: OutputFolder
) -> None:
    trait, name, _ = the_one(simulated, "the largest one, but age and sex are not told")
    (alone, with_age) = [
        problem
        for problem in simulated.answered
        if problem.trait == trait and problem.condition in (None, "Age")
    ]
    assert choose_cohort(reference, alone).cohort == name
    assert choose_cohort(reference, with_age).cohort != name


def test_pairs_share_planted_genes_of_the_condition(
    simulated: SimulatedBenchmark, reference: OutputFolder
) -> None:
    tasks = TaskInfo.load(simulated.task_info)
    pairs = [p for p in simulated.answered if p.kind == "two-step"]
    assert len(pairs) == 30
    for problem in pairs:
        regressors = set(choose_pair(reference, problem, tasks).regressors)
        assert regressors & set(simulated.truth.traits[str(problem.condition)].planted)


def test_reference_holds_only_files_of_the_benchmark(simulated: SimulatedBenchmark) -> None:
    files = [path for path in simulated.reference.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".csv", ".json"}
    assert not [path for path in files if path.name.startswith(".")]


def test_files_are_read_as_the_truth_says(simulated: SimulatedBenchmark, tmp_path: Path) -> None:
    """The built-in rules; where they differ the docs say so."""
    from genotex.cohorts import preprocess

    reference, output = OutputFolder(simulated.reference), OutputFolder(tmp_path / "output")
    preprocess(simulated.folder, output.root)
    different = []
    missed = {"batch is the group", "swapped labels", "outlier", "second disease"}
    # Of so few people measured twice, one may be the only man.
    missed |= {"duplicated people"}
    for trait, name, truth in cohorts(simulated):
        if missed & set(truth.traps):
            continue
        ours = read_cohort_info(output.cohort_info(trait))[name]
        theirs = read_cohort_info(reference.cohort_info(trait))[name]
        for field in ("is_usable", "has_age", "has_gender", "sample_size"):
            if getattr(ours, field) != getattr(theirs, field):
                different.append((trait, name, field))
        path = reference.clinical_csv(trait, name)
        if path.is_file():
            codes = read_clinical_csv(output.clinical_csv(trait, name))[1][trait]
            if not np.array_equal(codes, read_clinical_csv(path)[1][trait], equal_nan=True):
                different.append((trait, name, "trait"))
    assert different == []
