"""How fast the workbench answers at 1,000 samples x 20,000 genes, and the memory that it takes.

python -m benchmarks workbench_response [--samples 1000] [--genes 20000] [--repeats 7] [--most 150]
    [--folder FOLDER] [--only pages|upload|series]

Pages, tables and plots of every kind are asked for; the exit status is 1 where the median of any is
above --most milliseconds by the clock and by the processor, the server takes more than 600 MiB, or
a process of it 1.5 GiB. Files to download are measured without a limit. --folder keeps the folder,
and uses it again. Then the time from the upload of a matrix of 167 samples to its PCA, and pages
where the folder holds 300 series and 300 analyses; by trait, and side by side.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qsl, quote

import httpx2 as httpx
import numpy as np
import polars as pl

from genotex.analysis import enrich_problem, read_meta, read_result, solve_problems
from genotex.analysis.meta import analyze_cohorts, write_meta
from genotex.cohorts import preprocess
from genotex.fetch import UNSORTED
from genotex.genes import GeneTable
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.reports import write_meta_report, write_report

TRAIT = "Asthma"
MOST_MIB, MOST_OF_WORKER = 600, 1536
DOWNLOADS = (".csv", ".xlsx", "/methods")


def write_series(folder: Path, accession: str, samples: int, symbols: list[str], seed: int) -> None:
    """Write a series matrix in GEO's format, with cases and controls, age and sex."""
    rng = np.random.default_rng(seed)
    group = np.arange(samples) % 2
    values = rng.normal(8.0, 1.0, (len(symbols), samples)) + rng.normal(0, 2, (len(symbols), 1))
    values[: len(symbols) // 20] += group * rng.normal(0, 0.5, (len(symbols) // 20, 1))
    names = [f"GSM{seed}{i:05d}" for i in range(samples)]
    ages = rng.integers(20, 80, samples)
    rows = {
        "Series_title": ["Expression in blood of patients with asthma and healthy controls"],
        "Series_geo_accession": [accession],
        "Series_summary": ["Expression was measured in blood."],
        "Series_type": ["Expression profiling by array"],
        "Series_platform_id": ["GPL1"],
        "Series_platform_taxid": ["9606"],
        "Sample_title": [f"sample {name}" for name in names],
        "Sample_geo_accession": names,
        "Sample_type": ["RNA"] * samples,
        "Sample_organism_ch1": ["Homo sapiens"] * samples,
        "Sample_taxid_ch1": ["9606"] * samples,
    }
    characteristics = [
        [f"disease state: {'asthma' if case else 'healthy control'}" for case in group],
        [f"age: {age}" for age in ages],
        [f"Sex: {'M' if i % 3 else 'F'}" for i in range(samples)],
        [f"centre: {'ABCD'[i % 4]}" for i in range(samples)],
    ]
    lines = ["\t".join([f"!{key}", *(f'"{c}"' for c in cells)]) for key, cells in rows.items()]
    lines += [
        "\t".join(["!Sample_characteristics_ch1", *(f'"{c}"' for c in row)])
        for row in characteristics
    ]
    table = pl.DataFrame(values.round(3), schema=names, orient="row")
    place = folder / "input" / "GEO" / TRAIT / accession
    place.mkdir(parents=True)
    with (place / f"{accession}_series_matrix.txt").open("wb") as file:
        file.write(("\n".join([*lines, "!series_matrix_table_begin"]) + "\n").encode())
        table.insert_column(0, pl.Series("ID_REF", symbols)).write_csv(file, separator="\t")
        file.write(b"!series_matrix_table_end\n")


def write_folder(folder: Path, samples: int, genes: int) -> None:
    """Write three series and all that the commands make of them, own tables and gene sets."""
    symbols = sorted(set(GeneTable.load().official.values()))[:genes]
    for number, size in enumerate((samples, samples // 5, samples // 5), start=1):
        write_series(folder, f"GSE{number}", size, symbols, number)
    options = AnalysisOptions(panel=False, hidden="none")
    problem = Problem(TRAIT)
    sets = folder / "sets.gmt"
    rng = np.random.default_rng(5)
    sets.write_text(
        "".join(
            "\t".join([f"SET_{i}", "", *rng.choice(symbols, 40, replace=False)]) + "\n"
            for i in range(1000)
        )
    )
    for name, cohorts in (("results", None), ("without", ["GSE1"])):
        output = OutputFolder(folder / name)
        preprocess(folder / "input", output.root, traits=[TRAIT], cohorts=cohorts)
        solve_problems(output, [problem], options)
        write_report(output, TRAIT, None)
    output = OutputFolder(folder / "results")
    enrich_problem(output, problem, sets)
    write_meta(output, analyze_cohorts(output, problem, options))
    write_meta_report(output, TRAIT, None)
    write_tables(folder, samples, symbols)


def write_tables(folder: Path, samples: int, symbols: list[str]) -> None:
    """Write own tables, and the time to an event tested in them."""
    rng = np.random.default_rng(9)
    place = folder / "tables" / "own"
    place.mkdir(parents=True)
    names = [f"s{i}" for i in range(samples)]
    values = rng.normal(8, 1, (len(symbols), samples)).round(3)
    table = pl.DataFrame(values, schema=names, orient="row")
    table.insert_column(0, pl.Series("gene", symbols)).write_parquet(place / "own.parquet")
    sheet = {
        "sample": names,
        "group": [("case", "control")[i % 2] for i in range(samples)],
        "age": rng.integers(20, 80, samples),
        "months": rng.exponential(30, samples).round(1),
        "died": rng.integers(0, 2, samples),
    }
    pl.DataFrame(sheet).write_csv(place / "samples.csv")
    record = {"name": "own", "expression": "own.parquet", "samples": "samples.csv"}
    (place / "tables.json").write_text(json.dumps(record))
    command = [sys.executable, "-m", "genotex", "de", *map(str, (place / "own.parquet",
               place / "samples.csv", folder / "analyses" / "001-own")),
               "--survival", "months,died", "--design", "~ age"]  # fmt: skip
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    history = {
        "name": "001-own", "created": 1.0, "state": "done", "tables": "own", "design": "~ age",
        "contrasts": [], "traits": ["died"], "block": None, "missing": "error", "order": [],
        "q_cut": 0.05, "hidden": "auto", "panel": False, "survival": "months,died",
    }  # fmt: skip
    (folder / "analyses" / "001-own" / "analysis.json").write_text(json.dumps(history))


def write_small_run(folder: Path) -> None:
    """Write a run of the team without a model, on a small series of its own."""
    symbols = sorted(set(GeneTable.load().official.values()))[:500]
    # Hidden, so that it is no input of the workbench.
    other = folder / ".small"
    write_series(other, "GSE9", 24, symbols, 9)
    command = [sys.executable, "-m", "genotex", "agent", "run", str(other / "input"),
               str(folder / "team"), "--model", "rules", "--trait", TRAIT,
               "--sandbox", "best"]  # fmt: skip
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


PLACE = f"output=results&trait={TRAIT}&condition="
SHEET = f"trait={TRAIT}&series=GSE1"
QUALITY = f"output=results&trait={TRAIT}&cohort=GSE1"
REQUESTS = {
    "folder": "/",
    "genes": f"/genes?{PLACE}",
    "genes: search": f"/genes/table?{PLACE}&search=abc",
    "genes: sort, page 200": f"/genes/table?{PLACE}&sort=Mean+Expression&page=200",
    "genes: significant": f"/genes/table?{PLACE}&only=significant",
    "genes: lasso of 310 corners": f"/genes/table?{PLACE}&plot=volcano&lasso={{lasso}}",
    "volcano": f"/genes/points?{PLACE}&plot=volcano",
    "volcano, zoomed": f"/genes/points?{PLACE}&plot=volcano&window=-0.2,0.2,0,1",
    "MA plot": f"/genes/points?{PLACE}&plot=ma",
    "p-values": f"/genes/points?{PLACE}&plot=histogram",
    "samples of an analysis": f"/genes/points?{PLACE}&plot=pca",
    "heatmap": f"/genes/points?{PLACE}&plot=heatmap",
    "gene": f"/gene?{PLACE}&gene={{gene}}",
    "gene: samples": f"/gene/values?{PLACE}&gene={{gene}}",
    "gene: along age": f"/gene/values?{PLACE}&gene={{gene}}&by=Age",
    "gene: cohorts": f"/gene/forest?{PLACE}&gene={{gene}}",
    "methods paragraph": f"/methods?{PLACE}",
    "genes.csv": f"/genes.csv?{PLACE}",
    "genes.xlsx": f"/genes.xlsx?{PLACE}",
    "sample sheet": f"/samples?{SHEET}",
    "sample sheet: filter": f"/samples/table?{SHEET}&search=GSM",
    "samples: plots": f"/quality/read?trait={TRAIT}&cohort=GSE1",
    "samples: audit": f"/quality/read?trait={TRAIT}&cohort=GSE1&judge=1",
    "quality": f"/quality?{QUALITY}",
    **{
        f"quality: {plot}": f"/quality/points?{QUALITY}&plot={plot}"
        for plot in ("pca", "mds", "correlation", "box", "density", "distance")
    },
    "quality: PCA by centre": f"/quality/points?{QUALITY}&plot=pca&by=centre",
    "gene sets": f"/sets?{PLACE}",
    "gene sets: search": f"/sets/table?{PLACE}&search=set+1",
    "gene sets: sort": f"/sets/table?{PLACE}&sort=Fry+q",
    "gene set": f"/set?{PLACE}&set=SET_1",
    "gene set: running sum": f"/set/running?{PLACE}&set=SET_1",
    "cohorts": f"/cohorts?{PLACE}",
    "cohorts: search": f"/cohorts/table?{PLACE}&search=abc",
    "cohorts: gene": f"/cohorts/gene?{PLACE}&gene={{common}}",
    "cohorts: forest": f"/cohorts/forest?{PLACE}&gene={{common}}",
    "cohorts: without each": f"/cohorts/without?{PLACE}&gene={{common}}",
    "cohorts.csv": f"/cohorts.csv?{PLACE}",
    "compare: choose": f"/compare?{PLACE}",
    "compare": f"/compare?{PLACE}&with={{other}}",
    "compare: search": f"/compare/table?{PLACE}&with={{other}}&search=abc",
    "compare: plot": f"/compare/points?{PLACE}&with={{other}}",
    "analyse": "/analysis",
    "analyse: design": f"/analysis/design?trait={TRAIT}&series=GSE1&source=input",
    "add data": "/add",
    "own tables": "/tables?name=own",
    "own tables: design": "/tables/design?name=own&design=~+group+%2B+age&contrast=group",
    "own tables: time to event": "/tables/design?name=own&design=~+age&time=months&event=died",
    "time to event": "/survival?output=analyses/001-own",
    "time to event: sort": "/survival/table?output=analyses/001-own&sort=hazard_ratio",
    "time to event: gene": "/survival/gene?output=analyses/001-own&gene={gene}",
    "time to event: curves": "/survival/curves?output=analyses/001-own&gene={gene}",
    "runs": "/runs",
    "run": "/run?run=team",
    "notebook": f"/run/notebook?run=team&trait={TRAIT}&notebook=GSE9",
}


def fill_in(folder: Path) -> dict[str, str]:
    """Return what the addresses leave open."""
    output = OutputFolder(folder / "results")
    corners = (f"{np.cos(a):.4f},{3 + 2 * np.sin(a):.4f}" for a in np.arange(0, 6.2, 0.02))
    return {
        "lasso": ",".join(corners),
        "gene": read_result(output, TRAIT, None).genes["Variable"][7],
        "common": read_meta(output, TRAIT, None).genes["Variable"][7],
        "other": quote(f"output=without&trait={TRAIT}&condition="),
    }


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process, which others on the machine change little."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def asked(client: httpx.Client, path: str, token: str) -> httpx.Response:
    """Ask for a page as the workbench's own pages do: what is computed, by a form."""
    address, _, query = path.partition("?")
    if address == "/quality/read":
        return client.post(path, headers={"X-Token": token})
    if not address.endswith("/design"):
        return client.get(path)
    return client.post(path, data=dict(parse_qsl(query)), headers={"X-Token": token})


def most_memory(pid: int) -> int:
    """Return the MiB that a process held at most; 0 where it has ended."""
    with suppress(OSError, AttributeError):
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024  # type: ignore[index]
    return 0


def children_of(pid: int) -> list[int]:
    """Return the processes that a process started and that still run."""
    listed = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout
    return [int(each) for each in listed.split()]


@contextmanager
def watched(server: int) -> Iterator[dict[int, int]]:
    """Watch the processes of a server; yields the MiB that each held at most."""
    found: dict[int, int] = {}
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.1):
            for child in children_of(server):
                found[child] = max(found.get(child, 0), most_memory(child))

    thread = threading.Thread(target=watch)
    thread.start()
    yield found
    ended.set()
    thread.join()


def analyse(client: httpx.Client, token: str) -> None:
    """Analyse the largest series with the usual options, and wait for the end."""
    form = {"trait": TRAIT, "series": "GSE1", "sent": "1"}
    client.post("/analysis", data=form, headers={"X-Token": token})
    begun = time.perf_counter()
    while "hx-trigger" in (page := client.get("/analysis/history").text):
        time.sleep(1)
    last = re.findall(r"<td>(done|failed)[^<]*</td>", page)[:1]
    print(f"analysis {last} after {time.perf_counter() - begun:.0f} s")


@contextmanager
def served(folder: Path) -> Iterator[tuple[httpx.Client, int, str]]:
    """Start the workbench, and sign in; yields a client, the server's process, and the token."""
    command = [sys.executable, "-m", "genotex", "serve", str(folder), "--no-browser"]
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url, code = server.stdout.readline().strip(), server.stdout.readline().split()[1]
        print(f"ready after {time.perf_counter() - begun:.2f} s, load {os.getloadavg()[0]:.1f}")
        with httpx.Client(base_url=url, timeout=120) as client:
            client.headers["Origin"] = url.rstrip("/")
            client.post("/sign-in", data={"code": code})
            (token,) = re.findall(r'"X-Token": "([^"]+)"', client.get("/").text)
            yield client, server.pid, token
        server.terminate()


def measure(folder: Path, requests: dict[str, str], repeats: int, most: float) -> bool:
    """Print the time of each request; return whether all are fast enough."""
    slow = []
    with served(folder) as (client, server, token), watched(server) as workers:
        for name, path in requests.items():
            seconds, answer, used = [], None, 0.0
            for number in range(repeats + 1):
                if number == 1:
                    used = cpu_seconds(server)
                begun = time.perf_counter()
                answer = asked(client, path, token)
                seconds.append((time.perf_counter() - begun) * 1000)
            used = (cpu_seconds(server) - used) * 1000 / repeats
            assert answer is not None
            if answer.status_code != 200:
                print(f"{name:28} {answer.status_code}: {answer.text[:200]}")
                slow.append(name)
                continue
            middle = statistics.median(seconds[1:])
            limited = not any(word in path.split("?")[0] for word in DOWNLOADS)
            mark = " SLOW" if limited and min(middle, used) > most else ""
            slow += [name] if mark else []
            kilobytes = len(answer.content) / 1000
            print(
                f"{name:28} first {seconds[0]:6.0f} ms, then {middle:5.0f} ms "
                f"(most {max(seconds[1:]):5.0f}, processor {used:4.0f}), "
                f"{kilobytes:7.0f} kB{mark}"
            )
        if "own tables" in requests:
            analyse(client, token)
        held = most_memory(server)
    largest = max(workers.values(), default=0)
    print(f"memory at most: server {held} MiB, any process of it {largest} MiB")
    print("slower than allowed:", ", ".join(slow) or "none")
    return not slow and held <= MOST_MIB and largest <= MOST_OF_WORKER


def children_seconds(pid: int) -> float:
    """Return the processor time of a process and of those that it started and that still run."""
    total = cpu_seconds(pid)
    for child in children_of(pid):
        with suppress(OSError):
            total += cpu_seconds(child)
    return total


UPLOADED = "trait=Asthma&cohort=GSE77"


def measure_upload(samples: int, genes: int, idle: float) -> None:
    """Print the seconds from sending a series to its first plot and to its audit, step by step."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "served")
        folder.mkdir()
        symbols = sorted(set(GeneTable.load().official.values()))[:genes]
        write_series(Path(temporary), "GSE77", samples, symbols, 7)
        (matrix,) = Path(temporary, "input", "GEO", TRAIT, "GSE77").iterdir()
        content, form = matrix.read_bytes(), {"trait": "Asthma", "accession": "GSE77"}
        with served(folder) as (client, server, token):
            time.sleep(idle)
            token_of = {"X-Token": token}
            steps = {
                "upload": lambda: client.post(
                    "/add/series", data=form, files={"files": (matrix.name, content)},
                    headers=token_of,
                ),
                "page of samples": lambda: client.get("/samples?trait=Asthma&series=GSE77"),
                "read": lambda: client.post(f"/quality/read?{UPLOADED}", headers=token_of),
                "first plot": lambda: client.get(f"/quality/points?{UPLOADED}&plot=pca"),
                "audit": lambda: client.post(
                    f"/quality/read?{UPLOADED}&judge=1", headers=token_of
                ),
            }  # fmt: skip
            begun, used = time.perf_counter(), children_seconds(server)
            for name, ask in steps.items():
                answer = ask()
                assert answer.status_code == 200, answer.text
                seconds, now = time.perf_counter() - begun, children_seconds(server)
                print(f"{name:28} after {seconds:5.2f} s, {now - used:5.2f} s of processor time")


def measure_many(number: int, repeats: int, *, loose: bool) -> None:
    """Print the time of pages in a folder of so many series, and as many analyses.

    `loose`: the series are in no folders of traits.
    """
    print(f"{number} series {'side by side' if loose else 'of 30 traits'}")
    symbols = sorted(set(GeneTable.load().official.values()))[:50]
    series = f"trait={UNSORTED if loose else 'T5'}&series=GSE1005"
    pages = ("/", f"/analysis?{series}&sent=1", f"/samples?{series}",
             f"/samples/table?{series}&search=GSM", "/add", "/atlas", "/runs",
             f"/study?{series}&at=Data")  # fmt: skip
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_series(folder, "GSE1000", 12, symbols, 1)
        written = folder / "input" / "GEO" / TRAIT
        text = (written / "GSE1000" / "GSE1000_series_matrix.txt").read_text(encoding="utf-8")
        for i in range(number):
            above = folder if loose else folder / "input" / "GEO" / f"T{i % 30}"
            place = above / f"GSE{1000 + i}"
            place.mkdir(parents=True)
            matrix = place / f"{place.name}_series_matrix.txt"
            matrix.write_text(text.replace("GSE1000", place.name), encoding="utf-8")
            name = f"{i:03d}-T{i % 30}"
            record = {"name": name, "created": float(i), "state": "done", "trait": f"T{i % 30}",
                      "condition": None, "series": [place.name], "source": "input", "every": True,
                      "by_sheet": []}  # fmt: skip
            (folder / "analyses" / name / "regress").mkdir(parents=True)
            (folder / "analyses" / name / "analysis.json").write_text(json.dumps(record))
        shutil.rmtree(folder / "input" if loose else written)
        measure(folder, {page.split("?")[0]: page for page in pages}, repeats, math.inf)


def main() -> None:
    """Write a folder, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--genes", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--most", type=float, default=150, help="milliseconds")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", choices=("pages", "upload", "series"))
    given = parser.parse_args()
    if given.only in (None, "upload"):
        measure_upload(167, given.genes, idle=15.0)
    if given.only in (None, "series"):
        for loose in (False, True):
            measure_many(300, given.repeats, loose=loose)
    if given.only not in (None, "pages"):
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        if not (folder / "results").is_dir():
            folder.mkdir(exist_ok=True)
            write_folder(folder, given.samples, given.genes)
            write_small_run(folder)
        values = fill_in(folder)
        requests = {name: path.format(**values) for name, path in REQUESTS.items()}
        sys.exit(0 if measure(folder, requests, given.repeats, given.most) else 1)
