"""Short codes that stand for names, and those that do not."""

import pytest

from genotex.clinical.words.name_forms import are_initials, fits_name, without_number


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("OA", "osteoarthritis"),
        ("SCZ", "schizophrenia"),
        ("HTN", "hypertension"),
        ("HCC", "hepatocellular carcinoma"),
        ("pSS", "primary Sjögren syndrome"),
        ("EoE", "eosinophilic esophagitis"),
        ("dcm", "dilated cardiomyopathy"),
        ("ET", "essential thrombocythaemia"),
        ("SCC", "cutaneous squamous cell carcinoma"),
        ("PSO", "psoriasis"),
        ("T2D", "type 2 diabetes"),
    ],
)
def test_code_fits_a_name(code: str, name: str) -> None:
    assert fits_name(code, name)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("UC", "Crohn disease"),
        ("IBD", "irritable bowel syndrome"),
        ("asa", "asthma"),
        ("CRC", "cardiovascular disease"),
        ("MDD", "chronic kidney disease"),
        ("A", "asthma"),
        ("12", "type 12 disease"),
    ],
)
def test_code_does_not_fit_a_name(code: str, name: str) -> None:
    assert not fits_name(code, name)


def test_initials_have_no_further_letters() -> None:
    assert are_initials("OSA", ["obstructive sleep apnea"])
    assert are_initials("oa", ["osteoarthritis"])
    assert not are_initials("OA", ["obstructive sleep apnea"])
    assert not are_initials("bdi", ["bronze diabetes"])


@pytest.mark.parametrize(
    ("code", "base"),
    [("GBC12", "GBC"), ("HC-3", "HC"), ("pSS_1", "pSS"), ("T2D", "T2D"), ("7", "7")],
)
def test_running_numbers(code: str, base: str) -> None:
    assert without_number(code) == base
