"""NCBI's Entrez: searches and summaries over the E-utilities."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

from genotex.acquire.addresses import shown
from genotex.acquire.web import WebClient
from genotex.errors import NotThereError, UsageError, WrongContentError

__all__ = ["KEY_VARIABLE", "Entrez", "Found", "read_key"]

KEY_VARIABLE = "NCBI_API_KEY"
AT_ONCE = 100
"""Summaries of one request."""


def read_key(environ: Mapping[str, str]) -> str | None:
    """Return NCBI's key from the environment; it is read from nowhere else.

    Raises
    ------
    UsageError
        If what is set there cannot be a key.
    """
    key = environ.get(KEY_VARIABLE, "").strip()
    if key and not (key.isascii() and key.isalnum()):
        msg = f"what {KEY_VARIABLE} holds cannot be a key: it has other signs than letters, digits"
        raise UsageError(msg)
    return key or None


@dataclass(frozen=True)
class Found:
    """The result of a search.

    Attributes
    ----------
    count : int
        Records that fit.
    ids : tuple of str
        Their first ones, by Entrez' own ranking.
    """

    count: int
    ids: tuple[str, ...]


class Entrez:
    """Asks one database of Entrez.

    The key goes in the body of a request, where no log of addresses sees it; that the requests are
    no more than it allows is the client's part.

    Parameters
    ----------
    client : WebClient
        Whom to ask through.
    address : str
        Base address of the E-utilities, ending in a slash.
    key : str, optional
        NCBI's key.
    database : str
        ``gds`` for GEO DataSets.

    References
    ----------
    NCBI, "The E-utilities In-Depth", https://www.ncbi.nlm.nih.gov/books/NBK25499/
    """

    def __init__(
        self, client: WebClient, address: str, key: str | None = None, database: str = "gds"
    ) -> None:
        self._client = client
        self._address = address
        self._fields = {"tool": "genotex", "db": database, "retmode": "json"}
        if key is not None:
            self._fields["api_key"] = key
        self._has_key = key is not None

    def search(self, term: str, most: int) -> Found:
        """Search by a term in Entrez' language.

        Parameters
        ----------
        term : str
            As ``gout AND gse[Entry Type]``.
        most : int
            How many ids are wanted.

        Raises
        ------
        FetchError
            If the answer cannot be had, or is none.
        """
        answer = self._ask("esearch.fcgi", {"term": term, "retmax": str(most)})
        result = answer.get("esearchresult")
        if not isinstance(result, dict) or "ERROR" in result:
            said = result.get("ERROR") if isinstance(result, dict) else None
            self._refuse(f"the search was not answered: {said or 'no esearchresult'}")
        ids, count = result.get("idlist"), str(result.get("count", ""))
        if not (_are_ids(ids) and _is_number(count)):
            self._refuse("the answer to the search has no count, or ids that are none")
        return Found(int(count), tuple(ids))

    def summaries(self, ids: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Yield the summaries of records, in the order of the ids.

        Raises
        ------
        FetchError
            If an answer cannot be had, or is none.
        """
        for at in range(0, len(ids), AT_ONCE):
            some = ids[at : at + AT_ONCE]
            answer = self._ask("esummary.fcgi", {"id": ",".join(some)})
            result = answer.get("result")
            if not isinstance(result, dict):
                self._refuse("the answer has no summaries")
            for each in some:
                summary = result.get(each)
                if not isinstance(summary, dict) or "error" in summary:
                    self._refuse(f"the answer has no summary of {each}")
                yield summary

    def _ask(self, tool: str, fields: Mapping[str, str]) -> Mapping[str, Any]:
        address = self._address + tool
        try:
            content = self._client.text(address, form={**self._fields, **fields})
        except NotThereError as error:
            hint = f"check {KEY_VARIABLE}" if self._has_key else "check the address"
            raise NotThereError(error.message, address=error.address, hint=hint) from error
        try:
            # Not strict: NCBI lets line ends of submitters' texts through.
            answer = json.loads(content, strict=False)
        except (ValueError, RecursionError):
            self._refuse(f"the answer is not JSON: {content[:60]!r}")
        if not isinstance(answer, dict) or "error" in answer:
            self._refuse("the answer is an error, or of another form")
        return answer

    def _refuse(self, message: str) -> NoReturn:
        hint = "try again later; NCBI may be in trouble"
        raise WrongContentError(message, address=shown(self._address), hint=hint)


def _is_number(text: Any) -> bool:
    return isinstance(text, str) and text.isascii() and text.isdigit()


def _are_ids(ids: Any) -> TypeGuard[list[str]]:
    return isinstance(ids, list) and all(_is_number(each) for each in ids)
