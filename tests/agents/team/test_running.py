import json
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from genotex.agents import (
    Card,
    CellResult,
    CellStatus,
    Folders,
    NotebookRecord,
    RunResources,
    State,
    Task,
    do_notebook,
    read_limits,
)
from genotex.agents.team.stage import NotebookSpread
from genotex.bench import ErrorClass
from genotex.errors import (
    BadAnswerError,
    ConfinementError,
    ContextTooLongError,
    GenotexError,
    ModelUnavailableError,
    UsageError,
    WrongKeyError,
)
from genotex.journal import read_journal
from genotex.models import Budget, SpendingLimits, UsageLedger
from genotex.parallel import Processes
from genotex.problems import Problem
from tests.agents.playing import plan, python
from tests.agents.team.conftest import Played, PlayedModel, play


def test_cohorts_are_prepared_and_problems_solved(played: Played) -> None:
    finished = played.run()
    assert not finished.stopped
    assert [record.state for record in finished.notebooks] == [State.DONE] * 3
    (problem,) = finished.problems
    assert (problem.success, problem.genes, problem.cohort) == (True, 1, "GSE1")
    info = json.loads((played.root / "preprocess/Asthma/cohort_info.json").read_text())
    assert list(info) == ["GSE1", "GSE2"]
    for name in (
        "preprocess/Asthma/GSE1.csv",
        "regress/Asthma/significant_genes_condition_Age.json",
        "notebooks/Asthma/GSE1.ipynb",
        "notebooks/Asthma/condition_Age.ipynb",
        "run/run.json",
        "run/prices.json",
        "run/usage.json",
        "run/outcomes.json",
    ):
        assert (played.root / name).is_file(), name
    assert not (played.root / "run/work").exists()


def test_run_keeps_its_settings_prompts_and_versions(played: Played) -> None:
    played.run()
    kept = json.loads((played.root / "run/run.json").read_text())
    assert kept["options"]["switches"]["max_rounds"] == 2
    assert kept["options"]["models"]["model"] == "rules"
    assert len(kept["options"]["prompts"]["team/plan.md.j2"]) == 64
    assert "genotex" in kept["versions"]


def test_usage_is_reported_by_role_and_unknown_cost_stays_unknown(played: Played) -> None:
    finished = played.run()
    usage = finished.usage.to_json()
    assert usage["total"]["calls"] == len(played.calls.requests)
    assert set(usage["roles"]) == {"planner", "engineer", "expert", "reviewer", "statistician"}
    assert usage["total"]["input_tokens"] == {
        "known": 100 * len(played.calls.requests),
        "unknown_calls": 0,
    }
    # The model is in no list of prices.
    assert usage["total"]["cost_usd"] == {"known": "0", "unknown_calls": len(played.calls.requests)}
    own = finished.notebooks[-1].usage["total"]["calls"]
    assert 0 < own < usage["total"]["calls"]


def test_finished_run_asks_and_runs_nothing_when_it_is_done_again(played: Played) -> None:
    played.run()
    before = played.results()
    calls, sessions = len(played.calls.requests), len(played.sessions)
    again = played.run()
    assert (len(played.calls.requests), len(played.sessions)) == (calls, sessions)
    assert again.usage.total().calls == calls
    assert played.results() == before


def test_run_with_other_settings_is_refused(played: Played) -> None:
    played.run()
    played.problems = (Problem("Asthma"),)
    with pytest.raises(UsageError, match="a run with other settings"):
        played.run()


def test_cohorts_of_several_problems_are_prepared_once(played: Played) -> None:
    played.problems = (Problem("Asthma", "Age"), Problem("Asthma", "Gender"))
    finished = played.run()
    assert len(finished.notebooks) == 4
    # No cohort has the gender: that is known before anybody is asked.
    assert finished.problems[1].error_class is ErrorClass.NO_USABLE_COHORT
    assert not (played.root / "run/notebooks/Asthma/condition_Gender.jsonl").exists()


