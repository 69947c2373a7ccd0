"""From a generated function of one cell to an encoding: plain data that needs no code."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Real

from genotex.agents.toolkit.tool import listed
from genotex.errors import UsageError

Converter = Callable[[str], float | None] | Mapping[str, float | None]

_SHOWN = 4


def code_cells(
    cells: Sequence[str], convert: Converter, *, where: str, binary: Sequence[float] = ()
) -> dict[str, float | None]:
    """Apply what was written to raw cells."""
    if not cells:
        msg = f"{where}: all cells are empty; choose another row, or leave the feature out"
        raise UsageError(msg)
    if isinstance(convert, Mapping):
        codes = {cell: _number(convert.get(cell), cell, where) for cell in cells}
    elif callable(convert):
        codes = {cell: _number(_call(convert, cell, where), cell, where) for cell in cells}
    else:
        msg = f"{where}: `convert` must be a function of one cell, or a dict of raw cell -> code"
        raise UsageError(msg)
    if all(code is None for code in codes.values()):
        raise UsageError(_nothing(cells, convert, where))
    for cell, code in codes.items():
        if binary and code is not None and code not in binary:
            allowed = ", ".join(f"{value:g}" for value in binary)
            msg = (
                f"{where}: {cell!r} was given the code {code:g}, but two groups take {allowed} or "
                'None; if it is measured, encode it with kind="continuous"'
            )
            raise UsageError(msg)
    return codes


def _call(convert: Callable[[str], float | None], cell: str, where: str) -> object:
    try:
        return convert(cell)
    except Exception as error:
        # The function may fail in any way; the reader needs the cell at which it did.
        msg = (
            f"{where}: convert({cell!r}) raised {type(error).__name__}: {error}; cells begin "
            "with their header, and a value that cannot be read must give None"
        )
        raise UsageError(msg) from error


def _number(code: object, cell: str, where: str) -> float | None:
    if code is None:
        return None
    if isinstance(code, Real):
        try:
            number = float(code)
        except OverflowError:
            number = math.inf
        if math.isnan(number):
            return None
        if math.isfinite(number):
            return number
    msg = (
        f"{where}: convert({cell!r}) gave {code!r}, which is not a code; it must give a number, or "
        "None where the value is not known"
    )
    raise UsageError(msg)


def _nothing(cells: Sequence[str], convert: Converter, where: str) -> str:
    shown = listed([repr(cell) for cell in cells], _SHOWN)
    text = f"{where}: every value became None. The raw cells are {shown}"
    if any(_codes_without_header(cell, convert) for cell in cells):
        return (
            f"{text}. They begin with their header, but your code expects the values without "
            "it: remove the header first, as in value = cell.split(':', 1)[1].strip()"
        )
    if isinstance(convert, Mapping):
        return f"{text}; the dict holds {listed([repr(key) for key in convert], _SHOWN)}"
    return f"{text}. Choose another row, or write the function for these values"


def _codes_without_header(cell: str, convert: Converter) -> bool:
    value = cell.partition(":")[2].strip()
    if not value:
        return False
    if isinstance(convert, Mapping):
        return convert.get(value) is not None
    try:
        return convert(value) is not None
    except Exception:  # the function does not expect this form
        return False
