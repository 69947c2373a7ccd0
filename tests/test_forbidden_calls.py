"""No file of the package evaluates text or loads objects, but for listed exceptions."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

import genotex

SOURCE = Path(genotex.__file__).parent
_BUILT_IN = {"eval", "exec", "compile", "__import__", "execfile", "input"}
_METHODS = {"eval", "query", "exec", "system", "popen", "read_pickle", "literal_eval"}
_LOADERS = {"load", "loads", "Unpickler", "Loader", "full_load", "unsafe_load"}
_OBJECTS = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml"}
_KEYWORDS = {"shell", "allow_pickle"}

EXCEPTIONS = {
    ("agents/team/sessions.py", "pickle.loads"): "what was pickled in the same line",
    ("analysis/shared_work.py", "pickle.loads"): (
        "results of this command, in memory or in a folder that it made, only it may read, and it "
        "removes"
    ),
    ("bench/runs/fork_server.py", "pickle.loads"): (
        "tasks on the standard input, which the process that started this one writes"
    ),
    ("cluster/executor.py", "pickle.loads"): "replies of this command's own workers through Dask",
    ("cluster/task_process.py", "pickle.loads"): (
        "work that this command sends to its own workers through Dask"
    ),
    ("studies/apart.py", "pickle.loads"): (
        "results of a child of this process, in a folder that only this user may read"
    ),
    ("genes/table.py", "marshal.loads"): "what a child of this process writes into a pipe",
    ("analysis/results/method_record.py", "platform.system"): "the name of the operating system",
    ("bench/adapters/inspect/tasks.py", "sandbox.exec"): "runs a command in Inspect's sandbox",
    ("bench/adapters/inspect/solvers.py", "box.exec"): "runs a command in Inspect's sandbox",
    ("analysis/designs/formulas.py", "formulaic.Formula"): (
        "a list of terms whose factors are looked up by name; a text is never parsed"
    ),
}
"""File and call -> why it is safe."""


def forbidden_calls(source: str) -> Iterator[str]:
    """Yield what a file calls that could run what it is given."""
    tree = ast.parse(source)
    from_library = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "formulaic"
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in _OBJECTS:
            yield f"from {node.module} import"
        if not isinstance(node, ast.Call):
            continue
        called, owner = node.func, ""
        name = ""
        if isinstance(called, ast.Name):
            name = called.id
            if name in _BUILT_IN:
                yield name
            if name in ("Formula", "model_matrix") and name in from_library:
                yield f"formulaic.{name}"
        elif isinstance(called, ast.Attribute):
            name = called.attr
            owner = ast.unparse(called.value).split(".")[-1]
            if name in _METHODS or (owner in _OBJECTS and name in _LOADERS):
                yield f"{owner}.{name}"
        for keyword in node.keywords:
            off = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
            if keyword.arg in _KEYWORDS and not off:
                yield f"{name}({keyword.arg}=)"


@functools.cache
def found() -> set[tuple[str, str]]:
    return {
        (path.relative_to(SOURCE).as_posix(), call)
        for path in sorted(SOURCE.rglob("*.py"))
        for call in forbidden_calls(path.read_text(encoding="utf-8"))
    }


@pytest.mark.everyday
def test_nothing_is_evaluated_or_unpickled_but_for_exceptions_with_a_reason() -> None:
    assert sorted(found() - EXCEPTIONS.keys()) == []


@pytest.mark.everyday
def test_each_exception_is_still_needed() -> None:
    assert sorted(EXCEPTIONS.keys() - found()) == []


@pytest.mark.parametrize(
    "source",
    [
        "eval(text)",
        "exec(text, {})",
        "compile(text, '', 'eval')",
        "frame.eval(text)",
        "frame.query(text)",
        "pickle.loads(content)",
        "from pickle import loads",
        "yaml.load(text)",
        "yaml.unsafe_load(text)",
        "joblib.load(path)",
        "pandas.read_pickle(path)",
        "numpy.load(path, allow_pickle=True)",
        "numpy.load(path, allow_pickle=chosen)",
        "subprocess.run(line, shell=True)",
        "os.system(line)",
        "from formulaic import Formula\nFormula(text)",
        "from formulaic import model_matrix as model_matrix\nmodel_matrix(text, frame)",
    ],
)
def test_the_rule_finds(source: str) -> None:
    assert list(forbidden_calls(source))


@pytest.mark.parametrize("source", ["re.compile(text)", "numpy.load(path, allow_pickle=False)"])
def test_the_rule_allows(source: str) -> None:
    assert not list(forbidden_calls(source))
