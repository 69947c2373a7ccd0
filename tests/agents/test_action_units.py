import pytest
from jinja2 import UndefinedError

from genotex.agents import (
    NotebookKind,
    Task,
    action_unit,
    action_units,
    prompt_digest,
    render_prompt,
    toolkit_functions,
)
from genotex.errors import UsageError

KINDS: tuple[NotebookKind, ...] = ("geo", "tcga", "statistics")
TASKS = {
    "geo": Task("geo", "Asthma", "/in", "/out", cohort="GSE1"),
    "tcga": Task("tcga", "Asthma", "/in", "/out"),
    "statistics": Task("statistics", "Asthma", "/in", "/out", condition="Obesity"),
}


def test_steps_are_those_of_the_paper_and_domain_knowledge_is_where_marked() -> None:
    # GenoTEX paper, section 4 and appendix B, as the project's specification lists them.
    names = {kind: [unit.name for unit in action_units(kind)] for kind in KINDS}
    assert names == {
        "geo": [
            "load_data",
            "read_clinical_features",
            "extract_gene_data",
            "review_gene_ids",
            "read_annotation",
            "map_gene_ids",
            "normalise_and_link",
            "task_completed",
        ],
        "tcga": [
            "load_data",
            "find_demographic_columns",
            "choose_demographic_columns",
            "build_features",
            "task_completed",
        ],
        "statistics": [
            "unconditional_regression",
            "one_step_regression",
            "two_step_regression",
            "task_completed",
        ],
    }
    domain = {u.name for kind in KINDS for u in action_units(kind) if u.needs_domain_knowledge}
    assert domain == {
        "read_clinical_features",
        "review_gene_ids",
        "map_gene_ids",
        "find_demographic_columns",
        "choose_demographic_columns",
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("procedure", ["sound", "benchmark"])
def test_every_instruction_can_be_given(kind: NotebookKind, procedure: str) -> None:
    task = Task.from_json(TASKS[kind].to_json() | {"procedure": procedure})
    for unit in action_units(kind):
        text = unit.instruction(task)
        assert len(text) > 40 and "{{" not in text
        assert len(prompt_digest(unit.prompt)) == 64


@pytest.mark.parametrize("kind", KINDS)
def test_functions_of_a_step_exist_and_its_instruction_names_no_other(kind: NotebookKind) -> None:
    known = toolkit_functions()
    for unit in action_units(kind):
        assert set(unit.functions) <= set(known)
        text = unit.instruction(TASKS[kind])
        named = {name for name in known if f"`{name}(" in text or f"`{name}`" in text}
        assert named <= set(unit.functions), unit.name


def test_every_function_serves_some_step() -> None:
    used = {name for kind in KINDS for unit in action_units(kind) for name in unit.functions}
    assert used == set(toolkit_functions())


def test_last_step_of_each_kind_completes_it_and_no_other_does() -> None:
    for kind in KINDS:
        *others, last = action_units(kind)
        assert last.completes and not any(unit.completes for unit in others)


def test_unknown_step_names_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"geo has no step 'guess'; use load_data, .*"):
        action_unit("geo", "guess")


def test_instruction_without_its_task_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render_prompt("units/geo/load_data.md.j2")


@pytest.mark.parametrize("kind", KINDS)
def test_whole_task_has_all_functions_and_is_no_step_to_be_planned(kind: NotebookKind) -> None:
    whole = action_unit(kind, "whole_task")
    assert set(whole.functions) == {name for u in action_units(kind) for name in u.functions}
    assert whole not in action_units(kind) and not whole.completes
