"""Attempts by records: a file of someone else, or of generated code, that is more than data.

Each attempt changes one record of a folder, opens the folder by one of its doors, and states what
must happen. Code that is hidden in a record would make the file `CANARY`.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.attacks.attempt import (
    ABSOLUTE,
    CANARY,
    CODE,
    COHORTS,
    DIGEST,
    EVIDENCE,
    HIDDEN,
    INFO,
    MALFORMED,
    OUT,
    RESULT,
    Attempt,
    Door,
    Unpickled,
    fields,
    instead,
    journal,
    malformed,
    put,
    sparse,
    text,
    whole,
)
from tests.attacks.doors import (
    analyze,
    annotate,
    atlas,
    build,
    command,
    compare,
    enrich,
    evaluate,
    fetch,
    leaderboard,
    mcp,
    meta,
    page,
    report,
    resume,
    sets,
    show,
    survival,
    views,
)
from tests.attacks.generated import of_generated_code

OWN = "preprocess/group_case_vs_control/evidence/values.json"

OF_EVIDENCE: dict[str, tuple[Any, str]] = {
    "reading.trait.parser": (CODE, "trait.parser: must be"),
    "reading.trait.sample_field": (OUT, "trait.sample_field: must be"),
    "reading.trait.kind": (CODE, "trait.kind: must be"),
    "reading.trait.row": ("0", "trait.row: must be"),
    "reading.trait.values": ({"a": CODE}, "values.a: must be a number"),
    "reading.trait.roles": ({"a": CODE}, "roles.a: must be"),
    "reading.trait.hook": (CODE, "unknown field"),
    "reading.facts": ({"pair": {"GSM1": [CODE]}}, "facts.pair.GSM1: must be a text"),
    "options.control_roles": (CODE, "control_roles: must be"),
    "options.scale": (CODE, "options.scale: must be"),
    "options.hook": (CODE, "options.hook: unknown field"),
    "options.vocabulary": ({"name": OUT, "sha256": DIGEST}, "must be the name of a file"),
    "options.encoding": ({"name": "x", "sha256": CODE}, "must be a SHA-256"),
    "files.0.name": (OUT, "must be the name of a file"),
    "files.0.name#absolute": (ABSOLUTE, "must be the name of a file"),
    "files.0.name#a null sign": ("a\0b", "must be the name of a file"),
    "files.0.name#a folder above": ("..", "must be a name"),
    "files.0.size": (CODE, "files[0].size: must be a whole number"),
    "files.0.open": (CODE, "files[0].open: unknown field"),
    "cohort": (OUT, "cohort: must not begin with"),
    "cohort#another": ("GSE2", "is the record of Asthma, GSE2"),
    "trait": (OUT, "cannot be a trait name"),
    "trait#another": ("Obesity", "is the record of Obesity, GSE1"),
    "procedure": (CODE, "is not known; use sound or benchmark"),
    "hook": (CODE, "hook: unknown field"),
    "roles": ({"GSM1": CODE}, "roles.GSM1: must be"),
    "tables": ({"parquet": OUT}, "must be a SHA-256"),
    "counts": ({"totals": CODE}, "counts.genes: is missing"),
    "relations": ({"donor": [{"value": CODE}]}, "relations.donor[0].place: is missing"),
    "distributions": ({"percent": CODE}, "distributions.percent: must be a list"),
    "sample_facts": ({"a": {"GSM1": {"b": 1}}}, "sample_facts.a.GSM1: must be a text"),
    "info": ({"is_usable": CODE}, "info.is_usable: must be true or false"),
    "notes": (["x" * 4_000_001], "limit 'text'"),
    "design": ({"formula": "~ group"}, "design.contrast: is missing"),
}
OF_A_DESIGN: dict[str, tuple[Any, str]] = {
    "design.formula": (HIDDEN, "cannot be read"),
    "design.formula#a call": (f"~ group + {CODE}", "cannot be read"),
    "design.formula#an attribute": ("~ group + age.__class__", "is not"),
    "design.formula#a column that is not there": ("~ group + nothing", "'nothing'"),
    "design.formula#signs": ("~ group\x1b[2J", "must be plain text"),
    "design.formula#long": ("~ group" + " + age" * 2000, "at most 8,000 characters"),
    "design.formula#a list": (["~ group"], "design.formula: must be a text"),
    "design.contrast": (f"group: {CODE}", "group"),
    "design.contrast#hidden": ('group: "`" - "`"', "group"),
    "design.block": ("nothing", "'nothing'"),
    "design.order": ({"nothing": ["a"]}, "'nothing'"),
    "design.missing": (CODE, "design.missing: must be"),
    "design.table.age": ([1, 2], "has not 12 values in each column"),
    "design.table.group": ([[CODE]], "must be"),
    "design.samples.0": ("S99", "has no row for S1"),
    "design.hook": (CODE, "design.hook: unknown field"),
}
OF_A_RESULT: dict[str, tuple[Any, str]] = {
    "method.options.hidden": (CODE, "must be 'auto'"),
    "method.options.covariates": ([{"a": 1}], "method.options.covariates"),
    "method.options.q_cut": (CODE, "q_cut: must be a number"),
    "method.options.seed": ("1", "method.options.seed: must be a whole number"),
    "method.options.hook": (CODE, "does not record how it was made"),
    "method.procedure": (CODE, "use sound or benchmark"),
    "method.contrast.samples": ({"case": CODE}, "samples.case: must be a list"),
    "method.two_step": ({"cohort": OUT, "regressors": []}, "two_step.cohort: must not begin"),
    "method.filter": ({"tested": CODE}, "filter.tested: must be a whole number"),
    "cohort.id": (OUT, "cohort.id"),
    "problem.trait": (OUT, "cannot be a trait name"),
    "problem.trait#another": ("Obesity", "is the record of Obesity"),
    "problem.condition": ("Age", "is the record of Asthma, condition Age"),
    "all_genes.file": (OUT, "must be the name of a file"),
    "all_genes.sha256": (DIGEST, "digests differ"),
    "warnings": ([1], "warnings[0]: must be a text"),
}
NOTEBOOK = "run/journal.jsonl"
SETTINGS = "run/run.json"
OF_A_RUN: dict[str, tuple[Any, str]] = {
    "options.agent": (CODE, "options.agent: must be"),
    "options.sandbox": (CODE, "options.sandbox: must be"),
    "options.switches.hook": (CODE, "switches.hook: unknown field"),
    "options.switches.cell_seconds": ("1", "cell_seconds: must be a number"),
    "options.models.roles": ({"planner": [CODE]}, "roles.planner: must be a text"),
    "options.models.providers": (CODE, "providers: must be an object"),
    "options.hook": (CODE, "unknown field"),
    "may_change.retry": ({"attempts": 0}, "retry.attempts: must be greater than 0"),
    "may_change.retry#waits": ({"first_wait": -1.0}, "retry.first_wait: must be at least 0"),
    "problems.0.trait": (OUT, "cannot be a trait name"),
    "input": ([ABSOLUTE], "input: must be a text"),
    "task_info": ({"path": [ABSOLUTE]}, "task_info.path: must be a text"),
    "method": ("rules", "holds a run of rules"),
    "hook": (CODE, "hook: unknown field"),
}


def notebook(entry: dict[str, Any], field: str, value: Any) -> None:
    """Set a field of the record of a notebook."""
    if "notebook" in entry:
        entry["notebook"][field] = value


def elsewhere(folder: Path) -> None:
    """Have the calls of a run go to another machine, without isolation of what runs."""
    put(SETTINGS, "options.models.model", "openai:gpt-4o")(folder)
    provider = {"address": "http://evil.example/v1", "key": ["HOME"], "structured": "schema"}
    put(SETTINGS, "options.models.providers", {"openai": provider})(folder)
    put(SETTINGS, "may_change.providers", {"openai": {"timeout": 1.0, "at_once": 1}})(folder)


def moved(folder: Path) -> None:
    """Put the record of one cohort in the place of another's."""
    (folder / COHORTS / "evidence/GSE2.json").replace(folder / EVIDENCE)


