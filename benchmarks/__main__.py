"""Run a benchmark, or list them: ``python -m benchmarks [NAME [options]]``."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def benchmarks() -> dict[str, Path]:
    """Return the files of all benchmarks, the modules with a function ``main``, by name."""
    files = {path.stem: path for path in sorted(HERE.glob("*/*.py"))}
    return {
        name: path
        for name, path in files.items()
        if any(
            isinstance(part, ast.FunctionDef) and part.name == "main"
            for part in ast.parse(path.read_text(encoding="utf-8")).body
        )
    }


def summary(path: Path) -> str:
    """Return the first line of the docstring of a file, without running it."""
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


def main(arguments: list[str]) -> str | None:
    """Run the benchmark that is named; return what is wrong with the name."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(listing())
        return None
    name, *options = arguments
    found = benchmarks()
    if name not in found:
        return f"there is no benchmark {name!r}: `python -m benchmarks` lists them"
    sys.argv = [f"python -m benchmarks {name}", *options]
    importlib.import_module(f"benchmarks.{found[name].parent.name}.{name}").main()
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
