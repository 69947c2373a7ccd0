"""Features of samples in the words of submitters to GEO."""

from collections.abc import Mapping, Sequence

import pytest

from genotex.features import SeriesTexts, feature_named


def found(
    feature: str,
    columns: Mapping[str, Sequence[str]] | None = None,
    titles: Sequence[str] = (),
    sources: Sequence[str] = (),
) -> list[str | None]:
    """The value of each sample; None where nothing states one."""
    columns = columns or {}
    count = max(len(titles), len(sources), *map(len, columns.values()), 0)
    none: tuple[str | None, ...] = (None,) * count
    cells = {key: [(value,) if value else () for value in row] for key, row in columns.items()}
    texts = SeriesTexts(cells, tuple(titles) or none, tuple(sources) or none, "")
    known = feature_named(feature)
    assert known is not None
    stated = known.find(texts)
    return [stated[n].value if n in stated else None for n in range(count)]


@pytest.mark.parametrize(
    ("key", "value", "status"),
    [
        ("smoking status", "Never smoker", "never"),
        ("smoking status", "ex-smoker (EX)", "former"),
        ("smokingstat", "former", "former"),
        ("Smoking_Status", "current smoker, 20 pack-years", "current"),
        ("smoking status", "quit for 10 years or greater", "former"),
        ("smoker?", "3-Never", "never"),
        ("smoker (y/n)", "N", "non-smoker"),
        ("ever smoked", "no", "never"),
        ("smoking (0=never, 1=former, 2=current)", "1", "former"),
        ("pack years", "0", "never"),
        ("packyrs", "32.5", "ever"),
        ("smoking", "NA", None),
        ("maternal smoker", "yes", None),
        ("smoking start date", "1/1/70", None),
        ("cigarettes per day", "20", None),
    ],
)
def test_smoking_status(key: str, value: str, status: str | None) -> None:
    assert found("smoking", {key: [value]}) == [status]


def test_status_comes_before_pack_years_and_titles() -> None:
    columns = {"pack years": ["20", "10"], "smoking status": ["former", ""]}
    assert found("smoking", columns, ["Lung, smoker 1", "Lung, smoker 2"]) == ["former", "ever"]


@pytest.mark.parametrize(
    ("key", "value", "number"),
    [
        ("bmi", "24.7", "24.7"),
        ("body mass index (kg/m2)", "31", "31"),
        ("bmi", "27,4 kg/m2", "27.4"),
        ("body mass index", "40 BMI", "40"),
        ("bmi", "Overweight", None),
        ("bmi", ">30", None),
        ("z score bmi", "20", None),
        ("bmi group", "25", None),
        ("maternal bmi", "25", None),
        ("bmi", "250", None),
        ("bmi", "8", "8"),
        ("bmi", "7.9", None),
        ("bmi", "120", "120"),
        ("bmi", "120.1", None),
    ],
)
def test_body_mass_index(key: str, value: str, number: str | None) -> None:
    assert found("bmi", {key: [value]}) == [number]


@pytest.mark.parametrize(
    ("key", "value", "stage"),
    [
        ("Stage", "2a", "IIA"),
        ("ajcc_stage", "Stage IV", "IV"),
        ("tumor stage", "III/IV", "III-IV"),
        ("figo stage", "1b1", "IB1"),
        ("tnm", "pT2, N0, M0", "T2N0M0"),
        ("pt", "3", "T3"),
        ("pstage", "pT1C", "T1c"),
        ("stage", "IVB, T2, N3, M0, G4", "IVB"),
        ("tumor stage", "T1aN0M0 IA", "IA"),
        ("tumor stage", "IIA (pT2N0M0)", "IIA"),
        ("tumor stage", "T3N1M0 (Stage IIIB)", "IIIB"),
        ("Stage", "Stage_IIIC", "IIIC"),
        ("binet stage", "B", "B"),
        ("developmental stage", "4", None),
        ("braak stage", "III", None),
        ("stage", "72h", None),
        ("who grade", "III", None),
        ("tumor stage", "G2", None),
    ],
)
def test_stage_of_a_tumour(key: str, value: str, stage: str | None) -> None:
    assert found("stage", {key: [value]}) == [stage]


@pytest.mark.parametrize(
    ("cell", "stage"),
    [("T1aN0M0 IA", "IA"), ("stage_2b", "IIB"), ("pT2, N0, M0", "T2N0M0"), ("early", "early")],
)
def test_stage_in_a_sheet_is_read_as_in_a_file(cell: str, stage: str) -> None:
    feature = feature_named("stage")
    assert feature is not None and feature.read_cell(cell) == stage


def test_batch_is_the_surest_key_whose_values_repeat() -> None:
    dates = ["2010-05-03T10:12:00", "2010-05-03T11:40:00", "2010-05-04T09:00:00"] * 2
    names = {"patient": list("abcdef"), "scan date": dates, "plate": list("123456")}
    assert found("batch", names)[:3] == ["2010-05-03", "2010-05-03", "2010-05-04"]
    assert found("batch", {**names, "batch": ["1", "1", "2"] * 2})[:3] == ["1", "1", "2"]
    assert found("batch", {"sentrix id and position": ["4370181019_D", "4370181019_E",
                                                       "4320028015_A", "4320028015_B"]}) == [
        *["4370181019"] * 2, *["4320028015"] * 2]  # fmt: skip
    assert found("batch", {"birth date": dates, "chip antibody": ["a", "b", "c"] * 2}) == [None] * 6


@pytest.mark.parametrize(
    ("key", "value", "tissue"),
    [
        ("tissue", "Whole Blood", "whole blood"),
        ("organism part", "Liver", "liver"),
        ("brain region", "Entorhinal cortex", "entorhinal cortex"),
        ("region", "hippocampus", "hippocampus"),
        ("region", "north", None),
        ("tissue", "tumor", None),
        ("tissue source", "University Hospital", None),
        ("tissue id", "BRB123", None),
    ],
)
def test_tissue(key: str, value: str, tissue: str | None) -> None:
    assert found("tissue", {key: [value]}) == [tissue]


def test_tissue_of_a_source_name() -> None:
    sources = ["Normal lung tissue", "Hepatocellular carcinoma", "PBMC, healthy donor 3"]
    assert found("tissue", sources=sources) == ["lung", None, "pbmc"]
