import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import Terms
from genotex.clinical.words.wording import Spelling, ends_like_tumour
from genotex.features import folded, simple_key, simplify, split_words


def test_spelling_accents_plurals_and_case_do_not_matter() -> None:
    assert simplify("Sj\u00f6gren's Syndrome") == simplify("sjogrens_syndrome")
    assert simplify("Acute Myeloid Leukaemia") == simplify("acute myeloid leukemia")
    assert simplify("Tumours") == "tumor"
    assert simplify("AsthmaHDM") == "asthma hdm"
    assert simplify("COVID-19+") == "covid 19 positive"


def test_signs_of_markers_in_a_row() -> None:
    plain = "er positive pr negative her2 positive"
    for text in ("ER+ PR- HER2+", "ER+/PR-/HER2+", "ER+PR- HER2+"):
        assert simplify(text) == plain
    assert simplify("ER-/PR-/HER2-") == "er negative pr negative her2 negative"


def test_hyphens_and_genotypes_are_no_signs() -> None:
    assert simplify("MTLE-HS-2") == "mtle hs 2"
    assert simplify("IL-6") == "il 6"
    assert simplify("T-ALL") == "t all"
    assert "negative" not in simplify("45.5 +/- 3")


def test_possession_leaves_the_name() -> None:
    assert simplify("Takayasu's arteritis") == simplify("Takayasu arteritis")
    assert simplify("Crohn\u2019s Disease") == simplify("crohn disease")


def test_each_plain_form_keeps_more_of_the_text_than_the_next() -> None:
    text = "  Tumour  Stage: II\u00e9 (+) "
    assert simple_key(text) == "tumour stage:ii\u00e9 (+)"
    assert folded(text) == "tumour stage: iie (+)"
    assert split_words(text) == ["tumour", "stage", "iie"]
    assert simplify(text) == "tumor stage iie positive"


def test_words_of_a_key_that_is_written_as_one() -> None:
    assert split_words("AgeAtDiagnosis_(yrs)") == ["age", "at", "diagnosis", "yrs"]
    assert split_words("patient's age") == ["patient", "age"]
    assert split_words("\u00c2ge/Sexe") == ["age", "sexe"]


def test_terms_are_found_as_whole_words() -> None:
    terms = Terms(["lung cancer"])
    assert "Lung_Cancer patient" in terms
    assert "lung cancerous" not in terms
    assert terms.find("with lung cancers") == "lung cancer"


def test_short_acronyms_need_capitals_unless_alone() -> None:
    terms = Terms([], ["OA", "RA"])
    assert "OA patient 3" in terms
    assert "oa" in terms
    assert "a ra of things" not in terms
    assert "OA12" not in terms
    assert "BRAF" not in terms


def test_empty_terms_find_nothing() -> None:
    assert "anything" not in Terms([])
    assert not Terms([])


@settings(deadline=None)
@given(st.text())
def test_any_text_can_be_simplified(text: str) -> None:
    plain = simplify(text)
    assert plain == " ".join(plain.split()).lower()
    assert plain.isascii()


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
        "shzophrnia",  # three slips
        "hypotension",  # known, though near another
        "",
    ],
)
def test_words_that_stay_as_they_are(text: str) -> None:
    assert Spelling(KNOWN).mended(text) == text


def test_slip_near_two_known_words_is_left_alone() -> None:
    assert Spelling(KNOWN).mended("hypartension") == "hypertension"
    assert Spelling(["carcinomata", "carcinomate"]).mended("carcinomatu") == "carcinomatu"


def test_a_word_that_is_right_elsewhere_is_no_slip() -> None:
    spelling = Spelling(KNOWN, ["schizophrenoid state", "old adenocarcinomas"])
    assert spelling.mended("schizophrenoia") == "schizophrenia"
    assert Spelling(KNOWN, ["a schizophrenoia", "b"]).mended("schizophrenoia") == "schizophrenoia"


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


@pytest.mark.parametrize("value", ["meningioma", "Wilms tumour and lymphoma"])
def test_word_that_ends_like_a_tumour(value: str) -> None:
    assert ends_like_tumour(value)


@pytest.mark.parametrize("value", ["glaucoma", "granuloma annulare", "haematoma", "tumour stroma"])
def test_word_on_oma_that_is_no_tumour(value: str) -> None:
    assert not ends_like_tumour(value)
