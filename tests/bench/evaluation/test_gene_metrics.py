"""Against figures worked out by hand and against scikit-learn on vectors written out in full."""

import itertools
from collections.abc import Collection, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from genotex.bench import (
    GeneAgreement,
    MetricsVersion,
    TraitPrediction,
    compare_genes,
    trait_kind,
    trait_prediction,
)
from genotex.bench.evaluation.gene_metrics import ALL_GENES, overlap, rank

SMALL = ["a", "b", "c", "d", "e", "f", "g", "h"]
"""A universe of eight genes, in which everything can be counted by hand."""


# ------------------------------------------------------------------------------- by hand


def test_two_of_three_predicted_and_one_reference_gene_missed() -> None:
    """Predicted a, x, b of ten genes; reference a, b, c."""
    universe = [*SMALL, "x", "y"]
    agreement = compare_genes(["a", "x", "b"], {"a", "b", "c"}, universe)
    assert agreement.precision == pytest.approx(200 / 3, abs=1e-12)
    assert agreement.recall == pytest.approx(200 / 3, abs=1e-12)
    assert agreement.f1 == pytest.approx(200 / 3, abs=1e-12)
    # Seven negatives: x and six that nobody names. a beats 7, b beats 6, c ties with 6: 3.
    assert agreement.auroc == pytest.approx(16 / 21, abs=1e-12)
    # Precision 1 at a, 2/3 at b, 3/10 where all others come in together; each is worth 1/3.
    assert agreement.auprc == pytest.approx((1 + 2 / 3 + 3 / 10) / 3, abs=1e-12)
    # +1/3, -1/7, +1/3: highest behind b.
    assert agreement.gsea_es == pytest.approx(2 / 3 - 1 / 7, abs=1e-12)
    # Two hits inside: +1/2, -1/8, +1/2.
    assert agreement.gsea_es_within == pytest.approx(1 - 1 / 8, abs=1e-12)
    # Positives a and b only; eight negatives: a beats 8, b beats 7.
    legacy = compare_genes(["a", "x", "b"], {"a", "b", "c"}, universe, "legacy")
    assert legacy.auroc == pytest.approx(15 / 16, abs=1e-12)
    assert (legacy.gsea_es, legacy.auprc) == (agreement.gsea_es, agreement.auprc)


def test_two_genes_without_a_list_of_all_genes() -> None:
    """Predicted x, a; reference a, b: 19,998 negatives of 20,000."""
    agreement = compare_genes(["x", "a"], ["a", "b"])
    assert agreement.auroc == pytest.approx((19_997 + 19_997 / 2) / (2 * 19_998), abs=1e-15)
    assert agreement.auprc == pytest.approx((1 / 2 + 2 / 20_000) / 2, abs=1e-15)
    assert agreement.gsea_es == pytest.approx(1 / 2 - 1 / 19_998, abs=1e-15)
    assert agreement.gsea_es_within == pytest.approx(1 - 1 / 19_999, abs=1e-15)


def test_identical_lists() -> None:
    genes = names(0, 300)
    assert compare_genes(genes, genes) == GeneAgreement(100.0, 100.0, 100.0, 1.0, 1.0, 1.0, 1.0)
    assert compare_genes(genes, genes, metrics="legacy").auroc == 1.0


def test_order_of_the_reference_does_not_matter() -> None:
    genes = names(0, 40)
    assert compare_genes(genes[:25], genes[10:]) == compare_genes(genes[:25], genes[:9:-1])


def test_nothing_in_common() -> None:
    agreement = compare_genes(names(0, 300), names(300, 600))
    assert (agreement.precision, agreement.recall, agreement.f1) == (0.0, 0.0, 0.0)
    # The 300 missed genes tie with 19,400 of 19,700 negatives.
    assert agreement.auroc == pytest.approx(19_400 / 2 / 19_700, abs=1e-15)
    assert agreement.auprc == pytest.approx(300 / 20_000, abs=1e-15)
    assert agreement.gsea_es == -1 / 19_700, "the first gene is the highest point"
    assert agreement.gsea_es_within is None
    assert compare_genes(names(0, 300), names(300, 600), metrics="legacy").auroc is None