def test_side_by_side_the_results_are_the_same(
    played: Played, tmp_path: Path, source: Path
) -> None:
    alone = Played(tmp_path / "alone", source)
    finished, one = played.run(jobs=3), alone.run()
    assert [record.task.cohort for record in finished.notebooks] == ["GSE1", "GSE2", ""]
    tables = [name for name in alone.results() if not name.startswith("notebooks")]
    assert {n: played.results()[n] for n in tables} == {n: alone.results()[n] for n in tables}
    assert len(one.notebooks) == 3


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (SpendingLimits(max_tokens=1500), "--max-tokens"),
        (SpendingLimits(max_time=1e-9), "--max-time"),
        (SpendingLimits(max_cost=Decimal("0.5"), allow_unknown=False), "--max-cost"),
    ],
)
def test_limit_stops_the_run_cleanly_and_it_can_go_on(
    played: Played, limits: SpendingLimits, told: str
) -> None:
    finished = played.run(limits=limits)
    assert told in finished.stopped
    assert finished.problems == ()
    assert not (played.root / "run/outcomes.json").exists()
    used = len(played.calls.requests)
    again = played.run(limits=SpendingLimits())
    assert not again.stopped
    whole = Played(played.root.with_name("whole"), played.source)
    whole.run()
    # What was answered was not asked again.
    assert len(played.calls.requests) == len(whole.calls.requests)
    assert used < len(whole.calls.requests)
    assert again.usage.total().calls == len(whole.calls.requests)


def test_tokens_of_earlier_parts_count_towards_the_limit(played: Played) -> None:
    played.run(limits=SpendingLimits(max_tokens=1500))
    asked = len(played.calls.requests)
    again = played.run(limits=SpendingLimits(max_tokens=1500))
    assert "--max-tokens" in again.stopped
    assert len(played.calls.requests) == asked


def failing(*errors: Exception | None) -> PlayedModel:
    """Return a model whose first calls fail."""
    left = list(errors)

    def answer(card: Card) -> Any:
        error = left.pop(0) if left else None
        return error or play(card)

    return PlayedModel(answer)


def test_wrong_key_stops_the_run_at_the_first_notebook(played: Played) -> None:
    played.calls = failing(WrongKeyError("no such key"))
    finished = played.run()
    assert "no such key" in finished.stopped
    assert len(played.calls.requests) == 1
    assert [record.state for record in finished.notebooks] == [State.STOPPED]


def test_passing_trouble_stops_one_notebook_and_the_problem_that_needs_it(played: Played) -> None:
    played.calls = failing(ModelUnavailableError("down"))
    finished = played.run()
    assert [record.state for record in finished.notebooks] == [State.STOPPED, State.DONE]
    assert finished.problems == ()
    assert "1 problem" in finished.stopped
    assert not played.run().stopped


def test_trouble_that_does_not_pass_stops_the_run(played: Played, source: Path) -> None:
    for number in range(3, 7):
        (source / "GEO" / "Asthma" / f"GSE{number}").mkdir()
    played.calls = PlayedModel(lambda card: ModelUnavailableError("down"))
    finished = played.run()
    assert "3 notebooks in a row" in finished.stopped
    assert len(finished.notebooks) == 3


def test_question_that_is_too_long_fails_the_notebook_and_no_other(played: Played) -> None:
    # Also with shorter outputs, and with the shortest.
    played.calls = failing(*[ContextTooLongError("too long")] * 3)
    finished = played.run()
    assert [record.state for record in finished.notebooks] == [State.FAILED, State.DONE, State.DONE]


def test_question_that_is_too_long_is_asked_with_shorter_outputs_and_replayed(
    played: Played,
) -> None:
    played.calls = failing(ContextTooLongError("too long"))
    played.run(limits=SpendingLimits(max_tokens=300))
    calls = len(played.calls.requests)
    finished = played.run(limits=SpendingLimits())
    assert [record.state for record in finished.notebooks] == [State.DONE] * 3
    assert finished.notebooks[0].tally.shortened == 1
    entries = read_journal(played.root / "run/notebooks/Asthma/GSE1.jsonl")
    told = [entry for entry in entries if entry["kind"] == "call"]
    assert told[0]["error"]["kind"] == "too long" and "reply" in told[1]
    # What was answered before is not asked again.
    asked = sum(
        entry["kind"] == "call"
        for path in (played.root / "run/notebooks").rglob("*.jsonl")
        for entry in read_journal(path)
    )
    assert calls > 1 and len(played.calls.requests) == asked


def test_answer_that_is_none_is_in_the_journal_and_replayed(played: Played) -> None:
    played.calls = failing(BadAnswerError("empty", model="played", working=1.5))
    played.run(limits=SpendingLimits(max_tokens=300))
    entries = read_journal(played.root / "run/notebooks/Asthma/GSE1.jsonl")
    told = next(entry for entry in entries if entry["kind"] == "call")
    assert told["error"]["message"] == "empty"
    finished = played.run()
    assert finished.notebooks[0].tally.unreadable_plans == 1
    assert finished.notebooks[0].tally.model_seconds > 1.5
    # The call that failed is not forgotten either.
    assert finished.usage.total().failed == 1
    assert finished.notebooks[0].usage["total"]["failed"] == 1


