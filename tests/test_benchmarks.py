"""Every benchmark can be started, is named where its figures are, and is named as it is."""

import importlib
import re
from pathlib import Path

import pytest
from benchmarks.__main__ import benchmarks, listing, main
from benchmarks.maintenance import mutants

ROOT = Path(__file__).parents[1]
PLACES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "tests", "src", ".github")
TEXTS = {".md", ".py", ".toml", ".txt", ".yml"}


@pytest.fixture(scope="module")
def pages() -> str:
    files = [
        path
        for place in PLACES
        for path in ([ROOT / place] if (ROOT / place).is_file() else (ROOT / place).rglob("*"))
        if path.suffix in TEXTS
    ]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


MODULES = [name for name, path in benchmarks().items() if path.suffix == ".py"]
R_SCRIPTS = [name for name in benchmarks() if name not in MODULES]


@pytest.mark.parametrize("name", R_SCRIPTS)
def test_r_script_says_how_it_is_run(name, capsys):
    assert main([name, "--help"]) is None
    assert f"python -m benchmarks {name} " in capsys.readouterr().out


def test_r_script_needs_r(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert main(["golden_limma", "folder"]) == "Rscript is not installed"


@pytest.mark.parametrize("name", MODULES)
def test_benchmark_says_how_it_is_run(name, capsys):
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert f"usage: python -m benchmarks {name} " in capsys.readouterr().out
    folder = benchmarks()[name].parent.name
    module = importlib.import_module(f"benchmarks.{folder}.{name}")
    assert f"python -m benchmarks {name}" in module.__doc__


@pytest.mark.parametrize("name", benchmarks())
def test_a_page_or_a_test_uses_the_benchmark(name, pages):
    path = benchmarks()[name].relative_to(ROOT).as_posix()
    assert f"python -m benchmarks {name}" in pages or path in pages


def test_commands_in_pages_name_benchmarks(pages):
    named = set(re.findall(r"python -m benchmarks ([a-z_]+)", pages))
    assert named <= set(benchmarks())
    for path in set(re.findall(r"\bbenchmarks/[a-z_/]+\.(?:py|R)\b", pages)):
        assert (ROOT / path).is_file(), path


def test_no_two_benchmarks_share_a_name():
    stems = [p.stem for p in (ROOT / "benchmarks").glob("*/*.*") if p.suffix in (".py", ".R")]
    names = [stem for stem in stems if stem != "__init__"]
    assert len(names) == len(set(names))


def test_list_has_a_line_for_each_benchmark():
    shown = {line.split()[0] for line in listing().splitlines() if line.startswith("  ")}
    assert shown == set(benchmarks())


def test_unknown_benchmark_is_refused():
    assert main(["speed_of_light"]) == (
        "there is no benchmark 'speed_of_light': `python -m benchmarks` lists them"
    )


def test_mutants_are_counted_by_what_the_tests_did():
    listed = """
    genotex.a.x__mutmut_1: killed
    genotex.a.x__mutmut_2: survived
    genotex.a.x__mutmut_3: timeout
    genotex.b.x__mutmut_1: no tests
    """
    assert mutants.summary(listed) == (
        "2 of 3 planted bugs caught; 1 in code without tests\n  survived: genotex.a.x__mutmut_2"
    )
    assert mutants.tests_of(Path("src/genotex/analysis/meta/methods.py")) == Path(
        "tests/analysis/meta"
    )
    assert mutants.tests_of(Path("src/genotex/errors.py")) == Path("tests")
