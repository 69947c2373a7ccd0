"""The doors by which a folder of someone else is opened, and the folders that attempts change."""

from __future__ import annotations

import io
import json
import shutil
import signal
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import anyio

import genotex as gx
from genotex.agents import Task, TeamFolder, overview, read_plan
from genotex.agents.audit import audit_here
from genotex.agents.team.accepting import accept
from genotex.agents.team.plan import refuse_another_owner
from genotex.analysis import (
    enrich_problem,
    read_enrichment,
    read_meta,
    read_survival,
    solve_problem,
)
from genotex.atlas import AtlasFolder, AtlasReader, build_atlas, views_sql
from genotex.bench import (
    check_run,
    compare_runs,
    read_scores,
    read_setup,
    score_texts,
    summarise,
    write_manifest,
)
from genotex.cli import main
from genotex.fetch import describe_files, open_fetch_folder
from genotex.fetch import write_manifest as write_listed
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.reports import write_report
from tests.bench.evaluation.some_scores import some_scores
from tests.geo_text import GENES, write_asthma
from tests.own_tables import log2_values, write_samples, write_table

ASTHMA = Problem("Asthma")
_QUICK = AnalysisOptions(panel=False)
_SERIES = Path("in/GEO/Asthma/GSE1/GSE1_series_matrix.txt.gz")


def analyze(folder: Path, trait: str = "Asthma") -> str:
    """Analyse the prepared cohorts again."""
    return solve_problem(OutputFolder(folder), Problem(trait), _QUICK).cohort


def enrich(folder: Path) -> str:
    """Test gene sets for a stored result."""
    found = enrich_problem(OutputFolder(folder), ASTHMA, folder / "sets.gmt")
    return f"{found.sets.height} sets"


def report(folder: Path) -> str:
    """Write the report of a stored result."""
    return write_report(OutputFolder(folder), "Asthma", None).read_text()


def meta(folder: Path) -> str:
    """Read the result over all cohorts."""
    return str(read_meta(OutputFolder(folder), "Asthma", None).cohorts)


def sets(folder: Path) -> str:
    """Read the gene sets of a result."""
    return str(read_enrichment(OutputFolder(folder), "Asthma", None))


def survival(folder: Path) -> str:
    """Read the genes associated with the time to an event."""
    return str(read_survival(folder).method)


def build(folder: Path) -> str:
    """Collect the results in an atlas."""
    return str(build_atlas([folder], folder / "atlas").unreadable)


def atlas(folder: Path) -> str:
    """Ask an atlas."""
    reader = AtlasReader(folder)
    return f"{reader.results.height} {reader.ranks('cohort').shape}"


def views(folder: Path) -> str:
    """Write the statements by which an atlas is opened in SQL."""
    return views_sql(AtlasFolder(folder).manifest())


def show(folder: Path) -> str:
    """List the notebooks of a run."""
    return " ".join(row.task.trait for row in overview(folder))


def resume(folder: Path) -> str:
    """Begin to resume a run."""
    plan = read_plan(folder)
    refuse_another_owner(plan)
    return str(plan.problems)


def leaderboard(folder: Path) -> str:
    """Read a run that was submitted."""
    check_run(folder)
    return read_setup(folder).command


def compare(folder: Path) -> str:
    """Compare scores with others."""
    named = {"one": read_scores(folder / "scores.json"), "other": some_scores()}
    return f"analysis {compare_runs(named, 'one').baseline}"


def evaluate(folder: Path) -> str:
    """Score a folder against itself."""
    return _run("evaluate", "-p", folder, "-r", folder)


def fetch(folder: Path) -> str:
    """Go on fetching into an input folder."""
    with open_fetch_folder(folder / "in") as opened:
        return str(opened.root)


def annotate(folder: Path) -> str:
    """Annotate an AnnData object that was read by genotex, with the record of the folder."""
    data = gx.read_geo(folder / _SERIES.parent)
    data.uns["genotex"]["record"] = (folder / "record.json").read_text()
    return str(gx.annotate(data, "Asthma"))


def accept_cohort(folder: Path) -> str:
    """Accept a cohort that generated code wrote; its record is that of the host in the end."""
    source = folder.parent / "input"
    if not source.exists():
        write_asthma(source, number=24)
    task = Task("geo", "Asthma", str(source / "GEO/Asthma/GSE1"), "output", cohort="GSE1")
    run = TeamFolder(folder.parent / "run of a team")
    found = accept(
        task, folder, run, lambda w, about: audit_here(task, w, about, folder.parent / "audit")
    )
    written = run.output.evidence("Asthma", "GSE1").read_text()
    right = (folder / "right.json").read_text()
    # Only the flags tell of it.
    assert json.loads(written) == json.loads(right)
    return "; ".join(found.flags)


def answer(folder: Path) -> str:
    """Accept an answer that generated code wrote."""
    task = Task("statistics", "Asthma", str(folder / "prepared"), "output")
    run = TeamFolder(folder.parent / "run of a team")
    written = folder.parent / "written"
    shutil.copytree(folder / "regress", written / "regress")
    found = accept(
        task, written, run, lambda w, about: audit_here(task, w, about, folder.parent / "audit")
    )
    return "; ".join(found.flags)


def command(folder: Path, words: str) -> str:
    """Run a command in the folder."""
    with chdir(folder):
        return _run(*words.split())


