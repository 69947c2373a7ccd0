"""What each rule and pattern of annotation is worth: answers that change when it is left out.

    python -m benchmarks leave_out CASES.jsonl.gz ... [--samples SAMPLES.parquet] [--only TEXT]
        [--functions] [--enough 4] [--most N]

Left out are, one at a time: each function of the rules (it returns False, None or nothing) and each
alternative of each regular expression. A first pass records in which cases each has any effect of
its own; only these are read again, until four answers have changed. CASES are labelled, by series,
by sample, or single rows (`everyday.jsonl`); those that name listed traits are read a second time
by the lexicon alone, as traits are that nobody wrote words for. SAMPLES are a table of GEO samples
without labels: age, sex, tissue and all relations of 20,000 of them are read, put together to
series by neighbouring accession numbers and equal keys; cases labelled by sample are read with
their titles, too. ``--functions`` leaves the alternatives of patterns alone.

A line for each: place, what is left out, cases with an effect, and how many answers become wrong
(-), right (+) or differ (=) by set, with examples. What has no line after a colon can go.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import inspect
import pkgutil
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import polars as pl

import genotex.clinical
import genotex.features
from benchmarks.clinical.labelled_cases import TEXTS, lexicon_only, read_with_texts
from genotex.clinical import (
    FeatureEncoding,
    RuleExpert,
    SeriesDescription,
    Vocabulary,
    description_from_case,
    find_relations,
    load_vocabulary,
    row_and_map,
)
from genotex.clinical.words.lexicon import load_lexicon
from genotex.features import packaged_table, split_cell
from genotex.formats import read_json_lines

RULES = re.compile(r"genotex\.(?:features|clinical\.(?:words|trait|texts|assay|people|relation))")
FEATURES = ("trait", "age", "gender")
_SEX = {"female": 0.0, "male": 1.0}
_SERIES, _SHOWN = 60, 3
_ASKING = ("search", "match", "fullmatch", "findall", "finditer", "sub", "split")


@dataclass(frozen=True)
class _Case:
    name: str
    description: SeriesDescription
    trait: str
    data: Mapping[str, Any]
    vocabulary: Vocabulary

    def answer(self) -> dict[str, Any]:
        for cache in CACHES:
            cache.cache_clear()
        load_lexicon()._found.clear()
        self.vocabulary._cache.clear()
        expert, seen = RuleExpert(self.vocabulary), self.description
        if not self.data:
            people = expert.annotate_people(seen)
            return {"relations": find_relations(seen).as_record(), "people": people.features}
        annotation = expert.annotate(seen, self.trait)
        found = {name: _row_and_map(each, seen) for name, each in annotation.features.items()}
        return {"gene": annotation.gene.available, **found}

    def right(self, answer: Mapping[str, Any]) -> float:
        """Return how many features, or labelled samples, an answer has right."""
        label = self.data.get("labels", {}).get("reading")
        if label:
            return sum(_same(label[name], answer.get(name)) for name in FEATURES)
        right = 0.0
        for sample in self.data.get("samples", {}).values():
            truths = (sample.get("case"), sample.get("age"), _SEX.get(sample.get("sex")))
            for name, truth in zip(FEATURES, truths, strict=True):
                if truth is not None and (found := answer.get(name)) and "row" in found:
                    cell = [*sample["cells"], *[None] * (found["row"] + 1)][found["row"]] or ""
                    code = found["map"].get(cell)
                    right += 0 if code is None else 1 if abs(code - truth) <= 1 else -1
        return right


def _row_and_map(each: FeatureEncoding | None, seen: SeriesDescription) -> dict[str, Any] | None:
    """Return row and codes; texts of samples count as rows behind the others."""
    if each is None or each.row is not None:
        return row_and_map(each, seen)
    row = len(seen.characteristics) + TEXTS.index(each.sample_field)
    return {"row": row, "map": dict(each.values)}


def _same(label: Any, answer: Any) -> bool:
    if label is None or answer is None:
        return label is answer
    codes = (label.get("map") or {}).items()
    return label["row"] == answer["row"] and all(answer["map"].get(v) == c for v, c in codes)


class _Expression:
    """Stands in for a regular expression of a module and records what it is asked."""

    def __init__(self, place: str, pattern: re.Pattern[str]) -> None:
        self.place, self.now, self.whole = place, pattern, pattern
        self.asked: defaultdict[tuple[Any, ...], set[int]] = defaultdict(set)

    def __getattr__(self, name: str) -> Any:
        if name not in _ASKING:
            return getattr(self.whole, name)
        return functools.partial(self._ask, name)

    def _ask(self, name: str, *given: Any) -> Any:
        if READING:
            self.asked[name, *given].add(READING[0])
        return getattr(self.now, name)(*given)


def _found(pattern: re.Pattern[str], name: str, *given: Any) -> Any:
    try:
        found = getattr(pattern, name)(*given)
    except (re.error, IndexError) as error:  # The group of a replacement was left out
        return str(error)
    if name == "finditer":
        return [(hit.span(), hit.groups()) for hit in found]
    return (found.span(), found.groups()) if isinstance(found, re.Match) else found


def _alternatives(source: str) -> Iterator[tuple[str, str]]:
    """Yield each alternative of a pattern, and the pattern without it."""
    groups: list[tuple[int, list[int]]] = [(0, [])]
    token = re.compile(
        r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|P<\w+>))?|[|)]|$", re.DOTALL
    )
    for hit in token.finditer(source):
        if hit[0].startswith("("):
            groups.append((hit.end(), []))
        elif hit[0] == "|":
            groups[-1][1].append(hit.start())
        elif hit[0] in (")", ""):
            start, bars = groups.pop()
            for left, right in zip([start - 1, *bars], [*bars, hit.start()], strict=True):
                if bars:
                    cut = (left, right) if left in bars else (left + 1, right + 1)
                    yield source[left + 1 : right], source[: cut[0]] + source[cut[1] :]


CASES: list[_Case] = []
ANSWERS: list[dict[str, Any]] = []
CACHES: list[Any] = []
READING: list[int] = []
"""The case that is recorded; empty when none is."""
Leave = tuple[str, str, Callable[[], None], Callable[[], None], set[int]]
"""Place, what is left out, how to, how to undo it, and the cases with an effect."""
LEAVES: list[Leave] = []
ENOUGH = [4]


def _effect(leave: int) -> str:
    place, what, out, back, cases = LEAVES[leave]
    effect: Counter[str] = Counter()
    shown: list[str] = []
    out()
    for number in sorted(cases):
        case, before = CASES[number], ANSWERS[number]
        try:
            now = case.answer()
        except Exception:
            now = {"error": True}
        if now != before:
            change = case.right(now) - case.right(before)
            sign = "-" if change < 0 or "error" in now else "+" if change > 0 else "="
            effect[f"{sign}{case.name}"] += 1
            shown.append(f"{sign}{case.data.get('id', case.description.samples[:1])}")
            if effect.total() >= ENOUGH[0]:
                break
    back()
    counts = " ".join(f"{name} {count}" for name, count in effect.items())
    return f"{place}\t{what}\t{len(cases)}\t{counts}\t{' '.join(shown[:_SHOWN])}"


def _constant(function: FunctionType) -> CodeType | None:
    """Return the code of a function that finds nothing; None where that has no meaning."""
    kind = str(function.__annotations__.get("return", ""))
    if inspect.isgeneratorfunction(function) or function.__code__.co_freevars:
        return None
    value = {"bool": "False", "list": "[]", "dict": "{}", "set": "set()", "froz": "frozenset()"}
    value["None"] = "None"
    text = "None" if kind.endswith("| None") else value.get(kind.partition("[")[0][:4])
    return None if text is None else eval(f"lambda *a, **k: {text}").__code__


def _functions(only: str) -> Iterator[FunctionType]:
    """Yield the functions and methods of the rules."""
    for package in (genotex.clinical, genotex.features):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    every = (each for each in gc.get_objects() if isinstance(each, FunctionType))
    for function in sorted(every, key=lambda f: (f.__module__ or "", f.__qualname__)):
        place = f"{function.__module__}.{function.__qualname__}"
        if RULES.match(place) and "<" not in place and re.search(only, place):
            yield function


def _record(codes: Mapping[CodeType, set[int]]) -> None:
    """Read every case, and note those in which a function finds anything."""

    def look(frame: Any, event: str, found: Any) -> None:
        code = frame.f_code
        if event == "return" and code in codes and (found or code in acting):
            codes[code].add(READING[0])

    acting = {f.__code__ for f in gc.get_objects() if isinstance(f, FunctionType)
              and f.__annotations__.get("return") == "None"}  # fmt: skip
    for number, case in enumerate(CASES):
        READING[:] = [number]
        sys.setprofile(look)
        ANSWERS.append(case.answer())
        sys.setprofile(None)
    READING.clear()


def _leaves(expressions: list[_Expression], codes: Mapping[CodeType, set[int]]) -> Iterator[Leave]:
    for function in [f for f in gc.get_objects() if isinstance(f, FunctionType)]:
        code = function.__code__
        if code in codes and (without := _constant(function)):
            change = functools.partial(setattr, function, "__code__")
            place = f"{function.__module__}.{function.__qualname__}"
            out, back = functools.partial(change, without), functools.partial(change, code)
            yield place, "(function)", out, back, codes[code]
    for each in expressions:
        whole = each.whole
        for part, source in [("(pattern)", "(?!)"), *_alternatives(whole.pattern)]:
            pattern = re.compile(source, whole.flags)
            cases = {
                case
                for asked, several in each.asked.items()
                if _found(whole, *asked) != _found(pattern, *asked)
                for case in several
            }
            change = functools.partial(setattr, each, "now")
            out, back = functools.partial(change, pattern), functools.partial(change, whole)
            yield each.place, part, out, back, cases


def _labelled(path: Path, vocabulary: Vocabulary, name: str) -> Iterator[_Case]:
    for number, (_, line) in enumerate(read_json_lines(path, "a case")):
        data = _of_row(line, f"{name} {number}") if "codes" in line else line
        yield _Case(name, description_from_case(data), data["trait"], data, vocabulary)


def _of_row(line: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a single row with its codes as a labelled case."""
    cells = [f"{line['key']}: {value}" for value in line["values"]]
    codes = line["codes"] and {"row": 0, "map": dict(zip(cells, line["codes"], strict=True))}
    texts = {"title": line["title"], "summary": line["summary"]}
    reading = {"trait": codes, "age": None, "gender": None}
    return {
        "id": name,
        "trait": line["trait"],
        "background": texts,
        "sample_characteristics": {"0": cells},
        "labels": {"reading": reading},
    }


