"""The trait list, and the disease ids of its traits."""

import json
from pathlib import Path

import pytest

from genotex.errors import FormatError, UsageError
from genotex.problems import ListedTrait, TaskInfo, TraitList, read_disease_ids

OWN = """
[categories]
cancer = "Cancer"
immune = "Immune system"

[traits]
Asthma = { category = "immune", diseases = ["EFO:0000270", "MONDO_0004979"] }
Vitamin_D = { category = "immune", role = "condition-only" }
[traits.Prostate_Cancer]
category = "cancer"
sex = "male"
[traits.Obesity]
category = "immune"
universal = true
diseases = "EFO_0001073"
"""


def load(folder: Path, text: str) -> TraitList:
    path = folder / "traits.toml"
    path.write_text(text, "utf-8")
    return TraitList.load(path)


def test_list_of_ones_own(tmp_path: Path) -> None:
    listed = load(tmp_path, OWN)
    assert tuple(listed.traits.values()) == (
        ListedTrait("Asthma", "immune", diseases=("EFO_0000270", "MONDO_0004979")),
        ListedTrait("Vitamin_D", "immune", condition_only=True),
        ListedTrait("Prostate_Cancer", "cancer", "male"),
        ListedTrait("Obesity", "immune", universal=True, diseases=("EFO_0001073",)),
    )
    assert [trait.is_cancer for trait in listed.traits.values()] == [False, False, True, False]
    assert listed.category("Asthma") == "immune" and listed.category("Gout") is None


def test_packaged_list_holds_what_the_paper_names() -> None:
    listed = TraitList.load()
    assert len(listed.traits) == 132 and len(listed.categories) == 9
    assert {trait.category for trait in listed.traits.values()} == set(listed.categories)
    # Appendix D: its examples of each rule.
    assert [t.name for t in listed.traits.values() if t.universal] == ["Hypertension", "Obesity"]
    assert [t.name for t in listed.traits.values() if t.condition_only] == [
        "LDL_Cholesterol_Levels",
        "Vitamin_D_Levels",
    ]
    assert listed.traits["Endometriosis"].sex == "female"
    assert listed.traits["Prostate_Cancer"].sex == "male"


def test_packaged_list_has_the_traits_of_the_published_file(shared_data: Path) -> None:
    tasks = TaskInfo.load(shared_data / "metadata" / "task_info.json")
    listed = TraitList.load().traits
    assert list(listed) == list(tasks.traits)
    given_gender = {trait for trait, info in tasks.traits.items() if "Gender" in info.conditions}
    both = {t.name for t in listed.values() if t.sex is None and not t.condition_only}
    assert given_gender == both


def test_trait_that_is_not_listed_gets_the_nearest_spelling(tmp_path: Path) -> None:
    listed = load(tmp_path, OWN)
    assert [t.name for t in listed.among(["Obesity", "Asthma"])] == ["Obesity", "Asthma"]
    with pytest.raises(
        UsageError, match=r"toml lacks 1 of 2 traits: Astma \(near.*: Asthma\).*--t"
    ):
        listed.among(["Obesity", "Astma"])
    with pytest.raises(UsageError, match="the packaged trait list lacks 7 of 7 traits"):
        TraitList.load().among([f"Q{i}" for i in range(7)])


