from collections import Counter

import pytest

from genotex.agents import Card, DoneStep, register_rules
from genotex.errors import UsageError
from genotex.models import Message, Request, model_from_name
from genotex.simulate import SimulatedStudy
from tests.agents.conftest import cohort_task
from tests.agents.faulty_rules import FaultyRules, register_faulty_rules


def request(study: SimulatedStudy, occasion: str, unit: str | None, number: int = 0) -> Request:
    task = cohort_task(study.folder, study.folder, "Simulated_Arthritis", "GSE90000001", "sound")
    card = Card(
        "engineer",
        occasion,  # type: ignore[arg-type]
        task,
        unit=unit,
        steps=(DoneStep("load_data", "ok"),),
        units=(str(number),),
        retractions_left=1,
        attempts=("ok",),
    )
    text = "```python\nx\n```\n```data\nout\n```\n"
    return Request("engineer", (Message("user", text),), facts=card.facts())


def test_without_faults_the_answers_are_those_of_the_rules(study: SimulatedStudy) -> None:
    asked = request(study, "write", "load_data")
    assert "find_files(task)" in FaultyRules("rules-faulty:rate=0").answer(asked).text


@pytest.mark.parametrize(
    ("occasion", "unit", "faults"),
    [
        ("plan", None, {"bad_plan", "needless_return", "unreadable_answer"}),
        ("review", "load_data", {"wrong_verdict", "unreadable_answer"}),
        ("write", "read_clinical_features", {"crash", "endless_loop", "wrong_row"}),
    ],
)
def test_each_fault_happens_at_its_occasion(
    study: SimulatedStudy, occasion: str, unit: str | None, faults: set[str]
) -> None:
    asked = request(study, occasion, unit)
    right = FaultyRules("rules-faulty:rate=0").answer(asked)
    for fault in faults:
        reply = FaultyRules(f"rules-faulty:rate=1,faults={fault}").answer(asked)
        assert (reply.text, reply.data) != (right.text, right.data), fault


def test_fault_of_code_never_happens_to_a_plan(study: SimulatedStudy) -> None:
    asked = request(study, "plan", None)
    right = FaultyRules("rules-faulty:rate=0").answer(asked)
    assert FaultyRules("rules-faulty:rate=1,faults=crash").answer(asked).data == right.data


def test_faults_come_at_the_stated_rate_and_by_the_seed_alone(study: SimulatedStudy) -> None:
    def wrong(seed: int) -> list[bool]:
        model = FaultyRules(f"rules-faulty:seed={seed},rate=0.3,faults=unreadable_answer")
        replies = (model.answer(request(study, "plan", None, number)) for number in range(200))
        return [reply.data is None for reply in replies]

    first = wrong(1)
    assert wrong(1) == first
    assert wrong(2) != first
    # 200 draws at 0.3: mean 60, standard deviation 6.5; five of them on either side.
    assert 27 <= Counter(first)[True] <= 93


def test_asked_again_it_may_answer_rightly(study: SimulatedStudy) -> None:
    model = FaultyRules("rules-faulty:seed=1,rate=0.5,faults=unreadable_answer")
    answers = set()
    for number in range(20):
        asked = request(study, "plan", None, number)
        again = Request(
            asked.role,
            (*asked.messages, Message("assistant", "Hm."), Message("user", "Once more.")),
            facts=asked.facts,
        )
        answers.add((model.answer(asked).data is None, model.answer(again).data is None))
    assert (True, False) in answers


@pytest.mark.parametrize(
    "name",
    [
        "rules-faulty:rate=2",
        "rules-faulty:faults=laziness",
        "rules-faulty:seed=x",
        "rules-faulty:noise",
    ],
)
def test_name_that_makes_no_sense_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="rules-faulty"):
        FaultyRules(name)


def test_rules_are_models_by_their_names() -> None:
    register_rules()
    register_faulty_rules()
    assert model_from_name("rules").name == "rules"
    assert model_from_name("rules-faulty:seed=3").name == "rules-faulty:seed=3"


def test_fault_of_an_answer_is_reported_without_giving_it(study: SimulatedStudy) -> None:
    model = FaultyRules("rules-faulty:seed=1,rate=0.5,faults=unreadable_answer")
    told = []
    for number in range(20):
        asked = request(study, "plan", None, number)
        told.append(model.fault_of(asked))
        assert (told[-1] == "unreadable_answer") == (model.answer(asked).data is None)
    assert set(told) == {None, "unreadable_answer"}
