import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.clinical.words.wording import Spelling

KNOWN = ["schizophrenia", "adenocarcinoma", "hypertension", "hypotension", "asthma", "melanoma"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("schizophrnia", "schizophrenia"),  # one letter too few
        ("schizzophrenia", "schizophrenia"),  # one too many
        ("schizophrenea", "schizophrenia"),  # a wrong one
        ("adenocaricnoma", "adenocarcinoma"),  # two neighbours swapped
        ("lung adenocarcinmoa, stage 1", "lung adenocarcinoma, stage 1"),
    ],
)
def test_one_slip_in_a_long_word(written: str, meant: str) -> None:
    assert Spelling(KNOWN).mended(written) == meant


@pytest.mark.parametrize(
    "text",
    [
        "astma",  # short words make other words too easily
        "melenoma",
        "schzophrnia",  # two slips
        "hypotension",  # known, though near another
        "",
    ],
)
def test_words_that_stay_as_they_are(text: str) -> None:
    assert Spelling(KNOWN).mended(text) == text


def test_slip_near_two_known_words_is_left_alone() -> None:
    assert Spelling(KNOWN).mended("hypartension") == "hypertension"
    assert Spelling(["carcinomata", "carcinomate"]).mended("carcinomatu") == "carcinomatu"


@given(st.sampled_from(["schizophrenia", "adenocarcinoma"]), st.data())
def test_any_letter_left_out_is_found_again(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(word) - 1))
    assert Spelling(KNOWN).mended(word[:place] + word[place + 1 :]) == word


@given(st.text(alphabet=string.ascii_letters + " ,-", max_size=60))
def test_mending_twice_mends_no_more(text: str) -> None:
    spelling = Spelling(KNOWN)
    once = spelling.mended(text)
    assert spelling.mended(once) == once


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    assert isinstance(Spelling(KNOWN).mended(text), str)
