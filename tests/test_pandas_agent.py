"""The agent in plain pandas answers problems of each kind."""

import json
import subprocess
import sys
from pathlib import Path

from genotex.bench import EvaluationOptions, evaluate, simulate_benchmark
from genotex.layout import OutputFolder
from genotex.problems import TaskInfo

AGENT = Path(__file__).parents[1] / "examples" / "pandas_agent.py"


def test_agent_answers_each_kind_of_problem_well(tmp_path: Path) -> None:
    world = simulate_benchmark(tmp_path / "world", seed=4, traits=4, cohorts=8, genes=400)
    tasks = TaskInfo.load(world.task_info)
    output = OutputFolder(tmp_path / "mine")
    problems = {(p.kind, p.condition == "Age"): p for p in world.answered[:10]}
    for problem in problems.values():
        related = tasks.traits.get(problem.condition or "")
        asked = {
            "trait": problem.trait,
            "condition": problem.condition,
            "preprocessed": str(world.reference / "preprocess"),
            "condition_related_genes": list(related.related_genes) if related else None,
            "result": str(output.significant_genes(problem.trait, problem.condition)),
        }
        told = json.dumps(asked)
        subprocess.run([sys.executable, str(AGENT)], input=told, text=True, check=True)
    options = EvaluationOptions(tasks=("analysis",), problems=tuple(problems.values()))
    scores = evaluate(output.root, world.reference, options).analysis
    assert len(scores) == 4
    # 100 of 400 genes at random have about 20.
    assert all(item.f1 > 50 for item in scores)
    changing = [item.interaction_f1 for item in scores if item.interaction_f1 is not None]
    assert len(changing) == 2 and min(changing) > 50
