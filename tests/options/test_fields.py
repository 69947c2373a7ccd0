"""What is read from the declaration of an option, by every surface."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

import pytest

from genotex.errors import UsageError
from genotex.options import (
    AnalysisOptions,
    Declared,
    DesignOptions,
    EnrichmentOptions,
    GeoOptions,
    PreprocessChoices,
    ReadingOptions,
    command_words,
    declared,
)

CLASSES = (
    AnalysisOptions, DesignOptions, EnrichmentOptions, GeoOptions, PreprocessChoices,
    ReadingOptions,
)  # fmt: skip
FIELDS = [(made, each) for made in CLASSES for each in declared(made)]
IDS = [f"{made.__name__}.{each.field}" for made, each in FIELDS]
OF_ANALYSIS = {each.field: each for each in declared(AnalysisOptions)}


@pytest.mark.parametrize(("made", "each"), FIELDS, ids=IDS)
def test_the_default_of_an_option_is_read_as_it_is_written(made: type[Any], each: Declared) -> None:
    assert each.default is not MISSING and each.option.help and each.label
    assert each.read(each.write(each.default)) == each.default


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("q_cut", "0.01", 0.01),
        ("q_cut", "", 0.05),
        ("seed", " 7 ", 7),
        ("panel", "no", False),
        ("hidden", "sva", "sva"),
        ("covariates", "age, tissue", ("Age", "tissue")),
        ("covariates", "none", ()),
        ("pair", "donor", "donor"),
        ("pair", "", None),
        ("trend", "auto", None),
        ("trend", "yes", True),
        ("trend", "no", False),
    ],
)
def test_a_text_becomes_a_value(field: str, text: str, value: object) -> None:
    assert OF_ANALYSIS[field].read(text) == value
    assert OF_ANALYSIS[field].read(OF_ANALYSIS[field].write(value)) == value


@pytest.mark.parametrize(
    ("field", "text", "why"),
    [
        ("q_cut", "7", "above 0 and at most 1"),
        ("q_cut", "0", "out of range"),
        ("q_cut", "nan", "out of range"),
        ("q_cut", "<b>", "'<b>' is not a number"),
        ("min_effect", "inf", "out of range"),
        ("seed", "1.5", "not a whole number"),
        ("seed", "9" * 5000, "not a whole number"),
        ("robust", "perhaps", "use yes or no"),
        ("panel", "perhaps", "use auto, yes or no"),
        ("trend", "perhaps", "use auto, yes or no"),
        ("hidden", "all", "use auto, adjust, none, sva or two-step"),
    ],
)
def test_a_text_that_is_no_value_is_refused(field: str, text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        OF_ANALYSIS[field].read(text)


def test_the_command_line_of_options_is_what_differs_from_the_defaults() -> None:
    asked = DesignOptions("~ group + age", ("group: a - b", "age"), block="person")
    options = AnalysisOptions(q_cut=0.1, panel=False, covariates=(), hidden="none", trend=False)
    assert command_words(asked, options) == [
        "--design", "~ group + age", "--contrast", "group: a - b", "--contrast", "age",
        "--block", "person", "--hidden", "none", "--q", "0.1", "--covariates", "none",
        "--no-trend", "--no-panel",
    ]  # fmt: skip
    assert command_words(AnalysisOptions(), PreprocessChoices()) == []
