"""Data frames of designs with several factors, of cohorts combined, gene sets and the atlas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import genotex as gx
from tests.atlas.conftest import ASTHMA
from tests.atlas.result_folders import GENES, write_cohort

PLAIN: dict[str, Any] = {"hidden": "none", "filter_low": False}
NAMES = [f"ABCA{i}" for i in range(60)]


def tables(seed: int, each: int = 5) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return expression and samples: the first ten genes are higher in B, the next ten lower."""
    random = np.random.default_rng(seed)
    samples = pd.DataFrame(
        [(g, s) for g in "AB" for s in ("female", "male") for _ in range(each)],
        columns=["group", "sex"],
        index=pd.Index([f"S{seed}{i}" for i in range(4 * each)], name="sample"),
    )
    samples["dose"] = random.normal(size=len(samples))
    change = np.repeat([2.0, -2.0, 0.0], [10, 10, 40])
    values = 8 + random.normal(scale=0.8, size=(60, len(samples)))
    values += np.outer(change, samples["group"] == "B")
    values[:, samples["sex"] == "male"] += random.normal(size=60)[:, None]
    return pd.DataFrame(values, pd.Index(NAMES, name="gene"), samples.index), samples


@pytest.fixture(scope="module")
def data() -> tuple[pd.DataFrame, pd.DataFrame]:
    return tables(1)


def coded(samples: pd.DataFrame) -> dict[str, np.ndarray]:
    b, m = (samples["group"] == "B").to_numpy(float), (samples["sex"] == "male").to_numpy(float)
    return {
        "1": np.ones(len(b)),
        "B": b,
        "male": m,
        "dose": samples["dose"].to_numpy(),
        "Bm": b * m,
    }


@pytest.mark.parametrize(
    ("design", "contrast", "columns", "weights"),
    [
        ("~ group + sex + dose", "group: B - A", ["1", "B", "male", "dose"], {"B": 1}),
        ("~ group + sex + dose", "sex: female - male", ["1", "B", "male", "dose"], {"male": -1}),
        ("~ group + sex + dose", "dose", ["1", "B", "male", "dose"], {"dose": 1}),
        ("~ group * sex", "group:sex", ["1", "B", "male", "Bm"], {"Bm": 1}),
        ("~ group * sex", "group: A - B | sex = male", ["1", "B", "male", "Bm"],
         {"B": -1, "Bm": -1}),
        ("~ group * sex", "group: B - A | sex = female", ["1", "B", "male", "Bm"], {"B": 1}),
    ],
)  # fmt: skip
def test_a_contrast_of_several_factors_is_that_of_least_squares(
    data: tuple[pd.DataFrame, pd.DataFrame], design: str, contrast: str, columns: list[str],
    weights: dict[str, int],
) -> None:  # fmt: skip
    values, samples = data
    found = gx.de(values, samples, design=design, contrast=contrast, **PLAIN).table
    x = np.column_stack([coded(samples)[name] for name in columns])
    fitted = np.linalg.lstsq(x, values.loc[found.index].to_numpy().T, rcond=None)[0]
    change = sum(weight * fitted[columns.index(name)] for name, weight in weights.items())
    np.testing.assert_allclose(found["log2_fold_change"], change, atol=1e-9)
    np.testing.assert_allclose(found["mean"], values.loc[found.index].mean(axis=1))
    size = "partial_r" if "partial_r" in found else "hedges_g"
    assert (np.sign(found[["t", size]].to_numpy()) == np.sign(change)[:, None]).all()
    for middle in ("log2_fold_change", size):
        ends = ("ci_low", "ci_high") if middle == "log2_fold_change" else (
            f"{size}_ci_low", f"{size}_ci_high"
        )  # fmt: skip
        assert (found[ends[0]] < found[middle]).all() and (found[middle] < found[ends[1]]).all()
    assert (found["q"] >= found["p"]).all()
    for part, order in (
        (found[found["q"] < 0.05], "replication"),
        (found[found["q"] >= 0.05], "p"),
    ):
        assert part[order].is_monotonic_decreasing if order != "p" else (
            part[order].is_monotonic_increasing
        )  # fmt: skip
    clear = (found["ci_low"] > 0) | (found["ci_high"] < 0)
    assert (clear == (found["p"] < 0.05)).all()


