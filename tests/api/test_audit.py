"""`gx.audit`: tables in memory, several of them, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import genotex as gx
from genotex.genes import GeneTable

SAMPLES = [f"S{i}" for i in range(12)]


def tables(groups: int = 2) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(1)
    genes = sorted(GeneTable.load().official.values())[1000:1300]
    values = rng.normal(8, 1.5, (300, 1)) + rng.normal(0, 0.5, (300, 12))
    names = [f"g{i % groups}" for i in range(12)]
    return (
        pd.DataFrame(values, index=genes, columns=SAMPLES),
        pd.DataFrame({"sample": SAMPLES, "group": names}),
    )


def test_tables_in_memory_are_audited_and_several_of_them_together() -> None:
    values, sheet = tables()
    found = gx.audit({"one": (values, sheet), "two": (values, sheet)})
    assert [each.name for each in found.cohorts] == ["one", "two"]
    (finding,) = found.together[0].findings
    assert "12 samples of one and of two are the same arrays" in finding.seen
    assert found.verdict == "wants a look"


def test_three_groups_are_counted() -> None:
    values, sheet = tables(groups=3)
    facts = dict(gx.audit(values, sheet).cohorts[0].facts)
    assert facts["Groups"] == "3, of 4, 4 and 4 samples, by group"


def test_cases_and_controls_are_compared_and_other_groups_left_out() -> None:
    values, sheet = tables(groups=3)
    sheet["group"] = sheet["group"].replace({"g0": "case", "g1": "control", "g2": "other disease"})
    facts = dict(gx.audit(values, sheet).cohorts[0].facts)
    assert facts["Groups"].startswith("4 cases against 4 controls")


def test_several_tables_need_a_sample_table_each() -> None:
    values, _ = tables()
    with pytest.raises(gx.UsageError, match=r"'one' has no sample table: give \{name:"):
        gx.audit({"one": values})


def test_an_unknown_option_is_refused_with_the_nearest() -> None:
    with pytest.raises(gx.UsageError, match="the nearest are group"):
        gx.audit(*tables(), grp="group")
