"""Each trap of a world has a score: cohorts and problems with it next to those without."""

import dataclasses
import shutil
from pathlib import Path

from genotex.bench import EvaluationOptions, SimulatedBenchmark, evaluate, trap_table
from genotex.formats import read_cohort_info, write_cohort_info
from genotex.layout import OutputFolder


def test_a_cohort_that_must_not_be_used_counts_for_its_trap_alone(
    simulated: SimulatedBenchmark, tmp_path: Path
) -> None:
    output = OutputFolder(shutil.copytree(simulated.reference, tmp_path / "output"))
    options = EvaluationOptions(task_info=simulated.task_info)
    before = {one.trap: one for one in evaluate(output.root, simulated.reference, options).traps}
    assert len(before) > 12
    assert all((one.right, one.right_without) == (100, 100) for one in before.values())
    assert all(one.f1 in (None, 100) for one in before.values())

    trait, cohort = next(
        (trait, name)
        for trait, truth in simulated.truth.traits.items()
        for name, made in truth.cohorts.items()
        if "batch is the group" in made.traps
    )
    path = output.cohort_info(trait)
    infos = read_cohort_info(path)
    write_cohort_info(path, {**infos, cohort: dataclasses.replace(infos[cohort], is_usable=True)})
    for answer in path.parents[2].glob(f"regress/{trait}/*.json"):
        answer.unlink()
    scores = evaluate(output.root, simulated.reference, options)
    fallen = {one.trap: one for one in scores.traps}["batch is the group"]
    assert (fallen.right, fallen.right_without) == (0, 100)
    assert fallen.problems > 0 and fallen.f1 == 0 and fallen.f1_without == 100
    table = trap_table(scores)
    assert table is not None and "batch is the group" in {row[0] for row in table.rows}


def test_answers_without_tables_are_scored_by_their_problems(
    simulated: SimulatedBenchmark, tmp_path: Path
) -> None:
    shutil.copytree(simulated.reference / "regress", tmp_path / "regress")
    options = EvaluationOptions(tasks=("analysis",), task_info=simulated.task_info)
    traps = evaluate(tmp_path, simulated.reference, options).traps
    assert traps and all(one.right is None for one in traps)
    assert all(one.f1 == 100 for one in traps if one.problems)
