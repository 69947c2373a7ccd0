"""Make a whole input folder whose answer is known: GEO and TCGA files, and ``truth.json``."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from genotex.errors import UsageError
from genotex.genes import GeneTable
from genotex.layout import TCGA_COHORT
from genotex.simulate.cohorts import TCGA_FOLDER, write_geo, write_methylation, write_tcga
from genotex.simulate.expression import GeneModel, draw_gene_model
from genotex.simulate.platforms import draw_array
from genotex.simulate.scenario import CONDITION, TCGA_TRAIT, TRAIT, geo_plans
from genotex.simulate.truth import TRUTH_FILE, CohortTruth, Truth, is_study

__all__ = ["SimulatedStudy", "simulate_study"]

Progress = Callable[[str], None]

_OURS = {"GEO", "TCGA", "task_info.json", TRUTH_FILE}
_PLANTED = 60
_RENAMED_SHARE = 0.03
_PLAIN = re.compile(r"[A-Z][A-Z0-9]{2,9}")
"""The benchmark's token rule cuts longer or hyphenated symbols, which would hide planted genes."""


@dataclass(frozen=True)
class SimulatedStudy:
    """Where a simulated study lies and what is true of it.

    Attributes
    ----------
    folder : Path
        An input folder for ``genotex preprocess``.
    truth_file : Path
        ``truth.json``.
    task_info : Path
        Related genes and conditions of the simulated traits, in the benchmark's format.
    truth : Truth
        Content of `truth_file`.
    """

    folder: Path
    truth_file: Path
    task_info: Path
    truth: Truth


