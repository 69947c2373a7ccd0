import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from genotex.errors import FormatError, UsageError
from genotex.models import PROVIDERS, ModelSettings, ProviderOptions, price_at, read_settings
from genotex.records import checked

ROLES = ("planner", "reviewer", "expert")
FILE = """
temperature = 0.0
max_output = 4000
max_cost = 5
timeout = 60

[model]
default = "openai:gpt-4o"
expert = "anthropic:claude-sonnet-4-5"

[provider.openai]
address = "http://localhost:8080/v1"
structured = "tool"
at_once = 8

[provider.ollama]
timeout = 900.5

[price."ollama:llama3.1"]
input = 0
output = 0.5
"""


def read(
    text: str | None,
    options: dict[str, Any] | None = None,
    path: Path | None = None,
    **environ: str,
) -> ModelSettings:
    if text is not None and path is not None:
        path.write_text(text)
    return read_settings(path if text is not None else None, options, environ, ROLES)


def test_a_file_with_everything(tmp_path: Path) -> None:
    settings = read(FILE, path=tmp_path / "models.toml")
    assert settings.model == "openai:gpt-4o"
    assert settings.by_role == {"expert": "anthropic:claude-sonnet-4-5"}
    assert (settings.temperature, settings.max_output) == (0.0, 4000)
    assert settings.limits.max_cost == Decimal(5)
    assert settings.providers["openai"] == ProviderOptions(
        "http://localhost:8080/v1", ("OPENAI_API_KEY",), "tool", 60.0, 8
    )
    assert settings.providers["ollama"].timeout == 900.5
    assert settings.providers["google"].timeout == 60.0
    price = settings.prices["ollama:llama3.1"]
    assert (price_at(price.input, 1), price_at(price.output, 1)) == (Decimal(0), Decimal("0.5"))
    assert settings.names == ("anthropic:claude-sonnet-4-5", "openai:gpt-4o")


def test_a_model_alone_is_enough() -> None:
    settings = read(None, {"model": "ollama:llama3.1:8b"})
    assert settings.names == ("ollama:llama3.1:8b",)
    assert settings.limits == type(settings.limits)()
    assert settings.providers["ollama"] == ProviderOptions.usual("ollama")


