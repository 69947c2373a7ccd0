import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from genotex.errors import FormatError, NotRecordedError, RateLimitedError
from genotex.models import (
    Message,
    RecordingModel,
    ReplayModel,
    Reply,
    Request,
    ScriptedModel,
    Usage,
    first_difference,
    read_recording,
    reply_from_json,
    reply_to_json,
    request_digest,
    request_from_json,
    request_to_json,
)


def request(text: str = "Hello?", role: str = "planner") -> Request:
    return Request(role, (Message("system", "Be brief."), Message("user", text)))


FULL = Request("planner", request().messages, {"type": "object", "enum": ("a",)}, 100, 0.5)
REPLY = Reply(
    "hällo\ud800",
    "openai:gpt-4o",
    None,
    "length",
    Usage(1, 2, 3, None),
    "openai",
    "v",
    1.5,
    0.25,
    2,
)


def record(path: Path, *texts: str) -> None:
    model = RecordingModel(ScriptedModel(lambda asked: f"to {asked.messages[-1].text}"), path)
    for text in texts:
        model.answer(request(text))


def test_requests_and_replies_survive_the_way_through_json() -> None:
    assert reply_from_json(json.loads(json.dumps(reply_to_json(REPLY)))) == REPLY
    again = request_from_json(json.loads(json.dumps(request_to_json(FULL))))
    assert request_digest(again) == request_digest(FULL)


def test_the_digest_tells_every_part_of_a_request() -> None:
    others = [
        replace(FULL, role="reviewer"),
        replace(FULL, messages=FULL.messages[1:]),
        replace(FULL, schema=None),
        replace(FULL, max_output=101),
        replace(FULL, temperature=None),
    ]
    digests = {request_digest(each) for each in [FULL, *others]}
    assert len(digests) == 6
    assert request_digest(replace(FULL)) == request_digest(FULL)


def test_what_was_recorded_is_replayed_whatever_the_order(tmp_path: Path) -> None:
    path = tmp_path / "calls" / "calls.jsonl"
    record(path, "one", "two")
    model = ReplayModel(path)
    assert model.answer(request("two")).text == "to two"
    assert model.answer(request("one")).text == "to one"
    assert model.models == ("scripted",)
    assert model.name == f"replay:{path}"


def test_equal_requests_are_answered_in_order(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    model = RecordingModel(ScriptedModel(["first", "second"]), path)
    assert [model.answer(request()).text for _ in range(2)] == ["first", "second"]
    replay = ReplayModel(path)
    assert [replay.answer(request()).text for _ in range(2)] == ["first", "second"]
    with pytest.raises(NotRecordedError, match="planner repeats a request"):
        replay.answer(request())


def test_a_request_that_was_not_recorded_names_the_first_difference(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    record(path, "one", "two")
    replay = ReplayModel(path)
    replay.answer(request("one"))
    with pytest.raises(NotRecordedError) as caught:
        replay.answer(request("tow"))
    assert "line 2 of the recording" in str(caught.value)
    assert "messages[1].text, character 2: was 'two', is now 'tow'" in str(caught.value)
    with pytest.raises(NotRecordedError, match="no answer for reviewer is left"):
        replay.answer(request("two", role="reviewer"))


def test_a_call_that_fails_is_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    model = RecordingModel(ScriptedModel([RateLimitedError("too often"), "well"]), path)
    with pytest.raises(RateLimitedError):
        model.answer(request())
    model.answer(request())
    assert [call.reply.text for call in read_recording(path)] == ["well"]


def test_a_line_cut_by_a_kill_is_passed_over_and_recording_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    record(path, "one", "two")
    content = path.read_bytes()
    path.write_bytes(content[:-10])
    assert len(read_recording(path)) == 1
    record(path, "two")
    assert path.read_bytes() == content


def test_same_calls_same_bytes(tmp_path: Path) -> None:
    record(tmp_path / "a", "one")
    record(tmp_path / "b", "one")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_threads_keep_lines_whole(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    models = [RecordingModel(ScriptedModel(lambda _: "x" * 5000), path) for _ in range(4)]
    threads = [
        threading.Thread(target=lambda m=m: [m.answer(request()) for _ in range(5)]) for m in models
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_recording(path)) == 20


@pytest.mark.parametrize(
    "line",
    [
        b"no json",
        b"{}",
        b"[]",
        b'{"request": 1, "reply": 2, "digest": 3}',
        b'{"request": {"role": "a", "messages": []}}',
        b"\xff\xfe",
        b"[" * 9999,
    ],
)
def test_a_line_that_is_no_call_is_named_by_its_number(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "calls.jsonl"
    record(path, "one")
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(FormatError, match="line 2"):
        ReplayModel(path)
    with pytest.raises(FormatError, match="line 2"):
        RecordingModel(ScriptedModel([]), path)


def test_a_request_changed_by_hand_is_found_by_its_digest(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    record(path, "one")
    path.write_text(path.read_text().replace("Be brief", "Be long"))
    with pytest.raises(FormatError, match="digests differ"):
        ReplayModel(path)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be opened"):
        ReplayModel(tmp_path / "none")


@pytest.mark.parametrize(
    ("recorded", "asked", "said"),
    [
        ({"a": 1}, {"a": 2}, "a was 1, is now 2"),
        ({"a": {"b": 1}}, {"a": {}}, "a.b is only in the recording"),
        ({"a": {}}, {"a": {"b": 1}}, "a.b is only in the request"),
        (
            {"a": [1, {"b": "x"}]},
            {"a": [1, {"b": "y"}]},
            "a[1].b, character 1: was 'x', is now 'y'",
        ),
        ({"a": [1]}, {"a": [1, 2]}, "a has 1 entries in the recording, 2 now"),
        ({"a": None}, {"a": {"b": 1}}, "a was None, is now {'b': 1}"),
        ({"a": "same"}, {"a": "same more"}, "a, character 5: was 'same', is now 'same more'"),
    ],
)
def test_the_first_difference_is_named(recorded: Any, asked: Any, said: str) -> None:
    assert first_difference(recorded, asked) == said


def test_of_a_long_text_the_part_around_is_shown() -> None:
    said = first_difference({"t": "a" * 100 + "b" + "c" * 100}, {"t": "a" * 100 + "x" + "c" * 100})
    assert said == (
        f"t, character 101: was '{'a' * 30}b{'c' * 29}', is now '{'a' * 30}x{'c' * 29}'"
    )
