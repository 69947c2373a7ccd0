"""Gene sets that fit a result, their scores and overlaps."""

import socket
import sys
import types
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import fisher_exact

from genotex.analysis import GeneSet, match_gene_sets, over_representation, ranked_enrichment
from genotex.analysis.gene_sets.lists import AT_ONCE
from genotex.errors import AnalysisError, UsageError

GENES = ["TP53", "MYC", "C1orf43", "HLA-DRA", "IL6", "TNF"]


def gene_set(name: str, genes: str) -> GeneSet:
    return GeneSet(name, "", tuple(genes.split()))


def test_places_and_counts() -> None:
    sets = [gene_set("A", "TNF TP53 NOWHERE"), gene_set("B", "MYC"), gene_set("C", " ".join(GENES))]
    matched = match_gene_sets(sets, GENES, 2, 500)
    assert [s.name for s in matched.sets] == ["A"]
    assert matched.members == ((0, 5),)
    assert matched.record == {
        "sets": 3,
        "tested": 1,
        "too_small": 1,
        "too_large": 1,
        "genes": 7,
        "genes_tested": 6,
    }


def test_sets_of_the_smallest_and_largest_size_fit() -> None:
    sets = [gene_set(f"S{n}", " ".join(GENES[:n])) for n in range(1, 7)]
    kept = match_gene_sets(sets, GENES, 2, 3)
    assert [s.name for s in kept.sets] == ["S2", "S3"]
    assert (kept.record["too_small"], kept.record["too_large"]) == (1, 3)
    # A set of all genes cannot be compared with others.
    assert [s.name for s in match_gene_sets(sets, GENES, 4, 500).sets] == ["S4", "S5"]
    half = gene_set("A", "TP53 MYC ENSG00000141510 ENSG00000136997")
    assert match_gene_sets([half], GENES, 1, 500).record["genes_tested"] == 2


def test_symbols_are_taken_as_they_are_written() -> None:
    matched = match_gene_sets([gene_set("A", "C1orf43 C1ORF43 HLA-DRA IL6")], GENES, 1, 9)
    assert matched.members == ((2, 3, 4),)


@pytest.mark.parametrize(
    ("genes", "words"),
    [
        ("7157 4609 3569 7124", r"0 of the 4 genes .* numbers, as Entrez ids are; .*symbols\.gmt"),
        ("ENSG00000141510 ENSG00000136997", "Ensembl ids"),
        ("Tp53 Myc Il6", "genes of the mouse"),
        ("AT1G01010 AT1G01020", "names AT1G01010, AT1G01020, the result C1orf43, HLA-DRA, IL6"),
        ("7157 4609 3569 TP53", "1 of the 4 genes .*Entrez"),
    ],
)
def test_other_ids_than_official_symbols(genes: str, words: str) -> None:
    with pytest.raises(AnalysisError, match=words):
        match_gene_sets([gene_set("A", genes)], GENES, 1, 500)


def test_a_few_unknown_genes_do_not_matter() -> None:
    matched = match_gene_sets([gene_set("A", "7157 TP53 MYC IL6")], GENES, 1, 500)
    assert matched.record["genes_tested"] == 3


def test_no_set_of_a_fitting_size() -> None:
    with pytest.raises(AnalysisError, match=r"none of the 2 gene sets has 4 to 5 .*have 1 to 2"):
        match_gene_sets([gene_set("A", "TP53"), gene_set("B", "MYC IL6")], GENES, 4, 500)


def test_sets_without_genes() -> None:
    with pytest.raises(AnalysisError, match="name no gene"):
        match_gene_sets([gene_set("A", "")], GENES, 1, 500)


Floats = NDArray[np.float64]


def running_sum(statistic: Floats, members: Sequence[int]) -> Floats:
    """P_hit - P_miss of the paper's appendix, exponent 1."""
    hit = np.zeros(len(statistic))
    miss = np.ones(len(statistic))
    for i in members:
        hit[i] = abs(statistic[i])
        miss[i] = 0
    return np.cumsum(hit) / hit.sum() - np.cumsum(miss) / miss.sum()


def enrichment_score(statistic: Floats, members: Sequence[int]) -> float:
    walk = running_sum(statistic, members)
    return float(walk[np.argmax(np.abs(walk))])


def ranking(genes: int, seed: int = 1) -> Floats:
    return np.sort(np.random.default_rng(seed).standard_t(5, genes))[::-1].copy()


def draw(rng: np.random.Generator, genes: int, size: int) -> list[int]:
    return sorted(rng.choice(genes, size, replace=False).tolist())


def test_score_and_leading_genes_of_the_paper() -> None:
    statistic, rng = ranking(400), np.random.default_rng(2)
    members = [draw(rng, 400, int(size)) for size in rng.integers(3, 60, 40)]
    scores = ranked_enrichment(members, statistic, permutations=100, seed=1)
    for places, found in zip(members, scores, strict=True):
        walk = running_sum(statistic, places)
        top = int(np.argmax(np.abs(walk)))
        assert found.score == pytest.approx(walk[top], abs=1e-12)
        # Below the turning point of a negative score, the last gene comes first.
        leading = [i for i in places if i <= top] if walk[top] > 0 else [
            i for i in reversed(places) if i > top
        ]  # fmt: skip
        assert list(found.leading) == leading
        assert np.sign(found.normalised) == np.sign(walk[top])


