import contextlib
import gzip
import json
import tomllib
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import (
    RuleExpert,
    Terms,
    load_vocabulary,
    read_vocabulary_file,
    vocabulary_text,
)
from genotex.clinical.words.vocabulary_file import TRAIT_KEYS, refuse_contradictions, trait_table
from genotex.errors import FormatError, UsageError, VocabularyFileError

from ..conftest import MakeDescription

PACKAGED = resources.files("genotex.clinical").joinpath("data/vocabulary.toml")
GROUPS = tuple(tomllib.loads(PACKAGED.read_text("utf-8"))["words"])
TITLE = "Expression in patients and controls"


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def codes(make: MakeDescription, values: tuple[str, ...], trait: str, path: Path | None) -> object:
    """Codes of a row of diagnoses, None when it does not record the trait."""
    description = make([f"diagnosis: {value}" for value in values], title=TITLE)
    encoding = RuleExpert(load_vocabulary(path)).annotate(description, trait).trait
    return encoding and tuple(encoding.values.values())


def test_words_of_a_file_are_added_to_the_packaged_ones(
    tmp_path: Path, make_description: MakeDescription
) -> None:
    path = write(tmp_path, '[traits.Asthma]\nterms = ["reactive airway disease"]\n')
    own, packaged = ("reactive airway disease", "healthy"), ("asthma", "healthy")
    assert codes(make_description, own, "Asthma", None) is None
    assert codes(make_description, own, "Asthma", path) == (1, 0)
    assert codes(make_description, packaged, "Asthma", path) == (1, 0)


def test_table_with_replace_takes_the_packaged_place(
    tmp_path: Path, make_description: MakeDescription
) -> None:
    values = ("afib", "healthy")
    assert codes(make_description, values, "Arrhythmia", None) == (1, 0)
    text = '[traits.Arrhythmia]\nreplace = true\nterms = ["long qt"]\n'
    assert codes(make_description, values, "Arrhythmia", write(tmp_path, text)) is None
    text = text.replace("true", "false")
    assert codes(make_description, values, "Arrhythmia", write(tmp_path, text)) == (1, 0)


def test_trait_of_the_users_own(tmp_path: Path, make_description: MakeDescription) -> None:
    text = '[traits."Nonsuch fever"]\nterms = ["nonsuchitis"]\nhealthy = ["bystander"]\n'
    path = write(tmp_path, text)
    values = ("nonsuchitis", "bystander")
    assert codes(make_description, values, "Nonsuch_Fever", None) is None
    assert codes(make_description, values, "Nonsuch_Fever", path) == (1, 0)


def test_name_in_other_capitals_is_the_packaged_trait(tmp_path: Path) -> None:
    path = write(tmp_path, '[traits."breast cancer"]\nterms = ["mammary blastoma"]\n')
    name, table, listed = load_vocabulary(path).entry("Breast Cancer")
    assert listed and name == "Breast_Cancer"
    assert "mammary blastoma" in table["terms"] and len(table["terms"]) > 1


def test_words_of_a_group_count_for_every_trait(
    tmp_path: Path, make_description: MakeDescription
) -> None:
    path = write(tmp_path, '[words]\nhealthy = ["sano"]\n')
    assert codes(make_description, ("asthma", "sano"), "Asthma", path) == (1, 0)


def test_packaged_vocabulary_stays_as_it_was(tmp_path: Path) -> None:
    load_vocabulary(write(tmp_path, '[words]\nhealthy = ["sano"]\n'))
    assert "sano" not in load_vocabulary().groups["healthy"]


