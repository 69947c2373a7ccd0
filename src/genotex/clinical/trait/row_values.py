"""The values of a row in plain words: without running numbers, and by the legend of their key."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from genotex.clinical.cells import Candidate
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.features import simple_key

_NUMBERED = re.compile(r"([A-Za-z]+)[-_ ]?\d+")
_MOSTLY_CODES = 0.8
_CODES_PER_GROUP = 3
_SIGNED = re.compile(r"(.+?)\s*(?:\(\s*[-+\u2212]\s*\)|[-+\u2212])")
_LAST_SIGNS = ("+", "-", "\u2212", ")")
# "status (0=no; 1=yes)", "group [1: healthy, 2: patient]".
_LEGEND = re.compile(r"(?<![\w.])(?P<code>\d|[A-Z]{1,2})\s*[=:]\s*(?P<word>[A-Za-z][^,;:=()\[\]]*)")


def plain_values(candidate: Candidate, judge: ValueJudge) -> dict[str, str]:
    """Return the values as they are judged."""
    legend = _key_legend(candidate.key)
    values = {cell: legend.get(value.strip(), value) for cell, value in candidate.values.items()}
    return _without_numbers(_without_signs(values, judge))


def _key_legend(key: str) -> Mapping[str, str]:
    """Return the codes that a key explains: "0" and "1" of "status (0=no;1=yes)"."""
    found = {hit["code"]: hit["word"].strip() for hit in _LEGEND.finditer(key)}
    return found if len(found) > 1 else {}


def _without_signs(values: Mapping[str, str], judge: ValueJudge) -> dict[str, str]:
    """Remove plus and minus where a row has both and controls: "BD(+)", "BD(-)" next to "HC"."""
    signed = {cell: v for cell, v in values.items() if v.endswith(_LAST_SIGNS)}
    bases = {cell: hit[1] for cell, v in signed.items() if (hit := _SIGNED.fullmatch(v))}
    if not bases or not any(
        judge.words.says_healthy(v) for cell, v in values.items() if cell not in bases
    ):
        return dict(values)
    often = Counter(simple_key(base) for base in bases.values())
    return {
        cell: bases[cell] if cell in bases and often[simple_key(bases[cell])] > 1 else value
        for cell, value in values.items()
    }


def _without_numbers(values: Mapping[str, str]) -> dict[str, str]:
    """Remove running numbers from the codes of a row: "ET1", "ET2", "N1" are "ET" and "N"."""
    bases = {cell: hit[1] for cell, v in values.items() if (hit := _NUMBERED.fullmatch(v))}
    often = Counter(bases.values())
    if len(bases) < _MOSTLY_CODES * len(values) or len(often) < 2 or min(often.values()) < 2:
        return dict(values)
    if len(bases) < _CODES_PER_GROUP * len(often):
        return dict(values)
    return {cell: bases.get(cell, value) for cell, value in values.items()}
