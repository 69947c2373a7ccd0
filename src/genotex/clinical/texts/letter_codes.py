"""Groups that titles tell by letters alone: "T1" beside "N1", "C1" beside "AD1"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from genotex.clinical.texts.roles import TextJudge
from genotex.clinical.texts.sample_texts import free_text_words
from genotex.clinical.trait.judgement import UNKNOWN, Ground, Judgement, Judgements

__all__ = ["judge_letter_codes"]

_NAMES = {
    "tumour": "the tumour of a pair",
    "normal": "normal tissue",
    "control": "a control beside named cases",
}
_CODE = re.compile(r"\d*([A-Za-z]{1,3})\d*")
_BETWEEN = re.compile(r"[\s_.,;:()/-]+")
_BLOOD_CELLS = re.compile(r"(?<![A-Za-z])[TB][\s-]?(?:cells?|lymph)", re.IGNORECASE)


def judge_letter_codes(groups: Mapping[str, str], judge: TextJudge) -> Judgements:
    """Judge samples whose controls, or both sides, are told by letters alone.

    "T1" and "N1" are tumour and normal tissue in a series about the cancer; "C1" is a control
    beside "AD1". Only where the texts of the series speak of controls or normal tissue.

    Parameters
    ----------
    groups : mapping of str to str
        Raw cell -> text of its group.
    judge : TextJudge
        Judges texts that say it in words.

    Returns
    -------
    mapping of str to Judgement
        By raw cell.
    """
    series = judge.values.series
    if not (series.about and series.mentions_controls):
        return dict.fromkeys(groups, UNKNOWN)
    codes = {cell: _code(cell, text, judge) for cell, text in groups.items()}
    if judge.values.trait.is_cancer and {"tumour", "normal"} <= set(codes.values()):
        return {cell: _of_pair(code, groups[cell]) for cell, code in codes.items()}
    judged = judge.judge(groups)
    if any(j.code == 0 for j in judged.values()):
        return judged
    return {
        cell: _control(codes[cell], groups[cell])
        if codes[cell] in ("normal", "control") and j.role == "unknown"
        else j
        for cell, j in judged.items()
    }


def _code(cell: str, text: str, judge: TextJudge) -> str:
    """Return what the one letter code of a title stands for, or nothing.

    A code has the number of a sample glued to it, or stands at an end of the title.
    """
    if judge.is_experiment(cell) or _BLOOD_CELLS.search(cell):
        return ""
    parts = _BETWEEN.split(text.strip())
    glued = [t for t in _BETWEEN.split(cell) if re.search(r"\d", t)]
    letters = [hit[1] for token in (parts[0], parts[-1], *glued) if (hit := _CODE.fullmatch(token))]
    words = free_text_words()
    found = {name for name in _NAMES for code in letters if code in words[f"{name}_code"]}
    return found.pop() if len(found) == 1 else ""


def _of_pair(code: str, text: str) -> Judgement:
    if code == "tumour":
        return Judgement("case", Ground.CONTEXT, _why(code, text))
    return _control(code, text) if code == "normal" else UNKNOWN


def _control(code: str, text: str) -> Judgement:
    return Judgement("healthy control", Ground.HEALTHY, _why(code, text))


def _why(code: str, text: str) -> str:
    return f"{text!r} has the letter of {_NAMES[code]}"