def test_p_value_and_normalised_score_against_plain_random_sets() -> None:
    statistic, rng = ranking(300, seed=3), np.random.default_rng(4)
    size, draws = 15, 20_000
    null = np.array([enrichment_score(statistic, draw(rng, 300, size)) for _ in range(draws)])
    members = [draw(rng, 300, size) for _ in range(12)]
    scores = ranked_enrichment(members, statistic, permutations=20_000, seed=5)
    for places, found in zip(members, scores, strict=True):
        score = enrichment_score(statistic, places)
        same = null[np.sign(null) == np.sign(score)]
        p = (np.abs(same) >= abs(score)).mean()
        assert found.normalised == pytest.approx(score / abs(same.mean()), rel=0.02)
        assert found.p == pytest.approx(p, abs=0.005 + 0.15 * p)


def test_planted_sets_are_found_far_below_one_over_the_permutations() -> None:
    statistic, rng = ranking(2000), np.random.default_rng(6)
    planted = [list(range(0, 200, 5)), list(range(1800, 2000, 5))]
    members = [*planted, *(draw(rng, 2000, 40) for _ in range(60))]
    up, down, *others = ranked_enrichment(members, statistic, permutations=1000, seed=1)
    assert up.p < 1e-6 and up.normalised > 2
    assert down.p < 1e-6 and down.normalised < -2
    p = np.array([score.p for score in others])
    assert (p * len(members) > 0.05).all(), "no random set, even by Bonferroni"
    assert 0.35 < p.mean() < 0.65, "uniform under the null"


def test_same_seed_gives_the_same_answer_over_several_calls_to_gseapy() -> None:
    statistic, rng = ranking(100), np.random.default_rng(7)
    members = [draw(rng, 100, 8) for _ in range(AT_ONCE + 3)]
    first, again, other = (
        ranked_enrichment(members, statistic, permutations=100, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again and first != other
    assert len(first) == len(members)
    assert [s.score for s in first] == [s.score for s in other], "the score itself is not random"


@pytest.mark.parametrize("statistic", [np.zeros(40), np.repeat([1.0, -1.0], 20), np.ones(40)])
def test_tied_genes_keep_the_order_they_are_given_in(statistic: Floats) -> None:
    members = [list(range(0, 20, 2)), list(range(20, 40, 2))]
    for found in ranked_enrichment(members, statistic, permutations=100, seed=1):
        assert -1 <= found.score <= 1 and 0 < found.p <= 1


def test_nothing_is_sent_to_or_requested_from_the_network(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    # Ties make gseapy log a warning, and pandas deprecates some of what it does.
    ranked_enrichment([[0, 1, 2]], np.repeat([1.0, -1.0], 20), permutations=100, seed=1)
    written = capfd.readouterr()
    assert written.out == "" and written.err == ""


@pytest.mark.parametrize("old", [False, True], ids=["missing", "too old"])
def test_gseapy_missing_or_too_old(monkeypatch: pytest.MonkeyPatch, old: bool) -> None:
    module = types.ModuleType("gseapy")
    module.prerank = lambda rnk, gene_sets: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "gseapy", module if old else None)
    with pytest.raises(UsageError, match=r"pip install 'genotex\[enrichment\]'"):
        ranked_enrichment([[0, 1]], ranking(10), permutations=100, seed=1)


@pytest.mark.parametrize(
    ("found", "size", "listed", "genes", "p"),
    # R 4.2.2: phyper(found - 1, size, genes - size, listed, lower.tail = FALSE), as limma::goana
    [
        (3, 10, 40, 500, 0.0384121257655),
        (0, 20, 30, 400, 1.0),
        (12, 30, 100, 1000, 9.87711776178e-06),
        (7, 7, 60, 18000, 3.18309638782e-18),
    ],
)
def test_over_representation_equals_r(
    found: int, size: int, listed: int, genes: int, p: float
) -> None:
    members = [*range(found), *range(listed, listed + size - found)]
    overlap = over_representation([members], np.arange(genes) < listed)
    assert overlap.found.tolist() == [found]
    assert overlap.p[0] == pytest.approx(p, rel=1e-11)


def test_over_representation_is_fisher_s_one_sided_test() -> None:
    rng = np.random.default_rng(8)
    listed = rng.random(500) < 0.1
    members = [draw(rng, 500, int(size)) for size in rng.integers(1, 100, 40)]
    members.append(np.flatnonzero(listed).tolist())
    overlap = over_representation(members, listed)
    total = int(listed.sum())
    for i, places in enumerate(members):
        both = int(listed[places].sum())
        table = [[both, len(places) - both], [total - both, 500 - total - len(places) + both]]
        assert overlap.found[i] == both
        assert overlap.expected[i] == pytest.approx(len(places) * total / 500)
        assert overlap.p[i] == pytest.approx(fisher_exact(table, "greater").pvalue, rel=1e-9)
    assert overlap.p.max() <= 1
