"""Samples that come from the same person although no id records it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.samples.facts import SampleFacts
from genotex.analysis.samples.profiles import MANY_SAMPLES, Profiles, tissues_of
from genotex.analysis.samples.sex import SEX_GENES
from genotex.arrays import Floats, Rows
from genotex.formats import LinkedTable

_MISSING_IN_MANY = (
    "APOBEC3B C4A C4B CFHR1 CFHR3 DDT DDTL FCGR3B GSTM1 GSTM2 GSTT1 GSTT2 GSTT2B HLA-DRB3 HLA-DRB4 "
    "HLA-DRB5 HLA-DRB6 HLA-H HLA-K LILRA3 PSPHP1 RHD SIRPB1 UGT2B17 UGT2B28"
)
_SWITCHED_BY_A_VARIANT = (
    "ADAL ARL17A BTN3A2 CHI3L2 CHURC1 CRYBB2 CUTALP DDX11 ERAP2 FAM118A GSDMB HLA-C HLA-DQA1 "
    "HLA-DQA2 HLA-DQB1 HLA-DQB2 HLA-DRB1 HLA-J HLA-V IRF5 KANSL1-AS1 LIAT1 LRRC37A LRRC37A2 "
    "LRRC37A4P MAPK8IP1P2 MRPL43 NMRK1 NUDT2 PAM PAX8-AS1 PEX6 PILRB POMZP3 PPIL3 RPS26 SNHG5 "
    "SPATA20 THNSL2 USP32P2 UTS2 XRRA1 ZFP57 ZNF266 ZNF37BP ZSWIM7"
)
PERSONAL_GENES = frozenset((*_MISSING_IN_MANY.split(), *_SWITCHED_BY_A_VARIANT.split()))
"""Genes whose level is inherited, so that they distinguish people in any tissue.

Common deletions (Conrad and others 2010, Nature 464:704) and the strongest of the variants that act
in nearly all tissues of GTEx (2020, Science 369:1318).
"""

FEWEST_SAMPLES = 8
FEWEST_PERSONAL = 8
VARIABLE_GENES = 1_000
"""Expressed genes that are compared: those that vary most outside the trait."""
WHOLE_PROFILE = 2 / 3
"""Weight of the whole profile against the personal genes."""
LARGEST_BLOCK = 8
LEAST_SCORE, SCORE_BY_SAMPLES = 0.13, 1.8
"""A grouping counts when its score passes 0.13 + 1.8 / n; see docs/sample-quality.md."""
MOST_CUTS = 60
SPLIT_PAIRS, SPLIT_ONE = 0.35, 0.75
"""A block is split where its halves are apart by this share of the usual gap; one sample alone is
split off less easily."""
JOIN = 0.5
"""Share of the way from the similarity outside blocks to that within, from which a sample that was
left alone joins a block."""
SAME_PEOPLE = 0.5
"""Excess of similarity in personal genes from which blocks are people, not only alike."""
SHOWN = 3


@dataclass(frozen=True, eq=False)
class SampleBlocks:
    """Blocks of samples that are alike beyond trait and tissue."""

    # Sample id -> label of its block, for every sample compared: ``block 1``, ``block 2``, ... in
    # order of appearance; a sample that is like no other has a block of its own, labelled by its
    # id. Empty where no blocks were found
    blocks: dict[str, str]
    # Plain JSON: ``judged``, ``why_not``, ``score``, ``needed``, ``samples_in_blocks``, ``members``
    # (label -> sample ids, of blocks of two and more), ``personal_genes`` (how many were compared)
    # and ``personal_excess`` (similarity in them within blocks over that between)
    record: dict[str, Any]
    # Two sentences for a warning: what was found, and what it does to the tests; empty where
    # nothing was found
    finding: str = ""
    effect: str = ""

    @property
    def are_people(self) -> bool:
        """Whether inherited genes agree within blocks, or could not be judged."""
        excess = self.record.get("personal_excess")
        return bool(excess is None or excess >= SAME_PEOPLE)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Both sentences, for tests that take samples as independent."""
        return (f"{self.finding} {self.effect}",) if self.finding else ()


