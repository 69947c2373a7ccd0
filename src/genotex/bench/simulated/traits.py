"""The traits of a simulated world. Every name is invented and says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from genotex.simulate import TraitKind

__all__ = ["FEWEST_TRAITS", "MOST_TRAITS", "WorldTrait", "conditions_of", "world_traits"]


@dataclass(frozen=True)
class WorldTrait:
    """A trait of the world.

    Attributes
    ----------
    name : str
        Trait folder name.
    tissue : str
        Where its samples come from.
    other : str
        Another disease, whose patients may stand among the controls; empty for a measured trait.
    code : str
        Abbreviation of its TCGA study; empty for a trait that is no cancer.
    measured : bool
        Whether it is a level in the blood.
    answerable : bool
        Whether it has a usable cohort.
    """

    name: str
    tissue: str
    other: str = ""
    code: str = ""
    measured: bool = False
    answerable: bool = True

    @property
    def words(self) -> str:
        """Return the name in words: ``simulated arthritis``."""
        return self.name.replace("_", " ").lower()

    def say(self, form: str) -> str:
        """Fill in a form: ``{t}`` the trait in words, ``{T}`` with capitals, ``{A}`` abbreviated.

        ``{level}`` is the name of a measured trait without the word "level", ``{o}`` the other
        disease, ``{tissue}`` the tissue.
        """
        return form.format(
            t=self.words,
            T=self.words.title(),
            A="".join(word[:2] for word in self.words.split()).upper(),
            level=self.words.removesuffix(" level"),
            o=self.other,
            tissue=self.tissue,
        )

    @property
    def kind(self) -> TraitKind:
        """Whether people have it or not, or have more or less of it."""
        return "continuous" if self.measured else "binary"


_TRAITS = (
    WorldTrait("Simulated_Arthritis", "synovial membrane", "joint trauma"),
    WorldTrait("Simulated_Carcinoma", "epithelium", "chronic inflammation", code="SIMC"),
    WorldTrait("Simulated_Hormone_Level", "whole blood", measured=True),
    WorldTrait(
        "Simulated_Amnesia", "peripheral blood mononuclear cells", "migraine", answerable=False
    ),
    WorldTrait("Simulated_Diabetes", "whole blood", "hypertension"),
    WorldTrait("Simulated_Sarcoma", "soft tissue", "chronic inflammation", code="SIMS"),
    WorldTrait("Simulated_Asthma", "bronchial epithelium", "chronic bronchitis"),
    WorldTrait("Simulated_Vitamin_Level", "whole blood", measured=True),
    WorldTrait("Simulated_Lymphoma", "lymph node", "reactive lymphadenitis", code="SIML"),
    WorldTrait("Simulated_Dermatitis", "skin", "psoriasis"),
    WorldTrait("Simulated_Hepatitis", "liver", "fatty liver disease"),
    WorldTrait("Simulated_Depression", "peripheral blood mononuclear cells", "migraine"),
    WorldTrait("Simulated_Colitis", "colonic mucosa", "irritable bowel syndrome"),
    WorldTrait("Simulated_Nephritis", "kidney", "hypertension"),
    WorldTrait("Simulated_Anemia", "whole blood", "hypertension"),
    WorldTrait("Simulated_Epilepsy", "hippocampus", "migraine"),
)
"""The first few are of every sort, so that a small world is a whole one."""

FEWEST_TRAITS, MOST_TRAITS = 4, len(_TRAITS)
_FAMILY = 4


def world_traits(count: int) -> tuple[WorldTrait, ...]:
    """Return the first `count` traits."""
    return _TRAITS[:count]


def conditions_of(trait: WorldTrait, traits: Sequence[WorldTrait]) -> tuple[str, ...]:
    """Return the traits that are conditions of `trait`: the others of its family of about four.

    Traits of a family share related genes, as those do that the benchmark pairs.
    """
    families = max(1, len(traits) // _FAMILY)
    place = traits.index(trait)
    return tuple(
        other.name
        for i, other in enumerate(traits)
        if i % families == place % families and other != trait
    )
