"""Build wheel and source archive twice, check that the bytes are the same, and check them.

    python -m benchmarks check_wheel DIST

Needs build and twine. Files are dated by SOURCE_DATE_EPOCH; without it, by the last commit.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Build, compare, check, and copy the files to the folder that was named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dist", type=Path)
    place = parser.parse_args().dist
    environment = dict(os.environ)
    if "SOURCE_DATE_EPOCH" not in environment:
        asked = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
        done = subprocess.run(asked, check=True, capture_output=True, text=True)
        environment["SOURCE_DATE_EPOCH"] = done.stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        first, second = (build(Path(folder, name), environment) for name in ("1", "2"))
        if first != second:
            sys.exit(f"two builds differ: {first} {second}")
        files = sorted(Path(folder, "1").iterdir())
        subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *files], check=True)
        place.mkdir(parents=True, exist_ok=True)
        for path in files:
            shutil.copy2(path, place / path.name)
            print(first[path.name], path.name)


def build(folder: Path, environment: dict[str, str]) -> dict[str, str]:
    """Build into a folder; return the SHA-256 of each file."""
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
