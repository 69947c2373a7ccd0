"""What series compare without a trait, on the texts of real and made-up designs."""

from collections.abc import Sequence

import pytest

from genotex.clinical import SeriesComparison, SeriesDescription, find_comparisons


def series(
    titles: Sequence[str] = (), *rows: Sequence[str], source: Sequence[str] = ()
) -> SeriesDescription:
    number = max(len(titles), len(source), *(len(row) for row in rows), 0)
    return SeriesDescription(
        cells=tuple(map(tuple, rows)),
        titles=tuple(titles) or ("sample",) * number,
        source_names=tuple(source) or ("cells",) * number,
        samples=tuple(f"GSM{i + 1}" for i in range(number)),
    )


def first(description: SeriesDescription) -> SeriesComparison:
    return find_comparisons(description)[0]


def test_drug_against_vehicle_in_the_source_of_gse42872() -> None:
    vehicle = "A375 melanoma cells treated with vehicle (0.1% DMSO)"
    drug = "A375 melanoma cells treated with vemurafenib"
    found = first(series(["a", "b", "c", "d", "e", "f"], source=[vehicle] * 3 + [drug] * 3))
    assert found.cases == ("GSM4", "GSM5", "GSM6") and found.controls == ("GSM1", "GSM2", "GSM3")
    assert found.has_control and not found.columns


def test_titles_that_share_all_but_the_number_of_the_replicate() -> None:
    titles = [f"A549_{agent}_rep{i}" for agent in ("DMSO", "JQ1") for i in (1, 2, 3)]
    found = first(series(titles))
    assert found.name == "jq1_vs_dmso"
    assert (len(found.cases), len(found.controls)) == (3, 3)


@pytest.mark.parametrize(
    ("key", "levels", "case", "control"),
    [
        ("genotype", ("WT", "Dicer KO"), "Dicer KO", "WT"),
        ("transfected with", ("siFGF13", "siCtrl"), "siFGF13", "siCtrl"),
        ("tissue", ("Liver Tumor Tissue", "Liver Non-Tumor Tissue"), "Liver Tumor Tissue",
         "Liver Non-Tumor Tissue"),
        ("time point", ("24 h", "2 h"), "24 h", "2 h"),
        ("time", ("day 14", "3 hours"), "day 14", "3 hours"),
        ("infection", ("none", "Mycobacterium avium"), "Mycobacterium avium", "none"),
        ("disease state", ("asthma", "healthy control"), "asthma", "healthy control"),
    ],
)  # fmt: skip
def test_control_is_known_by_its_words_or_the_earliest_time(
    key: str, levels: tuple[str, str], case: str, control: str
) -> None:
    found = first(series((), [f"{key}: {level}" for level in levels for _ in range(3)]))
    assert (found.case, found.control) == (case, control)


def test_crossed_factor_is_adjusted_for() -> None:
    lines = [f"cell line: {line}" for line in ("A375", "WM9") for _ in range(4)]
    agents = [f"agent: {agent}" for _ in range(2) for agent in ("DMSO", "DMSO", "X1", "X1")]
    found = first(series((), lines, agents))
    assert found.name == "X1_vs_DMSO"
    assert found.columns == (
        ("cell line", ("A375",) * 2 + ("WM9",) * 2 + ("A375",) * 2 + ("WM9",) * 2),
    )


def test_strata_without_a_control_are_left_out() -> None:
    times = [f"time: {t}" for t in ("6 h", "6 h", "24 h", "24 h", "24 h", "24 h")]
    agents = [f"treatment: {a}" for a in ("TNF", "TNF", "TNF", "TNF", "PBS", "PBS")]
    found = first(series((), times, agents))
    assert found.cases == ("GSM3", "GSM4") and found.controls == ("GSM5", "GSM6")


def test_factor_that_cannot_be_separated_is_named() -> None:
    lines = [f"cell line: {line}" for line in ("A375", "WM9") for _ in range(3)]
    agents = [f"treatment: {agent}" for agent in ("DMSO", "X1") for _ in range(3)]
    assert first(series((), lines, agents)).confounded == ("cell line",)


def test_tissue_pairs_are_tested_within_people() -> None:
    titles = [f"patient {i} {tissue}" for i in range(1, 6) for tissue in ("tumor", "normal")]
    patients = [f"patient: {i}" for i in range(1, 6) for _ in range(2)]
    found = first(series(titles, patients, [f"tissue: {t.split()[2]}" for t in titles]))
    assert found.paired and (found.case, found.control) == ("tumor", "normal")
    assert found.columns[0][0] == "donor"


def test_people_with_several_samples_on_a_side_are_recorded() -> None:
    patients = [f"patient: {i}" for i in range(1, 7) for _ in range(3)]
    groups = [
        f"disease: {'sepsis' if i <= 3 else 'healthy'}" for i in range(1, 7) for _ in range(3)
    ]
    cells = [f"cell type: {c}" for _ in range(6) for c in ("B", "NK", "CD4 T")]
    found = first(series((), patients, groups, cells))
    assert found.name == "sepsis_vs_healthy" and len(set(found.repeated)) == 6
    assert [name for name, _ in found.columns] == ["cell type"]


@pytest.mark.parametrize(
    "row",
    [
        ["age: 31", "age: 40", "age: 52", "age: 60"],
        ["gender: male", "gender: female", "gender: male", "gender: female"],
        ["batch: 1", "batch: 1", "batch: 2", "batch: 2"],
        ["disease: control"] * 4,
        ["disease: gout", "disease: control", "disease: control", "disease: control"],
    ],
)
def test_no_comparison_by_people_laboratory_or_single_samples(row: list[str]) -> None:
    assert find_comparisons(series((), row)) == []


def test_levels_without_a_control_are_compared_in_pairs() -> None:
    row = [f"subtype: {s}" for s in ("basal", "luminal A", "luminal B") for _ in range(2)]
    assert len(find_comparisons(series((), row))) == 3


def test_names_are_unique() -> None:
    rows = [[f"{key}: {v}" for v in ["yes", "yes", "no", "no"]] for key in ("relapse", "infected")]
    rows[1] = rows[1][::2] + rows[1][1::2]
    names = [c.name for c in find_comparisons(series((), *rows))]
    assert len(set(names)) == len(names) == 2
