"""Formulas are computed by walking a checked tree: no attempt runs code or takes the machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.analysis import DesignData
from genotex.errors import AnalysisError, GenotexError, UsageError
from genotex.options import AnalysisOptions
from tests.analysis.fitted_designs import fit_design
from tests.attacks.formulas import ATTEMPTS, RUN, SAMPLES, TABLE, Attempt

GENES = 4
DATA = DesignData(
    "attacked",
    tuple(f"G{i}" for i in range(GENES)),
    tuple(f"s{i}" for i in range(SAMPLES)),
    np.random.default_rng(1).normal(8, 1, (SAMPLES, GENES)),
    TABLE,
)
PLAIN = AnalysisOptions(hidden="none", weights="none", filter_low=False, panel=False)
_HOSTILE = ("exec", "os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork")


class Canary:
    """Notes what the interpreter reports of code that runs, while it watches."""

    def __init__(self) -> None:
        self.watching = False
        self.seen: list[str] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.watching and event in _HOSTILE:
            self.seen.append(f"{event} {arguments!r}"[:200])


_CANARY = Canary()


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Canary]:
    """Fail a test in which anything was evaluated, or left a file behind."""
    fit(Attempt("~ group*bs(age, df=4)", None))  # loads what is loaded once
    monkeypatch.chdir(tmp_path)
    _CANARY.seen.clear()
    _CANARY.watching = True
    yield _CANARY
    _CANARY.watching = False
    assert _CANARY.seen == []
    assert list(tmp_path.iterdir()) == []


def fit(attempt: Attempt) -> pl.DataFrame:
    found = fit_design(DATA, attempt.design, attempt.contrast, PLAIN)
    return found.genes


@pytest.mark.parametrize("name", ATTEMPTS)
def test_an_attempt_is_refused_in_words_or_computed_as_a_harmless_design(
    name: str, canary: Canary
) -> None:
    attempt = ATTEMPTS[name]
    if attempt.refused is None:
        assert fit(attempt)["p"].is_not_null().all()
        return
    with pytest.raises((UsageError, AnalysisError)) as found:
        fit(attempt)
    assert attempt.refused in str(found.value)
    assert len(str(found.value)) < 1_500


_PIECES = st.sampled_from(
    [
        *("group", "sex", "age", "`many`", "1", "0", "2", "9", "1e3", "'A'", "True", "None", "x"),
        *("+", "-", "*", "/", ":", "^", "**", "%in%", "(", ")", "{", "}", "[", "]", ",", "=", "=="),
        *("<", "~", "|", "`", '"', "'", ".", ";", "#", "\n", "\\", "@", " "),
        *("log(", "bs(", "C(", "scale(", "poly(", "I(", "offset(", "ns(", "levels=", "df=", "c("),
        *(RUN, "__import__", "eval(", "np.", "lambda:", "for", ".__class__", "_state="),
    ]
)


@settings(max_examples=300)
@given(st.lists(_PIECES, max_size=14).map(" ".join), st.booleans())
def test_any_text_is_computed_or_refused_in_our_words(text: str, tight: bool) -> None:
    design = f"~ {text.replace(' ', '') if tight else text}"
    _CANARY.seen.clear()
    _CANARY.watching = True
    try:
        fit(Attempt(design, None))
    except GenotexError:
        pass
    finally:
        _CANARY.watching = False
    assert _CANARY.seen == []


def test_the_canary_hears_what_the_formula_library_would_have_evaluated() -> None:
    import pandas as pd
    from formulaic import model_matrix

    _CANARY.seen.clear()
    _CANARY.watching = True
    model_matrix("~ np.log(age)", pd.DataFrame({"age": [1.0, 2.0]}))
    _CANARY.watching = False

    assert any(seen.startswith("exec") for seen in _CANARY.seen)
