"""What the name of a trait tells by itself: words, acronyms, organ, whether it is a level."""

from __future__ import annotations

import re
from typing import Any

from genotex.clinical.words.wording import load_wording, simplify

__all__ = ["cancer_by_name", "sites_of_name", "table_of_name", "terms_of_name"]

_SHORTEST_INITIALS = 3
_LONGEST_ACRONYM = 3
_IN_BRACKETS = re.compile(r"\(([^)]*)\)")
_LAST_WORD = re.compile(r"[\W_]+\w+\W*$")


def table_of_name(name: str) -> dict[str, Any]:
    """Return the trait table that a name alone gives.

    Parameters
    ----------
    name : str
        Name of a trait that no vocabulary lists.

    Returns
    -------
    dict
        Keys of a trait table, those without words left out. A name of up to three letters is an
        acronym, so that "ALL" is not the word "all".
    """
    levels = _levels_of_name(name)
    terms, short = terms_of_name(name)
    table: dict[str, Any] = {
        "terms": [] if levels else terms,
        "acronyms": list(dict.fromkeys([*short, *_acronyms_of_name(name)])),
        "sites": sites_of_name(name),
        "levels": levels,
        "quantity": bool(levels),
        "cancer": cancer_by_name(name),
    }
    return {key: value for key, value in table.items() if value}


def terms_of_name(name: str) -> tuple[list[str], list[str]]:
    """Return the terms that a name gives, and those too short to be words.

    Parameters
    ----------
    name : str
        "Canavan_Disease" gives "canavan disease" and "canavan".

    Returns
    -------
    terms, acronyms : list of str
    """
    lists = load_wording()["names"]
    full = _readable(name)
    inside = [part for part in _IN_BRACKETS.findall(name) if len(part.split("_")) > 1]
    found = [full, *(_readable(part) for part in inside)]
    words = simplify(full).split()
    if len(words) > 1 and words[-1] in lists["generic"]:
        core = _LAST_WORD.sub("", full)
        if core.strip() and simplify(core) not in lists["too_wide"]:
            found.append(core)
    found = [text for text in dict.fromkeys(found) if simplify(text)]
    short = [text for text in found if len(simplify(text)) <= _LONGEST_ACRONYM]
    terms = [text for text in found if text not in short]
    as_given = [name] if simplify(name) == simplify(full) and full in short else []
    return terms, list(dict.fromkeys([*as_given, *(text.upper() for text in short)]))


def _readable(name: str) -> str:
    """Return a name in lower case without brackets and underscores, plural "s" and all."""
    text = " ".join(_IN_BRACKETS.sub(" ", name).replace("_", " ").split())
    lower = text.lower()
    return lower if simplify(lower) == simplify(text) else simplify(text)


def _acronyms_of_name(name: str) -> list[str]:
    found = [part for part in _IN_BRACKETS.findall(name) if len(part.split("_")) == 1]
    words = simplify(_readable(name)).split()
    if len(words) >= _SHORTEST_INITIALS:
        found.append("".join(word[0] for word in words).upper())
    return [text for text in found if simplify(text)]


def sites_of_name(name: str) -> list[str]:
    """Return the organ of a cancer by its name: "lung" of "Lung_Cancer", not of one form of it."""
    lists = load_wording()["names"]
    text = _readable(name)
    words = simplify(text).split()
    of_organ = words[-1:] and words[-1] in lists["cancer"] and words[-1] not in lists["form"]
    return [_LAST_WORD.sub("", text)] if len(words) > 1 and of_organ else []


def cancer_by_name(name: str) -> bool:
    """Tell whether a name is that of a cancer: "Lung cancer", "Thymoma", but not "Glaucoma"."""
    words = simplify(name).split()
    if not words:
        return False
    is_oma = words[-1].endswith("oma") and words[-1] not in load_wording()["endings"]["no_tumor"]
    return is_oma or not set(words).isdisjoint(load_wording()["names"]["cancer"])


def _levels_of_name(name: str) -> list[str]:
    text = _readable(name)
    words = simplify(text).split()
    if not words or words[-1] not in load_wording()["names"]["quantity"]:
        return []
    shorter = [_LAST_WORD.sub("", text)] if words[-1] == "level" and len(words) > 1 else []
    return [text, *shorter]
