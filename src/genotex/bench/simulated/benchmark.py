"""A whole simulated benchmark: input files, task list, truth, and the reference."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from genotex.arrays import Floats
from genotex.bench.simulated.planning import ARRAYS, FIRST_SERIES, geo_plans, tcga_plans
from genotex.bench.simulated.reference import CANARY, write_answers, write_cohorts, write_traps
from genotex.bench.simulated.wording import (
    FEWEST_TRAITS,
    MOST_TRAITS,
    SimulatedTrait,
    companion_of,
    conditions_of,
    simulated_traits,
)
from genotex.errors import UsageError
from genotex.io import atomic_folder
from genotex.layout import OutputFolder
from genotex.problems import Problem, TaskInfo
from genotex.simulate.cohorts import SimulatedCohort, TcgaPlan, write_geo, write_tcga
from genotex.simulate.expression import (
    GeneModel,
    Nuisance,
    choose_aliases,
    choose_symbols,
    draw_gene_model,
)
from genotex.simulate.plan import COMORBIDITY, CohortPlan, TraitKind
from genotex.simulate.platforms import Style, draw_array
from genotex.simulate.study import (
    TASK_FILE,
    Progress,
    check_folder,
    check_sizes,
    genes_without_effect,
    no_progress,
    write_tasks,
)
from genotex.simulate.truth import (
    MARK_FILE,
    TRUTH_FILE,
    WORLD_FORMAT,
    CohortTruth,
    Score,
    read_record,
    record_text,
    score_genes,
)

_VERSION = 4


@dataclass(frozen=True)
class TraitTruth:
    """One trait as it was made."""

    kind: TraitKind  # whether people have it or not, or have more or less of it
    # gene that differs -> its difference in standard deviations of the gene, the largest first:
    # between cases and all others, or of a measured trait between people one standard deviation
    # above the mean and one below it
    planted: Mapping[str, float]
    companion: str  # The trait that people with this one have more often; empty for none
    # "Age", "Gender" -> gene whose difference between cases and others changes with it, and is 0 on
    # average -> spread of that change among the people, in standard deviations of the gene
    interactions: Mapping[str, Mapping[str, float]]
    # by cohort id, in the order of the reference's `cohort_info.json`
    cohorts: Mapping[str, CohortTruth]


@dataclass(frozen=True)
class BenchmarkTruth:
    """The whole truth of a simulated benchmark."""

    seed: int  # Seed it was made with
    # "age", "sex" -> symbols that change with it in every cohort
    nuisance: Mapping[str, tuple[str, ...]]
    # Official symbol -> the older name of the same gene in Affymetrix-like platforms and in TCGA
    # files
    aliases: Mapping[str, str]
    traits: Mapping[str, TraitTruth]  # By trait folder name
    canary: str = CANARY

    def usable_cohorts(self, trait: str) -> list[str]:
        """Return the ids of the cohorts that a careful analyst can use for `trait`, sorted."""
        return sorted(name for name, c in self.traits[trait].cohorts.items() if c.usable)

    def answer(self, problem: Problem) -> dict[str, float]:
        """Return the genes that differ with the trait given the condition, with their sizes.

        Age and sex are given always. Genes of the companion differ with the trait unless the
        companion is given, and some genes of the trait only then: the companion hides them. The
        largest difference comes first.
        """
        trait = self.traits[problem.trait]
        sizes = dict(trait.planted)
        if trait.companion and trait.companion != problem.condition:
            for gene, size in self.traits[trait.companion].planted.items():
                sizes[gene] = round(sizes.get(gene, 0.0) + COMORBIDITY * size, 4)
        seen = {gene: size for gene, size in sizes.items() if abs(size) > _HIDDEN}
        return dict(sorted(seen.items(), key=lambda pair: -abs(pair[1])))

    def interactions(self, problem: Problem) -> Mapping[str, float]:
        """Return the genes whose difference changes with the condition, if that is age or sex."""
        return self.traits[problem.trait].interactions.get(problem.condition or "", {})

    def score(self, genes: Iterable[str], trait: str, condition: str | None = None) -> Score:
        """Compare a list of significant genes with the answer for `trait` given `condition`."""
        answers = {name: made.planted for name, made in self.traits.items()}
        if trait in answers:
            answers[trait] = self.answer(Problem(trait, condition))
        return score_genes(answers, genes, trait)

    def to_json(self) -> str:
        """Return the text of ``truth.json``."""
        return record_text(WORLD_FORMAT, _VERSION, asdict(self))


def load_benchmark_truth(path: Path) -> BenchmarkTruth:
    """Read the ``truth.json`` of a simulated benchmark."""
    return read_record(path, WORLD_FORMAT, BenchmarkTruth)


_PLANTED = 6, 75
"""Genes of a trait: the logarithm of their number is uniform, so that no fixed length fits all."""
_EFFECTS = 1.8, 3.2
"""Standardised differences that the data can show, also through a companion."""
_HIDDEN_SHARE, _HIDDEN = 6, 0.01
"""One in so many genes of a trait is hidden by the companion: their effects add up to less."""
_INTERACTING, _INTERACTION = (5, 15), (0.75, 1.1)
"""Genes of a trait whose difference changes with age, and with sex; and by how much."""
_FOLLOWING, _STATES = 0.5, 3
"""Share of the genes that follow a trait or a state of people that no trait goes with, as long as
there are at most so many states for each trait."""
_VARIABLE_SHARE, _VARIABLE = 0.4, (1.5, 3.0)
"""Share of the other genes that vary more, and how much more."""
_NUISANCE = Nuisance(0.06, 0.35, 0.05, 0.9)
_MARKERS, _SHARED, _OWN = 4, 40, 80
"""Related genes: the planted genes with the largest differences, from which the trait can be
predicted; unrelated ones, of a family and of one trait, since published lists are no answer."""
_FIRST_PLATFORM = 910_001
_FEWEST_PER_TRAIT, _MOST_PER_TRAIT = 2, 10
"""Cohorts for each trait."""


@dataclass(frozen=True)
class SimulatedBenchmark:
    """Where a simulated benchmark is, and its truth."""

    folder: Path  # An input folder for ``genotex preprocess``, without the answers
    task_info: Path  # Related genes and conditions of the traits, in the benchmark's format
    reference: Path  # The true answers, an output folder in the benchmark's layout
    truth_file: Path  # ``truth.json``
    truth: BenchmarkTruth  # Content of `truth_file`
    problems: tuple[Problem, ...]  # The problems of `task_info`
    answered: tuple[Problem, ...]  # Those that can be answered, and have an answer in `reference`

    def summary(self) -> dict[str, Any]:
        """Return counts of everything, as plain values."""
        cohorts = [c for trait in self.truth.traits.values() for c in trait.cohorts.values()]
        return {
            "traits": len(self.truth.traits),
            "cohorts": len(cohorts),
            "usable_cohorts": sum(cohort.usable for cohort in cohorts),
            "problems": dict(Counter(str(problem.kind) for problem in self.problems)),
            "answered": len(self.answered),
        }


def answers_of(folder: Path) -> Path:
    """Return where the answers of a simulated benchmark are, if no other place was named."""
    return folder.with_name(f"{folder.name}-answers")


def simulate_benchmark(
    folder: Path,
    *,
    answers: Path | None = None,
    seed: int | None = None,
    traits: int = 12,
    cohorts: int = 44,
    samples: int = 100,
    genes: int = 1200,
    shared_genes: float = 0.0,
    symbols: Sequence[str] | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> SimulatedBenchmark:
    """Write a whole benchmark whose answers are known.

    It has binary traits, measured traits, and cancers with a TCGA folder; one trait cannot be
    answered. The same seed, sizes and symbols give the same files.

    Parameters
    ----------
    folder
        For the input; must not exist or be empty. It appears whole or not at all.
    answers
        For truth and reference, outside `folder`; by default ``<folder>-answers``.
    seed
        Seed of all randomness; by default one that only the answers state.
    traits
        Number of traits, 4 to 16.
    cohorts
        GEO series and TCGA folders together, 2 to 10 for each trait.
    samples
        Samples of the largest cohorts, 24 to 1,000.
    genes
        Genes, 400 to 15,000.
    shared_genes
        Share of its planted genes, 0 to 1, that the second, fourth, ... trait has in common with
        the trait before it, in the same direction.
    symbols
        Gene symbols to draw from; by default the protein-coding genes of the packaged table.
    overwrite
        Replace an earlier simulated study or benchmark in `folder`.
    progress
        Called with a description of what is being written, once for each cohort.

    Raises
    ------
    UsageError
        If a size is out of range, or `folder` is not empty.
    """
    folder = Path(folder)
    answers = answers_of(folder) if answers is None else Path(answers)
    if answers.absolute().is_relative_to(folder.absolute()):
        msg = f"{answers} is in {folder}, which agents read; name a folder elsewhere"
        raise UsageError(msg)
    seed = secrets.randbits(62) if seed is None else seed
    check_sizes(
        seed=(seed, 0, 2**63),
        traits=(traits, FEWEST_TRAITS, MOST_TRAITS),
        cohorts=(cohorts, _FEWEST_PER_TRAIT * traits, _MOST_PER_TRAIT * traits),
        samples=(samples, 24, 1000),
        genes=(genes, 400, 15_000),
    )
    if not 0 <= shared_genes <= 1:
        msg = f"shared_genes is {shared_genes}; it must be between 0 and 1"
        raise UsageError(msg)
    check_folder(folder, overwrite)
    check_folder(answers, overwrite)
    rng = np.random.default_rng(seed)
    chosen = choose_symbols(rng, genes, symbols)
    aliases = choose_aliases(rng, chosen) if symbols is None else {}
    members = simulated_traits(traits)
    model = _draw_model(rng, chosen, members, shared_genes)
    states = list(model.signatures)[len(members) :]
    studies = tcga_plans(members, states, samples)
    plans = geo_plans(members, states, cohorts - len(studies), samples)
    with atomic_folder(answers) as kept, atomic_folder(folder) as part:
        older = [aliases.get(symbol, symbol) for symbol in chosen]
        made = _write_inputs(part, rng, model, older, plans, studies, progress or no_progress)
        truth = _truth(seed, model, aliases, members, made)
        mark = record_text(WORLD_FORMAT, _VERSION, {"note": "the answers are in another folder"})
        (part / MARK_FILE).write_text(mark, encoding="utf-8")
        (kept / TRUTH_FILE).write_text(truth.to_json(), encoding="utf-8")
        tasks = TaskInfo.load(_write_tasks(part, rng, model, members))
        answered = _write_reference(OutputFolder(kept), truth, made, tasks)
    return SimulatedBenchmark(
        folder,
        folder / TASK_FILE,
        answers,
        answers / TRUTH_FILE,
        truth,
        tasks.problems(),
        tuple(answered),
    )


def _draw_model(
    rng: np.random.Generator,
    symbols: Sequence[str],
    members: Sequence[SimulatedTrait],
    shared: float,
) -> GeneModel:
    """Draw how many genes differ with each trait and with other states, and the genes."""
    count, traits = len(members), [trait.name for trait in members]
    least, most = _PLANTED[0], min(_PLANTED[1], len(symbols) // (count + 4))
    logs = rng.uniform(np.log(least), np.log(most + 1), count * (1 + _STATES))
    planted = np.exp(logs).astype(int)
    fit = np.cumsum(planted) <= _FOLLOWING * len(symbols)
    sizes = planted[: max(count, int(fit.sum()))].tolist()
    names = [*traits, *(f"state {i + 1}" for i in range(len(sizes) - count))]
    model = draw_gene_model(
        rng, symbols, names, sizes, shared=shared, effects=_EFFECTS, nuisance=_NUISANCE
    )
    return _with_conditional_genes(rng, model, members)


def _with_conditional_genes(
    rng: np.random.Generator, model: GeneModel, members: Sequence[SimulatedTrait]
) -> GeneModel:
    """Add what only a condition shows: genes that the companion hides, and interactions.

    And genes that vary much for no reason, so that a large variance is no sign of a trait.
    """
    signatures = {trait: sizes.copy() for trait, sizes in model.signatures.items()}
    for trait in members:
        if companion := companion_of(trait, members):
            sizes = model.signatures[trait.name]
            own = np.flatnonzero((sizes != 0) & (model.signatures[companion] == 0))
            weakest = own[np.argsort(np.abs(sizes / model.spread)[own])]
            hidden = weakest[: len(weakest) // _HIDDEN_SHARE]
            signatures[companion][hidden] = -sizes[hidden] / COMORBIDITY
    free = np.flatnonzero((np.array(list(signatures.values())) == 0).all(axis=0) & (model.sex == 0))
    interactions: dict[str, dict[str, Floats]] = {}
    mean = model.mean.copy()
    for trait in members:
        most = min(_INTERACTING[1], len(model.symbols) // 40)
        counts = rng.integers(_INTERACTING[0], most + 1, 2)
        genes = rng.choice(free, size=counts.sum(), replace=False)
        mean[genes] = np.clip(mean[genes], 6.0, 12.0)
        sizes = np.zeros(len(model.symbols))
        sizes[genes] = rng.choice([-1.0, 1.0], len(genes)) * rng.uniform(*_INTERACTION, len(genes))
        sizes *= model.spread
        first = np.isin(np.arange(len(sizes)), genes[: counts[0]])
        interactions[trait.name] = {
            "Age": np.where(first, sizes, 0.0),
            "Gender": np.where(first, 0.0, sizes),
        }
    model = replace(model, mean=mean, signatures=signatures, interactions=interactions)
    variable = rng.uniform(*_VARIABLE, len(mean))
    variable[model.differing() | (rng.random(len(mean)) > _VARIABLE_SHARE)] = 1.0
    return replace(model, noise=model.noise * variable)


def _write_inputs(
    folder: Path,
    rng: np.random.Generator,
    model: GeneModel,
    older: Sequence[str],
    plans: Sequence[CohortPlan],
    tcga: Sequence[TcgaPlan],
    report: Progress,
) -> dict[str, list[SimulatedCohort]]:
    """Write all cohorts and return them by trait; `older` are names of the genes of older files."""
    always = np.flatnonzero(model.differing())
    arrays = {}
    for i, name in enumerate(ARRAYS):
        style: Style = "affymetrix" if name.startswith("affymetrix") else "illumina"
        symbols = older if style == "affymetrix" else model.symbols
        arrays[name] = draw_array(style, rng, symbols, always, f"GPL{_FIRST_PLATFORM + i}")
    made: dict[str, list[SimulatedCohort]] = {plan.trait: [] for plan in plans}
    first = FIRST_SERIES
    for plan in plans:
        report(f"{plan.accession}: {plan.title}")
        made[plan.trait].append(write_geo(folder, rng, model, arrays, plan, first))
        first += sum(plan.groups.values())
    for study in tcga:
        report(f"TCGA/{study.folder}")
        made[study.trait].append(write_tcga(folder, rng, model, older, study))
    return made


def _truth(
    seed: int,
    model: GeneModel,
    aliases: dict[str, str],
    members: Sequence[SimulatedTrait],
    made: Mapping[str, Sequence[SimulatedCohort]],
) -> BenchmarkTruth:
    traits = {
        trait.name: TraitTruth(
            trait.kind,
            {gene: round(size, 4) for gene, size in model.standardised(trait.name).items()},
            companion_of(trait, members),
            {
                feature: {
                    gene: round(size, 4)
                    for gene, size in model.standardised(trait.name, feature).items()
                }
                for feature in model.interactions[trait.name]
            },
            {cohort.name: cohort.truth for cohort in made[trait.name]},
        )
        for trait in members
    }
    nuisance = {"age": model.changing_with(model.age), "sex": model.changing_with(model.sex)}
    return BenchmarkTruth(seed, nuisance, aliases, traits)


def _write_tasks(
    folder: Path, rng: np.random.Generator, model: GeneModel, members: Sequence[SimulatedTrait]
) -> Path:
    """Write the task list, in which the traits of a family share some related genes.

    The shared ones differ with none of them, so that they neither help nor are missed in a problem
    of two traits, whose regressor genes are left out of the genes that are tested.
    """
    free = genes_without_effect(model)
    shared: dict[frozenset[str], list[str]] = {}
    related = {}
    for trait in members:
        family = frozenset((trait.name, *conditions_of(trait, members)))
        if family not in shared:
            shared[family] = rng.choice(free, size=_SHARED, replace=False).tolist()
        own = rng.choice(free, size=_OWN, replace=False).tolist()
        markers = list(model.standardised(trait.name))[:_MARKERS]
        related[trait.name] = {*markers, *own, *shared[family]}
    conditions = {trait.name: conditions_of(trait, members) for trait in members}
    return write_tasks(folder, related, conditions)


def _write_reference(
    reference: OutputFolder,
    truth: BenchmarkTruth,
    made: Mapping[str, Sequence[SimulatedCohort]],
    tasks: TaskInfo,
) -> list[Problem]:
    for trait, cohorts in made.items():
        write_cohorts(reference, trait, cohorts)
    write_traps(reference, made)
    return write_answers(reference, tasks, truth.answer, truth.interactions)
