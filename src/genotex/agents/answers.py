"""Answers of models to the team: a plan, a verdict, code in whichever way models write it down."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, make_dataclass, replace
from typing import Any, Literal

from genotex.agents.action_units import ActionUnit, action_unit, action_units, usual_next
from genotex.agents.task import Task
from genotex.errors import BadAnswerError, RefusedError
from genotex.models import Message, Reply, Request, RoleModels

_PYTHON = ("python", "py", "python3", "ipython")
_FIELDS = ("code", "python", "cell", "script", "python_code")
"""Fields of a JSON object that hold the code, where the whole answer is one."""

_THOUGHTS = re.compile(r"<(think|thinking|reasoning|thought)>.*?(</\1>|\Z)", re.DOTALL)
_END_OF_THOUGHTS = re.compile(r".*</(?:think|thinking|reasoning|thought)>", re.DOTALL)
_OPENING = re.compile(
    r"(?P<before>[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?)(?P<fence>`{3,}|~{3,})[ \t]*"
    r"(?P<language>[\w+-]*)(?P<rest>[^`]*)"
)
_OF_IPYTHON = re.compile(r"[ \t]*[%!]+[ \t]*\w")
_SHOWS_OUTPUT = re.compile(
    r"\b(outputs?|prints?|printed|results?|expected|shows?|looks? like)\b", re.IGNORECASE
)
_BEGINS_CODE = re.compile(
    r"(?:import |from \S+ import|def |class |@|#|for |if |with |try:|while "
    r"|[A-Za-z_]\w*(?:\s*,\s*\w+)*\s*=[^=]|[A-Za-z_][\w.]*\()"
)
_MOST_LINES = 400
"""Of an answer without a fence that are searched for code."""


@dataclass(frozen=True)
class WrittenCode:
    """Code, and how it was found where that was not plain."""

    code: str
    note: str = ""  # What was joined, left out or repaired; empty for one plain block


@dataclass(frozen=True)
class _Block:
    language: str
    code: str
    closed: bool
    line_before: str


def written_code(text: str, *, cut: bool = False) -> WrittenCode | None:
    """Return the Python code in an answer, or None where there is none or it is ambiguous.

    Several blocks marked as Python are one cell, in their order; a later one that defines all
    names of an earlier one again replaces it. Blocks without a mark count where none has one.
    `cut` states that the answer was cut off: a block that is not closed is then incomplete.
    """
    text = _END_OF_THOUGHTS.sub("", _THOUGHTS.sub("", text))
    blocks = list(_blocks(text))
    if any(not block.closed for block in blocks) and (cut or not _parses(blocks[-1].code)):
        return None
    python = _python_blocks(blocks)
    if python:
        return _joined(python, any(not block.closed for block in python))
    found = _of_json([text, *(b.code for b in blocks if b.language in ("json", ""))], cut=cut)
    if found is not None or blocks:
        return found
    return _without_fence(text)


def _blocks(text: str) -> Iterator[_Block]:
    """Find fenced blocks, also indented ones and one that is not closed at the end."""
    opening, before = None, ""
    content: list[str] = []
    for line in text.split("\n"):
        bare = line.strip()
        if opening is None:
            opening = _OPENING.fullmatch(line.rstrip("\r"))
            before = before if opening or not bare else bare
            content = []
        elif bare == bare[:1] * len(bare) and bare.startswith(opening["fence"]):
            yield _block(opening, content, before, closed=True)
            opening, before = None, ""
        else:
            content.append(line)
    if opening is not None and any(line.strip() for line in content):
        yield _block(opening, content, before, closed=False)


def _block(opening: re.Match[str], lines: Sequence[str], before: str, *, closed: bool) -> _Block:
    code = "\n".join(lines).strip("\n")
    code = textwrap.dedent(code) if opening["before"] else code
    return _Block(opening["language"].lower(), code + "\n", closed, before)


def _python_blocks(blocks: Sequence[_Block]) -> list[_Block]:
    """Return the blocks that are code, by their marks; those without a mark where none has one."""
    full = [block for block in blocks if block.code.strip()]
    if not any(block.language in _PYTHON for block in full):
        unmarked = [block for block in full if not block.language]
        if _of_json([block.code for block in unmarked], cut=False) is not None:
            return []
        code = [block for block in unmarked if _is_python(block.code)]
        return code or unmarked[-1:]
    return [
        block
        for block in full
        if block.language in _PYTHON
        or (
            not block.language
            and _is_python(block.code)
            and not _SHOWS_OUTPUT.search(block.line_before)
        )
    ]


def _joined(blocks: Sequence[_Block], unclosed: bool) -> WrittenCode:
    notes = ["the block was not closed"] if unclosed else []
    mended = [_mended(block.code) for block in blocks]
    notes += [note for _, note in mended if note]
    codes = [code for code, _ in mended]
    kept = [
        code
        for number, code in enumerate(codes)
        if not any(_replaces(later, code) for later in codes[number + 1 :])
    ]
    if len(kept) > 1:
        notes.insert(0, f"{len(kept)} blocks of Python were joined in their order")
    if len(kept) < len(codes):
        replaced = len(codes) - len(kept)
        what = "1 earlier block was" if replaced == 1 else f"{replaced} earlier blocks were"
        notes.insert(0, f"{what} replaced by a later one that defines the same names")
    code = "\n\n".join(code.strip("\n") for code in kept) + "\n"
    return WrittenCode(code, "; ".join(dict.fromkeys(notes)))


def _mended(code: str) -> tuple[str, str]:
    """Return code that parses, where leaving out marks of a terminal or an indent is enough."""
    if _parses(code):
        return code, ""
    for mend, note in _MENDS:
        mended = mend(code)
        if mended.strip() and mended != code and _parses(mended):
            return mended, note
    return code, ""


def _without_magics(code: str) -> str:
    return "\n".join(line for line in code.split("\n") if not _OF_IPYTHON.match(line))


def _without_prompts(code: str) -> str:
    lines = [line for line in code.split("\n") if line.startswith((">>> ", "... "))]
    return "\n".join(line[4:] for line in lines)


_MENDS: tuple[tuple[Callable[[str], str], str], ...] = (
    (textwrap.dedent, ""),
    (_without_magics, "lines with commands of IPython (% or !) were left out"),
    (_without_prompts, "the marks of an interactive session (>>>) were left out"),
)


def _replaces(later: str, earlier: str) -> bool:
    """Return whether code binds every name of earlier code again, and uses none of it before."""
    try:
        first, second = ast.parse(earlier), ast.parse(later)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    imports = {n for each in first.body if _is_import(each) for n in _bound(each)}
    names = {n for each in first.body if not _is_import(each) for n in _bound(each)}
    bound: set[str] = set()
    for statement in second.body:
        names_used = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
        loaded = {name.id for name in names_used if isinstance(name.ctx, ast.Load)}
        if loaded & (names | imports) - bound:
            return False
        bound |= _bound(statement)
    return bool(names) and names <= bound


def _is_import(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds in the cell."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(each.asname or each.name).partition(".")[0] for each in statement.names}
    names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _of_json(texts: Sequence[str], *, cut: bool) -> WrittenCode | None:
    """Return the code of an answer that is a JSON object with it in a field."""
    for text in texts:
        try:
            value = json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue
        fields = value if isinstance(value, dict) else {}
        code = next((fields[n] for n in _FIELDS if isinstance(fields.get(n), str)), "")
        found = written_code(code, cut=cut) if code.strip() else None
        if found is not None:
            return WrittenCode(found.code, "; ".join(filter(None, ("taken from JSON", found.note))))
    return None


def _without_fence(text: str) -> WrittenCode | None:
    """Return the whole text if it is code, or the only stretch of code between prose."""
    if _is_python(text):
        return WrittenCode(text.strip() + "\n")
    lines = text.split("\n")
    start = next((n for n, line in enumerate(lines) if _BEGINS_CODE.match(line)), None)
    if start is None or len(lines) > _MOST_LINES:
        return None
    ends = range(len(lines), start, -1)
    end = next((n for n in ends if _is_python("\n".join(lines[start:n]))), 0)
    if not end or any(_BEGINS_CODE.match(line) for line in lines[end:]):
        return None
    code = "\n".join(lines[start:end]).strip("\n") + "\n"
    # A sentence such as "import it first" is not a cell.
    if len(ast.parse(code).body) < 2:
        return None
    return WrittenCode(code, "it had no fence; the prose around it was left out")


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _is_python(text: str) -> bool:
    """Return whether a text is code: more than words or values, such as "Sorry" or JSON."""
    return _parses(text) and any(not _is_word(statement) for statement in ast.parse(text).body)


def _is_word(statement: ast.stmt) -> bool:
    calls = (isinstance(node, ast.Call) for node in ast.walk(statement))
    return isinstance(statement, ast.Expr) and not any(calls)


MOST_SUGGESTIONS = 3


@dataclass(frozen=True)
class Plan:
    """The next step of a notebook, or the way back to an earlier one."""

    reasoning: str = field(metadata={"description": "why, in one or two sentences"})
    action: str = field(metadata={"description": "name of the step to do next"})
    retract: bool = field(
        metadata={"description": "true: first go back, dropping an earlier step and all after it"}
    )
    retract_to_step: int | None = field(
        metadata={"description": "number of the first step to drop; null unless retract is true"}
    )


@dataclass(frozen=True)
class Verdict:
    """A judgement of the last attempt."""

    follows: bool = field(metadata={"description": "the code does what the instruction asks"})
    reasoning: str = field(metadata={"description": "why, in a few sentences"})
    suggestions: list[str] = field(
        metadata={
            "description": "what to change, the most important first",
            "max_length": MOST_SUGGESTIONS,
        }
    )
    approve: bool = field(metadata={"description": "true: the attempt is accepted as it is"})

    def __post_init__(self) -> None:
        """Refuse a verdict that contradicts itself."""
        if self.approve and not self.follows:
            msg = "approve is true, but follows is false; decide which it is"
            raise ValueError(msg)


_REPAIR = """\
{why}
Answer the same question again, with one block that begins with ```python, at the beginning of a
line, and ends with ```.
"""
_NO_CODE = "Your answer contains no Python code that can be extracted."
_CUT = "Your answer was cut off at the most tokens you may write, so be shorter: the block alone."
_ONLY_THOUGHTS = "Your answer is empty: all tokens were spent on thinking. Think briefly."
_REFUSED = (
    "Your answer was a refusal. The data are published and de-identified, and what is asked for is "
    "code that computes with them on this machine."
)


def ask_for_code(ask: Callable[[Request], Reply], request: Request) -> WrittenCode:
    """Ask for code; a model has one chance to repair an answer without any."""
    model, error = "", None
    for _ in range(2):
        try:
            reply = ask(request)
        except (BadAnswerError, RefusedError) as failure:
            said, why, error = "(no answer)", _why(failure), failure
        else:
            cut = reply.stop == "length"
            found = written_code(reply.text, cut=cut)
            if found is not None:
                return found
            said, why, error, model = reply.text, _CUT if cut else _NO_CODE, None, reply.model
        told = (Message("assistant", said), Message("user", _REPAIR.format(why=why)))
        request = replace(request, messages=(*request.messages, *told))
    if error is not None:
        raise error
    msg = "the answer contains no Python code, also when asked again"
    raise BadAnswerError(msg, model=model, hint=f"role {request.role}; try another model")


def _why(failure: BadAnswerError | RefusedError) -> str:
    if isinstance(failure, RefusedError):
        return _REFUSED
    return _ONLY_THOUGHTS if "thinking" in failure.message else _NO_CODE


@dataclass(frozen=True)
class StepChoice:
    """What to do next."""

    unit: ActionUnit
    retract_to: int | None = None  # Number of the first step to drop before
    why: str = ""
    # Whether the planner's answer could not be used, so that the usual order decided.
    unreadable: bool = False


def choose_step(
    models: RoleModels, request: Request, task: Task, done: Sequence[str], droppable: int
) -> StepChoice:
    """Ask the planner; the usual order decides where its answer cannot be used.

    `done` names the steps done; `droppable` of them can be dropped, 0 where the notebook may not go
    back any more.
    """
    try:
        plan = models.ask_for(request, _plan_of(task, droppable)).value
    except (BadAnswerError, RefusedError) as error:
        return StepChoice(usual_next(task, done), why=str(error), unreadable=True)
    if plan.retract and plan.retract_to_step is None:
        why = "the plan goes back, but does not state to which step"
        return StepChoice(usual_next(task, done), why=why, unreadable=True)
    return StepChoice(
        action_unit(task.kind, plan.action),
        plan.retract_to_step if plan.retract else None,
        plan.reasoning,
    )


def _plan_of(task: Task, steps: int) -> type[Plan]:
    """Return the type of a plan that can choose only existing steps; 0: no step can be dropped."""

    def described(name: str, **more: Any) -> Any:
        return field(metadata={**Plan.__dataclass_fields__[name].metadata, **more})

    names = tuple(unit.name for unit in action_units(task.kind))
    number = described("retract_to_step", **({"ge": 1, "le": steps} if steps else {}))
    fields = [
        ("action", Literal[names], described("action", json_schema_extra={"type": "string"})),
        (
            "retract",
            bool if steps else Literal[False],
            described("retract", json_schema_extra={"type": "boolean"}),
        ),
        ("retract_to_step", int | None if steps else None, number),
    ]
    namespace = {"__doc__": Plan.__doc__}
    return make_dataclass("Plan", fields, bases=(Plan,), namespace=namespace, frozen=True)
