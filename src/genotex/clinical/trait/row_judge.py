"""Judging the values of a row together: by their key and by the other values of the row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from genotex.clinical.cells import Candidate
from genotex.clinical.trait.judgement import UNKNOWN, Ground, Judgement, Judgements, best_ground
from genotex.clinical.trait.value_judge import ValueJudge
from genotex.clinical.words.keys import (
    asks,
    asks_trait,
    kind_of_key,
    lists_diseases,
    lists_tissues,
    names_gene,
    names_trait,
)
from genotex.features import parse_number, simple_key, simplify

_NUMBERED = re.compile(r"([A-Za-z]+)[-_ ]?\d+")
_MOSTLY_CODES = 0.8
_SIGNED = re.compile(r"(.+?)\s*(?:\(\s*[-+\u2212]\s*\)|[-+\u2212])")
_LAST_SIGNS = ("+", "-", "\u2212", ")")
# "status (0=no; 1=yes)", "tissue (t=tumor, nt=non-tumor)"; "tumor (t) vs healthy (s)".
_LEGEND = re.compile(
    r"(?<![\w.])(?P<code>\d|[A-Za-z]{1,3})\s*[=:]\s*(?P<word>[A-Za-z][^,;:=()\[\]]*)"
    r"|(?P<word2>[A-Za-z][\w -]*?)\s*\((?P<code2>\d|[A-Za-z]{1,2})\)"
)


def _key_legend(key: str) -> Mapping[str, str]:
    """Return the codes that a key explains: "0" and "1" of "status (0=no;1=yes)"."""
    pairs = ((h["code"] or h["code2"], h["word"] or h["word2"]) for h in _LEGEND.finditer(key))
    found = {simple_key(code): word.strip() for code, word in pairs}
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
    return {cell: bases.get(cell, value) for cell, value in values.items()}


NO_REST = {"never", "identifier", "treatment", "time", "culture"}
"""Kinds of keys whose open values are no groups."""
_ONLY_NUMBERS = re.compile(r"[\d.,\s%+-]*")


def is_number(value: str) -> bool:
    """Return whether a value is a number or a range, with or without a unit."""
    return _ONLY_NUMBERS.fullmatch(value) is not None or parse_number(value) is not None


def names_case(judgements: Judgements) -> bool:
    """Return whether a value names the trait or a form of it."""
    return any(j.role == "case" and j.ground >= Ground.INCLUDED for j in judgements.values())


def can_be_read_by_key(value: str, judgement: Judgement, judge: ValueJudge) -> bool:
    """Return whether an open value has a meaning that its key, or its row, may decide."""
    if not judgement.is_open or is_number(value):
        return False
    return not (
        judge.words.says_only(value, judge.trait.broader)
        or judge.words.has(value, "relative", "uncertain", "detail")
    )


_MANY_TUMOURS = 3
_DEGREES = re.compile(r"\b(?:mild|moderate|mod|severe|sev|critical|asymptomatic|fatal)\b")
NO_DEGREE = {"no", "non", "none", "neg", "negative", "0", "absent", "uninfected"}
"""Ends of scales of severity that are no severity at all."""
_LETTERS_OF_TUMOURS = ({"t": 1.0, "n": 0.0}, {"c": 1.0, "n": 0.0}, {"ca": 1.0, "n": 0.0})
_LETTERS_OF_PATIENTS = tuple(
    {case: 1.0, control: 0.0}
    for case in ("p", "pt", "d", "a", "case")
    for control in ("c", "h", "n", "hc", "nc", "u")
    if (case, control) != ("p", "n")
)


def judge_row(candidate: Candidate, judge: ValueJudge) -> Judgements:
    """Judge all values under one key."""
    row = _Row(candidate, judge)
    row.judge_together()
    return row.found


class _Row:
    """The values under one key while they are judged together, rule by rule."""

    def __init__(self, candidate: Candidate, judge: ValueJudge) -> None:
        self.key, self.values = candidate.key, candidate.values
        self.judge, self.words = judge, judge.words
        self.series, self.trait = judge.series, judge.trait
        legend = _key_legend(self.key)
        spelt = {cell: legend.get(simple_key(v), v) for cell, v in self.values.items()}
        values = _without_numbers(_without_signs(spelt, judge))
        self.found = {cell: judge.judge(value, self.key) for cell, value in values.items()}

    def judge_together(self) -> None:
        self._reopen_letters()
        named = names_case(self.found)
        if named:
            self._tumours_elsewhere()
        self._wider_words(named)
        self._unrelated_diseases()
        self._reopen_borrowed_cases(named)
        self._denials_beside_healthy()
        self._ends_of_scales()
        self._single_letters()
        self._counterparts()
        self._read_by_key(named)

    def _change(self, rule: Callable[[str, Judgement], Judgement | None]) -> None:
        """Judge each value anew, from the value and its judgement; None leaves it as it is."""
        self.found = {cell: rule(self.values[cell], j) or j for cell, j in self.found.items()}

    def _has(self, *roles: str) -> bool:
        return any(j.role in roles for j in self.found.values())

    @property
    def _cases(self) -> list[Judgement]:
        return [j for j in self.found.values() if j.role == "case"]

    def _reopen_letters(self) -> None:
        """Reopen codes that only fit the trait's letters where the row says what its cases are."""
        if best_ground(self._cases) > Ground.BY_LETTERS:
            self._change(
                lambda value, j: (
                    (self.words.other_disease(value) or UNKNOWN)
                    if j.ground == Ground.BY_LETTERS
                    else None
                )
            )

    def _unrelated_diseases(self) -> None:
        """Treat "basal cell carcinoma" as another disease than melanoma, although a tumour."""
        self._change(
            lambda value, j: (
                self.words.unrelated_disease(value)
                if j.role == "case" and j.ground <= Ground.BROADER
                else None
            )
        )

    def _tumours_elsewhere(self) -> None:
        """Treat "adenocarcinoma" as another cancer where the texts mention the lung's only."""

        # Only next to values that name the trait: alone it may still be the name of its cases.
        def rule(value: str, j: Judgement) -> Judgement | None:
            if j.role != "case" or j.ground > Ground.BROADER:
                return None
            organ = self.series.organ_elsewhere(value)
            if organ is None:
                return None
            return Judgement.other(f"the texts mention {value!r} only of another organ ({organ!r})")

        self._change(rule)

    def _wider_words(self, named: bool) -> None:
        """Read the trait's wider words, unless the row names the trait itself."""
        if self.trait.broader and named:
            self._change(
                lambda value, j: (
                    UNKNOWN
                    if j.role == "other disease" and self.words.says_only(value, self.trait.broader)
                    else None
                )
            )
        elif self.trait.broader:
            self._change(lambda value, j: self.judge.broader(value, self.key))

    def _reopen_borrowed_cases(self, named: bool) -> None:
        """Reopen cases by context in rows that name the trait, or other cancers."""
        words = self.words
        tumours = sum(
            j.role == "other disease" and words.is_cancer(self.values[cell])
            for cell, j in self.found.items()
        )
        if tumours >= (_MANY_TUMOURS if not named else 1 if self.trait.is_cancer else 0):
            self._change(
                lambda value, j: (
                    (self.words.other_disease(value) or UNKNOWN)
                    if j.role == "case" and j.ground <= Ground.BROADER
                    else None
                )
            )

    def _denials_beside_healthy(self) -> None:
        """Treat "no PTSD" as healthy only where the row has no healthier group."""
        healthy = {j.ground for j in self.found.values() if j.role == "healthy control"}
        if Ground.HEALTHY in healthy:
            self._change(
                lambda value, j: (
                    replace(j, meaning="other disease", why=f"{j.why}, alongside healthy controls")
                    if j.role == "healthy control" and j.ground == Ground.DENIED
                    else None
                )
            )

    def _ends_of_scales(self) -> None:
        """Treat "-", "none" or "ND" as a control next to cases or degrees of severity."""
        if self._has("healthy control"):
            return
        kind, by_trait = kind_of_key(self.key), names_trait(self.trait, self.key)
        degrees = sum(_DEGREES.search(simplify(v)) is not None for v in self.values.values())
        ends = {"ND"} if best_ground(self._cases) >= Ground.BY_LETTERS else set[str]()
        # Not under a treatment of the trait, where a dash may mean untreated patients.
        if by_trait and kind != "treatment" and self.series.mentions_controls:
            ends |= {"-", "--"}
        if self.series.about and degrees > 1 and (kind == "stage" or by_trait):
            ends |= NO_DEGREE
        self._change(
            lambda value, j: (
                Judgement.healthy(f"{value!r} of {self.key!r}, next to the trait")
                if j.code is None and not ends.isdisjoint({value, simplify(value)})
                else None
            )
        )

    def _single_letters(self) -> None:
        """Judge a row of two letters, "T" and "N" or "P" and "C", in a series about the trait."""
        known = {simplify(self.values[c]) for c, j in self.found.items() if j.meaning != "missing"}
        if len(known) != 2 or not self.series.names_trait or kind_of_key(self.key) in NO_REST:
            return
        pairs = _LETTERS_OF_PATIENTS + (_LETTERS_OF_TUMOURS if self.trait.is_cancer else ())
        if asks_trait(self.trait, self.key):
            first = simplify(self.trait.name)[:1]
            pairs += ({"p": 1.0, "n": 0.0}, {first: 1.0, "c": 0.0}, {first: 1.0, "n": 0.0})
        codes = next((pair for pair in pairs if pair.keys() == known), None)
        if codes is None or self._has("case"):
            return

        def rule(value: str, j: Judgement) -> Judgement | None:
            code = codes.get(simplify(value))
            why = f"{value!r} of the pair {', '.join(sorted(known))}"
            if code is None:
                return None
            return Judgement.case(why, Ground.BY_LETTERS) if code else Judgement.healthy(why)

        self._change(rule)

    def _counterparts(self) -> None:
        """Treat "diseased gingiva" as a case next to "healthy gingiva"."""
        if self.trait.is_cancer or not self.series.about:
            return
        controls = {
            self.words.without(self.values[cell], "healthy")
            for cell, j in self.found.items()
            if j.role == "healthy control"
        } - {""}
        why = "of the tissue of controls, in a series about the trait"
        self._change(
            lambda value, j: (
                Judgement.case(f"{value!r} {why}", Ground.CONTEXT)
                if j.is_open
                and self.words.has(value, "patient", "lesional")
                and self.words.without(value, "patient", "lesional") in controls
                else None
            )
        )

    def _read_by_key(self, named: bool) -> None:
        """Read open values by what their key asks, where the row names a case."""
        healthy, key = self._has("healthy control"), self.key
        by_trait = healthy and (names_trait(self.trait, key) or names_gene(self.trait, key))
        if not (by_trait or named):
            return

        def rule(value: str, j: Judgement) -> Judgement | None:
            vague = self.words.is_vague(value)
            if named and asks(key, "other diseases") and j.is_open and not vague:
                return Judgement.control(f"{value!r} is under {key!r}, and is not the trait")
            if not can_be_read_by_key(value, j, self.judge):
                return None
            if by_trait or (healthy and asks(key, "a cause")):
                return Judgement.case(
                    f"{value!r} under {key!r}, alongside controls", Ground.INCLUDED
                )
            if lists_diseases(key) and not vague:
                why = f"{value!r} is under {key!r} alongside the trait: another diagnosis"
                return Judgement.other(why, Ground.BY_COMPANY)
            if self.words.is_wild_type(value):
                return Judgement.healthy(f"{value!r} alongside the trait's gene")
            if lists_tissues(key):
                why = f"{value!r} is under {key!r} alongside the trait: something else"
                return Judgement.control(why)
            return None

        self._change(rule)
