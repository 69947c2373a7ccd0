from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import pytest

from genotex.errors import BadAnswerError, BudgetReachedError, UsageError
from genotex.models import (
    PROVIDERS,
    Budget,
    Message,
    Model,
    RecordingModel,
    Reply,
    Request,
    RoleModels,
    ScriptedModel,
    Total,
    Usage,
    UsageLedger,
    model_from_name,
    prices_of,
    read_settings,
    role_models,
)
from tests.models.servers import OpenAIDialect, serving

DAY = date(2026, 11, 1)


@dataclass(frozen=True)
class Verdict:
    approve: bool


def request(role: str) -> Request:
    return Request(role, (Message("user", "Hello?"),))


def test_each_role_asks_its_own_model() -> None:
    models = RoleModels(
        ScriptedModel(lambda _: "all"), {"planner": ScriptedModel(lambda _: "plan")}
    )
    assert models.ask(request("planner")).text == "plan"
    assert models.ask(request("reviewer")).text == "all"
    assert models.model_of("planner") is not models.model_of("reviewer")


def test_what_a_request_does_not_say_the_settings_say() -> None:
    script = ScriptedModel(lambda _: "well")
    models = RoleModels(script, temperature=0.5, max_output=100)
    models.ask(request("planner"))
    models.ask(Request("planner", request("").messages, max_output=7, temperature=0.0))
    assert [(r.temperature, r.max_output) for r in script.requests] == [(0.5, 100), (0.0, 7)]


def test_text_data_and_dataclasses_can_be_asked_for() -> None:
    models = RoleModels(ScriptedModel([{"approve": True}, {"approve": 1}, {"approve": False}, ""]))
    assert models.ask_for(request("reviewer"), Verdict).value == Verdict(True)
    assert models.ask_for(request("reviewer"), dict[str, int]).value == {"approve": 1}
    assert models.ask_for(request("reviewer"), Verdict).value == Verdict(False)
    with pytest.raises(BadAnswerError):
        models.ask(request("reviewer"))


def recording(path: Path) -> None:
    answers = [Reply("one", "openai:gpt-4o", usage=Usage(1000, 100, 0)), "two"]
    model = RecordingModel(ScriptedModel(answers), path)
    model.answer(request("planner"))
    model.answer(request("reviewer"))


def test_a_run_from_settings_counts_what_a_recording_had_cost(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    recording(path)
    settings = read_settings(options={"model": f"replay:{path}"}, environ={})
    prices = prices_of(settings, DAY)
    assert set(prices.prices) == {"openai:gpt-4o", "scripted"}
    ledger = UsageLedger(prices)
    models = role_models(settings, ledger, environ={})
    assert models.ask(request("planner")).text == "one"
    assert models.ask(request("reviewer")).text == "two"
    assert ledger.total().tokens == Total(1100)
    # 1,000 at 2.50 and 100 at 10 dollars a million: the price list of OpenAI for gpt-4o.
    assert f"{ledger.total().cost.exact:.5f}" == "0.00350"


def test_models_of_one_name_are_one_model_wrapped_once(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    recording(path)
    wrapped: list[str] = []

    def wrap(model: Model) -> Model:
        wrapped.append(model.name)
        return model

    name = f"replay:{path}"
    options = {"model": name, "model.planner": name, "model.reviewer": name}
    settings = read_settings(options=options, environ={})
    ledger = UsageLedger(prices_of(settings, DAY))
    models = role_models(settings, ledger, environ={}, wrap=wrap)
    assert wrapped == [name]
    assert models.model_of("planner") is models.model_of("reviewer")


def test_a_missing_key_is_found_before_anything_is_asked() -> None:
    options = {"model": "ollama:m", "model.planner": "openai:gpt-4o"}
    settings = read_settings(options=options, environ={})
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        role_models(settings, UsageLedger(prices_of(settings, DAY)), environ={})


def test_all_models_of_a_provider_share_its_limit_of_calls_at_once() -> None:
    slow = replace(OpenAIDialect().text("Well."), hold=0.05)
    with serving(slow) as service:
        options = {
            "model": "openai:gpt-4o",
            "model.planner": "openai:gpt-4o-mini",
            "provider.openai.address": f"{service.address}/v1",
            "provider.openai.at_once": 2,
        }
        settings = read_settings(options=options, environ={})
        ledger = UsageLedger(prices_of(settings, DAY))
        models = role_models(settings, ledger, environ={"OPENAI_API_KEY": "sk-test-key"})
        roles = ["planner", "reviewer"] * 4
        with ThreadPoolExecutor(len(roles)) as pool:
            texts = [reply.text for reply in pool.map(models.ask, map(request, roles))]
    assert texts == ["Well."] * 8
    assert service.most_at_once == 2
    assert {seen.body["model"] for seen in service.seen} == {"gpt-4o", "gpt-4o-mini"}
    assert ledger.by_role()["planner"].calls == 4
    assert ledger.total().waiting > 0


def test_a_run_stops_at_its_limit_over_the_wire() -> None:
    # A call costs 60 x 2.50 + 40 x 1.25 + 20 x 10 dollars for a million tokens, 0.0004 dollars.
    with serving(OpenAIDialect().text("Well.")) as service:
        options = {
            "model": "openai:gpt-4o",
            "max_cost": "0.0008",
            "provider.openai.address": f"{service.address}/v1",
        }
        settings = read_settings(options=options, environ={})
        ledger = UsageLedger(prices_of(settings, DAY))
        budget = Budget(settings.limits, ledger)
        environ = {"OPENAI_API_KEY": "sk-test-key"}
        models = role_models(settings, ledger, budget, environ)
        models.ask(request("planner"))
        models.ask(request("planner"))
        with pytest.raises(BudgetReachedError, match=r"0\.0008 of 0\.0008 US dollars"):
            models.ask(request("planner"))
    assert len(service.seen) == 2


REQUEST = Request("planner", (Message("user", "Hello?"),))


@pytest.mark.parametrize("provider", [name for name in PROVIDERS if name != "openai-compatible"])
def test_every_provider_has_a_model(provider: str) -> None:
    environ = {PROVIDERS[provider].keys[0]: "sk-test-key"}
    assert (
        model_from_name(f"{provider}:some-model", environ=environ).name == f"{provider}:some-model"
    )


def test_a_model_at_an_address_of_the_users_own_needs_no_key() -> None:
    name = "openai-compatible:org/m@v2@http://localhost:8000/v1"
    assert model_from_name(name, environ={}).name == name


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google", "deepseek"])
def test_a_missing_key_is_asked_for_by_the_name_of_its_variable(provider: str) -> None:
    with pytest.raises(UsageError, match=PROVIDERS[provider].keys[0]):
        model_from_name(f"{provider}:some-model", environ={})


def test_a_key_with_odd_signs_is_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError, match="cannot be a key") as caught:
        model_from_name("openai:m", environ={"OPENAI_API_KEY": "sk-very secret"})
    assert "secret" not in str(caught.value)


def test_a_recording_answers_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a:b.jsonl"
    RecordingModel(ScriptedModel(["well"]), path).answer(REQUEST)
    assert model_from_name(f"replay:{path}").answer(REQUEST).text == "well"


@pytest.mark.parametrize(
    "name", ["", "gpt-4o", ":", "nobody:m", "replay", "openai: ", "openai:a b"]
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="write"):
        model_from_name(name, environ={"OPENAI_API_KEY": "sk-test-key"})
