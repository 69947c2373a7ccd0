"""Records of the steps of an analysis, read from the method of the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from genotex.analysis import DETECTED

Record = Mapping[str, Any]


@dataclass(frozen=True)
class _SurrogateAssociation:
    """What a surrogate variable is associated with."""

    surrogate: str
    partner: str
    measure: str
    size: float | None
    p: float | None
    kind: str = ""


@dataclass(frozen=True)
class TechnicalFactor:
    """Evidence that a hidden factor is technical."""

    evidence: str
    share: float
    p: float
    carries: float | None
    with_trait: float | None
    adjusted: bool
    why_not: str


@dataclass(frozen=True)
class Surrogates:
    """Surrogate variables for unmeasured confounding."""

    mode: str
    estimated: int
    used: int
    adjusts: bool
    trait_share: float = 0.0
    by_chance: float = 0.0
    inflation: float = 1.0
    shares: tuple[float, ...] = ()
    associations: tuple[_SurrogateAssociation, ...] = ()
    notes: tuple[str, ...] = ()
    technical: tuple[TechnicalFactor, ...] = ()

    @property
    def technical_names(self) -> list[str]:
        """Evidence of the technical factors that are adjusted for."""
        return [f"'{each.evidence}'" for each in self.technical if each.adjusted]

    @classmethod
    def from_record(cls, record: Record) -> Surrogates | None:
        """Read ``method["hidden"]``; None when there is none."""
        if not record:
            return None
        used, left = int(record.get("used") or 0), int(record.get("residual_df") or 0)
        return cls(
            mode=str(record.get("mode", "none")),
            estimated=int(record.get("estimated") or 0),
            used=used,
            adjusts=bool(record.get("moderated_with", record.get("ranked_with"))),
            trait_share=_number(record.get("trait_share")) or 0.0,
            by_chance=used / max(1, used + left),
            inflation=_number(record.get("inflation")) or 1.0,
            shares=tuple(float(share) for share in record.get("share") or ()),
            associations=tuple(
                _SurrogateAssociation(
                    str(found["surrogate"]),
                    str(found["with"]),
                    str(found.get("measure", "")),
                    _number(found.get("size")),
                    _number(found.get("p")),
                    str(found.get("kind", "")),
                )
                for found in record.get("associations") or ()
            ),
            notes=tuple(str(note) for note in record.get("notes") or ()),
            technical=tuple(
                TechnicalFactor(
                    str(found["evidence"]),
                    _number(found.get("share")) or 0.0,
                    _number(found.get("p")) or 0.0,
                    _number(found.get("carries")),
                    _number(found.get("with_trait")),
                    bool(found.get("columns")),
                    str(found.get("why_not", "")),
                )
                for found in record.get("technical") or ()
            ),
        )


@dataclass(frozen=True)
class MixedModel:
    """The mixed model: whether it ranks, and the share of variance that its background takes."""

    ranks: bool
    share: float | None
    tested: int | None

    @classmethod
    def from_record(cls, record: Record, *, ranks: bool) -> MixedModel | None:
        """Read ``method["mixed"]``; None when there is none."""
        if not record:
            return None
        share = _number(record.get("share_of_background"))
        return cls(ranks, share, _count(record.get("tested")))


@dataclass(frozen=True)
class Pairs:
    """Samples of the same person: compared within their block, correlated, or averaged."""

    key: str
    blocks: int
    noun: str = "pair"
    averaged: bool = False
    correlation: float | None = None
    before: int | None = None
    samples: int | None = None

    @property
    def detected(self) -> bool:
        """Whether the people were detected by the correlation of their samples."""
        return self.key == DETECTED

    @classmethod
    def from_record(cls, record: Record, *, binary: bool) -> Pairs | None:
        """Read ``method["pair"]``; None when there is none."""
        if not record:
            return None
        blocks = int(record.get("blocks") or 0)
        samples = _count(record.get("samples"))
        return cls(
            key=str(record.get("key", "")),
            blocks=blocks,
            noun="pair" if binary and samples == 2 * blocks else "block",
            averaged=record.get("design") == "averaged",
            correlation=_number(record.get("correlation")),
            before=_count(record.get("samples_before")),
            samples=samples,
        )


@dataclass(frozen=True)
class ConditionModel:
    """The condition of a two-step problem, as it was predicted."""

    condition: str
    cohort: str
    model: str
    regressors: tuple[str, ...]
    rule: str = "inclusive"
    samples: int | None = None
    score_name: str = ""
    score: float | None = None
    score_source: str = ""
    constant: tuple[str, ...] = ()
    tested: bool = False

    @classmethod
    def from_record(cls, record: Record, *, tested: bool) -> ConditionModel | None:
        """Read ``method["two_step"]``; None when there is none."""
        if not record:
            return None
        return cls(
            condition=str(record.get("condition", "")),
            cohort=str(record.get("cohort") or ""),
            model=str(record.get("model") or ""),
            regressors=tuple(record.get("regressors") or ()),
            rule=str(record.get("rule", "inclusive")),
            samples=_count(record.get("samples")),
            score_name=str(record.get("score_name") or ""),
            score=_number(record.get("score")),
            score_source=str(record.get("score_source") or ""),
            constant=tuple(record.get("constant_regressors") or ()),
            tested=tested,
        )


@dataclass(frozen=True)
class Trial:
    """One penalty of the tuning, with its scores over the folds in percent."""

    penalty: float
    selection: Mapping[str, float]
    prediction: Mapping[str, float]
    genes: float | None


@dataclass(frozen=True)
class Selection:
    """What the procedure ``benchmark`` selected, and how."""

    penalty: float | None
    solver: str
    related: int | None = None
    gap: float | None = None
    iterations: int | None = None
    rotated: bool = False
    fixed: bool = False
    ln_delta: float | None = None
    eigenvalues: tuple[float, ...] = ()
    threshold: float | None = None
    trials: tuple[Trial, ...] = ()
    prediction: Mapping[str, float] = field(default_factory=dict)
    selection: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def from_record(cls, method: Record, performance: Record) -> Selection:
        """Read the record of the procedure ``benchmark`` and its ``cv_performance``."""
        solver, batch = method.get("solver") or {}, method.get("batch_effect") or {}
        trials = [
            Trial(
                float(row["lambda"]),
                _scores(row.get("selection")),
                _scores(row.get("prediction")),
                _number(row.get("genes")),
            )
            for row in method.get("tuning") or ()
        ]
        return cls(
            penalty=_number(solver.get("lambda")),
            solver=str(solver.get("name", "")),
            related=_count(method.get("related_genes")),
            gap=_number(solver.get("relative_gap")),
            iterations=_count(solver.get("iterations")),
            rotated=bool(method.get("rotated")),
            fixed=(method.get("options") or {}).get("fixed_lambda") is not None,
            ln_delta=_number(method.get("ln_delta")),
            eigenvalues=tuple(float(share) for share in batch.get("shares") or ()),
            threshold=_number(batch.get("threshold")),
            trials=tuple(sorted(trials, key=lambda trial: trial.penalty)),
            prediction=_scores(performance.get("prediction")),
            selection=_scores(performance.get("selection")),
        )

    @property
    def informed(self) -> bool:
        """Whether a fold selected a known gene at any lambda, so that lambda could be chosen."""
        return any(trial.selection.get("precision") for trial in self.trials)

    @property
    def batch_effect(self) -> bool:
        """Whether a gap between eigenvalues counts as batch effect."""
        gap, threshold = self.largest_gap, self.threshold
        return gap is not None and threshold is not None and gap > threshold

    @property
    def largest_gap(self) -> float | None:
        """Largest difference between neighbouring eigenvalues."""
        return max((high - low for high, low in pairwise(self.eigenvalues)), default=None)


def _scores(record: Record | None) -> dict[str, float]:
    found = {name: _number(value) for name, value in (record or {}).items()}
    return {name: value for name, value in found.items() if value is not None}


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _count(value: Any) -> int | None:
    number = _number(value)
    return None if number is None else int(number)
