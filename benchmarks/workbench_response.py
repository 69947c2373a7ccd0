"""How fast the workbench answers at 1,000 samples x 20,000 genes, and the memory that it takes.

python benchmarks/workbench_response.py [--samples 1000] [--genes 20000] [--repeats 7]
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx2 as httpx
import numpy as np

from genotex.analysis import analyze_table, write_result
from genotex.bench.problems import Problem
from genotex.formats import LinkedTable
from genotex.formats.linked import write_linked_csv, write_linked_parquet
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions

TRAIT, COHORT = "Simulated", "GSE1"


def write_folder(folder: Path, samples: int, genes: int) -> None:
    """Write the linked table and the result of a simulated cohort."""
    rng = np.random.default_rng(1)
    groups = np.arange(samples) % 2 * 1.0
    values = rng.normal(8.0, 1.0, (samples, genes))
    values[:, : genes // 20] += groups[:, None] * rng.normal(0, 0.5, genes // 20)
    table = LinkedTable(
        TRAIT,
        tuple(f"GSM{number}" for number in range(samples)),
        groups,
        {"Age": rng.integers(20, 80, samples) * 1.0},
        tuple(f"GENE{number}" for number in range(genes)),
        values,
    )
    output = OutputFolder(folder / "results")
    csv, twin = output.linked_csv(TRAIT, COHORT), output.linked_parquet(TRAIT, COHORT)
    for path in (csv, twin, output.significant_genes(TRAIT, None)):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_linked_csv(csv, table)
    write_linked_parquet(twin, table, csv=csv)
    roles = {
        name: "case" if group else "healthy control"
        for name, group in zip(table.samples, groups, strict=True)
    }
    options = AnalysisOptions(panel=False, hidden="none")
    result = analyze_table(table, roles, Problem(TRAIT), options)  # type: ignore[arg-type]
    object.__setattr__(result, "cohort", COHORT)
    write_result(output, result)


REQUESTS = {
    "folder": "/",
    "genes": "/genes?{place}",
    "search": "/genes/table?{place}&search=gene12",
    "sorted by mean": "/genes/table?{place}&sort=Mean+Expression&page=200",
    "significant": "/genes/table?{place}&only=significant",
    "lasso": "/genes/table?{place}&plot=volcano&lasso={lasso}",
    "volcano": "/genes/points?{place}&plot=volcano",
    "volcano, zoomed": "/genes/points?{place}&plot=volcano&window=-0.2,0.2,0,1",
    "MA": "/genes/points?{place}&plot=ma",
    "p-values": "/genes/points?{place}&plot=p",
    "samples": "/genes/points?{place}&plot=samples",
    "gene": "/gene?{place}&gene=GENE7",
    "samples of a gene": "/gene/values?{place}&gene=GENE9",
    "along age": "/gene/values?{place}&gene=GENE11&by=Age",
    "CSV": "/genes.csv?{place}",
}


def measure(folder: Path, repeats: int) -> None:
    """Start the workbench, and print the time of each request."""
    command = [sys.executable, "-m", "genotex", "serve", str(folder), "--no-browser"]
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        print(f"ready after {time.perf_counter() - begun:.2f} s")
        corners = ",".join(
            f"{np.cos(a):.4f},{3 + 2 * np.sin(a):.4f}" for a in np.arange(0, 6.2, 0.02)
        )
        place = f"output=results&trait={TRAIT}&condition="
        with httpx.Client(base_url=re.sub(r"/\?.*", "", url), timeout=120) as client:
            client.get(url)
            begun = time.perf_counter()
            client.get(f"/genes?{place}").raise_for_status()
            print(f"first opening: {time.perf_counter() - begun:.2f} s")
            for name, path in REQUESTS.items():
                there = path.format(place=place, lasso=corners)
                seconds, size = [], 0
                for _ in range(repeats):
                    begun = time.perf_counter()
                    answer = client.get(there)
                    answer.raise_for_status()
                    seconds.append(time.perf_counter() - begun)
                    size = len(answer.content)
                print(f"{name:20} {statistics.median(seconds) * 1000:6.0f} ms, most "
                      f"{max(seconds) * 1000:6.0f} ms, {size / 1000:8.0f} kB")  # fmt: skip
        status = Path(f"/proc/{server.pid}/status").read_text(encoding="utf-8")
        print(*re.findall(r"Vm(?:RSS|HWM):\s+.*", status), sep="\n")
        server.terminate()


def main() -> None:
    """Write a folder, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--genes", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_folder(Path(folder), given.samples, given.genes)
        measure(Path(folder), given.repeats)


if __name__ == "__main__":
    main()
