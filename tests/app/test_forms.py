"""The forms of the workbench have every declared option, and what is posted reaches the job."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from genotex.app import Access
from genotex.app.forms import OptionForm
from genotex.errors import FormatError, UsageError
from genotex.options import (
    AnalysisOptions,
    Declared,
    DesignOptions,
    EnrichmentOptions,
    GeoOptions,
    PreprocessChoices,
    ReadingOptions,
    declared,
)
from genotex.studies import AnalysisRecord, JobQueue, JobRecord, TablesRecord, read_record
from tests.app.conftest import Browser, opened
from tests.app.test_adding import add_tables

FORMS = {
    "analysis": (AnalysisOptions, PreprocessChoices),
    "design": (DesignOptions, AnalysisOptions),
    "sets": (EnrichmentOptions,),
    "cohorts": (AnalysisOptions,),
    "fetch": (GeoOptions,),
    "tables": (ReadingOptions,),
}
"""The options classes of each form."""
FIELDS = [
    (form, made, each)
    for form, classes in FORMS.items()
    for made in classes
    for each in declared(made)
    if each.option.browser and (each.option.designs or form != "design")
]
IDS = [f"{form}-{made.__name__}.{each.field}" for form, made, each in FIELDS]
OTHER = {
    "cases": "key=case", "controls": "title~control", "exclude": "GSM1", "series_platform": "GPL1",
    "pair": "donor", "covariates": "Age", "design": "~ group + sex", "order": "sex: f < m",
}  # fmt: skip
"""Texts other than the default."""
TOGETHER = {"survival": {"contrast": ""}}


class _Inputs(HTMLParser):
    """The values of a page's inputs as a browser would send them."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: dict[str, list[str]] = {}
        self._select = self._area = ""
        self._options: list[tuple[bool, str]] = []
        self._option: tuple[bool, str | None] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "input" and name:
            unset = given.get("type") in ("checkbox", "radio") and "checked" not in given
            self.sent.setdefault(name, [])
            if not unset:
                self.sent[name].append(given.get("value") or "")
        if tag == "select" and name:
            self._select, self._options = name, []
        if tag == "textarea" and name:
            self._area = name
            self.sent.setdefault(name, []).append("")
        if tag == "option":
            self._option = "selected" in given, given.get("value")

    def handle_data(self, data: str) -> None:
        if self._area:
            self.sent[self._area][-1] += data
        if self._option is not None:
            chosen, value = self._option
            self._options.append((chosen, data if value is None else value))
            self._option = None

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""
        if tag == "select" and self._select:
            shown = [value for chosen, value in self._options if chosen]
            first = shown or [value for _, value in self._options[:1]]
            self.sent.setdefault(self._select, []).extend(first)
            self._select = ""


@pytest.fixture(scope="module")
def submitted() -> Iterator[list[JobRecord]]:
    """Return the jobs that were submitted; none is run."""
    kept: list[JobRecord] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JobQueue, "submit", lambda _, record, *more: kept.append(record))
        yield kept


@pytest.fixture(scope="module")
def desk(
    study_folder: Path, tmp_path_factory: pytest.TempPathFactory, submitted: list[JobRecord]
) -> Iterator[Browser]:
    """Return a browser with the study, and own tables."""
    folder = tmp_path_factory.mktemp("forms")
    shutil.copytree(study_folder, folder, dirs_exist_ok=True)
    (folder / "few.gmt").write_text("ONE\tx\tTP53\n")
    with opened(folder, Access(8765)) as browser:
        assert add_tables(browser, tmp_path_factory.mktemp("own"), name="own")[0] == 200
        yield browser


@pytest.fixture
def pages(desk: Browser, place: dict[str, str], first_series: str) -> dict[str, Any]:
    """Return of each form its page, where it posts, and what it needs besides options."""
    design = {"design": "~ group", "contrast": "group: case - control"}
    series = {"trait": place["trait"], "sent": "1", "series": first_series}
    gse = {"accession": "GSE1", "trait": "Gout"}
    own = {"name": "own"}
    return {
        "analysis": ("/analysis", {}, "/analysis", series),
        "design": ("/tables", own, "/tables", design),
        "sets": ("/sets", place, "/sets", {"file": "few.gmt"}),
        "cohorts": ("/cohorts", place, "/cohorts", {}),
        "fetch": ("/add", {}, "/add/fetch", gse),
        "tables": ("/add", {}, "/add/tables", None),
    }


def _options_in(record: JobRecord, made: type[Any]) -> Any:
    values = (getattr(record, name, None) for name in ("options", "data", "asked"))
    return next(value for value in values if isinstance(value, made))


