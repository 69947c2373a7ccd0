"""A design of the user's own in the words of the page: levels, sides, what genes do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from genotex.words import counted, listed, sentence

ColumnKind = Literal["levels", "combination", "unit", "coefficients", "differences"]
_PLAIN = {"case": "cases", "control": "controls"}


@dataclass(frozen=True)
class DesignWords:
    """What a design and its contrast are called.

    Attributes
    ----------
    formula, contrast, block
        As asked for.
    coefficient
        What the coefficient of a gene is.
    compared
        The variable whose levels are compared; None for terms and coefficients.
    weights
        Its levels with their weights.
    variables
        Columns of the sample table that the contrast is about.
    factors
        Factor of the design to its levels, the reference first.
    groups
        Level of the factor that the contrast is about -> number of its samples.
    tested
        Names of the coefficients that are tested.
    samples
        Those of the design.
    sizes
        Samples of the two levels of a difference.
    """

    formula: str
    contrast: str
    coefficient: str
    compared: str | None
    weights: Mapping[str, float]
    variables: tuple[str, ...]
    factors: Mapping[str, tuple[str, ...]]
    groups: Mapping[str, int]
    tested: tuple[str, ...]
    samples: tuple[str, ...]
    block: str | None = None
    standardised: str = ""
    difference: tuple[str, str] | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_method(cls, method: Mapping[str, Any]) -> DesignWords | None:
        """Read the method of a result; None where it had no design of its own."""
        asked, contrast = method.get("formula"), method.get("contrast", {})
        if not asked:
            return None
        pair = contrast.get("levels_compared")
        sizes = contrast.get("group_sizes", {})
        return cls(
            formula=" ".join(asked["formula"].split()),
            contrast=" ".join(asked["contrast"].split()),
            coefficient=str(method.get("coefficient", "")),
            compared=asked.get("compared"),
            weights=dict(asked.get("levels", {})),
            variables=tuple(asked.get("variables", ())),
            factors={name: tuple(levels) for name, levels in asked.get("factors", {}).items()},
            groups=dict(asked.get("groups", {})),
            tested=tuple(asked["tested"]),
            samples=tuple(asked["samples"]),
            block=asked.get("block"),
            standardised=str(method.get("standardised_effect", "")),
            difference=None if pair is None else (str(pair["case"]), str(pair["control"])),
            sizes={} if pair is None else {str(pair[key]): sizes[key] for key in pair},
        )

    @property
    def several(self) -> bool:
        """Whether several coefficients are tested together."""
        return len(self.tested) > 1

    @property
    def factor(self) -> str | None:
        """The factor whose levels tell the samples apart; None for other contrasts."""
        one = self.variables[0] if len(self.variables) == 1 else None
        return one if one in self.factors else None

    @property
    def measured(self) -> str | None:
        """The measured variable that the contrast is about; None for other contrasts."""
        if not self.variables or any(name in self.factors for name in self.variables):
            return None
        return self.variables[0]

    @property
    def trend(self) -> bool:
        """Whether the slope along the levels of a factor is tested."""
        rest = self.contrast.partition(":")[2].partition("|")[0]
        return self.factor is not None and rest.strip().lower() == "trend"

    @property
    def column_kind(self) -> ColumnKind:
        """The variant of the gene columns (`GeneColumn.of`)."""
        if self.several:
            return "coefficients" if self.factor is None else "differences"
        if not self.weights:
            return "unit"
        return "levels" if self.standardised.startswith("Hedges") else "combination"

    @property
    def _ends(self) -> tuple[str, str] | None:
        """What stands on the two sides of a comparison of levels; None without two such sides."""
        if not self.weights or self.trend:
            return None
        sides = []
        for sign in (1, -1):
            part = {k: sign * w for k, w in self.weights.items() if sign * w > 0}
            equal = max(part.values(), default=0.0) - min(part.values(), default=0.0) < 1e-9
            if not equal or abs(sum(part.values()) - 1) > 1e-9:
                return None
            names = listed([self._level(level) for level in part])
            sides.append(names if len(part) == 1 else f"the mean of {names}")
        return sides[0], sides[1]

    def _level(self, level: str) -> str:
        if self.compared not in self.factors:
            return f"{self.compared} {level}"
        plain = self.difference is not None and set(self.difference) == set(_PLAIN)
        return _PLAIN[level] if plain else level

    @property
    def _held(self) -> str:
        held = self.contrast.partition("|")[2].strip() if self.compared else ""
        return f" where {held}" if held else ""

    @property
    def predicate(self) -> str:
        """What the genes do that are looked for, after "genes"."""
        if self.trend:
            return f"change along the levels of {self.factor}{self._held}"
        if self._ends is not None:
            up, down = self._ends
            of = f" ({self.compared})" if self.compared in self.factors else ""
            comma = "," if " and " in up or " and " in down else ""
            return f"differ between {up}{comma} and {down}{of}{self._held}"
        if self.weights:
            return f"differ by the contrast {self.contrast}"
        if len(self.variables) > 1:
            return f"show an interaction of {listed(self.variables)}"
        if self.several and self.factor is not None:
            return f"differ among the levels of {self.factor}"
        return f"change with {self._what}"

    @property
    def _what(self) -> str:
        return self.tested[0] if not self.several else listed(self.variables)

    @property
    def question(self) -> str:
        """The contrast as a question."""
        return f"Which genes {self.predicate}?"

    @property
    def sides(self) -> tuple[str, str]:
        """What genes above and below zero are."""
        if self.several and self.factor is not None:
            return f"higher than in {self._reference}", f"lower than in {self._reference}"
        if self.several:
            return "with a positive largest coefficient", "with a negative one"
        if self.trend:
            return f"rising along {self.factor}", f"falling along {self.factor}"
        if self._ends is not None:
            place = "in" if self.compared in self.factors else "at"
            return f"higher {place} {self._ends[0]}", f"lower {place} {self._ends[0]}"
        if self.weights or len(self.variables) > 1:
            return "with a positive coefficient", "with a negative coefficient"
        return f"rising with {self._what}", f"falling with {self._what}"

    @property
    def effect(self) -> str:
        """What a gene's coefficient is, for the axis of a figure."""
        if self.several and self.factor is not None:
            return f"largest difference to {self._reference}, log2"
        if self.several:
            return "largest of the coefficients tested together"
        return self.coefficient

    @property
    def _reference(self) -> str:
        return self.factors[str(self.factor)][0]

    @property
    def short(self) -> str:
        """What is compared, as the noun of a sentence."""
        if self.several:
            return f"{len(self.tested)} coefficients of {listed(self.variables, 'and')}"
        return f"contrast '{self.contrast}'"

    def groups_text(self) -> str:
        """Return the levels of the factor with their numbers of samples."""
        return listed([f"{level} ({size})" for level, size in self.groups.items()])

    def compared_text(self) -> str:
        """Return which samples the contrast compares."""
        many = counted(len(self.samples), "sample")
        if self.difference is not None:
            up, down = self.difference
            beyond = len(self.samples) - self.sizes[up] - self.sizes[down]
            more = f", with {counted(beyond, 'further sample')} in the design" if beyond else ""
            held = f"; tested was the difference{self._held}" if self._held else ""
            return f"{self._members(up)} against {self._members(down)}{more}{held}"
        if self.factor is not None:
            return f"{many} in the levels of {self.factor}: {self.groups_text()}"
        if len(self.variables) > 1:
            return f"{many}, for the interaction of {listed(self.variables)}"
        return f"{many} along {listed(self.variables) or self.contrast}"

    def _members(self, level: str) -> str:
        size = self.sizes[level]
        if self._level(level) in _PLAIN.values():
            return counted(size, level)
        return f"{counted(size, 'sample')} of {level}"

    def coefficient_label(self, name: str) -> str:
        """Return a tested coefficient as "B vs A", the difference of two levels, or "B:male"."""
        if ":" in name:
            parts = [
                re.fullmatch(r"[^\[]+\[(?:T\.)?([^\[\]]+)\]", part) for part in name.split(":")
            ]
            return ":".join(part[1] for part in parts if part) if all(parts) else name
        found = re.fullmatch(r"(?:C\()?`?([^\[`]+?)`?\)?\[(?:T\.)?(.+)\]", name)
        if found is None or self.factor != found[1] or found[2] not in self.factors[found[1]]:
            return name
        return f"{found[2]} vs {self._reference}"

    def method_sentence(self) -> str:
        """Return design and contrast for the methods paragraph."""
        held = f"The design was {self.formula}"
        levels = [f"{name} with the levels {listed(found)}" for name, found in self.factors.items()]
        factors = f" ({'; '.join(levels)})" if levels else ""
        return sentence(f"{held}{factors}, the contrast {self.contrast}: {self.compared_text()}")
