"""Plant small bugs in changed files, one at a time, and count those that the tests catch.

    python -m benchmarks mutants [FILE ...] [--base REV] [--tests PLACE ...] [--jobs 2]

Works on a copy of the working tree, with mutmut. FILE defaults to the modules of src/genotex that
changed since REV, uncommitted changes included (default: the last commit, or the one before where
nothing is uncommitted); the tests default to the folder of tests of each module's package. Prints
the share caught, and the mutants that survived.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SETTINGS = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {files}
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["-n", "0", "-x", "-p", "no:randomly", "-m", "not nightly"]
also_copy = ["benchmarks", "docs", "examples", "README.md", "SECURITY.md", "Makefile"]
process_isolation = "forkserver"
forkserver_warmup = "none"
timeout_constant = 30.0
"""
# Polars has threads, which do not survive the fork that mutmut uses by default: each mutant would
# hang. A fork server that has imported nothing is slower and right.


def main() -> None:
    """Run the mutants and print what survived."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*")
    parser.add_argument("--base")
    parser.add_argument("--tests", nargs="+")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    files = arguments.files or changed(arguments.base or "HEAD")
    if not files and arguments.base is None:
        files = changed("HEAD~1")
    tests = arguments.tests or sorted({str(tests_of(Path(file))) for file in files})
    if not files:
        sys.exit(f"no module has changed since {arguments.base or 'HEAD~1'}")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        copy_tree(copy)
        settings = SETTINGS.format(files=json.dumps(files), tests=json.dumps(tests))
        with (copy / "pyproject.toml").open("a", encoding="utf-8") as handle:
            handle.write(settings)
        mutmut = [sys.executable, "-m", "mutmut"]
        with (copy / "mutmut.log").open("wb") as log:
            run = [*mutmut, "run", "--max-children", str(arguments.jobs)]
            done = subprocess.run(run, cwd=copy, stdout=log, stderr=subprocess.STDOUT)
        shown = [*mutmut, "results", "--all", "true"]
        listed = subprocess.run(shown, cwd=copy, capture_output=True, text=True).stdout
        print(summary(listed))
        if done.returncode:
            print((copy / "mutmut.log").read_text(encoding="utf-8", errors="replace")[-2000:])


def changed(base: str) -> list[str]:
    """Return the modules of the working tree that are new or differ from a revision."""
    modules = ("--", "src/genotex/*.py")
    differ = git("diff", "--name-only", "--diff-filter=d", base, *modules)
    new = git("ls-files", "--others", "--exclude-standard", *modules)
    return [name for name in [*differ, *new] if not name.endswith("__init__.py")]


def git(*words: str) -> list[str]:
    """Return the lines that git prints."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def copy_tree(target: Path) -> None:
    """Copy the working tree, without what git ignores."""
    for name in git("ls-files", "--cached", "--others", "--exclude-standard"):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def tests_of(module: Path) -> Path:
    """Return the nearest folder of tests for a module."""
    place = Path("tests", *module.parts[2:-1])
    while not (ROOT / place).is_dir():
        place = place.parent
    return place


def summary(listed: str) -> str:
    """Return the share caught and the survivors from mutmut's list (``name: state``)."""
    states = dict(line.strip().rsplit(": ", 1) for line in listed.splitlines() if ": " in line)
    tried = {
        name: state
        for name, state in states.items()
        if state not in ("no tests", "skipped", "not checked")
    }
    caught = sum(state in ("killed", "timeout", "suspicious") for state in tried.values())
    untested = sum(state == "no tests" for state in states.values())
    lines = [f"{caught} of {len(tried)} planted bugs caught; {untested} in code without tests"]
    lines += [f"  {state}: {name}" for name, state in tried.items() if state == "survived"]
    return "\n".join(lines)
