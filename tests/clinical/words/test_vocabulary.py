"""Words of traits: those that are listed, and those that only have a name."""

import json
import tomllib
from importlib import resources
from pathlib import Path

import pytest

from genotex.clinical import RuleExpert, load_vocabulary

from ..conftest import CodesOf, MakeDescription

PACKAGED = resources.files("genotex.clinical").joinpath("data/vocabulary.toml")
LISTED = sorted(tomllib.loads(PACKAGED.read_text("utf-8"))["traits"])


def test_every_trait_of_the_benchmark_is_listed(shared_data: Path) -> None:
    info = json.loads((shared_data / "metadata" / "task_info.json").read_text("utf-8"))
    vocabulary = load_vocabulary()
    assert len(info) == 132
    assert [trait for trait in info if not vocabulary.entry(trait)[2]] == []


@pytest.mark.parametrize("name", LISTED)
def test_every_listed_trait_is_found_by_its_own_words(
    name: str, make_description: MakeDescription
) -> None:
    """A disease by its first name and healthy people; a quantity by numbers under its key."""
    words, (_, table, _) = load_vocabulary().trait(name), load_vocabulary().entry(name)
    if words.is_level:
        row = [f"{table['levels'][0]}: {n}" for n in (1, 2, 3, 4)]
    else:
        row = [f"disease state: {table['terms'][0]}", "disease state: healthy control"]
    reading = RuleExpert().annotate(make_description(row, title=name.replace("_", " ")), name)
    assert reading.trait is not None
    assert reading.trait.kind == ("continuous" if words.is_level else "binary")
    if not words.is_level:
        assert list(reading.trait.values.values()) == [1, 0]


OWN = [
    ("Dupuytren contracture", "Dupuytren's contracture"),
    ("Kawasaki_disease", "Kawasaki disease"),
    ("Raynaud_phenomenon", "Raynaud's"),
    ("Marfan Syndrome", "Marfan"),
    ("Takayasu arteritis", "Takayasu's arteritis"),
    ("Ehlers-Danlos syndrome", "Ehlers Danlos syndrome"),
    ("Gulf War Illness", "gulf war illness"),
    ("Meniere disease", "M\u00e9ni\u00e8re's disease"),
    ("Keratoconus", "keratoconus eyes"),
    ("Barrett esophagus", "Barrett's oesophagus"),
]


@pytest.mark.parametrize(("trait", "value"), OWN)
def test_trait_that_is_not_listed_is_recognised_by_its_name(
    codes_of: CodesOf, trait: str, value: str
) -> None:
    assert not load_vocabulary().entry(trait)[2]
    title = "Expression in patients and controls"
    for key, controls in (
        ("diagnosis", ["healthy control", "influenza"]),
        ("group", ["control"]),
        ("disease state", [f"non-{value}"]),
    ):
        found = codes_of(trait, key, [value, *controls], title=title)
        assert found == [1, *[0] * len(controls)]
    key = trait.replace("_", " ").lower()
    assert codes_of(trait, key, ["yes", "no"], title=title) == [1, 0]


def test_quantity_that_is_not_listed_is_recognised_by_its_name(
    make_description: MakeDescription,
) -> None:
    row = ["serum ferritin: 21", "serum ferritin: 35.5", "serum ferritin: 28", "serum ferritin: 40"]
    trait = RuleExpert().annotate(make_description(row), "Serum_Ferritin_Level").trait
    assert trait is not None
    assert (trait.kind, trait.parser) == ("continuous", "number")
