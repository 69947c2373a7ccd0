"""What generated code may write into a record, and what becomes of all else."""

from typing import Any

import pytest

from genotex.agents import NotebookKind
from genotex.agents.audit.comparison import OWN_FIELDS, not_adopted, own_part, own_reading
from genotex.clinical import ClinicalAnnotation, GeneVerdict, annotation_to_json
from genotex.formats import Evidence

TRAIT = {"row": 0, "key": "state", "kind": "binary", "values": {"state: ill": 1.0}}
HOST = {"confidence": "explicit", "told_by": "someone"}


@pytest.mark.parametrize("kind", OWN_FIELDS)
def test_no_notebook_writes_what_is_evaluated_or_identifies_a_record(kind: NotebookKind) -> None:
    names = {name.partition(".")[0] for name in OWN_FIELDS[kind]}
    assert not names & {
        "design", "fingerprint", "files", "tables", "options", "genotex_version", "all_genes",
    }  # fmt: skip


def test_own_fields_of_evidence_are_fields_of_evidence() -> None:
    fields = Evidence.__dataclass_fields__
    for kind in ("geo", "tcga"):
        assert {name.partition(".")[0] for name in OWN_FIELDS[kind]} <= set(fields)


def test_part_holds_own_fields_alone() -> None:
    record = {
        "reading": {"trait": {**TRAIT, **HOST}, "facts": {"pair": {}}},
        "mapping": {"gene_column": "Symbol", "scale": "linear"},
        "design": {"formula": "~ group"},
    }
    assert own_part("geo", record) == {
        "reading": {"trait": TRAIT},
        "mapping": {"gene_column": "Symbol"},
    }


@pytest.mark.parametrize("reading", [{}, {"trait": None}, {"trait": "text", "gene": 3}])
def test_part_of_a_record_without_its_own_fields_is_empty(reading: Any) -> None:
    assert own_part("geo", {"reading": reading}) in ({}, {"reading": {}})


def test_reading_is_told_by_generated_code_with_the_facts_of_nobody() -> None:
    whole = own_reading("geo", {"trait": {**TRAIT, **HOST}, "facts": {"pair": {"GSM1": "a"}}})
    empty = annotation_to_json(ClinicalAnnotation(GeneVerdict(False, ""), None, None, None))
    assert whole["trait"]["values"] == TRAIT["values"]
    assert (whole["trait"]["told_by"], whole["trait"]["confidence"]) != tuple(HOST.values())
    assert whole["age"] is None
    assert {name: whole[name] for name in empty if name not in ("trait", "by")} == {
        name: value for name, value in empty.items() if name not in ("trait", "by")
    }


def refused(said: dict[str, Any], is_so: dict[str, Any], *flags: str) -> list[str]:
    return [flag.partition(" ")[0] for flag in not_adopted("geo", said, is_so, flags)[len(flags) :]]


def test_other_values_of_the_host_are_named() -> None:
    said = {"design": {"formula": "~ 1"}, "options": {"scale": "raw", "cases": []}}
    is_so = {"design": {}, "options": {"scale": "auto", "cases": []}, "notes": ["one"]}
    assert refused(said, is_so) == ["design", "options.scale", "notes"]


def test_own_fields_and_equal_ones_are_not_named() -> None:
    said = {"reading": {"trait": TRAIT}, "counts": {}, "series": {"title": "one"}}
    is_so = {"reading": {"trait": {**TRAIT, "row": 1}}, "series": {"title": "one"}}
    assert refused(said, is_so) == []
    is_so["reading"]["trait"]["told_by"] = "rules"
    assert refused(said, is_so) == ["reading.trait.told_by"]


def test_what_has_a_flag_of_its_own_is_not_named_again() -> None:
    flag = "the roles of samples in its evidence are not those of the raw files"
    assert refused({"roles": {"GSM1": "case"}}, {"roles": {}}, flag) == []


def test_fewer_files_may_have_been_read_than_by_the_host() -> None:
    one, other = {"name": "a"}, {"name": "b"}
    assert refused({"files": [one]}, {"files": [one, other]}) == []
    assert refused({"files": [one, other]}, {"files": [one]}) == ["files"]
