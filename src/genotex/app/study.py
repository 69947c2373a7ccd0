"""The five steps of a study: how far each is, what wants a look, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.app.data.sheets import GROUPS, EditedSheet
from genotex.app.pages import (
    Workbench,
    address,
    address_of,
    render,
    series_state,
    visitor_of,
    workbench_of,
)
from genotex.errors import GenotexError
from genotex.layout import GeoCohortFiles
from genotex.reports import audit_view
from genotex.studies import JobRecord, TablesRecord, columns_of, find_tables
from genotex.words import counted

NAMES = ("Data", "Samples", "Quality", "Design", "Result")
SURE = 0.9
"""Groups that are less certain want a look."""
State = Literal["done", "look", "open"]
_WORDS: dict[State, str] = {"done": "done", "look": "wants a look", "open": "not yet"}
_MOST_READ = 20
"""Series whose state the line shows."""


@dataclass(frozen=True)
class StudyStep:
    """A step: its page, its state, what is certain, what wants a look, and what to do about it."""

    name: str
    address: str = ""
    state: State = "open"
    certain: str = ""
    look: str = ""
    action: str = ""
    there: str = ""

    @property
    def word(self) -> str:
        """The state in words."""
        return _WORDS[self.state]


@dataclass(frozen=True)
class StudyLine:
    """The steps of a study, the one that is open, and where the line is asked for again."""

    study: str
    steps: tuple[StudyStep, ...]
    at: str
    again: str

    @property
    def next(self) -> StudyStep | None:
        """The first step with something to do."""
        return next((step for step in self.steps if step.action and step.state != "done"), None)


def line_of(request: Request, at: str, place: dict[str, str]) -> StudyLine | None:
    """Return the line of the study that an address names; None where it names none."""
    workbench, link = workbench_of(request), visitor_of(request).link
    if link is not None and link.kind != "study":
        return None
    record = workbench.jobs.record(place.get("output", "").removeprefix("analyses/"))
    if name := place.get("name") or (record.tables if isinstance(record, TablesRecord) else ""):
        steps = _of_tables(workbench, name, place if place.get("output") else {})
        study = name
    else:
        trait, series = _series_of(record, place)
        if not trait or not series:
            return None
        result = place if place.get("output") else {}
        steps = _of_series(workbench, trait, series, result, alone=link is not None)
        if link is not None:
            steps = tuple(map(_to_read, steps))
        study = series[0] if len(series) == 1 else f"{len(series)} series"
    again = address("/study", {**place, "at": at})
    return StudyLine(study, steps, at, again)


def _to_read(step: StudyStep) -> StudyStep:
    """Return a step for somebody with a link, who does nothing and sees no form."""
    there = "" if step.address.startswith(("/analysis", "/add")) else step.address
    return replace(step, address=there, action="")


def _series_of(record: JobRecord | None, place: dict[str, str]) -> tuple[str, Sequence[str]]:
    """Return trait and series of an address: those of the analysis, or the named ones."""
    if record is not None and record.of_series is not None:
        trait, named = record.of_series
        return trait, named or ["simulated study"]
    series = place.get("series") or place.get("cohort") or ""
    return place.get("trait", ""), [name for name in series.split(",") if name]


def _of_series(
    workbench: Workbench, trait: str, series: Sequence[str], result: dict[str, str], *, alone: bool
) -> tuple[StudyStep, ...]:
    """Return the steps of series; `alone`: without results that other series are part of."""
    files = workbench.workspace.several_series(trait, series[:_MOST_READ])
    each = [_before_analysis(workbench, trait, *found) for found in files.items()]
    first = [_together(series, steps) for steps in zip(*each, strict=True)]
    design, found = _analysed(workbench, trait, series, result, alone=alone)
    place = {"trait": trait, "series": series[0], "sent": 1}
    there = address("/analysis", place) if files[series[0]] else ""
    if not there and result:
        of = {"output": result["output"], "trait": trait, "cohort": series[0]}
        first[2] = replace(first[2], address=address("/quality", of), state="done")
    if found.state == "done":
        # What was analysed was read, whether or not it is in memory.
        used = (replace(s, state="done") if s.state == "open" else s for s in first[:2])
        first = [*used, replace(first[2], action=first[2].look and first[2].action)]
    plan = workbench.plans.get((trait, *series))
    if design is None and plan is not None:
        warned = counted(len(plan.warnings), "warning") if plan.warnings else ""
        why = f"cannot be analysed: {plan.why_not}" if plan.why_not else ""
        state: State = "look" if why else "done"
        design = StudyStep(
            "Design", there, state, plan.formula, why or warned, "Change the samples"
        )
        if not why and not found.address:
            found = replace(found, action="Start the analysis", there=f"{there}#go")
    if design is None:
        design = StudyStep("Design", action="See the design" if there else "")
    return (*first, replace(design, address=there), found)


def _before_analysis(
    workbench: Workbench, trait: str, name: str, files: GeoCohortFiles | None
) -> tuple[StudyStep, StudyStep, StudyStep]:
    """Return data, samples and quality of a series, by what is known: nothing is read for it."""
    if files is None:
        return (
            StudyStep("Data", state="done", certain="analysed elsewhere"),
            StudyStep("Samples", state="done"),
            StudyStep("Quality"),
        )
    here = address("/samples", {"trait": trait, "series": name})
    sheet = workbench.sheets.kept(workbench.workspace.sheet(trait, name))
    read = workbench.series.kept(series_state(files))
    why = workbench.unread.get(series_state(files), "")
    judged = StudyStep("Quality", f"{here}#samples-quality")
    if read is not None:
        quality = read.quality
        size = f"{len(quality.samples)} samples, {quality.genes:,} genes"
        data = StudyStep("Data", f"{here}#data", "done", size)
        if quality.audit is not None:
            audit = audit_view(quality.audit)
            wants = audit.worst != "fine"
            judged = replace(
                judged, state="look" if wants else "done", certain="" if wants else audit.verdict,
                look=counted(len(audit.lines), "finding") if wants else "",
                action="See what the audit found",
            )  # fmt: skip
    elif why:
        data = StudyStep(
            "Data", f"{here}#data", "look", "", "no expression was read", "Add files", "/add"
        )
        judged = replace(judged, look="needs the expression")
    else:
        data = StudyStep("Data", f"{here}#data", "open", "", "", "Read the series")
    return data, _samples_of(sheet, here), judged


def _samples_of(sheet: EditedSheet | None, here: str) -> StudyStep:
    """Return the groups of the samples of a series, and how many proposals are uncertain."""
    if sheet is None:
        return StudyStep("Samples", f"{here}#samples-title")
    groups = {group: n for group, n in sheet.counts.items() if group in GROUPS}
    text = ", ".join(f"{n} {group}" for group, n in groups.items())
    unsure = sum(_is_unsure(row) for row in sheet.rows) if not sheet.saved else 0
    state: State = "look" if unsure or not groups else "done"
    look = "no groups" if not groups else f"{unsure} uncertain" if unsure else ""
    certain = text and f"{text}; {'saved' if sheet.saved else 'proposed'}"
    return StudyStep(
        "Samples", f"{here}#samples-title", state, certain, look,
        "Check the uncertain samples" if groups else "Assign groups or choose a comparison",
        f"{here}&sort=certainty#samples-title" if groups else "",
    )  # fmt: skip


def _is_unsure(row: dict[str, str]) -> bool:
    """Return whether a proposal for a sample is not certain."""
    try:
        return float(row.get("certainty") or 1.0) < SURE
    except ValueError:
        return False


def _together(series: Sequence[str], steps: tuple[StudyStep, ...]) -> StudyStep:
    """Return a step of several series: the one that most wants a look leads."""
    if len(series) == 1:
        return steps[0]
    looks = [step for step in steps if step.state == "look"]
    still = [step for step in steps if step.state == "open"]
    first = (looks or still or steps)[0]
    state: State = "look" if looks else "open" if still else "done"
    done = sum(step.state == "done" for step in steps)
    look = f"{len(looks)} of {len(series)} want a look" if looks else ""
    certain = f"{done} of {len(series)} series" if done else ""
    return StudyStep(first.name, first.address, state, certain, look, first.action, first.there)


def _analysed(
    workbench: Workbench, trait: str, series: Sequence[str], result: dict[str, str], *, alone: bool
) -> tuple[StudyStep | None, StudyStep]:
    """Return design and result of an analysis: the one that is open, or the last of the series."""
    record = workbench.jobs.record(result.get("output", "").removeprefix("analyses/"))
    if record is None and not result:
        every = workbench.jobs.records()
        record = next((r for r in every if _is_of(r, trait, series, alone=alone)), None)
    if record is None:
        if not result:
            return None, StudyStep("Result")
        there = address("/genes", dict(result))
        return StudyStep("Design", state="done"), StudyStep("Result", there, "done")
    return _of_record(record)


def _of_record(record: JobRecord) -> tuple[StudyStep | None, StudyStep]:
    done = record.state == "done"
    there = address(record.page, dict(record.place)) if done and record.place else ""
    formula = record.formula.partition(";")[0]
    design = StudyStep("Design", state="done", certain=formula) if done else None
    if done:
        return design, StudyStep("Result", there, "done", record.message)
    look = f"{record.state}{': ' if record.message else ''}{record.message}"
    if record.open:
        return design, StudyStep("Result", "/analysis#history-title", "open", look)
    return design, StudyStep("Result", "/analysis#history-title", "look", "", look, "See why")


def _is_of(record: JobRecord, trait: str, series: Sequence[str], *, alone: bool) -> bool:
    named, own = record.of_series or ("", [])
    return named == trait and (own == [*series] if alone else set(series) <= set(own))


def _of_tables(workbench: Workbench, name: str, result: dict[str, str]) -> tuple[StudyStep, ...]:
    files, here = find_tables(workbench.workspace, name), address("/tables", {"name": name})
    try:
        read = None if files is None else workbench.own_tables(files)
    except GenotexError:
        # A result is shown without its tables; their own page says what is wrong with them.
        if not result:
            raise
        read = None
    if read is None:
        there = address("/genes", dict(result))
        return (*(StudyStep(each) for each in NAMES[:-1]), StudyStep("Result", there, "done"))
    size = f"{len(read.samples):,} samples, {len(read.genes):,} genes"
    warned = counted(len(read.warnings), "warning") if read.warnings else ""
    own = (r for r in workbench.jobs.records() if isinstance(r, TablesRecord) and r.tables == name)
    mine = result.get("output", "").removeprefix("analyses/")
    record = next((r for r in own if mine in ("", r.name)), None)
    design, found = (None, StudyStep("Result")) if record is None else _of_record(record)
    design = design or StudyStep("Design", action="State the design")
    quality = StudyStep("Quality", certain="after the analysis")
    if record is not None and record.state == "done" and record.traits:
        of = {"output": f"analyses/{record.name}", "trait": record.traits[0], "cohort": name}
        quality = StudyStep("Quality", address("/quality", dict(of)), "done")
    state: State = "look" if warned else "done"
    columns = counted(len(columns_of(read)), "column")
    return (
        StudyStep("Data", f"{here}#data", state, size, warned, "See how it was read"),
        StudyStep("Samples", f"{here}#columns", "done", columns),
        quality,
        replace(design, address=f"{here}#design-title"),
        found,
    )  # fmt: skip


def result_line(request: Request, *cohorts: str) -> StudyLine | None:
    """Return the line of an analysis; `cohorts` are its series where no record names them."""
    return line_of(request, "Result", {**address_of(request), "series": ",".join(cohorts)})


def studied(response: Response, *, judged: bool = False) -> Response:
    """Have the line of the page asked for again after this answer; if `judged`, its plots."""
    response.headers["HX-Trigger-After-Settle"] = "studied, judged" if judged else "studied"
    return response


def study(request: Request) -> Response:
    """Show the line alone, for htmx."""
    place = {key: value for key, value in request.query_params.items() if key != "at"}
    at = request.query_params.get("at", "")
    line = line_of(request, at if at in NAMES else "", place)
    return Response("") if line is None else render(request, "steps.html.j2", line=line)


def routes() -> list[Route]:
    """Return the route of the line."""
    return [Route("/study", study)]