def _with_texts(path: Path, texts: Path, vocabulary: Vocabulary, name: str) -> Iterator[_Case]:
    """Yield cases labelled by sample with the texts of their samples, and these alone."""
    for rows in (True, False):
        for case in read_with_texts(path, texts, vocabulary, rows=rows):
            samples = {n: {"cells": cells, "case": code} for n, (cells, code) in
                       enumerate(case.samples)}  # fmt: skip
            data = {"id": case.id, "samples": samples}
            yield _Case(name, case.description, case.trait, data, vocabulary)


def _unlabelled(path: Path, count: int) -> Iterator[_Case]:
    """Yield series of neighbouring samples with equal keys."""
    table = pl.read_parquet(path).with_columns(
        number=pl.col("sample").str.slice(3).cast(pl.Int64),
        keys=pl.col("characteristics_ch1").str.replace_all(r":[^|]*", ""),
    )
    new = (pl.col("number").diff() > 3) | (pl.col("keys") != pl.col("keys").shift())
    table = table.sort("number").with_columns(series=new.fill_null(value=True).cum_sum())
    series = [part for part in table.partition_by("series") if part.height > 3]
    for part in series[:: max(1, sum(p.height for p in series) // count)]:
        yield _Case("unlabelled", _series(part.head(_SERIES)), "", {}, load_vocabulary())


def _series(part: pl.DataFrame) -> SeriesDescription:
    by_key = [
        {split_cell(cell)[0]: cell for cell in cells.split("|")}
        for cells in part["characteristics_ch1"]
    ]
    rows = tuple(tuple(cells.get(key) for cells in by_key) for key in by_key[0])
    titles, sources = (tuple(part[name]) for name in ("title", "source_name_ch1"))
    unique = tuple(tuple(dict.fromkeys(row)) for row in rows)
    samples = tuple(part["sample"])
    return SeriesDescription(
        characteristics=unique, cells=rows, titles=titles, source_names=sources, samples=samples
    )


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path, nargs="+")
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--functions", action="store_true", help="leave patterns alone")
    parser.add_argument("--enough", type=int, default=ENOUGH[0], help="changed answers")
    parser.add_argument("--most", type=int, help="leave alone what has an effect in more cases")
    parser.add_argument("--only", default="", help="pattern in the name of module or function")
    arguments = parser.parse_args()
    codes: dict[CodeType, set[int]] = {f.__code__: set() for f in _functions(arguments.only)}
    ENOUGH[:] = [arguments.enough]
    expressions: list[_Expression] = []
    modules = [] if arguments.functions else sorted(sys.modules.items())
    for name, module in modules:
        known = vars(module) if RULES.match(name) else {}
        for table in (known, *(each for each in known.values() if isinstance(each, dict))):
            for constant, pattern in list(table.items()):
                place = f"{name}.{constant}"
                if isinstance(pattern, re.Pattern) and re.search(arguments.only, place):
                    expressions.append(_Expression(place, pattern))
                    table[constant] = expressions[-1]
    listed, alone = load_vocabulary(), lexicon_only()
    for path in arguments.cases:
        name = path.name.partition(".")[0]
        CASES.extend(_labelled(path, listed, name))
        CASES.extend(
            c for c in _labelled(path, alone, f"{name}, lexicon") if listed.names.listed(c.trait)
        )
        if arguments.samples and "one_row_separates" in CASES[-1].data:
            CASES.extend(_with_texts(path, arguments.samples, listed, f"{name}, texts"))
    if arguments.samples:
        CASES.extend(_unlabelled(arguments.samples, arguments.count))
    CACHES.extend(
        each
        for each in gc.get_objects()
        if isinstance(each, functools._lru_cache_wrapper)
        and RULES.match(each.__module__ or "")
        and each.__wrapped__.__code__.co_argcount
        and each is not packaged_table
    )
    CASES[0].answer()
    _record(codes)
    most = arguments.most or len(CASES)
    LEAVES.extend(leave for leave in _leaves(expressions, codes) if len(leave[-1]) <= most)
    with get_context("fork").Pool(2) as pool:
        for line in pool.imap(_effect, range(len(LEAVES)), 1):
            print(line, flush=True)
