"""Target-disease associations from the Open Targets Platform, asked for disease by disease.

Its GraphQL service gives the scores of the data set "associationByOverallDirect" (without those of
a disease's descendants) for the few diseases that are wanted; the data set itself is two gigabytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from genotex.errors import NotThereError, WrongContentError
from genotex.fetch.addresses import shown
from genotex.fetch.web import WebClient

__all__ = ["OPEN_TARGETS", "Disease", "DiseaseAssociations", "OpenTargets"]

OPEN_TARGETS = "https://api.platform.opentargets.org/api/v4/"
"""Base address of the service."""

ID = re.compile(r"[A-Za-z]+_[A-Za-z0-9]+")

PAGE = 500
"""Associations that are asked for at once."""

PASSES = 3
"""So often all pages are asked for: equal scores may change places between two of them."""

RELEASE = "query release { meta { dataVersion { year month } } }"

SEARCH = """\
query search($words: String!) {
  search(queryString: $words, entityNames: ["disease"], page: {index: 0, size: 10}) {
    hits { id name }
  }
}"""

ASSOCIATIONS = """\
query associations($disease: String!, $index: Int!, $size: Int!) {
  disease(efoId: $disease) {
    id
    name
    associatedTargets(enableIndirect: false, page: {index: $index, size: $size}) {
      count
      rows { score target { id } }
    }
  }
}"""


@dataclass(frozen=True)
class Disease:
    """A disease: its id, such as ``EFO_0000270``, and its name."""

    id: str
    name: str


@dataclass(frozen=True)
class DiseaseAssociations:
    """The direct associations of a disease.

    Attributes
    ----------
    disease : Disease
    scores : mapping of str to float
        Ensembl gene id -> overall score, all above 0; sorted by id.
    """

    disease: Disease
    scores: Mapping[str, float]

    def to_json_lines(self) -> str:
        """Return them as the platform's own data set has them, one JSON object a line."""
        rows = (
            {"diseaseId": self.disease.id, "targetId": target, "score": score}
            for target, score in self.scores.items()
        )
        return "".join(json.dumps(row) + "\n" for row in rows)


class OpenTargets:
    """The service, asked through a client.

    Parameters
    ----------
    client : WebClient
    base : str
        Base address with a slash at its end.
    """

    def __init__(self, client: WebClient, base: str = OPEN_TARGETS) -> None:
        self._client = client
        self.address = base + "graphql"

    def release(self) -> str:
        """Return which release of the data the service answers from, such as ``25.03``."""
        version = self._value(self._ask(RELEASE, {}), dict, "meta", "dataVersion")
        return f"{version.get('year')}.{version.get('month')}"

    def search(self, words: str) -> tuple[Disease, ...]:
        """Return the diseases that the service finds for a name, the best first."""
        hits = self._value(self._ask(SEARCH, {"words": words}), list, "search", "hits")
        found = (
            Disease(self._value(hit, str, "id"), self._value(hit, str, "name")) for hit in hits
        )
        # The id becomes the name of a file.
        return tuple(disease for disease in found if ID.fullmatch(disease.id))

    def associations(self, disease: str) -> DiseaseAssociations:
        """Return all direct associations of a disease, page by page.

        Raises
        ------
        NotThereError
            If the service does not know the disease.
        WrongContentError
            If the pages do not hold what the first one promises.
        FetchError
            If the service does not answer.
        """
        scores: dict[str, float] = {}
        for _ in range(PASSES):
            name, promised = self._add_pages(disease, scores)
            if len(scores) == promised:
                in_order = {target: scores[target] for target in sorted(scores)}
                return DiseaseAssociations(Disease(disease, name), in_order)
        message = f"{promised:,} associations of {disease} promised, {len(scores):,} came"
        raise self._wrong(message)

    def _add_pages(self, disease: str, scores: dict[str, float]) -> tuple[str, int]:
        """Add what all pages hold; returns the disease's name and how many should be there."""
        index, promised, name = 0, 1, ""
        while index * PAGE < promised:
            data = self._ask(ASSOCIATIONS, {"disease": disease, "index": index, "size": PAGE})
            if data.get("disease") is None:
                message = f"Open Targets knows no disease {disease}"
                hint = "ids change from release to release: look its name up on the platform"
                raise NotThereError(message, address=shown(self.address), hint=hint)
            name = self._value(data, str, "disease", "name")
            page = self._value(data, dict, "disease", "associatedTargets")
            promised = self._value(page, int, "count")
            rows = self._value(page, list, "rows")
            scores |= dict(self._row(row) for row in rows)
            if not rows:
                break
            index += 1
        return name, promised

    def _row(self, row: Any) -> tuple[str, float]:
        score = self._value(row, (int, float), "score")
        return self._value(row, str, "target", "id"), float(score)

    def _ask(self, query: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data of an answer."""
        question = {"query": query, "variables": dict(variables)}
        content = self._client.text(self.address, question=question)
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError) as error:
            message = f"the answer is no JSON: {error}"
            raise self._wrong(message) from error
        if isinstance(answer, dict) and answer.get("errors"):
            message = f"the service refuses the question: {_first_message(answer['errors'])}"
            raise self._wrong(message)
        data: dict[str, Any] = self._value(answer, dict, "data")
        return data

    def _value(self, data: Any, kind: Any, *keys: str) -> Any:
        """Return what stands at the end of some keys, if it is of a kind."""
        found = data
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        if not isinstance(found, kind) or isinstance(found, bool):
            message = f"the answer has no {'.'.join(keys)} as it should be"
            raise self._wrong(message)
        return found

    def _wrong(self, message: str) -> WrongContentError:
        hint = "nothing of it was kept; try again later"
        return WrongContentError(message, address=shown(self.address), hint=hint)


def _first_message(errors: Any) -> str:
    first = errors[0] if isinstance(errors, list) and errors else errors
    said = first.get("message", first) if isinstance(first, dict) else first
    return " ".join(str(said).split())[:200]
