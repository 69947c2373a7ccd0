"""What is kept of a cell's output. Messages between a kernel and the program outside."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.agents import SandboxLimits
from genotex.agents.sandbox.cells import Collector, readable, shortened
from genotex.agents.sandbox.confined.protocol import Channel, ChannelError, channel_pair

SHORT = SandboxLimits(output_characters=10)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(), inside, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["stdout", "stderr"]), st.text("abc\n", max_size=20))))
def test_beginning_and_end_are_kept_whatever_the_pieces(pieces: list[tuple[str, str]]) -> None:
    collector = Collector(SHORT)
    for name, text in pieces:
        collector.add({"kind": "stream", "name": name, "text": text})
    whole = "".join(text for _, text in pieces)
    kept = "".join(output.text for output in collector.outputs())
    if len(whole) <= 10:
        assert kept == whole
        assert collector.left_out == 0
    else:
        said = f"\n[... {len(whole) - 10} characters left out; 10 are kept ...]\n"
        assert kept == whole[:5] + said + whole[-5:]


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=8), anything, max_size=5) | st.just({}))
def test_any_message_is_taken(message: dict[str, object]) -> None:
    collector = Collector(SHORT)
    for kind in ("stream", "traceback", "display", "result", "other"):
        collector.add({**message, "kind": kind})
    for output in collector.outputs():
        output.text.encode("utf-8")


@settings(deadline=None)
@given(st.text())
def test_text_can_be_written_and_shown(text: str) -> None:
    shown = readable(text)
    shown.encode("utf-8")
    assert all(c in "\n\t" or (c.isprintable() or not c.isascii()) for c in shown)


def test_neighbours_of_a_kind_are_one_piece() -> None:
    collector = Collector(SandboxLimits())
    for name, text in [("stdout", "a"), ("stdout", "b"), ("stderr", "c"), ("stdout", "d")]:
        collector.add({"kind": "stream", "name": name, "text": text})
    assert [(o.kind, o.text) for o in collector.outputs()] == [
        ("stdout", "ab"),
        ("stderr", "c"),
        ("stdout", "d"),
    ]


def test_pictures_beyond_the_room_for_them_leave_their_plain_form() -> None:
    collector = Collector(SandboxLimits(display_bytes=100))
    for size in (60, 60, 20):
        data = {"text/plain": "<Figure>", "image/png": "A" * size}
        collector.add({"kind": "display", "data": data})
    # 8 characters of plain form each: 68 of 100 are used, 68 more are too many, 28 are not.
    kept = [(o.forms.get("image/png", ""), o.text) for o in collector.outputs()]
    said = "[60 characters of a picture, page or table left out]"
    assert kept == [("A" * 60, "<Figure>\n"), ("", f"<Figure>\n{said}\n"), ("A" * 20, "<Figure>\n")]


def test_shortened_keeps_the_end_where_the_error_is() -> None:
    assert shortened("short", 10) == "short"
    assert shortened("0123456789abc", 10) == "[...] 3456789abc"


MOST = 400_000


@pytest.fixture
def ends() -> object:
    ours, theirs = channel_pair(MOST)
    other = Channel(theirs, MOST)
    yield ours, other
    ours.close()
    other.close()


def received(channel: Channel) -> dict[str, object]:
    while (message := channel.receive()) is None:
        pass
    return message


@pytest.mark.parametrize("length", [0, 1, 48 * 1024 - 1, 48 * 1024, 48 * 1024 + 1, 150_000])
def test_messages_of_any_length_arrive_whole(ends: tuple[Channel, Channel], length: int) -> None:
    ours, theirs = ends
    message = {"text": "x" * length}
    theirs.send(message)
    assert received(ours) == message


def test_message_broken_off_is_thrown_away(ends: tuple[Channel, Channel]) -> None:
    ours, theirs = ends
    theirs.socket.send(struct.pack("!IB", 0, 0) + b'{"begun": ')
    for number in range(40):
        theirs.socket.send(struct.pack("!IB", 1000 + number, 0) + b"x")
    theirs.send({"whole": 1})
    assert received(ours) == {"whole": 1}
    assert len(ours._parts) <= 16


def test_too_long_a_message_is_refused_before_it_is_kept(ends: tuple[Channel, Channel]) -> None:
    ours, theirs = ends
    with pytest.raises(ChannelError, match="more than 400000 bytes"):
        for _ in range(20):
            theirs.socket.send(struct.pack("!IB", 5, 0) + b"x" * 40_000)
            ours.receive()


def test_closed_end_is_told(ends: tuple[Channel, Channel]) -> None:
    ours, theirs = ends
    theirs.close()
    with pytest.raises(ChannelError, match="closed"):
        ours.receive()


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_refused(content: bytes) -> None:
    ours, theirs = channel_pair(MOST)
    theirs.send(content or b"\0")
    ours.socket.setblocking(False)
    try:
        message = ours.receive()
        assert message is None or message == json.loads(content[5:])
    except ChannelError:
        pass
    finally:
        ours.close()
        theirs.close()


def test_deeply_nested_json_is_refused(ends: tuple[Channel, Channel]) -> None:
    ours, theirs = ends
    content = b'{"a":' + b"[" * 40_000 + b"]" * 40_000 + b"}"
    for start in range(0, len(content), 40_000):
        last = start + 40_000 >= len(content)
        theirs.socket.send(struct.pack("!IB", 5, last) + content[start : start + 40_000])
    with pytest.raises(ChannelError, match="no JSON"):
        received(ours)
