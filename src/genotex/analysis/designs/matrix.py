"""The columns that every gene is regressed on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from genotex.analysis.designs.contrast import Contrast, Levels, choose_contrast
from genotex.arrays import Flags, Floats
from genotex.errors import AnalysisError
from genotex.features import feature_of_column
from genotex.formats import LinkedTable

_RANK_TOLERANCE = 1e-9
"""Of the length of a column; what is shorter is rounding."""

MIN_RESIDUAL_DF = 2
"""With fewer residual degrees of freedom a gene is not tested."""


@dataclass(frozen=True, eq=False)
class Design:
    """The design matrix of a contrast."""

    names: tuple[str, ...]  # Column names; the trait is the last, a factor the last `tested`
    # (n, k): intercept, covariates (the condition among them), trait; full column rank
    matrix: Floats
    # (n,): product of centred trait and centred condition; None without a condition or when it
    # cannot be distinguished from the other columns
    interaction: Floats | None
    filled: dict[str, int]  # Covariate to the number of values that were filled
    warnings: tuple[str, ...]  # Columns left out and why
    # (n, j): columns that, with the trait's, give each of its ordered levels a mean of its own;
    # None without such levels, or when they cannot be distinguished from the other columns
    departure: Floats | None = None
    tested: int = 1  # Columns of the trait, the last of the matrix; more than one of a factor

    @property
    def trait(self) -> str:
        """Name of the trait; of a factor without its level."""
        return self.names[-1] if self.tested == 1 else self.names[-1].rpartition(": ")[0]

    @property
    def adjusted(self) -> tuple[str, ...]:
        """Names of the covariates, the condition among them."""
        return self.names[1 : -self.tested]

    @property
    def others(self) -> Floats:
        """The columns before the trait's."""
        return self.matrix[:, : -self.tested]

    @property
    def saturated(self) -> Floats:
        """The matrix, then the columns of the departure where there are any."""
        return self.matrix if self.departure is None else _joined(self.matrix, self.departure)

    @property
    def of_trait(self) -> int:
        """Columns of `saturated` that are the trait's, the last ones."""
        return self.tested + (0 if self.departure is None else self.departure.shape[1])

    def in_order(self, names: Iterable[str]) -> Design:
        """Return the design with the covariates of these names last, in their order."""
        place = {name: i for i, name in enumerate(names)}
        columns = [*range(len(self.names))]
        adjusted = columns[1 : -self.tested]
        columns[1 : -self.tested] = sorted(adjusted, key=lambda i: place.get(self.names[i], -1))
        kept = tuple(self.names[i] for i in columns)
        return replace(self, names=kept, matrix=self.matrix.take(columns, axis=1))

    def without(self, left_out: Collection[str]) -> Design:
        """Return the design without some of the columns before the trait."""
        kept = [name not in left_out for name in self.names]
        names = tuple(name for name in self.names if name not in left_out)
        return replace(self, names=names, matrix=self.matrix[:, kept], interaction=None)

    def with_columns(self, columns: Mapping[str, Floats]) -> Design:
        """Return the design with further columns before the trait."""
        trait = self.names[-self.tested :]
        names = (*self.names[: -self.tested], *columns, *trait)
        matrix = _joined(self.others, *columns.values(), self.matrix[:, -self.tested :])
        departure = self.departure
        if departure is not None and not _can_add(matrix, departure):
            departure = None
        product = self.interaction
        if (
            product is not None
            and not independent_columns(np.column_stack([matrix, product])).all()
        ):
            product = None
        return replace(self, names=names, matrix=matrix, interaction=product, departure=departure)


def _joined(*columns: Floats) -> Floats:
    return np.column_stack(columns)


def _can_add(matrix: Floats, columns: Floats) -> bool:
    """Return whether the design is still estimable with these columns."""
    wide = _joined(matrix, columns)
    return len(wide) - wide.shape[1] >= MIN_RESIDUAL_DF and bool(independent_columns(wide).all())


