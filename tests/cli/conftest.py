"""The command line, run in this process."""

import signal
import sys
from collections.abc import Callable

import pytest

from genotex.cli import main

Run = Callable[..., tuple[int, str, str]]


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


def on_one_line(genotex: Run) -> Run:
    """Return a run whose standard error is one line, however the screen broke it."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code, out, err = genotex(*arguments)
        return code, out, " ".join(err.split())

    return run
