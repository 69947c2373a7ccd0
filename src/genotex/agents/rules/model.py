"""The built-in rules as a model: they plan, write code and review, with no key and no network.

They answer from the task card that goes with every prompt of the team. What they decide comes from
the files that the card names, by the same rules as the pipeline without agents. A review judges
whether code runs and does what its step asks for.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

from genotex.agents.action_units import ActionUnit, action_unit, usual_steps, whole_task
from genotex.agents.answers import MOST_SUGGESTIONS
from genotex.agents.questions import Card, last_attempt, read_card
from genotex.agents.rules.geo import geo_steps, read_geo, write_geo_code
from genotex.agents.rules.source_text import literal
from genotex.agents.rules.tcga import tcga_steps, write_tcga_code
from genotex.agents.structured import MOST_GENES
from genotex.agents.task import Task
from genotex.clinical import answer_of
from genotex.errors import BadAnswerError, GenotexError, NoUsableCohortError, UsageError
from genotex.layout import OutputFolder
from genotex.models import Reply, Request, Usage, fenced, register
from genotex.problems import ProblemKind, choose_cohort, choose_pair

_CHOOSE = """\
choice = choose_data(task)
print(choice)

data = load_data(choice)
print(data)
"""

_CONDITION = """
condition = data.values[:, data.columns.index({name})]
print({name}, "from", np.nanmin(condition), "to", np.nanmax(condition))
"""

_SOLVE = """
result = analyse(data)
print(result)
print(save_result(result))
"""


def _statistics_steps(task: Task) -> tuple[str, ...]:
    """Return the names of the steps, of which only the last is left where no cohort fits."""
    names = tuple(unit.name for unit in usual_steps(task))
    return names if _fits(task) else names[-1:]


def _fits(task: Task) -> bool:
    output, problem, tasks = OutputFolder(task.input_folder), task.problem, task.read_task_info()
    try:
        if problem.kind is not ProblemKind.TWO_STEP:
            choose_cohort(output, problem)
        elif tasks is not None:
            choose_pair(output, problem, tasks)
    except NoUsableCohortError:
        return False
    return True


def _write_statistics_code(task: Task, step: str) -> str:
    """Return the code of one step."""
    if task.problem.kind is not ProblemKind.ONE_STEP:
        return _CHOOSE + _SOLVE
    condition = _CONDITION.format(name=literal(str(task.condition)))
    return f"import numpy as np\n\n{_CHOOSE}{condition}{_SOLVE}"


_STEPS = {"geo": geo_steps, "tcga": tcga_steps, "statistics": _statistics_steps}
_WRITERS = {"geo": write_geo_code, "tcga": write_tcga_code, "statistics": _write_statistics_code}


def plan_units(task: Task) -> tuple[ActionUnit, ...]:
    """Return the steps that the rules take for a task, in order; the last one completes it."""
    return tuple(action_unit(task.kind, name) for name in _STEPS[task.kind](task))


def write_code(task: Task, unit: ActionUnit) -> str:
    """Write the code of one step."""
    if unit.kind != task.kind:
        msg = f"{unit.name} is a step of {unit.kind}, but the task is one of {task.kind}"
        raise UsageError(msg)
    if unit == whole_task(task.kind):
        steps = [each for each in plan_units(task) if not each.completes]
        return "\n\n".join(f"# {each.title}\n{write_code(task, each)}" for each in steps)
    return "" if unit.completes else _WRITERS[task.kind](task, unit.name)


NAME = "rules"
_NO_TOKENS = Usage(0, 0, 0, 0)


class RulesModel:
    """Answers every request of the team by rules; equal requests have equal answers."""

    name = NAME

    def answer(self, request: Request) -> Reply:
        """Answer (see `Model`)."""
        start = time.monotonic()
        try:
            text, data = self._answer(read_card(request), request)
        except BadAnswerError:
            raise
        except (GenotexError, OSError) as error:
            # A file that cannot be read, for one.
            msg = f"the rules have no answer: {error}"
            raise BadAnswerError(msg, model=self.name) from error
        return Reply(
            text,
            self.name,
            data=data,
            usage=_NO_TOKENS,
            provider=NAME,
            working=time.monotonic() - start,
        )

    def _answer(self, card: Card, request: Request) -> tuple[str, object]:
        if card.occasion == "plan":
            return "", self.plan(card)
        if card.occasion == "review":
            code, output = last_attempt(request)
            return "", self.review(card, code, output)
        if card.occasion == "encode":
            return "", answer_of(read_geo(card.task))
        if card.occasion == "zero_shot":
            return "", {"genes": self.known_genes(card)}
        return fenced(self.write(card), "python"), None

    def plan(self, card: Card) -> dict[str, object]:
        """Choose the next step: the first one that is missing, or that failed."""
        wanted = [unit.name for unit in plan_units(card.task)]
        for number, step in enumerate(card.steps, start=1):
            right = wanted[number - 1] if number < len(wanted) else None
            if (step.unit != right or step.status != "ok") and card.retractions_left:
                why = f"step {number} ({step.unit}) is not as it should be."
                return _plan(right or wanted[-1], why, number)
        done = [step.unit for step in card.steps if step.status == "ok"]
        missing = [name for name in wanted if name not in done]
        return _plan(missing[0], "The first step that is missing.")

    def known_genes(self, card: Card) -> list[str]:
        """Return the genes that the task list calls related to the trait, all that rules know."""
        tasks = card.task.read_task_info()
        if tasks is None:
            msg = "the rules know genes from the task list alone, and none was given"
            raise BadAnswerError(msg, model=self.name)
        return list(tasks.related_genes(card.task.trait))[:MOST_GENES]

    def write(self, card: Card) -> str:
        """Write the code of a step."""
        return write_code(card.task, action_unit(card.task.kind, str(card.unit)))

    def review(self, card: Card, code: str, output: str) -> dict[str, object]:
        """Judge an attempt by rules."""
        unit = action_unit(card.task.kind, str(card.unit))
        ran = card.attempts[-1] in ("ok", "incomplete")
        found = review_output(unit, code, output, failed=not ran)
        return {
            "follows": found.approved,
            "reasoning": " ".join(found.suggestions) or "It runs and does what is asked.",
            "suggestions": list(found.suggestions),
            "approve": found.approved,
        }


def _plan(action: str, why: str, retract_to: int | None = None) -> dict[str, object]:
    return {
        "reasoning": why,
        "action": action,
        "retract": retract_to is not None,
        "retract_to_step": retract_to,
    }


def register_rules() -> None:
    """Make ``rules`` the name of a model."""
    register(NAME, lambda name, *_: RulesModel())


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
