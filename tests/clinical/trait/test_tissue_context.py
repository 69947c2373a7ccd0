"""Patients and controls told by the tissue they gave, as the texts explain."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import load_vocabulary
from genotex.clinical.trait.series_context import Side, TissueContext

from ..conftest import CodesOf


def side(text: str, tissue: str, trait: str = "Parkinsons_Disease") -> Side | None:
    vocabulary = load_vocabulary()
    return TissueContext(vocabulary.trait(trait), vocabulary, text).side(tissue)


@pytest.mark.parametrize(
    ("text", "tissue", "expected"),
    [
        ("Normal parietal cortex was used.", "Parietal lobe", "control"),
        ("normal temporal or parietal cortices (NTP) of patients", "parietal", "control"),
        ("cerebellum of nine healthy donors", "cerebellar cortex", "control"),
        ("putamen from six patients with Parkinson's disease", "Putamen", "case"),
        ("parkinsonian putamen, normal cerebellum", "putamen", "case"),
        ("parkinsonian putamen and normal putamen", "putamen", "both"),
        ("The putamen is small. Parkinson's disease is common.", "putamen", None),
        ("Parkinson's disease; cerebellum of mice", "cerebellum", None),
        ("normal weight people, putamen", "putamen", None),
        ("", "putamen", None),
        ("normal cortex", "cortex", None),  # of which lobe?
    ],
)
def test_whose_tissue(text: str, tissue: str, expected: Side | None) -> None:
    assert side(text, tissue) == expected


def test_tissue_in_the_name_of_the_disease() -> None:
    assert side("epilepsy with hippocampal sclerosis", "Hippocampus", "Epilepsy") == "case"


def test_row_of_tissues_needs_a_tissue_of_each_side(codes_of: CodesOf) -> None:
    title = "Parkinson's disease"
    values = ["putamen", "cerebellum"]
    both = "Putamen of Parkinson's disease patients was compared with normal cerebellum."
    found = codes_of("Parkinsons_Disease", "tissue", values, title=title, summary=both)
    assert found == [1, 0]
    for summary in (
        "Putamen and cerebellum of patients with Parkinson's disease and controls.",
        "Putamen of Parkinson's disease patients.",
        "Normal cerebellum.",
    ):
        found = codes_of("Parkinsons_Disease", "tissue", values, title=title, summary=summary)
        assert found is None


def test_only_a_key_that_asks_for_the_tissue(codes_of: CodesOf) -> None:
    summary = "Putamen of Parkinson's disease patients was compared with normal cerebellum."
    values = ["putamen", "cerebellum"]
    assert codes_of("Parkinsons_Disease", "batch", values, summary=summary) is None


@settings(deadline=None)
@given(st.text(alphabet="normal of patient()., and or putamen", max_size=80), st.text(max_size=20))
def test_no_text_breaks_it(text: str, tissue: str) -> None:
    assert side(text, tissue) in ("case", "control", "both", None)
