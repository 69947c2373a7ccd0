import json
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.errors import NoUsableCohortError, UsageError
from genotex.layout import OutputFolder
from genotex.problems import Problem, TaskInfo, TraitInfo, choose_pair
from tests.problems.test_cohort_choice import BIASED, record

PROBLEM = Problem("Asthma", "Obesity")
TASKS = TaskInfo(
    Path("task_info.json"),
    {
        "Asthma": TraitInfo(("IL13", "LEP"), ("Obesity",)),
        "Obesity": TraitInfo(("LEP", "MC4R", "FTO"), ()),
        "Gout": TraitInfo((), ()),
    },
)
Cohorts = Mapping[str, tuple[int | None, Sequence[str] | None]]


def folder(root: Path, **traits: Cohorts) -> OutputFolder:
    """Cohorts by trait: id to size and genes of the linked table (None: no table)."""
    output = OutputFolder(root)
    for trait, cohorts in traits.items():
        path = output.cohort_info(trait)
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({name: record(size) for name, (size, _) in cohorts.items()}))
        for name, (_, genes) in cohorts.items():
            if genes is not None:
                header = ",".join(["", trait, "Age", *genes])
                # The rows are never read, so they may hold anything.
                output.linked_csv(trait, name).write_text(f"{header}\nnot a number\n")
    return output


def test_largest_product_of_sizes(tmp_path: Path) -> None:
    output = folder(
        tmp_path,
        Asthma={"GSE1": (20, ["FTO", "LEP", "X"]), "GSE2": (30, ["MC4R", "FTO", "LEP"])},
        Obesity={"GSE3": (50, ["LEP", "MC4R", "Y"]), "GSE4": (40, ["FTO"])},
    )
    choice = choose_pair(output, PROBLEM, TASKS)
    assert (choice.cohort, choice.condition_cohort) == ("GSE2", "GSE3")
    assert choice.regressors == ("LEP", "MC4R"), "in the order of the related genes"
    assert choice.reason == (
        "the largest pair of usable cohorts with a regressor gene in both tables "
        "(30 x 50 samples, 2 regressor genes)"
    )
    assert choice.others == {
        "GSE1": "in smaller pairs only (product of samples 1,000 against 1,500)"
    }


def test_larger_pair_without_a_shared_regressor_gene_is_passed_over(tmp_path: Path) -> None:
    output = folder(
        tmp_path,
        Asthma={"GSE1": (90, ["X"]), "GSE2": (30, ["FTO"])},
        Obesity={"GSE3": (50, ["LEP"]), "GSE4": (40, ["FTO"])},
    )
    choice = choose_pair(output, PROBLEM, TASKS)
    assert (choice.cohort, choice.condition_cohort) == ("GSE2", "GSE4")
    assert choice.regressors == ("FTO",)
    assert "GSE2 with GSE3: no regressor gene in both tables" in choice.reason
    assert choice.others["GSE1"].startswith("fits no cohort of Obesity (GSE3: no regressor gene")


def test_missing_and_unreadable_tables_are_passed_over(tmp_path: Path) -> None:
    output = folder(
        tmp_path,
        Asthma={"GSE1": (90, None), "GSE2": (80, ["LEP"]), "GSE3": (10, ["LEP"])},
        Obesity={"GSE4": (90, ["LEP"]), "GSE5": (50, ["LEP"])},
    )
    output.linked_csv("Asthma", "GSE2").write_text("<html>Are you a robot?</html>")
    output.linked_csv("Obesity", "GSE4").write_bytes(b"")
    choice = choose_pair(output, PROBLEM, TASKS)
    assert (choice.cohort, choice.condition_cohort) == ("GSE3", "GSE5")
    assert choice.others["GSE1"] == "its linked table is missing"
    assert choice.others["GSE2"].startswith("its linked table cannot be read: an HTML")
    assert "GSE4 of Obesity: its linked table cannot be read: the file is empty" in choice.reason
    assert choice.reason.count("GSE1") == 1, "told once, not for each pair"


def test_ties_go_to_the_trait_s_file_order_first(tmp_path: Path) -> None:
    output = folder(
        tmp_path,
        Asthma={"GSE9": (20, ["LEP"]), "GSE1": (40, ["LEP"])},
        Obesity={"GSE8": (20, ["LEP"]), "GSE2": (40, ["LEP"]), "GSE3": (40, ["LEP"])},
    )
    choice = choose_pair(output, PROBLEM, TASKS)
    assert (choice.cohort, choice.condition_cohort) == ("GSE1", "GSE2")
    equal = folder(
        tmp_path / "equal",
        Asthma={"GSE9": (20, ["LEP"]), "GSE1": (40, ["LEP"])},
        Obesity={"GSE8": (40, ["LEP"]), "GSE2": (20, ["X"])},
    )
    choice = choose_pair(equal, PROBLEM, TASKS, forced_condition="GSE8", forced="GSE9")
    assert (choice.cohort, choice.condition_cohort) == ("GSE9", "GSE8")


