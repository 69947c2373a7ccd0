"""Golden values of scanpy's and decoupler's sums of single cells, for tests/formats.

``python -m benchmarks golden_cell_sums tests/fixtures/cell_sums`` makes one seeded table of cells
as .h5ad, 10x .h5 and 10x triplet, and writes what scanpy and decoupler add up from them.
"""

from __future__ import annotations

import argparse
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csc_matrix, csr_matrix

_CELLS, _GENES = 150, 40


def main() -> None:
    """Write the files and their sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder to write to")
    folder = parser.parse_args().folder
    import decoupler
    import scanpy

    folder.mkdir(parents=True, exist_ok=True)
    stream = np.random.default_rng(12)
    counts = stream.negative_binomial(1, stream.uniform(0.2, 0.9, _GENES), (_CELLS, _GENES))
    names = ["P1", "P2", "P3"]
    obs = pd.DataFrame(
        {
            "donor_id": pd.Categorical(stream.choice(names, _CELLS)),
            "cell_type": pd.Categorical(stream.choice(["B", "NK", "T"], _CELLS)),
        },
        index=[f"{'ACGT'[i % 4] * 16}-{i}" for i in range(_CELLS)],
    )
    var = pd.DataFrame(index=pd.Index([f"GENE{i}" for i in range(_GENES)]))
    cells = scanpy.AnnData(csr_matrix(counts.astype(np.float32)), obs=obs, var=var)
    cells.layers["counts"] = cells.X.copy()
    scanpy.pp.log1p(cells)
    cells.write_h5ad(folder / "cells.h5ad", compression="gzip")

    read = scanpy.read_h5ad(folder / "cells.h5ad")
    by_donor = scanpy.get.aggregate(read, "donor_id", "sum", layer="counts")
    _record(folder / "scanpy.csv", by_donor.layers["sum"], by_donor.obs_names)
    both = decoupler.pp.pseudobulk(
        read, sample_col="donor_id", groups_col="cell_type", layer="counts", mode="sum"
    )
    labels = [
        f"{d} | {t}" for d, t in zip(both.obs["donor_id"], both.obs["cell_type"], strict=True)
    ]
    _record(folder / "decoupler.csv", both.X, labels)
    _write_10x(folder, counts)
    read = scanpy.read_10x_h5(folder / "GSM1_matrix.h5")
    _record(folder / "scanpy_h5.csv", np.asarray(read.X.sum(axis=0)), ["GSM1"])
    read = scanpy.read_10x_mtx(folder, prefix="GSM2_")
    _record(folder / "scanpy_mtx.csv", np.asarray(read.X.sum(axis=0)), ["GSM2"])
    versions = f"scanpy {scanpy.__version__}\ndecoupler {decoupler.__version__}\n"
    made = "made by benchmarks/golden/golden_cell_sums.py\n"
    (folder / "VERSIONS.txt").write_text(versions + made, encoding="utf-8")


def _record(path: Path, sums: Any, names: Any) -> None:
    sums = sums.toarray() if hasattr(sums, "toarray") else np.asarray(sums)
    pd.DataFrame(sums.astype(int), index=list(names)).T.to_csv(path, index=False)


def _write_10x(folder: Path, counts: np.ndarray) -> None:
    """Write the genes and an antibody, which is no gene, as Cell Ranger does."""
    import h5py

    genes = np.array([f"ENSG{i:011}" for i in range(_GENES)] + ["CD3"], dtype="S15")
    symbols = np.array([f"GENE{i}" for i in range(_GENES)] + ["CD3"], dtype="S8")
    kinds = np.array(["Gene Expression"] * _GENES + ["Antibody Capture"], dtype="S16")
    barcodes = np.array([f"{'ACGT'[i % 4] * 15}A-1" for i in range(_CELLS)], dtype="S18")
    whole = csc_matrix(np.column_stack([counts, np.full(_CELLS, 9)]).T)
    with h5py.File(folder / "GSM1_matrix.h5", "w") as file:
        group = file.create_group("matrix")
        for name in ("data", "indices", "indptr"):
            group.create_dataset(name, data=getattr(whole, name).astype("i4"), compression="gzip")
        group["shape"], group["barcodes"] = np.array(whole.shape), barcodes
        features = group.create_group("features")
        features["id"], features["name"], features["feature_type"] = genes, symbols, kinds
        features["genome"] = np.array(["GRCh38"] * len(genes), dtype="S6")
    rows, columns = whole.nonzero()
    entries = [f"{r + 1} {c + 1} {whole[r, c]}" for r, c in zip(rows, columns, strict=True)]
    size = f"{len(genes)} {_CELLS} {len(entries)}"
    head = "%%MatrixMarket matrix coordinate integer general"
    lines = {
        "matrix.mtx": [head, size, *entries],
        "features.tsv": [
            "\t".join(part.decode() for part in row)
            for row in zip(genes, symbols, kinds, strict=True)
        ],
        "barcodes.tsv": [name.decode() for name in barcodes],
    }
    for name, text in lines.items():
        packed = gzip.compress(("\n".join(text) + "\n").encode(), mtime=0)
        (folder / f"GSM2_{name}.gz").write_bytes(packed)
