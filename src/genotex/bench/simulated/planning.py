"""Which cohorts a world has: recipes given out to traits, and made into plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle

from genotex.bench.simulated.recipes import (
    BINARY_EXTRAS,
    MEASURED_EXTRAS,
    PLAIN,
    UNANSWERABLE,
    Recipe,
)
from genotex.bench.simulated.traits import WorldTrait, conditions_of
from genotex.bench.simulated.wording import LETTERS, PLAIN_AGE, Wording, forms
from genotex.simulate import NOTHING_REAL, CohortPlan, SampleNames, TcgaPlan, TraitKind

__all__ = ["ARRAYS", "FIRST_SERIES", "geo_plans", "tcga_plans"]

ARRAYS = ("affymetrix", "illumina", "affymetrix 2", "illumina 2")
"""Names of the platforms; the first word is the style."""

FIRST_SERIES = 91_000_001


def tcga_plans(traits: Sequence[WorldTrait], samples: int) -> list[TcgaPlan]:
    """Return the TCGA folder of every cancer."""
    return [
        TcgaPlan(
            trait=trait.name,
            code=trait.code,
            disease=trait.words.title(),
            tumours=max(16, samples // 2),
            site=f"S{place}",
            hidden=_hidden(trait, traits),
        )
        for place, trait in enumerate(trait for trait in traits if trait.code)
    ]


def geo_plans(traits: Sequence[WorldTrait], cohorts: int, samples: int) -> list[CohortPlan]:
    """Return the GEO cohorts in the order of their accessions, the traits' one after another.

    Every trait that can be answered has a plain cohort; the others are given out in turn.

    Parameters
    ----------
    traits : sequence of WorldTrait
        The traits.
    cohorts : int
        How many.
    samples : int
        Samples of the largest one.
    """
    plans: list[CohortPlan] = []
    for trait, recipes in _give_out(traits, cohorts):
        for recipe in recipes:
            plans.append(_plan(trait, recipe, len(plans), samples, _hidden(trait, traits)))
    return plans


def _give_out(traits: Sequence[WorldTrait], cohorts: int) -> list[tuple[WorldTrait, list[Recipe]]]:
    given = [(t, [PLAIN] if t.answerable else list(UNANSWERABLE)) for t in traits]
    binary, measured = cycle(BINARY_EXTRAS), cycle(MEASURED_EXTRAS)
    open_ones: Iterator[tuple[WorldTrait, list[Recipe]]]
    open_ones = cycle(pair for pair in given if pair[0].answerable)
    for _ in range(cohorts - sum(len(recipes) for _, recipes in given)):
        trait, recipes = next(open_ones)
        recipes.append(next(measured if trait.measured else binary))
    return given


def _hidden(trait: WorldTrait, traits: Sequence[WorldTrait]) -> dict[str, TraitKind]:
    others = conditions_of(trait, traits)
    return {other.name: other.kind for other in traits if other.name in others}


def _plan(
    trait: WorldTrait, recipe: Recipe, turn: int, samples: int, hidden: dict[str, TraitKind]
) -> CohortPlan:
    status, age, sex = forms(trait, turn)
    if recipe.together:
        age, sex = PLAIN_AGE, LETTERS
    told_in_rows = recipe.told_in == "rows"
    wording = Wording(
        trait=trait,
        status=status if told_in_rows else None,
        age=age if recipe.age else None,
        sex=sex if recipe.sex else None,
        batch=recipe.late is not None,
        arms=recipe.arms,
        shifted=recipe.shifted,
        together=recipe.together,
    )
    title, summary, design = _texts(trait)
    explained = status.explained if told_in_rows else ""
    return CohortPlan(
        accession=f"GSE{FIRST_SERIES + turn}",
        trait=trait.name,
        array=recipe.instead or ARRAYS[turn % len(ARRAYS)],
        groups=_groups(trait, recipe, round(recipe.share * samples)),
        late=recipe.late,
        describe=wording.tell,
        title=_sentence(trait, recipe.title or title),
        summary=(_sentence(trait, (recipe.summary or summary) + explained), NOTHING_REAL),
        overall_design=_sentence(trait, recipe.design or design),
        names=_names(trait, recipe, turn),
        usable=recipe.usable,
        reason=recipe.reason,
        kind=trait.kind,
        hidden=hidden,
    )


def _texts(trait: WorldTrait) -> tuple[str, str, str]:
    """Return the usual title, summary and design."""
    if trait.measured:
        return (
            "Gene expression in {tissue} and {t}",
            "{tissue} of donors was profiled to find genes associated with the {t}.",
            "Donors whose {t} was measured, one array each.",
        )
    control = "normal tissue" if trait.code else "healthy controls"
    return (
        "Gene expression in {tissue} of patients with {t}",
        f"{{tissue}} of patients with {{t}} and {control} was profiled to find genes associated "
        "with the disease.",
        f"Patients with {{t}} and {control}, one array each.",
    )


def _sentence(trait: WorldTrait, form: str) -> str:
    filled = trait.say(form)
    return filled[0].upper() + filled[1:]


def _groups(trait: WorldTrait, recipe: Recipe, samples: int) -> dict[str, int]:
    """Return the samples of each group; the last one gets what is left."""
    if trait.measured:
        return {"unknown": samples}
    *first, last = recipe.groups
    counts = {group: max(1, round(recipe.groups[group] * samples)) for group in first}
    if recipe.fewest_cases:
        counts["case"] = min(4, max(1, samples // 20))
    counts[last] = samples - sum(counts.values())
    return counts


def _names(trait: WorldTrait, recipe: Recipe, turn: int) -> SampleNames:
    """Return names that tell the group in every other cohort, and where nothing else does."""
    groups = {
        "case": trait.words.capitalize(),
        "healthy control": "Normal tissue" if trait.code else "Healthy control",
        "other disease": trait.other.capitalize(),
        "unknown": "Donor",
    }
    told = recipe.told_in == "sources" or (recipe.told_in == "rows" and turn % 2 == 0)
    if told and not trait.measured:
        return SampleNames.of_tissue_and_groups(trait.tissue, groups)
    return SampleNames(
        dict.fromkeys(groups, trait.tissue), dict.fromkeys(groups, trait.tissue.capitalize())
    )
