""""""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.cohorts import GENE_MISSING_LIMIT, SAMPLE_MISSING_LIMIT
from genotex.errors import UsageError
from genotex.genes import (
    GENE_SHARE,
    SAMPLE_SHARE,
    detect_scale,
    recognise_scale,
    to_log2,
    zero_offset,
)

RNG = np.random.default_rng(1)


def sequenced(rows: int = 400, samples: int = 10, seed: int = 0) -> np.ndarray:
    """Return values as sequencing gives them, in reads per unit of length."""
    rng = np.random.default_rng(seed)
    mean = np.exp(rng.normal(1, 2.5, (rows, 1))) * np.exp(rng.normal(0, 0.4, samples))
    return rng.poisson(mean) / np.exp(rng.normal(0.7, 0.8, (rows, 1)))


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        (RNG.normal(8, 2, (500, 4)), "log2"),
        (2 ** RNG.normal(8, 2, (500, 4)), "linear"),
        (np.linspace(1, 70, 400).reshape(100, 4), "linear"),  # range above 50, quartile positive
        (np.linspace(-40, 40, 400).reshape(100, 4), "log2"),  # centred: quartile negative
        (np.linspace(-5, 48, 400).reshape(100, 4), "linear"),  # quartile positive
        (np.r_[np.zeros(200), np.linspace(0, 90, 200)].reshape(100, 4), "linear"),  # FPKM
        (RNG.normal(0, 1, (500, 4)), "log2"),
        (np.full((3, 2), np.nan), "log2"),
        (np.empty((0, 3)), "log2"),
    ],
)
def test_the_rule_of_geo2r(values, scale):
    assert detect_scale(values).scale == scale


WHOLE = RNG.poisson(2 ** RNG.normal(8, 2, (500, 4))).astype(float)
MILLION = WHOLE / WHOLE.sum(axis=0) * 1e6
PART = np.where(np.arange(500)[:, None] % 5 == 0, WHOLE, WHOLE + 0.5)
FRACTIONS = WHOLE + 0.25


def below_zero(rows: int) -> np.ndarray:
    values = WHOLE + 1
    values[:rows] *= -1
    return values


@pytest.mark.parametrize(
    ("values", "names", "probes", "scale", "reason"),
    [
        (WHOLE, "", False, "counts", "whole numbers of 0 or more"),
        (WHOLE, "normalized counts", False, "linear", "called 'normalized'"),
        (WHOLE, "non-normalized counts", False, "counts", "whole numbers of 0 or more"),
        (WHOLE, "", True, "linear", "intensities"),
        (np.minimum(WHOLE, 30), "", False, "log2", "99th percentile 30"),
        (MILLION, "counts", False, "linear", "adds up to a million"),
        (np.c_[MILLION, FRACTIONS[:, :1] * 99], "", False, "linear", "intensities"),
        (np.where(FRACTIONS < 100, 0, FRACTIONS), "", False, "linear", "FPKM"),
        (PART, "", False, "counts", "20% of the values above 10 are whole"),
        (PART, "tpm", False, "linear", "normalised reads"),
        (PART, "", True, "linear", "intensities"),
        (FRACTIONS * 99, "", False, "linear", "intensities"),
        (FRACTIONS * 99, "counts.txt", False, "counts", "called 'counts', and samples add up to"),
        (FRACTIONS, "counts.txt", False, "linear", "intensities"),
        (below_zero(20), "", False, "counts", "some of them negative"),
        (below_zero(60), "", False, "linear", "above 100"),
        (below_zero(60), "counts", False, "counts", "some of them negative"),
        (below_zero(60), "log counts", False, "linear", "above 100"),
        (below_zero(20), "", True, "linear", "above 100"),
        (below_zero(20) + 0.5, "", False, "linear", "above 100"),
    ],
)
def test_counts_normalised_reads_and_intensities_are_told_apart(
    values: np.ndarray, names: str, probes: bool, scale: str, reason: str
) -> None:
    found = recognise_scale(values, names, probes=probes)
    assert (found.scale, reason in found.reason) == (scale, True), found.reason


READS = RNG.negative_binomial(2, 0.02, (500, 4)).astype(float) * (RNG.random((500, 1)) < 0.9)
FACTORS = np.array([0.7, 1.13, 1.9, 0.31])


