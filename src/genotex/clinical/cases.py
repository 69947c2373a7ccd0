"""Clinical inference for many cases of a JSON Lines file."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from genotex.clinical.description import Cell, SeriesDescription
from genotex.clinical.encoded_features import row_and_map
from genotex.clinical.encoding import ClinicalAnnotation, FeatureEncoding, rounded
from genotex.clinical.experts import Expert, RuleExpert
from genotex.clinical.summary import reason_texts, shift_notes
from genotex.errors import FormatError, UsageError, WorkerLostError
from genotex.formats import read_json_lines, read_text_lines
from genotex.parallel import Executor, Piece
from genotex.procedure import Procedure
from genotex.records import checked

_CASE_FIELDS = (
    "id",
    "trait",
    "cohort",
    "background",
    "sample_characteristics",
    "first_ids",
    "annotation_columns",
    "annotation_preview",
)
"""What a solver may see of a case; everything else in the line is dropped before it is read."""

_MOST_ROWS = 1_000
_AT_A_TIME = 50
_MEMORY = 400_000_000
"""Cases that a worker annotates at a time, and the bytes of memory for that."""


def infer_cases(
    cases: Path,
    expert: Expert | None = None,
    procedure: Procedure | str = Procedure.SOUND,
    *,
    at_once: int = 1,
) -> Iterator[str]:
    """Annotate the cases of a JSON Lines file, one output line each.

    Parameters
    ----------
    cases : Path
        JSON Lines, plain or gzip.
    expert : Expert, optional
        Annotates them; `RuleExpert` by default.
    procedure : str
        ``benchmark`` takes the first integer of a cell as age.
    at_once : int
        Cases that are annotated at the same time, where the expert waits for a model.

    Yields
    ------
    str
        A JSON object without line end: ``id``, ``is_gene_available``, and ``trait``, ``age``,
        ``gender`` as null or ``{"row", "map": {raw value: code or null}}``; ``certainty`` of the
        trait (null: not measured), its ``runner_up`` as null or ``{"row", "map"}``;
        ``certainties`` of gene expression, age and gender; ``cell_certainties`` of the code of each
        raw value of the trait (``""``: samples without one); ``keys`` of the features and ``roles``
        of the trait's cells; ``evidence`` gives the reasons. ``by`` and ``review`` where something
        is left for review, and also ``asked`` where a model was.

    Raises
    ------
    FormatError
        If a line is not a case, or has the id of another; it names the line and the field.
    """
    expert, procedure = expert or RuleExpert(), Procedure(procedure)
    answer = partial(_answer, cases, expert, procedure)
    yield from (
        map(answer, _checked(cases))
        if at_once == 1
        else _side_by_side(answer, _checked(cases), at_once)
    )


def _side_by_side(
    answer: Callable[[_Case], str], some: Iterable[_Case], at_once: int
) -> Iterator[str]:
    """Yield the answers in order, while the next ones are waited for."""
    under_way: deque[Future[str]] = deque()
    with ThreadPoolExecutor(at_once) as pool:
        try:
            for case in some:
                under_way.append(pool.submit(answer, case))
                if len(under_way) > at_once:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for each in under_way:
                each.cancel()


def described_cases(cases: Path) -> Iterator[tuple[SeriesDescription, str]]:
    """Yield what a solver may see of each case, and its trait (see `infer_cases`)."""
    for number, case in _checked(cases):
        yield _description(cases, number, case), case["trait"]


def infer_cases_elsewhere(
    cases: Path, expert: Expert, procedure: Procedure, executor: Executor
) -> Iterator[tuple[int, list[str]]]:
    """Annotate the cases some at a time, as they come: the place of the first, and the lines."""
    checked = list(_checked(cases))
    pieces = [
        Piece(checked[first : first + _AT_A_TIME], _MEMORY)
        for first in range(0, len(checked), _AT_A_TIME)
    ]
    for outcome in executor.run(_infer_some, (cases, expert, procedure), pieces):
        if outcome.result is None:
            raise WorkerLostError(outcome.lost)
        yield outcome.number * _AT_A_TIME, outcome.result


def _infer_some(shared: tuple[Path, Expert, Procedure], some: list[_Case]) -> list[str]:
    cases, expert, procedure = shared
    return [_answer(cases, expert, procedure, case) for case in some]


_Case = tuple[int, dict[str, Any]]
"""Number of its line, and what a solver may see of it."""


def _checked(cases: Path) -> Iterator[_Case]:
    """Yield the cases, which have different ids."""
    lines: dict[str, int] = {}
    for number, case in _read_lines(cases):
        first = lines.setdefault(case["id"], number)
        if first != number:
            msg = f"{case['id']!r} is the id of line {first} already"
            hint = "answers are identified by their ids"
            raise FormatError(msg, path=cases, line=number, field="id", hint=hint)
        yield number, case


def _answer(cases: Path, expert: Expert, procedure: Procedure, numbered: _Case) -> str:
    number, case = numbered
    description = _description(cases, number, case)
    try:
        annotation = expert.annotate(description, case["trait"])
    except UsageError as error:
        raise FormatError(str(error), path=cases, line=number, field="trait") from error
    return json.dumps(
        _prediction(case["id"], description, annotation, procedure), ensure_ascii=False
    )


def _description(cases: Path, number: int, case: Mapping[str, Any]) -> SeriesDescription:
    try:
        return description_from_case(case)
    except FormatError as error:
        raise error.at(cases, number) from error


def count_cases(cases: Path) -> int:
    """Return how many lines of a JSON Lines file hold something.

    Raises FormatError if the file cannot be read.
    """
    return sum(1 for line in read_text_lines(cases) if line.strip())


def _read_lines(path: Path) -> Iterator[_Case]:
    for number, case in read_json_lines(path, "a case"):
        for name in ("id", "trait"):
            if not isinstance(case.get(name), str) or not case[name].strip():
                msg = "must be a text"
                raise FormatError(msg, path=path, line=number, field=name)
        yield number, {name: case[name] for name in _CASE_FIELDS if name in case}


def _prediction(
    case_id: str,
    description: SeriesDescription,
    annotation: ClinicalAnnotation,
    procedure: Procedure,
) -> dict[str, Any]:
    features = annotation.features
    return {
        "id": case_id,
        "is_gene_available": annotation.gene.available,
        **{name: row_and_map(e, description, procedure) for name, e in features.items()},
        "certainty": rounded(annotation.certainty),
        "runner_up": row_and_map(annotation.runner_up, description, procedure),
        "certainties": {
            "gene": annotation.gene.certainty,
            "age": annotation.age.certainty if annotation.age else None,
            "gender": annotation.gender.certainty if annotation.gender else None,
        },
        "cell_certainties": {
            cell: rounded(sure)
            for cell, sure in (annotation.trait.certainties if annotation.trait else {}).items()
        },
        "keys": {name: e.key for name, e in features.items() if e},
        "roles": dict(annotation.trait.roles) if annotation.trait else {},
        "evidence": {
            "gene": [annotation.gene.reason, *annotation.gene.evidence],
            **{name: _evidence(e) if e else [] for name, e in features.items()},
        },
        **_asked(annotation),
    }


def _asked(annotation: ClinicalAnnotation) -> dict[str, Any]:
    """Return what is known of the model that was asked; nothing where none was."""
    if annotation.asked is None and not annotation.review:
        return {}
    return {
        "by": annotation.by,
        "review": dict(annotation.review),
        "asked": None if annotation.asked is None else asdict(annotation.asked),
    }


def _evidence(encoding: FeatureEncoding) -> list[str]:
    return [*encoding.evidence, *shift_notes(encoding), *reason_texts(encoding)]


@dataclass(frozen=True)
class _CaseTexts:
    title: str | None = None
    summary: str | None = None
    overall_design: str | None = None


@dataclass(frozen=True)
class _SeenOfCase:
    """What is seen of a case, as its line has it."""

    cohort: str | None = None
    background: _CaseTexts | None = None
    sample_characteristics: dict[int, tuple[Cell, ...]] | None = None
    first_ids: tuple[str, ...] | None = None
    annotation_columns: tuple[str, ...] | None = None
    annotation_preview: dict[str, tuple[Any, ...] | None] | None = None


def description_from_case(case: Mapping[str, Any]) -> SeriesDescription:
    """Describe a case of a JSON Lines file (fields: docs/clinical.md).

    Only the fields that a solver may see are read: labels in the same object are ignored.

    Raises FormatError if a field does not have the form it must have.
    """
    given = {each.name: case.get(each.name) for each in fields(_SeenOfCase)}
    if isinstance(given["background"], dict):
        given["background"] = {name: _joined(t) for name, t in given["background"].items()}
    hint = "see the fields in docs/clinical.md"
    seen = checked(_SeenOfCase, given, hint=hint)
    texts, rows = seen.background or _CaseTexts(), seen.sample_characteristics or {}
    numbers = list(given["sample_characteristics"] or ())
    if rows and not (len(rows) == len(numbers) and 0 <= min(rows) <= max(rows) < _MOST_ROWS):
        msg = f"rows must have different numbers from 0 to {_MOST_ROWS - 1}, not {numbers}"
        raise FormatError(msg, field="sample_characteristics", hint=hint)
    return SeriesDescription(
        cohort=seen.cohort or "",
        title=texts.title or "",
        summary=texts.summary or "",
        overall_design=texts.overall_design or "",
        characteristics=tuple(
            tuple(dict.fromkeys(rows.get(n, ()))) for n in range(max(rows, default=-1) + 1)
        ),
        first_ids=seen.first_ids or (),
        annotation_columns=seen.annotation_columns or (),
        annotation_preview={
            name: tuple(None if v is None else str(v) for v in cells or ())
            for name, cells in (seen.annotation_preview or {}).items()
        },
    )


def _joined(text: Any) -> Any:
    """Return a list of texts as one text."""
    if isinstance(text, list) and all(line is None or isinstance(line, str) for line in text):
        return "\n".join(line for line in text if line is not None)
    return text
