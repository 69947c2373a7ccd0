"""The task list, and counts of its problems."""

import json
from pathlib import Path

import pytest

from genotex.errors import FormatError, UsageError
from genotex.problems import (
    CategoryCount,
    GeneCount,
    Problem,
    ProblemKind,
    TaskInfo,
    TraitInfo,
    TraitList,
    count_problems,
    write_task_info,
)

ASTHMA = {"related_genes": ["IL33", "ORMDL3"], "conditions": ["Gender", "Obesity"]}


def load(folder: Path, content: object) -> TaskInfo:
    path = folder / "task_info.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return TaskInfo.load(path)


def test_traits_with_genes_and_conditions(tmp_path: Path) -> None:
    info = load(tmp_path, {"Asthma": ASTHMA, "Obesity": {"related_genes": [], "conditions": []}})
    assert info.related_genes("Asthma") == ("IL33", "ORMDL3")
    assert info.related_genes("Obesity") == ()
    assert info.problems() == (
        Problem("Asthma"),
        Problem("Asthma", "Gender"),
        Problem("Asthma", "Obesity"),
        Problem("Obesity"),
    )


def test_trait_that_the_file_lacks(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no trait 'Gout'; it has Asthma"):
        load(tmp_path, {"Asthma": ASTHMA}).related_genes("Gout")


def test_mistyped_trait_among_many_gets_the_nearest_names(tmp_path: Path) -> None:
    names = ("Asthma", "Obesity", *(f"Trait_{i}" for i in range(130)))
    many = {name: {"related_genes": [], "conditions": []} for name in names}
    with pytest.raises(UsageError, match=r"has no trait 'obesty'; .*132 others; .*: Obesity$"):
        load(tmp_path, many).related_genes("obesty")
    with pytest.raises(UsageError, match=r"has no trait 'Gout'; it has 132 others$"):
        load(tmp_path, many).related_genes("Gout")


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ("<html>", None),
        ([], None),
        ({"Asthma": []}, "Asthma"),
        ({"": ASTHMA}, ""),
        ({"Crohn's Disease": ASTHMA}, "Crohn's Disease"),
        ({"Asthma": {"conditions": []}}, "Asthma/related_genes"),
        ({"Asthma": {"related_genes": []}}, "Asthma/conditions"),
        ({"Asthma": {**ASTHMA, "related_genes": "IL33"}}, "Asthma/related_genes"),
        ({"Asthma": {**ASTHMA, "related_genes": ["IL33", 5]}}, "Asthma/related_genes"),
        ({"Asthma": {**ASTHMA, "conditions": [""]}}, "Asthma/conditions"),
        ({"Asthma": {**ASTHMA, "conditions": ["Asthma"]}}, "Asthma/conditions"),
    ],
)
def test_malformed_file_names_the_place(tmp_path: Path, content: object, field: str | None) -> None:
    with pytest.raises(FormatError, match="task_info") as caught:
        load(tmp_path, content)
    assert caught.value.field == field


def test_file_written_as_the_benchmark_does(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "task_info.json"
    write_task_info(path, {"Sjögrens": TraitInfo(("IL33",), ("Age",)), "Red": TraitInfo((), ())})
    assert path.read_text() == (
        '{\n    "Sj\\u00f6grens": {\n        "related_genes": [\n            "IL33"\n        ],\n'
        '        "conditions": [\n            "Age"\n        ]\n    },\n'
        '    "Red": {\n        "related_genes": [],\n        "conditions": []\n    }\n}'
    )
    assert TaskInfo.load(path).problems()[1] == Problem("Sjögrens", "Age")
    assert [p.name for p in path.parent.iterdir()] == ["task_info.json"]


def test_absent_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read"):
        TaskInfo.load(tmp_path / "task_info.json")


def test_published_file_makes_1384_problems(shared_data: Path) -> None:
    info = TaskInfo.load(shared_data / "metadata" / "task_info.json")
    assert len(info.traits) == 132
    assert len(info.problems()) == 1384


def test_published_file_written_again_is_the_same_bytes(tmp_path: Path, shared_data: Path) -> None:
    path = shared_data / "metadata" / "task_info.json"
    write_task_info(tmp_path / "again.json", TaskInfo.load(path).traits)
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


TASKS = TaskInfo(
    Path("task_info.json"),
    {
        "Asthma": TraitInfo(("A", "B", "C"), ("Age", "Obesity")),
        "Eczema": TraitInfo(("B",), ("Age",)),
        "Gout_of_Mine": TraitInfo((), ()),
        "Obesity": TraitInfo(("A", "D"), ("Asthma", "Gender")),
    },
)


def test_counts_by_hand() -> None:
    counts = count_problems(TASKS, TraitList.load())
    assert counts.traits == 4 and counts.conditional == 5
    assert counts.kinds == {
        ProblemKind.UNCONDITIONAL: 4,
        ProblemKind.ONE_STEP: 3,
        ProblemKind.TWO_STEP: 2,
    }
    # 0, 1, 2 and 3 genes: A, B, C and D.
    assert counts.genes == GeneCount(0, 1.5, 3, 4)
    assert counts.without_genes == counts.without_conditions == ("Gout_of_Mine",)
    assert counts.conditions == {"Age": 2, "Obesity": 1, "Asthma": 1, "Gender": 1}
    by_key = {item.category: item for item in counts.categories}
    assert list(by_key) == ["metabolic", "immune", ""]
    assert by_key["immune"] == CategoryCount(
        "immune", "Immune system, allergy and infection", 2, 5, 3, 2.0
    )
    assert by_key[""] == CategoryCount("", "not in the trait list", 1, 1, 0, 0)


def test_the_most_frequent_condition_comes_first() -> None:
    names = {"A": ("Gender", "Obesity"), "B": ("Age", "Obesity"), "C": ("Age", "Obesity")}
    tasks = TaskInfo(Path("x"), {name: TraitInfo((), given) for name, given in names.items()})
    found = count_problems(tasks, TraitList.load()).conditions
    assert list(found.items()) == [("Obesity", 3), ("Age", 2), ("Gender", 1)]
    genes = {"A": ("X",), "B": ("X", "Y", "Z", "U", "V"), "C": ("X", "Y")}
    tasks = TaskInfo(Path("x"), {name: TraitInfo(given, ()) for name, given in genes.items()})
    assert count_problems(tasks, TraitList.load()).genes == GeneCount(1, 2, 5, 5)


def test_empty_list_counts_nothing() -> None:
    counts = count_problems(TaskInfo(Path("none.json"), {}), TraitList.load())
    assert counts.traits == counts.conditional == 0 and counts.categories == ()
    assert counts.genes == GeneCount(0, 0, 0, 0)


def test_published_file(shared_data: Path) -> None:
    tasks = TaskInfo.load(shared_data / "metadata" / "task_info.json")
    counts = count_problems(tasks, TraitList.load())
    # Table 1 of the paper.
    assert (counts.traits, counts.kinds[ProblemKind.UNCONDITIONAL], counts.conditional) == (
        132,
        132,
        1252,
    )
    assert sum(item.problems for item in counts.categories) == 1384
