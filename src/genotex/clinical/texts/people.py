"""Ages and sexes in titles, source names and descriptions: "65 year old male", "Age: 50, Sex: F".

A number in a free text is an age only next to a word or unit for it, and a sex is a word;
single letters count only together with an age ("F_45_control").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import Feature, FeatureEncoding
from genotex.clinical.texts.samples import LEAST_TOLD, SampleTexts, free_text_words, sample_texts
from genotex.clinical.words.vocabulary import Vocabulary, load_vocabulary
from genotex.features import SampleFeature, parse_age_years, parse_sex, spelt_sexes, unit_words

_NUMBER = r"\d{1,3}(?:[.,]\d+)?"
_YEARS = rf"(?:{unit_words('years')}|y\.?/?o\.?)"
# Single letters but "y" are no units in a text: "age 45 M" is a man's.
_UNIT = rf"(?:{_YEARS}|{unit_words('months', 'weeks', 'days', letters='')})"
_OLD = r"[\s-]*(?:old|of\s+age)"
_WHEN = (
    r"(?:\s+(?:at|on)\s+(?:the\s+)?(?:time\s+of\s+)?"
    r"(?:diagnosis|sampling|surgery|operation|biopsy|death|collection|enrol+ment|inclusion|visit|draw))?"
)
_START, _END = r"(?<![A-Za-z0-9.,])", r"(?![A-Za-z0-9])"
# "age: 50", "Age=50 yrs", "aged 65", "age at diagnosis 61.5"
_NAMED = re.compile(
    rf"(?<![A-Za-z])(?<!gestational )(?<!bone )(?:age[sd]?){_WHEN}\s*(?:\([^)\d]*\))?\s*"
    rf"(?:of|is|was|[:=~-])?\s*(?P<age>[<>]?\s*{_NUMBER}(?:\s*-\s*{_NUMBER})?"
    rf"(?:[\s-]*{_UNIT})?){_END}",
    re.IGNORECASE,
)
# "65-year-old", "18 months old", "45 yo"
_AS_OLD = re.compile(
    rf"{_START}(?P<age>{_NUMBER}[\s-]*(?:{_UNIT}(?={_OLD})|y\.?/?o\.?{_END}))", re.IGNORECASE
)
# "62 yrs", "39y": an age unless the text speaks of a duration
_PLAIN = re.compile(rf"{_START}(?P<age>{_NUMBER}[\s-]*{_YEARS}){_END}", re.IGNORECASE)
_SEX_WORD = re.compile(rf"(?<![A-Za-z])(?P<sex>{spelt_sexes()})(?![A-Za-z])", re.IGNORECASE)
_SEX_NAMED = re.compile(
    r"(?<![A-Za-z])(?:sex|gender)\s*(?:is|[:=-])?\s*(?P<sex>[MF])(?![A-Za-z])", re.IGNORECASE
)
_SEX_BESIDE_AGE = (
    re.compile(
        rf"{_START}{_NUMBER}[\s-]*{_YEARS}(?:{_OLD})?[\s,/;-]*(?P<sex>[MF]){_END}", re.IGNORECASE
    ),
    re.compile(
        rf"(?<![A-Za-z0-9])(?P<sex>[MF])[\s,/;-]*{_NUMBER}[\s-]*{_YEARS}{_END}", re.IGNORECASE
    ),
)
_COMPACT = re.compile(
    r"(?<![A-Za-z0-9])(?:(?P<sex>[MF])[\s/,-]?(?P<age>[1-9]\d)|(?P<age2>[1-9]\d)[\s/,-]?(?P<sex2>[MF]))"
    r"(?![A-Za-z0-9])"
)
_YEARS_OLD = re.compile(r"[\s-]*y\.?/?o\.?$", re.IGNORECASE)
_FEWEST_COMPACT = 0.9  # of the samples
_SCATTERED = 1.5
_YOUNGEST = 15
_FEWEST_AGES = 4


def find_in_texts(
    feature: SampleFeature, description: SeriesDescription, vocabulary: Vocabulary | None = None
) -> FeatureEncoding | None:
    """Read the samples' ages or sexes from descriptions, titles or source names."""
    # Years, or female 0 and male 1, with every text listed; None where fewer than 60 % of the
    # samples have one, or all the same.
    relatives = (vocabulary or load_vocabulary()).groups["relative"]

    def parse(text: str) -> float | None:
        return (
            age_in_text(text)
            if not feature.levels
            else None
            if text in relatives
            else sex_in_text(text)
        )

    best: tuple[int, SampleTexts, dict[str, float | None]] | None = None
    for texts in reversed(sample_texts(description)):
        codes = {cell: parse(_spaced(cell)) for cell in texts.weight}
        if not _is_enough(codes, texts):
            codes = _compact_codes(texts, feature)
        known = _known(codes, texts)
        if _is_enough(codes, texts) and (best is None or known > best[0]):
            best = known, texts, codes
    if best is None:
        return None
    known, texts, codes = best
    cell, code = next((cell, code) for cell, code in codes.items() if code is not None)
    shown = feature.cell(code) if feature.levels else f"{code:g} {feature.unit}"
    return FeatureEncoding(
        feature=cast(Feature, feature.encoded),
        row=None,
        key="",
        kind=feature.kind,
        values=codes,
        confidence="inferred",
        evidence=(
            f"inferred from the {texts.name}: {cell!r} gives {shown}",
            f"known for {known} of {len(texts.cells)} samples",
        ),
        sample_field=texts.sample_field,
    )


