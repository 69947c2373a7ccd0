import enum
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ConfigDict, TypeAdapter, ValidationError

from genotex.agents.models.schema import build, schema_of
from genotex.agents.models.schema_check import mismatches
from genotex.errors import UsageError


class Verdict(enum.Enum):
    approve = "approve"
    reject = "reject"


@dataclass(frozen=True)
class Step:
    """A step of a plan.

    Only the first paragraph is told to a model.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")
    action: Literal["load", "map"]
    cohort: str
    weight: float | None = None


@dataclass(frozen=True)
class Plan:
    __pydantic_config__ = ConfigDict(extra="forbid")
    steps: tuple[Step, ...]
    verdict: Verdict
    retract: bool
    to_step: int = field(default=1, metadata={"minimum": 1, "description": "counted from 1"})
    notes: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


PLAN = {
    "steps": [{"action": "load", "cohort": "GSE1"}, {"action": "map", "cohort": "", "weight": 2}],
    "verdict": "reject",
    "retract": False,
    "counts": {"a": 3},
}


def test_the_schema_of_a_dataclass_written_out() -> None:
    assert schema_of(Step) == {
        "type": "object",
        "description": "A step of a plan.",
        "properties": {
            "action": {"enum": ["load", "map"]},
            "cohort": {"type": "string"},
            "weight": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        },
        "required": ["action", "cohort"],
        "additionalProperties": False,
    }
    whole = schema_of(Plan)
    assert "description" not in whole
    assert whole["required"] == ["steps", "verdict", "retract"]
    assert whole["properties"]["to_step"] == {
        "type": "integer",
        "minimum": 1,
        "description": "counted from 1",
    }
    assert whole["properties"]["steps"] == {"type": "array", "items": schema_of(Step)}
    assert whole["properties"]["counts"]["additionalProperties"] == {"type": "integer"}


def test_a_plan_is_built_from_what_a_model_wrote() -> None:
    assert build(Plan, PLAN) == Plan(
        steps=(Step("load", "GSE1"), Step("map", "", 2.0)),
        verdict=Verdict.reject,
        retract=False,
        counts={"a": 3},
    )


def test_whole_numbers_may_be_written_with_a_point() -> None:
    built = build(Plan, {**PLAN, "to_step": 2.0})
    assert built.to_step == 2
    assert type(built.to_step) is int


def test_a_union_is_built_as_the_kind_that_fits() -> None:
    @dataclass(frozen=True)
    class Either:
        value: int | list[str] | str

    Either.__annotations__ = {"value": int | list[str] | str}
    assert build(Either, {"value": ["a"]}) == Either(["a"])
    assert build(Either, {"value": "a"}) == Either("a")


@pytest.mark.parametrize("kind", [set[str], tuple[int, str], bytes, dict[int, str]])
def test_a_field_of_another_type_is_refused_by_its_name(kind: Any) -> None:
    @dataclass
    class Odd:
        field: int

    Odd.__annotations__ = {"field": kind}
    with pytest.raises(UsageError, match=r"Odd\.field"):
        schema_of(Odd)


def test_what_is_no_dataclass_is_refused() -> None:
    with pytest.raises(UsageError, match="no dataclass"):
        schema_of(dict)


# Numbers with a point that are whole are left out: JSON schema counts them as integers, pydantic's
# strict mode does not.
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, -1.5])
    | st.sampled_from(["load", "map", "approve", "reject", "x"])
)
steps = st.fixed_dictionaries(
    {"action": scalars, "cohort": scalars}, optional={"weight": scalars, "more": scalars}
)
plans = st.fixed_dictionaries(
    {},
    optional={
        "steps": st.lists(steps, max_size=2) | scalars,
        "verdict": scalars,
        "retract": scalars,
        "to_step": st.integers(1, 3) | st.booleans() | st.none(),
        "notes": st.lists(scalars, max_size=2),
        "counts": st.dictionaries(st.sampled_from("ab"), scalars),
        "unknown": scalars,
    },
)


@given(plans | scalars)
def test_what_fits_is_what_pydantic_accepts(data: Any) -> None:
    accepted = True
    try:
        theirs = TypeAdapter(Plan).validate_json(_json(data), strict=True)
    except ValidationError:
        accepted = False
    found = mismatches(data, schema_of(Plan))
    assert (not found) == accepted, found
    if accepted:
        assert build(Plan, data) == theirs


def _json(data: Any) -> str:
    import json

    return json.dumps(data)