def test_same_product_prefers_the_cohort_that_comes_first(tmp_path: Path) -> None:
    output = folder(
        tmp_path,
        Asthma={"GSE1": (20, ["LEP"]), "GSE2": (20, ["LEP"])},
        Obesity={"GSE3": (5, ["LEP"])},
    )
    choice = choose_pair(output, PROBLEM, TASKS)
    assert choice.cohort == "GSE1"
    assert choice.others == {"GSE2": "in pairs of the same size (100), but later in the list"}


def test_trait_and_covariates_are_no_genes(tmp_path: Path) -> None:
    tasks = TaskInfo(Path("t.json"), {"Obesity": TraitInfo(("Asthma", "Age", "Obesity"), ())})
    output = folder(tmp_path, Asthma={"GSE1": (20, ["X"])}, Obesity={"GSE2": (20, ["X"])})
    with pytest.raises(NoUsableCohortError, match="no regressor gene in both tables"):
        choose_pair(output, PROBLEM, tasks)


def test_exclusive_rule_takes_the_trait_s_related_genes_out(tmp_path: Path) -> None:
    output = folder(
        tmp_path,
        Asthma={"GSE1": (90, ["LEP"]), "GSE2": (20, ["FTO", "LEP"])},
        Obesity={"GSE3": (20, ["LEP", "FTO"])},
    )
    assert choose_pair(output, PROBLEM, TASKS).cohort == "GSE1"
    choice = choose_pair(output, PROBLEM, TASKS, "exclusive")
    assert choice.cohort == "GSE2" and choice.regressors == ("FTO",)


def test_unusable_cohorts_are_not_paired(tmp_path: Path) -> None:
    output = folder(
        tmp_path,
        Asthma={"GSE1": (20, ["LEP"]), "GSE2": (90, ["LEP"])},
        Obesity={"GSE3": (20, ["LEP"])},
    )
    path = output.cohort_info("Asthma")
    path.write_text(json.dumps({"GSE1": record(20), "GSE2": BIASED}))
    choice = choose_pair(output, PROBLEM, TASKS)
    assert choice.cohort == "GSE1" and choice.others["GSE2"].startswith("not usable: trait biased")
    assert choice.reason == "the only pair of usable cohorts (20 x 20 samples, 1 regressor gene)"


def test_cohorts_asked_for(tmp_path: Path) -> None:
    output = folder(
        tmp_path,
        Asthma={"GSE1": (20, ["LEP"]), "GSE2": (30, ["LEP"])},
        Obesity={"GSE3": (50, ["LEP"]), "TCGA": (40, ["LEP"])},
    )
    choice = choose_pair(output, PROBLEM, TASKS, forced="GSE1", among=["GSE2"])
    assert (choice.cohort, choice.condition_cohort) == ("GSE1", "GSE3")
    assert "that of Asthma asked for by the user" in choice.reason
    assert choice.others == {"GSE2": "another cohort was asked for"}
    choice = choose_pair(output, PROBLEM, TASKS, forced_condition="Xena")
    assert (choice.cohort, choice.condition_cohort) == ("GSE2", "TCGA")
    choice = choose_pair(output, PROBLEM, TASKS, forced="GSE1", forced_condition="TCGA")
    assert choice.reason.startswith("both cohorts asked for by the user (20 x 40 samples")


def test_cohort_asked_for_is_unknown_or_unusable(tmp_path: Path) -> None:
    output = folder(
        tmp_path, Asthma={"GSE1": (20, ["LEP"])}, Obesity={"GSE3": (9, ["LEP"]), "GSE4": (9, [])}
    )
    with pytest.raises(UsageError, match="Obesity has no cohort 'GSE1'; it has GSE3, GSE4"):
        choose_pair(output, PROBLEM, TASKS, forced_condition="GSE1")
    path = output.cohort_info("Obesity")
    path.write_text(json.dumps({"GSE3": BIASED, "GSE4": record(9)}))
    with pytest.raises(NoUsableCohortError, match=r"cohort GSE3 of Obesity was asked for.*biased"):
        choose_pair(output, PROBLEM, TASKS, forced_condition="GSE3")


def test_among_narrows_the_trait_s_cohorts_only(tmp_path: Path) -> None:
    output = folder(
        tmp_path,
        Asthma={"GSE1": (20, ["LEP"]), "GSE2": (30, ["LEP"])},
        Obesity={"GSE3": (50, ["LEP"])},
    )
    choice = choose_pair(output, PROBLEM, TASKS, among=["GSE1"])
    assert (choice.cohort, choice.condition_cohort) == ("GSE1", "GSE3")
    assert choice.others == {"GSE2": "not among the cohorts that were read now"}


def test_one_series_on_both_sides_is_told(tmp_path: Path) -> None:
    one = {"GSE1": (20, ["LEP"])}
    choice = choose_pair(folder(tmp_path / "a", Asthma=one, Obesity=one), PROBLEM, TASKS)
    assert "GSE1 is on both sides" in choice.reason
    tumour = {"TCGA": (20, ["LEP"])}
    choice = choose_pair(folder(tmp_path / "b", Asthma=tumour, Obesity=tumour), PROBLEM, TASKS)
    assert "both sides" not in choice.reason, "TCGA cohorts of two traits are different tumours"


