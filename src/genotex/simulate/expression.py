"""The simulated biology: genes that vary, are correlated, and differ where planted.

log2 expression of gene g in sample i is

    mean_g + sum_k loading_kg factor_ki + age_g (age_i - 50) / 10 + sex_g male_i
           + sum_t signature_tg status_ti + batch_g late_i + noise_gi

with residual variances from a scaled inverse chi-square distribution, as the model behind the
moderated t has it (Smyth 2004, doi:10.2202/1544-6115.1027), and a few latent factors that correlate
thousands of genes, as cell composition does in tissue.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.errors import UsageError
from genotex.genes import GeneTable
from genotex.procedure import Procedure
from genotex.simulate.files import write_gzip
from genotex.simulate.plan import People

_RENAMED_SHARE = 0.03
_PLAIN = re.compile(r"[A-Z][A-Z0-9]{2,9}")
"""The benchmark's token rule cuts longer or hyphenated symbols, which would hide planted genes."""


def choose_symbols(
    rng: np.random.Generator, genes: int, symbols: Sequence[str] | None = None
) -> list[str]:
    """Choose the genes, sorted."""
    symbols = _packaged_symbols() if symbols is None else symbols
    plain = sorted({s for s in symbols if _PLAIN.fullmatch(s)})
    if len(plain) < genes:
        msg = f"{genes} genes were requested, but only {len(plain)} plain symbols are available"
        raise UsageError(msg)
    return sorted(rng.choice(plain, size=genes, replace=False).tolist())


def choose_aliases(rng: np.random.Generator, symbols: Sequence[str]) -> dict[str, str]:
    """Choose an older name for some genes, one that can mean this gene only."""
    table = GeneTable.load()
    published = table.symbols(Procedure.BENCHMARK)
    known: dict[str, list[str]] = {}
    for alias, owners in table.alias_genes.items():
        plain = _PLAIN.fullmatch(alias) and "ORF" not in alias and alias not in table.official
        if plain and len(owners) == 1 and published.get(alias) == owners[0]:
            known.setdefault(owners[0], []).append(alias)
    renamed = [symbol for symbol in symbols if symbol in known and rng.random() < _RENAMED_SHARE]
    return {symbol: known[symbol][0] for symbol in renamed}


def _packaged_symbols() -> list[str]:
    """Return symbols of protein-coding genes that both procedures leave as they are."""
    table = GeneTable.load()
    coding = table.genes.filter(pl.col("type") == "protein-coding")["symbol"].to_list()
    official = table.symbols(Procedure.BENCHMARK)
    return [symbol for symbol in coding if official.get(symbol) == symbol]


_FACTORS = 4
_NOISE_SD = 0.40
_NOISE_DF = 8.0
_FACTOR_SD = 0.16
EFFECTS = 0.55, 2.1
"""Range of the planted standardised differences: at 40 + 40 samples about 0.85 is found as often
as missed, so that some planted genes stay undetected, as with real power."""

_SEX_GENES = {"XIST": -4.0, "RPS4Y1": 4.5, "DDX3Y": 3.5, "KDM5D": 3.0, "EIF1AY": 3.0, "UTY": 2.5}
"""log2 difference male - female of genes every array shows to differ."""


@dataclass(frozen=True)
class Nuisance:
    """How many genes follow age and sex, and the spread of their slopes."""

    age_share: float
    age_sd: float  # log2 in ten years
    sex_share: float
    sex_sd: float  # log2, male - female


FAINT = Nuisance(0.08, 0.15, 0.02, 0.30)


@dataclass(frozen=True, eq=False)
class GeneModel:
    """What is the same in every cohort."""

    symbols: tuple[str, ...]  # genes
    mean: Floats  # log2 level, residual standard deviation, change in ten years, male - female
    noise: Floats
    age: Floats
    sex: Floats
    loadings: Floats  # weights of the latent factors
    signatures: Mapping[str, Floats]
    # trait -> "Age", "Gender" -> log2 change of the trait's difference with it
    interactions: Mapping[str, Mapping[str, Floats]] = field(default_factory=dict)

    @property
    def spread(self) -> Floats:
        """Standard deviation of each gene among equal people."""
        return _spread(self.noise, self.loadings)

    def standardised(self, trait: str, feature: str | None = None) -> dict[str, float]:
        """Return each planted gene's difference in standard deviations, the largest first.

        With a feature, "Age" or "Gender": the change of the difference with it.
        """
        sizes = self.interactions[trait][feature] if feature else self.signatures[trait]
        size = sizes / self.spread
        order = sorted(np.flatnonzero(size), key=lambda g: -abs(size[g]))
        return {self.symbols[g]: float(size[g]) for g in order}

    def planted(self, trait: str) -> tuple[str, ...]:
        """Return the symbols of the genes that are planted for `trait`, sorted."""
        return tuple(sorted(self.symbols[g] for g in np.flatnonzero(self.signatures[trait])))

    def differing(self) -> NDArray[np.bool_]:
        """Return whether each gene differs with a trait, or its difference with age or sex."""
        made = [*self.signatures.values()]
        made += [sizes for each in self.interactions.values() for sizes in each.values()]
        found: NDArray[np.bool_] = np.any(made, axis=0)
        return found

    def changing_with(self, effects: Floats) -> tuple[str, ...]:
        """Return the symbols of the genes with an effect, sorted."""
        return tuple(sorted(self.symbols[g] for g in np.flatnonzero(effects)))


