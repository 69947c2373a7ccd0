"""Pages of reports without their figures, which have tests of their own and take their time."""

from __future__ import annotations

import pytest

PAGE = "genotex.reports.problem.page"


@pytest.fixture
def undrawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no figures of a problem, unless the test asks for them (`with_figures`)."""
    if "with_figures" not in request.fixturenames:
        for draw in ("draw_figures", "draw_sample_figures"):
            monkeypatch.setattr(f"{PAGE}.{draw}", lambda *_: ())


@pytest.fixture
def with_figures() -> None:
    """Ask for the real figures."""
