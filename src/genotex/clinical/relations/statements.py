"""Cell lines and pools as a single text states them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from genotex.features import MISSING, Statement, packaged_table, plain_key, simple_key
from genotex.formats import names_pool

_LINE_KEY = re.compile(
    r"(?:parental |host |human )?cell[ -]?lines?(?: (?:name|background|used))?(?:/ ?subline)?"
)
_TYPE_KEY = re.compile(r"cell(?:s|[ -]?types?)?|tissue(?: type)?|source|cell type/line")
_NO_LINE = re.compile(
    r"\bprimary\b|\bpbmcs?\b|blood|tissue|biops|patients?\b|donors?\b|\bnone\b"
    r"|monocytes?$|monocytes? |macrophage|lymphocytes|neutrophil|[tb][- ]cells?\b"
    r"|\bhuvecs?\b|\bnheks?\b|fibroblasts?$|keratinocytes?$|endothelial|\bmscs?\b|mesenchymal|\bhmvecs?\b|organoid|xenograft|\bpdx\b",
    re.IGNORECASE,
)
_LINE_FILLERS = re.compile(r"\b(?:human|cell|cells|lines?|cultured?|the|of)\b", re.IGNORECASE)
_NOT_GROWN = re.compile(
    r"co[- ]?cultur|condition(?:ed|ing) medi|supernatant|patients?\b|\bprimary\b|\bpbmcs?\b|biops"
    r"|xenograft|\btumou?r\b",
    re.IGNORECASE,
)
_ABOUT_CELLS = re.compile(r"\bcells?\b|\blines?\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _known_line() -> re.Pattern[str]:
    """Return the form of a well-known cell line, however its parts are joined."""
    names = sorted(
        packaged_table("genotex.features", "relations")["cell_lines"], key=len, reverse=True
    )
    forms = (re.sub(r"#+", _any_number, re.escape(name).replace(r"\#", "#")) for name in names)
    joined = "|".join(form.replace(r"\-", "[ -]?") for form in forms)
    return re.compile(rf"(?<![\w.])(?:{joined})(?![\w.]|-\d)", re.IGNORECASE)


def _any_number(signs: re.Match[str]) -> str:
    return rf"\d{{{len(signs.group())},4}}"


def line_from_key(key: str, value: str) -> Statement | None:
    """Return the cell line that a characteristic states."""
    name, text = plain_key(key), " ".join(value.split())
    known = _known_lines(text)
    if text.casefold() in MISSING or (_NO_LINE.search(text) and not known):
        return None
    if _LINE_KEY.fullmatch(name):
        rest = _LINE_FILLERS.sub(" ", _known_line().sub(" ", text))
        alone = len(known) == 1 and not re.search(r"\w", rest)
        left = simple_key(_LINE_FILLERS.sub(" ", text))
        return Statement(next(iter(known)) if alone else left, value) if left else None
    if _TYPE_KEY.fullmatch(name) and len(known) == 1 and not _NOT_GROWN.search(text):
        return Statement(next(iter(known)), value)
    return None


def line_from_text(text: str, about: str) -> Statement | None:
    """Return the one well-known cell line that a title or a source name states."""
    # `about`: the other texts of the sample and its series, which must be about cells.
    known = _known_lines(text.replace("_", " "))
    if len(known) != 1 or _NOT_GROWN.search(text):
        return None
    ((value, words),) = known.items()
    # "PC3" may be the third patient: cells must be mentioned.
    return Statement(value, words) if _ABOUT_CELLS.search(f"{text} {about}") else None


def _known_lines(text: str) -> dict[str, str]:
    return {
        re.sub(r"[^A-Za-z0-9]", "", hit.group()).upper(): hit.group()
        for hit in _known_line().finditer(text)
    }


def are_numbered(lines: Iterable[str], texts: Iterable[str]) -> bool:
    """Return whether names such as PC3 only number the samples: there are PC1 and PC2, too."""
    short = {hit[1] for line in lines if (hit := re.fullmatch(r"([A-Z]{1,3})(?:[3-9]|\d\d)", line))}
    if not short:
        return False
    heads = "|".join(map(re.escape, sorted(short)))
    form = re.compile(rf"(?<![A-Za-z0-9])({heads})[ -]?0?[12](?![0-9])", re.IGNORECASE)
    return any(form.search(text.replace("_", " ")) for text in texts)


# --- Pools

_NO_POOL = re.compile(
    r"(?:si|sh|sg|g|mi)rnas?|crispr|smartpool|clones?\b|clonal|librar|sequenc|\blanes?\b|multiplex"
    r"|barcod|plasmid|stable|transfect|transduc|primers?\b",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"\buniversal (?:human )?reference\b|\bhuman reference rna\b"
    r"|\bstratagene (?:universal )?reference|\bUHRR?\b|\breference rna pool\b",
    re.IGNORECASE,
)


def pool_from_text(text: str) -> Statement | None:
    """Return that a text names a pool of people, or a reference of pooled RNA."""
    if _NO_POOL.search(text):
        return None
    if names_pool(text) or _REFERENCE.search(text):
        return Statement("yes", text)
    return None
