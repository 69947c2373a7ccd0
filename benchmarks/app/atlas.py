"""The atlas at the size of a whole benchmark: 911 cohorts of 20,000 genes.

    python -m benchmarks atlas [--cohorts 911] [--traits 132] [--genes 20000] [--folder KEPT]

Result tables and records are written directly, in the format of an analysis; then the atlas is
built, brought up to date after one result changed, and asked. Commands are also run in a process of
their own, so that its start is seen. With --folder the simulated results are kept and used again.
Seconds of processor time come first: they do not depend on what else the machine does. At last the
pages of the atlas in the workbench are asked for.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.app.workbench_response import measure as ask
from benchmarks.measuring import GENOTEX
from genotex.analysis.results.columns import stored_types
from genotex.analysis.results.result import AnalysisResult, write_result
from genotex.atlas import (
    AtlasReader,
    Signature,
    build_atlas,
    compare_traits,
    find_gene,
    find_similar,
    find_trait,
)
from genotex.formats import Evidence, write_evidence
from genotex.layout import OutputFolder
from genotex.procedure import Procedure

REPEATS = 5


def main() -> None:
    """Print sizes and times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cohorts", type=int, default=911)
    parser.add_argument("--traits", type=int, default=132)
    parser.add_argument("--genes", type=int, default=20_000)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = given.folder or Path(temporary)
        results = place / "results"
        if not results.is_dir():
            timed("writing simulated results", lambda: write_all(results, given))
        measure(results, place / "atlas")
        workbench(place)


def measure(results: Path, atlas: Path) -> None:
    """Build, change one result, and ask."""
    folders = sorted(path for path in results.iterdir() if path.is_dir())
    timed("build", lambda: print(build_atlas([results], atlas)))
    timed("build, nothing changed", lambda: build_atlas([results], atlas))
    write_one(folders[0], "Trait_0", "GSE1", genes_of(1000)[:900], 99)
    timed("build, one result changed", lambda: print(build_atlas([results], atlas)))
    size = sum(path.stat().st_size for path in atlas.rglob("*") if path.is_file())
    print(f"size: {size / 1e6:,.0f} MB")
    reader = AtlasReader(atlas)
    genes = reader.symbols.to_list()
    rng = np.random.default_rng(1)
    asked = rng.choice(genes, REPEATS + 1, replace=False).tolist()
    best("gene", [lambda g=g: find_gene(reader, g) for g in asked])
    signatures = [rng.choice(genes, 300, replace=False).tolist() for _ in range(REPEATS + 1)]
    given = [Signature(tuple(s[:150]), tuple(s[150:])) for s in signatures]
    best("similar, 150 up and 150 down", [lambda s=s: find_similar(reader, s) for s in given])
    best("trait", [lambda: find_trait(reader, "Trait_0")] * (REPEATS + 1))
    best("traits", [lambda: compare_traits(reader)] * 3)
    for words in (["gene", asked[0]], ["traits"]):
        command = [*GENOTEX, "atlas", *words, "--atlas", str(atlas), "--json"]
        timed(
            f"whole process: atlas {words[0]}",
            lambda command=command: subprocess.run(command, check=True, capture_output=True),
        )


def workbench(folder: Path) -> None:
    """Ask for the pages of the atlas in the workbench."""
    gene, trait = "atlas=atlas&gene=GENE00077", "atlas=atlas&trait=Trait_0"
    requests = {
        "folder": "/",
        "atlas": "/atlas?atlas=atlas",
        "atlas: search": "/atlas/table?atlas=atlas&search=trait_1",
        "map": "/atlas/map?atlas=atlas",
        "pairs": "/atlas/pairs?atlas=atlas",
        "pairs: search": "/atlas/pairs/table?atlas=atlas&search=trait_1&sort=genes",
        "pair": "/atlas/pair?atlas=atlas&trait=Trait_0&other=Trait_1",
        "gene": f"/atlas/gene?{gene}",
        "gene: figure": f"/atlas/gene/forest?{gene}",
        "gene: cohorts": f"/atlas/gene/cohorts/table?{gene}&sort=effect",
        "trait": f"/atlas/trait?{trait}",
        "trait: search": f"/atlas/trait/table?{trait}&search=GENE01&sort=p",
        "trait: CSV": f"/atlas/trait.csv?{trait}",
        "trait: Excel": f"/atlas/trait.xlsx?{trait}",
    }
    ask(folder, requests, REPEATS, 200)


