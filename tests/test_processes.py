import os

import pytest

from genotex.processes import side_by_side


def square(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order(jobs: int) -> None:
    with side_by_side(jobs) as run:
        answers = list(run(square, range(6)))
    assert [value for value, _ in answers] == [0, 1, 4, 9, 16, 25]
    here = {pid for _, pid in answers} == {os.getpid()}
    assert here == (jobs == 1)


def test_environment_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLARS_MAX_THREADS", raising=False)
    before = dict(os.environ)
    with side_by_side(2) as run:
        list(run(square, [1]))
    assert dict(os.environ) == before
