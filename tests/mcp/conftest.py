"""A folder with series of one simulated trait, and sessions of the SDK's own client over stdio."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp", reason="the server needs genotex[mcp]")

from mcp import Client
from mcp.client.stdio import StdioServerParameters

import genotex
from genotex.analysis import solve_problems
from genotex.cohorts import preprocess
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.reports import write_report
from genotex.simulate import simulate_study

COMMAND = "from genotex.cli import main; main()"


@asynccontextmanager
async def opened(*options: object) -> AsyncIterator[Client]:
    """Start the command as an assistant does, and speak with it."""
    source = str(Path(genotex.__file__).parents[1])
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", COMMAND, "mcp", *map(str, options)],
        env={"PYTHONPATH": source, "NO_PROXY": "127.0.0.1", "PATH": os.environ["PATH"]},
    )
    async with Client(server) as client:
        yield client


def in_session(work: Callable[[Client], Awaitable[None]], *options: object) -> None:
    """Run the work of a client in a session with the server."""

    async def whole() -> None:
        with anyio.fail_after(300):
            async with opened(*options) as client:
                await work(client)

    anyio.run(whole)


async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the typed answer of a tool that succeeds."""
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content
    return dict(found.structured_content or {})


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """Return the message of a tool that is refused, one line without a traceback."""
    found = await client.call_tool(tool, arguments)
    assert found.is_error
    (text,) = found.content
    message = str(getattr(text, "text", ""))
    assert message and "Traceback" not in message and "\n" not in message
    return message


@pytest.fixture(scope="session")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with ``input`` and the ``results`` of one trait."""
    folder = tmp_path_factory.mktemp("served")
    study = simulate_study(folder / "input", seed=3, genes=1000, overwrite=True)
    trait = study.truth.trait
    preprocess(study.folder, folder / "results", traits=[trait])
    output = OutputFolder(folder / "results")
    for condition in (None, "Age"):
        solve_problems(output, [Problem(trait, condition)], AnalysisOptions(panel=False))
    write_report(output, trait, None)
    return folder
