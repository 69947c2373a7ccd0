"""Tokens and cost of problems: cohorts are paid for once, and unknown stays unknown."""

import csv
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from genotex.agents import Card
from genotex.bench import read_run_record
from genotex.models import ModelPrice, PriceSnapshot, flat_rate
from genotex.problems import Problem
from tests.agents.playing import python
from tests.agents.team.conftest import Played, PlayedModel, play

COLUMNS = ("tokens_in", "tokens_out", "tokens_cached", "cost")


@pytest.fixture
def priced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the model cost 1 dollar for a million tokens in, 10 for a million out."""
    one, ten = flat_rate(Decimal(1)), flat_rate(Decimal(10))
    price = ModelPrice(input=one, output=ten, source="test")
    snapshot = PriceSnapshot(date(2026, 1, 1), "test", {"played": price})
    monkeypatch.setattr("genotex.agents.team.running.prices_of", lambda settings, day: snapshot)


def rows(played: Played) -> list[dict[str, str]]:
    with (played.root / "run/problems.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_all_problems_together_took_what_the_run_took(played: Played, priced: None) -> None:
    # No cohort has the gender: that problem bears its share of the cohorts all the same.
    played.problems = (Problem("Asthma", "Age"), Problem("Asthma", "Gender"))
    finished = played.run()
    total = finished.usage.total()
    sums = {name: sum(Decimal(row[name]) for row in rows(played)) for name in COLUMNS}
    calls = len(played.calls.requests)
    assert total.calls == calls
    assert sums["tokens_in"] == 100 * calls and sums["tokens_out"] == 10 * calls
    # 100 at 1 and 10 at 10 dollars for a million.
    assert sums["cost"] == total.cost.exact == Decimal("0.0002") * calls
    of_problem = sum(request.role == "statistician" for request in played.calls.requests)
    assert of_problem and Decimal(rows(played)[1]["tokens_in"]) < sums["tokens_in"] / 2


def test_time_of_the_cohorts_is_shared_too(played: Played, priced: None) -> None:
    played.problems = (Problem("Asthma", "Age"), Problem("Asthma", "Gender"))
    finished = played.run()
    spent = sum(
        record.tally.work_seconds for record in finished.notebooks if record.task.kind == "geo"
    )
    assert [float(row["cohort_seconds"]) for row in rows(played)] == [spent / 2, spent / 2]


def test_without_a_price_tokens_are_reported_and_the_cost_is_not(played: Played) -> None:
    played.run()
    (row,) = rows(played)
    assert row["cost"] == "" and float(row["tokens_in"]) > 0
    record = read_run_record(played.root)
    assert "cost" not in record.per_problem and record.per_problem["tokens_in"] > 0


def test_attempts_that_were_put_aside_were_paid_for(played: Played, priced: None) -> None:
    bad = [True]

    def answer(card: Card) -> Any:
        wrong = bad[0] and card.task.kind == "statistics" and card.occasion in ("write", "revise")
        return python("x = 1") if wrong else play(card)

    played.calls = PlayedModel(answer)
    assert not played.run().problems[0].success
    first = Decimal(rows(played)[0]["tokens_in"])
    bad[0] = False
    assert played.run(retry=True).problems[0].success
    assert Decimal(rows(played)[0]["tokens_in"]) == 100 * len(played.calls.requests) > first


def test_outcomes_of_a_finished_run_are_gone_while_it_is_not(played: Played) -> None:
    played.run()
    next((played.root / "preprocess/Asthma").glob("GSE1.csv")).unlink()
    played.calls = PlayedModel(lambda card: KeyboardInterrupt())
    (played.root / "run/notebooks/Asthma/GSE1.jsonl").unlink()
    with pytest.raises(KeyboardInterrupt):
        played.run()
    assert not (played.root / "run/outcomes.json").exists()
    assert not (played.root / "run/problems.csv").exists()