def test_several_coefficients_have_the_largest_and_each_of_them(
    data: tuple[pd.DataFrame, pd.DataFrame],
) -> None:
    values, samples = data
    three = samples.assign(group=["A"] * 6 + ["B"] * 6 + ["C"] * 8)
    result = gx.de(values, three, design="~ group", contrast="group", **PLAIN)
    found = result.table
    means = values.loc[found.index].T.groupby(three["group"]).mean().T
    each = {level: means[level] - means["A"] for level in "BC"}
    for level, change in each.items():
        name = f"group[T.{level}]"
        np.testing.assert_allclose(found[f"{name} Coefficient"], change)
        assert (found[f"{name} q"] >= found[f"{name} p"]).all()
        strong = change.abs().sort_values().index
        assert found[f"{name} p"][strong[-1]] < 0.001 < 0.1 < found[f"{name} p"][strong[0]]
    largest = [max(pair, key=abs) for pair in zip(*each.values(), strict=True)]
    np.testing.assert_allclose(found["log2_fold_change"], largest)
    assert found["F"].is_monotonic_decreasing and found["p"].is_monotonic_increasing


@pytest.fixture(scope="module")
def cohorts() -> dict[str, gx.Result]:
    asked = {"design": "~ group + sex", "contrast": "group: B - A"}
    return {f"C{i}": gx.de(*tables(i, each=i + 4), **asked, **PLAIN) for i in (3, 2, 1)}  # type: ignore[arg-type]


def test_cohorts_side_by_side_and_what_they_have_in_common(cohorts: dict[str, gx.Result]) -> None:
    both = gx.meta(cohorts, q=0.01)
    unequal = False
    genes = both.index
    assert (both["samples"] == 4 * (5 + 6 + 7)).all() and (both["cohorts"] == 3).all()
    effects = both[[f"{name}_effect" for name in cohorts]].to_numpy()
    errors = both[[f"{name}_error" for name in cohorts]].to_numpy()
    p = both[[f"{name}_p" for name in cohorts]].to_numpy()
    for name, result in cohorts.items():
        hits = result.significant["log2_fold_change"]
        up, down = (hits > 0).sum(), (hits < 0).sum()
        assert f"{len(hits)} significant at q < 0.05 ({up} higher, {down} lower)" in repr(result)
        unequal |= bool(up != down)
        table = result.table.loc[genes]
        for ours, theirs in (
            ("effect", "hedges_g"), ("coefficient", "log2_fold_change"), ("p", "p"), ("q", "q"),
        ):  # fmt: skip
            np.testing.assert_allclose(both[f"{name}_{ours}"], table[theirs], err_msg=ours)
    assert unequal
    weights = 1 / errors**2
    fixed = (weights * effects).sum(axis=1) / weights.sum(axis=1)
    np.testing.assert_allclose(both["fixed_effect"], fixed)
    np.testing.assert_allclose(both["fixed_standard_error"], weights.sum(axis=1) ** -0.5)
    q = (weights * (effects - fixed[:, None]) ** 2).sum(axis=1)
    np.testing.assert_allclose(both["cochran_q"], q)
    np.testing.assert_allclose(both["i2"], 100 * np.clip(1 - 2 / q, 0, None), atol=1e-9)
    random = 1 / (errors**2 + both["tau2"].to_numpy()[:, None])
    mean = (random * effects).sum(axis=1) / random.sum(axis=1)
    np.testing.assert_allclose(both["effect"], mean, rtol=1e-6)
    for front in ("", "fixed_"):
        ends = both[f"{front}ci_low"] + both[f"{front}ci_high"]
        np.testing.assert_allclose(ends, 2 * both[f"{front}effect"], rtol=1e-6)
        assert (both[f"{front}ci_low"] < both[f"{front}ci_high"]).all()
    same = np.sign(effects) == np.sign(both["effect"].to_numpy())[:, None]
    assert both["agreeing"].tolist() == same.sum(axis=1).tolist()
    np.testing.assert_allclose(both["agreement"], same.mean(axis=1))
    assert both["nominal"].tolist() == ((p < 0.05) & same).sum(axis=1).tolist()
    assert both[both["significant"]]["replication"].is_monotonic_decreasing
    assert (
        both[~both["significant"]]["p"].is_monotonic_increasing
        and (both["significant"] == (both["q"] < 0.01)).all()
    )
    for name in ("", "random_", "stouffer_"):
        assert (both[f"{name}q"] >= both[f"{name}p"]).all()
    assert (np.sign(both["z"]) == np.sign(both["effect"])).all()
    assert both["replicates"].sum() and not (both["replicates"] & ~both["significant"]).any()
    again = gx.meta({**cohorts, "copy": cohorts["C3"]}, q=0.01)
    assert list(again.attrs["left_out"]) == ["copy"] and both.attrs["left_out"] == {}
    assert again.attrs["method"]["options"]["q_cut"] == 0.01
    assert set(genes[:20]) == set(NAMES[:20]) and (both["effect"][NAMES[:10]] > 0).all()


