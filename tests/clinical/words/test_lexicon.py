"""Diseases by what people call them, and the words they bring."""

import pytest

from genotex.clinical import DiseaseLexicon, load_lexicon

TINY = (
    "vasculitis\t\tvasculitis|inflammation of vessel\t\t\t\n"
    "Kawasaki disease\t0\tkawasaki disease|infantile polyarteritis\tMLNS|KD\tBLK|ITPKC|CD40\t\n"
    "kidney cancer\t\tkidney cancer|renal cancer|carcinoma of kidney|kidney carcinoma\t\t\t\n"
    "clear cell kidney cancer\t2\t"
    "clear cell kidney cancer|clear cell carcinoma of kidney\tccRCC\tVHL\t786o\n"
)


@pytest.fixture
def tiny() -> DiseaseLexicon:
    return DiseaseLexicon(TINY.encode())


@pytest.mark.parametrize(
    "name", ["Kawasaki disease", "Kawasaki_Disease", "Kawasaki", "infantile polyarteritis", "KD"]
)
def test_disease_by_name_synonym_and_abbreviation(tiny: DiseaseLexicon, name: str) -> None:
    assert tiny.find(name) == 1


def test_abbreviation_of_several_diseases_is_that_of_the_initials() -> None:
    lines = (
        "irritable bowel syndrome\t\tirritable bowel syndrome|spastic colon|ibs\tIBD\t\t\n"
        "inflammatory bowel disease\t\tinflammatory bowel disease\tIBD\t\t\n"
    )
    assert DiseaseLexicon(lines.encode()).find("IBD") == 1


@pytest.mark.parametrize("name", ["Clear_Cell_Renal_Carcinoma", "kidney clear cell carcinoma"])
def test_disease_by_its_words_in_another_order(tiny: DiseaseLexicon, name: str) -> None:
    assert tiny.find(name) == 3


@pytest.mark.parametrize("name", ["quux", "disease", "Night owls", "kidney", "VHL", "ITPKC"])
def test_unknown_names(tiny: DiseaseLexicon, name: str) -> None:
    assert tiny.find(name) is None


def test_words_of_a_disease(tiny: DiseaseLexicon) -> None:
    words = tiny.table(1)
    assert words["terms"][:2] == ["kawasaki disease", "infantile polyarteritis"]
    assert words["acronyms"] == ["MLNS", "KD"] and words["genes"] == ["BLK", "CD40", "ITPKC"]
    assert "broader" not in words and "sites" not in words  # "vasculitis" is in no name of it
    assert tiny.table(0)["includes"] == ["kawasaki disease", "infantile polyarteritis"]


def test_cancers_have_organs_and_forms_say_so(tiny: DiseaseLexicon) -> None:
    whole, form = tiny.table(2), tiny.table(3)
    assert whole["sites"] == form["sites"] == ["kidney"]
    assert whole["cancer"] and "subtype" not in whole and form["subtype"]
    assert form["broader"] == ["carcinoma of kidney", "kidney cancer", "kidney carcinoma"]
    assert whole["include_acronyms"] == ["ccRCC"]
    assert whole["cell_lines"] == form["cell_lines"] == ["786o"]


def test_diseases_with_a_form_in_common() -> None:
    lexicon = load_lexicon()
    for one, other, common in (  # Mondo
        ("Lung cancer", "squamous cell carcinoma", True),
        ("Asthma", "allergic asthma", True),
        ("Melanoma", "basal cell carcinoma", False),
        ("Osteoarthritis", "rheumatoid arthritis", False),
        ("Melanoma", "quux", True),
    ):
        assert lexicon.overlap(one, other) is common, other


def test_cell_lines_of_cancers() -> None:
    lexicon = load_lexicon()
    for line, cancer, foreign in (  # Experimental Factor Ontology
        ("mcf7", "Breast cancer", "Lung cancer"),
        ("a549", "Lung cancer", "Breast cancer"),
        ("hep g2", "Liver cancer", "Colon cancer"),
    ):
        of, others = (lexicon.table(lexicon.find(name) or 0) for name in (cancer, foreign))
        assert line in of["cell_lines"] and line not in others["cell_lines"]


def test_packaged_lexicon_knows_what_sources_call_a_disease() -> None:
    lexicon = load_lexicon()
    for name, meant in {  # Mondo, MeSH
        "SLE": "systemic lupus erythematosus",
        "lou gehrig disease": "amyotrophic lateral sclerosis",
        "mucocutaneous lymph node syndrome": "mucocutaneous lymph node syndrome",
        "Preeclampsia": "preeclampsia",
        "Large B-cell Lymphoma": "diffuse large B-cell lymphoma",
    }.items():
        number = lexicon.find(name)
        assert number is not None and lexicon.name(number) == meant
    assert {"sarcoidosis", "atopic dermatitis"} <= set(lexicon.phrases)
    assert {"disease", "cancer", "chronic", "monocyte"}.isdisjoint(lexicon.phrases)


def test_sources_that_refer_to_another_disease_or_hold_one_twice() -> None:
    lexicon = load_lexicon()
    number = lexicon.find("alcohol dependence")
    assert number is not None and number == lexicon.find("alcohol abuse")
    table = lexicon.table(number)
    assert not table.get("cancer") and "pharyngeal neoplasm" not in table["terms"]
    assert lexicon.find("chronic renal failure syndrome") == lexicon.find("chronic kidney disease")
