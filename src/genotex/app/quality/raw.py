"""The samples of a cohort before anything was done to them: the values as in the file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genotex.analysis import OWN_TABLES
from genotex.app.quality.cohorts import CohortQuality
from genotex.arrays import Floats
from genotex.cohorts import (
    RawValues,
    choose_folder,
    raw_geo_values,
    raw_tcga_values,
    read_own_values,
)
from genotex.errors import UsageError
from genotex.figures import sample_densities
from genotex.formats import Evidence, sample_quantiles, sha256
from genotex.layout import InputFolder
from genotex.studies import Workspace, list_tables, paths_of

_MOST_ROWS = 5000


@dataclass(frozen=True, eq=False)
class RawQuality:
    """Distributions of the values of each sample as in the file, as `CohortQuality` has them.

    Of `of_rows` rows `rows` are used, spaced evenly; `absent` samples are no longer in the file,
    which may have `changed` since the cohort was made.
    """

    file: str
    drawn_as: str
    rows: int
    of_rows: int
    absent: int
    changed: bool
    quantiles: Floats
    densities: Floats
    middles: Floats

    @classmethod
    def of(cls, raw: RawValues, cohort: CohortQuality) -> RawQuality:
        """Measure the samples of a cohort."""
        matrix = raw.matrix
        step = max(1, -(-len(matrix.ids) // _MOST_ROWS))
        place = {sample: j for j, sample in enumerate(matrix.samples)}
        there = [i for i, sample in enumerate(cohort.samples) if sample in place]
        columns = [place[cohort.samples[i]] for i in there]
        values = np.full((len(cohort.samples), len(matrix.ids[::step])), np.nan)
        values[there] = matrix.values[::step, columns].T
        values, drawn_as = _drawn(values, raw.scale)
        densities, middles = sample_densities(values[cohort.drawn])
        return cls(
            raw.path.name,
            drawn_as,
            values.shape[1],
            len(matrix.ids),
            len(cohort.samples) - len(there),
            raw.changed,
            sample_quantiles(values.T),
            densities,
            middles,
        )

    @classmethod
    def find(cls, workspace: Workspace, evidence: Evidence, cohort: CohortQuality) -> RawQuality:
        """Read the values again from the input or the own tables of the folder."""
        return cls.of(_find(workspace, evidence), cohort)

    @property
    def note(self) -> str:
        """What is drawn, in words."""
        rows = f"{self.rows:,} of {self.of_rows:,} rows, spaced evenly"
        parts = [f"{self.drawn_as}; {rows if self.rows < self.of_rows else 'all rows'}"]
        if self.absent:
            parts.append(f"the file no longer holds {self.absent} of the samples")
        if self.changed:
            parts.append("the file has changed since the cohort was made")
        return f"{'; '.join(parts)}."


def _drawn(values: Floats, scale: str) -> tuple[Floats, str]:
    """Return the values on a scale that can be compared with log2 expression."""
    if scale == "counts":
        return np.log2(np.maximum(values, 0) + 1), "Counts, drawn as log2(count + 1)"
    if scale == "linear":
        positive = np.where(values > 0, values, np.nan)
        return np.log2(positive), "Linear values, drawn as their log2 (those above 0)"
    return values, "Values drawn as they are"


def _find(workspace: Workspace, evidence: Evidence) -> RawValues:
    """Read the values again from the input or the own tables of the folder."""
    if evidence.source == OWN_TABLES:
        found = _own(workspace, evidence)
    elif evidence.source == "TCGA":
        found = _tcga(workspace, evidence)
    else:
        found = _geo(workspace, evidence)
    if found is None:
        msg = (
            f"The values before processing cannot be shown: this folder does not hold the input of "
            f"{evidence.cohort}."
        )
        raise UsageError(msg)
    return found


def _geo(workspace: Workspace, evidence: Evidence) -> RawValues | None:
    files = workspace.series(evidence.trait, evidence.cohort)
    return None if files is None else raw_geo_values(files, evidence)


def _tcga(workspace: Workspace, evidence: Evidence) -> RawValues | None:
    for found in workspace.inputs():
        folder = choose_folder(evidence.trait, InputFolder(found.folder).tcga_folders()).folder
        if folder is None:
            continue
        paths = (folder.expression, folder.expression_pancan)
        if all(workspace.holds(path) for path in paths if path is not None):
            return raw_tcga_values(folder, evidence)
    return None


def _own(workspace: Workspace, evidence: Evidence) -> RawValues | None:
    """Return the values of the own tables whose expression table was analysed."""
    wanted = {f.get("sha256") for f in evidence.files if f["used_for"] == "expression"}
    for files in list_tables(workspace):
        try:
            expression, samples, platform = paths_of(workspace, files)
        except UsageError:
            continue
        if expression is not None and sha256(expression) in wanted:
            return read_own_values(expression, samples, platform=platform, scale=files.scale)
    return None
