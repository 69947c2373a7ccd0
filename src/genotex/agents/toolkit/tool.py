"""The base of the toolkit: checked functions, the objects they pass on, and tables."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any, ClassVar, ParamSpec, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from genotex.errors import UsageError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Made:
    """A result of one function of the toolkit that another one takes."""

    made_by: ClassVar[str] = ""


def tool(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Make a function of the toolkit report wrong use in words that a model can act on.

    Unknown and missing arguments, things that another step must make first, and files that may not
    be read or written become a `UsageError`.
    """

    @wraps(function)
    def checked(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        _check(function, args, kwargs)
        try:
            return function(*args, **kwargs)
        except OSError as error:
            raise UsageError(_reason(error)) from error

    return checked


def _check(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        msg = f"{function.__name__}(): {error}; its arguments are {', '.join(signature.parameters)}"
        raise UsageError(msg) from None
    for name, kinds in _made_parameters(function).items():
        value = given.get(name, signature.parameters[name].default)
        if not isinstance(value, kinds):
            raise UsageError(_wrong_kind(function.__name__, name, kinds, value))


@cache
def _made_parameters(function: Callable[..., Any]) -> dict[str, tuple[type, ...]]:
    """Return the parameters that take things made in other cells, with what they take."""
    hints = get_type_hints(function)
    found = {}
    for name in inspect.signature(function).parameters:
        kinds = get_args(hints[name]) or (hints[name],)
        if any(hasattr(kind, "made_by") for kind in kinds):
            found[name] = kinds
    return found


def _wrong_kind(function: str, name: str, kinds: tuple[type, ...], value: object) -> str:
    wanted = " or ".join(
        f"{kind.__name__} (made by {kind.made_by})" for kind in kinds if hasattr(kind, "made_by")
    )
    given = "None" if value is None else type(value).__name__
    if hasattr(value, "made_by"):
        given += f" (made by {value.made_by})"
    return f"{function}(): `{name}` must be {wanted}; given was {given}"


def _reason(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return (
        f"{where}{error.strerror or error}; only files in task.folder can be read, and only "
        "task.output can be written"
    )


_SHOWN_COLUMNS = 5


class NumberTable(Made):
    """Numbers with names of rows and columns; missing values are NaN."""

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows."""
        raise NotImplementedError

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        raise NotImplementedError

    @property
    def values(self) -> NDArray[np.floating]:
        """The numbers, rows x columns."""
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return len(self.rows), len(self.columns)

    def to_pandas(self) -> Any:
        """Return the table as a pandas DataFrame, for looking at it, where pandas is installed."""
        try:
            import pandas as pd
        except ImportError as error:
            msg = "pandas is not installed here; use .rows, .columns and .values (a NumPy array)"
            raise UsageError(msg) from error
        return pd.DataFrame(self.values, index=list(self.rows), columns=list(self.columns))


def preview_rows(table: NumberTable, rows: int) -> str:
    """Return the first rows of the first columns as text."""
    shown = table.columns[:_SHOWN_COLUMNS]
    left = f", {len(table.columns) - len(shown)} more columns"
    lines = ["\t".join(["", *shown]) + (left if len(shown) < len(table.columns) else "")]
    for name, values in zip(table.rows[:rows], table.values[:rows], strict=False):
        lines.append("\t".join([name, *(f"{value:g}" for value in values[: len(shown)])]))
    return "\n".join(lines)


def listed(names: Sequence[object], most: int = 12) -> str:
    """Return the first names, and how many more there are."""
    shown = ", ".join(map(str, names[:most])) or "none"
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
