from importlib import resources
from pathlib import Path

import pytest

from genotex.clinical import load_vocabulary, vocabulary_text
from genotex.clinical.words.vocabulary_file import read_vocabulary_file, refuse_contradictions
from genotex.errors import VocabularyFileError

PACKAGED = resources.files("genotex.clinical") / "data" / "vocabulary.toml"


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


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
            '[traits."Rheumatoid Arthritis"]\nterms = ["osteoarthritis"]',
            r"terms: 'osteoarthritis' is also among the trait's near_misses \(the built-in",
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
