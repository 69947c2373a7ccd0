"""Names that people ask for: aliases, narrower and wider words, several meanings, none."""

import tomllib
from importlib import resources
from pathlib import Path

import pytest

from genotex.clinical import RuleExpert, TraitNames, infer_cases, load_vocabulary
from genotex.errors import FormatError, UsageError
from genotex.features import simplify

from ..conftest import MakeDescription

PACKAGED = resources.files("genotex.clinical").joinpath("data/vocabulary.toml")
TRAITS = tomllib.loads(PACKAGED.read_text("utf-8"))["traits"]


def listed(name: str) -> str | None:
    return load_vocabulary().named(name).listed


@pytest.mark.parametrize(
    ("name", "trait"),
    [
        ("OA", "Osteoarthritis"),
        ("colorectal cancer", "Colon_and_Rectal_Cancer"),
        ("Alzheimer's", "Alzheimers_Disease"),
        ("PRAD", "Prostate_Cancer"),
        ("UVM", "Ocular_Melanomas"),
        ("READ", "Rectal_Cancer"),
        ("UCEC", "Uterine_Corpus_Endometrial_Carcinoma"),
        ("clear cell renal cell carcinoma", "Kidney_Clear_Cell_Carcinoma"),
        ("systemic lupus erythematosus", "Lupus_(Systemic_Lupus_Erythematosus)"),
        ("Type II diabetes mellitus", "Type_2_Diabetes"),
        ("Sjogren's syndrome", "Sjögrens_Syndrome"),
        ("gastro-oesophageal reflux disease", "Gastroesophageal_reflux_disease_(GERD)"),
        ("covid 19", "COVID-19"),
    ],
)
def test_alias_means_the_listed_trait(name: str, trait: str) -> None:
    assert listed(name) == trait
    assert load_vocabulary().trait(name) is load_vocabulary().trait(trait)


@pytest.mark.parametrize("trait", TRAITS)
def test_listed_name_means_itself_and_needs_no_word_about_it(trait: str) -> None:
    for name in (trait, trait.replace("_", " "), trait.upper()):
        named = load_vocabulary().named(name)
        assert (named.listed, named.note) == (trait, "")


# Forms of a trait, by the WHO classification of tumours, MeSH and GOLD: not the trait itself.
@pytest.mark.parametrize(
    ("name", "wider"),
    [
        ("LUAD", "Lung_Cancer"),
        ("Lung adenocarcinoma", "Lung_Cancer"),
        ("TNBC", "Breast_Cancer"),
        ("DCIS", "Breast_Cancer"),
        ("Emphysema", "Chronic_obstructive_pulmonary_disease_(COPD)"),
        ("Acute promyelocytic leukemia", "Acute_Myeloid_Leukemia"),
        ("Leigh syndrome", "Mitochondrial_Disorders"),
    ],
)
def test_narrower_name_is_found_by_its_own_words(name: str, wider: str) -> None:
    named = load_vocabulary().named(name)
    assert named.listed is None
    assert wider in named.perhaps
    assert "not listed" in named.note or "by the disease lexicon" in named.note
    assert f"perhaps {wider}" in named.note
    assert name in load_vocabulary().trait(name).terms
    assert "small cell lung cancer" not in load_vocabulary().trait(name).terms


def test_lung_adenocarcinoma_has_no_small_cell_cases(make_description: MakeDescription) -> None:
    cells = [
        "histology: lung adenocarcinoma",
        "histology: small cell lung cancer",
        "histology: normal",
    ]
    reading = RuleExpert().annotate(make_description(cells), "Lung adenocarcinoma")
    assert reading.trait is not None
    assert list(reading.trait.values.values()) == [1, 0, 0]
    assert reading.trait.roles[cells[1]] == "other disease"


@pytest.mark.parametrize("name", ["AS", "CD", "AD"])
def test_name_of_several_traits_is_refused_with_the_traits(
    name: str, make_description: MakeDescription
) -> None:
    meant = [trait for trait in TRAITS if name in TRAITS[trait].get("aliases", ())]
    assert len(meant) == 2
    for ask in (
        lambda: load_vocabulary().named(name),
        lambda: load_vocabulary().trait(name),
        lambda: RuleExpert().annotate(make_description(["group: a"]), name),
    ):
        with pytest.raises(UsageError) as caught:
            ask()
        assert all(trait in str(caught.value) for trait in meant)


