"""Words of a user's own file that would be the trait and not the trait at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from genotex.clinical.words.trait_names import TraitNames
from genotex.clinical.words.trait_words import full_table
from genotex.clinical.words.wording import simplify
from genotex.errors import VocabularyFileError

__all__ = ["refuse_contradictions"]

# Words against words and acronyms against acronyms: "cis" is not "CIS".
_AGAINST = {
    "terms": ("near_misses", "excludes", "healthy"),
    "acronyms": ("near_miss_acronyms", "healthy_acronyms"),
}
_HEALTHY_GROUPS = ("healthy", "unaffected_tissue", "person_control")


def refuse_contradictions(path: Path, own: Mapping[str, Any], together: Mapping[str, Any]) -> None:
    """Refuse a word that a user's file makes a name of a trait and of what is not the trait.

    Parameters
    ----------
    path : Path
        The user's file, for the message.
    own : mapping
        Its tables ``words`` and ``traits``.
    together : mapping
        The same laid over the packaged ones. Only tables that the file touches are looked at.

    Raises
    ------
    VocabularyFileError
        If a word stands on both sides; it names the table and where the word stands too.
    """
    names = TraitNames(together["traits"])
    for given, entry in own["traits"].items():
        meant = names.meant(given)
        name = meant[0] if len(meant) == 1 else given
        _check_table(path, given, entry, full_table(name, together["traits"].get(name, entry)))
    _check_groups(path, own["words"], together["traits"])


def _check_table(path: Path, name: str, own: Mapping[str, Any], table: Mapping[str, Any]) -> None:
    for kind, others in _AGAINST.items():
        trait = _plain(table.get(kind, ()))
        for other in others:
            both = trait.keys() & _plain(table.get(other, ())).keys()
            # The packaged tables have no such word, so one of the two is the user's.
            for key, beside in ((other, kind), (kind, other)):
                for word in own.get(key, ()):
                    if simplify(word) in both:
                        msg = f"{word!r} stands among the trait's {beside} too"
                        theirs = simplify(word) not in _plain(own.get(beside, ()))
                        raise VocabularyFileError(
                            msg, path=path, field=f"traits.{name}.{key}", hint=_hint(theirs)
                        )


def _check_groups(path: Path, words: Mapping[str, Any], traits: Mapping[str, Any]) -> None:
    groups = [group for group in _HEALTHY_GROUPS if words.get(group)]
    if not groups:
        return
    terms: dict[str, str] = {}
    for name, entry in traits.items():
        for word in _plain(full_table(name, entry).get("terms", ())):
            terms.setdefault(word, name)
    for group in groups:
        for word in words[group]:
            if trait := terms.get(simplify(word)):
                msg = f"{word!r} stands among the terms of the trait {trait} too"
                hint = "words of one trait's controls belong into healthy = [...] of its own table"
                raise VocabularyFileError(msg, path=path, field=f"words.{group}", hint=hint)


def _plain(words: Iterable[str]) -> dict[str, str]:
    return {simplify(word): word for word in words}


def _hint(packaged: bool) -> str:
    if packaged:
        return "the built-in words have it there; a table with replace = true takes their place"
    return "keep it in one of the two lists"
