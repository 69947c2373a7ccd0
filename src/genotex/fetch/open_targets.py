"""Disease associations from the Open Targets Platform, as `genotex problems build` reads them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from genotex.errors import FormatError, NotThereError, UsageError, WrongContentError
from genotex.fetch.client_limits import shown
from genotex.fetch.contents import wrong
from genotex.fetch.folder import Fetched, FetchFolder, Outcome, fetch_patiently
from genotex.fetch.web import WebClient
from genotex.formats import read_json_object, write_json
from genotex.io import atomic_write
from genotex.outside import parse_json, read_document
from genotex.problems import ListedTrait, read_disease_ids

OPEN_TARGETS = "https://api.platform.opentargets.org/api/v4/"
"""Base address of the service."""

ID = re.compile(r"[A-Za-z]+_[A-Za-z0-9]+")

PAGE = 500
"""Associations per request."""

_PASSES = 3
"""Requests of all pages: equal scores may change places between two of them."""

_RELEASE_QUERY = "query release { meta { dataVersion { year month } } }"

_SEARCH_QUERY = """\
query search($words: String!) {
  search(queryString: $words, entityNames: ["disease"], page: {index: 0, size: 10}) {
    hits { id name }
  }
}"""

_ASSOCIATIONS_QUERY = """\
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
    """The direct associations of a disease."""

    disease: Disease
    scores: Mapping[str, float]  # Ensembl gene id -> overall score, all above 0; sorted by id

    def to_json_lines(self) -> str:
        """Return them in the form of the platform's data set, one JSON object per line."""
        rows = (
            {"diseaseId": self.disease.id, "targetId": target, "score": score}
            for target, score in self.scores.items()
        )
        return "".join(json.dumps(row) + "\n" for row in rows)