@dataclass(frozen=True, eq=False)
class _Partition:
    """A partition of the samples: labels, and the gap of each sample that is not alone."""

    labels: Rows
    gaps: Floats
    score: float


def detect_blocks(
    table: LinkedTable, contrast: Contrast, facts: SampleFacts | None = None
) -> dict[str, str]:
    """Return which samples seem to come from the same person, by expression alone: id -> its block.

    Differences between tissues among the characteristics are removed first.
    """
    samples = [table.samples[i] for i in contrast.rows]
    return find_blocks(Profiles(table, contrast, tissues_of(facts or {}, samples))).blocks


def find_blocks(profiles: Profiles) -> SampleBlocks:
    """Look for groups of samples that are alike beyond trait and tissue."""
    # After the trait (and tissues, where a characteristic names them) is regressed out, samples are
    # compared by the cosine of their residuals: two thirds over the 1,000 expressed genes that vary
    # most, one third over genes whose level is inherited (`PERSONAL_GENES`); genes of one sex only
    # are left out. Average linkage proposes groupings. The score of a grouping is the lower
    # quartile, over its samples, of how much more a sample resembles its own block than the next
    # one, times the square root of the share of samples in blocks: a continuous factor, such as the
    # mix of cells, gives no gap; a batch gives blocks that are too large. Where the best score is
    # high enough, blocks of two people are split, and samples left alone join the block that they
    # resemble most, if they resemble it half as much as its members do each other.
    n = len(profiles.contrast.rows)
    if n < FEWEST_SAMPLES:
        return no_blocks(f"{n} samples are too few; {FEWEST_SAMPLES} are needed")
    if n > MANY_SAMPLES:
        return no_blocks(f"{n} samples are too many; {MANY_SAMPLES:,} are compared at most")
    compared = _similarity(profiles)
    if compared is None:
        return no_blocks("too few genes vary outside the trait")
    similarity, personal, count = compared
    best = max(_groupings(similarity), key=lambda found: found.score, default=None)
    if best is None:
        return no_blocks("no blocks of similar samples")
    needed = LEAST_SCORE + SCORE_BY_SAMPLES / n
    labels = _join_single(similarity, _split(similarity, best))
    inside = labels[:, None] == labels
    np.fill_diagonal(inside, False)
    excess = None
    if personal is not None and inside.any():
        outside = ~inside & ~np.eye(n, dtype=bool)
        excess = float(personal[inside].mean() - personal[outside].mean())
    record = {
        "judged": True,
        "why_not": "",
        "score": round(best.score, 3),
        "needed": round(needed, 3),
        "personal_genes": count,
        "personal_excess": None if excess is None else round(excess, 3),
        "samples_in_blocks": 0,
        "members": {},
    }
    if best.score < needed or not inside.any():
        return SampleBlocks({}, record)
    blocks, members = _named(profiles.samples, labels)
    record |= {"samples_in_blocks": sum(map(len, members.values())), "members": members}
    people = excess is not None and excess >= SAME_PEOPLE
    finding = _finding(len(labels), members, people=people)
    return SampleBlocks(blocks, record, finding, _effect(profiles.contrast, labels))


def no_blocks(why: str) -> SampleBlocks:
    """Return an empty result with the reason why blocks could not be detected."""
    return SampleBlocks({}, {"judged": False, "why_not": why, "score": None, "members": {}})


