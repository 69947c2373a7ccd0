"""Runs of the agents that are no team, and runs from prepared tables."""

import json
from pathlib import Path
from typing import Any

import pytest

from genotex.agents import Card, State, find_notebook, overview, read_plan, trace
from genotex.bench import ErrorClass, read_run_record
from genotex.errors import UsageError
from genotex.models import SpendingLimits
from genotex.problems import Problem
from tests.agents.playing import python
from tests.agents.team.conftest import Played, PlayedModel, play, records, solves


def known_genes(card: Card) -> Any:
    return {"genes": ["IL13", "IL33"]}


@pytest.fixture
def zero_shot(played: Played) -> Played:
    played.problems = (Problem("Asthma", "Age"), Problem("Gout"), Problem("Asthma", "Age"))
    played.calls = PlayedModel(known_genes)
    played.others = {"agent": "zero-shot"}
    return played


def test_question_without_data_is_one_call_a_problem_and_reads_nothing(zero_shot: Played) -> None:
    finished = zero_shot.run()
    assert [record.genes for record in finished.problems] == [2, 2]
    assert len(zero_shot.calls.requests) == 2 and not zero_shot.sessions
    assert not (zero_shot.root / "preprocess").exists()
    answer = json.loads(
        (zero_shot.root / "regress/Gout/significant_genes_condition_None.json").read_text()
    )
    assert answer["significant_genes"] == {"Variable": ["IL13", "IL33"]}
    record = read_run_record(zero_shot.root)
    assert record.start == "no data" and record.per_problem["tokens_in"] == 100.0
    zero_shot.run()
    assert len(zero_shot.calls.requests) == 2


def test_question_without_data_is_metered_and_gone_on_with(zero_shot: Played) -> None:
    stopped = zero_shot.run(limits=SpendingLimits(max_tokens=1))
    assert "--max-tokens" in stopped.stopped
    finished = zero_shot.run(limits=SpendingLimits())
    assert finished.summary is not None and finished.summary.answered == 2
    assert len(zero_shot.calls.requests) == 2
    assert read_plan(zero_shot.root).settings() == zero_shot.plan().settings()
    (answer,) = trace(zero_shot.root, find_notebook(zero_shot.root, "Gout")).answers
    assert answer == {"genes": ["IL13", "IL33"]}


def test_unreadable_answer_is_no_answer_and_the_run_ends(zero_shot: Played) -> None:
    zero_shot.calls = PlayedModel(lambda card: {"genes": ["two words"]})
    finished = zero_shot.run()
    assert not finished.stopped
    assert {r.error_class for r in finished.problems} == {ErrorClass.NO_ANSWER}


def script(card: Card) -> str:
    return python(solves(card) if card.task.kind == "statistics" else records(card))


@pytest.fixture
def codeact(played: Played) -> Played:
    played.calls = PlayedModel(script)
    played.others = {"agent": "codeact"}
    return played


def test_one_script_for_each_cohort_and_problem(codeact: Played) -> None:
    finished = codeact.run()
    assert [record.state for record in finished.notebooks] == [State.DONE] * 3
    assert [record.steps for record in finished.notebooks] == [("whole_task",)] * 3
    assert len(codeact.calls.requests) == 3
    assert (codeact.root / "notebooks/Asthma/GSE1.ipynb").is_file()
    assert [row.state for row in overview(codeact.root)] == ["done"] * 3


def test_script_is_replayed_also_when_the_files_have_changed_since(
    codeact: Played, source: Path
) -> None:
    codeact.run()
    (source / "GEO" / "Asthma" / "GSE1" / "more.txt").write_text("later")
    notebook = trace(codeact.root, find_notebook(codeact.root, "GSE1")).notebook
    assert notebook is not None
    assert notebook.context.names == ("whole_task",)
    assert notebook.context.steps[0].final.ran


def test_script_that_fails_is_gone_on_with_after_a_stop(codeact: Played) -> None:
    failing = [True]

    def answer(card: Card) -> str:
        if card.occasion == "write" and failing[0]:
            return python("x = 1  # raise")
        return script(card)

    codeact.calls = PlayedModel(answer)
    assert "--max-tokens" in codeact.run(limits=SpendingLimits(max_tokens=100)).stopped
    finished = codeact.run(limits=SpendingLimits())
    assert finished.summary is not None and finished.summary.answered == 1
    # Two calls for each of two cohorts and the problem; none was made twice.
    assert len(codeact.calls.requests) == 6


@pytest.fixture
def prepared(played: Played, tmp_path: Path) -> Path:
    """Return a folder with cohorts that somebody else has prepared."""
    other = Played(tmp_path / "reference", played.source)
    other.run()
    return other.root


@pytest.mark.parametrize(("agent", "model"), [("team", play), ("codeact", script)])
def test_analysis_alone_starts_from_prepared_tables(
    played: Played, prepared: Path, agent: str, model: Any
) -> None:
    before = sorted(prepared.rglob("*"))
    played.calls = PlayedModel(model)
    played.others = {"agent": agent, "preprocessed": prepared}
    finished = played.run()
    assert [record.task.kind for record in finished.notebooks] == ["statistics"]
    assert finished.notebooks[0].task.folder == str(prepared)
    assert finished.summary is not None
    assert finished.summary.cohorts == {"read": 2, "usable": 2}
    assert not (played.root / "preprocess").exists()
    assert sorted(prepared.rglob("*")) == before
    assert read_run_record(played.root).start == "prepared tables"
    assert {request.role for request in played.calls.requests} <= {
        "planner",
        "reviewer",
        "statistician",
    }
    assert read_plan(played.root).settings() == played.plan().settings()


def test_problem_whose_trait_was_not_prepared_fails_alone(played: Played, prepared: Path) -> None:
    played.problems = (Problem("Asthma", "Age"), Problem("Gout"))
    played.others = {"preprocessed": prepared}
    one, two = played.run().problems
    assert one.success
    assert (two.error_class, two.error) == (
        ErrorClass.NO_COHORT,
        "there is no preprocessed cohort of Gout",
    )


def test_trait_without_raw_files_stops_no_other(played: Played) -> None:
    played.problems = (Problem("Gout"), Problem("Asthma", "Age"))
    gout, asthma = played.run().problems
    assert gout.error_class is ErrorClass.NO_COHORT and asthma.success


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ({"agent": "structured", "preprocessed": Path("x")}, "asks models about raw cohorts alone"),
        ({"agent": "zero-shot", "preprocessed": Path("x")}, "reads no data"),
        ({"preprocessed": Path("nowhere")}, "contains no preprocess/"),
    ],
)
def test_prepared_tables_that_do_not_fit_are_refused(
    played: Played, others: dict[str, Any], told: str
) -> None:
    played.others = others
    with pytest.raises(UsageError, match=told):
        played.run()
    assert not played.root.exists()
