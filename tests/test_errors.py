import inspect
import pickle
import re
from pathlib import Path

from genotex import errors


def test_the_docstring_draws_the_tree_as_it_is() -> None:
    defined = {name for name, value in vars(errors).items() if inspect.isclass(value)}
    assert errors.__doc__ is not None
    drawn = set(re.findall(r"\b\w+Error\b", errors.__doc__.split("Catch")[0]))
    assert drawn == {name for name in defined if name.endswith("Error")}


def test_format_error_states_what_where_and_what_to_do() -> None:
    error = errors.TruncatedFileError(
        "ends too early", path=Path("a.gz"), line=7, field="ID_REF", hint="fetch it again"
    )
    assert str(error) == "a.gz, line 7, ID_REF: ends too early (fetch it again)"


def test_format_error_gets_its_place_later() -> None:
    error = errors.TruncatedFileError("ends too early", field="map", hint="fetch it again")
    placed = error.at(Path("a.gz"), 7)
    assert type(placed) is errors.TruncatedFileError
    assert str(placed) == "a.gz, line 7, map: ends too early (fetch it again)"


def test_format_error_survives_the_way_from_a_worker_process() -> None:
    error = errors.NotDataError("an HTML page", path=Path("a.gz"), line=1, hint="fetch it again")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is errors.NotDataError
    assert str(copy) == str(error)


def test_model_error_states_which_model_what_how_often_and_what_to_do() -> None:
    error = errors.RateLimitedError(
        "asked too often", model="openai:gpt-4o", hint="resume later", attempts=3, waiting=7.5
    )
    assert str(error) == "openai:gpt-4o: asked too often; asked 3 times (resume later)"
    assert str(errors.RefusedError("refused")) == "refused"


def test_model_errors_survive_the_way_from_a_worker_process() -> None:
    error = errors.BadAnswerError("empty", model="m", hint="again", attempts=2, working=1.5)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is errors.BadAnswerError
    assert (str(copy), copy.working) == (str(error), 1.5)
    reached = pickle.loads(pickle.dumps(errors.BudgetReachedError("reached", "max_cost")))
    assert (str(reached), reached.limit) == ("reached", "max_cost")
