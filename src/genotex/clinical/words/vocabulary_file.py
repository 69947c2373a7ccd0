"""Vocabulary files: words of the user's own, read, checked, laid over the packaged ones, written.

A file has the tables of ``data/vocabulary.toml``: ``[words]`` and one ``[traits.NAME]`` for each
trait.
"""

from __future__ import annotations

import difflib
import json
import re
import textwrap
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from genotex.clinical.words.trait_names import TraitNames, full_table
from genotex.errors import FormatError, VocabularyFileError
from genotex.features import simplify
from genotex.outside import parse_toml, read_document

TRAIT_KEYS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "aliases", "terms", "acronyms", "includes", "include_acronyms", "broader", "excludes",
            "near_misses", "near_miss_acronyms", "healthy", "healthy_acronyms", "sites",
            "cell_lines", "genes", "levels", "scales", "low", "high", "sources",
        ),
        "a list of texts",
    ),
    "unit": "a text",
    "direction": '"high" or "low"',
    "subtype": "true or false",
    "quantity": "true or false",
    "cancer": "true or false",
    "replace": "true or false",
}  # fmt: skip
"""Key of a trait table -> what it holds."""
_FITS: Mapping[str, Callable[[Any], bool]] = {
    "a text": lambda value: isinstance(value, str) and bool(value.strip()),
    "true or false": lambda value: isinstance(value, bool),
    '"high" or "low"': lambda value: value in ("high", "low"),
}

_NOT_THE_TRAIT = ("near_misses", "near_miss_acronyms", "excludes", "healthy", "healthy_acronyms")
_ACRONYMS = "_acronyms"
_WIDTH = 88
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_EXAMPLE = '[traits.NAME] with lists such as terms = ["..."]; see docs/clinical.md'


def read_vocabulary_file(path: Path, *, words: Collection[str]) -> dict[str, Any]:
    """Read a vocabulary file and check every table of it."""
    return _Checker(path, words).tables(_parse(path))


def _parse(path: Path) -> dict[str, Any]:
    try:
        content = read_document(path)
        text = content.decode("utf-8-sig")
    except OSError as error:
        msg = f"cannot be opened: {error.strerror or error}"
        raise VocabularyFileError(msg, path=path) from error
    except UnicodeDecodeError as error:
        msg = f"is not text in UTF-8: {error.reason} at byte {error.start}"
        zipped = content.startswith(b"\x1f\x8b")
        hint = "it is compressed; unpack it first" if zipped else "save it as UTF-8"
        raise VocabularyFileError(msg, path=path, hint=hint) from error
    try:
        return parse_toml(text, path, words="cannot be read as TOML")
    except FormatError as error:
        cause = error.__cause__
        if not isinstance(cause, tomllib.TOMLDecodeError):
            # Too large, too deeply nested, or a number with thousands of digits.
            raise VocabularyFileError(error.message, path=path, hint=error.hint) from error
        place = re.search(r"at line (\d+)", str(cause))
        line = int(place[1]) if place else len(text.splitlines()) or 1
        msg = f"is not TOML: {re.sub(r' [(]at .*[)]$', '', str(cause))}"
        hint = "put texts in double quotes, lists in [ ], and names with spaces in quotes too"
        raise VocabularyFileError(msg, path=path, line=line, hint=hint) from error


