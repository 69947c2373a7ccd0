"""Task lists, folders of cohorts and digests for the tests of runs."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from genotex.bench import RunFolder
from genotex.layout import OutputFolder
from genotex.problems import TaskInfo
from tests.analysis.cohort_tables import two_groups
from tests.analysis.test_pipeline import put

RELATED = ("GENE0", "GENE1", "GENE20", "GENE21")


def make_tasks(
    folder: Path, conditions: Mapping[str, Sequence[str]], related: Sequence[str] = RELATED
) -> TaskInfo:
    """Write a task list with these conditions for each trait."""
    content = {
        trait: {"related_genes": list(related), "conditions": list(of_trait)}
        for trait, of_trait in conditions.items()
    }
    path = folder / "task_info.json"
    path.write_text(json.dumps(content))
    return TaskInfo.load(path)


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output folder of somebody: two cohorts of Asthma, one of Obesity; GENE0 to 4 changed."""
    root = tmp_path_factory.mktemp("reference")
    output = OutputFolder(root)
    put(output, "GSE1", two_groups(samples=24), roles=False)
    put(output, "GSE2", two_groups(samples=40, seed=1), roles=False)
    put(output, "GSE3", replace(two_groups(samples=30, seed=2), trait="Obesity"), roles=False)
    return root


def digests(root: Path) -> dict[str, str]:
    """Return what must be the same however a run was interrupted."""
    kept = [p for part in ("preprocess", "regress") for p in (root / part).rglob("*")]
    files = [path for path in kept if path.is_file()] + [RunFolder(root).outcomes]
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(files)
    }


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("waited in vain")


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return state not in (b"Z", b"X")
