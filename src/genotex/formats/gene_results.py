"""Tables of tested genes as DESeq2, edgeR, limma and genotex write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl

from genotex.arrays import Floats
from genotex.formats.own_tables.table_file import TableFile

_MOST_NAMED = 10


@dataclass(frozen=True)
class _Tool:
    """How a tool calls the columns of its results; empty where it has none."""

    name: str
    effect: str  # log2 fold change
    p: str
    q: str
    statistic: str = ""  # t, or a normal deviate
    error: str = ""
    mean: str = ""
    logged: bool = True  # Whether the mean is a logarithm


_TOOLS = (
    _Tool("DESeq2", "log2FoldChange", "pvalue", "padj", "stat", "lfcSE", "baseMean", logged=False),
    _Tool("limma", "logFC", "P.Value", "adj.P.Val", "t", mean="AveExpr"),
    _Tool("edgeR", "logFC", "PValue", "FDR", mean="logCPM"),
    _Tool("genotex", "log2_fold_change", "p", "q", "t", mean="mean"),
)
_KNOWN = "; ".join(f"{tool.name}: {tool.effect}, {tool.p}, {tool.q}" for tool in _TOOLS)


@dataclass(frozen=True, eq=False)
class GeneResults:
    """Tested genes; numbers are NaN where the tool does not say."""

    name: str  # Of the cohort
    tool: str  # ``DESeq2``, ``limma``, ``edgeR`` or ``genotex``
    genes: tuple[str, ...]  # (p,): their names
    effect: Floats  # (p,): log2 fold changes
    error: Floats  # (p,): their standard errors
    statistic: Floats  # (p,): t, or a normal deviate
    p: Floats  # (p,)
    q: Floats  # (p,): as the tool gives them
    mean: Floats  # (p,): mean log2 expression
    notes: tuple[str, ...] = ()  # What was recognised


@dataclass(frozen=True, eq=False)
class ResultColumns:
    """The columns of a table of results."""

    tool: str
    taken: frozenset[int]  # Places of the columns with the numbers
    numbers: dict[str, Floats]  # By the fields of `GeneResults`


def result_columns(table: TableFile) -> ResultColumns:
    """Find the numbers of a table of results, by the names of its columns.

    Raises FormatError or UsageError if it lacks the columns of all tools, or holds other things in
    them.
    """
    titles: dict[str, int] = {}
    for i, title in enumerate(table.header):
        titles.setdefault(_plain(title), i)
    tool = next((each for each in _TOOLS if _fits(each, titles)), None)
    if tool is None:
        shown = ", ".join([title for title in table.header if title][:_MOST_NAMED])
        msg = f"is no table of tested genes: it has the columns {shown}"
        raise table.error(msg, hint=f"needed are those of one of these tools: {_KNOWN}")
    fields = ("effect", "error", "statistic", "p", "q", "mean")
    named = {field: getattr(tool, field) for field in fields}
    place = {field: titles.get(_plain(title)) for field, title in named.items() if title}
    numbers = {field: _numbers(table, place.get(field)) for field in fields}
    if not tool.logged:
        numbers["mean"] = np.log2(np.maximum(numbers["mean"], 0) + 0.5)
    wrong = np.flatnonzero((numbers["p"] < 0) | (numbers["p"] > 1))
    if len(wrong):
        msg = f"the p-value {numbers['p'][wrong[0]]:g} in {tool.p!r} is not between 0 and 1"
        raise table.error(msg, row=int(wrong[0]))
    return ResultColumns(tool.name, frozenset(i for i in place.values() if i is not None), numbers)


def _plain(title: str) -> str:
    return re.sub(r"[^a-z0-9]", "", title.lower())


def _fits(tool: _Tool, titles: dict[str, int]) -> bool:
    # limma's and edgeR's p-values are called the same but for a point; their q-values are not.
    return {_plain(tool.effect), _plain(tool.p), _plain(tool.q)} <= titles.keys()


def _numbers(table: TableFile, place: int | None) -> Floats:
    if place is None:
        return np.full(table.columns.height, np.nan)
    cells = table.columns.to_series(place)
    numbers = cells.cast(pl.Float64, strict=False)
    if (texts := cells.filter(numbers.is_null()).drop_nulls()).len():
        msg = f"column {table.header[place]!r} holds texts such as {texts[0]!r}"
        raise table.error(msg, hint="it must hold numbers")
    return numbers.fill_null(np.nan).to_numpy()