def draw_gene_model(
    rng: np.random.Generator,
    symbols: Sequence[str],
    traits: Sequence[str],
    planted: Sequence[int],
    *,
    shared: float = 0.0,
    effects: tuple[float, float] = EFFECTS,
    nuisance: Nuisance = FAINT,
) -> GeneModel:
    """Draw levels, variances and effects; two traits after another have a share of genes.

    `planted`: Genes of each trait. `shared`: That share of the shorter list of two. `effects`: The
    least and the greatest standardised difference.
    """
    p = len(symbols)
    mean = np.clip(rng.normal(7.5, 1.9, p), 3.5, 13.5)
    noise = _NOISE_SD * np.sqrt(_NOISE_DF / rng.chisquare(_NOISE_DF, p))
    touched = rng.random((p, _FACTORS)) < 0.5
    loadings = np.where(touched, rng.normal(0, _FACTOR_SD, (p, _FACTORS)), 0.0)
    age = np.where(rng.random(p) < nuisance.age_share, rng.normal(0, nuisance.age_sd, p), 0.0)
    sex = np.where(rng.random(p) < nuisance.sex_share, rng.normal(0, nuisance.sex_sd, p), 0.0)
    place = {symbol: g for g, symbol in enumerate(symbols)}
    for symbol, shift in _SEX_GENES.items():
        if symbol in place:
            sex[place[symbol]] = shift
    free = [g for g, symbol in enumerate(symbols) if symbol not in _SEX_GENES]
    drawn = rng.choice(free, size=sum(planted), replace=False)
    chosen = np.split(drawn, np.cumsum(planted)[:-1])
    for one, other in zip(chosen[::2], chosen[1::2], strict=False):
        # In the same places, and so with the same signs.
        common = round(shared * min(len(one), len(other)))
        other[:common] = one[:common]
    spread = _spread(noise, loadings)
    signatures = {}
    for trait, genes in zip(traits, chosen, strict=True):
        sign = np.where(np.arange(len(genes)) % 2 == 0, 1.0, -1.0)
        size = rng.uniform(*effects, len(genes))
        signature = np.zeros(p)
        signature[genes] = sign * size * spread[genes]
        signatures[trait] = signature
        # A planted gene should sit well above the floor of the scanner and not follow age too.
        mean[genes] = np.clip(mean[genes], 6.0, 12.0)
        age[genes] = sex[genes] = 0.0
    return GeneModel(tuple(symbols), mean, noise, age, sex, loadings, signatures)


def _spread(noise: Floats, loadings: Floats) -> Floats:
    """Return the standard deviation of each gene among equal people."""
    spread: Floats = np.sqrt(noise**2 + (loadings**2).sum(axis=1))
    return spread


def interaction_contrast(status: Floats, feature: Floats, others: Sequence[Floats]) -> Floats:
    """Return how status and feature go together beyond what both and the others do, with SD 1.

    No comparison without an interaction sees it; 0 where there is nothing to compare.
    """
    design = np.column_stack([np.ones(len(status)), status, feature, *others])
    product = (status - status.mean()) * (feature - feature.mean())
    left: Floats = product - design @ np.linalg.lstsq(design, product)[0]
    spread = left.std()
    return left / spread if spread > 1e-6 else np.zeros(len(status))


def effects_in_cohort(rng: np.random.Generator, model: GeneModel, trait: str) -> Floats:
    """Return the log2 differences of one cohort: those of the trait, each within about 10 %."""
    share: Floats = np.clip(rng.normal(1.0, 0.1, len(model.symbols)), 0.7, 1.3)
    return model.signatures[trait] * share


def draw_expression(
    rng: np.random.Generator,
    model: GeneModel,
    people: People,
    effects: Mapping[str, tuple[Floats, Floats]],
) -> Floats:
    """Draw log2 expression, genes x samples."""
    p, n = len(model.symbols), len(people.age)
    batch = np.where(rng.random(p) < 0.35, rng.normal(0, 0.35, p), 0.0)
    values = model.mean[:, None] + model.noise[:, None] * rng.standard_normal((p, n))
    values += model.loadings @ rng.standard_normal((_FACTORS, n))
    values += np.outer(model.age, (people.age - 50.0) / 10.0)
    values += np.outer(model.sex, people.male)
    values += np.outer(batch, people.batch == 2)
    for difference, status in effects.values():
        values += np.outer(difference, status)
    return values


