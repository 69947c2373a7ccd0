"""What a table of the toolkit can do: show itself, and become a table of pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.agents.toolkit.tool import Made
from genotex.errors import UsageError

__all__ = ["Table", "listed", "preview_rows"]

_SHOWN_COLUMNS = 5


class Table(Made):
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


def preview_rows(table: Table, rows: int) -> str:
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
