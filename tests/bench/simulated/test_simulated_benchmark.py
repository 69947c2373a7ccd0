"""Content of a simulated benchmark, the same for the same seed, and its folder, whole or not."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from genotex.bench import SimulatedBenchmark, load_benchmark_truth, simulate_benchmark
from genotex.errors import FormatError, UsageError
from genotex.formats import read_clinical_matrix
from genotex.layout import InputFolder
from genotex.problems import ProblemKind, TaskInfo
from genotex.simulate import load_truth, simulate_study
from tests.simulate.test_simulate_study import contents

SMALL = {"traits": 4, "cohorts": 8, "samples": 24, "genes": 400}


def test_default_benchmark_has_12_traits_44_cohorts_and_problems_of_all_kinds(
    simulated: SimulatedBenchmark,
) -> None:
    layout = InputFolder(simulated.folder)
    assert len(layout.traits()) == 12
    series = [c for trait in layout.traits() for c in layout.geo_cohorts(trait)]
    studies = layout.tcga_folders()
    assert (len(series), len(studies)) == (41, 3)
    assert all(len(c.matrices) == 1 and len(c.family_soft) == 1 for c in series)
    assert all(s.clinical and s.expression and s.expression_pancan for s in studies)
    kinds = Counter(problem.kind for problem in TaskInfo.load(simulated.task_info).problems())
    assert kinds == {
        ProblemKind.UNCONDITIONAL: 12,
        ProblemKind.ONE_STEP: 24,
        ProblemKind.TWO_STEP: 36,
    }
    assert simulated.summary() == {
        "traits": 12,
        "cohorts": 44,
        "usable_cohorts": 34,
        "problems": {"unconditional": 12, "one-step": 24, "two-step": 36},
        "answered": 63,
    }


def test_benchmark_has_binary_and_measured_traits_and_several_reasons_to_reject(
    simulated: SimulatedBenchmark,
) -> None:
    kinds = Counter(trait.kind for trait in simulated.truth.traits.values())
    assert kinds == {"binary": 10, "continuous": 2}
    cohorts = [c for trait in simulated.truth.traits.values() for c in trait.cohorts.values()]
    assert {c.scale for c in cohorts} == {"linear", "log2", "counts", "beta", "none"}
    assert len({c.reason for c in cohorts if not c.usable}) == 6
    assert len({c.reason for c in cohorts if c.usable}) >= 10
    assert len({c.platform for c in cohorts if c.source == "GEO" and c.usable}) == 5


def test_people_of_different_tcga_studies_have_different_barcodes(
    simulated: SimulatedBenchmark,
) -> None:
    sets = []
    for study in InputFolder(simulated.folder).tcga_folders():
        assert study.clinical is not None
        sets.append(set(read_clinical_matrix(study.clinical).samples))
    assert len(set.union(*sets)) == sum(len(samples) for samples in sets)


def test_traits_that_are_each_others_condition_share_related_genes(
    simulated: SimulatedBenchmark,
) -> None:
    tasks = TaskInfo.load(simulated.task_info).traits
    for trait, info in tasks.items():
        related, planted = set(info.related_genes), set(simulated.truth.traits[trait].planted)
        assert related & planted
        # Handed in as an answer they are worth little.
        assert 2 * len(related & planted) / len(related | planted) < 0.1
        assert info.conditions[:2] == ("Age", "Gender")
        for other in info.conditions[2:]:
            theirs = set(tasks[other].related_genes)
            assert trait in tasks[other].conditions
            # The paper pairs traits whose related genes have a Jaccard index above 0.1.
            assert len(related & theirs) / len(related | theirs) > 0.1
            assert not related & theirs & planted


def test_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        folder = tmp_path / name
        simulate_benchmark(folder / "in", answers=folder / "out", seed=seed, **SMALL)
    first, again, other = (contents(tmp_path / name) for name in "abc")
    assert first == again
    tables = [name for name in first if "series_matrix" in name or "gene_data" in name]
    assert tables and all(first[name] != other[name] for name in tables)


def alike(one: Mapping[str, float], other: Mapping[str, float]) -> set[str]:
    """Return the genes that differ in the same direction; a companion hides by the opposite one."""
    return {gene for gene in set(one) & set(other) if one[gene] * other[gene] > 0}


def test_traits_share_planted_genes_two_by_two_where_asked(
    simulated: SimulatedBenchmark, tmp_path: Path
) -> None:
    own = [trait.planted for trait in simulated.truth.traits.values()]
    assert not any(alike(a, b) for i, a in enumerate(own) for b in own[:i])
    made = simulate_benchmark(tmp_path / "shared", shared_genes=0.5, **SMALL)
    planted = [trait.planted for trait in made.truth.traits.values()]
    for i, one in enumerate(planted):
        for j, other in enumerate(planted[:i]):
            common = alike(one, other)
            assert bool(common) == (i == j + 1 and j % 2 == 0)
            assert len(common) <= round(0.5 * min(len(one), len(other)))
    with pytest.raises(UsageError, match=r"shared_genes is 1\.5"):
        simulate_benchmark(tmp_path / "no", shared_genes=1.5, **SMALL)


def test_record_comes_back_as_it_was(simulated: SimulatedBenchmark, tmp_path: Path) -> None:
    assert load_benchmark_truth(simulated.reference) == simulated.truth
    assert load_benchmark_truth(simulated.truth_file) == simulated.truth
    with pytest.raises(FormatError, match="not the record of a simulated study"):
        load_truth(simulated.reference)
    (tmp_path / "truth.json").write_text('{"format": "genotex simulated world", "seed": 1}')
    with pytest.raises(FormatError, match="nuisance: is missing"):
        load_benchmark_truth(tmp_path)


def test_score_counts_planted_genes_of_the_trait_asked_for(simulated: SimulatedBenchmark) -> None:
    first, second = list(simulated.truth.traits)[:2]
    companion = simulated.truth.traits[first].companion
    genes = list(simulated.truth.traits[first].planted)
    assert simulated.truth.score(genes[:4], first, companion) == (4, len(genes), 0.0)
    others = simulated.truth.traits[companion].planted
    hidden = set(genes) & set(others)
    assert hidden
    number = len(genes) + len(others) - 2 * len(hidden)
    assert simulated.truth.score(genes, first).planted == number
    assert simulated.truth.score(genes[:4], second)[2] == 1.0
    with pytest.raises(UsageError, match="nothing was planted for 'Gout'"):
        simulated.truth.score([], "Gout")


@pytest.mark.parametrize(
    "sizes", [{"traits": 3}, {"traits": 17}, {"cohorts": 23}, {"samples": 23}, {"genes": 399}]
)
def test_sizes_without_sense_are_refused(tmp_path: Path, sizes: dict[str, int]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(sizes))} is"):
        simulate_benchmark(tmp_path / "simulated", **sizes)
    assert not (tmp_path / "simulated").exists()


def test_interrupted_simulation_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(message: str) -> None:
        if message.startswith("TCGA"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate_benchmark(tmp_path / "simulated", progress=interrupt, **SMALL)
    assert list(tmp_path.iterdir()) == []


def test_progress_tells_of_each_cohort_once(tmp_path: Path) -> None:
    told: list[str] = []
    simulate_benchmark(tmp_path / "simulated", progress=told.append, **SMALL)
    assert len(told) == len(set(told)) == SMALL["cohorts"]


def test_study_and_benchmark_replace_each_other_only_when_asked(
    tmp_path: Path, symbols: list[str]
) -> None:
    folder = tmp_path / "folder"
    simulate_benchmark(folder, **SMALL)
    with pytest.raises(UsageError, match="holds a simulated study already"):
        simulate_study(folder, symbols=symbols, samples=24, genes=400)
    simulate_study(folder, symbols=symbols, samples=24, genes=400, overwrite=True)
    (folder / "mine").mkdir()
    with pytest.raises(UsageError, match=r"more than a simulated study \(mine\)"):
        simulate_benchmark(folder, overwrite=True, **SMALL)
    (folder / "mine").rmdir()
    simulate_benchmark(folder, overwrite=True, **SMALL)
    assert not (folder / "truth.json").exists()


def test_answers_are_elsewhere_and_their_seed_is_secret(tmp_path: Path) -> None:
    made = [simulate_benchmark(tmp_path / name, **SMALL) for name in ("a", "b")]
    assert made[0].reference == tmp_path / "a-answers"
    assert made[0].truth.seed != made[1].truth.seed
    names = {path.name for path in made[0].folder.rglob("*")}
    assert not names & {"truth.json", "regress", "preprocess", "reference"}
    seeds = {str(each.truth.seed) for each in made}
    for path in (*made[0].folder.rglob("*.json"), *made[1].folder.rglob("*.json")):
        assert not any(seed in path.read_text() for seed in seeds)
    answer = next((made[0].reference / "regress").rglob("*.json"))
    assert made[0].truth.canary in answer.read_text()
    with pytest.raises(UsageError, match="which agents read"):
        simulate_benchmark(tmp_path / "c", answers=tmp_path / "c" / "reference", **SMALL)


def test_lists_differ_in_length(simulated: SimulatedBenchmark) -> None:
    lengths = [len(trait.planted) for trait in simulated.truth.traits.values()]
    assert len(set(lengths)) > len(lengths) / 2 and min(lengths) >= 6
