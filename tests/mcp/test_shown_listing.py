"""What an assistant is told of samples and of the folder: each fact under its own name."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

pytest.importorskip("mcp", reason="the server needs genotex[mcp]")

from genotex.errors import UsageError
from genotex.mcp import ConfinedFolder, Tools
from genotex.studies import FoundAnalysis
from tests.geo_text import series_matrix, write_gz

STATES = ["asthma"] * 8 + ["healthy control"] * 6 + ["n.a."] * 2
AGES = [*range(31, 46), None]
ROWS = [
    [f"disease state: {state}" for state in STATES],
    ["" if age is None else f"age: {age}" for age in AGES],
    [f"Sex: {'M' if i % 3 else 'F'}" for i in range(16)],
]


def test_samples_of_a_series(tmp_path: Path) -> None:
    folder = tmp_path / "input" / "GEO" / "Asthma" / "GSE1"
    write_gz(folder / "GSE1_series_matrix.txt.gz", series_matrix(characteristics=ROWS))
    answer = Tools(ConfinedFolder(tmp_path)).annotation("input", "Asthma", "GSE1", 16)
    assert (answer.series, answer.trait, answer.samples) == ("GSE1", "Asthma", 16)
    assert list(answer.groups.items()) == [("case", 8), ("control", 6)]
    trait, age, sex = answer.features
    assert [each.feature for each in answer.features] == ["trait", "age", "sex"]
    for found, row, key, amount in (
        (trait, 0, "disease state", "8 cases, 6 controls, 2 missing"),
        (age, 1, "age", "15 of 16 samples, 31 to 45 years, median 38"),
        (sex, 2, "Sex", "6 female, 10 male, 0 missing"),
    ):
        assert found.available and found.why_not is None
        assert found.where.from_file == f"row {row}, key {key!r}"
        assert found.amount.from_file == amount
    assert trait.certainty != age.certainty and (trait.certainty or 0) > 0.5
    told = [(s.sample, s.title.from_file, s.group, s.age, s.sex) for s in answer.first_samples]
    words = {"asthma": "case", "healthy control": "control"}
    assert told == [
        (f"GSM{i + 1}", f"sample GSM{i + 1}", words.get(STATES[i]), AGES[i],
         "male" if i % 3 else "female")
        for i in range(16)
    ]  # fmt: skip
    for wanted, there in ((0, 0), (-1, 0), (3, 3), (99, 16)):
        few = Tools(ConfinedFolder(tmp_path)).annotation("input", "Asthma", "GSE1", wanted)
        assert len(few.first_samples) == there and few.samples == 16


class Folder:
    """A folder with more than is listed."""

    write = True

    def __init__(self, traits: int, series: int, analyses: int) -> None:
        self._traits, self._series, self._analyses = traits, series, analyses

    def inputs(self) -> list[tuple[str, dict[str, list[str]], int]]:
        names = [f"GSE{i}" for i in range(self._series)]
        half = {f"T{i}": names for i in range(self._traits)}
        return [("one", half, 7), ("two", {"Gout": ["GSE9"]}, 3)]

    def analyses(self) -> dict[str, FoundAnalysis]:
        found = [
            FoundAnalysis(f"out{i}", "Gout", "Age" if i else None, f"GSE{i}", 11 + i, 400 + i,
                          60 + i, f"{i} against 9", False, i == 1, 0.0)
            for i in range(self._analyses)
        ]  # fmt: skip
        return {each.output: each for each in found}

    def problems(self) -> list[str]:
        return ["/root/x is broken"]

    def without_root(self, text: str) -> str:
        return text.removeprefix("/root/")

    def analysis(self, name: str) -> None:
        msg = f"/root/{name} is lost"
        raise UsageError(msg)


def listed(*given: int) -> Any:
    return Tools(cast("ConfinedFolder", Folder(*given))).listing()


def test_what_a_folder_holds() -> None:
    answer = listed(2, 3, 2)
    assert answer.writable and answer.not_listed == 0
    assert [(i.input, i.tcga_studies, [(t.trait, t.series, t.not_listed) for t in i.traits])
            for i in answer.inputs] == [
        ("one", 7, [(f"T{i}", ["GSE0", "GSE1", "GSE2"], 0) for i in range(2)]),
        ("two", 3, [("Gout", ["GSE9"], 0)]),
    ]  # fmt: skip
    assert [entry.model_dump() for entry in answer.analyses] == [
        {"analysis": "out0:Gout", "trait": "Gout", "condition": None, "cohort": "GSE0",
         "tested": 400, "significant": 11, "report": None,
         "contrast": {"from_file": "0 against 9", "cut": False}},
        {"analysis": "out1:Gout:Age", "trait": "Gout", "condition": "Age", "cohort": "GSE1",
         "tested": 401, "significant": 12, "report": "genotex://report/out1%3AGout%3AAge",
         "contrast": {"from_file": "1 against 9", "cut": False}},
    ]  # fmt: skip
    assert [text.from_file for text in answer.problems] == ["x is broken"]


@pytest.mark.parametrize(
    ("traits", "series", "analyses", "shown", "hidden"),
    [(49, 50, 50, (49, 1), 0), (50, 51, 51, (50, 0), 2), (53, 1, 60, (50, 0), 14)],
)
def test_what_is_not_listed_is_counted(
    traits: int, series: int, analyses: int, shown: tuple[int, int], hidden: int
) -> None:
    answer = listed(traits, series, analyses)
    assert tuple(len(each.traits) for each in answer.inputs) == shown
    assert answer.not_listed == hidden and len(answer.analyses) == min(analyses, 50)
    first = answer.inputs[0].traits[0]
    assert (len(first.series), first.not_listed) == (min(series, 50), max(0, series - 50))
    assert answer.analyses[0].analysis == "out0:Gout"


def test_analyses_that_are_not_asked_for_a_gene_are_counted() -> None:
    tools = Tools(cast("ConfinedFolder", Folder(0, 0, 23)))
    answer = tools.gene("il6", [])
    assert (answer.gene, answer.official, answer.found) == ("il6", "IL6", [])
    assert (answer.not_tested_in, answer.not_asked) == ([], 3)
    texts = [text.from_file for text in answer.not_read]
    assert len(texts) == 20 and texts[1] == "out1: out1 is lost"
    assert Tools(cast("ConfinedFolder", Folder(0, 0, 20))).gene("il6", []).not_asked == 0