_READS = 12_000_000
_READS_SPREAD = 0.45
_LEVEL_SPREAD = 2.0
"""Sequencing sees a wider range of levels than the scanner of an array."""
_DISPERSION = 0.02
"""Of the machine; that of people is in the expression already."""
_WEAK_SHARE = 0.5
_FEWEST_READS, _MOST_READS = 0.02, 4.0
_WITHDRAWN = 990_000_001
_GENOME = "GRCh38.p13"


@dataclass(frozen=True, eq=False)
class CountedRows:
    """The genes of a count matrix."""

    ids: tuple[str, ...]
    symbols: tuple[str, ...]  # what the annotation calls them


def name_rows(
    rng: np.random.Generator, symbols: Sequence[str], aliases: Mapping[str, str], table: GeneTable
) -> CountedRows:
    """Assign GeneIDs to the genes, and add others that are hardly expressed."""
    numbers = table.genes.select("symbol", pl.col("gene_id").cast(pl.String))
    known = dict(numbers.iter_rows())
    ids, names = [], []
    for i, symbol in enumerate(symbols):
        current = known.get(symbol) if symbol not in aliases else None
        ids.append(current or str(_WITHDRAWN + i))
        names.append(aliases.get(symbol, symbol))
    simulated = set(symbols)
    others = [symbol for symbol in known if symbol not in simulated and known[symbol]]
    chosen = rng.choice(len(others), size=int(_WEAK_SHARE * len(symbols)), replace=False)
    weak = [others[i] for i in sorted(chosen)]
    return CountedRows((*ids, *(known[symbol] for symbol in weak)), (*names, *weak))


def draw_counts(
    rng: np.random.Generator, expression: Floats, planted: NDArray[np.bool_], weak: int
) -> NDArray[np.int64]:
    """Draw negative binomial counts, genes x samples."""
    genes, samples = expression.shape
    offset = np.where(planted, 0.0, rng.normal(0.0, _LEVEL_SPREAD, genes))
    share = np.exp2(expression + offset[:, None])
    share /= share.sum(axis=0)
    libraries = _READS * np.exp(rng.normal(0.0, _READS_SPREAD, samples))
    low = np.exp(rng.uniform(np.log(_FEWEST_READS), np.log(_MOST_READS), weak))
    mean = np.vstack([share * libraries, np.outer(low, libraries / _READS)])
    size = 1 / _DISPERSION
    counts: NDArray[np.int64] = rng.negative_binomial(size, size / (size + mean))
    return counts


def write_counts(
    folder: Path, series: str, samples: Sequence[str], rows: CountedRows, counts: NDArray[np.int64]
) -> None:
    """Write count matrix and annotation under the names that NCBI gives them."""
    matrix = pl.DataFrame(counts, schema=list(samples))
    matrix = matrix.insert_column(0, pl.Series("GeneID", rows.ids))
    name = f"{series}_raw_counts_{_GENOME}_NCBI.tsv.gz"
    write_gzip(folder / name, matrix.write_csv(separator="\t").encode())
    annotation = pl.DataFrame(
        {
            "GeneID": rows.ids,
            "Symbol": rows.symbols,
            "Description": ["simulated transcript"] * len(rows.ids),
            "Synonyms": [""] * len(rows.ids),
            "GeneType": ["protein-coding"] * len(rows.ids),
            "EnsemblGeneID": [""] * len(rows.ids),
            "Status": ["active"] * len(rows.ids),
        }
    )
    text = annotation.write_csv(separator="\t", quote_style="never")
    write_gzip(folder / f"Human.{_GENOME}.annot.tsv.gz", text.encode())


def write_submitted(
    rng: np.random.Generator,
    place: Path,
    symbols: Sequence[str],
    titles: Sequence[str],
    counts: NDArray[np.int64],
) -> None:
    """Write a submitter's tables ``<place>_counts.txt.gz`` and ``<place>_FPKM.txt.gz``."""
    kilobases = rng.lognormal(0.7, 0.6, len(symbols))
    fpkm = counts / kilobases[:, None] / (counts.sum(axis=0) / 1e6)
    for name, values in (("counts", counts), ("FPKM", fpkm.round(4))):
        table = pl.DataFrame(values, schema=list(titles))
        table = table.insert_column(0, pl.Series("gene", symbols))
        text = table.write_csv(separator="\t").encode()
        write_gzip(place.with_name(f"{place.name}_{name}.txt.gz"), text)