def test_file_then_environment_then_command_line(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    text = 'model = "openai:file"\nmax_cost = 1\nmax_tokens = 1'
    in_environment = {"GENOTEX_MODEL": "openai:environment", "GENOTEX_MAX_COST": "2"}
    options = {"model": "openai:line", "max_time": None}
    assert read(text, path=path).model == "openai:file"
    assert read(text, path=path, **in_environment).model == "openai:environment"
    settings = read(text, options, path, **in_environment)
    assert settings.model == "openai:line"
    assert settings.limits.max_cost == Decimal(2)
    assert settings.limits.max_tokens == 1


def test_roles_from_the_command_line_and_the_environment() -> None:
    settings = read(
        None,
        {"model": "openai:a", "model.planner": "openai:b"},
        GENOTEX_MODEL_EXPERT="google:c",
        GENOTEX_MODEL_REVIEWER="",
        GENOTEX_SHARED_DATA="/elsewhere",
    )
    assert settings.by_role == {"planner": "openai:b", "expert": "google:c"}


def test_all_that_holds_for_every_model_may_stand_in_the_environment() -> None:
    settings = read(
        None,
        {"model": "openai:a"},
        GENOTEX_TEMPERATURE="0",
        GENOTEX_TIMEOUT="30",
        GENOTEX_ALLOW_UNKNOWN_COST="true",
        GENOTEX_ATTEMPTS="2",
    )
    assert settings.temperature == 0.0
    assert settings.providers["openai"].timeout == 30.0
    assert settings.limits.allow_unknown
    assert settings.retry.attempts == 2


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ("GENOTEX_MAX_COTS", "did you mean GENOTEX_MAX_COST?"),
        ("GENOTEX_MAXCOST", "did you mean GENOTEX_MAX_COST?"),
        ("GENOTEX_MODLE", "did you mean GENOTEX_MODEL?"),
        ("GENOTEX_MODEL_PLANER", "unknown role 'planer'"),
        ("GENOTEX_PROVIDER_OPENAI_TIMEOUT", "are set in a file"),
    ],
)
def test_misspelt_variable_is_not_passed_over(variable: str, said: str) -> None:
    with pytest.raises(UsageError, match=f"^{variable}: ") as caught:
        read(None, {"model": "openai:a"}, **{variable: "3"})
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "no model given"),
        ({"model": ""}, "--model: must be text"),
        ({"model": "gpt-4o"}, "--model: unknown model 'gpt-4o'"),
        ({"model": "openia:gpt-4o"}, "did you mean openai?"),
        ({"model": "openai:"}, "lacks the name of the model"),
        ({"model": "openai-compatible:m"}, "the address is missing"),
        ({"model": "openai-compatible:m@http://a:b@host/v1"}, "has a user, a password"),
        ({"model": "openai-compatible:m@http://"}, "no address of a service"),
        ({"model": "replay:"}, "write replay:FILE"),
        ({"model": "openai:a", "model.plannr": "openai:b"}, "unknown role 'plannr'; the roles are"),
        ({"model": "openai:a", "max_cost": "-1"}, "--max-cost: must be a number of 0 or more"),
        ({"model": "openai:a", "max_cost": "0"}, "--max-cost: must be above 0"),
        ({"model": "openai:a", "max_cost": "nan"}, "must be a number"),
        ({"model": "openai:a", "max_cost": "much"}, "must be a number of 0 or more, not 'much'"),
        ({"model": "openai:a", "max_tokens": "1.5"}, "must be a whole number"),
        ({"model": "openai:a", "max_tokens": "1e999999999"}, "must be a number"),
        ({"model": "openai:a", "max_tokens": True}, "must be a number"),
        ({"model": "openai:a", "attempts": 0}, "--attempts: must be above 0"),
        ({"model": "openai:a", "allow_unknown_cost": "maybe"}, "must be one of true, false"),
        ({"model": "openai:a", "max_token": 1}, "did you mean max_tokens?"),
        (
            {"model": "openai:a", "max_costs": 1},
            "unknown setting 'max_costs'; did you mean max_cost?",
        ),
        ({"model": "openai:a", "provider.openai.timout": 1}, "did you mean provider.NAME.timeout?"),
        (
            {"model": "openai:a", "provider.opnai.timeout": 1},
            "unknown setting 'provider.opnai.timeout'",
        ),
        ({"model": "openai:a", "provider.openai": 1}, "unknown setting 'provider.openai'"),
        ({"model": "openai:a", "provider.openai.address": "localhost"}, "no address of a service"),
        (
            {"model": "openai:a", "provider.openai-compatible.address": "http://localhost"},
            "unknown setting 'provider.openai-compatible.address'",
        ),
        ({"model": "openai:a", "provider.openai.structured": "xml"}, "must be one of schema, tool"),
        ({"model": "openai:a", "price.openai:a.input": 1}, "needs both input and output"),
        ({"model": "openai:a", "price.openai:a.in": 1}, "unknown setting 'price.openai:a.in'"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_place(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(None, options)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("provider.openai.api_key", "sk-very-secret-1"),
        ("openai_api_key", "sk-very-secret-1"),
        ("provider.openai.key", "sk-very-secret-1"),
        ("provider.google.key", "AIzaVerySecret1"),
        ("provider.openai.address", "http://user:sk-very-secret-1@host/v1"),
        ("model", "openai-compatible:m@http://user:sk-very-secret-1@host/v1"),
    ],
)
def test_a_key_in_the_settings_is_refused_and_not_repeated(name: str, value: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(None, {"model": "openai:a", name: value})
    assert "environment" in str(caught.value)
    assert "ecret" not in str(caught.value)


def test_the_variable_of_the_key_can_be_named() -> None:
    options = {"model": "openai:a", "provider.openai.key": "MY_KEY"}
    settings = read(None, options, MY_KEY="sk-very-secret-1")
    assert settings.providers["openai"].key == ("MY_KEY",)


def test_a_file_that_is_no_toml_or_missing(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    with pytest.raises(FormatError, match=r"models\.toml: cannot be opened"):
        read_settings(path, environ={})
    for content in (b"model = ", b"\xff\xfe\x00", b"a = " + b"[" * 5000):
        path.write_bytes(content)
        with pytest.raises(FormatError, match="is not TOML"):
            read_settings(path, environ={})


def test_a_mistake_in_a_file_names_file_and_setting(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"models\.toml, provider\.openai\.at_once: must be above"):
        read('model = "openai:a"\n[provider.openai]\nat_once = 0', path=tmp_path / "models.toml")


def test_settings_as_json_have_the_providers_that_may_answer_and_no_key(tmp_path: Path) -> None:
    settings = read(FILE, path=tmp_path / "models.toml", OPENAI_API_KEY="sk-very-secret-1")
    text = json.dumps(settings.to_json())
    content = json.loads(text)
    assert set(content["providers"]) == {"anthropic", "openai"}
    assert content["limits"]["max_cost"] == "5"
    assert content["providers"]["openai"]["key"] == ["OPENAI_API_KEY"]
    assert "secret" not in text
    again = checked(ModelSettings, content, extra="forbid")
    assert again.providers["openai"] == settings.providers["openai"]
    assert replace(again, providers={}) == replace(settings, providers={})


def test_settings_without_limits_survive_the_way_through_json() -> None:
    settings = read(None, {"model": "openai:a"})
    assert checked(ModelSettings, json.loads(json.dumps(settings.to_json()))) == settings


def test_settings_have_options_of_the_known_providers_and_of_no_others() -> None:
    slow = replace(ProviderOptions.usual("google"), timeout=9.0)
    settings = ModelSettings("openai:a", providers={"elsewhere": slow, "google": slow})
    usual = {name: ProviderOptions.usual(name) for name in PROVIDERS}
    assert settings.providers == {**usual, "google": slow}


@pytest.mark.parametrize(
    ("place", "values", "said"),
    [
        ("retry", {"attempts": 0}, "retry.attempts: must be greater than 0, not 0"),
        ("retry", {"first_wait": -1.0}, "retry.first_wait: must be at least 0, not -1.0"),
        ("retry", {"longest_wait": -0.5}, "retry.longest_wait: must be at least 0"),
        ("retry", {"seed": -1}, "retry.seed: must be at least 0"),
        ("providers", {"timeout": 0.0}, "providers.google.timeout: must be greater than 0"),
        ("providers", {"at_once": 0}, "providers.google.at_once: must be greater than 0"),
    ],
)
def test_stored_numbers_that_permit_no_call_are_refused(
    place: str, values: dict[str, Any], said: str
) -> None:
    content = read(None, {"model": "google:a"}).to_json()
    part = content[place]["google"] if place == "providers" else content[place]
    part.update(values)
    with pytest.raises(FormatError) as caught:
        checked(ModelSettings, content)
    assert said in str(caught.value)


def test_the_example_of_the_docs_is_right(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
    example = page.split("```toml\n")[1].split("```")[0]
    settings = read(example, path=tmp_path / "models.toml", GATEWAY_KEY="sk-very-secret-1")
    assert settings.by_role["expert"].startswith("anthropic:")
    # What the example calls usual is so.
    usual = read(None, {"model": "openai:a"})
    assert settings.retry == usual.retry
    assert settings.providers["google"] == usual.providers["google"]