def timed(what: str, work: Callable[[], object]) -> None:
    """Do it once and print seconds and peak memory."""
    start, cpu = time.perf_counter(), processor()
    work()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{what}: {processor() - cpu:.2f} s of processor time, {time.perf_counter() - start:.2f} s "
        f"by the clock, peak so far {peak:.2f} GiB",
        flush=True,
    )


def processor() -> float:
    """Return processor time of this process and those it started."""
    times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in times)


def best(what: str, works: list[Callable[[], object]]) -> None:
    """Do it several times, the first to warm up, and print milliseconds."""
    times, clock = [], []
    for work in works:
        start, cpu = time.perf_counter(), processor()
        work()
        times.append(1000 * (processor() - cpu))
        clock.append(1000 * (time.perf_counter() - start))
    print(
        f"{what}: {np.median(times[1:]):.0f} ms of processor time (the first {times[0]:.0f}), "
        f"by the clock {min(clock[1:]):.0f} to {max(clock[1:]):.0f} ms",
        flush=True,
    )


def genes_of(number: int) -> list[str]:
    """Return names that look like symbols."""
    return [f"GENE{i:05d}" for i in range(number)]


def write_all(results: Path, given: argparse.Namespace) -> None:
    """Write one output folder for each cohort, as solving each series by itself does."""
    names = genes_of(given.genes)
    rng = np.random.default_rng(0)
    for i in range(given.cohorts):
        kept = np.sort(rng.choice(given.genes, round(0.9 * given.genes), replace=False))
        folder = results / f"series_{i}"
        write_one(folder, f"Trait_{i % given.traits}", f"GSE{i + 1}", [names[g] for g in kept], i)


def write_one(folder: Path, trait: str, cohort: str, genes: list[str], seed: int) -> None:
    """Write the result of one cohort, and the record that states its platform."""
    rng = np.random.default_rng(seed)
    number, half = len(genes), 20
    samples = [f"GSM{seed * 100 + j}" for j in range(2 * half)]
    t = rng.standard_t(38, number)
    error = rng.gamma(4, 0.05, number)
    p = np.minimum(1, 2 * np.exp(-0.717 * np.abs(t) - 0.416 * t**2))
    columns = {
        "Variable": genes,
        "Coefficient": t * error,
        "Absolute Coefficient": np.abs(t * error),
        "Standard Error": error,
        "t": t,
        "p": p,
        "q": np.minimum(1, 3 * p),
        "Standardised Effect": t * np.sqrt(2 / half),
        "Standardised Error": np.sqrt(2 / half) * (1 + 0.1 * rng.random(number)),
        "Samples": np.full(number, 2 * half),
        "Status": ["tested"] * number,
        "Significant": p < 1e-6,
    }
    table = pl.DataFrame(columns).sort("p")
    frame = table.select(
        [
            (pl.col(name) if name in columns else pl.lit(None)).cast(kind).alias(name)
            for name, kind in stored_types().items()
        ]
    )
    groups = {"case": samples[:half], "control": samples[half:], "left_out": []}
    method = {
        "procedure": "sound",
        "ranked_by": "p",
        "contrast": {"kind": "binary", "text": "20 cases, 20 controls", "samples": groups},
    }
    output = OutputFolder(folder)
    write_result(output, AnalysisResult(trait, None, frame, {}, method, cohort=cohort))
    evidence = Evidence(
        trait,
        cohort,
        Procedure.SOUND,
        "GEO",
        "simulated",
        series={"platform": f"GPL{seed % 20}"},
        sample_texts={"source_name": dict.fromkeys(samples, "whole blood")},
    )
    write_evidence(output.evidence(trait, cohort), evidence)
