"""Shared fixtures, and which tests are slow."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from genotex.outside import VARIABLE, process_limits

settings.register_profile("genotex", deadline=None)  # no test asserts a time
settings.load_profile("genotex")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a case after the argument where its value is bytes.

    Bytes may hold a time (gzip writes one), and the workers of a run must collect the same names.
    """
    return argname if isinstance(val, bytes) else None


_SLOW = (
    "api",
    "agents/audit",
    "agents/models/providers/test_answers.py",
    "agents/models/providers/test_keys.py",
    "agents/models/test_roles.py",
    "agents/ordinary",
    "agents/sandbox",
    "agents/team",
    "agents/test_counted_notebooks.py",
    "agents/test_faults.py",
    "agents/test_notebooks.py",
    "agents/test_review.py",
    "agents/test_rule_code.py",
    "analysis/benchmark",
    "analysis/meta",
    "analysis/test_adjustment.py",
    "analysis/test_any_table.py",
    "analysis/test_calibration.py",
    "analysis/test_condition_predictor.py",
    "analysis/test_counted_cohorts.py",
    "analysis/test_enrichment.py",
    "analysis/test_gene_sets.py",
    "analysis/test_panel.py",
    "analysis/test_result.py",
    "analysis/test_sound_choices.py",
    "analysis/test_two_step.py",
    "app",
    "atlas/test_building.py",
    "attacks",
    "bench/adapters",
    "bench/evaluation/test_evaluate.py",
    "bench/runs",
    "bench/simulated",
    "clinical/test_cases.py",
    "cluster",
    "clinical/texts/test_real_series.py",
    "fetch/test_gene_info.py",
    "fetch/test_killed.py",
    "formats/test_any_bytes.py",
    "genes/test_forked_lookups.py",
    "cli",
    "cohorts",
    "mcp",
    "reports",
    "simulate",
    "test_agent_template.py",
    "test_imports.py",
    "test_parallel.py",
    "test_score_your_agent.py",
    "test_without_network.py",
)
"""Folders and files of tests that run whole commands, processes or simulated studies."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that ``make test-fast`` leaves out."""
    root = Path(__file__).parent
    slow = tuple(root / name for name in _SLOW)
    for item in items:
        if any(item.path == place or place in item.path.parents for place in slow):
            item.add_marker(pytest.mark.slow)
        sandbox = root / "agents" / "sandbox", root / "attacks" / "test_sandbox.py"
        if any(item.path == place or place in item.path.parents for place in sandbox):
            item.add_marker(pytest.mark.linux)
            if sys.platform != "linux":
                item.add_marker(pytest.mark.skip(reason="the sandbox needs Linux"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real files (see CONTRIBUTING.md); tests that need them skip when they are absent."""
    default = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("GENOTEX_SHARED_DATA", default))
    if not folder.is_dir():
        pytest.skip(
            "real data not available: set GENOTEX_SHARED_DATA to the folder that holds them"
        )
    return folder


@pytest.fixture
def set_limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Set limits of reading as a user does: ``set_limits(cells=100)``."""

    def set_to(**limits: int) -> None:
        text = ",".join(f"{name}={value}" for name, value in limits.items())
        monkeypatch.setenv(VARIABLE, text)
        process_limits.cache_clear()

    yield set_to
    process_limits.cache_clear()
