"""Run a benchmark, or list them: ``python -m benchmarks [NAME [options]]``."""

from __future__ import annotations

import ast
import importlib
import itertools
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def benchmarks() -> dict[str, Path]:
    """Return the files of all benchmarks, R scripts and modules with ``main``, by name."""
    files = {path.stem: path for path in sorted(HERE.glob("*/*.*")) if path.suffix in (".py", ".R")}
    return {
        name: path
        for name, path in files.items()
        if path.suffix == ".R"
        or any(
            isinstance(part, ast.FunctionDef) and part.name == "main"
            for part in ast.parse(path.read_text(encoding="utf-8")).body
        )
    }


def summary(path: Path) -> str:
    """Return the first line of the docstring of a file, or of an R script, without running it."""
    if path.suffix == ".R":
        return path.read_text(encoding="utf-8").partition("\n")[0].strip("# ")
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    return (docstring or "").partition("\n")[0]


def listing() -> str:
    """Return a line for each benchmark, by folder."""
    found = benchmarks()
    width = max(map(len, found))
    lines = ["python -m benchmarks NAME [options]; NAME --help describes one"]
    for folder in dict.fromkeys(path.parent for path in found.values()):
        lines += ["", summary(folder / "__init__.py")]
        lines += [
            f"  {name:{width}}  {summary(path)}"
            for name, path in found.items()
            if path.parent == folder
        ]
    return "\n".join(lines)


def _run_r(script: Path, options: list[str]) -> str | None:
    """Run an R script; ``--help`` prints the comment at its top."""
    if options in (["-h"], ["--help"]):
        text = script.read_text(encoding="utf-8").splitlines()
        for line in itertools.takewhile(lambda line: line.startswith("#"), text):
            print(line.removeprefix("#").removeprefix(" "))
        return None
    if shutil.which("Rscript") is None:
        return "Rscript is not installed"
    done = subprocess.run(["Rscript", str(script), *options], check=False)
    return None if done.returncode == 0 else f"{script.name} ended with {done.returncode}"


def main(arguments: list[str]) -> str | None:
    """Run the benchmark that is named; return what is wrong with the name."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(listing())
        return None
    name, *options = arguments
    found = benchmarks()
    if name not in found:
        return f"there is no benchmark {name!r}: `python -m benchmarks` lists them"
    if found[name].suffix == ".R":
        return _run_r(found[name], options)
    sys.argv = [f"python -m benchmarks {name}", *options]
    importlib.import_module(f"benchmarks.{found[name].parent.name}.{name}").main()
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
