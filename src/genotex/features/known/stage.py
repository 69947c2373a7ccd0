"""Stage of a tumour: stages I to IV of AJCC, UICC or FIGO, and TNM; grades are another matter."""

from __future__ import annotations

import re

from genotex.features.cells import legend_of
from genotex.features.feature import (
    MISSING,
    Placed,
    SampleFeature,
    SeriesTexts,
    Statement,
    only_statement,
)
from genotex.features.plain_text import key_words

_NAME = re.compile(
    r"\b(?:stage|stages|staging|tnm|figo|ajcc|uicc|annarbor|inss|dukes?|bclc|ipi|tumou?rstage|stagecode"
    r"|pstage|cstage|grpstage|stageajcc|iss|binet|rai)\b"
)
_PLAIN = re.compile(
    r"\b(?:tumou?r|cancer|disease|patholog\w*|histopatholog\w*|path|clinical|clin|group|grouped"
    r"|grouping|tnm|ajcc|uicc|figo|overall|at|diagnosis|dx|initial|ann|arbor|of|the|classification"
    r"|combined|advanced|category|code|p|c|summary|system|edition|ed|\d(?:th)?|\d{4}|final|primary|general"
    r"|consolidated|simplified|surgical|preop\w*|melanoma|lymphoma|hcc|crc|international|score"
    r"|status|numeric|carcinoma|myeloma|patient|sample|new|stage|derived|in|roman|number)\b"
)
# Systems of letters.
_LETTERS = re.compile(r"\b(?:dukes?|binet|bclc)\b")
_T_KEY = re.compile(
    r"(?:tnm |path\w* |clinical |tumou?r |p|c)?t"
    r"(?: ?(?:stage|category|status|classification|tnm score))?"
    r"|(?:primary )?tumou?r (?:t )?category(?: tnm classification)?"
)
_ROMANS = {"1": "I", "2": "II", "3": "III", "4": "IV", "0": "0"}
_ONE = r"(?P<{0}>0|[1-4]|I{{1,3}}|IV)(?P<{0}sub>[A-E]?(?:[1-3]|I{{1,3}})?|is|S)"
_STAGE = re.compile(
    r"(?:(?:ajcc|uicc|figo|tnm|ann arbor|pathological|clinical|p|c)?\s*stage\s*[:=]?\s*"
    r"|(?:ajcc|figo)\s+|hcc[ -])?"
    + _ONE.format("one")
    + r"(?:\s*(?:-|/|to|or|and|&)\s*(?:stage\s*)?"
    + _ONE.format("two")
    + r")?(?:\s+(?:new\s+)?(?:ajcc|uicc|figo|disease))?",
    re.IGNORECASE,
)
_T = r"[ypcr]{0,2}T(?P<t>[0-4][a-d]?\d?|is|a|x)"
_TNM = re.compile(
    rf"{_T}(?:[\s,;/_]*[pcr]?N(?P<n>[0-3][a-d]?|x|\+))?(?:[\s,;/_]*[pcr]?M(?P<m>[01][a-d]?|x))?"
    r"(?:[\s,;/_]*[GRLV][\dx])*",
    re.IGNORECASE,
)
# "IVB, T2, N3, M0, G4", "T1aN0M0 IA" and "stage IIA (T2N0M0)": a stage, and what it was made of.
_TNM_ASIDE = re.compile(
    r"(?:^|[\s,;/(]+)" + re.sub(r"\?P<.>", "", _TNM.pattern) + r"[\s,;/)]*", re.IGNORECASE
)
_LETTER = re.compile(r"(?:(?:dukes?'?|binet|bclc|stage)\s*)?(?P<letter>[A-D][1-3]?)", re.IGNORECASE)


def _from_key(key: str, value: str) -> Statement | None:
    name = key_words(key)
    text = " ".join(legend_of(key).get(value.strip().casefold(), value).split())
    if text.casefold() in MISSING:
        return None
    if _T_KEY.fullmatch(name):
        bare = re.fullmatch(r"[1-4][a-d]?", text, re.IGNORECASE)
        stage = _tnm(f"T{text}" if bare else text)
    elif not _NAME.search(name) or _PLAIN.sub(" ", _NAME.sub(" ", name)).strip():
        return None
    elif _LETTERS.search(name):
        hit = _LETTER.fullmatch(text)
        stage = None if hit is None else hit["letter"].upper()
    else:
        stage = _read(text)
    return None if stage is None else Statement(stage, value)


def _read(text: str) -> str | None:
    """Return the stage of a cell, or else what it was made of."""
    plain = text.replace("_", " ")
    return _stage(plain) or _tnm(plain) or _stage(_TNM_ASIDE.sub("", plain))


def _stage(text: str) -> str | None:
    """Return "IIA" for "stage 2a", "III-IV" for "3/4"."""
    hit = _STAGE.fullmatch(re.sub(r"(?<=[\dIVi]) (?=[A-Ca-c]\b)", "", text.strip(" .()")))
    if hit is None:
        return None
    parts = [(hit[name], hit[f"{name}sub"]) for name in ("one", "two") if hit[name]]
    return "-".join(_ROMANS.get(number, number.upper()) + sub.upper() for number, sub in parts)


def _tnm(text: str) -> str | None:
    """Return "T2N0M0" for "pT2, N0, M0"."""
    hit = _TNM.fullmatch(text.strip(" ."))
    if hit is None:
        return None
    parts = [(sign, hit[sign.lower()]) for sign in "TNM" if hit[sign.lower()]]
    return "".join(f"{sign}{level.lower()}" for sign, level in parts)


_IN_TEXT = re.compile(
    r"(?<![A-Za-z])stages?[\s_]+(?P<stage>(?:I{1,3}|IV)(?:[A-C]\d?)?|[1-4][A-C])(?![A-Za-z0-9-])",
    re.IGNORECASE,
)
_NO_TUMOUR = re.compile(
    r"develop|embryo|carnegie|larva|fibrosis|braak|ckd|kidney disease|theiler|tanner|sleep"
    r"|hypertens|copd|gold\b|parkinson|heart failure|gestation|oocyte|differentiation|infection"
    r"|retin",
    re.IGNORECASE,
)


def _from_text(text: str) -> Statement | None:
    if _NO_TUMOUR.search(text):
        return None
    return only_statement({_stage(hit["stage"]): hit.group() for hit in _IN_TEXT.finditer(text)})


def _rank(key: str) -> float:
    """Return how near a key is to the stage as a whole: letters, then T alone, come last."""
    name = key_words(key)
    if _LETTERS.search(name):
        return -1.0
    return -2.0 if _T_KEY.fullmatch(name) else 1.0 if name in ("stage", "tumor stage") else 0.0


def _find(texts: SeriesTexts) -> Placed:
    from_text = (lambda text: None) if _NO_TUMOUR.search(texts.about) else _from_text
    return texts.gather(_from_key, from_text, rank=_rank)


STAGE = SampleFeature(
    name="stage",
    label="Stage",
    scale="levels",
    find=_find,
    read=lambda text: _read(text) or text,
    other_names=("tumor stage", "tumour stage"),
)
