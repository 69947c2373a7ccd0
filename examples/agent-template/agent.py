"""An agent: one problem as JSON on standard input, a ranked gene list as JSON file.

Replace `rank_genes` with your own method; the rest is the protocol.
"""

import json
import sys
import tomllib
from pathlib import Path

import numpy as np

CONFIG = tomllib.loads(Path(__file__).with_name("agent.toml").read_text())
NOT_GENES = ("Age", "Gender")


def rank_genes(table: np.ndarray, columns: list[str], condition: str | None) -> list[str]:
    """Return genes by how well their ranks separate the trait, the first column, best first."""
    ranks = table.argsort(axis=0).argsort(axis=0).astype(float)
    ranks[:, 0] = table[:, 0]
    if condition in columns:
        design = np.column_stack([np.ones(len(table)), table[:, columns.index(condition)]])
        ranks -= design @ np.linalg.lstsq(design, ranks, rcond=None)[0]
    ranks -= ranks.mean(axis=0)
    spread = np.sqrt((ranks**2).sum(axis=0))
    spread[spread == 0] = 1
    strength = np.abs(ranks.T @ ranks[:, 0]) / spread
    order = np.argsort(-strength, kind="stable")
    return [columns[i] for i in order if i > 0 and columns[i] not in NOT_GENES]


def choose_cohort(folder: Path, condition: str | None) -> str | None:
    """Return the largest usable cohort that has the condition, if that is Age or Gender."""
    record = folder / "cohort_info.json"
    cohorts = json.loads(record.read_text()) if record.exists() else {}
    wanted = {"Age": "has_age", "Gender": "has_gender"}.get(str(condition), "is_usable")
    sizes = {
        name: info["sample_size"]
        for name, info in cohorts.items()
        if info["is_usable"] and info[wanted] and info["sample_size"] >= CONFIG["fewest_samples"]
    }
    return max(sizes, key=lambda name: sizes[name]) if sizes else None


def main() -> None:
    """Answer the problem; without a result file there is no answer."""
    problem = json.load(sys.stdin)
    folder = Path(problem["preprocessed"]) / problem["trait"]
    cohort = choose_cohort(folder, problem["condition"])
    if cohort is None:
        return
    with (folder / f"{cohort}.csv").open() as file:
        columns = file.readline().rstrip("\n").split(",")[1:]
        table = np.loadtxt(file, delimiter=",", usecols=range(1, len(columns) + 1), ndmin=2)
    genes = rank_genes(table, columns, problem["condition"])[: CONFIG["most_genes"]]
    result = Path(problem["result"])
    result.parent.mkdir(parents=True, exist_ok=True)
    answer = {"significant_genes": {"Variable": genes}, "cohort": {"id": cohort}}
    result.write_text(json.dumps(answer))


if __name__ == "__main__":
    main()
