"""Without a language model no request is sent."""

import json
import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest

from genotex.models import PROVIDERS
from tests.cli.conftest import Run, genotex
from tests.geo_text import write_asthma

__all__ = ["genotex"]


def test_the_whole_road_without_a_model_opens_no_connection(
    genotex: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-that-nobody-should-read"
    for provider in PROVIDERS.values():
        for name in provider.keys:
            monkeypatch.setenv(name, key)
    tried: list[Any] = []

    def refuse(*told: Any, **more: Any) -> NoReturn:
        tried.append(told)
        raise OSError

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    write_asthma(tmp_path / "in", number=24)
    code, _, err = genotex("solve", tmp_path / "in", tmp_path / "out", "--trait", "Asthma")
    assert code == 0, err
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert any(path.suffix == ".html" for path in files)
    assert not any(key.encode() in path.read_bytes() for path in files)
    assert json.dumps(tried) == "[]"
