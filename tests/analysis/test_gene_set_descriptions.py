"""Against scipy's Fisher test, and a plain transcription of Subramanian et al. (2005)."""

import socket
import sys
import types
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import fisher_exact

from genotex.analysis import over_representation, ranked_enrichment
from genotex.analysis.gene_sets import AT_ONCE
from genotex.errors import UsageError

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


def test_over_representation_is_fisher_s_one_sided_test() -> None:
    rng = np.random.default_rng(8)
    listed = rng.random(500) < 0.1
    members = [draw(rng, 500, int(size)) for size in rng.integers(1, 100, 40)]
    members.append(np.flatnonzero(listed).tolist())
    overlap = over_representation(members, listed)
    total = int(listed.sum())
    for i, places in enumerate(members):
        both = int(listed[places].sum())
        table = [
            [both, len(places) - both],
            [total - both, 500 - total - len(places) + both],
        ]
        assert overlap.found[i] == both
        assert overlap.expected[i] == pytest.approx(len(places) * total / 500)
        assert overlap.p[i] == pytest.approx(fisher_exact(table, "greater").pvalue, rel=1e-9)
    assert overlap.p.max() <= 1