def secret_link(path: Path) -> None:
    other = path.with_name("other.json")
    other.write_text('{"password": "secret"}')
    path.symlink_to(other)


def of_results() -> Iterator[Attempt]:
    """Yield attempts by the results of someone else."""
    yield from fields("evidence", "solved", EVIDENCE, analyze, OF_EVIDENCE)
    yield from malformed("evidence", "solved", EVIDENCE, analyze, irregular="was interrupted")
    yield from fields("design", "own", OWN, partial(analyze, trait="group_case_vs_control"),
                      OF_A_DESIGN)  # fmt: skip
    yield Attempt("evidence swapped", "solved", moved, analyze, "is the record of Asthma, GSE2")
    yield Attempt(
        "evidence is a link to a secret", "solved", instead(EVIDENCE, secret_link), analyze,
        "trait: is missing",
    )  # fmt: skip
    of_info = {
        "GSE1.is_usable": (CODE, "GSE1.is_usable: must be true or false"),
        "GSE1.sample_size": (1.5, "GSE1.sample_size: must be a whole number"),
        "../GSE1": ({"is_usable": True}, "must not begin with"),
    }
    # A field of other tools.
    hooked = put(INFO, "GSE1.hook", CODE)
    yield Attempt("cohort_info: a further field", "solved", hooked, analyze, "GSE1", "ignored")
    for place, (value, told) in of_info.items():
        change = partial(_set, INFO, place, value)
        yield Attempt(f"cohort_info: {place}", "solved", change, analyze, told)
    yield from malformed("cohort_info", "solved", INFO, analyze, "deep", "a name twice", "a pipe",
                         irregular="does not exist")  # fmt: skip
    yield from fields("result", "solved", RESULT, enrich, OF_A_RESULT)
    yield from malformed("result", "solved", RESULT, report, "deep", "a pickle", "a device",
                         irregular="run analyze first")  # fmt: skip
    yield Attempt(
        "result: a further field", "solved", put(RESULT, "hook", CODE), enrich, "sets", "ignored"
    )
    hidden = put(RESULT, "method.formula", {"formula": HIDDEN})
    yield Attempt("result: a formula", "solved", hidden, enrich, "sets", "ignored")
    combined = "regress/Asthma/meta_condition_None.json"
    yield from fields("meta", "solved", combined, meta, {
        "cohorts.0.name": (OUT, "cohorts[0].name: must not begin"),
        "cohorts.0.hook": (CODE, "cohorts[0].hook: unknown field"),
        "method.options.q_cut": (CODE, "q_cut: must be a number"),
        "problem.trait": ("Obesity", "is the record of Obesity"),
    })  # fmt: skip
    tested = "regress/Asthma/enrichment_condition_None.json"
    yield from fields("gene sets", "solved", tested, sets, {
        "table.sha256": (OUT, "must be a SHA-256"),
        "table.file": (OUT, "must be the name of a file"),
        "tests": ([CODE], "tests: must be an object"),
    })  # fmt: skip
    yield from fields("survival", "survival", "survival.json", survival, {
        "survival.time": ([CODE], "survival.time: must be a text"),
        "options.q_cut": (CODE, "q_cut: must be a number"),
        "samples": (CODE, "samples: must be a list"),
    })  # fmt: skip
    seal = f"{COHORTS}/linked/GSE1.parquet.json"
    yield Attempt("seal: code", "solved", put(seal, "csv", CODE), analyze, "GSE1", "ignored")


