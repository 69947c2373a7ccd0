"""The gene sets that can be tested, and descriptions of them: ranked scores and overlaps.

Both take genes as independent, which they are not, so that their p-values hold no error rate
(docs: enrichment). The tests whose q-values count are in `correlated`.
"""

from __future__ import annotations

import inspect
import logging
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Flags, Floats, Rows
from genotex.errors import AnalysisError, FormatError, UsageError
from genotex.formats import as_utf8, read_bytes, sha256
from genotex.genes import ontology_terms, packaged_ontology
from genotex.options import SetCollection

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FEWEST_COLUMNS = 3
_HINT = "a line is set name, description, genes, separated by tabs, as in MSigDB's .gmt files"


@dataclass(frozen=True)
class GeneSet:
    """A named set of genes."""

    name: str  # As in the file; the description is often a web address, or empty
    description: str
    genes: tuple[str, ...]  # Without repetition, in the order of the file


def read_sets(source: Path | SetCollection) -> tuple[tuple[GeneSet, ...], dict[str, Any]]:
    """Return the sets of a GMT file or of a packaged collection, and the record of where from.

    Raises
    ------
    FormatError
        If the file is not what it should be (`read_gmt`).
    UsageError
        If there is no such collection.
    """
    if isinstance(source, Path):
        return read_gmt(source), {"file": source.name, "sha256": sha256(source)}
    if source not in get_args(SetCollection):
        msg = f"gene sets {source!r} are not known; use {', '.join(get_args(SetCollection))}"
        raise UsageError(msg)
    aspect, about = source.removeprefix("go-"), packaged_ontology()
    sets = tuple(GeneSet(each.name, each.term, each.genes) for each in ontology_terms(aspect))
    return sets, {"file": about.title(aspect), "collection": source, **about.to_json()}


