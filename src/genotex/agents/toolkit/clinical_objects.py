"""The clinical features of a cohort."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from genotex.agents.task import Task
from genotex.agents.toolkit.sources import ClinicalColumns, SeriesText
from genotex.agents.toolkit.tables import Table
from genotex.agents.toolkit.tool import Made
from genotex.clinical import EncodedFeature, FeatureEncoding

__all__ = ["ClinicalTable", "Feature"]


@dataclass(frozen=True, eq=False)
class Feature(Made):
    """Trait, age or gender of all samples, and how it was coded."""

    made_by: ClassVar[str] = "encode_feature(...)"
    encoding: FeatureEncoding
    encoded: EncodedFeature
    samples: tuple[str, ...]

    @property
    def codes(self) -> NDArray[np.float64]:
        """One code for each sample; NaN is missing."""
        return self.encoded.codes

    @property
    def known(self) -> int:
        """Number of samples with a code."""
        return int((~np.isnan(self.codes)).sum())

    def __repr__(self) -> str:
        """Tell how many samples have which code."""
        return f"{self.encoding.feature} ({self.encoding.kind}): {self.summary}"

    @property
    def summary(self) -> str:
        """How many samples have which code, or the range of a measured feature."""
        known = self.codes[~np.isnan(self.codes)]
        missing = f"missing in {len(self.codes) - len(known)} of {len(self.codes)} samples"
        if self.encoding.kind == "continuous" and len(known):
            return f"{known.min():g} to {known.max():g}, mean {known.mean():.4g}; {missing}"
        levels, counts = np.unique(known, return_counts=True)
        shown = (f"{level:g}: {n} samples" for level, n in zip(levels, counts, strict=True))
        return f"{', '.join(shown)}; {missing}"


@dataclass(frozen=True, eq=False, repr=False)
class ClinicalTable(Table):
    """The clinical features of a cohort, features x samples."""

    made_by: ClassVar[str] = "clinical_table(...)"
    task: Task
    source: SeriesText | ClinicalColumns
    trait: Feature | None = None
    age: Feature | None = None
    gender: Feature | None = None
    why_no_trait: str = ""

    @property
    def features(self) -> Mapping[str, Feature]:
        """Features by the names of their rows, as far as they are told."""
        named = {self.task.trait: self.trait, "Age": self.age, "Gender": self.gender}
        return {name: feature for name, feature in named.items() if feature is not None}

    @property
    def rows(self) -> tuple[str, ...]:
        """Trait, Age and Gender as far as they are told."""
        return tuple(self.features)

    @property
    def columns(self) -> tuple[str, ...]:
        """Sample ids."""
        return self.source.samples

    @property
    def values(self) -> NDArray[np.float64]:
        """Codes."""
        codes = [feature.codes for feature in self.features.values()]
        return np.array(codes).reshape(len(codes), len(self.columns))

    def __repr__(self) -> str:
        """Tell each feature in a line."""
        lines = [f"  {name}: {feature.summary}" for name, feature in self.features.items()]
        lines += [f"  {self.task.trait}: not available"] if self.trait is None else []
        return "\n".join([f"clinical features of {len(self.columns)} samples", *lines])