@pytest.mark.parametrize(
    ("values", "names", "probes", "kind"),
    [
        (READS, "", False, ""),  # counts have weights of their own
        (READS / FACTORS, "", False, "reads"),  # as DESeq2 normalises
        (READS / FACTORS, "counts.csv", None, "reads"),
        (np.rint(READS / FACTORS), "normalized_counts.csv", False, "reads"),
        (MILLION, "", False, "reads"),
        (np.log2(MILLION + 0.25), "", False, "reads"),
        (np.log2(READS / FACTORS + 1), "", False, "reads"),
        (RNG.normal(8, 2, (500, 4)), "vst.csv", False, "reads"),
        (RNG.normal(8, 2, (500, 4)), "rma.csv", False, ""),
        (RNG.normal(8, 2, (500, 4)), "", True, ""),
        (RNG.normal(0, 1, (500, 4)), "", False, ""),  # log ratios
        (2 ** RNG.normal(8, 2, (500, 4)), "", True, ""),
        (2 ** RNG.normal(25, 2, (500, 4)), "lfq.csv", False, "proteins"),
        (RNG.normal(25, 2, (500, 4)), "log2 LFQ", False, "proteins"),
        (2 ** RNG.normal(8, 2, (500, 4)), "raw intensity", True, ""),
    ],
)
def test_values_whose_variance_depends_on_their_level_are_known(
    values: np.ndarray, names: str, probes: bool | None, kind: str
) -> None:
    assert recognise_scale(values, names, probes=probes).kind == kind


def test_missing_values_do_not_hide_a_linear_scale():
    values = 2 ** RNG.normal(8, 2, (500, 4))
    values[::3] = np.nan
    assert detect_scale(values).scale == "linear"


def test_values_at_or_below_zero_become_missing():
    logged, lost = to_log2(np.array([[8.0, 0.0], [-1.0, np.nan]]))
    assert lost == 2
    assert np.array_equal(logged, [[3.0, np.nan], [np.nan, np.nan]], equal_nan=True)


def test_linear_asked_for_where_nothing_is_positive():
    with pytest.raises(UsageError, match="scale='log2'"):
        to_log2(np.array([[-1.0, 0.0]]))


@pytest.mark.parametrize(
    ("high", "words"),
    [(10_092.4, "10,090"), (1234.0, "1,234"), (250.25, "250.2"), (1e6, "1,000,000"), (120, "120")],
)
def test_numbers_are_written_as_people_write_them(high, words):
    values = np.full((50, 4), high)
    assert detect_scale(values).reason == f"99th percentile {words} is above 100"


def test_small_numbers_are_written_without_exponent():
    reason = detect_scale(np.full((50, 4), 0.00001234)).reason
    assert reason == "99th percentile 0.00001234, range 0"


def test_zeros_of_sequencing_are_measurements():
    values = sequenced()
    logged, lost = to_log2(values, zero_offset(values))
    assert (values == 0).mean() > 0.2
    assert lost == 0 and np.isfinite(logged).all()
    # Low genes do not vary more than the others: their spread is that of a read or two.
    assert logged.std(axis=1)[values.mean(axis=1) < 1].max() < 2


@given(st.integers(0, 30), st.integers(2, 12))
def test_order_of_values_stays_and_zeros_are_the_lowest(seed, samples):
    values = sequenced(60, samples, seed)
    offset = zero_offset(values)
    logged, lost = to_log2(values, offset)
    if offset:
        assert lost == 0 and np.isfinite(logged).all()
        assert logged[values == 0].max() < logged[values > 0].min()
        assert (np.diff(logged.ravel()[values.ravel().argsort()]) >= 0).all()
    else:
        assert lost == (values == 0).sum()


@pytest.mark.parametrize("unit", [10, 1e-3, 1e6])
def test_another_unit_is_a_shift(unit):
    values = sequenced()
    offset, other = zero_offset(values), zero_offset(values * unit)
    assert other == pytest.approx(offset * unit)
    shift = to_log2(values * unit, other)[0] - to_log2(values, offset)[0]
    assert shift == pytest.approx(np.log2(unit))