def test_repeated_symbol_counts_at_its_first_place() -> None:
    once = compare_genes(["a", "x", "b"], ["a", "b", "c"])
    assert compare_genes(["a", "a", "x", "a", "b", "x"], ["c", "b", "a", "b"]) == once


def test_300_random_genes_against_300() -> None:
    """Why the versions disagree (GenoTEX paper, table 2, row "Random": AUROC 0.49, ES 0.00)."""
    rng = np.random.default_rng(1)
    genes = names(0, ALL_GENES)
    new, old = [], []
    for _ in range(40):
        predicted, reference = (rng.choice(genes, 300, replace=False) for _ in range(2))
        new.append(compare_genes(predicted.tolist(), reference.tolist()))
        old.append(compare_genes(predicted.tolist(), reference.tolist(), metrics="legacy"))
    assert mean(one.auroc for one in new) == pytest.approx(0.50, abs=0.005)
    assert mean(one.auroc for one in old) == pytest.approx(0.99, abs=0.005)
    assert mean(one.gsea_es for one in new) == pytest.approx(0.006, abs=0.003)
    assert mean(one.gsea_es_within for one in new) == pytest.approx(0.99, abs=0.005)


# ------------------------------------------------------------------------------- edges


def test_both_lists_empty() -> None:
    assert compare_genes([], []) == GeneAgreement(100.0, 100.0, 100.0, *[None] * 4)


def test_empty_reference() -> None:
    assert compare_genes(["a"], []) == GeneAgreement(0.0, 0.0, 0.0, *[None] * 4)


def test_empty_prediction() -> None:
    agreement = compare_genes([], names(0, 100))
    assert (agreement.precision, agreement.recall, agreement.f1) == (0.0, 0.0, 0.0)
    assert (agreement.auroc, agreement.auprc) == (0.5, 100 / 20_000)
    assert agreement.gsea_es == -1 / 19_900
    assert agreement.gsea_es_within is None


def test_more_predicted_than_there_are_genes() -> None:
    genes = names(0, 20_001)
    agreement = compare_genes(genes, genes[:10])
    assert agreement.auroc == 1.0
    assert agreement.gsea_es is None
    assert agreement.gsea_es_within is None
    assert compare_genes(genes[:-1], genes[:10]).gsea_es == 1.0


def test_lists_that_name_more_than_20000_genes_together() -> None:
    agreement = compare_genes(names(0, 15_000), names(10_000, 25_000))
    # All 10,000 negatives were predicted, in front of the 5,000 hits; missed genes are below them.
    assert agreement.auroc == 0.0
    assert agreement.auprc == pytest.approx(
        (sum((k + 1) / (10_001 + k) for k in range(5_000)) + 10_000 * 15_000 / 25_000) / 15_000,
        abs=1e-12,
    )
    assert agreement.gsea_es == -1 / 5_000


@pytest.mark.parametrize("count", [20_000, 20_001])
def test_reference_of_all_genes_has_no_negatives(count: int) -> None:
    genes = names(0, count)
    agreement = compare_genes(genes[:10], genes)
    assert agreement.auroc is None
    assert agreement.auprc == 1.0
    assert agreement.gsea_es is None
    assert agreement.gsea_es_within == 1.0


def test_genes_outside_the_universe_are_left_out() -> None:
    inside = compare_genes(["a", "x", "b"], ["a", "b", "c"], [*SMALL, "x"])
    assert compare_genes(["?", "a", "x", "!", "b"], ["a", "b", "c", "-"], [*SMALL, "x"]) == (
        GeneAgreement(
            40.0, 50.0, 400 / 9, inside.auroc, inside.auprc, inside.gsea_es, inside.gsea_es_within
        )
    )


