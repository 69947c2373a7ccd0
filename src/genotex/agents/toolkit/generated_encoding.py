"""From a generated function of one cell to an encoding: plain data that needs no code."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Real

from genotex.agents.toolkit.tool import listed
from genotex.errors import UsageError

__all__ = ["Converter", "code_cells"]

Converter = Callable[[str], float | None] | Mapping[str, float | None]

_SHOWN = 4


def code_cells(
    cells: Sequence[str], convert: Converter, *, where: str, binary: Sequence[float] = ()
) -> dict[str, float | None]:
    """Apply what was written to raw cells.

    Parameters
    ----------
    cells : sequence of str
        The different raw cells.
    convert : callable or mapping
        Raw cell -> code; None is missing.
    where : str
        What is encoded, for messages: ``trait, row 2``.
    binary : sequence of float, optional
        The only codes allowed.

    Returns
    -------
    dict of str to float or None
        A code for each cell.

    Raises
    ------
    UsageError
        If it raises, gives something else than numbers, codes that are not allowed, or None for
        every cell.
    """
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
        # The written function may fail in any way; the reader needs the cell at which it did.
        msg = (
            f"{where}: convert({cell!r}) raised {type(error).__name__}: {error}; cells come with "
            "their header in front, and a value that cannot be read must give None"
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
        f"{where}: convert({cell!r}) gave {code!r}, which is no code; it must give a number, or "
        "None where the value is not known"
    )
    raise UsageError(msg)


def _nothing(cells: Sequence[str], convert: Converter, where: str) -> str:
    shown = listed([repr(cell) for cell in cells], _SHOWN)
    told = f"{where}: every value became None. The raw cells are {shown}"
    if any(_codes_without_header(cell, convert) for cell in cells):
        return (
            f"{told}. They carry their header in front, and what was written knows the values "
            "without it: take the header off first, as in value = cell.split(':', 1)[1].strip()"
        )
    if isinstance(convert, Mapping):
        return f"{told}; the dict holds {listed([repr(key) for key in convert], _SHOWN)}"
    return f"{told}. Choose another row, or write the function for these values"


def _codes_without_header(cell: str, convert: Converter) -> bool:
    value = cell.partition(":")[2].strip()
    if not value:
        return False
    if isinstance(convert, Mapping):
        return convert.get(value) is not None
    try:
        return convert(value) is not None
    except Exception:  # it was not written for this cell, which is no news here
        return False