def _known(codes: Mapping[str, float | None], texts: SampleTexts) -> int:
    return sum(n for cell, n in texts.weight.items() if codes[cell] is not None)


def _is_enough(codes: Mapping[str, float | None], texts: SampleTexts) -> bool:
    different = {code for code in codes.values() if code is not None}
    return len(different) > 1 and _known(codes, texts) >= LEAST_TOLD * len(texts.cells)


def _spaced(cell: str) -> str:
    return " ".join(cell.replace("_", " ").split())


def age_in_text(text: str) -> float | None:
    """Return the one age in a text, None for none or several."""
    patterns = [_NAMED, _AS_OLD]
    if text not in free_text_words()["not_an_age"]:
        patterns.append(_PLAIN)
    for pattern in patterns:
        found = (_YEARS_OLD.sub(" y", hit["age"].strip()) for hit in pattern.finditer(text))
        ages = set(map(parse_age_years, found))
        if ages:
            return ages.pop() if len(ages) == 1 else None
    return None


def sex_in_text(text: str) -> float | None:
    """Return the one sex in a text, None for none or both."""
    hits = list(_SEX_WORD.finditer(text)) or list(_SEX_NAMED.finditer(text))
    hits = hits or [hit for pattern in _SEX_BESIDE_AGE for hit in pattern.finditer(text)]
    sexes = {parse_sex(hit["sex"]) for hit in hits}
    return sexes.pop() if len(sexes) == 1 else None


def _compact_codes(texts: SampleTexts, feature: SampleFeature) -> dict[str, float | None]:
    """Read "F_45" and "62M", where nearly all texts have it and the numbers can only be ages."""
    # "F21", "F22", "F23" number the samples: ages are scattered.
    found: dict[str, tuple[int, int] | None] = {}
    for cell in texts.weight:
        hits = list(_COMPACT.finditer(_spaced(cell)))
        found[cell] = None
        if len(hits) == 1:
            hit = hits[0]
            found[cell] = int(hit["age"] or hit["age2"]), int((hit["sex"] or hit["sex2"]) == "M")
    known = {cell: pair for cell, pair in found.items() if pair is not None}
    samples = sum(texts.weight[cell] for cell in known)
    if samples < _FEWEST_COMPACT * len(texts.cells) or not _are_ages(list(known.values())):
        return dict.fromkeys(found)
    which = 1 if feature.levels else 0
    return {cell: None if pair is None else float(pair[which]) for cell, pair in found.items()}


def _are_ages(pairs: list[tuple[int, int]]) -> bool:
    ages = {age for age, _ in pairs}
    scattered = max(ages, default=0) - min(ages, default=0) >= _SCATTERED * len(ages)
    both = {sex for _, sex in pairs} == {0, 1}
    return both and scattered and len(ages) >= _FEWEST_AGES and min(ages) >= _YOUNGEST
