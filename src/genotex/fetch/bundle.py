"""The published benchmark: where to get it, its layout, and what a folder lacks of it.

Layout and sizes as in the README and the datasheet of the GenoTEX benchmark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from genotex.errors import GenotexError
from genotex.formats import read_json_object
from genotex.layout import InputFolder, OutputFolder
from genotex.problems import TaskInfo

_MOST_NAMED = 3
"""Number of missing things that are named."""

HOW_TO_FETCH = """\
The sites of the benchmark require a person, so fetch it with a browser (82.0 GB; 41.5 GB
of it are the input data), from one of:

  data alone     Google Drive  https://drive.google.com/drive/folders/1ZQ8AflAecW61SrNclaMby-6x9GLCpJoW
                 Baidu         https://pan.baidu.com/s/1mKfBRiBNY0GUK6LRLnn7UA?pwd=1234
  data and code  Hugging Face  https://huggingface.co/datasets/Liu-Hy/GenoTEX
                 Kaggle        https://www.kaggle.com/datasets/haoyangliu14/genotex-llm-agent-benchmark-for-genomic-analysis

and put the folders so:

  DIR/input/GEO/<Trait>/<GSE>/      series matrices and family SOFT files
  DIR/input/TCGA/<TCGA_..._(CODE)>/ clinical matrices and HiSeqV2_PANCAN
  DIR/output/preprocess/<Trait>/    the reference: tables and cohort_info.json
  DIR/output/regress/<Trait>/       the reference: significant genes
  DIR/metadata/                     task_info.json, gene_synonym.json

Kaggle unpacks all .gz files, and packed again they have other checksums: prefer one of the others.
The same command then checks what is there; the input data can also be fetched again from their
sources with 'genotex fetch geo' and 'genotex fetch tcga'."""


@dataclass(frozen=True)
class Part:
    """A part of the benchmark's folder."""

    place: str  # relative to the folder
    complete: bool  # as far as the layout shows
    detail: str  # what is there, or what is missing


def check_layout(folder: Path) -> tuple[Part, ...]:
    """Look for every part of the benchmark's folder, and count what is in it."""
    # What a trait or a problem is comes from ``metadata/task_info.json``; without it only the
    # folders are checked. The files are compared with manifests by `verify_folder`.
    tasks, about_tasks = _task_info(folder)
    traits = () if tasks is None else tuple(tasks.traits)
    parts: dict[str, Callable[[Path], tuple[bool, str]]] = {
        "input/GEO": partial(_geo, traits),
        "input/TCGA": _tcga,
        "output/preprocess": partial(_preprocess, traits),
        "output/regress": partial(_regress, tasks),
    }
    found = [
        Part(place, *look(folder)) if (folder / place).is_dir() else Part(place, False, "missing")
        for place, look in parts.items()
    ]
    return (*found, about_tasks, _synonyms(folder))


def _task_info(folder: Path) -> tuple[TaskInfo | None, Part]:
    place = "metadata/task_info.json"
    try:
        tasks = TaskInfo.load(folder / place)
    except GenotexError as error:
        return None, _unread(folder, place, error)
    detail = f"{len(tasks.traits):,} traits, {len(tasks.problems()):,} problems"
    return tasks, Part(place, True, detail)


def _synonyms(folder: Path) -> Part:
    place = "metadata/gene_synonym.json"
    try:
        names = read_json_object(folder / place)
    except GenotexError as error:
        return _unread(folder, place, error)
    return Part(place, True, f"{len(names):,} gene names")


def _unread(folder: Path, place: str, error: GenotexError) -> Part:
    there = (folder / place).is_file()
    return Part(place, False, str(error) if there else "missing")


def _geo(traits: Sequence[str], folder: Path) -> tuple[bool, str]:
    source = InputFolder(folder / "input")
    series = sum(len(source.geo_cohorts(trait)) for trait in source.traits())
    # Each of the benchmark's traits has series there, according to its geo_manifest.json.
    without = sorted(set(traits) - set(source.traits()))
    detail = f"{series:,} series of {len(source.traits()):,} traits"
    return series > 0 and not without, detail + _named("; none of", without)


def _tcga(folder: Path) -> tuple[bool, str]:
    cohorts = InputFolder(folder / "input").tcga_folders()
    broken = [
        files.name
        for files in cohorts
        if files.clinical is None or (files.expression or files.expression_pancan) is None
    ]
    detail = f"{len(cohorts):,} cohorts" + _named("; not both files:", broken)
    return bool(cohorts) and not broken, detail


def _preprocess(traits: Sequence[str], folder: Path) -> tuple[bool, str]:
    output = OutputFolder(folder / "output")
    there = [trait for trait in output.traits() if output.cohort_info(trait).is_file()]
    without = sorted(set(traits) - set(there))
    detail = f"{len(there):,} traits" + _named("; no cohort_info.json of", without)
    return bool(there) and not without, detail


def _regress(tasks: TaskInfo | None, folder: Path) -> tuple[bool, str]:
    output = OutputFolder(folder / "output")
    if tasks is None:
        answers = (folder / "output/regress").glob("*/significant_genes_condition_*.json")
        there = len(list(answers))
        return there > 0, f"{there:,} answers"
    problems = tasks.problems()
    without = [p for p in problems if not output.significant_genes(p.trait, p.condition).is_file()]
    detail = f"{len(problems) - len(without):,} of {len(problems):,} answers"
    names = [f"{p.trait} given {p.condition}" for p in without]
    return not without, detail + _named("; missing:", names)


def _named(front: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return f"{front} {', '.join(names[:_MOST_NAMED])}{more}"
