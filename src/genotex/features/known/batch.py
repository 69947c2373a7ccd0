"""Batches: what a key calls one, else plates, chips, lanes and the dates of processing."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from genotex.features.feature import MISSING, Placed, SampleFeature, SeriesTexts, Statement
from genotex.features.plain_text import key_words

_STEPS = (
    r"scan\w*|hyb\w*|hybridi[sz]ation|run|process\w*|extract\w*|label\w*|amplif\w*|amp|library|prep"
    r"|preparation|sequenc\w*|rna|array|microarray|chip|isolation|experiment\w*|assay"
)
_BATCH = re.compile(r"\bbatch(?:es)?\b|\w+batch\b")
_NO_BATCH = re.compile(r"\b(?:corrected|adjusted|effect|size|age|antibody)\b")
_PLATES = re.compile(
    rf"(?:(?:{_STEPS}|pcr|sample|96 well) )*"
    r"(?:plates?|chip|beadchip|microarraychip|slide|sentrix|flow ?cell|lane|run)"
    r"(?: ?(?:id|ids|number|no|nr|name|barcode|position))?"
    r"|sentrix (?:id|barcode)(?: and position)?|hyb slide"
)
_DATE = re.compile(rf"(?:(?:{_STEPS}|date|of|and|the) ?)*")
_SITE = re.compile(
    r"(?:(?:tissue source|collection|study|clinical|recruit\w*|enrol\w*|processing) )?"
    r"(?:site|centre|center)(?: (?:id|code|no|nr|number))|hospital|laboratory|lab"
    r"|(?:tissue source|collection|study|clinical|recruit\w*|enrol\w*|processing) "
    r"(?:site|centre|center)|(?:sequencing|array|analysis) (?:site|centre|center)"
)
_CHIP_OF_SAMPLE = re.compile(r"(?P<chip>X?\d{8,12})_(?:R\d{2}C\d{2}|[A-L])")
_LEAST_REPEATED = 0.5


def _from_key(key: str, value: str) -> Statement | None:
    name, text = key_words(key), " ".join(value.split())
    if text.casefold() in MISSING or _rank(key) == 0:
        return None
    chip = _CHIP_OF_SAMPLE.fullmatch(text)
    if chip:
        return Statement(chip["chip"], value)
    if "date" in name:
        # Arrays of one day make a batch, regardless of the minute of the scan.
        return Statement(re.split(r"(?<=\d)T(?=\d)|\s+(?=\d{1,2}:)", text)[0], value)
    return Statement(text, value)


@lru_cache(maxsize=4096)
def _rank(key: str) -> float:
    """Return how surely a key names the batch, 0 if it names none."""
    name = key_words(key)
    if _NO_BATCH.search(name):
        return 0.0
    if _BATCH.search(name):
        return 4.0 if name == "batch" else 3.0
    if _PLATES.fullmatch(name):
        return 2.0
    dated = re.search(r"\b\w*date\b", name) and re.fullmatch(
        rf"(?:{_STEPS})?date", name.replace(" ", "")
    )
    return 1.0 if dated or ("date" in name.split() and _DATE.fullmatch(name)) else 0.0


def names_laboratory(key: str) -> bool:
    """Return whether a key names how or where samples were processed: batch, plate, date, site."""
    return _rank(key) > 0 or _SITE.fullmatch(key_words(key)) is not None


def _find(texts: SeriesTexts) -> Placed:
    """Return the batches by the surest key whose values repeat, as those of batches do."""
    for key in sorted(texts.columns, key=_rank, reverse=True):
        if _rank(key) == 0:
            return {}
        found = SeriesTexts({key: texts.columns[key]}, (), (), "").gather(_from_key)
        counts = Counter(statement.value for statement in found.values())
        repeated = sum(count for count in counts.values() if count > 1)
        if len(counts) > 1 and repeated >= _LEAST_REPEATED * len(found):
            return found
    return {}


BATCH = SampleFeature(
    name="batch", label="Batch", scale="levels", use="batch", find=_find, other_names=("plate",)
)
