"""What the team makes of the answers of ordinary models: calls, tokens and outcome of each style.

    python -m benchmarks ordinary_models INPUT TRAIT [--styles a,b] [--json FILE] [--before FILE]

The models are services of this machine that know what the built-in rules know, and write it down
as ordinary models do (see tests/agents/ordinary). A run prepares every cohort of the trait and
solves its problem without a condition; it is right if all tables are byte by byte those of the
rules. Tokens are a quarter of the characters of all messages. --json keeps the figures of each
style, and takes those that it has; with --before those of an earlier run are shown next to these.
Ends with 1 if a style does not end right.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.agents.ordinary.runs import workplace
from tests.agents.ordinary.styles import STYLES

RIGHT = "right"


def measure(
    source: Path, trait: str, names: Sequence[str], kept: Path | None
) -> dict[str, dict[str, Any]]:
    """Run each style once; those that a file holds already are taken from it."""
    found = json.loads(kept.read_text()) if kept is not None and kept.is_file() else {}
    with tempfile.TemporaryDirectory() as folder, workplace(source, trait, Path(folder)) as place:
        for style in STYLES:
            if style.name in found or (names and style.name not in names):
                continue
            found[style.name] = place.run(style).to_json()
            print(style.name, found[style.name]["outcome"], file=sys.stderr, flush=True)
            if kept is not None:
                kept.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


def styles_table(
    after: Mapping[str, Mapping[str, Any]], before: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Return a row for each style: what it writes, and what came of it."""
    lines = ["| style | what it writes | before | after |", "|---|---|---|---|"]
    for style in STYLES:
        if style.name in after:
            cells = [_cell(each.get(style.name)) for each in (before, after)]
            lines.append(f"| {style.name} | {style.what} | {' | '.join(cells)} |")
    return lines


def _cell(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "-"
    tokens = f"{found['input_tokens'] / 1000:.1f}k + {found['output_tokens'] / 1000:.1f}k"
    return f"{found['outcome']}; {found['calls']} calls, {tokens}"


def roles_table(after: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    """Return a row for each role: size of its prompts, and all its input."""
    lines = ["| role | calls | tokens of a prompt | all input |", "|---|---|---|---|"]
    for role, found in after["roles"].items():
        old = before.get("roles", {}).get(role)
        cells = [
            " → ".join(form(each) for each in (old, found) if each)
            for form in (
                lambda r: f"{r['calls']}",
                lambda r: f"{r['least']:,} to {r['most']:,}",
                lambda r: f"{r['all']:,}",
            )
        ]
        lines.append(f"| {role} | {' | '.join(cells)} |")
    totals = [f"{each['input_tokens']:,}" for each in (before, after) if each]
    calls = [str(each["calls"]) for each in (before, after) if each]
    lines.append(f"| whole run | {' → '.join(calls)} | | {' → '.join(totals)} |")
    return lines


def main() -> None:
    """Measure, and print both tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("trait")
    parser.add_argument("--styles", default="")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--before", type=Path)
    options = parser.parse_args()
    names = [name for name in options.styles.split(",") if name]
    found = measure(options.source, options.trait, names, options.json)
    before = json.loads(options.before.read_text()) if options.before else {}
    print("\n".join(styles_table(found, before)))
    if "prose" in found:
        print("\n" + "\n".join(roles_table(found["prose"], before.get("prose", {}))))
    sys.exit(any(each["outcome"] != RIGHT for each in found.values()))