def build_design(
    table: LinkedTable,
    contrast: Contrast,
    covariates: Sequence[str],
    condition: str | None,
    others: Mapping[str, Floats] | None = None,
    *,
    interaction: bool = True,
    blocks: Collection[str] = (),
) -> Design:
    """Build the design matrix: intercept, covariates as far as the table has them, trait.

    A covariate enters when it varies within both groups and at least half of its values are known;
    missing ages become the mean, missing genders the mode (preprocessing, step 9). `others` are
    columns of pairs, a known batch and the like; of those named by `blocks`, levels of pairs, all
    enter or none.

    Raises
    ------
    AnalysisError
        If the condition is absent, known for fewer than half of the samples, constant or the same
        as the trait (within pairs, where there are any), or samples are too few.
    """
    warnings, filled = list[str](), dict[str, int]()
    columns: dict[str, Floats] = {"Intercept": np.ones(len(contrast.rows))}
    wanted = [c for c in table.covariates if c in covariates and c != condition]
    if condition is not None:
        columns[condition] = _condition_column(table, contrast, condition, filled)
    columns |= others or {}
    for name in wanted:
        raw = table.covariates[name][contrast.rows]
        if reason := _why_not(raw, contrast):
            warnings.append(f"{name} is not adjusted for: it {reason}.")
        else:
            columns[name] = _fill(name, raw, filled)
    _check_within_pairs(table.trait, columns, contrast, condition, blocks)
    warnings += _drop_dependent(columns, contrast, condition, blocks)
    warnings += _drop_for_samples(columns, contrast, condition, blocks)
    matrix, product, departure = _joined(*columns.values(), contrast.columns), None, None
    if condition is not None and interaction:
        product = _interaction(matrix, columns[condition], contrast, condition, warnings)
    if contrast.levels is not None and contrast.factor is None:
        departure = _departure(matrix, contrast.levels, warnings)
    return Design(
        names=(*columns, *_trait_names(table.trait, contrast)),
        matrix=matrix,
        interaction=product,
        filled=filled,
        warnings=tuple(warnings),
        departure=departure,
        tested=contrast.columns.shape[1],
    )


def covariates_of_groups(
    covariates: Mapping[str, Floats], cases: Flags, others: Mapping[str, Floats]
) -> tuple[dict[str, Floats], tuple[str, ...]]:
    """Return which covariates two groups are adjusted for, as those of a trait, and remarks.

    `covariates` and `others`, columns that are in the design already, have a value for each sample;
    missing values of covariates are filled.
    """
    samples = tuple(map(str, range(len(cases))))
    table = LinkedTable(
        "group", samples, cases.astype(np.float64), dict(covariates), (), np.empty((len(cases), 0))
    )
    contrast = choose_contrast(table, {}, "all")
    design = build_design(table, contrast, tuple(covariates), None, others)
    columns = dict(zip(design.names, design.matrix.T, strict=True))
    filled = (f"{name}: {n} missing values were filled." for name, n in design.filled.items())
    remarks = [text for text in design.warnings if text.split()[0] in covariates]
    return {n: columns[n] for n in covariates if n in columns}, (*remarks, *filled)


def _trait_names(trait: str, contrast: Contrast) -> tuple[str, ...]:
    if contrast.factor is None:
        return (trait,)
    return tuple(f"{trait}: {level}" for level in contrast.factor.names[1:])


def _departure(matrix: Floats, levels: Levels, warnings: list[str]) -> Floats | None:
    columns = levels.departures()
    if _can_add(matrix, columns):
        return columns
    enough = len(matrix) - matrix.shape[1] - columns.shape[1] >= MIN_RESIDUAL_DF
    reason = "they cannot be distinguished from other columns" if enough else "samples are too few"
    warnings.append(f"Departures from the line are not tested: {reason}.")
    return None


