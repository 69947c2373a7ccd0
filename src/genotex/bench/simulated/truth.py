"""What was put into a simulated world; ``truth.json`` in its folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from genotex.simulate import (
    WORLD_FORMAT,
    CohortTruth,
    Score,
    TraitKind,
    open_record,
    record_text,
    score_genes,
)

__all__ = ["BenchmarkTruth", "TraitTruth", "load_benchmark_truth"]

_VERSION = 1


@dataclass(frozen=True)
class TraitTruth:
    """One trait as it was made.

    Attributes
    ----------
    kind : {"binary", "continuous"}
        Whether people have it or not, or have more or less of it.
    planted : mapping of str to float
        Gene that differs -> its difference in standard deviations of the gene, the largest first:
        between cases and all others, or of a measured trait between people one standard deviation
        above the mean and one below it.
    cohorts : mapping of str to CohortTruth
        By cohort id, in the order of the reference's ``cohort_info.json``.
    """

    kind: TraitKind
    planted: Mapping[str, float]
    cohorts: Mapping[str, CohortTruth]


@dataclass(frozen=True)
class BenchmarkTruth:
    """All that is true of a simulated world.

    Attributes
    ----------
    seed : int
        Seed it was made with.
    nuisance : mapping of str to tuple of str
        "age", "sex" -> symbols that change with it in every cohort.
    aliases : mapping of str to str
        Official symbol -> the older name of the same gene in Affymetrix-like platforms and in
        TCGA files.
    traits : mapping of str to TraitTruth
        By trait folder name.
    """

    seed: int
    nuisance: Mapping[str, tuple[str, ...]]
    aliases: Mapping[str, str]
    traits: Mapping[str, TraitTruth]

    def usable_cohorts(self, trait: str) -> list[str]:
        """Return the ids of the cohorts that a careful reader can use for `trait`, sorted."""
        return sorted(name for name, c in self.traits[trait].cohorts.items() if c.usable)

    def score(self, genes: Iterable[str], trait: str) -> Score:
        """Compare a list of significant genes with those planted for `trait`.

        Raises
        ------
        UsageError
            If there is no such trait.
        """
        return score_genes({name: t.planted for name, t in self.traits.items()}, genes, trait)

    def to_json(self) -> str:
        """Return the text of ``truth.json``."""
        return record_text(WORLD_FORMAT, _VERSION, asdict(self))


def load_benchmark_truth(path: Path) -> BenchmarkTruth:
    """Read the ``truth.json`` of a world.

    Parameters
    ----------
    path : Path
        The file, or the world's folder.

    Raises
    ------
    FormatError
        If there is no such file or it is not such a record.
    """
    with open_record(path, WORLD_FORMAT) as document:
        return BenchmarkTruth(
            document["seed"],
            {k: tuple(v) for k, v in document["nuisance"].items()},
            dict(document["aliases"]),
            {
                name: TraitTruth(
                    trait["kind"],
                    dict(trait["planted"]),
                    {k: CohortTruth(**v) for k, v in trait["cohorts"].items()},
                )
                for name, trait in document["traits"].items()
            },
        )
