"""What each table of the workbench has to show: the stored rows, and what its headers mean."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist
from urllib.parse import urlencode

import polars as pl
import pytest

from genotex.analysis import (
    analyze_cohorts,
    enrich_problem,
    gene_stories,
    read_meta,
    solve_problems,
    write_meta,
)
from genotex.atlas import (
    AtlasReader,
    Signature,
    compare_traits,
    find_gene,
    find_similar,
    find_trait,
)
from genotex.cli import main
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, EnrichmentOptions
from genotex.problems import Problem
from tests.app.conftest import Browser
from tests.app.test_atlas_pages import ask
from tests.atlas.result_folders import GENES
from tests.cli.test_de import write as write_tables
from tests.shown import in_files

HALF_INTERVAL = NormalDist().inv_cdf(0.975)
Headers = dict[str, str | tuple[str, str]]
UP, DOWN = GENES[1:20:2], GENES[0:20:2]
SIGNIFICANT = pl.col("Significant").fill_null(False)
significant, up, down = pl.col("significant"), pl.col("effect") > 0, pl.col("effect") < 0


@dataclass(frozen=True, eq=False)
class Shown:
    """A table of a page: `stored` are its rows in order, read from the files of the results.

    `headers` maps the header of a column to a column of `stored`, of an interval to both ends;
    `files` does so for the columns of a file. `flag` is which rows stand out, `named` the columns
    that name a row, `searched` those that the search looks in; a row leads to the page `leads`,
    which is named by `leads_by` (part of the address -> column).
    """

    stored: pl.DataFrame
    headers: Headers
    files: Mapping[str, str]
    filters: Mapping[str, pl.Expr]
    flag: pl.Expr
    place: Mapping[str, str]
    named: tuple[str, ...]
    leads: str
    leads_by: Mapping[str, str]
    opens: bool = True
    searched: tuple[str, ...] = ()
    signs: str = field(default="")


def same_names(stored: pl.DataFrame) -> dict[str, str]:
    return {name: name for name in stored.columns}


def prepare_study(study_folder: Path, folder: Path) -> None:
    """Write results of every kind but an atlas: genes twice, sets, all cohorts, survival."""
    shutil.copytree(study_folder / "results", folder / "results")
    other = OutputFolder(shutil.copytree(study_folder / "results", folder / "other"))
    output = OutputFolder(folder / "results")
    problem = Problem(output.traits()[0])
    solve_problems(other, [problem], AnalysisOptions(panel=False, covariates=(), hidden="none"))
    write_meta(output, analyze_cohorts(output, problem, AnalysisOptions(panel=False)))
    genes = stored_genes(output).filter(pl.col("Status") == "tested")["Variable"].to_list()
    sets = {"TOP": genes[:30], "LAST": genes[-40:], "TENTH": genes[::10][:60], "ODD": genes[1:99:2]}
    lines = ("\t".join([name, "made", *members]) for name, members in sets.items())
    (folder / "sets.gmt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    enrich_problem(output, problem, folder / "sets.gmt", EnrichmentOptions(min_size=5))
    tables = [str(path) for path in write_tables(folder / "own")]
    command = ["genotex", "de", *tables, str(folder / "time"), "--survival", "months,died"]
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as end:
        patch.setattr("sys.argv", command)
        main()
    assert end.value.code == 0


def stored_genes(output: OutputFolder) -> pl.DataFrame:
    (path,) = output.significant_genes(output.traits()[0], None).parent.glob("all_genes*.parquet")
    return pl.read_parquet(path)


def genes_of_an_analysis(folder: Path, place: Mapping[str, str]) -> Shown:
    half = HALF_INTERVAL * pl.col("Standardised Error")
    stored = stored_genes(OutputFolder(folder / "results")).with_columns(
        (pl.col("Standardised Effect") - half).alias("g low"),
        (pl.col("Standardised Effect") + half).alias("g high"),
    )
    headers: Headers = {
        "Gene": "Variable", "log2 FC": "Coefficient", "95 % interval": ("CI Lower", "CI Upper"),
        "t": "t", "p": "p", "q": "q", "replication": "Replication", "grade": "Grade",
        "mean": "Mean Expression",
        "Hedges' g": "Standardised Effect", "g 95 % interval": ("g low", "g high"),
    }  # fmt: skip
    files = {
        "gene": "Variable", "log2_fold_change": "Coefficient", "mean": "Mean Expression",
        "hedges_g": "Standardised Effect", "hedges_g_standard_error": "Standardised Error",
        "hedges_g_ci_low": "g low", "hedges_g_ci_high": "g high", "n": "Samples",
        "with_sv_change": "With SV Coefficient",
    }  # fmt: skip
    higher, lower = pl.col("Coefficient") > 0, pl.col("Coefficient") < 0
    filters = {
        "significant": SIGNIFICANT,
        "significant, higher": SIGNIFICANT & higher,
        "significant, lower": SIGNIFICANT & lower,
        **{grade: pl.col("Grade") == grade for grade in ("robust", "sensitive", "masked")},
        "highlighted": pl.lit(False),
    }
    return Shown(
        stored, headers, {in_files(name): name for name in stored.columns} | files, filters,
        SIGNIFICANT, place, ("Variable",), "/gene", {"gene": "Variable"}, signs="Coefficient",
    )  # fmt: skip


def genes_of_all_cohorts(folder: Path, place: Mapping[str, str]) -> Shown:
    output = OutputFolder(folder / "results")
    path = output.meta_table(place["trait"], None)
    stored = pl.read_parquet(path).with_columns(
        pl.Series("story", gene_stories(read_meta(output, place["trait"], None))),
        pl.format("{} of {}", "Agreeing", "Cohorts").alias("same sign"),
        pl.when(pl.col("Random p").is_not_null()).then("Fixed Effect").alias("fixed, of three"),
    )
    headers: Headers = {
        "Gene": "Variable", "g": "Combined Effect", "95 % interval": ("CI Lower", "CI Upper"),
        "p": "p", "q": "q", "strict p": "Random p", "same sign": "same sign",
        "I\N{SUPERSCRIPT TWO} %": "I2", "p of Q": "Q p", "fixed g": "fixed, of three",
        "worst p": "Leave-One-Out p", "replication q": "Replication q", "replicates": "Replicates",
        "next cohort": "Replication", "story": "story",
    }  # fmt: skip
    files = {in_files(name): name for name in stored.columns} | {
        "gene": "Variable", "effect": "Combined Effect", "standard_error": "Combined Error",
        "cochran_q": "Q", "q": "q", "cochran_q_p": "Q p", "p": "p", "r": "Combined r",
    }  # fmt: skip
    # Cohorts keep the spelling of their names.
    files |= {
        f"{name.split()[0]}_{in_files(name.split()[1]).removeprefix('standard_')}": name
        for name in stored.columns
        if name.startswith("GSE")
    }
    filters = {
        "significant": pl.col("Significant"),
        "replicating": pl.col("Replicates"),
        "cohorts differ (p of Q below 0.05)": pl.col("Q p") < 0.05,
        "same sign in every cohort": pl.col("Agreeing") == pl.col("Cohorts"),
    }
    return Shown(
        stored, headers, files, filters, pl.col("Significant"), place, ("Variable",),
        "/cohorts/gene", {"gene": "Variable"},
    )  # fmt: skip


def gene_sets(folder: Path, place: Mapping[str, str]) -> Shown:
    path = OutputFolder(folder / "results").enrichment(place["trait"], None).with_suffix(".csv")
    stored = pl.read_csv(path)
    headers: Headers = {
        "Gene set": "Gene Set", "Genes": "Tested Genes", "Change": "Fry Direction",
        "Shift": "Shift", "fry q": "Fry q", "mixed q": "Mixed q", "camera p": "p",
        "camera q": "q", "Correlation": "Inter-gene Correlation",
        "Score": "Normalised Score", "Significant": "Significant Genes", "By chance": "Expected",
        "overlap q": "Overlap q",
    }  # fmt: skip
    low = pl.col("Fry q") < 0.05
    filters = {
        "significant": low,
        "significant, higher": low & (pl.col("Fry Direction") == "up"),
        "significant, lower": low & (pl.col("Fry Direction") == "down"),
    }
    return Shown(
        stored,
        headers,
        same_names(stored),
        filters,
        low,
        place,
        ("Gene Set",),
        "/set",
        {"set": "Gene Set"},
    )


def genes_by_survival(folder: Path, place: Mapping[str, str]) -> Shown:
    stored = pl.read_csv(folder / "time" / "genes.csv").with_columns(
        pl.col("ci_low").exp().alias("ratio low"), pl.col("ci_high").exp().alias("ratio high")
    )
    headers: Headers = {
        "Gene": "gene", "Hazard ratio": "hazard_ratio", "95 % from": "ratio low",
        "to": "ratio high", "z": "z", "p": "p", "q": "q", "Mean": "mean",
    }  # fmt: skip
    low = pl.col("q") < 0.05
    filters = {
        "significant": low,
        "significant, higher hazard": low & (pl.col("hazard_ratio") > 1),
        "significant, lower hazard": low & (pl.col("hazard_ratio") < 1),
    }
    return Shown(
        stored, headers, same_names(stored), filters, low, {"output": "time"}, ("gene",),
        "/survival/gene", {"gene": "gene"},
    )  # fmt: skip


def genes_compared(folder: Path, place: Mapping[str, str]) -> Shown:
    parts = {"Coefficient": "effect", "t": "t", "p": "p", "q": "q", "Significant": "significant"}
    one, two = (
        stored_genes(OutputFolder(folder / name)).select(
            "Variable", *(pl.col(a).alias(f"{b} {number}") for a, b in parts.items())
        )
        for number, name in ((1, "results"), (2, "other"))
    )
    first, second = pl.col("significant 1"), pl.col("significant 2")
    opposite = pl.col("effect 1") * pl.col("effect 2") < 0
    known = pl.col("effect 1").is_not_null() & pl.col("effect 2").is_not_null()
    where = {"both": first & second, "first only": first & ~second, "second only": ~first & second}
    stored = (
        one.join(two, on="Variable", maintain_order="left")
        .with_columns(
            pl.coalesce(
                *(pl.when(found).then(pl.lit(name)) for name, found in where.items()),
                pl.lit("neither"),
            ).alias("significant in"),
            pl.when(known & opposite)
            .then(pl.lit("opposite"))
            .when(known)
            .then(pl.lit("same"))
            .alias("direction"),
        )
        .sort(pl.min_horizontal("p 1", "p 2"), nulls_last=True, maintain_order=True)
    )
    headers: Headers = {
        f"{part}, {word}": f"{part} {number}"
        for part in ("effect", "t", "q")
        for number, word in ((1, "first"), (2, "second"))
    }
    headers |= {"Gene": "Variable", "Significant in": "significant in", "Direction": "direction"}
    filters = {
        "significant in both": where["both"],
        "significant in the first only": where["first only"],
        "significant in the second only": where["second only"],
        "significant, opposite direction": (first | second) & known & opposite,
    }
    there = {**place, "with": urlencode({**place, "output": "other"})}
    return Shown(
        stored, headers, same_names(stored), filters, first | second, there, ("Variable",),
        "/gene", {"gene": "Variable"},
    )  # fmt: skip


IN_ATLAS = {"atlas": "atlas"}
COMBINED: Headers = {
    "Change": "direction", "Effect": "effect", "95 % interval": ("ci_low", "ci_high"),
    "p": "p", "q": "q", "Rank": "rank", "Cohorts": "cohorts", "Agreeing": "agreeing",
    "I\N{SUPERSCRIPT TWO} (%)": "i2", "Samples": "samples",
}  # fmt: skip
OF_SIGNIFICANT = {
    "significant": significant,
    "significant, higher": significant & up,
    "significant, lower": significant & down,
}
OF_CONDITIONS = {"without a condition": pl.col("condition").is_null()}
TRAIT_OF_GENES = "Lupus_(SLE)"


def atlas_traits(folder: Path, tab: Browser) -> Shown:
    reader = AtlasReader(folder / "atlas")
    of_traits = reader.results.group_by("trait", "condition").agg(cohorts=pl.len())
    groups = reader.groups.with_columns(combined=pl.col("used").list.len())
    stored = of_traits.join(
        groups.select("trait", "combined", "samples", "genes", "significant"), on="trait"
    ).sort("trait")
    headers: Headers = {
        "Trait": "trait", "Cohorts": "cohorts", "Combined": "combined", "Samples": "samples",
        "Genes": "genes", "Significant genes": "significant",
    }  # fmt: skip
    filters = OF_CONDITIONS | {
        "given a condition": pl.col("condition").is_not_null(),
        "several cohorts combined": pl.col("combined") > 1,
        "with significant genes": pl.col("significant") > 0,
    }
    return Shown(
        stored, headers, same_names(stored), filters, pl.lit(True), IN_ATLAS, ("trait",),
        "/atlas/trait", {"trait": "trait"},
    )  # fmt: skip


def atlas_pairs(folder: Path, tab: Browser) -> Shown:
    stored = compare_traits(AtlasReader(folder / "atlas")).pairs
    headers: Headers = {
        "Trait": "trait", "Other trait": "other", "Similarity": "similarity",
        "Genes in common": "genes", "Samples in common": "shared_samples",
        "Platforms in common": "shared_platforms",
    }  # fmt: skip
    near, apart = pl.col("similarity") > 0.3, pl.col("shared_samples") == 0
    filters = {
        "similarity above 0.3": near,
        "reversed (below \N{MINUS SIGN}0.3)": pl.col("similarity") < -0.3,
        "no samples in common": apart,
        "above 0.3, no samples in common": near & apart,
        "samples in common": ~apart,
    }
    return Shown(
        stored, headers, same_names(stored), filters, pl.lit(True), IN_ATLAS, ("trait", "other"),
        "/atlas/pairs", {"trait": "trait", "other": "other"}, opens=False,
        searched=("trait", "other"),
    )  # fmt: skip


def atlas_gene_traits(folder: Path, tab: Browser) -> Shown:
    stored = find_gene(AtlasReader(folder / "atlas"), GENES[1]).traits
    return Shown(
        stored, {"Trait": "trait", **COMBINED}, same_names(stored), OF_CONDITIONS | OF_SIGNIFICANT,
        significant, {**IN_ATLAS, "gene": GENES[1]}, ("trait",), "/atlas/trait", {"trait": "trait"},
    )  # fmt: skip


def atlas_gene_cohorts(folder: Path, tab: Browser) -> Shown:
    """Read each cohort's own result, as it was before it was collected."""
    parts = {
        "Coefficient": "effect", "Standardised Effect": "standardised", "p": "p", "q": "q",
        "Standard Error": "error", "Standardised Error": "standardised_error",
        "Samples": "samples", "Status": "status", "Significant": "significant",
    }  # fmt: skip
    rows = []
    for path in sorted(folder.glob("*/regress/*/all_genes*.parquet")):
        table = pl.read_parquet(path).with_row_index("rank", 1)
        found = table.filter(pl.col("Variable") == GENES[1]).row(0, named=True)
        tested = table["p"].drop_nulls().len()
        named = {"cohort": path.parts[-4], "trait": path.parts[-2], "ranked_of": tested}
        rows.append(named | {"rank": found["rank"]} | {b: found[a] for a, b in parts.items()})
    known = find_gene(AtlasReader(folder / "atlas"), GENES[1]).cohorts
    more = known.drop(*parts.values(), "trait", "direction", "rank", "ranked_of")
    stored = pl.DataFrame(rows).join(more, on="cohort").sort("trait", "p", "cohort")
    stored = stored.with_columns(direction=pl.when(up).then(pl.lit("up")).otherwise(pl.lit("down")))
    names = ("rank", "status", "effect", "standardised", "p", "q", "samples", "platform", "tissue")
    headers: Headers = {
        "Cohort": "cohort",
        "Trait": "trait",
        "Change": "direction",
        "of": "ranked_of",
    }
    headers |= {name if len(name) == 1 else name.capitalize(): name for name in names}
    filters = OF_CONDITIONS | OF_SIGNIFICANT | {"not tested": pl.col("p").is_null()}
    return Shown(
        stored, headers, same_names(stored), filters, significant, {**IN_ATLAS, "gene": GENES[1]},
        ("cohort", "trait"), "/gene", {"output": "cohort", "trait": "trait"}, opens=False,
        searched=("cohort", "trait", "tissue"),
    )  # fmt: skip


