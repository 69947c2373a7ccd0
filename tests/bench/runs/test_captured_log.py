"""What methods print: no secrets, no endless files."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.bench.runs.children.processes import CapturedLog

KEY = "sk-12345-abcde"


def write(path: Path, parts: list[bytes], secrets: dict[str, str], most: int = 10**6) -> bytes:
    log = CapturedLog(path, secrets, most)
    for part in parts:
        log.write(part)
    log.close()
    return path.read_bytes() if path.exists() else b""


@given(cuts=st.lists(st.integers(0, 60), max_size=8), before=st.binary(max_size=20))
def test_secret_is_found_however_the_text_is_cut(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], before: bytes
) -> None:
    path = tmp_path_factory.mktemp("log") / "x.log"
    text = before + b"the key is " + KEY.encode() + b" and so on"
    places = sorted({0, *(cut for cut in cuts if cut < len(text)), len(text)})
    parts = [text[a:b] for a, b in itertools.pairwise(places)]
    written = write(path, parts, {"MODEL_KEY": KEY})
    assert written == before + b"the key is [MODEL_KEY] and so on"


def test_longer_secret_goes_before_one_that_is_its_start(tmp_path: Path) -> None:
    secrets = {"SHORT": KEY, "LONG": KEY + "-more"}
    text = [f"{KEY}-more {KEY}".encode()]
    assert write(tmp_path / "x.log", text, secrets) == b"[LONG] [SHORT]"


def test_value_too_short_for_a_secret_stays(tmp_path: Path) -> None:
    assert write(tmp_path / "x.log", [b"1 of 1"], {"DEBUG": "1"}) == b"1 of 1"


def test_start_and_end_of_a_long_text_are_kept(tmp_path: Path) -> None:
    parts = [f"{i:04d}\n".encode() for i in range(1000)]
    written = write(tmp_path / "x.log", parts, {}, most=50)
    start, end = (f"{i:04d}\n" for i in range(10)), (f"{i:04d}\n" for i in range(990, 1000))
    left_out = "\n[... 4900 bytes left out ...]\n"
    assert written.decode() == "".join(start) + left_out + "".join(end)


def test_silent_method_leaves_no_file_and_removes_an_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_text("of an earlier attempt")
    write(path, [], {})
    assert not path.exists()
