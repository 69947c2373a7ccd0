"""The question without data."""

import json
from pathlib import Path
from typing import Any

import pytest

from genotex.agents import RulesModel, Task, ask_without_data
from genotex.agents.structured import MOST_GENES
from genotex.errors import BadAnswerError
from genotex.models import Model, RoleModels, ScriptedModel
from tests.agents.faulty_rules import FaultyRules

TASK = Task("statistics", "Asthma", "/nowhere", "output", condition="Obesity")


def ask(model: Model, task: Task = TASK) -> list[str]:
    return ask_without_data(RoleModels(model), task)


def answering(*answers: Any) -> ScriptedModel:
    left = iter(answers)
    return ScriptedModel(lambda request: next(left))


def test_one_short_question_names_trait_and_condition_and_no_data() -> None:
    model = answering({"genes": ["IL13", "IL33", "IL13"]})
    assert ask(model) == ["IL13", "IL33"]
    (request,) = model.requests
    asked = request.messages[-1].text
    assert request.role == "expert"
    assert "significantly associated with Asthma when Obesity is taken into account" in asked
    assert len(asked) < 700


def test_longer_answer_is_cut() -> None:
    genes = [f"GENE{number}" for number in range(MOST_GENES + 20)]
    assert ask(answering({"genes": genes})) == genes[:MOST_GENES]


def test_sentence_in_place_of_a_symbol_is_sent_back_once() -> None:
    model = answering({"genes": ["interleukin 13"]}, {"genes": ["IL13"]})
    assert ask(model) == ["IL13"]
    assert "is not a gene symbol" in model.requests[1].messages[-1].text
    with pytest.raises(BadAnswerError):
        ask(answering({"genes": ["interleukin 13"]}, {"genes": ["il 13"]}))


def test_rules_know_the_genes_of_the_task_list(tmp_path: Path) -> None:
    path = tmp_path / "tasks.json"
    traits = {"Asthma": {"related_genes": ["IL13", "IL33"], "conditions": ["Age"]}}
    path.write_text(json.dumps(traits))
    task = Task("statistics", "Asthma", "/nowhere", "output", task_info=str(path))
    assert ask(RulesModel(), task) == ["IL13", "IL33"]
    with pytest.raises(BadAnswerError):
        ask(FaultyRules("rules-faulty:rate=1,faults=unreadable_answer"), task)


def test_rules_without_a_task_list_have_no_answer() -> None:
    with pytest.raises(BadAnswerError, match="none was given"):
        ask(RulesModel())
