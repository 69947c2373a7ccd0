"""The features of samples that genotex knows: each has a file in `known`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from genotex.errors import UsageError
from genotex.features.feature import SampleFeature
from genotex.features.known.age import AGE
from genotex.features.known.batch import BATCH
from genotex.features.known.bmi import BMI
from genotex.features.known.donor import DONOR
from genotex.features.known.sex import SEX
from genotex.features.known.smoking import SMOKING
from genotex.features.known.stage import STAGE
from genotex.features.known.time_point import TIME_POINT
from genotex.features.known.tissue import TISSUE
from genotex.features.known.treatment import TREATMENT

_FEATURES = [AGE, SEX, TISSUE, TREATMENT, TIME_POINT, SMOKING, BMI, STAGE, BATCH, DONOR]
"""In the order of sample sheets and pages."""


def sample_features() -> tuple[SampleFeature, ...]:
    """Return all features, in the order of sample sheets."""
    return tuple(_FEATURES)


def table_features() -> tuple[SampleFeature, ...]:
    """Return the features with a column in linked tables: age and sex, by the benchmark."""
    return tuple(feature for feature in _FEATURES if feature.column)


def recorded_features() -> tuple[SampleFeature, ...]:
    """Return the features that cohort records alone hold."""
    return tuple(feature for feature in _FEATURES if not feature.column)


def feature_named(name: str) -> SampleFeature | None:
    """Return the feature with a name, column or other name, in any case."""
    plain = " ".join(name.casefold().replace("_", " ").split())
    return next((f for f in _FEATURES if plain in _names(f)), None)


def column_named(name: str) -> str:
    """Return the column of linked tables that a name means; the name itself where it is none."""
    feature = feature_named(name)
    return feature.column if feature is not None and feature.column else name


def feature_of_column(column: str) -> SampleFeature | None:
    """Return the feature that a column of linked tables holds."""
    return next((feature for feature in table_features() if feature.column == column), None)


def parser_named(name: str) -> Callable[[str, str], float | None] | None:
    """Return what codes a cell, from value and key, by the name that encodings have for it."""
    return next((feature.parse for feature in table_features() if feature.parser == name), None)


def default_covariates() -> tuple[str, ...]:
    """Return the columns of linked tables that analyses adjust for by default."""
    return tuple(feature.column for feature in table_features() if feature.use == "covariate")


def _names(feature: SampleFeature) -> frozenset[str]:
    names = (feature.name, feature.column, feature.encoded, *feature.other_names)
    return frozenset(name.casefold() for name in names if name)


@contextmanager
def registered(feature: SampleFeature) -> Iterator[None]:
    """Register a feature of one's own for a while.

    Raises UsageError if its name is taken.
    """
    if any(feature_named(name) for name in _names(feature)):
        msg = f"there is a feature {feature.name!r} already"
        raise UsageError(msg)
    _FEATURES.append(feature)
    try:
        yield
    finally:
        _FEATURES.remove(feature)