def simulate_study(
    folder: Path,
    *,
    seed: int = 1,
    samples: int = 80,
    genes: int = 4000,
    symbols: Sequence[str] | None = None,
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
    folder : Path
        Where to; must not exist or be empty. It appears whole or not at all.
    seed : int
        Seed of all randomness.
    samples : int
        Samples of the largest cohort, 24 to 1,000; the others follow.
    genes : int
        Genes, 400 to 15,000; the arrays have a little more than twice as many probes.
    symbols : sequence of str, optional
        Gene symbols to draw from; by default the protein-coding genes of the packaged table.
    overwrite : bool
        Replace an earlier simulated study in `folder`.
    progress : callable, optional
        Told in words what is being written.

    Raises
    ------
    UsageError
        If a size makes no sense, or `folder` holds something.
    """
    _check_sizes(seed, samples, genes)
    _check_folder(folder, overwrite)
    tell = progress or _silent
    rng = np.random.default_rng(seed)
    chosen = _choose_symbols(rng, _packaged_symbols() if symbols is None else symbols, genes)
    aliases = _choose_aliases(rng, chosen) if symbols is None else {}
    with _whole_folder(folder) as part:
        truth = _write_all(part, rng, seed, samples, chosen, aliases, tell)
        (part / TRUTH_FILE).write_text(truth.to_json(), encoding="utf-8")
    return SimulatedStudy(folder, folder / TRUTH_FILE, folder / "task_info.json", truth)


def _silent(message: str) -> None:
    pass


def _check_sizes(seed: int, samples: int, genes: int) -> None:
    for name, value, low, high in (
        ("seed", seed, 0, 2**63),
        ("samples", samples, 24, 1000),
        ("genes", genes, 400, 15_000),
    ):
        if not low <= value <= high:
            msg = f"{name} is {value}; it must lie between {low} and {high}"
            raise UsageError(msg)


def _check_folder(folder: Path, overwrite: bool) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        msg = f"{folder} is a file; name a folder that does not exist yet"
        raise UsageError(msg)
    found = {path.name for path in folder.iterdir()}
    if not found:
        return
    if not is_study(folder):
        msg = f"{folder} is not empty and holds no simulated study; name a new or an empty folder"
        raise UsageError(msg)
    if not overwrite:
        msg = f"{folder} holds a simulated study already; ask to overwrite it or name a new folder"
        raise UsageError(msg)
    if found - _OURS:
        names = ", ".join(sorted(found - _OURS))
        msg = f"{folder} holds more than a simulated study ({names}); move that away first"
        raise UsageError(msg)


@contextmanager
def _whole_folder(folder: Path) -> Iterator[Path]:
    """Give a temporary folder beside `folder` that takes its place when the block ends well."""
    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
    try:
        part.chmod(0o777 & ~_umask())
        yield part
        _replace(folder, part)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _replace(folder: Path, part: Path) -> None:
    """Put `part` in the place of `folder`, which comes back when that fails.

    A process killed in between leaves the earlier study beside, by a name that is not hidden.
    """
    if not folder.exists():
        part.rename(folder)
        return
    old = part.with_name(part.name.strip(".").removesuffix(".part") + ".replaced")
    folder.rename(old)
    try:
        part.rename(folder)
    except BaseException:
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _packaged_symbols() -> list[str]:
    """Return symbols of protein-coding genes that both procedures leave as they are."""
    table = GeneTable.load()
    coding = table.genes.filter(pl.col("type") == "protein-coding")["symbol"].to_list()
    official = table.symbols("benchmark")
    return [symbol for symbol in coding if official.get(symbol) == symbol]


def _choose_symbols(rng: np.random.Generator, symbols: Sequence[str], genes: int) -> list[str]:
    plain = sorted({s for s in symbols if _PLAIN.fullmatch(s)})
    if len(plain) < genes:
        msg = f"{genes} genes were asked for, but only {len(plain)} plain symbols are at hand"
        raise UsageError(msg)
    return sorted(rng.choice(plain, size=genes, replace=False).tolist())


def _choose_aliases(rng: np.random.Generator, symbols: Sequence[str]) -> dict[str, str]:
    """Choose an older name for some genes, one that can mean this gene only."""
    table = GeneTable.load()
    known: dict[str, list[str]] = {}
    for alias, owners in table.alias_genes.items():
        plain = _PLAIN.fullmatch(alias) and "ORF" not in alias and alias not in table.official
        if plain and len(owners) == 1 and table.symbols("benchmark").get(alias) == owners[0]:
            known.setdefault(owners[0], []).append(alias)
    renamed = [symbol for symbol in symbols if symbol in known and rng.random() < _RENAMED_SHARE]
    return {symbol: known[symbol][0] for symbol in renamed}


def _write_all(
    folder: Path,
    rng: np.random.Generator,
    seed: int,
    samples: int,
    symbols: list[str],
    aliases: dict[str, str],
    tell: Progress,
) -> Truth:
    planted = min(_PLANTED, len(symbols) // 20)
    model = draw_gene_model(rng, symbols, (TRAIT, CONDITION, TCGA_TRAIT), planted)
    always = np.flatnonzero(sum(np.abs(s) for s in model.signatures.values()))
    # What the older platform and TCGA call the genes: some by a name that is official no more.
    names = [aliases.get(symbol, symbol) for symbol in symbols]
    arrays = {
        "affymetrix": draw_array("affymetrix", rng, names, always, "GPL900001"),
        "illumina": draw_array("illumina", rng, symbols, always, "GPL900002"),
    }
    cohorts: dict[str, CohortTruth] = {}
    first = 90_000_001
    for plan in geo_plans(samples):
        tell(f"{plan.accession}: {plan.title}")
        cohorts[plan.accession] = write_geo(folder, rng, model, arrays[plan.array], plan, first)
        first += sum(plan.groups.values())
    tell("GSE90000006: a methylation series that is not expression")
    cohorts["GSE90000006"] = write_methylation(folder, rng, first)
    tell(f"TCGA/{TCGA_FOLDER}")
    cohorts[TCGA_COHORT] = write_tcga(folder, rng, model, names, samples)
    planted_genes = {trait: model.planted(trait) for trait in model.signatures}
    _write_task_info(folder, rng, model)
    nuisance = {"age": model.changing_with(model.age), "sex": model.changing_with(model.sex)}
    return Truth(seed, TRAIT, CONDITION, TCGA_TRAIT, planted_genes, nuisance, aliases, cohorts)


def _write_task_info(folder: Path, rng: np.random.Generator, model: GeneModel) -> None:
    """Write related genes: two fifths of the planted ones, and some that have nothing to do."""
    tasks = {}
    taken = {gene for trait in model.signatures for gene in model.planted(trait)}
    free = [symbol for symbol in model.symbols if symbol not in taken]
    for trait in model.signatures:
        planted = model.planted(trait)
        known = rng.choice(planted, size=2 * len(planted) // 5, replace=False).tolist()
        decoys = rng.choice(free, size=len(planted) // 5, replace=False).tolist()
        conditions = ["Age", "Gender"] + ([CONDITION] if trait == TRAIT else [])
        tasks[trait] = {"related_genes": sorted(known + decoys), "conditions": conditions}
    text = json.dumps(tasks, indent=2) + "\n"
    (folder / "task_info.json").write_text(text, encoding="utf-8")
