"""The paper's methods and ablations by name."""

from pathlib import Path
from typing import Any

import pytest

from genotex.agents import PRESETS, Switches, preset_named
from genotex.bench import BUILT_IN, published
from genotex.errors import UsageError
from genotex.options import MethodOptions


def test_presets_are_those_that_the_benchmark_names() -> None:
    assert list(PRESETS) == [
        "full",
        "no-planning",
        "no-expert",
        "one-round",
        "no-reviewer",
        "zero-shot",
        "codeact",
        "structured",
        "rules",
        "lasso",
        "mixed-model",
        "no-bec",
        "random",
    ]


def test_every_preset_of_the_paper_has_its_row_among_the_published_ones() -> None:
    rows = {(row.table, row.name.partition(", OpenAI")[0]) for row in published().rows}
    told = {(table, preset.paper) for preset in PRESETS.values() for table in preset.tables}
    assert len(told) == 20
    assert told <= rows


@pytest.mark.parametrize(
    ("name", "switched"),
    [
        ("full", {}),
        ("no-planning", {"planning": False}),
        ("no-expert", {"expert": False}),
        ("one-round", {"max_rounds": 1}),
        ("no-reviewer", {"reviewer": False}),
    ],
)
def test_an_ablation_switches_one_thing_of_the_team(name: str, switched: dict[str, Any]) -> None:
    preset = preset_named(name)
    assert preset.agent == "team"
    assert preset.switches(cell_seconds=9.0) == Switches(**switched, cell_seconds=9.0)


def test_presets_without_a_model_are_methods_that_are_always_there() -> None:
    methods = {preset.method for preset in PRESETS.values() if preset.method is not None}
    assert methods == set(BUILT_IN)


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("full", {"planner", "engineer", "statistician", "reviewer", "expert"}),
        ("no-planning", {"engineer", "statistician", "reviewer", "expert"}),
        ("no-expert", {"planner", "engineer", "statistician", "reviewer"}),
        ("no-reviewer", {"planner", "engineer", "statistician", "expert"}),
        ("codeact", {"engineer", "statistician"}),
        ("structured", {"expert"}),
        ("zero-shot", {"expert"}),
        ("lasso", set()),
    ],
)
def test_a_preset_asks_these_roles(name: str, roles: set[str]) -> None:
    assert set(preset_named(name).roles) == roles


def test_zero_shot_asks_a_model_unless_there_are_answers() -> None:
    preset = preset_named("zero-shot")
    assert preset.asks_models(MethodOptions())
    assert not preset.asks_models(MethodOptions(answers=Path("answers.jsonl")))


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("full", {"method": "rules"}, "--method has no effect with the preset full"),
        ("lasso", {"command": "x"}, "--command has no effect with the preset lasso"),
        ("full", {"genes": 3, "own_cohorts": True}, "--genes, --own-cohorts have no effect"),
        ("codeact", {"answers": Path("a")}, "--answers has no effect with the preset codeact"),
        ("zero-shot", {"procedure": "sound"}, "--procedure has no effect"),
    ],
)
def test_options_that_do_nothing_are_refused(name: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        preset_named(name).asks_models(MethodOptions(**options))


def test_unknown_preset_is_reported_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no preset 'best'; use full, no-planning"):
        preset_named("best")