def _other(each: Declared) -> list[str]:
    """Return what somebody sends who changes an option."""
    if each.kind == "choice":
        return [next(word for word in each.choices if word != each.write(each.default))]
    if each.kind == "flag":
        return ["no"] if each.default else ["no", "yes"]
    if each.option.columns:
        return ["age", "sex"][: each.option.columns]
    if each.kind == "integer":
        return [str(20 if each.default is None else each.default + 1)]
    if each.kind == "number":
        return ["0.5"]
    return [OTHER.get(each.field, "group: control - case")]


@pytest.mark.parametrize(("form", "made", "each"), FIELDS, ids=IDS)
def test_every_declared_option_is_in_its_form_and_reaches_the_job(
    form: str, made: type[Any], each: Declared, desk: Browser, pages: dict[str, Any],
    submitted: list[JobRecord],
) -> None:  # fmt: skip
    page, query, to, needed = pages[form]
    inputs = _Inputs()
    html = desk.get(page, params=query).text
    inputs.feed(html)
    assert each.name in inputs.sent and each.label in html
    # What a page proposes in place of the default; own tables have a column of groups.
    usual: dict[str, Any] = {"platform_only": True, "panel": False if form == "cohorts" else None}
    if form == "design":
        usual |= {"design": "~ group", "contrasts": ("group",)}
    sent = inputs.sent[each.name]
    preset = ",".join(filter(None, sent)) if each.option.columns else sent[-1]
    assert each.read(preset) == usual.get(each.field, each.default)
    if needed is None:
        return
    other = _other(each)
    data = needed | TOGETHER.get(each.field, {}) | {each.name: other}
    before = len(submitted)
    answer = desk.post(to, params=query, data=data, headers=desk.own)
    if form == "design" and each.field in ("block", "survival", "design", "contrasts", "order"):
        # Whether the tables bear such a design is for the preview to say.
        assert answer.status_code in (200, 400)
        return
    assert answer.status_code in (200, 204), answer.text
    (record,) = submitted[before:]
    text = ",".join(filter(None, other)) if each.option.columns else other[-1]
    assert getattr(_options_in(record, made), each.field) == each.read(text)


def test_a_path_is_not_offered_and_not_taken() -> None:
    (data,) = OptionForm(PreprocessChoices()).read({"samples": "/etc/passwd", "scale": "log2"})
    assert data.samples is None and data.scale == "log2"


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({"q": "7"}, "Significant at q below: 7 is out of range"),
        ({"hidden": "<b>"}, "Unmeasured confounding '<b>' is not known"),
        ({"robust": "1"}, "use yes or no"),
        ({"panel": "1"}, "use auto, yes or no"),
        ({"levels": "factor", "min_effect": "1"}, "needs one effect"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_label(sent: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        OptionForm(AnalysisOptions()).read(sent)


EARLIER = {
    "name": "x", "created": 1.0, "state": "done", "trait": "Gout", "condition": None,
    "series": ["GSE1"], "source": ".", "every": True, "covariates": ["Age"], "q_cut": 0.1,
    "hidden": "none", "panel": False, "by_sheet": [],
}  # fmt: skip


def _written(tmp_path: Path, content: dict[str, Any]) -> Path:
    path = tmp_path / "analysis.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_records_of_earlier_versions_are_read(tmp_path: Path) -> None:
    record = read_record(_written(tmp_path, EARLIER))
    assert isinstance(record, AnalysisRecord)
    options = AnalysisOptions(covariates=("Age",), q_cut=0.1, hidden="none", panel=False)
    assert record.options == options and record.data == PreprocessChoices()
    again = tmp_path / "again"
    again.mkdir()
    assert read_record(_written(again, record.model_dump(mode="json"))) == record
    names = ("name", "created", "state", "q_cut", "hidden", "panel")
    tables = {name: EARLIER[name] for name in names} | {
        "tables": "own", "design": "~ a", "contrasts": ["a"], "traits": ["a"], "block": None,
        "missing": "drop", "order": [], "survival": None,
    }  # fmt: skip
    found = read_record(_written(tmp_path, tables))
    assert isinstance(found, TablesRecord)
    assert found.asked == DesignOptions("~ a", ("a",), missing="drop")


@pytest.mark.parametrize(
    "options",
    [
        {"q_cut": "0.1"}, {"q_cut": 7.0}, {"hidden": "x"}, {"covariates": [{"a": 1}]},
        {"cohort": "GSE1"}, {"shell": "x"}, {"levels": "factor", "min_effect": 1.0}, [],
    ],
)  # fmt: skip
def test_options_in_a_record_that_no_form_states_are_refused(
    tmp_path: Path, options: object
) -> None:
    rest = {n: v for n, v in EARLIER.items() if n not in ("covariates", "q_cut", "hidden", "panel")}
    with pytest.raises(FormatError):
        read_record(_written(tmp_path, rest | {"options": options}))