class OpenTargets:
    """The service, through an HTTP client."""

    def __init__(self, client: WebClient, base: str = OPEN_TARGETS) -> None:
        self._client = client
        self.address = base + "graphql"

    def release(self) -> str:
        """Return the release of the data, such as ``25.03``."""
        version = self._value(self._ask(_RELEASE_QUERY, {}), dict, "meta", "dataVersion")
        return f"{version.get('year')}.{version.get('month')}"

    def search(self, words: str) -> tuple[Disease, ...]:
        """Return the diseases that the service finds for a name, the best first."""
        hits = self._value(self._ask(_SEARCH_QUERY, {"words": words}), list, "search", "hits")
        found = (
            Disease(self._value(hit, str, "id"), self._value(hit, str, "name")) for hit in hits
        )
        # The id becomes the name of a file.
        return tuple(disease for disease in found if ID.fullmatch(disease.id))

    def associations(self, disease: str) -> DiseaseAssociations:
        """Return all direct associations of a disease, page by page."""
        scores: dict[str, float] = {}
        for _ in range(_PASSES):
            name, promised = self._add_pages(disease, scores)
            if len(scores) == promised:
                in_order = {target: scores[target] for target in sorted(scores)}
                return DiseaseAssociations(Disease(disease, name), in_order)
        message = f"{promised:,} associations of {disease} promised, {len(scores):,} came"
        raise self._wrong(message)

    def _add_pages(self, disease: str, scores: dict[str, float]) -> tuple[str, int]:
        """Add the content of all pages; return the disease's name and the expected number."""
        index, promised, name = 0, 1, ""
        while index * PAGE < promised:
            data = self._ask(
                _ASSOCIATIONS_QUERY, {"disease": disease, "index": index, "size": PAGE}
            )
            if data.get("disease") is None:
                message = f"Open Targets knows no disease {disease}"
                hint = "ids change from release to release: look its name up on the platform"
                raise NotThereError(message, address=shown(self.address), hint=hint)
            name = self._value(data, str, "disease", "name")
            if (other := self._value(data, str, "disease", "id")) != disease:
                message = f"the answer is about {other[:20]!r}, not about {disease}"
                raise self._wrong(message)
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
        if not 0 <= score <= 1:  # so is NaN
            message = f"a score of {str(score)[:20]}, where 0 to 1 is expected"
            raise self._wrong(message)
        return self._value(row, str, "target", "id"), float(score)

    def _ask(self, query: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data of an answer."""
        question = {"query": query, "variables": dict(variables)}
        content = self._client.text(self.address, question=question)
        try:
            answer = parse_json(content, parse_int=_whole_number, finite=False, words="is no JSON")
        except FormatError as error:
            message = f"the answer {error.message}"
            raise self._wrong(message) from error
        if isinstance(answer, dict) and answer.get("errors"):
            message = f"the service refuses the question: {_first_message(answer['errors'])}"
            raise self._wrong(message)
        data: dict[str, Any] = self._value(answer, dict, "data")
        return data

    def _value(self, data: Any, kind: Any, *keys: str) -> Any:
        """Return the value at the end of some keys, if it is of a kind."""
        found = data
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        if not isinstance(found, kind) or isinstance(found, bool):
            message = f"the answer has no {'.'.join(keys)} as it should be"
            raise self._wrong(message)
        return found

    def _wrong(self, message: str) -> WrongContentError:
        return wrong(message, shown(self.address))


def _whole_number(digits: str) -> float:
    """Return a whole number; one of hundreds of digits is infinite, and refused as a score."""
    return int(digits) if len(digits) < 20 else float(digits)


def _first_message(errors: Any) -> str:
    first = errors[0] if isinstance(errors, list) and errors else errors
    text = first.get("message", first) if isinstance(first, dict) else first
    return " ".join(str(text).split())[:200]


_HEADING = (
    "# Found by name with the search of Open Targets: check them, above all the nearest names.\n"
    "# Edit a line, and the same command takes your id.\n"
)


@dataclass(frozen=True)
class TraitDiseases:
    """A trait and its diseases."""

    trait: str  # trait folder name
    ids: tuple[str, ...]  # ids such as ``EFO_0000270``; empty if nothing was found
    how: str  # ``listed``, ``same name``, ``nearest name`` or ``not found``
    name: str = ""  # the disease's name, where it was found by name


def choose_diseases(
    source: OpenTargets,
    traits: Sequence[ListedTrait],
    listed: Path | None,
    *,
    search: bool,
    step: Callable[[str, int], None] = lambda trait, count: None,
) -> tuple[TraitDiseases, ...]:
    """Return the diseases of each trait."""
    given: Mapping[str, tuple[str, ...]] = {} if listed is None else read_disease_ids(listed)
    ids = {trait.name: given.get(trait.name, trait.diseases) for trait in traits}
    wanted = [name for name, known in ids.items() if not known] if search else []
    found = {}
    for name in wanted:
        found[name] = _nearest(name, source.search(_words(name)))
        step(name, len(wanted))
    return tuple(
        found.get(name) or TraitDiseases(name, known, "listed" if known else "not found")
        for name, known in ids.items()
    )


def write_found(path: Path, chosen: Sequence[TraitDiseases]) -> None:
    """Add the diseases that were found by name to a table that a person then looks through."""
    found = [each for each in chosen if each.name]
    if not found:
        return
    before = read_document(path).decode() if path.exists() else _HEADING
    lines = [f"{each.trait}\t{each.ids[0]}\t{each.name}\t{each.how}\n" for each in found]
    with atomic_write(path) as part:
        part.write_text("".join([before.rstrip("\n") + "\n", *lines]), encoding="utf-8")


def _nearest(trait: str, hits: Sequence[Disease]) -> TraitDiseases:
    if not hits:
        return TraitDiseases(trait, (), "not found")
    same = [hit for hit in hits if _plain(hit.name) == _plain(_words(trait))]
    best = (same or hits)[0]
    how = "same name" if same else "nearest name"
    return TraitDiseases(trait, (best.id,), how, " ".join(best.name.split()))


def _words(trait: str) -> str:
    """Return a trait's name in words, without an abbreviation in brackets."""
    text = trait.replace("_", " ")
    return " ".join(re.sub(r"\([^)]*\)", " ", text).split()) or text


def _plain(name: str) -> str:
    return re.sub(
        r"[^a-z0-9]+", " ", re.sub("['\N{RIGHT SINGLE QUOTATION MARK}]", "", name.lower())
    ).strip()


_ASSOCIATIONS = "associations"
DISEASE_IDS = "disease_ids.tsv"
_RELEASE_FILE = "release.json"


def keep_to_one_release(source: OpenTargets, root: Path) -> str:
    """Return the release of the service, and record it in the folder."""
    path, release = root / _RELEASE_FILE, source.release()
    if path.exists():
        there = read_json_object(path).get("release")
        if there != release:
            msg = (
                f"{root} holds associations of release {there}, the service answers from {release}:"
                " scores of two releases are not comparable; give another folder"
            )
            raise UsageError(msg)
    else:
        write_json(path, {"release": release, "address": source.address})
    return release


def fetch_associations(
    source: OpenTargets, folder: FetchFolder, diseases: Sequence[str]
) -> Iterator[Outcome]:
    """Fetch the associations of diseases, each into its own file."""
    return fetch_patiently(
        (
            path := f"{_ASSOCIATIONS}/{disease}.json",
            partial(_fetch_disease, source, folder, disease, path),
        )
        for disease in diseases
    )


def _fetch_disease(source: OpenTargets, folder: FetchFolder, disease: str, path: str) -> Fetched:
    if (known := folder.known(path)) is not None:
        return known  # Existing files are not requested again.
    found = source.associations(disease)
    if not found.scores:
        message = f"Open Targets has no direct association of {disease} ({found.disease.name})"
        raise NotThereError(message, hint="choose another id for the trait")
    with atomic_write(folder.place(path)) as part:
        part.write_text(found.to_json_lines(), encoding="utf-8")
    return folder.made(path, source.address)