def test_notebook_that_records_nothing_has_failed_and_is_not_taken_for_done(played: Played) -> None:
    played.calls = PlayedModel(
        lambda card: plan("task_completed") if card.occasion == "plan" else python("x")
    )
    finished = played.run()
    assert {record.state for record in finished.notebooks} == {State.FAILED}
    assert "without recording GSE1" in finished.notebooks[0].why
    (problem,) = finished.problems
    assert problem.error_class is ErrorClass.NO_COHORT
    # It stays as it is until it is asked for anew; then nothing of it is taken over.
    played.calls = PlayedModel()
    assert played.run().notebooks[0].state is State.FAILED
    retried = played.run(retry=True)
    assert retried.problems[0].success
    assert (played.root / "run/notebooks/Asthma/GSE1.try1.jsonl").exists()
    # What the first attempt has used is not forgotten.
    # Two cohorts, whose planners were told once that nothing is recorded yet.
    assert retried.usage.total().calls == len(played.calls.requests) + 4


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("# write: output/preprocess/Asthma/GSE1.csv ,Other,A2M\\n", "not Asthma"),
        ("# write: output/preprocess/Obesity/GSE1.csv ,Asthma\\n", "not a file of a preprocessed"),
        ("# write: output/preprocess/Asthma/cohort_info.json {", "not valid JSON"),
        ('# write: output/preprocess/Asthma/cohort_info.json {"GSE9": {}}', "GSE9"),
    ],
)
def test_what_a_notebook_wrote_is_looked_at_before_it_is_taken(
    played: Played, line: str, why: str
) -> None:
    def answer(card: Card) -> Any:
        said = play(card)
        if card.unit == "normalise_and_link" and card.occasion in ("write", "revise"):
            return said.replace("\n```", f"\n{line}\n```")
        return said

    played.calls = PlayedModel(answer)
    first = played.run().notebooks[0]
    assert first.state is State.FAILED
    assert why in first.why
    assert not (played.root / "preprocess/Asthma/GSE1.csv").exists()


def test_missing_isolation_mechanism_is_reported_at_once(played: Played) -> None:
    def reject(folders: object) -> Any:
        msg = "no walls here"
        raise ConfinementError(msg)

    played.session = reject  # type: ignore[method-assign]
    with pytest.raises(ConfinementError, match="no walls here"):
        played.run()


def test_two_step_problem_without_a_task_list_is_refused_before_anything(played: Played) -> None:
    played.problems = (Problem("Asthma", "Obesity"),)
    with pytest.raises(UsageError, match="give --task-info"):
        played.run()
    assert not played.root.exists()


def test_limits_are_kept_for_whoever_goes_on(played: Played) -> None:
    limits = SpendingLimits(Decimal("2.50"), 1500, 60.0, allow_unknown=True)
    played.run(limits=limits)
    assert read_limits(played.root / "run/limits.json") == limits


def test_notebook_whose_journal_does_not_come_again_is_done_again_when_asked_to(
    played: Played,
) -> None:
    played.run(limits=SpendingLimits(max_tokens=440))
    path = played.root / "run/notebooks/Asthma/GSE1.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0], *lines[2:]]))
    told = played.run(limits=SpendingLimits())
    assert "rerun the notebook with --retry" in told.stopped
    assert path.exists() and not told.problems
    finished = played.run(limits=SpendingLimits(), retry=True)
    assert not finished.stopped
    assert finished.problems[0].success
    # What the first attempt has used was paid for.
    assert path.with_name("GSE1.try1.jsonl").exists()