def test_one_unit_is_added_to_whole_numbers():
    values = np.round(sequenced() * 3)
    assert zero_offset(values) == 1
    assert zero_offset(values * 7) == 7


def test_genes_off_in_half_of_the_samples_do_not_set_the_offset():
    values = sequenced()
    before = zero_offset(values)
    values[:60, :5] = 0
    values[:60, 5:] += 5000
    assert 0.5 < zero_offset(values) / before < 2


def test_zeros_that_would_cost_a_gene_or_a_sample_are_kept():
    assert (GENE_SHARE, SAMPLE_SHARE) == (GENE_MISSING_LIMIT, SAMPLE_MISSING_LIMIT)
    values = 2 ** np.random.default_rng(5).normal(8, 2, (100, 20))
    values[values < 20] = 21
    one_gene, one_sample, neither = values.copy(), values.copy(), values.copy()
    one_gene[np.median(values, axis=1).argmin(), :5] = 0
    one_sample[values.min(axis=1).argsort()[:6], 3] = 0
    neither[values.min(axis=1).argsort()[:4], 3] = 0
    assert zero_offset(one_gene) > 0
    assert zero_offset(one_sample) > 0
    assert zero_offset(neither) == 0


def test_zeros_that_mean_missing_values_do_not_count_as_low():
    values = 2 ** RNG.normal(10, 2, (300, 1)) * 2 ** RNG.normal(0, 0.3, (300, 12))
    values[RNG.random(values.shape) < 0.1] = 0
    assert zero_offset(values) == 0


def test_negative_values_leave_zeros_as_they_were():
    values = sequenced()
    values[0, 0] = -3
    assert zero_offset(values) == 0


def test_gene_never_seen_is_at_the_floor_and_sample_without_reads_missing():
    values = sequenced()
    values[7] = 0
    values[:, 2] = 0
    logged, lost = to_log2(values, zero_offset(values))
    assert np.isnan(logged[:, 2]).all() and lost == len(values)
    others = np.delete(logged, 2, axis=1)
    assert np.isfinite(others).all()
    assert (others[7] == others.min()).all()


def test_missing_values_stay_missing_among_zeros():
    values = sequenced()
    values[:, 0] = np.nan
    values[3, 5] = np.nan
    logged, lost = to_log2(values, zero_offset(values))
    assert lost == 0
    assert np.array_equal(np.isnan(logged), np.isnan(values))


def test_offset_of_single_precision_keeps_the_type():
    values = sequenced().astype(np.float32)
    logged, _ = to_log2(values, zero_offset(values))
    assert logged.dtype == np.float32
    floor = logged[values == 0]
    assert (floor == floor[0]).all()


GOLDEN = Path(__file__).parents[1] / "fixtures" / "rna_seq"
BY_LIBRARY = pytest.mark.parametrize("name", ["cpm", "tmm"])


def read(name: str) -> np.ndarray:
    # R pads numbers with spaces; strings first, so that those are read as numbers too.
    table = pl.read_csv(GOLDEN / f"zeros_{name}.csv", infer_schema=False).drop("gene")
    return table.with_columns(pl.all().str.strip_chars().cast(pl.Float64)).to_numpy()


def two_reads(values: np.ndarray) -> float:
    """Return what edgeR's prior count of 2 is in counts per million of these libraries."""
    gene = values.sum(axis=1).argmax()
    libraries = read("counts")[gene] / values[gene] * 1e6
    return 2e6 / libraries.mean()


def centred(logged: np.ndarray) -> np.ndarray:
    differences = logged - logged.mean(axis=1, keepdims=True)
    return differences - np.median(differences, axis=0)


@BY_LIBRARY
def test_prior_count_is_one_offset_for_the_whole_table(name: str) -> None:
    values, golden = read(name), read(f"log_{name}")
    logged, lost = to_log2(values, two_reads(values))
    assert lost == 0
    shift = logged - golden
    np.testing.assert_allclose(shift, shift.mean(), atol=1e-10)


@BY_LIBRARY
def test_offset_found_in_the_table_is_about_two_reads(name: str) -> None:
    values = read(name)
    assert 0.7 < zero_offset(values) / two_reads(values) < 1.4
    logged, _ = to_log2(values, zero_offset(values))
    shift = logged - read(f"log_{name}")
    assert np.abs(shift - np.median(shift)).max() < 0.4