def _similarity(profiles: Profiles) -> tuple[Floats, Floats | None, int] | None:
    """Return the similarity of the samples, that in personal genes, and how many these are."""
    basis = _basis(profiles)
    genes = profiles.table.genes
    personal = np.array([gene in PERSONAL_GENES for gene in genes], dtype=bool)
    one_sex = np.array([gene in SEX_GENES for gene in genes], dtype=bool)
    squares = profiles.residual_squares(basis, profiles.expressed | personal)
    varies = np.isfinite(squares) & (squares > 1e-9 * len(profiles.contrast.rows))
    free = profiles.expressed & varies & ~personal & ~one_sex
    order = np.argsort(-np.where(free, squares, -1.0), kind="stable")
    chosen = np.sort(order[: min(VARIABLE_GENES, int(free.sum()))])
    if len(chosen) < VARIABLE_GENES // 10:
        return None
    whole = _cosine(profiles, chosen, basis)
    own = np.flatnonzero(personal & varies)
    if len(own) < FEWEST_PERSONAL:
        return whole, None, len(own)
    inherited = _cosine(profiles, own, basis)
    return WHOLE_PROFILE * whole + (1 - WHOLE_PROFILE) * inherited, inherited, len(own)


def _basis(profiles: Profiles) -> Floats:
    """Return an orthonormal basis of intercept, trait and tissues, shape (n, k)."""
    columns = [np.ones(len(profiles.contrast.rows)), profiles.contrast.values]
    names = np.array(profiles.tissues)
    columns += [(names == name).astype(np.float64) for name in np.unique(names)]
    left, sizes, _ = np.linalg.svd(np.column_stack(columns), full_matrices=False)
    kept: Floats = left[:, sizes > 1e-9 * sizes[0]]
    return kept


def _cosine(profiles: Profiles, places: Rows, basis: Floats) -> Floats:
    values = np.nan_to_num(profiles.take(places) - profiles.means[places])
    rest = values - basis @ (basis.T @ values)
    norms = np.linalg.norm(rest, axis=1)
    unit = rest / np.where(norms > 0, norms, 1.0)[:, None]
    found: Floats = unit @ unit.T
    return found


def _tree(similarity: Floats) -> Floats:
    distance = np.clip(1 - (similarity + similarity.T) / 2, 0, 2)
    np.fill_diagonal(distance, 0.0)
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    tree: Floats = linkage(squareform(distance, checks=False), "average")
    return tree


def _cut(tree: Floats, blocks: int) -> Rows:
    """Return the block of each sample, 0, 1, ..., when the tree is cut into so many, or fewer."""
    # As SciPy's `fcluster`, which takes ten times as long: branches of equal height go together.
    n = len(tree) + 1
    merged = int(np.searchsorted(tree[:, 2], tree[n - blocks - 1, 2], side="right"))
    branch = np.arange(n + merged)
    branch[tree[:merged, :2].astype(np.intp)] = np.arange(n, n + merged)[:, None]
    labels, further = branch[:n], branch[branch[:n]]
    while (labels != further).any():
        labels, further = further, branch[further]
    return np.unique(labels, return_inverse=True)[1]


