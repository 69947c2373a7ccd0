"""Messages between a kernel and the program outside."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.agents.sandbox.confined.protocol import Channel, ChannelError, channel_pair

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