@pytest.mark.parametrize(
    ("name", "close"), [("cpm", 0.1), ("tmm", 0.05), ("fpkm", 0.25), ("tpm", 0.25)]
)
def test_logarithms_differ_between_samples_as_edgers_do(name: str, close: float) -> None:
    values, golden = read(name), centred(read("log_tmm"))
    assert detect_scale(values).scale == "linear"
    logged, lost = to_log2(values, zero_offset(values))
    assert lost == 0 and np.isfinite(logged).all()
    off = np.sqrt(((centred(logged) - golden) ** 2).mean())
    smallest, _ = to_log2(values, values[values > 0].min() / 2)
    assert off < close < np.sqrt(((centred(smallest) - golden) ** 2).mean())


def test_whole_numbers_of_unknown_rows_are_counts_where_they_look_like_reads() -> None:
    random = np.random.default_rng(3)
    mean = np.exp(random.normal(4, 2, 2000))[:, None] * random.uniform(0.7, 1.4, 8)
    reads = random.negative_binomial(10, 10 / (10 + mean)).astype(float)
    assert recognise_scale(reads, "table.csv", probes=None).scale == "counts"
    assert recognise_scale(reads, "table.csv", probes=True).scale == "linear"
    # Of an array: no zeros; a floor at zero without ones and twos; the same sum in each sample.
    array = np.round(np.exp(random.normal(6, 1.3, (2000, 8))) + 20)
    floor = np.where(array < 60, 0, array)
    for values in (array, floor, np.sort(reads, axis=0)[:, :1].repeat(8, axis=1)):
        assert recognise_scale(values, "table.csv", probes=None).scale == "linear"


@pytest.mark.parametrize("name", ["LFQ intensity", "iBAQ", "Intensity", "TMT_126"])
def test_whole_numbers_that_are_called_protein_intensities_are_no_counts(name: str) -> None:
    values = np.round(2 ** np.random.default_rng(4).normal(27, 2, (500, 6)))
    assert recognise_scale(values, "t.txt").scale == "counts"
    found = recognise_scale(values, f"t.txt {name}")
    assert found.scale == "linear" and found.reason.endswith(": intensities")


def library_counts(change: float, depth: float = 2e7) -> tuple[np.ndarray, np.ndarray]:
    """Counts of 6 samples whose genes differ by so much, and lengths of the genes."""
    stream = np.random.default_rng(5)
    lengths = stream.lognormal(7.7, 0.8, 18_000)[:, None]
    expected = stream.lognormal(0, 2.2, lengths.shape) * lengths
    expected = expected * stream.lognormal(0, change, (18_000, 6))
    expected *= depth * stream.lognormal(0, 0.3, 6) / expected.sum(axis=0)
    return stream.poisson(expected).astype(float), lengths


@pytest.mark.parametrize("depth", [4e5, 2e7])
@pytest.mark.parametrize("change", [0.0, 0.3, 1.0])
def test_counts_are_counts_also_of_technical_replicates(change: float, depth: float) -> None:
    counts, _ = library_counts(change, depth)
    assert recognise_scale(counts, "counts").scale == "counts"


@pytest.mark.parametrize("unit", ["FPKM", "CPM", "TPM"])
@pytest.mark.parametrize("change", [0.1, 0.5])
def test_values_rounded_to_whole_numbers_are_no_counts_whatever_they_are_called(
    unit: str, change: float
) -> None:
    counts, lengths = library_counts(change)
    by_length = counts if unit == "CPM" else counts / lengths
    values = by_length / (counts if unit == "FPKM" else by_length).sum(axis=0)
    found = recognise_scale(np.rint(values * (1e9 if unit == "FPKM" else 1e6)), "raw counts")
    assert (found.scale, found.kind) == ("linear", "reads")
    assert "rounded" in found.reason


def test_copies_of_a_column_do_not_make_counts_something_else() -> None:
    counts, _ = library_counts(0.3)
    assert recognise_scale(np.repeat(counts[:, :3], 2, axis=1)).scale == "counts"