@pytest.mark.parametrize(
    ("name", "perhaps"),
    [
        ("diabetes", ("Type_1_Diabetes", "Type_2_Diabetes")),
        ("Athsma", ("Asthma",)),
        ("Klingon Fever", ()),
        ("ALL", ()),
    ],
)
def test_unlisted_name_suggests_what_may_be_meant(name: str, perhaps: tuple[str, ...]) -> None:
    named = load_vocabulary().named(name)
    assert (named.listed, named.perhaps) == (None, perhaps)


@pytest.mark.parametrize("name", ["", "  ", "??", "痛风"])
def test_no_name(name: str, make_description: MakeDescription) -> None:
    with pytest.raises(UsageError, match="not a trait name"):
        load_vocabulary().named(name)
    with pytest.raises(UsageError, match="not a trait name"):
        RuleExpert().annotate(make_description(["group: a"]), name)


def test_case_with_a_name_of_several_traits_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": "1", "trait": "AS"}\n', encoding="utf-8")
    with pytest.raises(FormatError, match=r"cases\.jsonl, line 1, trait: .*Angelman_Syndrome"):
        list(infer_cases(path))


def test_short_name_is_an_acronym_and_no_word(make_description: MakeDescription) -> None:
    trait = load_vocabulary().trait("ALL")
    assert "all samples pooled" not in trait.terms
    assert "ALL" in trait.terms and "pediatric ALL" in trait.terms
    cells = ["group: ALL", "group: control", "group: pool of all samples"]
    reading = RuleExpert().annotate(make_description(cells), "ALL")
    assert reading.trait is not None
    assert list(reading.trait.values.values()) == [1, 0, None]


@pytest.mark.parametrize("trait", ["Glaucoma", "Trachoma", "Hematoma", "open angle glaucoma"])
def test_word_on_oma_that_is_no_tumour(trait: str) -> None:
    assert not load_vocabulary().trait(trait).is_cancer


@pytest.mark.parametrize("trait", ["Meningioma", "Wilms tumour", "Anal cancer", "Thymoma"])
def test_name_of_a_tumour(trait: str) -> None:
    assert load_vocabulary().trait(trait).is_cancer


def test_what_a_user_calls_a_cancer_does_not_change_that_it_is_one() -> None:
    for name, entry in TRAITS.items():
        own = load_vocabulary().trait(name)
        for alias in entry.get("aliases", ()):
            if load_vocabulary().names.meant(alias) == (name,):
                assert load_vocabulary().trait(alias).is_cancer == own.is_cancer, alias


def test_aliases_occur_once_and_are_no_other_traits_name() -> None:
    names = {simplify(name): name for name in TRAITS}
    for name, entry in TRAITS.items():
        plain = [simplify(alias) for alias in entry.get("aliases", ())]
        assert len(plain) == len(set(plain)), name
        assert all(names.get(alias, name) == name for alias in plain), name


def test_certainty_of_a_trait_that_no_list_knows_was_never_measured(
    make_description: MakeDescription,
) -> None:
    cells = ["diagnosis: quux", "diagnosis: healthy"]
    reading = RuleExpert().annotate(make_description(cells), "Quux")
    assert reading.trait is not None
    assert reading.certainty is None and reading.trait.certainty is None
    assert any("not listed" in note for note in reading.notes)
    asthma = RuleExpert().annotate(make_description(["diagnosis: asthma", *cells[1:]]), "Asthma")
    assert asthma.certainty is not None and not asthma.notes


def test_disease_of_the_lexicon_has_a_certainty_and_a_note(
    make_description: MakeDescription,
) -> None:
    cells = ["diagnosis: MLNS", "diagnosis: healthy"]
    reading = RuleExpert().annotate(make_description(cells), "Kawasaki_disease")
    assert reading.trait is not None and reading.certainty is not None
    assert reading.trait.values == {cells[0]: 1.0, cells[1]: 0.0}
    assert reading.notes[0].startswith(
        "'Kawasaki_disease' is recognised by the disease lexicon as "
        "'mucocutaneous lymph node syndrome'"
    )


def test_note_on_the_words_of_an_alias(make_description: MakeDescription) -> None:
    cells = ["diagnosis: osteoarthritis", "diagnosis: healthy"]
    reading = RuleExpert().annotate(make_description(cells), "OA")
    assert reading.notes == ("'OA' is read by the words of Osteoarthritis",)


def test_same_trait_by_another_name() -> None:
    names = TraitNames(TRAITS)
    assert names.same("OA", "Osteoarthritis") and names.same("breast cancer", "Breast_Cancer")
    assert names.same("Klingon fever", "Klingon_Fever")
    assert not names.same("OA", "Rheumatoid_Arthritis") and not names.same("AS", "AD")
    assert not names.same("LUAD", "Lung_Cancer")
