"""An agent in plain pandas: a linear model of every gene, with false discoveries controlled.

genotex bench run INPUT OUTPUT --task-info FILE --command "python examples/pandas_agent.py"

Change `design` and `test`; nothing of genotex is imported.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.linear_model import LogisticRegressionCV, RidgeCV

problem = json.load(sys.stdin)
trait, condition = problem["trait"], problem["condition"]
FEATURES = ["Age", "Gender"]


def largest(name: str, needed: str = "is_usable") -> pd.DataFrame | None:
    """Return the linked table of the largest usable cohort of a trait, samples x features."""
    folder = Path(problem["preprocessed"]) / name
    record = folder / "cohort_info.json"
    cohorts = json.loads(record.read_text()) if record.exists() else {}
    sizes = {n: c["sample_size"] for n, c in cohorts.items() if c["is_usable"] and c[needed]}
    if not sizes:
        return None
    cohort = max(sizes, key=sizes.get)
    table = pd.read_csv(folder / f"{cohort}.csv", index_col=0)
    return table.rename_axis(cohort)


def predicted(other: pd.DataFrame, table: pd.DataFrame) -> pd.Series:
    """Return another trait of the samples, learned in a cohort of its own."""
    known = [g for g in problem["condition_related_genes"] if g in other and g in table]
    train, new = (frame[known].fillna(frame[known].mean()) for frame in (other, table))
    train, new = ((frame - frame.mean()) / frame.std().replace(0, 1) for frame in (train, new))
    status = other.iloc[:, 0]
    if status.nunique() > 2:
        return pd.Series(RidgeCV(np.logspace(-1, 4, 11)).fit(train, status).predict(new), new.index)
    model = LogisticRegressionCV(Cs=8, cv=5, max_iter=500).fit(train, status)
    return pd.Series(model.decision_function(new), new.index)


def test(genes: pd.DataFrame, design: pd.DataFrame, tested: str) -> pd.DataFrame:
    """Return coefficient, p and q of a column of the design for every gene, the least p first."""
    x, y = design.to_numpy(float), genes.fillna(genes.mean()).to_numpy(float)
    inverse = np.linalg.pinv(x.T @ x)
    fitted = inverse @ x.T @ y
    free = len(x) - np.linalg.matrix_rank(x)
    place = list(design).index(tested)
    error = np.sqrt(((y - x @ fitted) ** 2).sum(axis=0) / free * inverse[place, place])
    t = fitted[place] / np.where(error > 0, error, np.inf)
    p = 2 * stats.t.sf(np.abs(t), free)
    found = {"coefficient": fitted[place], "p": p, "q": stats.false_discovery_control(p)}
    return pd.DataFrame(found, index=genes.columns).sort_values("p", kind="stable")


wanted = {"Age": "has_age", "Gender": "has_gender"}.get(condition, "is_usable")
table = largest(trait, wanted)
if table is None:
    sys.exit(0)  # No result file: "no answer".
present = [name for name in FEATURES if name in table]
table = table.dropna(subset=[trait, *present])
genes = table.drop(columns=[trait, *present])
design = table[[trait, *present]].assign(intercept=1.0)
if condition is not None and condition not in FEATURES:
    other = largest(condition)
    if other is None:
        sys.exit(0)
    design["condition"] = predicted(other, table)
found = test(genes, design, trait)
found = found[found["q"] < 0.05]
answer = {
    "significant_genes": {
        "Variable": list(found.index),
        "Coefficient": found["coefficient"].tolist(),
    },
    "cohort": {"id": table.index.name},
}
if condition in present:
    # Genes whose difference depends on the condition.
    centred = design[[trait, condition]] - design[[trait, condition]].mean()
    design["interaction"] = centred[trait] * centred[condition]
    changing = test(genes, design, "interaction")
    answer["significant_interactions"] = {"Variable": list(changing.index[changing["q"] < 0.05])}
result = Path(problem["result"])
result.parent.mkdir(parents=True, exist_ok=True)
result.write_text(json.dumps(answer))
