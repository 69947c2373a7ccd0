from pathlib import Path

import pytest

from genotex.agents.models import Message, RecordingModel, Request, ScriptedModel, model_from_name
from genotex.agents.models.providers import PROVIDERS
from genotex.errors import UsageError

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