def read_gmt(path: Path | str) -> tuple[GeneSet, ...]:
    """Read a GMT file, plain or gzip, in its order (GSEA documentation, "Data formats", GMT).

    A weight after a comma, as in some Enrichr files, is dropped; a gene listed twice in
    a set counts once; empty lines and empty cells are ignored.

    Raises
    ------
    NotDataError
        If the file is a web page, an archive, UTF-16 or not text at all.
    TruncatedFileError
        If it is empty or its gzip data are damaged.
    FormatError
        If it cannot be read, a line has too few columns, or a set has no name or occurs twice;
        names the line.
    """
    path = Path(path)
    text = as_utf8(read_bytes(path, "gene_sets")).decode()
    found: dict[str, tuple[int, GeneSet]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        gene_set = _read_line(line, path, number)
        if gene_set.name in found:
            msg = f"the set {gene_set.name} already occurs in line {found[gene_set.name][0]}"
            hint = "rename or remove one of the two"
            raise FormatError(msg, path=path, line=number, hint=hint)
        found[gene_set.name] = (number, gene_set)
    return tuple(gene_set for _, gene_set in found.values())


def _read_line(line: str, path: Path, number: int) -> GeneSet:
    cells = [cell.strip() for cell in line.split("\t")]
    if len(cells) < FEWEST_COLUMNS:
        msg = f"no line of a GMT file: {len(cells)} of at least {FEWEST_COLUMNS} columns"
        raise FormatError(msg, path=path, line=number, hint=_HINT)
    name, description, *genes = cells
    if not name:
        msg = "the set has no name"
        raise FormatError(msg, path=path, line=number, hint=_HINT)
    symbols = (gene.partition(",")[0].strip() for gene in genes)
    return GeneSet(name, description, tuple(dict.fromkeys(filter(None, symbols))))


ENOUGH_KNOWN = 0.5
"""Share of known genes from which the ids are surely of the right kind."""


@dataclass(frozen=True)
class MatchedSets:
    """The sets that can be tested."""

    sets: tuple[GeneSet, ...]  # As listed in the file
    # For each of them, the places of its genes among the genes of the result, ascending
    members: tuple[tuple[int, ...], ...]
    record: dict[str, Any]  # Counts of sets and genes, plain JSON values

    def matrix(self, places: Rows) -> csr_array:
        """Return 1 where a gene (column) is in a set (row), with the genes in another order."""
        # Shapes: places (p,).
        from scipy.sparse import csr_array

        columns = np.concatenate([places[list(members)] for members in self.members])
        starts = np.cumsum([0, *(len(members) for members in self.members)])
        shape = (len(self.members), len(places))
        return csr_array((np.ones(len(columns)), columns, starts), shape=shape)


def match_gene_sets(
    sets: Sequence[GeneSet], genes: Sequence[str], min_size: int, max_size: int
) -> MatchedSets:
    """Find the genes of each set in a result and keep the sets of a fitting size."""
    place = {gene: i for i, gene in enumerate(genes)}
    named = {gene for gene_set in sets for gene in gene_set.genes}
    known = named & place.keys()
    _check_ids(named, known, genes)
    found = [sorted(place[g] for g in s.genes if g in place) for s in sets]
    most = min(max_size, len(genes) - 1)
    fits = [min_size <= len(members) <= most for members in found]
    if not any(fits):
        sizes = [len(members) for members in found]
        msg = (
            f"none of the {len(sets):,} gene sets has {min_size:,} to {most:,} of the "
            f"{len(genes):,} tested genes (they have {min(sizes):,} to {max(sizes):,}); "
            "change the minimal or maximal size, or take another file of sets"
        )
        raise AnalysisError(msg)
    return MatchedSets(
        tuple(s for s, fit in zip(sets, fits, strict=True) if fit),
        tuple(tuple(m) for m, fit in zip(found, fits, strict=True) if fit),
        {
            "sets": len(sets),
            "tested": sum(fits),
            "too_small": sum(len(members) < min_size for members in found),
            "too_large": sum(len(members) > most for members in found),
            "genes": len(named),
            "genes_tested": len(known),
        },
    )


def _check_ids(named: Collection[str], known: Collection[str], genes: Sequence[str]) -> None:
    """Refuse sets whose genes bear another kind of name than those of the result."""
    if not named:
        msg = "the gene sets name no gene; take another file of sets"
        raise AnalysisError(msg)
    if len(known) >= ENOUGH_KNOWN * len(named):
        return
    share = f"{len(known):,} of the {len(named):,} genes in the file of sets are in the result"
    if kind := _other_ids(named, genes):
        msg = f"{share}: {kind}"
        raise AnalysisError(msg)
    if not known:
        ours, theirs = ", ".join(sorted(genes)[:3]), ", ".join(sorted(named)[:3])
        msg = f"{share}: it names {theirs}, the result {ours}; take a file of official symbols"
        raise AnalysisError(msg)


def _other_ids(named: Collection[str], genes: Sequence[str]) -> str:
    """Return which other ids most of the names are, and what to do; empty for symbols."""
    half = len(named) / 2
    hint = "take the file with official symbols (MSigDB: ...symbols.gmt)"
    if sum(name.isdecimal() for name in named) > half:
        return f"the file names genes by numbers, as Entrez ids are; {hint}"
    if sum(name.upper().startswith("ENS") and name[-1:].isdecimal() for name in named) > half:
        return f"the file names genes by Ensembl ids; {hint}"
    if len({name.upper() for name in named} & set(genes)) > half:
        return "the file writes them in lower case, as genes of the mouse are; take the human sets"
    return ""


Members = Sequence[Sequence[int]]

AT_ONCE = 200
"""Sets given to gseapy in one call: it keeps the running sum of each, a float for each gene."""

NOT_THERE = (
    "the enrichment of ranked genes needs gseapy 1.3 or newer; "
    "install it with: pip install 'genotex[enrichment]'"
)


class RankedScore(NamedTuple):
    """Enrichment of one set along the ranking; NaN where it is not defined."""

    score: float
    """Enrichment score: largest deviation of the running sum, -1 to 1."""
    normalised: float
    """The score over the mean score of random sets of its size and sign."""
    p: float
    """One-sided, on the side of the score's sign."""
    leading: tuple[int, ...]
    """Places of the genes up to the largest deviation, the outermost first."""


class OverRepresentation(NamedTuple):
    """Over-representation of sets in a list of genes, each of shape (s,)."""

    found: NDArray[np.int64]
    """Genes of the set in the list."""
    expected: Floats
    """Their number by chance."""
    p: Floats
    """Chance of at least that many (hypergeometric)."""


def over_representation(members: Members, listed: Flags) -> OverRepresentation:
    """Test whether sets hold more listed genes than a random draw of the list would give them."""
    # gseapy's own function is not used for this: it leaves sets without a listed gene out before it
    # corrects for the number of sets.
    # Shapes: members, the places of the genes of each set; listed (m,), of the background genes.
    from scipy.stats import hypergeom

    sizes = np.array([len(places) for places in members])
    found = np.array([int(listed[list(places)].sum()) for places in members])
    total, drawn = len(listed), int(listed.sum())
    p = hypergeom.sf(found - 1, total, sizes, drawn)
    return OverRepresentation(found, sizes * drawn / total, np.minimum(p, 1.0))


def ranked_enrichment(
    members: Members, statistic: Floats, *, permutations: int, seed: int, smallest_p: float = 1e-50
) -> list[RankedScore]:
    """Test whether the genes of each set gather at one end of the ranking.

    The score is that of Subramanian et al. (2005) with weight 1; it is normalised by the scores of
    random sets of the same size. Its p-value comes from adaptive multilevel sampling
    (Korotkevich et al. 2021, in gseapy), which reaches far below one over the number of
    permutations, down to `smallest_p`; scores do not depend on it, and where no p-value is needed,
    1 takes a quarter of the time. One thread; the same seed gives the same answer.

    Raises
    ------
    UsageError
        If gseapy is not installed or too old.
    """
    # Shapes: members, the places of the genes of each set; statistic (m,), finite, descending.
    # Random sets are drawn once for each size of a call.
    by_size = sorted(range(len(members)), key=lambda i: len(members[i]))
    scores: dict[int, RankedScore] = {}
    with _quiet():
        prerank = _load()
        for start in range(0, len(members), AT_ONCE):
            some = by_size[start : start + AT_ONCE]
            found = _score(
                prerank,
                [members[i] for i in some],
                statistic,
                permutation_num=permutations,
                seed=seed,
                eps=smallest_p,
            )
            scores |= zip(some, found, strict=True)
    return [scores[i] for i in range(len(members))]


def can_rank() -> bool:
    """Whether `ranked_enrichment` has the gseapy that it needs."""
    try:
        _load()
    except UsageError:
        return False
    return True


def _load() -> Callable[..., Any]:
    try:
        from gseapy import prerank
    except ImportError as error:
        raise UsageError(NOT_THERE) from error
    if "method" not in inspect.signature(prerank).parameters:
        raise UsageError(NOT_THERE)
    return prerank  # type: ignore[no-any-return]  # gseapy has no type hints that count


def _score(
    prerank: Callable[..., Any], members: Members, statistic: Floats, **sampling: float
) -> list[RankedScore]:
    import pandas as pd

    # Numbered names, since gseapy changes the case of symbols and joins them by semicolons.
    ranking = pd.DataFrame({"gene": [f"G{i}" for i in range(len(statistic))], "value": statistic})
    done = prerank(
        ranking,
        {f"S{j}": [f"G{i}" for i in places] for j, places in enumerate(members)},
        method="multilevel",
        **sampling,
        threads=1,
        min_size=1,
        max_size=len(statistic),
        ascending=None,
        no_plot=True,
        outdir=None,
    )
    rows = {row["Term"]: row for row in done.res2d.to_dict("records")}
    return [_ranked_score(rows[f"S{j}"]) for j in range(len(members))]


def _ranked_score(row: dict[str, Any]) -> RankedScore:
    leading = tuple(int(name[1:]) for name in row["Lead_genes"].split(";") if name)
    return RankedScore(float(row["ES"]), float(row["NES"]), float(row["NOM p-val"]), leading)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep gseapy's log and the deprecations it meets in pandas off the screen."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
