"""What is kept of a cell's output."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.agents.sandbox import Limits
from genotex.agents.sandbox.cells import Collector, readable, shortened

SHORT = Limits(output_characters=10)
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
    collector = Collector(Limits())
    for name, text in [("stdout", "a"), ("stdout", "b"), ("stderr", "c"), ("stdout", "d")]:
        collector.add({"kind": "stream", "name": name, "text": text})
    assert [(o.kind, o.text) for o in collector.outputs()] == [
        ("stdout", "ab"),
        ("stderr", "c"),
        ("stdout", "d"),
    ]


def test_pictures_beyond_the_room_for_them_leave_their_plain_form() -> None:
    collector = Collector(Limits(display_bytes=100))
    for size in (60, 60, 20):
        data = {"text/plain": "<Figure>", "image/png": "A" * size}
        collector.add({"kind": "display", "data": data})
    # 8 characters of plain form each: 68 of 100 are used, 68 more are too many, 28 are not.
    kept = [(o.forms.get("image/png", ""), o.text) for o in collector.outputs()]
    said = "[60 characters of a picture, page or table left out]"
    assert kept == [
        ("A" * 60, "<Figure>\n"),
        ("", f"<Figure>\n{said}\n"),
        ("A" * 20, "<Figure>\n"),
    ]


def test_shortened_keeps_the_end_where_the_error_is() -> None:
    assert shortened("short", 10) == "short"
    assert shortened("0123456789abc", 10) == "[...] 3456789abc"
