"""Search GEO for series of a trait by NCBI's Entrez, and read their summaries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

from genotex.clinical import SeriesDescription, Vocabulary, certainty_text, judge_expression
from genotex.errors import FormatError, NotThereError, UsageError, WrongContentError
from genotex.fetch.client_limits import shown
from genotex.fetch.web import Trouble, WebClient
from genotex.layout import SERIES_ACCESSION
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
    # What Entrez knows no record of, as `_plain_phrase` gives it: it may search as if that were not
    # in the term.
    unknown: frozenset[str] = frozenset()


def _plain_phrase(phrase: str) -> str:
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

    def search(self, term: str, most: int, start: int = 0) -> _SearchResult:
        """Search by a term in Entrez' language; `start` records are passed over."""
        fields = {"term": term, "retmax": str(most), "retstart": str(start)}
        answer = self._ask("esearch.fcgi", fields)
        result = answer.get("esearchresult")
        if not isinstance(result, dict) or "ERROR" in result:
            reason = result.get("ERROR") if isinstance(result, dict) else None
            self._refuse(f"the search was not answered: {reason or 'no esearchresult'}")
        ids, count = result.get("idlist"), str(result.get("count", ""))
        if not (_are_ids(ids) and _is_number(count)):
            self._refuse("the answer to the search has no count, or ids that are none")
        return _SearchResult(int(count), tuple(ids), _unknown(result.get("errorlist")))

    def summaries(self, ids: Sequence[str], at_once: int = _AT_ONCE) -> Iterator[Mapping[str, Any]]:
        """Yield the summaries of records, in the order of the ids."""
        # One that Entrez has none of, as of a record that was just withdrawn, is passed over.
        for at in range(0, len(ids), at_once):
            some = ids[at : at + at_once]
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
    return frozenset(_plain_phrase(str(each)) for each in listed)


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


STUDY_TYPES = (
    "expression profiling by array",
    "expression profiling by high throughput sequencing",
    "genome variation profiling by high throughput sequencing",
    "genome variation profiling by snp array",
    "snp genotyping by snp array",
    "third party reanalysis",
)
"""The benchmark's study types (paper, appendix E; datasheet, "Collection Process")."""

_PLATFORM = re.compile(r"[1-9][0-9]{0,8}")
_SAMPLE = re.compile(r"GSM[0-9]{1,12}")
_MOST_RANKED = 200
"""Series that are looked at, best first, for those that fit."""
_MOST_FOUND = 10_000
"""Ids that Entrez gives at once; a name may find series that belong to it, too."""
_SHORTEST_TERM = 4
_MOST_TERMS = 12
_MB = 1_000_000


