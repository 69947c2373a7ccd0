"""Determinism, the folder that appears whole or not at all, and what can be found again."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from genotex.errors import UsageError
from genotex.genes import GeneTable
from genotex.simulate import SimulatedStudy, score_against_truth, simulate_study
from tests.simulate.plain_geo import geo_path, read_matrix, read_soft_sections

SMALL = {"samples": 24, "genes": 400}


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_same_seed_gives_the_same_bytes(tmp_path: Path, symbols: list[str]) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        simulate_study(tmp_path / name, seed=seed, symbols=symbols, **SMALL)
    first, again, other = (contents(tmp_path / name) for name in "abc")
    assert first == again
    assert first.keys() == other.keys()
    assert all(first[name] != other[name] for name in first)


def test_study_is_the_one_that_version_0_2_0_made(study: SimulatedStudy) -> None:
    """The task list is drawn last, so its digest (of that version) depends on every draw before."""
    digest = hashlib.sha256(study.task_info.read_bytes()).hexdigest()
    assert digest == "a697738d5564202a767e8e92a3e8fd8468bdcc629178bbe39b5568cc3c1d7fa5"


def test_folder_with_other_files_is_refused(tmp_path: Path, symbols: list[str]) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="not empty and holds no simulated study"):
        simulate_study(folder, symbols=symbols, overwrite=True, **SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert (folder / "thesis.txt").read_text() == "years of work"


def test_earlier_study_is_replaced_only_when_asked(tmp_path: Path, symbols: list[str]) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    simulate_study(folder, seed=1, symbols=symbols, **SMALL)
    with pytest.raises(UsageError, match="holds a simulated study already"):
        simulate_study(folder, seed=2, symbols=symbols, **SMALL)
    simulate_study(folder, seed=2, symbols=symbols, overwrite=True, **SMALL)
    assert json.loads((folder / "truth.json").read_text())["seed"] == 2
    (folder / "notes.txt").write_text("keep me")
    with pytest.raises(UsageError, match=r"more than a simulated study \(notes.txt\)"):
        simulate_study(folder, seed=3, symbols=symbols, overwrite=True, **SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["study"]


def test_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(UsageError, match="is a file"):
        simulate_study(path)


def test_interrupted_study_leaves_nothing(tmp_path: Path, symbols: list[str]) -> None:
    def interrupt(message: str) -> None:
        if "GSE90000003" in message:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate_study(tmp_path / "study", symbols=symbols, progress=interrupt, **SMALL)
    assert list(tmp_path.iterdir()) == []


def test_earlier_study_comes_back_when_it_cannot_be_replaced(
    tmp_path: Path, symbols: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "study"
    simulate_study(folder, seed=1, symbols=symbols, **SMALL)
    rename = Path.rename
    seen = []

    def refuse(path: Path, target: Path) -> Path:
        if path.suffix == ".part":
            seen.extend(p.name for p in tmp_path.iterdir() if p.suffix != ".part")
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(KeyboardInterrupt):
        simulate_study(folder, seed=2, symbols=symbols, overwrite=True, **SMALL)
    assert json.loads((folder / "truth.json").read_text())["seed"] == 1
    assert [path.name for path in tmp_path.iterdir()] == ["study"]
    (left,) = seen  # what a process killed at this point would leave
    assert left.startswith("study.")


@pytest.mark.parametrize("sizes", [{"samples": 23}, {"genes": 100}, {"seed": -1}])
def test_sizes_without_sense_are_refused(tmp_path: Path, sizes: dict[str, int]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(sizes))} is"):
        simulate_study(tmp_path / "study", **sizes)


def test_too_few_symbols_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only 2 plain symbols"):
        simulate_study(tmp_path / "study", symbols=["TP53", "EGFR", "H2AC-1"], **SMALL)


def test_packaged_symbols_are_used_by_default(tmp_path: Path) -> None:
    study = simulate_study(tmp_path / "study", **SMALL)
    assert study.truth.planted["Simulated_Arthritis"]
    assert study.truth.aliases
    soft = geo_path(study.folder, "Simulated_Arthritis", "GSE90000001", "soft")
    header, *rows = read_soft_sections(soft)[2][3]
    names = {row[header.index("Gene Symbol")] for row in rows}
    for symbol, alias in study.truth.aliases.items():
        assert symbol not in names
        assert GeneTable.load().official_symbol(alias) == symbol
    assert names & set(study.truth.aliases.values())


def test_task_info_holds_planted_genes_and_others(study: SimulatedStudy) -> None:
    tasks = json.loads(study.task_info.read_text())
    assert set(tasks) == set(study.truth.planted)
    for trait, task in tasks.items():
        related, planted = set(task["related_genes"]), set(study.truth.planted[trait])
        assert related & planted
        assert related - planted
    assert tasks[study.truth.trait]["conditions"] == ["Age", "Gender", "Simulated_Diabetes"]


def test_traits_share_no_planted_gene_and_none_follows_age_or_sex(study: SimulatedStudy) -> None:
    sets = [set(genes) for genes in study.truth.planted.values()]
    assert len(set.union(*sets)) == sum(len(genes) for genes in sets)
    for genes in study.truth.nuisance.values():
        assert not set.union(*sets) & set(genes)


def gene_table(study: SimulatedStudy, accession: str) -> tuple[list[str], list[str], np.ndarray]:
    """Return genes, samples and the mean of each gene's own probes on the log2 scale."""
    trait = study.truth.trait
    matrix = read_matrix(geo_path(study.folder, trait, accession, "matrix"))
    header, *rows = read_soft_sections(geo_path(study.folder, trait, accession, "soft"))[2][3]
    column = header.index("Gene Symbol" if "Gene Symbol" in header else "Symbol")
    linear = study.truth.cohorts[accession].scale == "linear"
    values = np.log2(matrix.values) if linear else matrix.values
    probes: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        if row[column] and "/" not in row[column] and ";" not in row[column]:
            probes.setdefault(row[column], []).append(i)
    genes = sorted(probes)
    table = np.ma.masked_invalid([mean_of_probes(values[probes[gene]]) for gene in genes])
    return genes, matrix.samples, np.where(table.mask, table.mean(axis=1)[:, None], table.data)