def atlas_genes(folder: Path, tab: Browser) -> Shown:
    stored = find_trait(AtlasReader(folder / "atlas"), TRAIT_OF_GENES).genes
    several = pl.col("cohorts") > 1
    filters = OF_SIGNIFICANT | {
        "in several cohorts": several,
        "same sign in every cohort": several & (pl.col("agreeing") == pl.col("cohorts")),
    }
    return Shown(
        stored, {"Gene": "gene", **COMBINED}, same_names(stored), filters, significant,
        {**IN_ATLAS, "trait": TRAIT_OF_GENES}, ("gene",), "/atlas/gene", {"gene": "gene"},
    )  # fmt: skip


def _similar(folder: Path, tab: Browser, by: str) -> Shown:
    there = ask(tab, " ".join(UP), " ".join(DOWN), by=by)
    found = find_similar(AtlasReader(folder / "atlas"), Signature(tuple(UP), tuple(DOWN)))
    stored = found.cohorts if by == "cohort" else found.traits
    stored = stored.with_columns(pl.col(pl.List(pl.String)).list.join("; "))
    headers: Headers = {
        "Trait": "trait", "Signature": "direction", "Score": "score", "p": "p", "q": "q",
        "p if independent": "p_independent", "Genes": "found", "Samples": "samples",
    }  # fmt: skip
    if by == "cohort":
        headers |= {"Cohort": "cohort", "Platform": "platform", "Tissue": "tissue"}
    low, alike, turned = pl.col("q") < 0.05, pl.col("score") > 0, pl.col("score") < 0
    filters = {
        "similar": alike,
        "reversed": turned,
        "q below 0.05": low,
        "similar, q below 0.05": low & alike,
        "reversed, q below 0.05": low & turned,
    }
    asked = dict(part.split("=") for part in there.partition("?")[2].split("&"))
    several = ("trait", "cohort", "tissue") if by == "cohort" else ("trait",)
    named = ("trait", "cohort") if by == "cohort" else ("trait",)
    return Shown(
        stored, headers, same_names(stored), filters, low, asked, named, "/atlas/trait",
        {"trait": "trait"}, searched=several,
    )  # fmt: skip


def similar_traits(folder: Path, tab: Browser) -> Shown:
    return _similar(folder, tab, "trait")


def similar_cohorts(folder: Path, tab: Browser) -> Shown:
    return _similar(folder, tab, "cohort")


OF_THE_STUDY = {
    ("/genes", "gene"): genes_of_an_analysis,
    ("/cohorts", "gene"): genes_of_all_cohorts,
    ("/sets", "set"): gene_sets,
    ("/survival", "gene"): genes_by_survival,
    ("/compare", "gene"): genes_compared,
}
OF_THE_ATLAS = {
    ("/atlas", "trait"): atlas_traits,
    ("/atlas/pairs", "pair"): atlas_pairs,
    ("/atlas/gene", "trait"): atlas_gene_traits,
    ("/atlas/gene/cohorts", "result"): atlas_gene_cohorts,
    ("/atlas/trait", "gene"): atlas_genes,
    ("/atlas/similar", "trait"): similar_traits,
    ("/atlas/similar", "result"): similar_cohorts,
}
"""Address of a table and what its rows are -> what it has to show."""
