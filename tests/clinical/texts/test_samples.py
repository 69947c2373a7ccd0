import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.clinical import group_texts


@pytest.mark.parametrize(
    ("cells", "groups"),
    [
        (["HC12", "HC13", "SLE4", "SLE5"], ["HC", "HC", "SLE", "SLE"]),
        (["NC-3", "NC-4", "DN-3"], ["NC", "NC", "DN-3"]),
        (["Patient 12, tumor", "Patient 13, normal"], ["Patient, tumor", "Patient, normal"]),
        (["GSM11_AD_03", "GSM12_AD_04"], ["AD", "AD"]),
        (["control_rep1", "asthma, biological replicate 2"], ["control", "asthma"]),
        (["12T", "13T", "12N"], ["T", "T", "N"]),
        (["T2D1", "T2D2"], ["T2D", "T2D"]),
        (["CD1", "CD2", "CD3"], ["CD", "CD", "CD"]),
        (["fat NGT (15495)", "fat DM (15516)"], ["fat NGT", "fat DM"]),
    ],
)
def test_numbers_of_samples_and_replicates_are_taken_off(
    cells: list[str], groups: list[str]
) -> None:
    assert list(group_texts(cells).values()) == groups


@pytest.mark.parametrize(
    "cells",
    [
        ["type 1 diabetes", "type 2 diabetes"],
        ["CD4 cells", "CD8 cells"],
        ["COVID-19", "SARS-CoV-2"],
        ["stage 1 CKD", "stage 2 CKD", "stage 3 CKD"],
        ["U133A"],
    ],
)
def test_numbers_that_belong_to_a_name_stay(cells: list[str]) -> None:
    assert list(group_texts(cells).values()) == cells


@given(st.lists(st.text(max_size=30), max_size=6, unique=True))
def test_any_texts_are_taken(cells: list[str]) -> None:
    assert list(group_texts(cells)) == cells
