"""Samples as points: on principal components, by their distances, by the checks of samples."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.figures.arranging import Components, principal_components
from genotex.figures.kinds import figure
from genotex.figures.model import Axis, Figure, Line, Panel, PointName, Scale, Series, numbers
from genotex.figures.subjects import GeneResult, SampleMarks
from genotex.words import counted, listed


@figure("pca", "Samples", GeneResult, place=10)
def pca_of(found: GeneResult) -> Figure | None:
    """Declare the samples of a result on the first two principal components."""
    if found.table is None or found.marks is None or not found.table.size:
        return None
    return pca(found.components or principal_components(found.table), found.marks)


def pca(parts: Components, marks: SampleMarks) -> Figure:
    """Declare samples on two principal components, by group or by level."""
    shares = [f"{share:.1%}".replace("%", " %") for share in parts.explained]
    labels = [f"PC{i + 1} ({share} of variance)" for i, share in enumerate(shares)]
    shown = "colour and shape show the group"
    if marks.levels is not None:
        shown = f"darker means a higher level of {marks.level_name}"
    return replace(
        sample_points("pca", parts.scores, labels, marks),
        title="Samples by overall expression",
        alt=(
            f"Scatter plot of {counted(len(marks.names), 'sample')} on the first two principal "
            f"components, which explain {shares[0]} and {shares[1]} of the variance."
        ),
        caption=(
            f"Each point is a sample; {shown}. Samples close to each other have similar "
            f"expression over {counted(parts.genes, 'gene')} (centred and "
            "scaled). Groups that part along an axis differ in much of the transcriptome; a split "
            "that does not follow the groups hints at a batch or another unmeasured factor."
        ),
    )


def mds(places: Floats, genes: int, marks: SampleMarks) -> Figure:
    """Declare samples on two coordinates of multidimensional scaling."""
    return replace(
        sample_points("mds", places, ("MDS 1", "MDS 2"), marks),
        title="Samples by distance (MDS)",
        alt=f"Scatter plot of {counted(len(marks.names), 'sample')} by multidimensional scaling.",
        caption=(
            "Classical scaling of the distances 2 (1 - r), with r the correlation of two samples "
            f"over the {genes:,} genes that vary most. Unlike the principal components above, "
            "genes keep their variance: those that vary most count most."
        ),
    )


def sample_points(
    key: str,
    places: Floats,
    labels: Sequence[str],
    marks: SampleMarks,
    ringed: NDArray[np.bool_] | None = None,
    lines: Sequence[Line] = (Line("y", 0.0), Line("x", 0.0)),
) -> Figure:
    """Declare samples at `places` (n, 2), marked by group or by level."""
    panel = Panel(
        x=Axis(labels[0]),
        y=Axis(labels[1]),
        series=_by_mark(places[:, 0], places[:, 1], marks, ringed),
        lines=tuple(lines),
    )
    return Figure(key=key, rows=((panel,),), legend="above" if marks.levels is None else "none")


def _by_mark(
    x: Floats, y: Floats, marks: SampleMarks, ringed: NDArray[np.bool_] | None = None
) -> tuple[Series, ...]:
    """Return a series of points for each group, or one with colours along the level."""

    def some(rows: NDArray[np.intp], texts: list[str], **more: Any) -> Series:
        rings = None if ringed is None else ringed[rows]
        names = tuple(marks.names[i] for i in rows)
        return Series(
            kind="points", x=x[rows], y=y[rows], ids=names, texts=tuple(texts), size=6.2,
            ringed=rings, **more,
        )  # fmt: skip

    if marks.levels is not None:
        texts = [f"{n}: {v:.4g}" for n, v in zip(marks.names, marks.levels, strict=True)]
        rows = np.arange(len(marks.names))
        scale = Scale("level", label=marks.level_name)
        return (some(rows, texts, meaning="one", levels=marks.levels, scale=scale),)
    return tuple(
        some(
            rows,
            [f"{marks.names[i]}: {label}" for i in rows],
            meaning=key,
            label=f"{label} ({len(rows)})",
        )
        for key, label in marks.labels.items()
        if len(rows := marks.members(key))
    )


_GROUPS = {"case": "Case", "control": "Control", "sample": "Sample"}
_SEXES = {
    "female": ("female", "Female"),
    "male": ("male", "Male"),
    "unclear": ("unclear", "Unclear"),
    "unknown": ("absent", "Not recorded"),
}


def sample_distances(
    by_sample: Mapping[str, Sequence[Any]], named: Collection[str], cut: float
) -> Figure:
    """Declare the distance of each sample from its group."""
    samples, groups = by_sample["sample"], by_sample["group"]
    distance = numbers(by_sample["distance"])
    series, names, start = [], [], 0
    for group in dict.fromkeys(groups):
        members = [i for i, name in enumerate(groups) if name == group]
        members.sort(key=lambda i: distance[i])
        places = np.arange(start, start + len(members), dtype=float)
        start += len(members) + max(1, len(samples) // 30)
        series.append(
            Series(
                kind="points", meaning=group if group in _GROUPS and group != "sample" else "one",
                x=places, y=distance[members], label=f"{_GROUPS[group]} ({len(members)})",
                texts=tuple(f"{samples[i]}: {distance[i]:.2f}" for i in members),
                ids=tuple(samples[i] for i in members), size=5.2 if len(samples) < 100 else 3.4,
            )
        )  # fmt: skip
        names += _inside(samples, places, distance[members], members, named)
    top = 1.08 * max(cut, float(np.nanmax(distance)))
    panel = Panel(
        x=Axis("samples, by group", ticks=()),
        y=Axis("distance from its group / usual distance", 0.0, top),
        series=tuple(series),
        lines=(Line("y", cut, "threshold"),),
        names=tuple(names),
        naming="inwards",
    )
    return Figure(
        key="sample-distances",
        title="Distance of each sample",
        rows=((panel,),),
        height=3.9,
        legend="above",
        alt=(
            f"Distance of {counted(len(samples), 'sample')} from their group; "
            f"{counted(len(named), 'outlier')}."
        ),
        caption=(
            "Each point is a sample: its median distance from the samples of its group, over the "
            f"upper half of the genes, relative to the usual one. Above the dashed line ({cut:g}) "
            "a sample varies four times as much as the others or more. Outliers carry their names."
        ),
    )


def _inside(
    samples: Sequence[str], x: Floats, y: Floats, rows: Sequence[int], named: Collection[str]
) -> list[PointName]:
    return [
        PointName(samples[i], float(x[k]), float(y[k]))
        for k, i in enumerate(rows)
        if samples[i] in named and np.isfinite(y[k])
    ]


def sex(samples: Sequence[str], record: Mapping[str, Any]) -> Figure:
    """Declare XIST against the genes of Y, marked by recorded sex, else by predicted sex."""
    x, y, recorded = numbers(record["xist"]), numbers(record["y"]), record["recorded"]
    sexes = (
        [record["predicted"][sample] for sample in samples]
        if recorded is None
        else [each or "unknown" for each in recorded]
    )
    named = record["mismatches"]
    series = []
    for each, (meaning, label) in _SEXES.items():
        members = [i for i, found in enumerate(sexes) if found == each]
        if members:
            series.append(
                Series(
                    kind="points", meaning=meaning, x=x[members], y=y[members],
                    label=f"{label} ({len(members)})", ids=tuple(samples[i] for i in members),
                    texts=tuple(f"{samples[i]}: {label.lower()}" for i in members),
                    ringed=np.array([samples[i] in named for i in members]),
                )
            )  # fmt: skip
    marked = "recorded sex" if recorded is not None else "sex by expression"
    panel = Panel(
        x=Axis("XIST, log2 expression"),
        y=Axis("genes of Y (mean), log2 expression"),
        series=tuple(series),
        names=tuple(_inside(samples, x, y, range(len(samples)), named)),
        naming="inwards",
    )
    return Figure(
        key="sample-sex",
        title="Sex by expression",
        rows=((panel,),),
        height=3.9,
        legend="above",
        alt=(
            f"XIST against genes of the Y chromosome in {counted(len(samples), 'sample')}; "
            f"{counted(len(named), 'mismatch', 'mismatches')} with the recorded sex."
        ),
        caption=(
            f"XIST is expressed by women only, the genes of Y ({listed(record['genes'][1:])}) "
            f"by men only. Colour and shape show the {marked}"
            + ("; ringed samples are not what is recorded." if named else ".")
        ),
    )
