"""Simulation of an input folder with known truth: GEO and TCGA files, and ``truth.json``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from genotex.errors import UsageError
from genotex.genes import GeneTable
from genotex.io import atomic_folder
from genotex.layout import TCGA_COHORT
from genotex.simulate.cohorts import TcgaPlan, write_counted, write_geo, write_tcga
from genotex.simulate.expression import (
    GeneModel,
    choose_aliases,
    choose_symbols,
    draw_gene_model,
    name_rows,
)
from genotex.simulate.platforms import draw_array
from genotex.simulate.scenario import CONDITION, TCGA_TRAIT, TRAIT, counted_plan, geo_plans
from genotex.simulate.truth import (
    MARK_FILE,
    STUDY_FORMAT,
    TRUTH_FILE,
    WORLD_FORMAT,
    CohortTruth,
    Truth,
    format_of,
)

_STUDY_FILES = frozenset({"GEO", "TCGA", "task_info.json", TRUTH_FILE})
_OURS = {
    STUDY_FORMAT: _STUDY_FILES,
    # Earlier versions wrote the answers into the folder of the input, as "reference".
    WORLD_FORMAT: _STUDY_FILES | {MARK_FILE, "preprocess", "regress", "reference", "traps.json"},
}
"""Format of the truth record -> names of the files written with it."""


def check_folder(folder: Path, overwrite: bool) -> None:
    """Check that a folder is new or empty, or may be replaced."""
    if not folder.exists():
        return
    if not folder.is_dir():
        msg = f"{folder} is a file; name a folder that does not exist yet"
        raise UsageError(msg)
    found = {path.name for path in folder.iterdir()}
    if not found:
        return
    ours = _OURS.get(format_of(folder))
    if ours is None:
        msg = f"{folder} is not empty and holds no simulated study; name a new or an empty folder"
        raise UsageError(msg)
    if not overwrite:
        msg = (
            f"{folder} holds a simulated study already; request overwriting it or name a new folder"
        )
        raise UsageError(msg)
    if found - ours:
        names = ", ".join(sorted(found - ours))
        msg = f"{folder} holds more than a simulated study ({names}); move that away first"
        raise UsageError(msg)


TASK_FILE = "task_info.json"


def genes_without_effect(model: GeneModel) -> list[str]:
    """Return the symbols of the genes that are planted for no trait."""
    taken = model.differing()
    return [symbol for symbol, differs in zip(model.symbols, taken, strict=True) if not differs]


def _choose_related(
    rng: np.random.Generator, planted: Sequence[str], free: Sequence[str]
) -> list[str]:
    """Choose related genes: two in five of the planted ones, and half as many unrelated ones."""
    count = max(2, int(0.4 * len(planted)))
    chosen = rng.choice(planted, size=count, replace=False).tolist()
    decoys = rng.choice(free, size=int(0.2 * len(planted)), replace=False).tolist()
    return [*chosen, *decoys]


def write_tasks(
    folder: Path, related: Mapping[str, Iterable[str]], conditions: Mapping[str, Sequence[str]]
) -> Path:
    """Write ``task_info.json`` and return its path."""
    tasks = {
        trait: {
            "related_genes": sorted(genes),
            "conditions": ["Age", "Gender", *conditions.get(trait, ())],
        }
        for trait, genes in related.items()
    }
    path = folder / TASK_FILE
    path.write_text(json.dumps(tasks, indent=2) + "\n", encoding="utf-8")
    return path


Progress = Callable[[str], None]

_PLANTED = 60
_RNA_SEQ = 7
"""Part of the seed of the RNA-seq cohort."""


@dataclass(frozen=True)
class SimulatedStudy:
    """A simulated study on disk, and its truth."""

    folder: Path
    """An input folder for ``genotex preprocess``."""
    truth_file: Path
    """``truth.json``."""
    task_info: Path
    """Related genes and conditions of the simulated traits, in the benchmark's format."""
    truth: Truth
    """Content of `truth_file`."""


