"""What is declared once and repeated where tools look for it."""

from __future__ import annotations

import re
import tomllib
from email.message import Message
from pathlib import Path

import pytest
from benchmarks.maintenance.list_licences import FOR_DEVELOPERS

import genotex
from genotex.reports.problem import software

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITED = dict(re.findall(r'^(\w[\w-]*): "?(.*?)"?$', (ROOT / "CITATION.cff").read_text(), re.M))


def test_citation_file_and_reports_cite_the_project_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    about = Message()
    about["Summary"], about["Version"] = PROJECT["description"], genotex.__version__
    about["Author"] = PROJECT["authors"][0]["name"]
    for label, url in PROJECT["urls"].items():
        about["Project-URL"] = f"{label}, {url}"
    monkeypatch.setattr(software, "metadata", lambda _: about)
    authors = re.findall(r'^  - name: "(.*)"$', (ROOT / "CITATION.cff").read_text(), re.M)
    assert software.citation("") == (
        f"{CITED['title']}. {', '.join(authors)}. "
        f"Version {CITED['version']} [computer software]. {CITED['url']}."
    )
    assert CITED["license"] == PROJECT["license"]


def test_the_conda_recipe_has_version_and_dependencies_of_the_project() -> None:
    recipe = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    assert f'version: "{genotex.__version__}"' in recipe
    other = {"isal": "python-isal"}
    wanted = [f"python {PROJECT['requires-python']}"]
    for dependency in PROJECT["dependencies"]:
        name, bound = re.fullmatch(r"([a-z0-9-]+)(.*)", dependency).groups()
        wanted.append(f"{other.get(name, name)} {bound}")
    run = recipe.partition("  run:\n")[2].partition("tests:\n")[0]
    assert [line.strip().removeprefix("- ") for line in run.splitlines()] == wanted


def test_links_of_the_readme_are_few_and_relative_and_lead_to_files() -> None:
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert 0 < len(links) < 10
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_every_dependency_is_on_the_page_of_licences() -> None:
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    extras = PROJECT["optional-dependencies"]
    parts = {"always": PROJECT["dependencies"]}
    parts |= {name: extras[name] for name in extras if name not in FOR_DEVELOPERS}
    wanted = {
        (re.match(r"[a-z0-9-]+", each)[0], part)
        for part, each_of in parts.items()
        for each in each_of
    }
    listed = {
        (name, part)
        for name, where in re.findall(r"^\| ([a-z0-9-]+) \| ([a-z0-9, ]+) \|", page, re.M)
        for part in where.split(", ")
    }
    assert listed - {("package", "needed by")} == {each for each in wanted if each[0] != "genotex"}


def test_workflows_may_only_read_unless_a_job_states_more() -> None:
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        assert "\npermissions:\n  contents: read\n" in path.read_text(encoding="utf-8"), path


def test_workflows_use_one_version_of_each_action() -> None:
    places = [ROOT / ".github", ROOT / "examples" / "agent-template" / ".github"]
    texts = [path.read_text(encoding="utf-8") for place in places for path in place.rglob("*.yml")]
    used = {tuple(u.split("@")) for text in texts for u in re.findall(r"uses: (\S+@\S+)", text)}
    assert len(used) > 5 and len({name for name, _ in used}) == len(used)
