"""Numbers and phrases as the page writes them."""

from __future__ import annotations

import pytest

from genotex.words import counted, file_size, listed, number, question, sentence, with_names


@pytest.mark.parametrize(
    ("value", "form", "written"),
    [
        (1.234, "signed", "+1.23"),
        (-1.234, "signed", "\N{MINUS SIGN}1.23"),
        (0.0, "signed", "+0.00"),
        (-0.0012, "signed", "\N{MINUS SIGN}1.2e-03"),
        (0.0042, "fine", "+0.004"),
        (7.5, "plain", "7.50"),
        (33.0, "count", "33"),
        (0.25, "p", "0.250"),
        (0.0499, "p", "0.050"),
        (0.0031, "p", "0.0031"),
        (2.1e-7, "p", "2.1e-07"),
        (0.0, "p", "<1e-300"),
        (None, "p", ""),
        (float("nan"), "signed", ""),
        (float("inf"), "plain", ""),
    ],
)
def test_number(value: float | None, form: str, written: str) -> None:
    assert number(value, form) == written


def test_counted_and_listed() -> None:
    assert counted(1, "gene") == "1 gene"
    assert counted(12345, "gene") == "12,345 genes"
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"


def test_sentence() -> None:
    assert sentence(" no trait ") == "No trait."
    assert sentence("Done!") == "Done!"
    assert sentence("") == ""


@pytest.mark.parametrize(
    ("size", "written"),
    [(0, "0 B"), (999, "999 B"), (3_812_044, "3.8 MB"), (5e12, "5000.0 GB"), (None, "")],
)
def test_file_size(size: float | None, written: str) -> None:
    assert file_size(size) == written


def test_question() -> None:
    assert question("Crohns_Disease", None, "binary") == (
        "Which genes differ between Crohns Disease cases and controls?"
    )
    assert (
        question("Height", "Gender", "continuous")
        == "Which genes change with Height, given gender?"
    )
    assert question("Asthma", "Obesity", "binary").endswith("given Obesity?")


def test_traits_are_named_as_people_do() -> None:
    text = "Breast_Cancer goes with Heart_Rate: see Breast_Cancer.json"
    assert with_names(text, "Breast_Cancer", None) == (
        "Breast Cancer goes with Heart_Rate: see Breast Cancer.json"
    )
    assert with_names(text, "Breast_Cancer", "Heart_Rate").startswith(
        "Breast Cancer goes with Heart Rate"
    )