def simulate_study(
    folder: str | Path,
    *,
    seed: int = 1,
    samples: int = 80,
    genes: int = 4000,
    symbols: Sequence[str] | None = None,
    rna_seq: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> SimulatedStudy:
    """Write an input folder of simulated GEO series and one TCGA folder.

    The main trait has two usable cohorts on different platforms (one with a balanced, one with a
    confounded batch), one with shifted characteristics and one without controls; a second trait
    serves as condition; a third has a TCGA folder and a methylation series. The same seed, sizes
    and symbols give the same files.

    Parameters
    ----------
    folder : str or Path
        Where to; must not exist or be empty. It appears whole or not at all.
    seed : int
        Seed of all randomness.
    samples : int
        Samples of the largest cohort, 24 to 1,000; the others follow.
    genes : int
        Genes, 400 to 15,000; the arrays have a little more than twice as many probes.
    symbols : sequence of str, optional
        Gene symbols to draw from; by default the protein-coding genes of the packaged table.
    rna_seq : bool
        Add a cohort of the main trait whose matrix is empty, with NCBI's counts;
        the other files stay the same.
    overwrite : bool
        Replace an earlier simulated study in `folder`.
    progress : callable, optional
        Called with a description of what is being written.

    Raises
    ------
    UsageError
        If a size makes no sense, or `folder` holds something.
    """
    folder = Path(folder)
    check_sizes(seed=(seed, 0, 2**63), samples=(samples, 24, 1000), genes=(genes, 400, 15_000))
    check_folder(folder, overwrite)
    report = progress or no_progress
    rng = np.random.default_rng(seed)
    chosen = choose_symbols(rng, genes, symbols)
    aliases = choose_aliases(rng, chosen) if symbols is None else {}
    sizes = _Sizes(seed, samples, rna_seq)
    with atomic_folder(folder) as part:
        truth = _write_all(part, rng, sizes, chosen, aliases, report)
        (part / TRUTH_FILE).write_text(truth.to_json(), encoding="utf-8")
    return SimulatedStudy(folder, folder / TRUTH_FILE, folder / TASK_FILE, truth)


@dataclass(frozen=True)
class _Sizes:
    seed: int
    samples: int
    rna_seq: bool


def no_progress(message: str) -> None:
    """Ignore progress."""


def check_sizes(**sizes: tuple[int, int, int]) -> None:
    """Check sizes, each given with its lowest and highest sensible value."""
    for name, (value, low, high) in sizes.items():
        if not low <= value <= high:
            msg = f"{name} is {value}; it must be between {low} and {high}"
            raise UsageError(msg)


def _write_all(
    folder: Path,
    rng: np.random.Generator,
    sizes: _Sizes,
    symbols: list[str],
    aliases: dict[str, str],
    report: Progress,
) -> Truth:
    planted = min(_PLANTED, len(symbols) // 20)
    model = draw_gene_model(rng, symbols, (TRAIT, CONDITION, TCGA_TRAIT), (planted,) * 3)
    always = np.flatnonzero(model.differing())
    # Names of the genes on the older platform and in TCGA: some are outdated.
    names = [aliases.get(symbol, symbol) for symbol in symbols]
    arrays = {
        "affymetrix": draw_array("affymetrix", rng, names, always, "GPL900001"),
        "illumina": draw_array("illumina", rng, symbols, always, "GPL900002"),
    }
    cohorts: dict[str, CohortTruth] = {}
    first = 90_000_001
    for plan in geo_plans(sizes.samples):
        report(f"{plan.accession}: {plan.title}")
        cohorts[plan.accession] = write_geo(folder, rng, model, arrays, plan, first).truth
        first += sum(plan.groups.values())
    tcga = TcgaPlan(TCGA_TRAIT, "SIMC", "Simulated Carcinoma", max(16, sizes.samples // 2))
    report(f"TCGA/{tcga.folder}")
    cohorts[TCGA_COHORT] = write_tcga(folder, rng, model, names, tcga).truth
    planted_genes = {trait: model.planted(trait) for trait in model.signatures}
    free = genes_without_effect(model)
    related = {trait: _choose_related(rng, genes, free) for trait, genes in planted_genes.items()}
    write_tasks(folder, related, {TRAIT: (CONDITION,)})
    nuisance = {"age": model.changing_with(model.age), "sex": model.changing_with(model.sex)}
    if sizes.rna_seq:
        plan = counted_plan(sizes.samples)
        report(f"{plan.accession}: {plan.title}")
        # A generator of its own, so that nothing else depends on whether it is there.
        own = np.random.default_rng([sizes.seed, _RNA_SEQ])
        rows = name_rows(own, symbols, aliases, GeneTable.load())
        cohorts[plan.accession] = write_counted(folder, own, model, rows, plan, first).truth
    return Truth(
        sizes.seed, TRAIT, CONDITION, TCGA_TRAIT, planted_genes, nuisance, aliases, cohorts
    )
