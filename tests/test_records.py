"""JSON that is read back: what is accepted, and what an error names."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import pytest

from genotex.errors import EncodingFileError, FormatError
from genotex.records import InsidePath, PlainName, Sha256, as_json, checked, why_no_name


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Part:
    name: str
    share: float | None = field(default=None, metadata={"ge": 0, "le": 1})


@dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...]
    colour: Colour = Colour.RED
    sizes: Mapping[str, int] = field(default_factory=dict, metadata={"alias": "lengths"})
    kind: Literal["a", "b"] = "a"
    flag: bool = False

    def __post_init__(self) -> None:
        if len(self.parts) > 2:
            msg = "there are more than 2 parts"
            raise ValueError(msg)


def test_lists_become_tuples_and_values_members() -> None:
    data = {"parts": [{"name": "x", "share": 1}], "colour": "red", "lengths": {"x": 3}, "new": 1}
    whole = checked(Whole, data)
    assert whole == Whole((Part("x", 1.0),), Colour.RED, {"x": 3})
    assert isinstance(whole.parts[0].share, float)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "file.json, here: must be an object, not []"),
        ({}, "here.parts: is missing"),
        ({"parts": {}}, "here.parts: must be a list, not {}"),
        ({"parts": [{"name": 1}]}, "here.parts[0].name: must be a text, not 1"),
        ({"parts": [{"name": "x", "share": "1"}]}, 'parts[0].share: must be a number, not "1"'),
        ({"parts": [{"name": "x", "share": 2}]}, "parts[0].share: must be at most 1, not 2"),
        ({"parts": [{"name": "x", "share": float("nan")}]}, "share: must be a finite number"),
        ({"parts": [], "lengths": {"x y": True}}, "lengths['x y']: must be a whole number"),
        ({"parts": [], "lengths": {"x": 1.5}}, "lengths.x: must be a whole number, not 1.5"),
        ({"parts": [], "kind": "c"}, "kind: must be 'a' or 'b', not \"c\""),
        ({"parts": [], "colour": "blue"}, "colour: must be 'red', not \"blue\""),
        ({"parts": [], "flag": 1}, "flag: must be true or false, not 1"),
        ({"parts": [{"name": "x"}] * 3}, "here: there are more than 2 parts"),
        ({"parts": [{"name": "\ud800"}]}, "here: "),
    ],
)
def test_error_names_file_field_and_what_to_do(data: Any, message: str) -> None:
    with pytest.raises(EncodingFileError) as caught:
        checked(
            Whole,
            data,
            path=Path("file.json"),
            place="here",
            hint="write it again",
            error=EncodingFileError,
        )
    told = str(caught.value)
    assert message in told
    assert told.startswith("file.json, here") and told.endswith("(write it again)")


def test_unknown_fields_are_refused_only_where_asked() -> None:
    data = {"parts": [{"name": "x", "size": 3}]}
    assert checked(Whole, data).parts == (Part("x"),)
    with pytest.raises(FormatError, match=r"^parts\[0\]\.size: unknown field$"):
        checked(Whole, data, extra="forbid")


def test_field_with_a_default_can_be_required() -> None:
    assert checked(Whole, {"parts": []}, needs=["parts"]) == Whole(())
    with pytest.raises(FormatError, match=r"^here\.flag: is missing$"):
        checked(Whole, {"parts": []}, needs=["flag"], place="here")


def test_long_value_is_cut() -> None:
    with pytest.raises(FormatError) as caught:
        checked(Whole, {"parts": json.dumps(["x" * 500])})
    assert len(str(caught.value)) < 120


@dataclass(frozen=True)
class Named:
    name: PlainName
    path: InsidePath = "a"
    digest: Sha256 = "0" * 64


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/a", "a\0b", "\u00e9" * 128])
def test_name_that_leaves_its_folder_is_refused(name: str) -> None:
    assert why_no_name(name)
    with pytest.raises(FormatError, match=r"^name: must be"):
        checked(Named, {"name": name})


@pytest.mark.parametrize("path", ["", "/a", "a//b", "a/../b", "..", "a/", "a/b\0"])
def test_path_that_leaves_its_folder_is_refused(path: str) -> None:
    with pytest.raises(FormatError, match=r"^path: must be a path inside the folder"):
        checked(Named, {"name": "a", "path": path})


def test_names_and_paths_may_have_any_letters() -> None:
    data = {"name": "\u00fc b\n.json", "path": "a b/\u00fc/c.d", "digest": "ab" * 32}
    assert checked(Named, data).path == "a b/\u00fc/c.d"
    with pytest.raises(FormatError, match="must be a SHA-256"):
        checked(Named, {**data, "digest": "AB" * 32})


def test_what_is_written_is_read_back() -> None:
    whole = Whole((Part("a", 0.5), Part("b")), kind="b")
    written = as_json(whole)
    assert written["parts"] == [{"name": "a", "share": 0.5}, {"name": "b", "share": None}]
    assert written["colour"] == "red"
    assert checked(Whole, json.loads(json.dumps(written))) == whole


def test_some_attributes_are_written_under_names_of_their_own() -> None:
    whole = Whole((Part("a"),))
    assert as_json(whole, "kind", "flag", shade="colour.value") == {
        "kind": "a", "flag": False, "shade": "red",
    }  # fmt: skip
