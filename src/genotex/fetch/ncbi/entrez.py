"""NCBI's Entrez: searches and summaries over the E-utilities."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

from genotex.errors import FormatError, NotThereError, UsageError, WrongContentError
from genotex.fetch.transfer.addresses import shown
from genotex.fetch.transfer.web import Trouble, WebClient
from genotex.outside import parse_json

_KEY_VARIABLE = "NCBI_API_KEY"
_AT_ONCE = 100
"""Summaries of one request."""

_PASSES = re.compile(r"backend|rate limit|unavailable|time[d ]*out|try again", re.IGNORECASE)
"""Temporary errors of Entrez itself, reported with status 200."""


def read_key(environ: Mapping[str, str]) -> str | None:
    """Return NCBI's key from the environment; it is read from nowhere else."""
    key = environ.get(_KEY_VARIABLE, "").strip()
    if key and not (key.isascii() and key.isalnum()):
        msg = f"the content of {_KEY_VARIABLE} cannot be a key: only letters and digits are allowed"
        raise UsageError(msg)
    return key or None


@dataclass(frozen=True)
class _SearchResult:
    """The result of a search."""

    count: int  # records that fit
    ids: tuple[str, ...]  # their first ones, by Entrez' own ranking
    # What Entrez knows no record of, as `plain_phrase` gives it: it may search as if that were not
    # in the term.
    unknown: frozenset[str] = frozenset()


def plain_phrase(phrase: str) -> str:
    """Return a phrase of a term in lower case, without quotes, brackets and its field."""
    return " ".join(re.sub(r'\[[^\]]*\]|["()]', " ", phrase).lower().split())


class Entrez:
    """Asks one database of Entrez."""

    # The key goes in the body of a request, where no log of addresses sees it; that the requests
    # are no more than it allows is the client's part.
    # Source: NCBI, "The E-utilities In-Depth", https://www.ncbi.nlm.nih.gov/books/NBK25499/
    # `address`: Base address of the E-utilities, ending in a slash.

    def __init__(
        self, client: WebClient, address: str, key: str | None = None, database: str = "gds"
    ) -> None:
        self._client = client
        self._address = address
        self._fields = {"tool": "genotex", "db": database, "retmode": "json"}
        if key is not None:
            self._fields["api_key"] = key
        self._has_key = key is not None

    def search(self, term: str, most: int) -> _SearchResult:
        """Search by a term in Entrez' language."""
        answer = self._ask("esearch.fcgi", {"term": term, "retmax": str(most)})
        result = answer.get("esearchresult")
        if not isinstance(result, dict) or "ERROR" in result:
            reason = result.get("ERROR") if isinstance(result, dict) else None
            self._refuse(f"the search was not answered: {reason or 'no esearchresult'}")
        ids, count = result.get("idlist"), str(result.get("count", ""))
        if not (_are_ids(ids) and _is_number(count)):
            self._refuse("the answer to the search has no count, or ids that are none")
        return _SearchResult(int(count), tuple(ids), _unknown(result.get("errorlist")))

    def summaries(self, ids: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Yield the summaries of records, in the order of the ids."""
        # One that Entrez has none of, as of a record that was just withdrawn, is passed over.
        for at in range(0, len(ids), _AT_ONCE):
            some = ids[at : at + _AT_ONCE]
            answer = self._ask("esummary.fcgi", {"id": ",".join(some)})
            result = answer.get("result")
            if not isinstance(result, dict):
                self._refuse("the answer has no summaries")
            records = [result.get(each) for each in some]
            there = [one for one in records if isinstance(one, dict) and "error" not in one]
            if not there:
                self._refuse(f"the answer has no summary of {some[0]}")
            yield from there

    def _ask(self, tool: str, fields: Mapping[str, str]) -> Mapping[str, Any]:
        address = self._address + tool
        return self._client.again(address, lambda: self._once(address, fields))

    def _once(self, address: str, fields: Mapping[str, str]) -> Mapping[str, Any]:
        try:
            content = self._client.text(address, form={**self._fields, **fields})
        except NotThereError as error:
            hint = f"check {_KEY_VARIABLE}" if self._has_key else "check the address"
            raise NotThereError(error.message, address=error.address, hint=hint) from error
        try:
            # Not strict: NCBI lets line ends of submitters' texts through.
            answer = parse_json(content, None, strict=False)
        except FormatError:
            self._refuse(f"the answer is not JSON: {content[:60]!r}")
        if isinstance(answer, dict) and (reason := _trouble(answer)):
            raise Trouble(reason)
        if not isinstance(answer, dict) or "error" in answer:
            self._refuse("the answer is an error, or of another form")
        return answer

    def _refuse(self, message: str) -> NoReturn:
        hint = "try again later; NCBI may be in trouble"
        raise WrongContentError(message, address=shown(self._address), hint=hint)


def _unknown(errors: Any) -> frozenset[str]:
    missed = errors.get("phrasesnotfound") if isinstance(errors, dict) else None
    listed = missed if isinstance(missed, list) else []
    return frozenset(plain_phrase(str(each)) for each in listed)


def _trouble(answer: Mapping[str, Any]) -> str | None:
    """Return the error of Entrez if the same question may be answered later."""
    result = answer.get("esearchresult")
    reason = answer.get("error") or (result.get("ERROR") if isinstance(result, dict) else None)
    if not isinstance(reason, str) or not _PASSES.search(reason):
        return None
    return f"Entrez reports {' '.join(reason.split())[:100]!r}"


def _is_number(text: Any) -> bool:
    return isinstance(text, str) and text.isascii() and text.isdigit()


def _are_ids(ids: Any) -> TypeGuard[list[str]]:
    return isinstance(ids, list) and all(_is_number(each) for each in ids)