def test_universe_without_a_reference_gene() -> None:
    agreement = compare_genes(["a", "z"], ["z"], SMALL)
    assert agreement == GeneAgreement(50.0, 100.0, 200 / 3, *[None] * 4)


# ------------------------------------------------------------------------------- transcription

LISTS = st.lists(st.integers(0, 30).map(str), max_size=25)


@settings(max_examples=60, deadline=None)
@given(predicted=LISTS, reference=LISTS, padding=st.sampled_from([None, 0, 1, 20]))
def test_against_vectors_written_out_in_full(
    predicted: list[str], reference: list[str], padding: int | None
) -> None:
    """Padded vectors for scikit-learn, and the running sum gene by gene in whole fractions."""
    order, wanted = list(dict.fromkeys(predicted)), set(reference)
    universe = None
    if padding is not None:
        universe = [*map(str, range(10, 25)), *(f"pad{i}" for i in range(padding))]
    agreement = compare_genes(predicted, reference, universe)
    check(agreement.precision, share(order, wanted, order))
    check(agreement.recall, share(order, wanted, wanted))
    if universe is not None:
        order = [gene for gene in order if gene in universe]
        wanted &= set(universe)
    labels, scores = padded(order, wanted, universe)
    check(agreement.auroc, defined(roc_auc_score, labels, scores))
    check(agreement.auprc, average_precision_score(labels, scores) if wanted else None)
    check(agreement.gsea_es, highest_point(order, wanted, len(wanted), len(universe or ALL)))
    check(
        agreement.gsea_es_within,
        highest_point(order, wanted, len(wanted & set(order)), len(universe or ALL)),
    )
    legacy = compare_genes(predicted, reference, universe, "legacy").auroc
    labels, scores = padded(order, wanted & set(order), universe)
    check(legacy, defined(roc_auc_score, labels, scores))


ALL = range(20_000)


def padded(
    order: Sequence[str], wanted: Collection[str], universe: Sequence[str] | None
) -> tuple[list[int], list[int]]:
    """Labels and scores of every gene: predicted, missed, and all that nobody names."""
    missed = [gene for gene in wanted if gene not in order]
    named = [*order, *missed]
    rest = len(universe or ALL) - len(named)
    labels = [int(gene in wanted) for gene in named] + [0] * rest
    scores = [len(order) - i for i in range(len(order))] + [0] * (len(missed) + rest)
    return labels, scores


def highest_point(
    order: Sequence[str], wanted: Collection[str], counted: int, genes: int
) -> float | None:
    if counted == 0 or counted == genes:
        return None
    hit, miss = Fraction(1, counted), Fraction(1, genes - counted)
    point, highest = Fraction(0), None
    for gene in [*order, *["nobody's"] * (genes - len(order))]:
        point = point + hit if gene in wanted else point - miss
        highest = point if highest is None else max(highest, point)
        if gene == "nobody's":
            break  # from here on it only falls
    return None if highest is None else float(highest)


def defined(metric: object, labels: list[int], scores: list[int]) -> float | None:
    """Return a metric of scikit-learn, which warns where there is but one class."""
    return float(metric(labels, scores)) if 0 < sum(labels) < len(labels) else None


def share(order: Sequence[str], wanted: Collection[str], of: Collection[str]) -> float:
    if not order and not wanted:
        return 100.0
    return 100 * len(set(order) & set(wanted)) / len(of) if of else 0.0


def check(ours: float | None, theirs: float | None) -> None:
    if theirs is None:
        assert ours is None
    else:
        assert ours == pytest.approx(theirs, abs=1e-12)


# ------------------------------------------------------------------------------- properties


@given(predicted=LISTS, reference=LISTS)
def test_auroc_is_nearly_half_of_1_plus_recall(predicted: list[str], reference: list[str]) -> None:
    agreement = compare_genes(predicted, reference)
    if agreement.auroc is not None:
        assert agreement.auroc == pytest.approx((1 + agreement.recall / 100) / 2, abs=0.01)