class _Checker:
    """Checks tables one by one, so that a message can name the one that is wrong."""

    def __init__(self, path: Path, groups: Collection[str]) -> None:
        self._path = path
        self._groups = groups

    def _error(self, field: str, message: str, hint: str | None = None) -> VocabularyFileError:
        return VocabularyFileError(message, path=self._path, field=field, hint=hint)

    def tables(self, data: Mapping[str, Any]) -> dict[str, Any]:
        if not data:
            msg = "has neither a table [words] nor a table [traits.NAME]"
            raise VocabularyFileError(msg, path=self._path, hint=_EXAMPLE)
        for name in data:
            if name not in ("words", "traits"):
                raise self._error(name, "unknown table", _meant_table(name, data[name]))
        words = self._table(data.get("words", {}), "words")
        traits = self._table(data.get("traits", {}), "traits")
        for name, value in words.items():
            self._group(name, value)
        for name, entry in traits.items():
            self._trait(name, entry)
        self._no_doubles(traits)
        return {"words": words, "traits": traits}

    def _table(self, value: Any, field: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self._error(field, f"must be a table, not {_kind(value)}", _EXAMPLE)
        return value

    def _group(self, name: str, value: Any) -> None:
        field = f"words.{_key(name)}"
        if name not in self._groups and name.removesuffix(_ACRONYMS) not in self._groups:
            raise self._error(field, "unknown group of words", _suggest(name, self._groups))
        self._texts(value, field)

    def _trait(self, name: str, entry: Any) -> None:
        place = f"traits.{_key(name)}"
        if not simplify(name):
            raise self._error(place, "is not a trait name", "use letters of the English alphabet")
        for key, value in self._table(entry, place).items():
            field = f"{place}.{_key(key)}"
            if key not in TRAIT_KEYS:
                raise self._error(field, "unknown key", _suggest(key, TRAIT_KEYS))
            self._value(TRAIT_KEYS[key], value, field)
            if key in _NOT_THE_TRAIT:
                self._not_itself(name, value, field)

    def _value(self, kind: str, value: Any, field: str) -> None:
        if kind == "a list of texts":
            self._texts(value, field, compared=not field.endswith(".sources"))
            return
        if not _FITS[kind](value):
            raise self._error(field, f"must be {kind}, not {_shown(value)}")

    def _not_itself(self, name: str, words: list[str], field: str) -> None:
        """Refuse the trait's own name among what is not the trait: nothing would be a case."""
        for word in words:
            if simplify(word) == simplify(name):
                hint = "remove it there; samples with this value are the trait's cases"
                raise self._error(field, f"{word!r} is the trait's own name", hint)

    def _texts(self, value: Any, field: str, *, compared: bool = True) -> None:
        if not isinstance(value, list):
            hint = f"write {field.rpartition('.')[2]} = [...], also for a single one"
            raise self._error(field, f"must be a list of texts, not {_shown(value)}", hint)
        for text in value:
            if not isinstance(text, str):
                raise self._error(field, f"must hold texts only, not {_shown(text)}")
            if compared and not simplify(text):
                hint = "words are compared by their letters a-z and digits; write them in English"
                raise self._error(field, f"{text!r} has nothing to compare", hint)

    def _no_doubles(self, traits: Mapping[str, Any]) -> None:
        seen: dict[str, str] = {}
        for name in traits:
            other = seen.setdefault(simplify(name), name)
            if other != name:
                hint = "keep one of them"
                place = f"traits.{_key(name)}"
                raise self._error(place, f"is the same trait as traits.{_key(other)}", hint)


def _meant_table(name: str, value: Any) -> str:
    """Return what an unknown table may have been meant for: [trait.Gout], [Gout]."""
    entries = value.items() if isinstance(value, dict) else ()
    inside = next((key for key, inner in entries if isinstance(inner, dict)), None)
    near = difflib.get_close_matches(name, ("words",), n=1)
    table = near[0] if near else f"traits.{_key(name if inside is None else inside)}"
    return f"tables are [words] and [traits.NAME], perhaps [{table}]"


def _suggest(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"perhaps {near[0]}" if near else f"known: {', '.join(sorted(known))}"


def _kind(value: Any) -> str:
    names = {"dict": "a table", "list": "a list", "str": "a text", "bool": "true or false"}
    return names.get(type(value).__name__, "a number or date")


def _shown(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return f"{_kind(value)} ({text})" if not isinstance(value, dict | list) else _kind(value)


def lay_over(packaged: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the packaged tables with a user's own laid over them."""
    # Lists are packaged words first; texts are the user's own. A trait with ``replace`` has the
    # user's words alone.
    traits = dict(packaged["traits"])
    names = TraitNames(packaged["traits"])
    for given, entry in own["traits"].items():
        meant = names.meant(given)
        name = meant[0] if len(meant) == 1 else given
        before = {} if entry.get("replace") else traits.get(name, {})
        traits[name] = _together(before, entry)
    return {**packaged, "words": _together(packaged["words"], own["words"]), "traits": traits}


def _together(before: Mapping[str, Any], added: Mapping[str, Any]) -> dict[str, Any]:
    joined = dict(before)
    for key, value in added.items():
        if isinstance(value, list) and isinstance(joined.get(key), list):
            joined[key] = list(dict.fromkeys([*joined[key], *value]))
        else:
            joined[key] = value
    return joined


def trait_table(name: str, entry: Mapping[str, Any]) -> str:
    """Return the table of a trait as TOML text, to be edited and given back."""
    lines = [f"[traits.{_key(name)}]", "replace = true"]
    lines += [f"{key} = {_toml(value, key)}" for key, value in entry.items() if key != "replace"]
    return "\n".join(lines) + "\n"


def _toml(value: Any, key: str) -> str:
    if not isinstance(value, list):
        return _scalar(value)
    line = f"[{', '.join(map(_scalar, value))}]"
    if len(key) + 3 + len(line) <= _WIDTH:
        return line
    # Blanks inside of texts must stay: fill breaks at blanks, so they are hidden meanwhile.
    words = ", ".join(_scalar(text).replace(" ", "\0") for text in value)
    filled = textwrap.fill(
        words, _WIDTH, initial_indent="    ", subsequent_indent="    ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return "[\n" + filled.replace("\0", " ") + ",\n]"


def _scalar(value: Any) -> str:
    # A JSON text is a TOML text, but for the one control character that JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _scalar(name)


# Words against words and acronyms against acronyms: "cis" is not "CIS".
_AGAINST = (
    ("terms", "near_misses"), ("terms", "excludes"), ("terms", "healthy"),
    ("acronyms", "near_miss_acronyms"), ("acronyms", "healthy_acronyms"),
)  # fmt: skip
_REPLACE = "the built-in words have it there; a table with replace = true takes their place"
_KEEP_ONE = "keep it in one of the two lists"
_HEALTHY_GROUPS = ("healthy", "unaffected_tissue", "person_control")


def refuse_contradictions(path: Path, own: Mapping[str, Any], together: Mapping[str, Any]) -> None:
    """Refuse a word that a user's file makes a name of a trait and of what is not the trait."""
    names = TraitNames(together["traits"])
    for given, entry in own["traits"].items():
        meant = names.meant(given)
        name = meant[0] if len(meant) == 1 else given
        table = full_table(name, together["traits"].get(name, entry))
        for kind, other in _AGAINST:
            both = _plain(table.get(kind, ())) & _plain(table.get(other, ()))
            # The packaged tables have no such word, so one of the two is the user's.
            for key, side in ((other, kind), (kind, other)):
                word = next((w for w in entry.get(key, ()) if simplify(w) in both), None)
                if word is not None:
                    msg = f"{word!r} is also among the trait's {side}"
                    by_user = simplify(word) in _plain(entry.get(side, ()))
                    hint = _KEEP_ONE if by_user else _REPLACE
                    field = f"traits.{given}.{key}"
                    raise VocabularyFileError(msg, path=path, field=field, hint=hint)
    traits = together["traits"] if own["words"].keys() & {*_HEALTHY_GROUPS} else {}
    terms = {
        word: name
        for name, entry in reversed(traits.items())
        for word in _plain(full_table(name, entry).get("terms", ()))
    }
    for group in _HEALTHY_GROUPS:
        for word in own["words"].get(group, ()):
            if trait := terms.get(simplify(word)):
                msg = f"{word!r} is also among the terms of the trait {trait}"
                hint = "words of one trait's controls belong into healthy = [...] of its own table"
                raise VocabularyFileError(msg, path=path, field=f"words.{group}", hint=hint)


def _plain(words: Iterable[str]) -> set[str]:
    return {simplify(word) for word in words}