def test_journal_that_does_not_come_again_is_put_aside_on_workers_too(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(
        _: NotebookSpread, tasks: Sequence[Task], resources: RunResources, budget: Budget
    ) -> Any:
        router = played.router(UsageLedger(resources.prices), budget)
        own = replace(resources, router=router, make_session=played.session)
        for task in tasks:
            try:
                yield task, do_notebook(task, own)
            except GenotexError as error:
                yield task, error

    played.run(limits=SpendingLimits(max_tokens=440))
    path = played.root / "run/notebooks/Asthma/GSE1.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0], *lines[2:]]))
    monkeypatch.setattr(NotebookSpread, "start", start)
    told = played.run(limits=SpendingLimits(), executor=Processes())
    assert "rerun the notebook with --retry" in told.stopped and path.exists()
    finished = played.run(limits=SpendingLimits(), retry=True, executor=Processes())
    assert not finished.stopped and finished.problems[0].success
    assert path.with_name("GSE1.try1.jsonl").exists()


def test_cell_that_does_not_come_again_is_done_again_when_asked_to(played: Played) -> None:
    played.run(limits=SpendingLimits(max_tokens=440))
    made = played.session

    def session(folders: Folders) -> Any:
        session = made(folders)
        # Its first cell fails now, and every other time not.
        if len(played.sessions) == 2:
            session.write = lambda code: None  # type: ignore[method-assign]
            whole = session.execute

            def execute(code: str, *, seconds: float | None = None) -> CellResult:
                return replace(whole(code, seconds=seconds), status=CellStatus.ERROR)

            session.execute = execute  # type: ignore[method-assign]
        return session

    played.session = session  # type: ignore[method-assign]
    finished = played.run(limits=SpendingLimits(), retry=True)
    assert [record.state for record in finished.notebooks] == [State.DONE] * 3


def writes_nothing(*places: str) -> PlayedModel:
    """Return a model that plays, but whose code writes nothing in some notebooks."""

    def answer(card: Card) -> Any:
        of = card.task.cohort or "problem"
        # Code that names its cohort is not taken over by others.
        silent = python(f"x = '{of}'")
        return silent if card.occasion in ("write", "revise") and of in places else play(card)

    return PlayedModel(answer)


def test_answer_that_holds_no_longer_goes_also_where_none_comes_in_its_place(
    played: Played,
) -> None:
    played.calls = writes_nothing("GSE1")
    assert played.run().problems[0].cohort == "GSE2"
    answer = played.root / "regress/Asthma/significant_genes_condition_Age.json"
    assert answer.is_file()
    played.calls = writes_nothing("problem")
    retried = played.run(retry=True)
    assert retried.notebooks[0].state is State.DONE
    assert not retried.problems[0].success
    assert not answer.exists()


def test_what_the_toolkit_did_not_write_is_taken_and_flagged(played: Played) -> None:
    records = played.run().notebooks
    assert [record.state for record in records] == [State.DONE] * 3
    assert all("not written by the toolkit" in record.remark for record in records)
    assert "GSE1, from which it was found, is flagged itself" in records[-1].flags
    assert [NotebookRecord.from_json(record.to_json()) for record in records] == list(records)


def first_of_removed(played: Played, *removed: str) -> NotebookRecord:
    """Return the first notebook of a run whose code leaves what is not a regular file."""
    made = played.session

    def session(folders: Folders) -> Any:
        session = made(folders)
        session.removed = removed
        return session

    played.session = session  # type: ignore[method-assign]
    return played.run().notebooks[0]


def test_link_that_code_left_is_reported_of(played: Played) -> None:
    first = first_of_removed(played, "output/preprocess/Asthma/cohort_info.json")
    assert first.flags[0] == (
        "output/preprocess/Asthma/cohort_info.json was not a regular file and was removed"
    )


def test_of_thousands_of_links_some_are_reported_one_by_one(played: Played) -> None:
    first = first_of_removed(played, *(f"link{number}" for number in range(20_000)))
    assert "link9 was not a regular file and was removed" in first.flags
    assert "19990 more were not regular files and were removed" in first.flags
    assert len(first.remark) < 1000


@pytest.mark.parametrize(
    ("written", "error_class", "told"),
    [
        ("regress/Asthma/odd\udcff\x1b[31m {}", ErrorClass.BAD_OUTPUT, "odd\\udcff"),
        (
            "regress/Asthma/significant_genes_condition_Age.json "
            '{"significant_genes": {"Variable": ["A2M"]}, "cohort": {"id": "\\ud800"}}',
            ErrorClass.BAD_OUTPUT,
            "the cohort '\\ud800' cannot be",
        ),
        (f"regress/Asthma/{'long' * 60} {{}}", ErrorClass.BAD_OUTPUT, "it wrote"),
    ],
)
def test_names_that_no_file_takes_end_neither_the_run_nor_what_it_writes(
    played: Played, written: str, error_class: ErrorClass, told: str
) -> None:
    def answer(card: Card) -> Any:
        said = play(card)
        if card.task.kind == "statistics" and card.occasion in ("write", "revise"):
            return python(f"{said[10:-4]}\n# write: output/{written}")
        return said

    played.calls = PlayedModel(answer)
    (problem,) = played.run().problems
    assert problem.error_class is error_class
    assert told in problem.error
    for name in ("outcomes.json", "problems.csv"):
        assert error_class.value in (played.root / "run" / name).read_text(encoding="utf-8")
