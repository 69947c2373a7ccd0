"""Tissue: what a key for it holds, else a tissue that source names or titles are."""

from __future__ import annotations

import re
from functools import lru_cache

from genotex.features.feature import MISSING, SampleFeature, Statement
from genotex.features.plain_text import folded, key_words, packaged_table

_KEY = re.compile(
    r"(?:source |sample |human |primary |tumou?r )?tissues?(?: ?(?:source|origin|of origin|location"
    r"|region|site|name|type|compartment|derived|cell type|brain region))?"
    r"|organs?(?: (?:part|site|tissue type))?|organism ?part|body (?:site|part)"
    r"|anatomic(?:al)? (?:site|region|location)|(?:biopsy|sampling) (?:site|location|region)"
    r"|brain (?:region|area)"
)
# Keys that may ask for something else: their value must be a known tissue.
_OPEN_KEY = re.compile(
    r"region|site|location|source|specimen(?: type)?|biological source|bio ?source(?: ?type)?"
    r"|organ region|(?:tumou?r|sample|sampling|cell|rna) (?:site|source|location|origin)"
    r"|tissue cell line(?: c)?"
)
_NO_KEY = re.compile(
    r"\b(?:id|bank|ph|number|state|status|side|storage|archive|method|diagnosis|preservation)\b"
)
# Answers of another kind: yes and no, sides and states of a tumour, codes of samples.
_NO_TISSUE = re.compile(
    r"(?:yes|no|none|other|mixed|n|t|nt|p|m|l|ls|nl|left|right|tumou?r(?:al|ous)?|normal|control"
    r"|cancer|case|primary|metasta\w+|adjacent|non[- ]?(?:tumou?r(?:al)?|lesional|cancer\w*)"
    r"|lesional|benign|malignant|diseased?|healthy|(?:fresh[- ])?frozen|fresh|ffpe"
    r"|paraffin.*|(?:un)?affected|inflamed"
    r"|(?:tumou?r|normal|cancer|adjacent|primary|control|surgical|biopsy|frozen)"
    r"(?: (?:adjacent|normal|tumou?r))* (?:tissue|sample|specimen|tumou?r)s?|tissue|biopsy"
    r"|cell lines?|cells?|human|homo sapiens|\d+|[a-z]{0,4}\d+[a-z]?)"
)
_PROVIDER = re.compile(
    r"\b(?:bank|university|hospital|institute|center|centre|commercial|lonza|ambion|atcc|company)\b"
)
_LONGEST = 80


@lru_cache(maxsize=1)
def _known() -> re.Pattern[str]:
    """Return the form of a tissue that a source name or a title may be, with words around it."""
    table = packaged_table("genotex.features", "tissues")
    names = sorted(table["tissues"], key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])")


@lru_cache(maxsize=1)
def _fillers() -> re.Pattern[str]:
    words = packaged_table("genotex.features", "tissues")["fillers"]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])|[\d\W_]+")


def _from_key(key: str, value: str) -> Statement | None:
    name, text = key_words(key), folded(value.replace("_", " "))
    if _OPEN_KEY.fullmatch(name):
        return _from_source(value)
    if not _KEY.fullmatch(name) or _NO_KEY.search(name) or text in MISSING:
        return None
    if _NO_TISSUE.fullmatch(text) or _PROVIDER.search(text) or len(text) > _LONGEST:
        return None
    if not re.search(r"[a-z]{3}", text):
        return None
    return Statement(text, value)


def _from_source(text: str) -> Statement | None:
    """Return the one known tissue that a text is, apart from words that add nothing."""
    plain = folded(text.replace("_", " "))
    hits = list(dict.fromkeys(hit.group() for hit in _known().finditer(plain)))
    if len(hits) != 1 or _fillers().sub(" ", _known().sub(" ", plain)).strip():
        return None
    return Statement(hits[0], text)


def _rank(key: str) -> float:
    return float(key_words(key) == "tissue")


TISSUE = SampleFeature(
    name="tissue",
    label="Tissue",
    scale="levels",
    find=lambda texts: texts.gather(_from_key, _from_source, rank=_rank),
    other_names=("organ", "organism part"),
)