def _set(file: str, name: str, value: Any, folder: Path) -> None:
    content = json.loads((folder / file).read_text())
    inner, _, last = name.partition(".") if name.startswith("GSE") else (name, "", "")
    if last:
        content[inner][last] = value
    else:
        content[inner] = value
    (folder / file).write_text(json.dumps(content))


def _by(words: str) -> Door:
    return partial(command, words=words)


def of_doors() -> Iterator[Attempt]:
    """Yield the same by each command, page and reader that opens such a folder."""
    bad, told = put(EVIDENCE, "reading.trait.parser", CODE), "trait.parser: must be"
    worse = put(RESULT, "cohort.id", OUT)
    for name in ("analyze", "report"):
        yield Attempt(f"by genotex {name}", "solved", bad, _by(f"{name} . --trait Asthma"), told)
    yield Attempt("by genotex enrich", "solved", worse,
                  _by("enrich . --trait Asthma --gmt sets.gmt"), "cohort.id")  # fmt: skip
    yield Attempt("by genotex atlas build", "solved", worse, build, "cohort.id")
    yield Attempt("by genotex evaluate", "solved", put(INFO, "GSE1.is_usable", CODE), evaluate,
                  "is_usable")  # fmt: skip
    yield Attempt("by MCP", "solved", worse, mcp, "cohort.id")
    for address in ("/", "/genes", "/quality", "/cohorts"):
        hooked, opened = put(f"results/{RESULT}", "hook", CODE), partial(page, address=address)
        name = f"by the workbench at {address}"
        yield Attempt(name, "desk", hooked, opened, "Asthma", "ignored")
    damaged = put(f"results/{RESULT}", "cohort.id", {"a": CODE})
    yield Attempt("by the workbench, damaged", "desk", damaged, partial(page, address="/"),
                  "cohort.id: must be a text")  # fmt: skip
    linked = instead(f"results/{RESULT}", lambda path: path.symlink_to("/etc/hostname"))
    yield Attempt("by the workbench, a link out", "desk", linked, partial(page, address="/"),
                  "results", "ignored")  # fmt: skip
    job = "analyses/x/analysis.json"
    for field, value in (("name", OUT), ("source", OUT), ("hook", CODE), ("q_cut", "0.05")):
        opened, told = partial(page, address="/analysis/history"), "Nothing was started here yet"
        change = put(job, field, value)
        yield Attempt(f"job record: {field}", "desk", change, opened, told, "ignored")


