"""Ordinary models: what a competent person could repair ends with the right tables."""

from collections.abc import Iterator

import pytest

from tests.agents.ordinary.model import Style
from tests.agents.ordinary.runs import Workplace, workplace
from tests.agents.ordinary.styles import STYLES, small_context
from tests.geo_text import write_asthma_on_probes
from tests.models.conftest import nothing_from_outside

__all__ = ["nothing_from_outside"]
"""The fixture of the models' tests, which holds here, too."""

MOST_CALLS = 60
"""A run of a model that makes no mistake takes 20; each step may be revised twice."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workplace]:
    root = tmp_path_factory.mktemp("ordinary")
    write_asthma_on_probes(root / "in")
    with workplace(root / "in", "Asthma", root) as place:
        yield place


@pytest.mark.everyday
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_style_ends_with_the_right_tables(style: Style, place: Workplace) -> None:
    found = place.run(style)
    assert found.outcome == "right"
    assert found.calls <= MOST_CALLS


def test_model_that_reads_little_gets_shorter_prompts(place: Workplace) -> None:
    usual = place.run(STYLES[0]).roles["engineer"]
    too_long = small_context(usual["most"] - 200)
    little = Style(
        "little",
        "",
        lambda question: too_long(question) if question.card.role == "engineer" else None,
    )
    found = place.run(little)
    assert found.outcome == "right"
    # The sizes are those of all that was asked, also of what was too long.
    assert found.roles["engineer"]["calls"] == usual["calls"] + 2
