"""The GraphQL service of Open Targets in small."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .server import Asked, Reply

PATH = "/api/v4/graphql"
BASE = "/api/v4/"


def gene(number: int) -> str:
    return f"ENSG{number:011}"


@dataclass
class Platform:
    """What the service knows, and how it lies.

    Attributes
    ----------
    diseases : mapping
        Id -> name and scores by gene, as the platform has them.
    hits : mapping
        Words in lower case -> ids that the search gives, the best first.
    promised : int, optional
        How many associations it says that a disease has.
    most : int
        Rows it gives at once, whatever is asked for.
    repeat : bool
        Whether every page is the first one.
    restless : int
        So many pages, from the first on, begin with the last row of the page before.
    """

    diseases: Mapping[str, tuple[str, Mapping[str, float]]]
    hits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    release: tuple[str, str] = ("25", "03")
    promised: int | None = None
    most: int = 10_000
    repeat: bool = False
    restless: int = 0

    def __call__(self, asked: Asked) -> Reply | None:
        if asked.path != PATH or asked.method != "POST":
            return None
        assert asked.headers["content-type"] == "application/json"
        question = json.loads(asked.content)
        query, variables = question["query"], question["variables"]
        if "dataVersion" in query:
            year, month = self.release
            return _answer({"meta": {"dataVersion": {"year": year, "month": month}}})
        if "search(" in query:
            ids = self.hits.get(variables["words"].lower(), ())
            hits = [{"id": each, "name": self.diseases[each][0]} for each in ids]
            return _answer({"search": {"hits": hits}})
        # Associations of a disease's descendants are others than the data set has.
        assert "enableIndirect: false" in query
        return _answer({"disease": self._disease(**variables)})

    def _disease(self, disease: str, index: int, size: int) -> dict[str, Any] | None:
        if disease not in self.diseases:
            return None
        name, scores = self.diseases[disease]
        best = sorted(scores.items(), key=lambda item: -item[1])
        size = min(size, self.most)
        start = 0 if self.repeat else index * size
        if start and self.restless:
            self.restless -= 1
            best[start], best[start - 1] = best[start - 1], best[start]
        rows = [{"score": score, "target": {"id": g}} for g, score in best[start : start + size]]
        count = len(scores) if self.promised is None else self.promised
        return {"id": disease, "name": name, "associatedTargets": {"count": count, "rows": rows}}


def _answer(data: Mapping[str, Any]) -> Reply:
    return Reply(json.dumps({"data": data}).encode(), headers={"Content-Type": "application/json"})


ASTHMA = {gene(i): round(0.9 - i / 5000, 6) for i in range(2_345)}
ECZEMA = {gene(1): 0.5, gene(9_000): 0.123456789}


def platform() -> Platform:
    """Asthma with three pages of associations, eczema with two associations, one without any."""
    return Platform(
        {
            "MONDO_0004979": ("asthma", ASTHMA),
            "HP_0000964": ("Eczematoid dermatitis", ECZEMA),
            "EFO_0000001": ("experimental factor", {}),
        },
        {"asthma": ("HP_0000964", "MONDO_0004979"), "eczema": ("HP_0000964",)},
    )