@dataclass(frozen=True)
class Criteria:
    """Which series are taken (paper, appendix E.1); sizes in bytes."""

    samples: tuple[int, int] = (30, 10_000)  # fewest and most samples
    years: tuple[int, int] = (2010, 2025)  # first and last year of publication
    organism: str = "Homo sapiens"  # whose samples
    study_types: tuple[str, ...] = STUDY_TYPES  # GEO's "DataSet type"
    # Smallest and largest series matrix, all its parts together. The smallest does not hold for
    # sequencing, where GEO's matrix is empty.
    matrix_bytes: tuple[int, int] = (_MB // 10, 100 * _MB)
    family_bytes: int = 100 * _MB  # largest family SOFT
    values_bytes: int = 2_000 * _MB  # most of the submitter's files, where the matrix is empty
    most: int = 10  # series taken, best first by GEO's ranking

    def __post_init__(self) -> None:
        """Refuse ranges that nothing can be in."""
        for name, (low, high) in (
            ("samples", self.samples),
            ("years", self.years),
            ("sizes of the matrix", self.matrix_bytes),
        ):
            if low > high:
                msg = f"no series can be within these {name}: {low} to {high}"
                raise UsageError(msg)


@dataclass(frozen=True)
class GeoSummary:
    """The summary of a series in Entrez."""

    accession: str  # ``GSE...``
    # The submitter's title and summary.
    title: str
    text: str
    # As ``Homo sapiens``, ``Expression profiling by array``, ``GPL96``.
    organisms: tuple[str, ...]
    study_types: tuple[str, ...]
    platforms: tuple[str, ...]
    samples: int  # number of samples
    date: str  # of publication, as ``2014/02/28``
    titles: tuple[str, ...] = ()  # titles of the samples
    sample_ids: tuple[str, ...] = ()  # ``GSM...`` of the samples

    @property
    def is_sequencing(self) -> bool:
        """Whether expression was measured by sequencing, so that GEO's matrix may be empty."""
        return any(
            "expression" in kind.lower() and "sequencing" in kind.lower()
            for kind in self.study_types
        )

    @property
    def is_sequencing_alone(self) -> bool:
        """Whether expression was measured by sequencing and not by array as well."""
        return self.is_sequencing and not any("array" in kind.lower() for kind in self.study_types)


def trait_term(vocabulary: Vocabulary, trait: str) -> str:
    """Return the search term of a trait."""
    return " OR ".join(f'"{word}"' for word in trait_phrases(vocabulary, trait))


def trait_phrases(vocabulary: Vocabulary, trait: str) -> list[str]:
    """Return what a trait is searched by: its name, and what the vocabulary calls it."""
    # Words of fewer than four letters are left out (they mean too much in other texts), and phrases
    # that hold another one, which finds them anyway.
    named = vocabulary.named(trait)
    _, table, _ = vocabulary.entry(trait)
    every = [named.name.replace("_", " "), *table.get("terms", ())]
    words = dict.fromkeys(re.sub(r'["\[\]\s]+', " ", word).strip().lower() for word in every)
    kept: list[str] = []
    for word in sorted(words, key=len):
        if len(word) >= _SHORTEST_TERM and not any(_holds(word, other) for other in kept):
            kept.append(word)
    return [word for word in words if word in kept][:_MOST_TERMS] or list(words)[:1]


def _holds(phrase: str, other: str) -> bool:
    return f" {other} " in f" {phrase} "


def search_term(words: str, criteria: Criteria) -> str:
    """Return the whole search term."""
    # Source: NCBI, "Querying GEO DataSets and GEO Profiles",
    # https://www.ncbi.nlm.nih.gov/geo/info/qqtutorial.html
    types = " OR ".join(f'"{kind}"[DataSet Type]' for kind in criteria.study_types)
    (fewest, most), (first, last) = criteria.samples, criteria.years
    return " AND ".join(
        (
            f"({words})",
            '"gse"[Entry Type]',
            f'"{criteria.organism}"[Organism]',
            f"{fewest}:{most}[Number of Samples]",
            f"({types})",
            f"{first}/01/01:{last}/12/31[Publication Date]",
        )
    )


def find_by_trait(entrez: Entrez, words: str, criteria: Criteria) -> tuple[int, list[GeoSummary]]:
    """Search GEO."""
    found = entrez.search(search_term(words, criteria), max(_MOST_RANKED, 4 * criteria.most))
    _refuse_unknown(criteria, found.unknown)
    if found.unknown.issuperset(map(_plain_phrase, words.split(" OR "))):
        return 0, []
    return found.count, list(_read(entrez, found.ids))


def _refuse_unknown(criteria: Criteria, unknown: frozenset[str]) -> None:
    """Refuse criteria that Entrez does not know: it may leave them out, and find anything."""
    types = {_plain_phrase(kind) for kind in criteria.study_types}
    wrong = {_plain_phrase(criteria.organism)} & unknown or (types if types <= unknown else None)
    if wrong:
        msg = f"GEO knows no {' or '.join(sorted(wrong))}; check --organism and --study-type"
        raise UsageError(msg)


def find_by_accession(entrez: Entrez, accessions: Sequence[str]) -> list[GeoSummary]:
    """Return the summaries of series in the order asked for."""
    names = read_accessions(accessions)
    any_of = " OR ".join(f"{name}[GEO Accession]" for name in names)
    found = entrez.search(f'({any_of}) AND "gse"[Entry Type]', _MOST_FOUND)
    by_name = {summary.accession: summary for summary in _read(entrez, found.ids)}
    missing = [name for name in names if name not in by_name]
    if missing:
        message = f"GEO has no series {', '.join(missing)}"
        raise NotThereError(message, hint="check the accession; it may not be public yet")
    return [by_name[name] for name in names]


def read_accessions(names: Sequence[str]) -> tuple[str, ...]:
    """Return accessions of series in capitals, each once."""
    found = dict.fromkeys(name.strip().upper() for name in names)
    for name in found:
        if not SERIES_ACCESSION.fullmatch(name):
            msg = f"{name!r} is no accession of a series; write it as GSE55457"
            raise UsageError(msg)
    return tuple(found)


def _read(entrez: Entrez, ids: Sequence[str]) -> Iterator[GeoSummary]:
    for record in entrez.summaries(ids):
        yield read_summary(record)


def read_summary(record: Mapping[str, Any]) -> GeoSummary:
    """Read a summary of the database ``gds``."""
    accession, samples = str(record.get("accession", "")), str(record.get("n_samples", ""))
    if not SERIES_ACCESSION.fullmatch(accession) or not re.fullmatch(r"[0-9]{1,9}", samples):
        message = (
            f"a summary of Entrez has no series accession or number of samples: {accession[:40]!r}"
        )
        raise WrongContentError(message)
    samples_listed = record.get("samples")
    members = samples_listed if isinstance(samples_listed, list) else []
    ids = [_text(each, "accession") for each in members if isinstance(each, dict)]
    return GeoSummary(
        accession,
        _text(record, "title"),
        _text(record, "summary"),
        _list(record, "taxon"),
        _list(record, "gdstype"),
        tuple(f"GPL{n}" for n in _list(record, "gpl") if _PLATFORM.fullmatch(n)),
        int(samples),
        _text(record, "pdat"),
        tuple(_text(each, "title") for each in members if isinstance(each, dict)),
        tuple(name for name in ids if _SAMPLE.fullmatch(name)),
    )


def _text(record: Mapping[str, Any], name: str) -> str:
    """Return a text as it may be shown: no signs that steer a screen, no markup of the site."""
    value = record.get(name, "")
    plain = "".join(sign if sign.isprintable() else " " for sign in str(value))
    return " ".join(plain.split())


def _list(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in _text(record, name).split(";") if part.strip())


@dataclass(frozen=True)
class SummaryWord:
    """Assessment of a series by the rules, from its summary alone."""

    expression: bool  # whether it holds human gene expression
    why: str  # Why, or why not
    trait: str  # where the trait is spoken of; empty where it is not


def word_of_expert(summary: GeoSummary, trait: str, vocabulary: Vocabulary) -> SummaryWord:
    """Assess a series by the rules, from its summary alone."""
    # A summary lacks the sample characteristics that record the trait, so this is an
    # assessment, not an annotation.
    description = SeriesDescription(
        cohort=summary.accession,
        title=summary.title,
        summary=summary.text,
        series_type=summary.study_types,
        organisms=summary.organisms,
        titles=summary.titles,
    )
    gene = judge_expression(description)
    sure = "" if gene.certainty is None else f" ({certainty_text(gene.certainty)})"
    return SummaryWord(gene.available, gene.reason + sure, _spoken_of(summary, trait, vocabulary))


def _spoken_of(summary: GeoSummary, trait: str, vocabulary: Vocabulary) -> str:
    words = vocabulary.trait(trait)
    places = {"title": summary.title, "summary": summary.text}
    found = [
        name
        for name, text in places.items()
        if words.terms.spans(text) or words.includes.spans(text)
    ]
    if any(words.terms.spans(title) for title in summary.titles):
        found.append("sample titles")
    return ", ".join(found)
