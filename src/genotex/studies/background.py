"""What jobs do: analyse series and tables, test gene sets, fetch, build atlases, demonstrate."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from genotex.analysis import formula_of, read_result
from genotex.atlas import build_atlas
from genotex.clinical import load_sample_sheet
from genotex.cohorts import OwnTables, PreprocessOptions, load_options
from genotex.errors import UsageError
from genotex.fetch import (
    GeoAddresses,
    GeoRequest,
    SeriesPlan,
    fetch_series,
    open_fetch_folder,
    open_geo_source,
)
from genotex.fetch.geo import choose_or_go_on, remember_end
from genotex.fetch.geo_files import megabytes
from genotex.layout import InputFolder, OutputFolder
from genotex.problems import Problem
from genotex.simulate import load_truth, score_against_truth, simulate_study
from genotex.studies.own_files import load_tables, set_sources
from genotex.studies.records import (
    AnalysisRecord,
    AtlasRecord,
    ComparisonRecord,
    FetchRecord,
    JobRecord,
    SetsRecord,
    TablesRecord,
)
from genotex.studies.workspace import ANALYSES, Workspace
from genotex.workflows import (
    Combined,
    DesignsTested,
    Progress,
    Reading,
    SolveRequest,
    analyze_designs,
    analyze_survival,
    combine,
    compare,
    comparisons_of,
    enrich,
    prepare_designs,
    solve,
)

if TYPE_CHECKING:
    from genotex.studies.records import AnalysisRecord

DEMO = "demo"
"""Input folder of the simulated study."""
_SEED = 1
_OFTEN = 0.3
Step = Callable[[str], None]
_Transferred = Callable[[int, int | None], None]


def run_job(
    root: Path, record: JobRecord, step: Step, tables: OwnTables | None = None
) -> AnalysisEnd:
    """Run a job of any kind; `tables`: those that it works on, where they were read already."""
    if isinstance(record, FetchRecord):
        return _fetch(root, record, step)
    if isinstance(record, TablesRecord):
        return _analyze_tables(root, record, step, tables)
    if isinstance(record, ComparisonRecord):
        return _compare(root, record, step)
    if isinstance(record, SetsRecord):
        return _test_sets(root, record, step)
    if isinstance(record, AtlasRecord):
        return _build_atlas(root, record, step)
    if isinstance(record, AnalysisRecord):
        return (
            _demonstrate(root, record, step) if record.demo else _run_analysis(root, record, step)
        )
    msg = f"{record.name} is a job of an unknown kind"
    raise UsageError(msg)


def _fetch(root: Path, record: FetchRecord, step: Step) -> AnalysisEnd:
    """Fetch one series, as `genotex fetch geo INPUT --accession GSE...`."""
    request = GeoRequest(record.trait, (record.accession,), options=record.options)

    def waiting(why: str, seconds: float) -> None:
        step(f"{why}; next attempt in {seconds:,.0f} s")

    step("asking GEO")
    addresses = GeoAddresses(*record.addresses)
    with (
        open_geo_source(None, addresses, waiting) as source,
        open_fetch_folder(root / record.source) as folder,
    ):
        plans = choose_or_go_on(source, folder, request)
        refused = [f"{plan.accession}: {plan.refused}" for plan in plans if plan.refused]
        outcomes = list(fetch_series(source, folder, request, plans, _shown(step)))
        if not any(outcome.may_come_later for outcome in outcomes):
            remember_end(source, folder, request)
    if refused or not outcomes:
        return AnalysisEnd(False, "; ".join(refused) or f"GEO has no series {record.accession}")
    (outcome,) = outcomes
    if outcome.error is not None:
        return AnalysisEnd(False, f"{outcome.error}; fetch it again to resume")
    size = megabytes(sum(kept.size for kept in outcome.kept))
    return AnalysisEnd(True, "; ".join([f"{len(outcome.kept)} files, {size}", *outcome.notes]))


def _shown(step: Step) -> Callable[[SeriesPlan, str], _Transferred]:
    """Return what shows the bytes of each file, a few times a second."""
    last = 0.0

    def of_file(plan: SeriesPlan, name: str) -> _Transferred:
        def progress(done: int, total: int | None) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last > _OFTEN:
                last = now
                whole = "" if total is None else f" of {megabytes(total)}"
                step(f"{name}: {megabytes(done)}{whole}")

        step(name)
        return progress

    return of_file


def _analyze_tables(
    root: Path, record: TablesRecord, step: Step, tables: OwnTables | None
) -> AnalysisEnd:
    """Test own tables under a design, as `genotex de`."""
    if tables is None:
        step("reading the tables")
        tables = load_tables(Workspace(root), record.tables)
    asked, options = record.asked, record.options
    output = OutputFolder(root / ANALYSES / record.name)
    if asked.survival is not None:
        found = analyze_survival(tables, asked, options, output, stages(step)).found
        message = (
            f"{found.significant.height:,} of {found.genes.height:,} genes are associated with the "
            f"time to {found.method['survival']['event']}"
        )
        return AnalysisEnd(True, message, asked.design)
    prepared, _ = prepare_designs(tables, asked, options)
    tested = analyze_designs(prepared, options, output, stages(step))
    return _end_of(tested, asked.contrasts)


def _compare(root: Path, record: ComparisonRecord, step: Step) -> AnalysisEnd:
    """Test a comparison of a series, as `genotex solve` without a trait."""
    step("reading the samples")
    files = Workspace(root).series(record.trait, record.series)
    if files is None:
        msg = f"the folder no longer holds {record.series}"
        raise UsageError(msg)
    options = PreprocessOptions(exclude=tuple(record.exclude))
    series = comparisons_of(files, options)
    chosen = series.chosen(record.comparison)
    output = OutputFolder(root / ANALYSES / record.name)
    tested, _ = compare(series, chosen, options, record.options, output, stages(step))
    return _end_of(tested, [f"group: {chosen.case} - {chosen.control}"])


def _end_of(tested: DesignsTested, contrasts: Sequence[str]) -> AnalysisEnd:
    """Return the end of the test of contrasts."""
    why = "; ".join(outcome.why for outcome in tested.outcomes if outcome.result is None)
    first = tested.outcomes[0].result
    if first is None:
        return AnalysisEnd(False, why)
    rows = [outcome.summary() for outcome in tested.outcomes if outcome.result is not None]
    texts = "; ".join(
        f"{row['trait']}: {row['significant']} of {row['genes']} genes significant" for row in rows
    )
    design = formula_of(first)
    formula = "" if design is None else f"{design.design}; {', '.join(contrasts)}"
    return AnalysisEnd(True, "; ".join(part for part in (texts, why) if part), formula)


def _test_sets(root: Path, record: SetsRecord, step: Step) -> AnalysisEnd:
    """Test gene sets as `genotex enrich`: same files, and the report if there is one."""
    workspace = Workspace(root)
    output, sets = workspace.output(record.output), set_sources(workspace).get(record.file)
    if output is None or sets is None:
        msg = f"the folder no longer holds {record.output} or {record.file}"
        raise UsageError(msg)
    problem = Problem(record.trait, record.condition)
    found, _ = enrich(output, problem, sets, record.options, stages(step))
    tested = found.record["gene_sets"]["tested"]
    return AnalysisEnd(True, f"{found.significant.height} of {tested:,} sets significant")


def _build_atlas(root: Path, record: AtlasRecord, step: Step) -> AnalysisEnd:
    """Collect the results of the folder in an atlas, as `genotex atlas build`."""
    workspace, last, stage, done = Workspace(root), 0.0, "", 0

    def progress(now_doing: str, label: str, total: int) -> None:
        nonlocal last, stage, done
        done = done + 1 if now_doing == stage else 1
        stage = now_doing
        if time.monotonic() - last > _OFTEN:
            last = time.monotonic()
            step(f"{stage}: {done:,} of {total:,}")

    step("looking for results")
    # What a link leads to outside the folder is not read.
    folders = [
        folder
        for folder in workspace.output_names().values()
        if (folder / "regress").is_dir()
        and all(
            workspace.holds(path)
            for pattern in ("regress/*/*", "preprocess/*/*", "preprocess/*/evidence/*")
            for path in folder.glob(pattern)
        )
    ]
    if not folders:
        return AnalysisEnd(False, "the folder holds no results; analyse something first")
    built = build_atlas(folders, root / record.atlas, progress)
    if not built.results:
        return AnalysisEnd(False, "; ".join(built.unreadable.values()) or "there are no results")
    message = f"{built.results:,} results of {built.traits:,} traits; {built.added:,} were read"
    left_out = f"; {len(built.unreadable):,} cannot be read" if built.unreadable else ""
    return AnalysisEnd(True, message + left_out)


def _demonstrate(root: Path, record: AnalysisRecord, step: Step) -> AnalysisEnd:
    """Simulate a study where there is none yet, analyse it, and compare with what was planted."""
    folder = root / DEMO
    if not Workspace(root).holds(folder):
        msg = f"{folder} leads out of the folder"
        raise UsageError(msg)
    if not folder.is_dir():
        simulate_study(folder, seed=_SEED, progress=lambda what: step(f"simulating: {what}"))
    truth = load_truth(folder)
    series = [files.cohort for files in InputFolder(folder).geo_cohorts(truth.trait)]
    end = _run_analysis(root, record.model_copy(update={"series": series}), step)
    if not end.solved:
        return end
    result = read_result(OutputFolder(root / ANALYSES / record.name), truth.trait, None)
    score = score_against_truth(truth, result.significant["Variable"])
    message = (
        f"{end.message}; planted genes found: {score.found} of {score.planted}, false "
        f"discoveries {score.false_discovery_proportion:.1%}"
    )
    return replace(end, message=message)


SHEET = "samples.csv"
"""In the folder of an analysis: a copy of the saved sheets of its series."""


@dataclass(frozen=True)
class AnalysisEnd:
    """The end of an analysis, in words, and its design as a formula."""

    solved: bool
    message: str
    formula: str = ""


def _run_analysis(root: Path, record: AnalysisRecord, step: Callable[[str], None]) -> AnalysisEnd:
    """Preprocess the chosen series, analyse them, and write the reports."""
    folder = root / record.output
    output, problem = OutputFolder(folder), Problem(record.trait, record.condition)
    if record.only_combine:
        (both,) = combine(output, [problem], record.options, None, stages(step))
        return AnalysisEnd(both.result is not None, _together(both))
    source, readings = root / record.source, _readings(output, record)
    every = None if record.every else False
    request = SolveRequest(source, output, problem, record.options, readings, every=every)
    solved = solve(request, stages(step))
    outcome, errors, combined = solved.outcome, solved.errors, solved.combined
    together = "" if combined is None else f"{_together(combined)}; "
    if outcome.result is None:
        why = outcome.why if len(errors) < len(solved.cohorts) else "; ".join(errors.values())
        return AnalysisEnd(combined is not None and combined.result is not None, together + why)
    row = outcome.summary()
    alone = f"{row['significant']} of {row['genes']} genes significant in {row['cohort']}"
    message = together + alone
    design = formula_of(outcome.result)
    formula = "" if design is None else f"{design.design}; {design.contrast}"
    return AnalysisEnd(True, message, formula)


def stages(step: Callable[[str], None]) -> Progress:
    """Return what shows a workflow by its stage, and how many of its steps are done."""

    def show(stage: str, done: int, total: int | None, last: str) -> None:
        step(f"{stage}: {done:,} of {total:,}" if done and total and total > 1 else stage)

    return show


def _readings(output: OutputFolder, record: AnalysisRecord) -> list[Reading]:
    """Return how the series are read: those with a saved sheet by it, the others by the rules."""
    chosen = load_options(record.data)
    others = [name for name in record.series if name not in record.by_sheet]
    readings = [Reading(chosen, others)] if others else []
    if record.by_sheet:
        readings.append(Reading(read_by_sheet(chosen, output.root / SHEET), record.by_sheet))
    return readings


def read_by_sheet(chosen: PreprocessOptions, path: Path) -> PreprocessOptions:
    """Return how series are read by a sheet, which decides what the choices of samples would."""
    sheet = load_sample_sheet(path)
    return replace(chosen, samples=path, sheet=sheet, cases=(), controls=())


def _together(combined: Combined) -> str:
    """Return what all cohorts show together, or why they were not combined."""
    found = combined.result
    if found is None:
        return f"not combined: {combined.why}"
    return (
        f"{found.replicating.height} of {found.genes.height} genes replicate over "
        f"{len(found.cohorts)} cohorts, {found.significant.height} significant"
    )