def test_category_by_name(tmp_path: Path) -> None:
    listed = load(tmp_path, OWN)
    assert listed.known_category(" Cancer ") == "cancer"
    with pytest.raises(UsageError, match="no category 'x/y'; it has cancer, immune"):
        listed.known_category("x/y")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("[traits", "is not TOML"),
        ("[categories]\n", "traits: lists no trait"),
        ("[trait]\n", "'trait' is not known here; known: categories, traits"),
        ("traits = 5", "traits: is '5', not a table"),
        ("[categories]\nX = 'x'\n[traits]\nA = {}", "categories.X: a category is a key in lower"),
        ("[categories]\nx = 5\n[traits]\nA = {}", "categories.x: a category is a key"),
        ("[categories]\nx = 'x'\n[traits]\nA = {}", "traits.A.category: is missing; it must be x"),
        ("[categories]\nx = 'x'\n[traits]\nA = {category = 'y'}", "traits.A.category: is 'y'"),
        ("[traits]\nA = 'x'", "traits.A: is 'x', not a table"),
        ("[traits]\n'A b' = {}", "traits.A b: is not the name of a trait folder (rename it to A_b"),
        ("[traits]\n'' = {}", "cannot be a trait name"),
    ],
)
def test_malformed_list_names_the_place(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(FormatError, match=r"traits\.toml") as caught:
        load(tmp_path, text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        ("KEY = 1", "traits.A: 'KEY' is not known here; known: category, sex, role"),
        ("sex = 'both'", "traits.A.sex: is 'both'; it must be female or male"),
        ("role = 'trait'", "traits.A.role: is 'trait'; it must be condition-only"),
        ("universal = 'yes'", "traits.A.universal: is 'yes', not true or false"),
        ("diseases = 5", "traits.A.diseases: is '5', neither a disease id"),
        ("diseases = ['']", "traits.A.diseases"),
    ],
)
def test_malformed_fact_names_the_trait(tmp_path: Path, fact: str, words: str) -> None:
    text = f"[categories]\nx = 'x'\n[traits]\nA = {{ category = 'x', {fact} }}"
    with pytest.raises(FormatError, match=r"traits\.toml") as caught:
        load(tmp_path, text)
    assert words in str(caught.value)


ASTHMA = {"Crohns_Disease": ("EFO_0000384",), "Asthma": ("EFO_0000270", "MONDO_0004979")}


def read(folder: Path, name: str, text: str) -> dict[str, tuple[str, ...]]:
    path = folder / name
    path.write_text(text, "utf-8")
    return read_disease_ids(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "ids.tsv",
            "Trait\tdisease\tname\n# by hand\nCrohn's Disease\tEFO:0000384\tCrohn\n\n"
            "Asthma\tEFO_0000270, MONDO_0004979\n",
        ),
        ("ids.txt", "Crohns_Disease\tEFO_0000384\nAsthma\tEFO_0000270\nAsthma\tMONDO_0004979\n"),
        (
            "ids.json",
            json.dumps(
                {"Crohn's Disease": "EFO_0000384", "Asthma": ["EFO_0000270", "MONDO:0004979"]}
            ),
        ),
        (
            "ids.toml",
            "\"Crohn's Disease\" = 'EFO_0000384'\nAsthma = ['EFO_0000270', 'MONDO_0004979']\n",
        ),
    ],
)
def test_the_same_in_every_form(tmp_path: Path, name: str, text: str) -> None:
    found = read(tmp_path, name, text)
    assert found == ASTHMA and list(found) == list(ASTHMA)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("ids.tsv", "", "empty"),
        ("ids.tsv", "trait\tid\n", "contains no trait"),
        ("ids.tsv", "Asthma EFO_0000270\n", "line 1: has no tab"),
        ("ids.tsv", "Asthma\tEFO_0000270\nGout\t\n", "line 2"),
        ("ids.tsv", "Asthma\tasthma\n", "line 1: 'asthma' is not an Open Targets disease id"),
        ("ids.tsv", "\tEFO_0000270\n", "line 1: '' cannot be a trait name"),
        ("ids.json", "{", "is not JSON"),
        ("ids.json", '["Asthma"]', "a list where an object"),
        ("ids.json", '{"Asthma": 270}', "Asthma: is '270', neither"),
        ("ids.json", "{}", "contains no trait"),
        ("ids.toml", "Asthma = ", "is no TOML"),
    ],
)
def test_malformed_file_names_the_place(tmp_path: Path, name: str, text: str, words: str) -> None:
    with pytest.raises(FormatError, match="ids") as caught:
        read(tmp_path, name, text)
    assert words in str(caught.value)
