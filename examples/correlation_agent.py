"""A small agent: the genes of the largest cohort that go with the trait, by correlation.

`genotex bench run ... --command "python examples/correlation_agent.py"` gives it one problem as JSON
on standard input; it writes the ranked genes to the file that the problem names. It needs nothing
of genotex: only NumPy, and the benchmark's file formats.
"""

import json
import sys
from pathlib import Path

import numpy as np

SURE = 4.0
"""Genes with a t statistic beyond this are called significant."""


def main() -> None:
    """Answer one problem."""
    problem = json.load(sys.stdin)
    trait, genes, expression = read_largest_cohort(Path(problem["preprocessed"], problem["trait"]))
    statistic = t_statistics(expression, trait)
    ranked = [i for i in np.argsort(-np.abs(statistic)) if abs(statistic[i]) > SURE]
    answer = {
        "Variable": [genes[i] for i in ranked],
        "Coefficient": [float(statistic[i]) for i in ranked],
        "Absolute Coefficient": [float(abs(statistic[i])) for i in ranked],
    }
    result = Path(problem["result"])
    result.parent.mkdir(parents=True, exist_ok=True)
    result.write_text(json.dumps({"significant_genes": answer}))


def read_largest_cohort(folder: Path) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Return the trait, the names of the genes, and samples x genes."""
    cohorts = json.loads((folder / "cohort_info.json").read_text())
    usable = {name: info for name, info in cohorts.items() if info["is_usable"]}
    if not usable:
        sys.exit(f"no usable cohort in {folder}")
    largest = max(usable, key=lambda name: usable[name]["sample_size"])
    header, *lines = (folder / f"{largest}.csv").read_text().splitlines()
    _, trait, *features = header.split(",")
    values = np.array([line.split(",")[1:] for line in lines], dtype=float)
    genes = [i for i, name in enumerate(features, 1) if name not in ("Age", "Gender")]
    return values[:, 0], [features[i - 1] for i in genes], values[:, genes]


def t_statistics(expression: np.ndarray, trait: np.ndarray) -> np.ndarray:
    """Return the t statistic of every gene's correlation with the trait."""
    x, y = expression - expression.mean(axis=0), trait - trait.mean()
    spread = np.sqrt((x**2).sum(axis=0) * (y**2).sum())
    r = np.divide(y @ x, spread, out=np.zeros(len(spread)), where=spread > 0)
    return r * np.sqrt((len(y) - 2) / np.maximum(1 - r**2, 1e-12))


if __name__ == "__main__":
    main()