@given(predicted=LISTS, reference=LISTS)
def test_all_figures_stay_within_their_limits(predicted: list[str], reference: list[str]) -> None:
    one = compare_genes(predicted, reference, map(str, range(31)))
    for value in (one.auroc, one.auprc, one.gsea_es, one.gsea_es_within):
        assert value is None or -1 <= value <= 1
    swapped = overlap(reference, predicted)
    assert (one.precision, one.f1) == (swapped.recall, swapped.f1)


def test_a_hit_further_up_is_never_worse() -> None:
    order = [f"x{i}" for i in range(20)]
    better = [compare_genes([*order[:i], "a", *order[i:]], ["a", "b"]) for i in range(21)]
    for higher, lower in itertools.pairwise(better):
        assert higher.auroc > lower.auroc
        assert higher.auprc > lower.auprc
        assert higher.gsea_es > lower.gsea_es


def test_ranks_of_hits_count_from_0() -> None:
    ranking = rank(["x", "a", "x", "b"], ["b", "a", "c"])
    assert ranking.hits.tolist() == [1, 2]
    assert (ranking.predicted, ranking.reference, ranking.universe) == (3, 3, None)


def names(start: int, end: int) -> list[str]:
    return [f"G{i}" for i in range(start, end)]


def mean(values: Collection[float | None]) -> float:
    return float(np.mean([value for value in values if value is not None]))


BINARY = {"accuracy": 80.0, "f1": 75.0, "precision": 1.0}
CONTINUOUS = {"r_squared": 0.25, "nmse": 0.75}


def test_kind_by_what_is_told() -> None:
    kinds = [trait_kind(told) for told in (BINARY, {"f1": 1.0}, CONTINUOUS, {})]
    assert kinds == ["binary", "binary", "continuous", None]


def test_figures_of_the_prediction() -> None:
    other = {"accuracy": 100.0, "f1": 100.0}
    assert trait_prediction(BINARY, other) == TraitPrediction("binary", 80.0, 75.0, None)
    assert trait_prediction(CONTINUOUS, {"r_squared": 1.0}) == TraitPrediction(
        "continuous", None, None, 0.25
    )


def test_reference_decides_about_the_kind() -> None:
    assert trait_prediction(CONTINUOUS, BINARY) == TraitPrediction("binary", 0.0, 0.0, None)
    assert trait_prediction(BINARY, CONTINUOUS) == TraitPrediction("continuous", None, None, 0.0)
    assert trait_prediction(BINARY, {}).trait_kind == "binary"
    assert trait_prediction(CONTINUOUS, {}).trait_kind == "continuous"


def test_missing_file_counts_0_whatever_the_trait() -> None:
    assert trait_prediction(None, BINARY) == TraitPrediction("binary", 0.0, 0.0, None)
    assert trait_prediction(None, CONTINUOUS) == TraitPrediction("continuous", None, None, 0.0)
    assert trait_prediction(None, {}) == TraitPrediction(None, 0.0, 0.0, None)


def test_file_that_tells_nothing_counts_0_where_the_reference_tells() -> None:
    assert trait_prediction({}, BINARY) == TraitPrediction("binary", 0.0, 0.0, None)
    assert trait_prediction({}, {}) == TraitPrediction(None, None, None, None)


@pytest.mark.parametrize("metrics", ["default", "legacy"])
def test_older_code_counts_a_continuous_trait_as_0(metrics: MetricsVersion) -> None:
    binary = 0.0 if metrics == "legacy" else None
    found = trait_prediction(CONTINUOUS, CONTINUOUS, metrics)
    assert found == TraitPrediction("continuous", binary, binary, 0.25)
    assert trait_prediction(BINARY, BINARY, metrics) == trait_prediction(BINARY, BINARY)
