import contextlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import (
    ClinicalAnnotation,
    FeatureEncoding,
    GeneVerdict,
    SavedAnnotations,
    annotation_from_json,
    annotation_to_json,
    load_annotations,
    save_annotations,
)
from genotex.errors import EncodingFileError

READING = ClinicalAnnotation(
    GeneVerdict(True, "human gene expression", ("series type",)),
    FeatureEncoding(
        "trait", 2, "status", "binary",
        values={"status: OA": 1.0, "status: normal": 0.0, "status: ?": None},
        roles={"status: OA": "case", "status: normal": "healthy control", "status: ?": "unknown"},
        evidence=("because",),
    ),
    FeatureEncoding("age", 1, "age", "continuous", parser="age_years", certainty=0.99),
    FeatureEncoding("gender", None, "Gender", "binary", parser="sex", sample_field="description"),
    notes=("a note",),
)  # fmt: skip


def test_encoding_file_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "encodings.json"
    readings = {
        "GSE2": READING,
        "GSE1": ClinicalAnnotation(GeneVerdict(False, "mice"), None, None, None),
    }
    save_annotations(path, readings, trait="Crohn's Disease")
    saved = load_annotations(path)
    assert saved == SavedAnnotations("Crohn's Disease", readings)
    assert list(saved.annotations) == ["GSE2", "GSE1"]
    about = json.loads(path.read_text())["about"]
    assert any("sample_field" in line for line in about)
    assert list(tmp_path.iterdir()) == [path]


def test_file_that_names_no_trait(tmp_path: Path) -> None:
    path = tmp_path / "encodings.json"
    cohorts = {"GSE1": annotation_to_json(READING)}
    for data in ({"cohorts": cohorts}, {"trait": None, "cohorts": cohorts}):
        path.write_text(json.dumps(data))
        assert load_annotations(path) == SavedAnnotations(None, {"GSE1": READING})


@pytest.mark.parametrize("trait", [7, "", "  ", ["Asthma"], False])
def test_file_whose_trait_is_no_name(tmp_path: Path, trait: object) -> None:
    path = tmp_path / "encodings.json"
    path.write_text(json.dumps({"trait": trait, "cohorts": {}}))
    with pytest.raises(EncodingFileError, match="trait: must be the name of a trait"):
        load_annotations(path)


def test_defaults_of_a_file_written_by_hand() -> None:
    reading = annotation_from_json(
        {"gene": {"available": True}, "trait": {"row": 0, "values": {"a: b": 1, "a: c": 0}},
         "age": {"row": 3, "key": "age", "parser": "age_years"}}
    )  # fmt: skip
    assert reading.trait is not None and reading.trait.kind == "binary"
    assert reading.age is not None and reading.age.kind == "continuous"
    assert reading.gender is None
    assert reading.by == "hand"
    assert reading.age.certainty is None


def test_earlier_file_has_the_certainty_twice() -> None:
    data = annotation_to_json(READING)
    for name in ("reasons", "shifted", "cautions", "told_by"):
        del data["trait"][name]
    data["trait"]["certainty"], data["certainty"] = 0.91, None
    reading = annotation_from_json(data)
    assert reading.certainty == 0.91
    assert reading.trait is not None and reading.trait.certainty is None
    assert reading.trait.told_by == "rules"


def test_certainty_of_gene_data_survives_and_digits_are_few(tmp_path: Path) -> None:
    gene = GeneVerdict(True, "human", certainty=0.98765432, human=True)
    save_annotations(tmp_path / "e.json", {"GSE1": replace(READING, gene=gene, certainty=0.999999)})
    saved = load_annotations(tmp_path / "e.json").annotations["GSE1"]
    assert saved.gene.certainty == 0.9877 and saved.certainty == 0.9999