def of_runs() -> Iterator[Attempt]:
    """Yield attempts by the folder of a run."""
    yield from fields("run", "run", SETTINGS, show, OF_A_RUN)
    yield from malformed("run", "run", SETTINGS, show, "a name twice", "deep", "infinite", "a pipe",
                         irregular="holds no run")  # fmt: skip
    off = put(SETTINGS, "options.sandbox", "off")
    yield Attempt("run without a sandbox", "run", off, resume, "--own-run")
    yield Attempt("run with keys sent elsewhere", "run", elsewhere, resume, "http://evil.example")
    for field, value, told in (
        ("files", {OUT: DIGEST}, "must be a path inside the folder"),
        ("files", {"a": CODE}, "must be a SHA-256"),
        ("state", CODE, "state: must be"),
        ("hook", CODE, "hook: unknown field"),
        ("kept", [{"unit": CODE}], "kept[0]"),
    ):
        forged = journal(NOTEBOOK, partial(notebook, field=field, value=value))
        yield Attempt(f"journal of a run: {field} {told[:12]}", "run", forged, show, told)
    nested = text(NOTEBOOK, lambda told: '{"entry": ' + "[" * 20_000 + "\n" + told)
    yield Attempt("journal of a run: deep", "run", nested, show, "limit 'depth'")
    prices = put("run/prices.json", "models", {"rules": {"input": CODE}})
    yield Attempt("prices of a run", "run", prices, show, "is not a price snapshot")
    kept = whole("run/inputs.json", json.dumps({ABSOLUTE: {"state": CODE}}))
    yield Attempt("digests of inputs", "run", kept, resume, "Asthma", "ignored")


def of_the_benchmark() -> Iterator[Attempt]:
    """Yield attempts by runs, scores and manifests that are submitted."""
    manifest = "run/manifest.json"
    yield from fields("manifest", "bench", manifest, leaderboard, {
        "files": ({OUT: DIGEST}, "must be a path inside the folder"),
        "files#a digest": ({"a": CODE}, "must be a SHA-256"),
        "hook": (CODE, "hook: unknown field"),
    })  # fmt: skip
    yield from fields("submitted run", "bench", SETTINGS, leaderboard, {
        "options.command": (f"'; {CODE}", "digests do not fit"),
    })  # fmt: skip
    yield from fields("scores", "scores", "scores.json", compare, {
        "analysis.0.f1": (CODE, "analysis[0].f1: must be a number"),
        "analysis.0.trait": (OUT, "analysis[0]"),
        "analysis.0.kind": (CODE, "analysis[0].kind: must be"),
    })  # fmt: skip
    yield Attempt("scores: a further field", "scores", put("scores.json", "hook", CODE), compare,
                  "analysis", "ignored")  # fmt: skip
    yield from malformed("scores", "scores", "scores.json", compare, "a name twice", "deep")