def test_gene_sets_with_their_own_size_and_direction(
    cohorts: dict[str, gx.Result], tmp_path: Path
) -> None:
    sets = {"UP": NAMES[:10], "DOWN": NAMES[10:20], "REST": [*NAMES[20:45], "TP53"]}
    lines = ["\t".join([name, f"about {name}", *genes]) for name, genes in sets.items()]
    (tmp_path / "sets.gmt").write_text("\n".join(lines) + "\n")
    result = cohorts["C3"]
    found = gx.enrich(result, tmp_path / "sets.gmt", min_size=5, permutations=100)
    assert found["description"].to_dict() == {name: f"about {name}" for name in sets}
    assert found["genes"].to_dict() == {"UP": 10, "DOWN": 10, "REST": 26}
    assert found["tested_genes"].to_dict() == {"UP": 10, "DOWN": 10, "REST": 25}
    for name in ("direction", "fry_direction"):
        assert (found[name]["UP"], found[name]["DOWN"]) == ("up", "down")
    assert found["p"].is_monotonic_increasing
    for name in ("", "fry_", "mixed_"):
        assert (found[f"{name}q"] >= found[f"{name}p"]).all()
        assert (found[f"{name}p"][["UP", "DOWN"]] < found[f"{name}p"]["REST"]).all()
    significant = set(result.significant.index)
    for name, genes in sets.items():
        hits, share = significant & set(genes), len(significant) / len(result.table)
        assert found["significant_genes"][name] == len(hits)
        assert found["expected"][name] == pytest.approx(found["tested_genes"][name] * share)
        assert set((found["overlap"][name] or "").split()) == hits
    if "enrichment_score" in found:
        for name in ("enrichment_score", "normalised_score"):
            assert found[name]["UP"] > 0 > found[name]["DOWN"]


def test_figures_of_a_ranked_list_have_their_names(tmp_path: Path) -> None:
    """By hand, of eight genes: c is missed; a is found first and b third."""
    folder = tmp_path / "regress" / "Gout"
    folder.mkdir(parents=True)
    answer = {"significant_genes": {"Variable": ["a", "b", "c"]}}
    (folder / "significant_genes_condition_Age.json").write_text(json.dumps(answer))
    found = gx.evaluate_genes(list("axbyz"), ("Gout", "Age"), tmp_path, universe=[*"abcxyzuv"])
    assert found.name == "Gout given Age"
    assert found.to_dict() == pytest.approx({
        "precision": 40.0, "recall": 200 / 3, "f1": 50.0,
        # Five negatives: a beats all, b all but x, c is level with u and v.
        "auroc": (5 + 4 + 1) / 15, "auprc": (1 + 2 / 3 + 3 / 8) / 3,
        "gsea_es": 2 / 3 - 1 / 5, "gsea_es_within": 1 - 1 / 6,
    })  # fmt: skip


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> gx.Atlas:
    folder = tmp_path_factory.mktemp("frames")
    for seed, trait in enumerate(("Asthma", "Asthma", "Eczema")):
        write_cohort(folder / f"out{seed}", trait, f"GSE{seed}", seed=seed, changed=ASTHMA)
    return gx.Atlas.build(folder, folder / "atlas")


