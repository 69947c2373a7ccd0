"""Rules with seeded faults: every run ends with the right answer, or says that it has none."""

from datetime import date
from pathlib import Path

import pytest

from genotex.agents import (
    CodeShelf,
    Folders,
    NotebookRecord,
    RunResources,
    State,
    Switches,
    TeamFolder,
    WorkSettings,
    do_notebook,
    register_rules,
)
from genotex.cohorts import preprocess
from genotex.models import ModelSettings, UsageLedger, role_models, take_prices
from genotex.simulate import SimulatedStudy, simulate_study
from tests.agents.conftest import cohort_task
from tests.agents.exec_session import ExecSession
from tests.agents.faulty_rules import all_faults, register_faulty_rules

TRAIT, COHORT = "Simulated_Arthritis", "GSE90000001"
TABLES = (f"{COHORT}.csv", f"gene_data/{COHORT}.csv", f"clinical_data/{COHORT}.csv")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> SimulatedStudy:
    return simulate_study(tmp_path_factory.mktemp("study") / "in", seed=1, samples=24, genes=400)


@pytest.fixture(scope="module")
def right(study: SimulatedStudy, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the tables of the pipeline without agents."""
    target = tmp_path_factory.mktemp("direct")
    preprocess(study.folder, target, traits=[TRAIT], cohorts=[COHORT])
    return tables(target)


def tables(root: Path) -> dict[str, bytes]:
    folder = root / "preprocess" / TRAIT
    return {name: (folder / name).read_bytes() for name in TABLES if (folder / name).is_file()}


def do(study: SimulatedStudy, root: Path, model: str, **switches: object) -> NotebookRecord:
    register_rules()
    register_faulty_rules()
    prices = take_prices([model], date(2026, 1, 1))
    ledger = UsageLedger(prices)
    settings = ModelSettings(model)

    def session(folders: Folders) -> ExecSession:
        folders.writable.mkdir(parents=True)
        return ExecSession(folders.writable)

    resources = RunResources(
        TeamFolder(root),
        WorkSettings("team", Switches(**switches)),  # type: ignore[arg-type]
        role_models(settings, ledger),
        prices,
        session,
        CodeShelf(),
        lambda task: "",
    )
    task = cohort_task(study.folder, Path("output"), TRAIT, COHORT, "sound")
    return do_notebook(task, resources)


def test_without_faults_the_tables_are_those_of_the_pipeline(
    study: SimulatedStudy, right: dict[str, bytes], tmp_path: Path
) -> None:
    record = do(study, tmp_path, "rules")
    assert (record.state, record.facts) == (State.DONE, {"usable": True})
    assert tables(tmp_path) == right
    assert len(right) == 3


@pytest.mark.parametrize("seed", range(12))
def test_faults_end_in_the_right_tables_or_in_an_honest_failure(
    study: SimulatedStudy, right: dict[str, bytes], tmp_path: Path, seed: int
) -> None:
    record = do(study, tmp_path, f"rules-faulty:seed={seed},rate=0.35")
    assert record.confinement["policy"] == "off"
    if record.state is State.DONE:
        assert tables(tmp_path) == right
    else:
        assert record.why
        assert tables(tmp_path) == {}


@pytest.mark.parametrize("fault", sorted({*all_faults()} - {"wrong_verdict", "needless_return"}))
def test_each_fault_is_mended_where_it_happens_now_and_then(
    study: SimulatedStudy, right: dict[str, bytes], tmp_path: Path, fault: str
) -> None:
    record = do(study, tmp_path, f"rules-faulty:seed=2,rate=0.3,faults={fault}")
    if record.state is State.DONE:
        assert tables(tmp_path) == right
    else:
        assert record.why


def test_nothing_but_faults_is_an_honest_failure(study: SimulatedStudy, tmp_path: Path) -> None:
    record = do(study, tmp_path, "rules-faulty:rate=1,faults=crash")
    assert record.state is State.FAILED
    assert "without recording" in record.why
