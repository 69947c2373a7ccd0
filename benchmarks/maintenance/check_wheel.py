"""Build wheel and source archive twice, check that the bytes are the same, and check them.

    python -m benchmarks check_wheel DIST [--install SBOM.json]

Needs build and twine. Files are dated by SOURCE_DATE_EPOCH; without it, by the last commit.
--install puts the wheel into an environment of its own, weighs it, writes the bill of materials
(CycloneDX: its packages with version and licence; needs cyclonedx-bom) and runs `genotex demo`
there without a network (Linux: in a network namespace of its own).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from benchmarks.measuring import size_of

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Build, compare, check, and copy the files to the folder that was named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dist", type=Path)
    parser.add_argument(
        "--install", type=Path, metavar="SBOM.json", help="install the wheel and try it"
    )
    chosen = parser.parse_args()
    place = chosen.dist
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
            print(first[path.name], path.name, f"{path.stat().st_size / 1e6:.1f} MB")
        if chosen.install:
            install(next(place.glob("*.whl")), chosen.install, Path(folder))


def install(wheel: Path, bill: Path, folder: Path) -> None:
    """Install a wheel in an environment of its own, weigh it, list what it holds, and run it."""
    environment = folder / "environment"
    venv.create(environment, with_pip=True)
    python, without = environment / "bin/python", {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    before = size_of(environment)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-compile", wheel], check=True)
    print(f"installed: {(size_of(environment) - before) / 1e6:.0f} MB")
    asked = [sys.executable, "-m", "cyclonedx_py", "environment", python, "--output-reproducible",
             "-o", bill]  # fmt: skip
    subprocess.run(asked, check=True)
    offline = ["unshare", "--map-root-user", "--net"] if shutil.which("unshare") else []
    demo = [*offline, environment / "bin/genotex", "demo", folder / "demo"]
    done = subprocess.run(demo, check=True, env=without, capture_output=True, text=True)
    print(next(line for line in done.stdout.splitlines() if "planted" in line))


def build(folder: Path, environment: dict[str, str]) -> dict[str, str]:
    """Build into a folder; return the SHA-256 of each file."""
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
