"""Links that show one result or the study of one series to whoever has them, and no more."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from starlette.datastructures import QueryParams

from genotex.app.access.accounts import UserName
from genotex.app.access.codes import write_private
from genotex.errors import FormatError, UsageError
from genotex.outside import read_json

LINKS, SHARED = ".workbench-links.json", "/shared/"
LONGEST_LINK = 90 * 24 * 3600.0
"""Seconds after which a link ends by itself."""
_MOST = 500
LinkKind = Literal["result", "study", "survival"]
PAGES: dict[LinkKind, str] = {"result": "/genes", "study": "/samples", "survival": "/survival"}
"""What a link of each kind opens."""
_FILES = ("csv", "xlsx", "json")
_OPEN: dict[LinkKind, frozenset[str]] = {
    "result": frozenset(
        {"/genes", "/genes/points", "/genes.h5ad", "/gene", "/gene/values", "/gene/forest"}
        | {"/methods", "/result.zip", "/script", "/report", "/set", "/set/running"}
        | {"/cohorts/gene", "/cohorts/forest", "/cohorts/without"}
        | {"/quality", "/quality/points", "/cohort.h5ad"}
        | {f"/{table}" for table in ("sets", "cohorts")}
        | {f"/{table}/table" for table in ("genes", "sets", "cohorts")}
        | {f"/{table}.{kind}" for table in ("genes", "sets", "cohorts") for kind in _FILES}
    ),
    "study": frozenset(
        {"/samples", "/samples/table", "/samples.csv", "/quality", "/quality/points"}
    ),
    "survival": frozenset(
        {"/survival", "/survival/table", "/survival/gene", "/survival/curves"}
        | {f"/survival.{kind}" for kind in _FILES}
    ),
}
"""What else it may ask for; a page that is not listed is closed to links."""
_NAMES: dict[LinkKind, frozenset[str]] = {
    "result": frozenset({"output", "trait", "condition"}),
    "study": frozenset({"trait", "series"}),
    "survival": frozenset({"output"}),
}
_OTHERS = frozenset({"output", "trait", "condition", "series", "cohort", "name", "with", "atlas"})
"""Fields of an address that name something of the folder."""


class SharedLink(BaseModel):
    """A link: what it shows, who made it, and the digest of its secret."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int = Field(ge=1)
    digest: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    kind: LinkKind
    place: dict[str, Annotated[str, StringConstraints(max_length=1000)]]
    by: UserName
    made: float
    ends: float

    def opens(
        self, method: str, path: str, query: QueryParams, results: Iterable[_Place] = ()
    ) -> bool:
        """Return whether it may be asked for an address: a page of what it shows, to read.

        `results`: places of the results of a study, which it shows as well.
        """
        if method not in ("GET", "HEAD"):
            return False
        if path.startswith("/static/"):
            return True
        given = [(name, value) for name, value in query.multi_items() if name in _OTHERS]
        if len(given) > len(dict(given)):
            # One that is given twice could be read in two ways.
            return False
        asked, cohort = _without_empty(dict(given)), query.get("cohort", "")
        shown = [(self.kind, self.place), *(("result", place) for place in results)]
        return any(
            path in _OPEN[kind] and asked == _without_empty(_wanted(kind, place, path, cohort))
            for kind, place in shown
        )


_Place = Mapping[str, str]


def _wanted(kind: str, place: _Place, path: str, cohort: str) -> _Place:
    """Return what an address of a page must name."""
    if kind == "result" and path in ("/quality", "/quality/points", "/cohort.h5ad"):
        # A cohort of the output folder, for this trait.
        return {"output": place["output"], "trait": place["trait"], "cohort": cohort}
    if path.startswith("/quality"):
        return {"trait": place["trait"], "cohort": place["series"]}
    return place


def _without_empty(place: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in place.items() if value}


class _LinksFile(BaseModel):
    """The file of links."""

    model_config = ConfigDict(extra="forbid")

    last: int = 0
    links: list[SharedLink] = Field(default=[], max_length=_MOST)


class Links:
    """The links of a folder, in a file that only its owner can read.

    Raises
    ------
    UsageError
        If the file is none of ours.
    """

    def __init__(self, folder: Path) -> None:
        self.clock: Callable[[], float] = time.time
        self._path = folder / LINKS
        self._file = _LinksFile()
        if self._path.exists():
            try:
                self._file = _LinksFile.model_validate(read_json(self._path))
            except (OSError, FormatError, ValidationError) as error:
                msg = f"{self._path} is damaged; remove it: the links in it end"
                raise UsageError(msg) from error

    def all(self) -> list[SharedLink]:
        """Return the links that have not ended, the newest first."""
        return [link for link in self._file.links if link.ends > self.clock()][::-1]

    def make(self, kind: LinkKind, place: Mapping[str, str], by: str) -> tuple[SharedLink, str]:
        """Return a new link and its secret, which is not kept.

        Raises
        ------
        UsageError
            If there are too many.
        """
        links, now = self.all()[::-1], self.clock()
        if len(links) >= _MOST:
            msg = f"there are {_MOST} links already; revoke some"
            raise UsageError(msg)
        secret, number = secrets.token_urlsafe(32), self._file.last + 1
        shown = {name: place.get(name, "") for name in sorted(_NAMES[kind])}
        link = SharedLink(
            number=number, digest=_digest(secret), kind=kind, place=shown, by=by, made=now,
            ends=now + LONGEST_LINK,
        )  # fmt: skip
        self._keep(_LinksFile(last=number, links=[*links, link]))
        return link, secret

    def revoke(self, number: str) -> bool:
        """End a link; return whether there was one of this number."""
        left = [link for link in self._file.links if str(link.number) != number]
        found = len(left) < len(self._file.links)
        if found:
            self._keep(_LinksFile(last=self._file.last, links=left))
        return found

    def find(self, secret: str) -> SharedLink | None:
        """Return the link of a secret."""
        digest = _digest(secret)
        found = [each for each in self.all() if secrets.compare_digest(each.digest, digest)]
        return found[0] if found else None

    def _keep(self, file: _LinksFile) -> None:
        """Write the links, then know them."""
        write_private(self._path, file.model_dump_json(indent=1) + "\n")
        self._file = file


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
