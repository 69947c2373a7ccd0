"""Models that misbehave: what comes of it is what the case says, and never a silent wrong."""

from collections.abc import Iterator

import pytest

from genotex.agents import State, trace
from tests.agents.team.misbehaving.all_cases import CASES
from tests.agents.team.misbehaving.case import Case, Outcome
from tests.agents.team.misbehaving.runs import KEY, Ended, Places, prepared_places, wrong_results
from tests.models.conftest import nothing_from_outside

__all__ = ["nothing_from_outside"]
"""The fixture of the models' tests, which holds here, too."""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    with prepared_places(tmp_path_factory.mktemp("misbehaving")) as places:
        yield places


@pytest.mark.everyday
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_misbehaviour(case: Case, places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_COMPATIBLE_API_KEY", KEY)
    ended = places.of(case.place).run(case.notebook, case.moments, structured=case.structured)
    case.check(ended)
    told_from_the_folder_alone(ended)
    ENDS[case.outcome](ended)
    assert key_is_nowhere(ended)


def told_from_the_folder_alone(ended: Ended) -> None:
    """See that overview and trace tell what became of the notebook, without asking or running."""
    found = trace(ended.place.out, ended.record.task)
    if ended.record.state is not State.STOPPED:
        assert found.row.record is not None
        assert found.row.record.to_json() == ended.record.to_json()
        assert found.row.why == ended.record.remark
    if found.notebook is not None:
        steps = [*found.notebook.context.steps, *found.notebook.dropped]
        told = {attempt.code for step in steps for attempt in step.attempts}
        assert set(ended.codes()) - {found.notebook.set_up} <= told


def is_right(ended: Ended) -> None:
    assert ended.record.state is State.DONE, ended.record.why
    assert ended.problem.success
    assert wrong_results(ended) == []
    assert not ended.record.flags


def has_failed(ended: Ended) -> None:
    assert ended.record.state is State.FAILED
    assert ended.record.why
    assert not ended.problem.success
    assert ended.problem.error
    assert wrong_results(ended) == []
    assert not list((ended.place.out / "regress").rglob("*.json"))


def has_stopped(ended: Ended) -> None:
    assert ended.record.state is State.STOPPED
    assert ended.record.why
    assert wrong_results(ended) == []
    before = len(ended.journal)
    again = ended.place.go_on(ended.notebook, [])
    assert again.journal[:before] == ended.journal
    is_right(again)


def is_doubted(ended: Ended) -> None:
    assert ended.record.state is State.DONE
    assert ended.record.flags


def is_wrong(ended: Ended) -> None:
    assert ended.record.state is State.DONE
    assert wrong_results(ended) != []


ENDS = {
    Outcome.RIGHT: is_right,
    Outcome.FAILED: has_failed,
    Outcome.STOPPED: has_stopped,
    Outcome.FLAGGED: is_doubted,
    Outcome.WRONG: is_wrong,
}


def key_is_nowhere(ended: Ended) -> bool:
    """Tell whether the key stands in no file of the run, and in no prompt."""
    files = [path for path in ended.place.out.rglob("*") if path.is_file()]
    texts = [*(path.read_bytes() for path in files), *(text.encode() for text in ended.asked)]
    return bool(texts) and not any(KEY.encode() in text for text in texts)