def of_an_atlas() -> Iterator[Attempt]:
    """Yield attempts by an atlas of someone else."""
    seal = {"bytes": 1, "sha256": DIGEST}
    sql = f"genes/block=00/x.parquet'); COPY (SELECT 1) TO '{CANARY}'; --"
    for name, file in {
        "SQL": sql, "a path out": f"genes/{OUT}.parquet", "an address": "http://evil.example/a",
        "every file": "genes/block=00/*.parquet",
    }.items():  # fmt: skip
        change = put("manifest.json", "files", {file: seal})
        yield Attempt(f"atlas: {name}", "atlas", change, views, "is no file of an atlas")
    yield from fields("atlas", "atlas", "manifest.json", atlas, {
        "segments": ([OUT], "is no segment"),
        "hook": (CODE, "hook: unknown field"),
        "next_result": (CODE, "next_result: must be a whole number"),
        "files": ({}, "was never finished"),
    })  # fmt: skip

    def pickled(folder: Path) -> None:
        import numpy as np

        (path,) = folder.glob("cohort-ranks-*.npy")
        np.save(path, np.array([Unpickled()], dtype=object), allow_pickle=True)

    yield Attempt(
        "atlas: a pickle of ranks", "atlas", pickled, atlas, "is not a NumPy array that can be read"
    )


def of_other_files() -> Iterator[Attempt]:
    """Yield attempts by files that a person is given: encodings, sheets, manifests, AnnData."""
    encode = _by("preprocess in out --encoding encodings.json")
    place = "cohorts.GSE1.trait"
    yield from fields("encoding file", "files", "encodings.json", encode, {
        f"{place}.parser": (CODE, "trait.parser: must be"),
        f"{place}.hook": (CODE, "unknown field"),
        f"{place}.values": ({"disease state: asthma": CODE}, "must be a number"),
        f"{place}.row": (10**30, "names row"),
    })  # fmt: skip
    for name in ("a name twice", "deep", "a pipe"):
        make, _ = MALFORMED[name]
        yield Attempt(f"encoding file: {name}", "files", make("encodings.json"), encode,
                      "encodings.json")  # fmt: skip
    sheet = _by("preprocess in out --samples samples.csv")
    yield Attempt("sample sheet: code in a group", "files",
                  text("samples.csv", lambda told: told.replace("case", f'"{CODE}"', 1)), sheet,
                  "samples.csv")  # fmt: skip
    yield Attempt("sample sheet: large", "files", instead("samples.csv", sparse), sheet,
                  "limit 'sheet'")  # fmt: skip
    yield Attempt("sample sheet: a workbook that unpacks without end", "files",
                  instead("samples.csv", _bomb), sheet, "when unpacked")  # fmt: skip
    verify = _by("verify in --manifest manifest.json")
    yield from fields("manifest of files", "files", "manifest.json", verify, {
        "files": ({OUT: DIGEST}, "no path inside the folder"),
        "files#absolute": ({ABSOLUTE: DIGEST}, "no path inside the folder"),
        "files#a digest": ({"a": CODE}, "is no SHA-256"),
        "sizes": ({"a": -1}, "no number of bytes"),
    })  # fmt: skip
    for field, value, told in (
        ("path", OUT, "is not an allowed file name"),
        ("sha256", CODE, "must be a SHA-256"),
        ("size", CODE, "size: must be a whole number"),
    ):
        forged = journal("in/fetch/journal.jsonl", lambda e, f=field, v=value: e.update({f: v}))
        yield Attempt(f"journal of fetching: {field}", "files", forged, fetch, told)
    titles = {"title": [["a", "b"]]}
    header = {"samples": ["GSM1"], "series_fields": {}, "sample_fields": titles}
    for name, record, told in (
        ("code", CODE, "is not JSON"),
        ("deep", "[" * 5000, "limit 'depth'"),
        ("a name twice", '{"a": 1, "a": 2}', "appears twice"),
        ("a header of another size", json.dumps({"header": header}), "must have 1 cells"),
        ("a cohort elsewhere", json.dumps({"cohort": OUT}), "cohort: must not begin"),
    ):
        forged = whole("record.json", record)
        yield Attempt(f"AnnData: {name}", "files", forged, annotate, told)


def _bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "")
        archive.infolist()[0].file_size = 2**30


ATTEMPTS = (
    *of_results(),
    *of_doors(),
    *of_generated_code(),
    *of_runs(),
    *of_the_benchmark(),
    *of_an_atlas(),
    *of_other_files(),
)
