from pathlib import Path

from genotex.bench.problems import ProblemKind, TaskInfo, TraitInfo, TraitList, count_problems
from genotex.bench.problems.task_info import CategoryCount, GeneCount

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
