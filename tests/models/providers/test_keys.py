"""Nothing of a key ever appears in what is written, said or sent to others."""

import logging
import os
import pickle
import traceback
from pathlib import Path

import pytest

from genotex.errors import ModelError
from genotex.models import RecordingModel, keys_put_away, read_settings, without_keys
from genotex.parallel import side_by_side
from tests.models.providers.asking import KEY, REQUEST, model_at
from tests.models.servers import DIALECTS, Dialect, OpenAIDialect, Says, key_in, serving

every_provider = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda each: each.provider)


def places(dialect: Dialect) -> list[Says]:
    """Answers that repeat the key wherever a service may."""
    return [
        dialect.wrong_key(KEY),
        dialect.text(f"Your key is {KEY}."),
        dialect.data({"approve": KEY}),
        Says({"error": {"message": KEY, "code": 500, "status": KEY, "type": KEY}}, 500),
        Says(KEY.encode()),
        Says(KEY.encode(), 500),
        Says(b"", 302, {"Location": f"http://127.0.0.1:9/{KEY}"}),
        Says({"model": KEY, "id": KEY, "content": KEY, "choices": KEY, "candidates": KEY}),
        Says(dialect.text("Well.").content(), cut=True, headers={"x-key": KEY}),
    ]


@every_provider
def test_a_key_is_in_no_artefact(
    dialect: Dialect, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    said: list[str] = []
    for number, answer in enumerate(places(dialect)):
        with caplog.at_level(logging.DEBUG), serving(answer) as service:
            model = model_at(dialect, service)
            recording = RecordingModel(model, tmp_path / f"{number}.jsonl")
            said += [repr(model), repr(recording), str(vars(model).keys())]
            try:
                said.append(repr(recording.answer(REQUEST)))
            except ModelError as error:
                said += ["".join(traceback.format_exception(error)), repr(error), repr(vars(error))]
                said.append(str(pickle.dumps(error)))
            assert key_in(service.seen[0]) == KEY
    said += [file.read_text() for file in tmp_path.iterdir() if file.is_file()]
    logged = [record.getMessage() for record in caplog.records]
    # Headers that a service sends are logged as they come, where somebody turns DEBUG on.
    said += [each for each in logged if "location" not in each.lower() and "x-key" not in each]
    assert [each for each in said if KEY in each] == []
    assert any("[key]" in each for each in said)


@every_provider
def test_the_keys_of_others_are_not_sent(dialect: Dialect, monkeypatch: pytest.MonkeyPatch) -> None:
    others = {each.key_variable: f"sk-of-{each.provider}-0123456789" for each in DIALECTS}
    others["ANTHROPIC_AUTH_TOKEN"] = "sk-of-auth-token-0123456789"
    others["GEMINI_API_KEY"] = "sk-of-gemini-0123456789"
    own = others.pop(dialect.key_variable)
    if dialect.provider == "google":
        others.pop("GEMINI_API_KEY")
    for name, value in {**others, dialect.key_variable: own}.items():
        monkeypatch.setenv(name, value)
    with serving(dialect.text("Well.")) as service:
        model_at(dialect, service, environ={dialect.key_variable: own}).answer(REQUEST)
    sent = service.seen[0].everything()
    assert own in sent
    assert [value for value in others.values() if value in sent] == []


@pytest.mark.parametrize("dialect", DIALECTS[2:4], ids=lambda each: each.provider)
def test_no_key_of_the_environment_goes_to_a_server_that_has_none(
    dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in DIALECTS:
        monkeypatch.setenv(each.key_variable, "sk-of-another-0123456789")
    with serving(dialect.text("Well.")) as service:
        model_at(dialect, service, environ={}).answer(REQUEST)
    assert "sk-of-another" not in service.seen[0].everything()


def test_a_variable_of_the_users_own_holds_the_key() -> None:
    dialect = OpenAIDialect()
    environ = {"MY_KEY": KEY, "OPENAI_API_KEY": "sk-another-0123456789"}
    options = {"model": "openai:gpt-4o", "provider.openai.key": "MY_KEY"}
    key = read_settings(options=options, environ=environ).providers["openai"].key
    with serving(dialect.text(f"{KEY} and sk-another-0123456789")) as service:
        reply = model_at(dialect, service, environ=environ, key=key).answer(REQUEST)
    assert key_in(service.seen[0]) == KEY
    assert reply.text == "[key] and [key]"


def test_a_key_inside_another_leaves_no_rest() -> None:
    environ = {"OPENAI_API_KEY": "sk-12345678", "DEEPSEEK_API_KEY": "sk-12345678-longer"}
    assert without_keys("sk-12345678-longer sk-12345678", (), environ) == "[key] [key]"


def test_a_word_for_no_key_is_no_secret() -> None:
    assert without_keys("none of these", (), {"OLLAMA_API_KEY": "none"}) == "none of these"


def test_a_key_that_changes_is_read_anew() -> None:
    dialect = OpenAIDialect()
    environ = {"OPENAI_API_KEY": "sk-before-0123456789"}
    with serving(dialect.text("Well.")) as service:
        model = model_at(dialect, service, environ=environ)
        model.answer(REQUEST)
        environ["OPENAI_API_KEY"] = KEY
        model.answer(REQUEST)
    assert [key_in(seen) for seen in service.seen] == ["sk-before-0123456789", KEY]


def test_processes_that_start_while_keys_are_away_inherit_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    with keys_put_away(), side_by_side(2) as spread:
        seen = list(spread(os.getenv, ["OPENAI_API_KEY", "GOOGLE_API_KEY"]))
    assert seen == [None, None]
    assert os.environ["OPENAI_API_KEY"] == os.environ["GOOGLE_API_KEY"] == KEY
