"""Write the transcript of a session with `genotex mcp` into docs/mcp.md.

    python -m benchmarks mcp_session

Needs ``genotex[mcp]``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import genotex
from genotex.simulate import simulate_study

PAGE = Path(__file__).parents[2] / "docs" / "mcp.md"
PART = re.compile(r"(<!-- transcript -->\n).*?(<!-- end of transcript -->)", re.DOTALL)
TRAIT, SERIES = "Simulated_Arthritis", "GSE90000001"
MOST_LINES = 34


def main() -> None:
    """Simulate a study, hold the session, and replace the transcript in the page."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        simulate_study(Path(folder, "input"), seed=3, overwrite=True)
        text = anyio.run(session, Path(folder))
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(PART.sub(lambda found: found[1] + text + found[2], page), encoding="utf-8")


async def session(folder: Path) -> str:
    """Return what was asked and answered."""
    source = str(Path(genotex.__file__).parents[1])
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", "from genotex.cli import main; main()", "mcp", "--root", str(folder)],
        env={"PYTHONPATH": source, "PATH": os.environ["PATH"]},
    )
    parts: list[str] = []
    wanted = {"input": "input", "trait": TRAIT, "series": [SERIES]}
    async with Client(server) as client:
        await ask(client, parts, "solve", wanted)
    server.args.append("--write")
    async with Client(server) as client:
        await ask(client, parts, "list", {})
        annotated = wanted | {"series": SERIES, "first_samples": 1}
        await ask(client, parts, "annotate", annotated)
        solved = await ask(client, parts, "solve", wanted)
        by_age = await ask(client, parts, "solve", wanted | {"condition": "Age"})
        await ask(client, parts, "gene", {"gene": solved["first_genes"][0]["gene"]})
        names = [each["analysis"]["analysis"] for each in (solved, by_age)]
        asked = {"first": names[0], "second": names[1], "first_genes": 1}
        await ask(client, parts, "compare", asked)
    return "\n".join(parts)


async def ask(client: Client, parts: list[str], tool: str, asked: dict[str, Any]) -> dict[str, Any]:
    """Call a tool, and add call, progress and answer to the transcript."""
    steps: list[str] = []

    async def shown(done: float, total: float | None, message: str | None) -> None:
        steps.append(f"progress {done:g}: {message}")

    found = await client.call_tool(tool, asked, progress_callback=shown)
    answer = dict(found.structured_content or {})
    text = json.dumps(answer, indent=1) if answer else getattr(found.content[0], "text", "")
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"... ({len(lines) - MOST_LINES} more lines)"]
    called = f"> {tool} {json.dumps(asked)}"
    parts.append("\n".join(["```", called, *steps, *lines, "```", ""]))
    return answer