def test_a_gene_of_the_atlas_is_that_of_its_results(atlas: gx.Atlas) -> None:
    results = atlas.results.set_index("cohort")
    for gene in (GENES[1], GENES[2], GENES[250]):
        for row in atlas.gene(gene).to_dict("records"):
            folder = Path(results.loc[row["cohort"], "folder"]) / "regress" / row["trait"]
            (path,) = folder.glob("all_genes_*.parquet")
            genes = pd.DataFrame(pl.read_parquet(path).to_dict(as_series=False))
            tested = genes[genes["Status"] == "tested"].reset_index(drop=True)
            (place,) = np.flatnonzero(tested["Variable"] == gene)
            stored = tested.loc[place]
            for ours, theirs in (
                ("effect", "Coefficient"), ("error", "Standard Error"), ("p", "p"), ("q", "q"),
                ("standardised", "Standardised Effect"), ("samples", "Samples"),
                ("standardised_error", "Standardised Error"), ("significant", "Significant"),
            ):  # fmt: skip
                assert row[ours] == pytest.approx(stored[theirs]), ours
            assert (row["rank"], row["ranked_of"]) == (place + 1, len(tested))
            assert row["direction"] == ("up" if stored["t"] > 0 else "down")
            assert row["tissue"] == results.loc[row["cohort"], "tissue"]


def test_traits_of_the_atlas_are_those_of_their_cohorts(atlas: gx.Atlas) -> None:
    genes = atlas.trait("Asthma")
    assert genes["rank"].tolist() == list(range(1, len(genes) + 1))
    for gene in genes.index[:3]:
        both = atlas.gene(gene).query("trait == 'Asthma'")
        weights = 1 / both["standardised_error"] ** 2
        row = genes.loc[gene]
        fixed = (both["standardised"] * weights).sum() / weights.sum()
        assert row["effect"] == pytest.approx(fixed, rel=1e-6)
        assert row["error"] == pytest.approx(weights.sum() ** -0.5, rel=1e-6)
        assert row["ci_low"] + row["ci_high"] == pytest.approx(2 * row["effect"])
        assert row["ci_high"] - row["ci_low"] == pytest.approx(2 * 1.959964 * row["error"])
        assert (row["cohorts"], row["samples"]) == (2, both["samples"].sum())
        assert row["agreeing"] == (np.sign(both["effect"]) == np.sign(row["effect"])).sum()
        assert row["direction"] == ("up" if row["effect"] > 0 else "down")
        across = atlas.gene(gene, by="trait").set_index("trait").loc["Asthma"]
        for name in ("effect", "ci_low", "ci_high", "p", "q", "rank", "i2", "samples"):
            assert across[name] == pytest.approx(row[name]), name
    up = [gene for gene, size in ASTHMA.items() if size > 0]
    down = [gene for gene in ASTHMA if gene not in up]
    for first, second, word in ((up, down, "similar"), (down, up, "reversed")):
        for by in ("trait", "cohort"):
            hits = atlas.similar([*first, "NOSUCH"], second, by=by)  # type: ignore[arg-type]
            assert set(hits["direction"]) == {word} and hits.attrs["unknown"] == ["NOSUCH"]
            assert ((hits["score"] > 0) == (word == "similar")).all()
            assert (hits["found"] == 20).all() and hits["p"].is_monotonic_increasing
            assert (hits["q"] >= hits["p"]).all() and (hits["p"] >= hits["p_independent"]).all()
            samples = hits.set_index(by)["samples"].to_dict()
            assert samples == ({"Asthma": 80, "Eczema": 40} if by == "trait" else dict.fromkeys(
                ("GSE0", "GSE1", "GSE2"), 40))  # fmt: skip
    (pair,) = atlas.trait_pairs().to_dict("records")
    matrix = atlas.traits()
    assert pair["similarity"] == pytest.approx(matrix.loc[pair["trait"], pair["other"]])
    assert np.diag(matrix).tolist() == [1, 1] and pair["genes"] == 299
