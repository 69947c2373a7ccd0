"""NCBI's E-utilities for the database gds, as far as searches for series go.

Shapes: NCBI, "The E-utilities In-Depth" (esearch and esummary; retmode json and xml); fields of a
summary as Entrez gives them for a series.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from .server import Asked, Reply

BASE = "/entrez/eutils/"


@dataclass
class Record:
    """A series as Entrez knows it."""

    accession: str
    title: str = "Asthma and healthy controls"
    summary: str = "Blood of patients with asthma."
    samples: int = 40
    taxon: str = "Homo sapiens"
    gdstype: str = "Expression profiling by array"
    gpl: str = "96"
    pdat: str = "2015/06/01"

    @property
    def uid(self) -> str:
        return f"{200_000_000 + int(self.accession.removeprefix('GSE'))}"

    def fields(self) -> dict[str, Any]:
        titles = [f"asthma {i}" for i in range(2)]
        members = [{"accession": f"GSM{i}", "title": title} for i, title in enumerate(titles)]
        return {
            "uid": self.uid,
            "accession": self.accession,
            "gds": "",
            "title": self.title,
            "summary": self.summary,
            "gpl": self.gpl,
            "gse": self.accession.removeprefix("GSE"),
            "taxon": self.taxon,
            "entrytype": "GSE",
            "gdstype": self.gdstype,
            "pdat": self.pdat,
            "samples": members,
            "n_samples": self.samples,
        }

    def fits(self, term: str) -> bool:
        """Whether the series fits the parts of a term that the program uses."""
        names = re.findall(r"(GSE\d+)\[GEO Accession\]", term)
        if names:
            return self.accession in names
        if days := re.fullmatch(r'"gse"\[Entry Type\] AND (.+):(.+)\[Publication Date\]', term):
            return days[1] <= self.pdat <= days[2]
        words = re.findall(r'"([^"]+)"', term.partition(") AND ")[0])
        texts = f"{self.title} {self.summary}".lower()
        low, high = map(int, re.findall(r"(\d+):(\d+)\[Number of Samples\]", term)[0])
        first, last = re.findall(r"(\d+)/01/01:(\d+)/12/31\[Publication Date\]", term)[0]
        types = re.findall(r'"([^"]+)"\[DataSet Type\]', term)
        organism = re.findall(r'"([^"]+)"\[Organism\]', term)[0]
        return (
            any(word in texts for word in words)
            and low <= self.samples <= high
            and first <= self.pdat[:4] <= last
            and any(each.strip().lower() in types for each in self.gdstype.split(";"))
            and organism in self.taxon
        )


class Eutils:
    """Answers esearch and esummary."""

    def __init__(self, *records: Record, most: int = 10_000) -> None:
        self.records = list(records)
        self.most = most  # ids of an answer

    def __call__(self, asked: Asked) -> Reply | None:
        if not asked.path.startswith(BASE):
            return None
        fields, tool = asked.fields, asked.path.removeprefix(BASE)
        if "bad" in fields.get("api_key", ""):
            told = {"error": "API key invalid", "api-key": fields["api_key"]}
            return Reply(json.dumps(told).encode(), 400)
        if tool == "esearch.fcgi":
            fitting = [each for each in self.records if each.fits(fields["term"])]
            first = int(fields.get("retstart", 0))
            most = min(int(fields.get("retmax", 20)), self.most)
            return _search(fitting[first : first + most], len(fitting), fields)
        wanted = fields["id"].split(",")
        return _summaries([each for each in self.records if each.uid in wanted], fields)


def _search(found: list[Record], count: int, fields: Any) -> Reply:
    ids = [each.uid for each in found]
    if fields.get("retmode") == "json":
        result = {"count": str(count), "retmax": str(len(ids)), "retstart": "0", "idlist": ids}
        return Reply(json.dumps({"header": {"type": "esearch"}, "esearchresult": result}).encode())
    listed = "".join(f"<Id>{uid}</Id>" for uid in ids)
    text = f"<eSearchResult><Count>{count}</Count><IdList>{listed}</IdList></eSearchResult>"
    return Reply(('<?xml version="1.0"?>' + text).encode())


def _summaries(found: list[Record], fields: Any) -> Reply:
    if fields.get("retmode") == "json":
        by_id: dict[str, Any] = {each.uid: each.fields() for each in found}
        result = {"uids": list(by_id), **by_id}
        return Reply(json.dumps({"header": {"type": "esummary"}, "result": result}).encode())
    items = "".join(
        f"<DocSum><Id>{each.uid}</Id>"
        + "".join(
            f'<Item Name="{name}" Type="String">{escape(str(value))}</Item>'
            for name, value in each.fields().items()
        )
        + "</DocSum>"
        for each in found
    )
    text = f"<eSummaryResult>{items}</eSummaryResult>"
    return Reply(('<?xml version="1.0"?>' + text).encode())
