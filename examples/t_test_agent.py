"""A tiny agent that ranks genes by a t statistic.

genotex bench run INPUT OUTPUT --task-info FILE --command "python examples/t_test_agent.py"
"""

import json
import sys
from pathlib import Path

import numpy as np

MOST_GENES = 100

# The problem comes on standard input.
problem = json.load(sys.stdin)
trait, condition = problem["trait"], problem["condition"]

# The largest usable cohort that has the condition, if that is Age or Gender.
folder = Path(problem["preprocessed"]) / trait
record = folder / "cohort_info.json"
cohorts = json.loads(record.read_text()) if record.exists() else {}
wanted = {"Age": "has_age", "Gender": "has_gender"}.get(condition, "is_usable")
usable = [name for name, info in cohorts.items() if info["is_usable"] and info[wanted]]
if not usable:
    sys.exit(0)  # No result file: "no answer".
cohort = max(usable, key=lambda name: cohorts[name]["sample_size"])

# A linked table: samples x (trait, Age, Gender, genes).
with (folder / f"{cohort}.csv").open() as table:
    columns = table.readline().rstrip("\n").split(",")[1:]
    values = np.loadtxt(table, delimiter=",", usecols=range(1, len(columns) + 1), ndmin=2)
genes = [name for name in columns[1:] if name not in ("Age", "Gender")]
expression = values[:, [columns.index(name) for name in genes]]

# Correlation of trait and gene, both without what the condition explains, as t.
adjusted = [values[:, columns.index(condition)]] if condition in columns else []
design = np.column_stack([np.ones(len(values)), *adjusted])
both = np.column_stack([values[:, 0], expression])
left = both - design @ np.linalg.lstsq(design, both, rcond=None)[0]
length = np.sqrt((left**2).sum(axis=0))
r = left[:, 1:].T @ left[:, 0] / np.where(length[1:] * length[0] > 0, length[1:] * length[0], 1)
t = r * np.sqrt((len(values) - design.shape[1] - 1) / np.clip(1 - r**2, 1e-12, None))

# The answer goes where the problem says, in the benchmark's format.
best = np.argsort(-np.abs(t), kind="stable")[:MOST_GENES]
answer = {"Variable": [genes[i] for i in best], "t": [float(t[i]) for i in best]}
result = Path(problem["result"])
result.parent.mkdir(parents=True)
result.write_text(json.dumps({"significant_genes": answer, "cohort": {"id": cohort}}))