def edited(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    data = annotation_to_json(READING)
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["trait"].update(row="two"), r"GSE1\.trait\.row: must be a whole number"),
        (lambda d: d["trait"].update(row=-1), r"GSE1\.trait\.row"),
        (lambda d: d["trait"].update(row=True), r"GSE1\.trait\.row"),
        (lambda d: d["trait"].update(row=None), r"GSE1\.trait\.row"),
        (
            lambda d: d["trait"]["values"].update({"status: OA": "case"}),
            r"status: OA'\]: must be a number",
        ),
        (lambda d: d["trait"]["values"].update({"status: OA": 2}), r"2 is not a binary code"),
        (lambda d: d["trait"]["values"].update({"status: OA": 0}), r"role 'case' with code 0"),
        (
            lambda d: d["trait"]["roles"].update({"status: OA": "sick"}),
            r"must be 'case', 'healthy control'",
        ),
        (lambda d: d["trait"]["roles"].update({"status: X": "case"}), r"has a role but no code"),
        (lambda d: d["trait"].update(rows=1), r"GSE1\.trait\.rows: unknown field"),
        (lambda d: d["trait"].update(kind="ternary"), r"must be 'binary' or 'continuous'"),
        (lambda d: d["age"].update(parser="years"), r"must be 'age_years', 'sex' or 'number'"),
        (lambda d: d["age"].update(parser=None), r"has neither values nor a parser"),
        (lambda d: d["gender"].update(sample_field="text"), r"GSE1\.gender\.sample_field"),
        (lambda d: d["gene"].update(available="yes"), r"gene\.available: must be true or false"),
        (lambda d: d.pop("gene"), r"GSE1\.gene: is missing"),
        (lambda d: d.update(trait=[1]), r"GSE1\.trait: must be an object, not \[1\]"),
        (lambda d: d.update(notes="x"), r"GSE1\.notes: must be a list, not"),
        (lambda d: d["trait"].update(key=None), r"GSE1\.trait\.key: must be a text, not null"),
        (lambda d: d["trait"].update(confidence=[1]), r"GSE1\.trait\.confidence"),
        (lambda d: d["age"].update(certainty=1.5), r"GSE1\.age\.certainty: must be at most 1"),
        (lambda d: d["age"].update(certainty="high"), r"GSE1\.age\.certainty"),
        (lambda d: d["age"].update(certainty=True), r"GSE1\.age\.certainty"),
        (lambda d: d["age"].update(certainty=float("nan")), r"GSE1\.age\.certainty"),
    ],
)
def test_edited_file_with_a_mistake(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    path = tmp_path / "encodings.json"
    path.write_text(json.dumps({"cohorts": {"GSE1": edited(change)}}))
    with pytest.raises(EncodingFileError, match=message) as caught:
        load_annotations(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("values", "roles"),
    [
        ({"OA": 1, "normal": 0}, {"status: OA": "case", "Status: Normal": "healthy control"}),
        ({"status: OA": 1, "status: normal": 0}, {"oa": "case", "normal": "healthy control"}),
    ],
)
def test_roles_and_values_agree_whichever_has_the_key(
    values: dict[str, int], roles: dict[str, str]
) -> None:
    reading = annotation_from_json(edited(lambda d: d["trait"].update(values=values, roles=roles)))
    assert reading.trait is not None and reading.trait.values == values
    assert list(reading.trait.roles.items()) == list(
        zip(values, ("case", "healthy control"), strict=True)
    )
    roles = {cell: "case" for cell in roles}
    with pytest.raises(EncodingFileError, match="role 'case' with code 0"):
        annotation_from_json(edited(lambda d: d["trait"].update(values=values, roles=roles)))


@pytest.mark.parametrize(
    ("values", "roles"),
    [
        ({"a: OA": 1, "b: OA": 0}, {"OA": "case"}),
        ({"a: OA": 1}, {"b: OA": "case"}),
        ({"OA": 1}, {"a: OA": "case", "b: OA": "case"}),
    ],
)
def test_role_that_may_be_meant_for_another_cell_is_refused(
    values: dict[str, int], roles: dict[str, str]
) -> None:
    data = edited(lambda d: d["trait"].update(values=values, roles=roles))
    with pytest.raises(EncodingFileError, match="has a role but no code"):
        annotation_from_json(data)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON"),
        ('{"cohorts": {\n"GSE1": }', "line 2: is not JSON"),
        ("[]", "has no object 'cohorts'"),
        ('{"cohorts": {"GSE1": {}, "GSE1": {}}}', "'GSE1' appears twice"),
    ],
)
def test_file_that_is_no_encoding_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "encodings.json"
    path.write_text(text)
    with pytest.raises(EncodingFileError, match=message):
        load_annotations(path)


def test_missing_file_and_wrong_bytes(tmp_path: Path) -> None:
    with pytest.raises(EncodingFileError, match="cannot be read"):
        load_annotations(tmp_path / "none.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(EncodingFileError, match="is not JSON"):
        load_annotations(tmp_path / "bytes.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.sampled_from(["gene", "trait", "age", "gender", "notes", "by"]), JSON)
def test_no_edit_raises_anything_else(field: str, value: object) -> None:
    data = annotation_to_json(READING)
    data[field] = value
    with contextlib.suppress(EncodingFileError):
        annotation_from_json(data)


@settings(deadline=None)
@given(st.sampled_from(sorted(annotation_to_json(READING)["trait"])), JSON)
def test_no_edit_of_the_trait_raises_anything_else(field: str, value: object) -> None:
    data = annotation_to_json(READING)
    data["trait"][field] = value
    with contextlib.suppress(EncodingFileError):
        annotation_from_json(data)
