"""The files of a task folder of Harbor, as texts."""

from __future__ import annotations

import json
from collections.abc import Mapping

import genotex
from genotex.bench.adapters.assignments import Assignment

_SCHEMA_VERSION = "1.0"

_DOCKERFILE = """\
FROM python:3.12-slim
{install}
COPY app /app
WORKDIR /app
"""

TEST = """\
#!/bin/sh
# Scores the agent's output folder and writes the reward file.
tests=$(cd "$(dirname "$0")" && pwd)
logs=${VERIFIER_LOGS:-/logs/verifier}
mkdir -p "$logs"
exec python3 -m genotex.bench.adapters.harbor.reward \\
    "${APP:-/app}/output" "$tests/reference" "$logs/reward.json"
"""

SOLVE = """\
#!/bin/sh
# The oracle: the built-in rules.
set -e
solution=$(cd "$(dirname "$0")" && pwd)
cd "${APP:-/app}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m genotex bench run input "$work/run" --task-info task_info.json \\
    --problems "$solution/problems.json"
if [ -d "$work/run/regress" ]; then cp -R "$work/run/regress" output/; fi
"""

_TOML = """\
schema_version = {schema_version}

[task]
name = {name}
description = {description}
keywords = ["bioinformatics", "gene expression", "GenoTEX"]

[metadata]
benchmark = "GenoTEX"
trait = {trait}
condition = {condition}
kind = {kind}
genotex_version = {version}

[verifier]
timeout_sec = 600.0

[agent]
timeout_sec = 3600.0

[environment]
build_timeout_sec = 1200.0
cpus = 2
memory_mb = 8192
"""


def task_toml(assignment: Assignment, slug: str) -> str:
    """Return the configuration of a task."""
    problem = assignment.problem
    values: Mapping[str, str] = {
        "schema_version": _SCHEMA_VERSION,
        "name": f"genotex/{slug}",
        "description": f"Genes associated with {problem}, from raw data",
        "trait": problem.trait,
        "condition": problem.condition or "",
        "kind": problem.kind.value,
        "version": genotex.__version__,
    }
    # A string of JSON is one of TOML.
    return _TOML.format(**{name: json.dumps(value) for name, value in values.items()})


def instruction_md(assignment: Assignment) -> str:
    """Return the instruction of a task."""
    return f"{assignment.instruction}\nThe working folder is `/app`.\n"


def dockerfile(requirement: str, wheel: str | None) -> str:
    """Return the Dockerfile, which installs genotex from an index or from a wheel next to it."""
    if wheel is None:
        install = f"RUN pip install --no-cache-dir {json.dumps(requirement)}"
    else:
        install = f"COPY {wheel} /tmp/\nRUN pip install --no-cache-dir /tmp/{wheel}"
    return _DOCKERFILE.format(install=install)


def problems_json(assignment: Assignment) -> str:
    """Return the list of the one problem, for `genotex bench run`."""
    problem = assignment.problem
    return json.dumps([{"trait": problem.trait, "condition": problem.condition}]) + "\n"