def test_condition_without_cohorts(tmp_path: Path) -> None:
    output = folder(tmp_path, Asthma={"GSE1": (20, ["LEP"])})
    with pytest.raises(NoUsableCohortError, match=r"Obesity has no preprocessed cohort.*run prep"):
        choose_pair(output, PROBLEM, TASKS)
    output = folder(tmp_path / "b", Asthma={"GSE1": (20, ["LEP"])}, Obesity={})
    with pytest.raises(NoUsableCohortError, match=r"no usable cohort of Obesity.*lists none"):
        choose_pair(output, PROBLEM, TASKS)


def test_condition_without_related_genes(tmp_path: Path) -> None:
    one = {"GSE1": (20, ["LEP"])}
    output = folder(tmp_path, Asthma=one, Gout=one)
    with pytest.raises(NoUsableCohortError, match="lists no related gene of Gout"):
        choose_pair(output, Problem("Asthma", "Gout"), TASKS)


def test_condition_that_the_list_of_traits_lacks(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no trait 'Stroke'; it has Asthma, Obesity, Gout"):
        choose_pair(OutputFolder(tmp_path), Problem("Asthma", "Stroke"), TASKS)


def test_trait_that_the_list_lacks_matters_to_the_exclusive_rule_only(tmp_path: Path) -> None:
    one = {"GSE1": (20, ["LEP"])}
    output = folder(tmp_path, Stroke=one, Obesity=one)
    problem = Problem("Stroke", "Obesity")
    assert choose_pair(output, problem, TASKS).regressors == ("LEP",)
    with pytest.raises(UsageError, match="no trait 'Stroke'"):
        choose_pair(output, problem, TASKS, "exclusive")


def test_no_pair_shares_a_gene(tmp_path: Path) -> None:
    output = folder(tmp_path, Asthma={"GSE1": (20, ["7097"])}, Obesity={"GSE2": (9, ["LEP"])})
    with pytest.raises(NoUsableCohortError) as caught:
        choose_pair(output, PROBLEM, TASKS)
    assert str(caught.value) == (
        "no pair of cohorts fits Asthma given Obesity: GSE1 with GSE2: no regressor gene in both "
        "tables; choose another condition, or check that the tables hold official gene symbols"
    )


def test_no_table_at_all(tmp_path: Path) -> None:
    output = folder(tmp_path, Asthma={"GSE1": (20, None)}, Obesity={"GSE2": (9, ["LEP"])})
    with pytest.raises(NoUsableCohortError, match="GSE1: its linked table is missing; preprocess"):
        choose_pair(output, PROBLEM, TASKS)


@pytest.mark.parametrize("condition", [None, "Age"])
def test_other_kinds_of_problems_need_no_pair(tmp_path: Path, condition: str | None) -> None:
    with pytest.raises(UsageError, match="no pair of cohorts is needed"):
        choose_pair(OutputFolder(tmp_path), Problem("Asthma", condition), TASKS)


sizes = st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=4)


@settings(deadline=None)
@given(sizes, sizes)
def test_first_of_the_sorted_pairs_that_share_a_gene(
    tmp_path_factory: pytest.TempPathFactory,
    trait: list[tuple[int, bool]],
    condition: list[tuple[int, bool]],
) -> None:
    """evaluation.md, selection, written as plainly as it stands there."""

    def cohorts(side: list[tuple[int, bool]]) -> dict[str, tuple[int, list[str]]]:
        return {f"GSE{i}": (n, ["LEP" if good else "X"]) for i, (n, good) in enumerate(side)}

    output = folder(
        tmp_path_factory.mktemp("pairs"), Asthma=cohorts(trait), Obesity=cohorts(condition)
    )
    best: tuple[int, int] | None = None
    for i, j in product(range(len(trait)), range(len(condition))):
        if not (trait[i][1] and condition[j][1]):
            continue
        if (
            best is None
            or trait[i][0] * condition[j][0] > trait[best[0]][0] * condition[best[1]][0]
        ):
            best = (i, j)
    if best is None:
        with pytest.raises(NoUsableCohortError):
            choose_pair(output, PROBLEM, TASKS)
    else:
        choice = choose_pair(output, PROBLEM, TASKS)
        assert (choice.cohort, choice.condition_cohort) == (f"GSE{best[0]}", f"GSE{best[1]}")


def test_header_reader_of_the_caller_is_asked(tmp_path: Path) -> None:
    output = folder(tmp_path, Asthma={"GSE1": (20, ["X"])}, Obesity={"GSE2": (20, ["X"])})
    asked = []

    def remembered(path: Path) -> list[str]:
        asked.append(path.stem)
        return ["trait", "LEP"]

    choice = choose_pair(output, PROBLEM, TASKS, read_header=remembered)
    assert choice.regressors == ("LEP",)
    assert asked == ["GSE1", "GSE2"]