def _run(*words: object) -> str:
    """Run the command line in this process; returns its exit code and all that it printed."""
    printed, before = io.StringIO(), (sys.argv, signal.signal)
    sys.argv, signal.signal = ["genotex", *map(str, words)], lambda *_: None  # type: ignore[assignment]
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            main()
    except SystemExit as end:
        assert end.code in (0, 1, 2, 3, 4), end.code
    finally:
        sys.argv, signal.signal = before  # type: ignore[assignment]
    assert "Traceback" not in printed.getvalue(), printed.getvalue()
    return printed.getvalue()


def page(folder: Path, address: str) -> str:
    """Open a page of the workbench."""
    from genotex.app import Access
    from tests.app.conftest import PORT, opened

    asked = {"output": "results", "trait": "Asthma", "condition": "", "cohort": "GSE1"}
    with opened(folder, Access(PORT)) as browser:
        answered = browser.get(address, params={} if address == "/" else asked)
    assert answered.status_code < 500
    return answered.text


def mcp(folder: Path) -> str:
    """Ask the server for assistants."""
    from mcp.server.mcpserver.exceptions import ToolError

    from genotex.mcp import make_server

    server = make_server(folder)
    told = ""
    for tool, asked in (("list", {}), ("gene", {"gene": GENES[0]})):
        try:
            told += str(anyio.run(server.call_tool, tool, asked).structured_content)
        except ToolError as error:
            told += str(error)
    return told


def build_worlds(root: Path) -> None:
    """Write the folders that attempts change, each under its name."""
    _solved(root)
    _own_tables(root)
    _of_a_team(root)
    build_atlas([root / "solved"], root / "atlas")
    (root / "scores").mkdir()
    for name, text in score_texts(some_scores(), summarise(some_scores(), draws=10)).items():
        (root / "scores" / name).write_text(text)
    _files(root)


def _must(*words: object) -> None:
    told = _run(*words)
    assert "error" not in told.lower().split(), told


def _solved(root: Path) -> None:
    write_asthma(root / "in", number=24)
    write_asthma(root / "in", "GSE2", number=20, first_sample=101)
    solved = root / "solved"
    _must("preprocess", root / "in", solved)
    _must("analyze", solved, "--trait", "Asthma", "--no-panel", "--cohorts", "all")
    (solved / "sets.gmt").write_text("\t".join(["ONE", "x", *GENES[:12]]) + "\n")
    enrich_problem(OutputFolder(solved), ASTHMA, solved / "sets.gmt")
    # Its report is not what is attacked.
    shutil.rmtree(solved / "report")
    job = {
        "name": "x", "created": 1.0, "state": "done", "trait": "Asthma", "condition": None,
        "series": ["GSE1"], "source": ".", "every": True, "covariates": [], "q_cut": 0.05,
        "hidden": "auto", "panel": False, "by_sheet": [],
    }  # fmt: skip
    shutil.copytree(solved, root / "desk" / "results")
    (root / "desk/analyses/x").mkdir(parents=True)
    (root / "desk/analyses/x/analysis.json").write_text(json.dumps(job))


def _own_tables(root: Path) -> None:
    samples = [f"S{i + 1}" for i in range(12)]
    values = write_table(root / "values.csv", log2_values(samples=12), samples=samples)
    table = write_samples(root / "samples.csv", samples)
    design = ("--design", "~ group + age", "--contrast", "group: case - control", "--no-panel")
    _must("de", values, table, root / "own", *design)
    rows = table.read_text().splitlines()
    times = [f"{row},{3 + i},{i % 2}" for i, row in enumerate(rows[1:])]
    table.write_text("\n".join([f"{rows[0]},months,died", *times]) + "\n")
    _must("de", values, table, root / "survival", "--survival", "months,died")


def _of_a_team(root: Path) -> None:
    """Write what generated code leaves, as a record of the team and as a run of the benchmark."""
    options = ("--trait", "Asthma", "--model", "rules", "--sandbox", "best")
    source = root / "of one"
    write_asthma(source, number=24)
    _must("agent", "run", source, root / "run", *options)
    by_code = root / "by code"
    shutil.copytree(root / "run/preprocess", by_code / "preprocess")
    shutil.copytree(root / "run/regress", by_code / "regress")
    shutil.copytree(root / "run/preprocess", by_code / "prepared/preprocess")
    right = by_code / "preprocess/Asthma/evidence/GSE1.json"
    shutil.copyfile(right, by_code / "right.json")
    shutil.copytree(root / "run", root / "bench")
    write_manifest(root / "bench")


def _files(root: Path) -> None:
    files = root / "files"
    write_asthma(files / "in", number=24)
    read = gx.read_geo(files / _SERIES.parent)
    (files / "record.json").write_text(read.uns["genotex"]["record"])
    with chdir(files):
        _must("clinical", "show", _SERIES, "--trait", "Asthma", "--save", "encodings.json")
        _must("clinical", "sheet", "in", "--trait", "Asthma", "-o", "samples.csv")
    name = _SERIES.relative_to("in").as_posix()
    listed = describe_files({"GEO": files / _SERIES})
    write_listed(files / "manifest.json", {name: listed["GEO"]})
    with open_fetch_folder(files / "in") as folder:
        folder.made(name, "https://example.org/a")
