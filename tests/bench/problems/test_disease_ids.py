import json
from pathlib import Path

import pytest

from genotex.bench.problems import read_disease_ids
from genotex.errors import FormatError

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
        (
            "ids.txt",
            "Crohns_Disease\tEFO_0000384\nAsthma\tEFO_0000270\nAsthma\tMONDO_0004979\n",
        ),
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