def _condition_column(
    table: LinkedTable, contrast: Contrast, condition: str, filled: dict[str, int]
) -> Floats:
    if condition not in table.covariates:
        msg = f"the cohort has no {condition}, which the problem asks to adjust for"
        raise AnalysisError(msg)
    raw = table.covariates[condition][contrast.rows]
    known = raw[np.isfinite(raw)]
    if 2 * len(known) < len(raw):
        msg = (
            f"{condition} is known for {len(known)} of the {len(raw)} samples compared only: too "
            "few to adjust for it; ask for the problem without a condition"
        )
        raise AnalysisError(msg)
    if len(np.unique(known)) < 2:
        msg = (
            f"{condition} does not vary among the {len(raw)} samples compared, so it cannot be "
            "adjusted for; ask for the problem without a condition"
        )
        raise AnalysisError(msg)
    column = _fill(condition, raw, filled)
    if not independent_columns(_joined(np.ones(len(raw)), column, contrast.columns)).all():
        msg = (
            f"{table.trait} and {condition} are the same up to scale, so their effects cannot be "
            "separated"
        )
        raise AnalysisError(msg)
    return column


def _why_not(raw: Floats, contrast: Contrast) -> str:
    known = np.isfinite(raw)
    if 2 * known.sum() < len(raw):
        return f"is known for {int(known.sum())} of {len(raw)} samples only"
    groups = contrast.values if contrast.binary else np.zeros(len(raw))
    for group, name in ((1.0, "cases"), (0.0, "controls" if contrast.binary else "samples")):
        values = raw[known & (groups == group)]
        if (groups == group).any() and len(np.unique(values)) < 2:
            return f"does not vary among the {name}"
    return ""


def _fill(name: str, raw: Floats, filled: dict[str, int]) -> Floats:
    missing = ~np.isfinite(raw)
    if not missing.any():
        return raw
    filled[name] = int(missing.sum())
    feature = feature_of_column(name)
    if feature is not None and feature.levels:
        levels, counts = np.unique(raw[~missing], return_counts=True)
        value = float(levels[np.argmax(counts)])
    else:
        value = float(raw[~missing].mean())
    return np.where(missing, value, raw)


def independent_columns(matrix: Floats) -> Flags:
    """Return for each column whether it is independent of the columns before it."""
    # Shapes: matrix (n, k).
    # Returns False where a column is a combination of earlier ones, within rounding.
    if first_dependent(matrix) is None:
        return np.ones(matrix.shape[1], dtype=bool)
    enough = _RANK_TOLERANCE * np.linalg.norm(matrix, axis=0)
    result = np.zeros(matrix.shape[1], dtype=bool)
    basis = np.empty((len(matrix), min(matrix.shape)))
    rank = 0
    for j in range(matrix.shape[1]):
        column, known = matrix[:, j].astype(np.float64), basis[:, :rank]
        for _ in range(2):  # twice, since rounding leaves a little of the others
            column = column - known @ (known.T @ column)
        rest = float(np.linalg.norm(column))
        if rest > enough[j] and rank < basis.shape[1]:
            basis[:, rank] = column / rest
            rank += 1
            result[j] = True
    return result


def first_dependent(matrix: Floats) -> int | None:
    """Return the first column that is a combination of the columns before it, if there is one."""
    # The diagonal of R is the length of what the columns before do not explain, up to that column;
    # behind it the decomposition continues in an arbitrary direction.
    rows, columns = matrix.shape
    square = matrix[:, :rows].astype(np.float64)
    lengths = np.abs(np.diagonal(np.linalg.qr(square, mode="r")))
    short = np.flatnonzero(lengths <= _RANK_TOLERANCE * np.linalg.norm(square, axis=0))
    if len(short):
        return int(short[0])
    return rows if columns > rows else None


