"""Terms found in the texts of submitters, endings of words, and slips mended."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain, repeat
from typing import Literal

from genotex.features import load_wording, simplify

_NO_LETTER = re.compile(r"[^A-Za-z0-9]+")
_SHORT = 3


@lru_cache(maxsize=16384)
def _in_words(text: str) -> tuple[str, list[str], list[str]]:
    """Return a text simplified, the words of that, and the words of the text as it is."""
    plain = simplify(text)
    return plain, plain.split(" "), _NO_LETTER.split(text)


class Terms:
    """A set of terms to be found in texts as whole words."""

    def __init__(
        self, terms: Iterable[str], acronyms: Iterable[str] = (), simplified: Sequence[str] = ()
    ) -> None:
        acronyms = tuple(acronyms)
        long = (simplify(t) for t in (*terms, *(a for a in acronyms if len(a) > _SHORT)))
        phrases = [*filter(None, long), *simplified]
        self._phrases = set(phrases)
        # Over the list, whose texts follow each other in memory: of a large set each waits for it.
        self._first_words = {phrase.partition(" ")[0] for phrase in phrases}
        self._most_words = max(map(str.count, phrases, repeat(" ")), default=0) + 1
        self._short = frozenset(a for a in acronyms if len(a) <= _SHORT)
        self._alone = frozenset(simplify(a) for a in self._short)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where terms are in the simplified text (an acronym: the whole of it)."""
        plain, words, written = _in_words(text)
        found = [] if self._first_words.isdisjoint(words) else self._phrase_spans(words)
        if found or not self._short:
            return found
        if plain not in self._alone and self._short.isdisjoint(written):
            return []
        hits = (hit.span() for hit in re.finditer(r"\S+", plain) if hit[0] in self._alone)
        return [next(hits, (0, len(plain)))]

    def _phrase_spans(self, words: list[str]) -> list[tuple[int, int]]:
        """Return where phrases are, from left to right, the longest at each place."""
        found, free = [], 0
        for place, word in enumerate(words):
            if place < free or word not in self._first_words:
                continue
            length = self._length_at(words, place)
            if length:
                free = place + length
                start = sum(map(len, words[:place])) + place
                found.append((start, start + len(" ".join(words[place:free]))))
        return found

    def _length_at(self, words: list[str], place: int) -> int:
        for length in range(min(self._most_words, len(words) - place), 0, -1):
            if " ".join(words[place : place + length]) in self._phrases:
                return length
        return 0

    def find(self, text: str) -> str | None:
        """Return the first term found, in simplified form, or None."""
        spans = self.spans(text)
        return simplify(text)[slice(*spans[0])] if spans else None

    @property
    def count(self) -> int:
        """Number of terms."""
        return len(self._phrases) + len(self._short)

    def __bool__(self) -> bool:
        """Return whether there is any term at all."""
        return bool(self._phrases or self._short)

    def __contains__(self, text: str) -> bool:
        """Return whether any term is in the text."""
        return bool(self.spans(text))


