"""Review by the built-in rules: whether code runs and does what the step asks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from genotex.agents.action_units import ActionUnit
from genotex.agents.answers import MOST_SUGGESTIONS

_LEAST_MAPPED = 0.05
"""Where fewer rows than this share find a gene, the columns are wrong."""

_RAISED = re.compile(r"^(?:[\w.]+\.)?(\w*(?:Error|Exception|Interrupt|Exit)\b.*)$", re.M)
_STOPPED = re.compile(r"(Stopped (at|after)|Interrupted on|The session (died|was ended))\b")
"""The last message of the sandbox about a cell that did not end by itself."""
_PLACEHOLDER = re.compile(r"\b(placeholder|TODO|FIXME|your code here|not implemented)\b", re.I)
_MAPPED = re.compile(r"(\d+) of (\d+) rows name a gene")
_EMPTY = re.compile(r"^\s*(\w+).*\bmissing in (\d+) of \2 samples", re.M)
_BY_HAND = {"open", "read_csv", "read_table", "loadtxt", "genfromtxt", "scan_csv"}


@dataclass(frozen=True)
class Review:
    """The judgement of an attempt."""

    runs: bool  # Whether it ran to its end
    follows: bool  # Whether it does what the step asks for, as far as rules can see
    suggestions: tuple[str, ...] = ()  # What to change, three at most; empty where it is approved

    @property
    def approved(self) -> bool:
        """Whether it runs and follows."""
        return self.runs and self.follows


_CALLS: dict[tuple[str, str], tuple[str, ...]] = {
    ("geo", "load_data"): ("find_files", "read_series", "unique_values"),
    ("geo", "read_clinical_features"): ("clinical_table",),
    ("geo", "extract_gene_data"): ("read_expression",),
    ("geo", "review_gene_ids"): (),
    ("geo", "read_annotation"): ("read_annotation",),
    ("geo", "map_gene_ids"): ("map_probes",),
    ("geo", "normalise_and_link"): ("normalise_symbols", "save_table", "save_cohort_info"),
    ("tcga", "load_data"): ("find_files", "read_clinical_matrix"),
    ("tcga", "find_demographic_columns"): (),
    ("tcga", "choose_demographic_columns"): (),
    ("tcga", "build_features"): (
        "encode_feature",
        "clinical_table",
        "save_table",
        "save_cohort_info",
    ),
}
"""What the code of a step must call."""
_SOLVES = ("choose_data", "load_data", "analyse", "save_result")


def review_output(
    unit: ActionUnit, code: str, output: str, *, failed: bool | None = None
) -> Review:
    """Judge the last attempt at a step."""
    why = _failure(output)
    if failed or (failed is None and why):
        return Review(False, False, (_advice(why or "it did not run to its end"),))
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        return Review(False, False, (f"The code is not Python: {error}. Write it again.",))
    found = tuple(_suggestions(unit, tree, code, output))[:MOST_SUGGESTIONS]
    return Review(True, not found, found)


def _failure(output: str) -> str:
    """Return the exception that ended the code, or why it was stopped; empty where it ran."""
    last = output.rstrip().rpartition("\n")[2]
    if _STOPPED.match(last):
        return last
    if "Traceback (most recent call last)" not in output:
        return ""
    raised = _RAISED.findall(output)
    return str(raised[-1]) if raised else "an exception"


def _advice(why: str) -> str:
    kind, _, message = why.partition(":")
    if kind == "NameError":
        return f"{why}. Define it first, or use the variables of the earlier cells."
    if kind in ("UsageError", "FormatError"):
        return f"The toolkit refused:{message}"
    if why.startswith("Stopped"):
        return f"{why} Find the loop that does not end, or the step that is too long."
    return f"The code did not run to its end: {why}. Correct what raised it."


def _suggestions(unit: ActionUnit, tree: ast.Module, code: str, output: str) -> Iterator[str]:
    if unit.completes:
        return
    yield from _placeholders(tree, code)
    called, assigned = _called(tree), _assigned(tree)
    if by_hand := sorted(called & _BY_HAND):
        yield f"Files are read by hand ({by_hand[0]}); use the functions of the toolkit."
    # A step that records that there are no genes, or no study, ends the notebook early.
    ends_here = _records_absence(tree)
    for name in () if ends_here else _CALLS.get((unit.kind, unit.name), _SOLVES):
        if name not in called:
            yield f"The step asks for {name}(), which is not called."
    for name in () if ends_here else [promised.name for promised in unit.promises]:
        if name not in assigned:
            yield f"Later steps need the variable `{name}`, which is not set."
    yield from _suspicious(output)
    if not output.strip():
        yield "Nothing was printed; print what the next step has to see."


def _placeholders(tree: ast.Module, code: str) -> Iterator[str]:
    if hit := _PLACEHOLDER.search(code):
        yield f"The code is a placeholder ({hit[0]!r}); write what it is to do."
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and all(map(_does_nothing, node.body)):
            yield f"The function {node.name} does nothing; write what it is to do."


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Pass):
        return True
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _called(tree: ast.Module) -> set[str]:
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {f.id if isinstance(f, ast.Name) else getattr(f, "attr", "") for f in calls}


def _assigned(tree: ast.Module) -> set[str]:
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _records_absence(tree: ast.Module) -> bool:
    """Return whether absence is recorded in any case, not only under a condition."""
    always = (line for line in tree.body if not isinstance(line, ast.If))
    calls = (node for line in always for node in ast.walk(line) if isinstance(node, ast.Call))
    return any(
        isinstance(call.func, ast.Name)
        and call.func.id == "save_cohort_info"
        and any(keyword.arg == "why_no_genes" for keyword in call.keywords)
        for call in calls
    )


def _suspicious(output: str) -> Iterator[str]:
    """Find in what was printed signs that the answer is wrong."""
    if hit := _EMPTY.search(output):
        yield f"{hit[1]} is missing in all samples; choose another row, or correct the function."
    if hit := _MAPPED.search(output):
        named, rows = int(hit[1]), int(hit[2])
        if named < _LEAST_MAPPED * rows:
            yield f"Only {named} of {rows} rows name a gene; choose other columns."