def _check_within_pairs(
    trait: str,
    columns: Mapping[str, Floats],
    contrast: Contrast,
    condition: str | None,
    blocks: Collection[str],
) -> None:
    if not blocks or (condition is None and contrast.factor is None):
        return
    held = [columns[name] for name in ("Intercept", condition, *blocks) if name is not None]
    if not independent_columns(_joined(*held, contrast.columns))[len(held) :].all():
        msg = (
            f"within pairs {trait} and {condition} cannot be separated; ask for the problem "
            "without a condition or omit the pairing"
        )
        if contrast.factor is not None:
            msg = (
                f"within pairs not all levels of {trait} can be compared with each other; use "
                "--levels ordered or omit the pairing"
            )
        raise AnalysisError(msg)


def _drop_dependent(
    columns: dict[str, Floats], contrast: Contrast, condition: str | None, blocks: Collection[str]
) -> list[str]:
    # The trait comes before the covariates: of two that are equal, the covariate goes.
    names = [n for n in columns if n not in ("Intercept", condition)]
    first = [columns[n] for n in ("Intercept", condition) if n is not None]
    rest = [columns[n] for n in names]
    trait = contrast.columns
    with_trait = independent_columns(_joined(*first, trait, *rest))
    alone = independent_columns(np.column_stack([*first, *rest]))[len(first) :]
    warnings = []
    for name, fine, adds in zip(
        names, with_trait[len(first) + trait.shape[1] :], alone, strict=True
    ):
        if fine:
            continue
        del columns[name]
        # A level of pairs that goes is one that the condition and the other levels hold.
        if adds:
            warnings.append(
                f"{name} is not adjusted for: it cannot be distinguished from the trait or "
                "other columns."
            )
        elif name not in blocks:
            warnings.append(
                f"{name} has no column of its own: other columns adjust for it already."
            )
    return warnings


def _drop_for_samples(
    columns: dict[str, Floats], contrast: Contrast, condition: str | None, blocks: Collection[str]
) -> list[str]:
    samples = len(contrast.rows)
    kept = ("Intercept", condition, *blocks)
    fixed = sum(name in kept for name in columns) + contrast.columns.shape[1]
    if samples - fixed < MIN_RESIDUAL_DF:
        raise AnalysisError(_too_few(samples, fixed, condition, blocks))
    room = samples - fixed - MIN_RESIDUAL_DF
    dropped = [name for name in columns if name not in kept][room:]
    for name in dropped:
        del columns[name]
    return [f"{name} is not adjusted for: {samples} samples are too few." for name in dropped]


def _too_few(samples: int, fixed: int, condition: str | None, blocks: Collection[str]) -> str:
    if not blocks:
        return (
            f"{samples} samples are too few for {fixed} coefficients: at least "
            f"{fixed + MIN_RESIDUAL_DF} are needed"
        )
    given = "" if condition is None else f" and the condition {condition}"
    without = "" if condition is None else "ask for the problem without a condition, or "
    return (
        f"{samples} samples in {len(blocks) + 1} pairs are too few for {fixed} coefficients (a "
        f"level for each pair, the trait{given}): at least {MIN_RESIDUAL_DF} samples more than "
        f"coefficients are needed; {without}omit the pairing"
    )


def _interaction(
    matrix: Floats, column: Floats, contrast: Contrast, condition: str, warnings: list[str]
) -> Floats | None:
    if contrast.factor is not None:
        warnings.append(
            f"The interaction with {condition} is not tested for a factor; --levels ordered tests "
            "whether the trend depends on it."
        )
        return None
    product: Floats = (column - column.mean()) * (contrast.values - contrast.values.mean())
    wide = np.column_stack([matrix, product])
    enough = len(product) - wide.shape[1] >= MIN_RESIDUAL_DF
    if enough and independent_columns(wide).all():
        return product
    reason = "it cannot be distinguished from the main effects" if enough else "samples are too few"
    warnings.append(f"The interaction with {condition} is not tested: {reason}.")
    return None
