"""The command line, run in this process."""

import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from genotex.cli import main, screen

Run = Callable[..., tuple[int, str, str]]
Shown = Callable[..., tuple[str, str]]


@pytest.fixture
def genotex(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process; gives (exit code, standard output, standard error)."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    # Servers of the tests are asked directly, whatever proxy the machine has.
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["genotex", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        written = capsys.readouterr()
        assert "Traceback" not in written.err
        return int(end.value.code or 0), written.out, written.err

    return run


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    """Return what a function prints, and what it says on standard error."""

    def run(show: Callable[..., None], *arguments: Any) -> tuple[str, str]:
        out, err = (Console(width=screen.WIDE, highlight=False) for _ in range(2))
        monkeypatch.setattr(screen, "out", out)
        monkeypatch.setattr(screen, "err", err)
        with err.capture() as said, out.capture() as printed:
            show(*arguments)
        return printed.get(), said.get()

    return run


def on_one_line(genotex: Run) -> Run:
    """Return a run whose standard error is one line, however the screen broke it."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code, out, err = genotex(*arguments)
        return code, out, " ".join(err.split())

    return run