def mask(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text with blanks where the spans are."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def ends_like_tumour(value: str) -> bool:
    """Return whether a word of the value ends like the name of a tumour ("glaucoma" is none)."""
    endings, pattern, others = _endings()
    return any(
        word.endswith(endings) and pattern.fullmatch(word) and word not in others
        for word in _in_words(value)[1]
    )


@lru_cache(maxsize=1)
def _endings() -> tuple[tuple[str, ...], re.Pattern[str], frozenset[str]]:
    """Return endings, the pattern of a word with one of them, and words that end so by chance."""
    table = load_wording()["endings"]
    endings = tuple(table["tumor"])
    pattern = re.compile(rf"[a-z]{{4,}}(?:{'|'.join(map(re.escape, endings))})")
    return endings, pattern, frozenset(table["no_tumor"])


_SHORTEST, _ALIKE, _END = 9, 0.88, 3


class Spelling:
    """Mends words that are nearly a known one."""

    # Only words of nine letters or more, where a slip hardly ever makes another word, with the
    # beginning or the end of a known word, and only where a single one is that near.

    def __init__(self, texts: Iterable[str], right: Iterable[str] = ()) -> None:
        self._words = {word for text in texts for word in simplify(text).split()}
        # Words of `right` are no slips, and none is mended to be one of them. They are many and
        # rarely looked for, so they stay a text.
        self._right = f" {' '.join(right)} "
        self._meant: dict[str, str | None] = {}
        self._by_end: dict[str, list[str]] = {}
        for word in sorted(word for word in self._words if len(word) >= _SHORTEST):
            for end in {word[:_END], word[-_END:]}:
                self._by_end.setdefault(end, []).append(word)

    def mended(self, text: str) -> str:
        """Return a text with its slips mended; the text itself where there are none."""
        result = text
        long = [word for word in _in_words(text)[1] if len(word) >= _SHORTEST]
        for word in dict.fromkeys(long):
            if word not in self._meant:
                self._meant[word] = self._find(word)
            if (meant := self._meant[word]) is not None:
                result = re.sub(re.escape(word), meant, result, count=1, flags=re.IGNORECASE)
        return result

    def _find(self, word: str) -> str | None:
        """Return the word that is meant by a slip, None where it is none."""
        if word in self._words:
            return None
        ends = (self._by_end.get(end, ()) for end in (word[:_END], word[-_END:]))
        near = get_close_matches(word, dict.fromkeys(chain(*ends)), n=2, cutoff=_ALIKE)
        return near[0] if len(near) == 1 and f" {word} " not in self._right else None


NAME = "itsname"
"""Replaces a name that was removed from a value, so that its denial applies to nothing else."""

_Denial = Literal["denied", "open"]
"""``open``: there is a denial nearby, and what it denies is not clear."""

_CLAUSE = re.compile(r"[,;()|\[\]]|\.\s")
# A denial alone in parentheses belongs to the clause before it.
_ALONE = re.compile(r"\(\s*(?:[-\u2212]|neg(?:ative)?|absent|excluded)\s*\)", re.IGNORECASE)
_OPEN_WORDS = 3


class Negation:
    """Finds denials of names."""

    def __init__(self, words: Mapping[str, Terms], diseases: Terms) -> None:
        self._words = words
        self._diseases = diseases

    def of(self, value: str, names: Terms) -> _Denial | None:
        """Return whether all mentions of the names in a value are denied."""
        # ``denied`` when every mention is denied, ``open`` when that is not clear, None when one
        # mention is not denied.
        clauses = [c for c in _CLAUSE.split(_ALONE.sub(" negative ", value)) if simplify(c)]
        found: list[_Denial | None] = []
        for number, clause in enumerate(clauses):
            following = simplify(clauses[number + 1]) if number + 1 < len(clauses) else ""
            spans = names.spans(clause)  # of the original clause: acronyms need their capitals
            found += [self._mention(simplify(clause), span, following) for span in spans]
        if not found or None in found:
            return None
        return "open" if "open" in found else "denied"

    def directly_before(self, value: str, names: Terms) -> bool:
        """Return whether every mention has a denial in front ("not healthy")."""
        mentions = [
            simplify(clause)[: span[0]].strip()
            for clause in _CLAUSE.split(value)
            for span in names.spans(clause)
        ]
        return bool(mentions) and all(map(self._denied_before, mentions))

    def _mention(self, clause: str, span: tuple[int, int], following: str) -> _Denial | None:
        before, after = clause[: span[0]].strip(), clause[span[1] :].strip()
        if self._denied_before(before) or self._denied_after(after):
            return "denied"
        near = " ".join(before.split()[-_OPEN_WORDS:])
        if self._fills("negation_after", following) and not after:
            return "open"
        if near in self._words["negation_open"]:
            return "open"
        return None

    def _denied_before(self, before: str) -> bool:
        denials = self._words["negation_before"]
        while not any(end == len(before) for _, end in denials.spans(before)):
            shorter = self._without_bridge(before)
            if shorter == before:
                return False
            before = shorter
        return True

    def _without_bridge(self, before: str) -> str:
        """Remove a last word that extends a denial: "no history of", "neither asthma nor"."""
        first, _, last = before.rpartition(" ")
        if last in {"or", "nor"}:
            if first.split()[-1:] == [NAME]:
                return first.removesuffix(NAME).strip()
            spans = self._diseases.spans(first)
            return first[: spans[-1][0]].strip() if spans and spans[-1][1] == len(first) else before
        return first if self._fills("negation_bridge", last) else before

    def _denied_after(self, after: str) -> bool:
        words = after.split()
        while words and self._fills("negation_test", words[0]):
            words = words[1:]
        return bool(words) and self._fills("negation_after", words[0])

    def _fills(self, group: str, text: str) -> bool:
        return (0, len(text)) in self._words[group].spans(text) if text else False
