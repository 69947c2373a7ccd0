"""Two-colour arrays of a series: scans, and which channel of each is the sample."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from genotex.arrays import Floats
from genotex.cohorts.geo.files import SUBMITTED, read_annotation
from genotex.cohorts.geo.rna_seq import CountedGenes
from genotex.errors import FormatError, GenotexError
from genotex.formats import ExpressionMatrix, Series, TwoColourScan, listed_files, read_two_colour
from genotex.genes import GeneTable, log_ratios, map_to_genes
from genotex.layout import GeoCohortFiles
from genotex.outside import StoredFile, stored_files
from genotex.procedure import Procedure

_SCAN = re.compile(r"\.(?:gpr|txt)(?:\.gz)?$", re.IGNORECASE)
_RED = re.compile(r"cy-?5|alexa.*6[345]\d|635", re.IGNORECASE)
_GREEN = re.compile(r"cy-?3|alexa.*5[45]\d|532", re.IGNORECASE)
_FEWEST = 2
_FLAT = 0.02
"""Interquartile range of log ratios that no array has unless its signal was taken for noise."""


def is_two_colour(series: Series) -> bool:
    """Return whether samples of a series have two labelled channels."""
    return any(any(row) for row in series.sample_fields.get("label_ch2", ()))


def _channel_signs(series: Series) -> dict[str, float]:
    """Return for each sample 1 where it is the red channel, and -1 where it is the green one.

    The other channel is the reference that all samples share; dye swaps change the sign. Raises
    FormatError if the labels are not Cy3 and Cy5, or there is no common reference.
    """
    count = len(series.samples)
    labels = [_texts(series, f"label_ch{channel}", count) for channel in (1, 2)]
    sources = [_sources(series, channel, count) for channel in (1, 2)]
    common = set.intersection(*({a, b} for a, b in zip(*sources, strict=True))) - {""}
    if len(common) != 1:
        msg = (
            "two-colour arrays without a common reference: the channels of the samples share "
            f"{'no' if not common else 'more than one'} source"
        )
        hint = "make a table of log ratios that are each of one sample, for 'genotex de'"
        raise FormatError(msg, path=series.path, hint=hint)
    (reference,) = common
    signs: dict[str, float] = {}
    for i, sample in enumerate(series.samples):
        channel = 1 if sources[0][i] == reference else 0
        if _RED.search(labels[channel][i]) and _GREEN.search(labels[1 - channel][i]):
            signs[sample] = 1.0
        elif _GREEN.search(labels[channel][i]) and _RED.search(labels[1 - channel][i]):
            signs[sample] = -1.0
        else:
            msg = f"the labels of {sample} are not Cy3 and Cy5: {labels[0][i]}, {labels[1][i]}"
            raise FormatError(msg, path=series.path)
    return signs


def _texts(series: Series, field: str, count: int) -> list[str]:
    rows = series.sample_fields.get(field, ())
    return [(cell or "").strip().casefold() for cell in rows[0]] if rows else [""] * count


def _sources(series: Series, channel: int, count: int) -> list[str]:
    """Return what each channel was hybridised with, in one text."""
    rows = [_texts(series, f"source_name_ch{channel}", count)]
    for row in series.sample_fields.get(f"characteristics_ch{channel}", ()):
        rows.append([(cell or "").strip().casefold() for cell in row])
    return [" ".join(filter(None, cells)) for cells in zip(*rows, strict=True)]


def two_colour_genes(
    files: GeoCohortFiles, series: Series, table: GeneTable
) -> CountedGenes | None:
    """Return log2 ratios of sample to reference by gene; None where no scan is in the folder."""
    stored = listed_files(each for path in files.supplementary for each in stored_files(path))
    scans_of = {each.sample: each.disk_file for each in stored if _SCAN.search(each.name)}
    samples = [sample for sample in series.samples if sample in scans_of]
    if len(samples) < _FEWEST:
        return None
    try:
        signs = _channel_signs(series)
        scans = [_read(scans_of[sample]) for sample in samples]
        if len({scan.ids for scan in scans}) > 1:
            msg = "the arrays have different spots; they cannot be one table"
            raise FormatError(msg, path=files.folder)
        ratios, background = _ratios(scans)
        matrix = ExpressionMatrix(
            scans[0].ids, tuple(samples), ratios * np.array([signs[s] for s in samples])
        )
        platforms = read_annotation(files, series)[0]
        genes = map_to_genes(
            matrix, platforms, procedure=Procedure.SOUND, table=table, scale="log2",
            own=series.platform,
        )  # fmt: skip
    except GenotexError as error:
        return CountedGenes(None, f"two-colour arrays are not used: {error}", (), ())
    swapped = sum(sign < 0 for sign in (signs[s] for s in samples))
    note = (
        f"{SUBMITTED} scans of two-colour arrays: {len(samples)} of {len(series.samples)} samples, "
        f"log2 ratios of sample to common reference, {swapped} of them with the sample in green; "
        f"background {background}, loess within arrays, as limma"
    )
    used = tuple((p, "expression") for p in dict.fromkeys(scans_of[s].path for s in samples))
    return CountedGenes(genes, "", used, (note,))


def _ratios(scans: Sequence[TwoColourScan]) -> tuple[Floats, str]:
    """Return log ratios, and how the background was taken off."""
    ratios, _ = log_ratios(scans)
    low, high = np.nanquantile(ratios, (0.25, 0.75), axis=0)
    if (high - low > _FLAT).all():
        return ratios, "normexp (offset 50)"
    # Where no spot is near the background the fit takes the signal for noise.
    return log_ratios(scans, background="subtract")[0], "subtracted (no fit by normexp)"


def _read(stored: StoredFile) -> TwoColourScan:
    with stored.on_disk() as path:
        return read_two_colour(path)
