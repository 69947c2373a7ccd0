"""Every claim on the security pages names tests, and these exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.agents.team.misbehaving.all_cases import CASES

ROOT = Path(__file__).parents[1]
SECURITY = ROOT / "SECURITY.md"
SANDBOX = ROOT / "docs" / "sandbox.md"
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)(?:::(\w+))?(?:\[([^`]+)\])?`")
_ROW = re.compile(r"^\|(?!-)(.+)\|$", re.M)


@cache
def names_in(path: Path) -> dict[str, set[str]]:
    """Return what a file of tests defines: functions and classes, and the tests of each class."""
    found: dict[str, set[str]] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = set()
        elif isinstance(node, ast.ClassDef):
            found[node.name] = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
    return found


def bases_of_tests(path: Path) -> set[str]:
    """Return the classes whose tests a file runs."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tests = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name.startswith("Test"))
    return {base.id for node in tests for base in node.bases if isinstance(base, ast.Name)}


def rows(text: str, section: str) -> list[str]:
    """Return the rows of the table in a section, without its head."""
    part = text.partition(f"## {section}\n")[2].partition("\n## ")[0]
    return _ROW.findall(part)[1:]


CLAIMS = [claim.groups() for claim in _NAMED.finditer(SECURITY.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("file", "name", "method", "case"), CLAIMS)
def test_test_named_in_security_exists(file: str, name: str, method: str, case: str) -> None:
    found = names_in(ROOT / file)
    assert name in found
    assert method is None or method in found[name]
    assert case is None or case in {each.name for each in CASES}


def test_every_claim_in_security_names_a_test() -> None:
    text = SECURITY.read_text(encoding="utf-8")
    sections = re.findall(r"^## (What .+ can and cannot do)$", text, re.M)
    assert len(sections) >= 5
    for section in sections:
        for row in rows(text, section):
            assert _NAMED.search(row), row


def test_every_claim_of_the_sandbox_page_names_tests_that_exist_and_are_run() -> None:
    folder = ROOT / "tests" / "agents" / "sandbox"
    files = sorted(folder.glob("*.py"))
    classes = {name: tests for path in files for name, tests in names_in(path).items()}
    methods = {test for tests in classes.values() for test in tests}
    text = SANDBOX.read_text(encoding="utf-8")
    claims = rows(text, "What code may try, and what shows that it does not work")
    assert len(claims) > 15
    for claim in claims:
        named = re.findall(r"`([\w.]+)`", claim.rpartition("|")[2])
        assert named, claim
        for name in named:
            begin = name.removesuffix("...")
            known = name in classes or name in methods or (folder / name).is_file()
            assert known or (begin != name and any(test.startswith(begin) for test in methods)), (
                f"{name} of {claim}"
            )


def test_every_part_of_the_conformance_suite_is_run() -> None:
    folder = ROOT / "tests" / "agents" / "sandbox"
    parts = {
        name
        for path in folder.glob("conformance_*.py")
        for name, tests in names_in(path).items()
        if any(test.startswith("test_") for test in tests)
    }
    run = {base for path in folder.glob("test_*.py") for base in bases_of_tests(path)}
    assert parts and parts <= run