def test_packaged_file_is_itself_a_vocabulary_file(tmp_path: Path) -> None:
    read_vocabulary_file(write(tmp_path, PACKAGED.read_text("utf-8")), words=GROUPS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"neither a table \[words\] nor a table \[traits"),
        ("[traits.Gout]\nterms = [\n", "line 2: is not TOML"),
        ("\n[traits.Gout flare]\n", "line 2: is not TOML"),
        ('[Gout]\nterms = ["gout"]', r"Gout: unknown table .*\[traits.Gout\]"),
        ('[traits.Gout]\ntems = ["gout"]', r"traits\.Gout\.tems: unknown key \(perhaps terms\)"),
        ("[traits.Gout]\ncolour = 3", r"traits\.Gout\.colour: unknown key \(known: acronyms"),
        ('[traits.Gout]\nterms = "gout"', r"traits\.Gout\.terms: must be a list of texts, not a"),
        ("[traits.Gout]\nterms = [1]", r"traits\.Gout\.terms: must hold texts only, not a number"),
        ('[traits.Gout]\nterms = [""]', r"traits\.Gout\.terms: '' has nothing to compare"),
        ('[traits.Gout]\nterms = ["痛风"]', r"nothing to compare .*English"),
        ('[traits.Gout]\nreplace = "yes"', r"traits\.Gout\.replace: must be true or false"),
        ('[traits.Gout]\nunit = ["mg/dl"]', r"traits\.Gout\.unit: must be a text, not a list"),
        ('[traits.Gout]\ndirection = "up"', r'direction: must be "high" or "low", not a text'),
        ('traits = ["Gout"]', "traits: must be a table, not a list"),
        ('[traits]\nGout = "gout"', r"traits\.Gout: must be a table, not a text"),
        ('[traits."痛风"]', "is not a trait name"),
        ("[traits.Gout]\n[traits.gout]", r"traits\.gout: is the same trait as traits\.Gout"),
        ('[words]\nhealty = ["sano"]', r"words\.healty: unknown group .*perhaps healthy"),
        ('[words]\nhealthy = "sano"', r"words\.healthy: must be a list of texts"),
        (f"a = {'9' * 5000}", "cannot be read as TOML"),
        ('[trait.Gout]\nterms = ["gout"]', r"trait: unknown table .*perhaps \[traits.Gout\]"),
        ('[word]\nhealthy = ["sano"]', r"word: unknown table .*perhaps \[words\]"),
        ('[traits.Gout]\nnear_misses = ["gout"]', r"near_misses: 'gout' is the trait's own name"),
        ('[traits."Lung Cancer"]\nhealthy = ["lung cancers"]', r"healthy: 'lung cancers' is the"),
        ('[traits.Gout]\naliases = "podagra"', r"traits\.Gout\.aliases: must be a list of texts"),
        ('[traits.Gout]\ncancer = "no"', r"traits\.Gout\.cancer: must be true or false"),
    ],
)
def test_mistake_names_file_and_table(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(VocabularyFileError, match=message) as caught:
        load_vocabulary(path)
    assert str(path) in str(caught.value)


def test_file_that_is_not_there_and_bytes_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(VocabularyFileError, match=r"none\.toml: cannot be opened"):
        load_vocabulary(tmp_path / "none.toml")
    with pytest.raises(VocabularyFileError, match="cannot be opened"):
        load_vocabulary(tmp_path)
    (tmp_path / "latin.toml").write_bytes('[words]\nhealthy = ["Gesunde Männer"]'.encode("latin-1"))
    with pytest.raises(VocabularyFileError, match="is not text in UTF-8"):
        load_vocabulary(tmp_path / "latin.toml")


def test_compressed_file_needs_unpacking(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml.gz"
    path.write_bytes(gzip.compress(b'[words]\nhealthy = ["sano"]\n'))
    with pytest.raises(VocabularyFileError, match="unpack it first"):
        load_vocabulary(path)


def test_file_of_an_editor_that_marks_the_byte_order(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b'\xef\xbb\xbf[words]\r\nhealthy = ["sano"]\r\n')
    assert "sano" in load_vocabulary(tmp_path / "a.toml").groups["healthy"]


@settings(deadline=None)
@given(
    st.sampled_from([*TRAIT_KEYS, "other"]),
    st.recursive(
        st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=6,
    ),
)
def test_no_table_raises_anything_else(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: object
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(f"[traits.Gout]\n{key} = {json.dumps(value)}\n", encoding="utf-8")
    with contextlib.suppress(VocabularyFileError):
        load_vocabulary(path).trait("Gout")


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_else(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.toml"
    path.write_bytes(content)
    with contextlib.suppress(VocabularyFileError):
        load_vocabulary(path)


@given(
    st.text(min_size=1, max_size=10),
    st.dictionaries(
        st.sampled_from(["terms", "excludes"]), st.lists(st.text(max_size=30), max_size=20)
    ),
)
def test_written_table_reads_as_it_was(name: str, table: dict[str, list[str]]) -> None:
    (read,) = tomllib.loads(trait_table(name, table))["traits"].items()
    assert read == (name, {"replace": True, **table})


@pytest.mark.parametrize(
    "trait", [
        "Arrhythmia", "Nonsuch fever (NSF)", "Colon_Polyp_Cancer", "Height", "Serum urate levels",
        "ALL", "Myoma", "Kidney_Chromophobe",
    ],
)  # fmt: skip
def test_words_given_back_unchanged_change_nothing(
    tmp_path: Path, make_description: MakeDescription, trait: str
) -> None:
    path = write(tmp_path, vocabulary_text(load_vocabulary(), trait))
    before, after = load_vocabulary().trait(trait), load_vocabulary(path).trait(trait)
    terms = [name for name, value in vars(before).items() if isinstance(value, Terms)]
    assert terms
    assert all(vars(vars(before)[name]) == vars(vars(after)[name]) for name in terms)
    assert (before.is_cancer, before.is_level) == (after.is_cancer, after.is_level)


def test_words_taken_out_are_out_even_those_of_the_name(
    tmp_path: Path, make_description: MakeDescription
) -> None:
    path = write(tmp_path, '[traits.Gout]\nreplace = true\nterms = ["podagra"]\n')
    assert codes(make_description, ("podagra", "healthy"), "Gout", path) == (1, 0)
    assert codes(make_description, ("gout", "healthy"), "Gout", path) is None
    path = write(tmp_path, '[traits.Gout]\nterms = ["podagra"]\n')
    assert codes(make_description, ("gout", "healthy"), "Gout", path) == (1, 0)


def test_table_under_an_alias_is_that_of_the_listed_trait(tmp_path: Path) -> None:
    path = write(tmp_path, '[traits.T2D]\nterms = ["diabetes of maturity"]\n')
    words = load_vocabulary(path).trait("Type 2 diabetes")
    assert "diabetes of maturity" in words.terms and "T2DM" in words.terms


def test_alias_of_the_users_own(tmp_path: Path) -> None:
    path = write(tmp_path, '[traits.Gout]\naliases = ["podagra"]\nterms = ["urate arthritis"]\n')
    named = load_vocabulary(path).named("Podagra")
    assert (named.listed, named.note) == ("Gout", "'Podagra' is read by the words of Gout")
    assert "podagra" not in load_vocabulary(path).trait("Gout").terms


def test_table_of_the_users_own_settles_a_name_of_several_traits(tmp_path: Path) -> None:
    path = write(tmp_path, '[traits.AS]\nterms = ["aortic stenosis"]\n')
    assert load_vocabulary(path).named("AS").listed == "AS"
    assert "aortic stenosis" in load_vocabulary(path).trait("AS").terms


def test_tables_of_other_traits_than_the_one_asked(tmp_path: Path) -> None:
    path = write(tmp_path, '[traits.Gout]\n[traits.OA]\nterms = ["worn joint"]\n')
    words = load_vocabulary(path)
    assert words.unused_tables(["Asthma"]) == ("Gout", "OA")
    assert words.unused_tables(["Osteoarthritis", "gout"]) == ()


def test_trait_may_be_declared_a_cancer(tmp_path: Path) -> None:
    path = write(tmp_path, "[traits.Seminoma]\ncancer = false\n[traits.LUAD]\ncancer = true\n")
    words = load_vocabulary(path)
    assert (words.trait("Seminoma").is_cancer, words.trait("LUAD").is_cancer) == (False, True)


def test_words_of_an_unlisted_name_are_not_cut() -> None:
    text = vocabulary_text(load_vocabulary(), "Juvenile_Measles disease")
    table = tomllib.loads(text)["traits"]["Juvenile_Measles disease"]
    assert table["terms"] == ["juvenile measles disease", "juvenile measles"]


def test_words_of_a_synonym_are_those_of_the_listed_trait() -> None:
    text = vocabulary_text(load_vocabulary(), "atheroma")
    assert text.startswith("# ") and "--vocabulary" in text.splitlines()[0]
    assert "[traits.Atherosclerosis]\nreplace = true\n" in text


def test_words_of_a_trait_that_is_not_listed_state_it() -> None:
    text = vocabulary_text(load_vocabulary(), "Nonsuch fever")
    assert "do not list this trait" in text
    assert tomllib.loads(text)["traits"]["Nonsuch fever"]["terms"] == ["nonsuch fever"]


def test_words_of_no_name() -> None:
    with pytest.raises(UsageError, match="not a trait name"):
        vocabulary_text(load_vocabulary(), "??")


def test_mistake_in_a_vocabulary_file_is_one_of_format() -> None:
    assert issubclass(VocabularyFileError, FormatError)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[traits.Gout]\nterms = ["podagra"]\nnear_misses = ["Podagra"]',
            r"traits\.Gout\.near_misses: 'Podagra' is also among the trait's terms \(keep it in",
        ),
        (
            '[traits.Nonsuch]\nterms = ["kobold lung"]\nexcludes = ["kobold lungs"]',
            r"traits\.Nonsuch\.excludes: 'kobold lungs' is also among the trait's terms",
        ),
        (
            '[traits.Nonsuch]\nacronyms = ["KLX"]\nhealthy_acronyms = ["KLX"]',
            r"healthy_acronyms: 'KLX' is also among the trait's acronyms",
        ),
        (
            '[traits."Bile Duct Cancer"]\nterms = ["bile duct ligation"]',
            r"terms: 'bile duct ligation' is also among the trait's excludes \(the built-in",
        ),
        (
            '[traits.Nonsuch]\nterms = ["kobold lung"]\n[words]\nhealthy = ["kobold lung"]',
            r"words\.healthy: 'kobold lung' is also among the terms of the trait Nonsuch",
        ),
        (
            '[words]\nhealthy = ["asthma"]',
            r"words\.healthy: 'asthma' is also among the terms of the trait Asthma",
        ),
    ],
)
def test_word_that_is_the_trait_and_not_the_trait(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(VocabularyFileError, match=message):
        load_vocabulary(write(tmp_path, text))


def test_replaced_table_may_move_a_word_of_the_packaged_one(tmp_path: Path) -> None:
    table = '[traits."Rheumatoid Arthritis"]\nreplace = true\nterms = ["osteoarthritis"]'
    words = load_vocabulary(write(tmp_path, table)).trait("Rheumatoid Arthritis")
    assert words.terms.find("knee osteoarthritis")


def test_word_of_one_trait_may_be_a_near_miss_of_another(tmp_path: Path) -> None:
    text = '[traits.One]\nterms = ["kobold lung"]\n[traits.Other]\nnear_misses = ["kobold lung"]'
    assert load_vocabulary(write(tmp_path, text)).trait("One").terms.find("kobold lung")


def test_packaged_words_have_no_contradiction(tmp_path: Path) -> None:
    groups = load_vocabulary().groups
    tables = read_vocabulary_file(write(tmp_path, PACKAGED.read_text("utf-8")), words=groups)
    assert tables["traits"] and tables["words"]
    refuse_contradictions(tmp_path / "mine.toml", tables, tables)


@pytest.mark.parametrize("trait", ["Multiple_sclerosis", "Huntingtons_Disease", "Height"])
def test_words_written_for_editing_have_no_contradiction(tmp_path: Path, trait: str) -> None:
    load_vocabulary(write(tmp_path, vocabulary_text(load_vocabulary(), trait)))