def _groupings(similarity: Floats) -> Iterator[_Partition]:
    """Yield the partitions of the tree whose blocks are small enough to be people."""
    n = len(similarity)
    tree = _tree(similarity)
    largest = max(2, min(LARGEST_BLOCK, n // 3))
    numbers = np.unique(np.linspace(n // largest, n - 1, min(n, MOST_CUTS)).astype(int))[::-1]
    for number in numbers:
        labels = _cut(tree, number)
        sizes = np.bincount(labels)
        if sizes.max() > largest:
            return
        grouped = sizes[labels] > 1
        if grouped.sum() < 4:
            continue
        gaps = _gaps(similarity, labels, sizes)[grouped]
        score = float(np.percentile(gaps, 25)) * float(grouped.mean()) ** 0.5
        yield _Partition(labels, gaps, score)


def _gaps(similarity: Floats, labels: Rows, sizes: Rows) -> Floats:
    """Return by how much each sample resembles its own block more than the next one."""
    order = np.argsort(labels, kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    # Rows are added faster than columns, and each two samples are alike in one number.
    sums = np.add.reduceat(similarity[order], starts, axis=0)
    places = labels, np.arange(len(labels))
    own = (sums[places] - np.diag(similarity)) / np.maximum(sizes[labels] - 1, 1)
    others = sums / sizes[:, None]
    others[places] = -np.inf
    gaps: Floats = own - others.max(axis=0)
    return gaps


def _split(similarity: Floats, grouping: _Partition) -> Rows:
    """Split blocks that hold two people who resemble each other."""
    labels = grouping.labels.copy()
    usual = float(np.median(grouping.gaps))
    waiting = [np.flatnonzero(labels == name) for name in np.unique(labels)]
    while waiting:
        places = waiting.pop()
        if len(places) < 3:
            continue
        half = _cut(_tree(similarity[np.ix_(places, places)]), 2) == 0
        sides = places[half], places[~half]
        if not all(map(len, sides)):
            continue
        within = min(_within(similarity, side) for side in sides if len(side) > 1)
        least = SPLIT_ONE if min(map(len, sides)) == 1 else SPLIT_PAIRS
        if within - float(similarity[np.ix_(*sides)].mean()) >= least * usual:
            labels[sides[1]] = labels.max() + 1
            waiting += sides
    return labels


def _join_single(similarity: Floats, labels: Rows) -> Rows:
    """Join samples left alone to the block or sample that they resemble most, if clearly."""
    # The best score leaves out samples that resemble their own person less than others do theirs.
    labels = np.unique(labels, return_inverse=True)[1]
    same = labels[:, None] == labels
    others = ~same
    np.fill_diagonal(same, False)
    if not same.any():
        return labels
    cut = JOIN * similarity[same].mean() + (1 - JOIN) * similarity[others].mean()
    sizes = np.bincount(labels)
    alike = similarity @ np.eye(len(sizes))[labels] / sizes
    alike[np.arange(len(labels)), labels] = -np.inf
    nearest, likeness = alike.argmax(axis=1), alike.max(axis=1)
    first = np.unique(labels, return_index=True)[1]
    for i in np.argsort(-likeness, kind="stable"):
        if sizes[labels[i]] == 1 and likeness[i] >= cut:
            sizes[labels[i]] -= 1
            labels[i] = labels[first[nearest[i]]]
            sizes[labels[i]] += 1
    return labels


def _within(similarity: Floats, places: Rows) -> float:
    part = similarity[np.ix_(places, places)]
    return float((part.sum() - np.trace(part)) / (len(places) * (len(places) - 1)))


def _named(samples: Sequence[str], labels: Rows) -> tuple[dict[str, str], dict[str, list[str]]]:
    sizes = np.bincount(labels)
    names: dict[int, str] = {}
    blocks: dict[str, str] = {}
    members: dict[str, list[str]] = {}
    for sample, label in zip(samples, labels.tolist(), strict=True):
        if sizes[label] == 1:
            blocks[sample] = sample
            continue
        name = names.setdefault(label, f"block {len(names) + 1}")
        blocks[sample] = name
        members.setdefault(name, []).append(sample)
    return blocks, members


def _finding(samples: int, members: dict[str, list[str]], *, people: bool) -> str:
    sizes = sorted({len(found) for found in members.values()})
    each = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    count = sum(map(len, members.values()))
    first = "; ".join(", ".join(found) for found in list(members.values())[:SHOWN])
    what = (
        "They also agree in genes whose level is inherited, so they seem to be the same people."
        if people
        else "They may be the same people, cell lines or batches."
    )
    return (
        f"Repeated samples suspected: {count} of the {samples} samples fall into "
        f"{len(members)} blocks of {each} that are alike beyond the trait ({first}"
        f"{'; ...' if len(members) > SHOWN else ''}). {what}"
    )


def _effect(contrast: Contrast, labels: Rows) -> str:
    """Return what repeats do to tests that take samples as independent."""
    sizes = np.bincount(labels)
    repeated = [contrast.values[labels == k] for k in np.flatnonzero(sizes > 1)]
    constant = 2 * sum(len(np.unique(values)) == 1 for values in repeated) > len(repeated)
    wrong = "too small" if constant else "too small or, for pairs of case and control, too large"
    return (
        f"The tests take samples as independent, so p-values may be {wrong}; adjust with --pair "
        "detected."
    )
