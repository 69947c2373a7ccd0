"""Levels as numbers and as groups, and cells whose number means missing."""

import pytest

from genotex.clinical import RuleExpert, encode_cell

from ..conftest import CodesOf, MakeDescription


@pytest.mark.parametrize(
    ("trait", "key", "values", "codes"),
    [
        ("Height", "height (cm)", ["150", "160.5", "182"], [150, 160.5, 182]),
        ("Height", "body height", ["150 cm", "160 cm", "182 cm"], [150, 160, 182]),
        ("Bone_Density", "lumbar spine bmd", ["0.91", "1.02", "0.7"], [0.91, 1.02, 0.7]),
        ("Bone_Density", "bmd (g/cm2)", ["0.91", "1.02", "0.7"], [0.91, 1.02, 0.7]),
        ("LDL_Cholesterol_Levels", "ldl (mg/dl)", ["91", "102", "88"], [91, 102, 88]),
        ("LDL_Cholesterol_Levels", "ldl-c (mmol/l)", ["2,1", "3,5", "4"], [2.1, 3.5, 4]),
        ("Telomere_Length", "telomere length (kb)", ["5.1", "6.2", "7"], [5.1, 6.2, 7]),
        ("Heart_rate", "resting heart rate", ["61 bpm", "72 bpm", "95 bpm"], [61, 72, 95]),
        ("Vitamin_D_Levels", "25-hydroxyvitamin d", ["21.5", "32", "10"], [21.5, 32, 10]),
        ("Metabolic_Rate", "rmr (kcal/day)", ["1400", "1500", "1800"], [1400, 1500, 1800]),
        # "-9" where nothing can be negative is a gap; a dash and words are gaps anyway.
        ("Height", "height (cm)", ["150", "160", "182", "-9"], [150, 160, 182, None]),
        ("Height", "height (cm)", ["150", "160", "182", "-999"], [150, 160, 182, None]),
        ("Height", "height (cm)", ["150", "160", "182", "unknown"], [150, 160, 182, None]),
    ],
)
def test_measured_level(
    make_description: MakeDescription, trait: str, key: str, values: list[str], codes: list[float]
) -> None:
    row = [f"{key}: {value}" for value in values]
    found = RuleExpert().annotate(make_description(row, title=trait.replace("_", " ")), trait).trait
    assert found is not None and found.kind == "continuous"
    assert [encode_cell(found, cell) for cell in row] == codes


def test_negative_levels_are_no_gaps(make_description: MakeDescription) -> None:
    row = [f"height z-score: {value}" for value in ("-1", "-0.5", "0.2", "1.1")]
    found = RuleExpert().annotate(make_description(row, title="Height"), "Height").trait
    assert found is not None
    assert [encode_cell(found, cell) for cell in row] == [-1, -0.5, 0.2, 1.1]


@pytest.mark.parametrize(
    ("trait", "key", "values", "codes"),
    [
        ("Bone_Density", "bone density", ["low", "high"], [0, 1]),
        ("Bone_Density", "bmd", ["low BMD", "high BMD"], [0, 1]),
        ("Bone_Density", "bone mineral density", ["low", "mid", "high"], [0, 1, 2]),
        ("LDL_Cholesterol_Levels", "ldl cholesterol", ["high", "low"], [1, 0]),
        ("Telomere_Length", "telomere length", ["short", "long"], [0, 1]),
        ("Vitamin_D_Levels", "vitamin d status", ["deficient", "sufficient"], [0, 1]),
        ("Metabolic_Rate", "resting metabolic rate", ["low", "high"], [0, 1]),
        ("Heart_rate", "resting heart rate", ["lowest", "highest"], [0, 1]),
        # In a deficiency the low end is the disease.
        ("High-Density_Lipoprotein_Deficiency", "group", ["low HDL", "normal HDL"], [1, 0]),
        ("High-Density_Lipoprotein_Deficiency", "group", ["Low HDL-C", "High HDL-C"], [1, 0]),
    ],
)
def test_level_in_groups(
    codes_of: CodesOf, trait: str, key: str, values: list[str], codes: list[float]
) -> None:
    assert codes_of(trait, key, values) == codes


def test_another_level_is_not_the_trait(codes_of: CodesOf) -> None:
    values = ["51", "52", "60", "48"]
    assert codes_of("LDL_Cholesterol_Levels", "hdl (mg/dl)", values) is None
    assert codes_of("Height", "weight (kg)", values) is None


def test_minus_nine_under_the_key_of_the_trait_is_missing(codes_of: CodesOf) -> None:
    assert codes_of("Asthma", "asthma", ["1", "0", "-9"]) == [1, 0, None]
    assert codes_of("Depression", "depression", ["yes", "no", "-9"]) == [1, 0, None]