def mean_of_probes(rows: np.ndarray) -> np.ndarray:
    return np.ma.masked_invalid(rows).mean(axis=0).filled(np.nan)


def significant(
    study: SimulatedStudy, accession: str, covariates: list[str], alpha: float = 0.05
) -> list[str]:
    """Ordinary least squares per gene, cases against healthy controls, Benjamini-Hochberg."""
    genes, samples, table = gene_table(study, accession)
    people = [study.truth.cohorts[accession].samples[sample] for sample in samples]
    keep = [
        i
        for i, p in enumerate(people)
        if p["group"] != "other disease" and all(p[c] is not None for c in covariates)
    ]
    columns = [[float(people[i]["group"] == "case") for i in keep], [1.0] * len(keep)]
    columns += [[float(people[i][name]) for i in keep] for name in covariates]
    design, outcome = np.array(columns).T, table[:, keep].T
    beta = np.linalg.lstsq(design, outcome, rcond=None)[0]
    df = len(keep) - design.shape[1]
    variance = ((outcome - design @ beta) ** 2).sum(axis=0) / df
    t = beta[0] / np.sqrt(variance * np.linalg.inv(design.T @ design)[0, 0])
    q = stats.false_discovery_control(2 * stats.t.sf(np.abs(t), df))
    return [gene for gene, value in zip(genes, q, strict=True) if value < alpha]


def mean_score(
    studies: list[SimulatedStudy], accession: str, covariates: list[str]
) -> tuple[float, float]:
    """Return mean power and mean false discovery proportion."""
    scores = [
        score_against_truth(study.truth, significant(study, accession, covariates))
        for study in studies
    ]
    power = np.mean([score.found / score.planted for score in scores])
    return float(power), float(np.mean([s.false_discovery_proportion for s in scores]))


def test_most_planted_genes_are_found_again_and_little_else(
    full_studies: list[SimulatedStudy],
) -> None:
    power, false = mean_score(full_studies, "GSE90000001", ["age", "gender", "batch"])
    assert 0.65 < power < 0.95
    assert false < 0.1


def test_confounded_batch_must_be_adjusted_for(full_studies: list[SimulatedStudy]) -> None:
    _, blind = mean_score(full_studies, "GSE90000002", ["age", "gender"])
    _, adjusted = mean_score(full_studies, "GSE90000002", ["age", "gender", "batch"])
    assert adjusted < 0.1
    assert blind > 0.1
    assert blind > 2 * adjusted


def test_effects_point_the_same_way_in_all_cohorts(full_studies: list[SimulatedStudy]) -> None:
    full_study = full_studies[0]
    truth = full_study.truth
    effects = [truth.cohorts[c].effects for c in truth.usable_cohorts(truth.trait)]
    for gene in truth.planted[truth.trait]:
        assert len({np.sign(cohort[gene]) for cohort in effects}) == 1
    genes, samples, table = gene_table(full_study, "GSE90000001")
    cohort = truth.cohorts["GSE90000001"]
    case = np.array([cohort.samples[sample]["group"] == "case" for sample in samples])
    planted = truth.planted[truth.trait]
    rows = table[[genes.index(gene) for gene in planted]]
    seen = rows[:, case].mean(axis=1) - rows[:, ~case].mean(axis=1)
    assert np.corrcoef(seen, [cohort.effects[gene] for gene in planted])[0, 1] > 0.9
