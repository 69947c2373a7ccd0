"""76 series as submitters lay them out: names and shapes of files, with the traps of each kind.

Every series has the same twelve samples and true counts, so that what is read can be compared with
what was meant, gene by gene and sample by sample.
"""

from __future__ import annotations

import gzip
import io
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from genotex.genes import GeneTable
from tests.affymetrix_files import cel
from tests.geo_text import asthma, series_matrix
from tests.rna_seq_text import ANNOTATION_FILE, COUNT_FILE, SEQUENCING

SAMPLES = 12
GSM = [f"GSM{1 + i}" for i in range(SAMPLES)]
TITLES = [f"Donor {chr(65 + i)}, blood" for i in range(SAMPLES)]
LIBRARIES = [f"Lib{i * 7 % 12:02}" for i in range(SAMPLES)]

Files = dict[str, bytes]


@dataclass(frozen=True)
class LaidOut:
    """A series: its files, what they hold, or the cure that a refusal has to name."""

    kind: str
    name: str
    files: Files
    holds: str = "counts"  # counts, values, or nothing where it is refused
    cure: str = ""
    header: Mapping[str, Sequence[str]] = field(default_factory=dict)
    matrix: Files = field(default_factory=dict)  # in place of an empty matrix


@cache
def truth() -> tuple[pl.DataFrame, np.ndarray]:
    """Genes (symbol, ensembl, GeneID), and true counts of genes x samples."""
    genes = GeneTable.load().genes.filter(
        (pl.col("type") == "protein-coding") & (pl.col("ensembl").str.len_chars() == 15)
    )
    genes = genes.gather_every(genes.height // 120).select(
        "symbol", "ensembl", pl.col("gene_id").cast(pl.String)
    )
    stream = np.random.default_rng(5)
    level = stream.gamma(1.2, 400, size=(genes.height, 1)) + 60
    own = np.exp(stream.normal(0, 0.5, size=(genes.height, SAMPLES)))
    depth = np.linspace(0.8, 1.6, SAMPLES)
    return genes, stream.poisson(level * own * depth)


def lengths() -> np.ndarray:
    return np.random.default_rng(6).integers(400, 9000, len(truth()[1]))[:, None]


def per_million(values: np.ndarray) -> np.ndarray:
    return values / values.sum(axis=0) * 1e6


def tpm() -> np.ndarray:
    return per_million(truth()[1] / lengths())


def fpkm() -> np.ndarray:
    return per_million(truth()[1]) / lengths() * 1e3


def ids(kind: str = "symbol") -> list[str]:
    genes = truth()[0]
    if kind == "versioned":
        return [f"{name}.{3 + i % 9}" for i, name in enumerate(genes["ensembl"])]
    return genes[kind].to_list()


def gz(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


def lines(
    header: Sequence[object] | None, rows: Sequence[Sequence[object]], sign: str = "\t"
) -> str:
    every = ([header] if header else []) + list(rows)
    return "".join(sign.join(map(str, row)) + "\n" for row in every)


def wide(
    names: Sequence[str],
    values: np.ndarray,
    *,
    kind: str = "symbol",
    title: str = "gene",
    sign: str = "\t",
    order: Sequence[int] | None = None,
    before: Mapping[str, Sequence[object]] | None = None,
    digits: int | None = None,
) -> str:
    """A table of genes x samples; columns may come in another order, and after others."""
    order = list(range(SAMPLES)) if order is None else order
    extra = before or {}
    header = [title, *extra, *(names[j] for j in order)]
    cells = values if digits is None else np.round(values, digits)
    rows = [
        [gene, *(column[i] for column in extra.values()), *(cells[i, j] for j in order)]
        for i, gene in enumerate(ids(kind))
    ]
    return lines(header, rows, sign)


def tar(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, body in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    return out.getvalue()


def raw(name: str, table: Callable[[int], str]) -> Files:
    """RAW.tar with a packed table of each sample; `name` has the GSM and a library."""
    shuffled = sorted(range(SAMPLES), key=lambda i: LIBRARIES[i])
    files = {name.format(gsm=GSM[i], lib=LIBRARIES[i], n=i + 1): gz(table(i)) for i in shuffled}
    return {"GSE1_RAW.tar": tar(files)}


def column(i: int) -> list[int]:
    return [int(value) for value in truth()[1][:, i]]


def matrices() -> Iterator[LaidOut]:
    values = np.log2(per_million(truth()[1]) + 1)
    symbols, entrez = ids(), ids("gene_id")

    def matrix(name: str, rows: Sequence[str], cells: np.ndarray, **more: Any) -> LaidOut:
        text = series_matrix(characteristics=asthma(SAMPLES), ids=rows, values=cells.tolist())
        return LaidOut("series matrix", name, {}, "values", matrix={"": gz(text)}, **more)

    yield matrix("symbols, log2", symbols, values)
    yield matrix("Entrez ids", entrez, values)
    yield matrix("linear intensities", symbols, np.round(2**values * 3, 1))
    yield matrix("versioned Ensembl ids", ids("versioned"), values)
    probes = [f"p{i}_at" for i in range(len(symbols))]
    table = lines(["ID", "Gene Symbol"], list(zip(probes, symbols, strict=True)))
    with_platform = matrix("probes and a platform", probes, values)
    yield LaidOut(**{**vars(with_platform), "files": {"GPL1.txt.gz": gz(table)}})


def ncbi() -> Iterator[LaidOut]:
    counts, kind = truth()[1], "counts of NCBI"
    name = COUNT_FILE.format("GSE1")

    def text(order: Sequence[int] | None = None) -> bytes:
        return gz(wide(GSM, counts, kind="gene_id", title="GeneID", order=order))

    annotation = lines(
        ["GeneID", "Symbol"], [[g, s] for g, s in zip(ids("gene_id"), ids(), strict=True)]
    )
    yield LaidOut(kind, "counts alone", {name: text()})
    yield LaidOut(kind, "with annotation", {name: text(), ANNOTATION_FILE: gz(annotation)})
    yield LaidOut(kind, "columns in another order", {name: text(range(SAMPLES)[::-1])})
    own = gz(wide(GSM, fpkm(), digits=4))
    yield LaidOut(kind, "FPKM of the submitter as well", {name: text(), "GSE1_fpkm.txt.gz": own})
    yield LaidOut(
        kind, "RAW.tar as well", {name: text(), **raw("{gsm}_{lib}.txt.gz", lambda i: "x")}
    )


def count_tables() -> Iterator[LaidOut]:
    counts, kind = truth()[1], "table of counts"
    yield LaidOut(kind, "accessions", {"GSE1_raw_counts.txt.gz": gz(wide(GSM, counts))})
    by_title = wide(TITLES, counts, sign=",", order=range(SAMPLES)[::-1]).replace(", blood", "")
    names = {"title": [title.replace(", blood", "") for title in TITLES]}
    yield LaidOut(kind, "titles, swapped", {"GSE1_counts.csv.gz": gz(by_title)}, header=names)
    described = {"description": [f"library name: {name}" for name in LIBRARIES]}
    features = {
        c: [x] * len(counts)
        for c, x in (("Chr", "1"), ("Start", 5), ("End", 9), ("Strand", "+"), ("Length", 900))
    }
    bam = wide([f"/a/{n}.sorted.bam" for n in LIBRARIES], counts, title="Geneid", before=features)
    files = {"GSE1_featureCounts.txt.gz": gz("# Program:featureCounts v2\n" + bam)}
    yield LaidOut(kind, "featureCounts, descriptions", files, header=described)
    both = wide(
        [f"{n}_{q}" for q in ("FPKM", "count") for n in LIBRARIES],
        np.hstack([np.round(fpkm(), 3).astype(object), counts.astype(object)]),
        order=range(2 * SAMPLES),
        kind="versioned",
        before={"gene_name": ids()},
    )
    yield LaidOut(kind, "counts beside FPKM", {"GSE1_genes.txt.gz": gz(both)}, header=described)
    halves = {
        f"GSE1_{part}_counts.txt.gz": gz(wide(GSM, counts, order=range(part == "healthy", 12, 2)))
        for part in ("asthma", "healthy")
    }
    yield LaidOut(kind, "cases and controls apart", halves)


def value_tables() -> Iterator[LaidOut]:
    kind = "table of values"
    yield LaidOut(kind, "TPM", {"GSE1_TPM.txt.gz": gz(wide(GSM, tpm(), digits=3))}, "values")
    called = {"GSE1_counts.txt.gz": gz(wide(GSM, tpm(), digits=3))}
    yield LaidOut(kind, "TPM called counts", called, "values")
    rounded = {"GSE1_fpkm.csv.gz": gz(wide(GSM, np.round(fpkm() * 10), sign=","))}
    yield LaidOut(kind, "FPKM rounded to whole numbers", rounded, "values")
    logged = {"GSE1_counts_log2.txt.gz": gz(wide(GSM, np.log2(truth()[1] + 1), digits=5))}
    yield LaidOut(kind, "log2 counts", logged, "values")
    two = {
        "GSE1_DEG_asthma_vs_healthy.txt.gz": gz(
            lines(["gene", "log2FoldChange", "pvalue", "padj"], [[g, 1.5, 0.1, 0.2] for g in ids()])
        ),
        "GSE1_normalized.txt.gz": gz(wide(GSM, per_million(truth()[1]), digits=3)),
    }
    yield LaidOut(kind, "test results as well", two, "values")


def htseq() -> Iterator[LaidOut]:
    kind = "htseq, featureCounts"
    tail = [["__no_feature", 12345], ["__ambiguous", 99], ["__not_aligned", 0]]

    def plain(i: int) -> str:
        return lines(None, [*zip(ids("ensembl"), column(i), strict=True), *tail])

    yield LaidOut(kind, "htseq without header", raw("{gsm}_{lib}.htseq.txt.gz", plain))
    yield LaidOut(
        kind,
        "featureCounts",
        raw(
            "{gsm}_{lib}_featureCounts.txt.gz",
            lambda i: (
                "# Program:featureCounts\n"
                + lines(
                    ["Geneid", "Chr", "Start", "End", "Strand", "Length", f"{LIBRARIES[i]}.bam"],
                    [
                        [g, "1;1", "5;9", "6;99", "+;+", 900, c]
                        for g, c in zip(ids(), column(i), strict=True)
                    ],
                )
            ),
        ),
    )
    shuffled = np.random.default_rng(1).permutation(len(ids()))
    yield LaidOut(
        kind,
        "rows in another order",
        raw(
            "{gsm}_{lib}.counts.txt.gz",
            lambda i: lines(
                ["gene", "count"],
                [[ids()[j], column(i)[j]] for j in (shuffled if i % 2 else range(len(ids())))],
            ),
        ),
    )
    folder = {f"GSE1_{GSM[i]}_counts.txt": plain(i).encode() for i in range(SAMPLES)}
    yield LaidOut(kind, "unpacked, by GSM", folder)
    by_title = {f"GSE1_Donor_{chr(65 + i)}_counts.txt.gz": gz(plain(i)) for i in range(SAMPLES)}
    header = {"title": [f"Donor {chr(65 + i)}" for i in range(SAMPLES)]}
    by_title = {name.removeprefix("GSE1_"): body for name, body in by_title.items()}
    yield LaidOut(kind, "by title", by_title, header=header)


def star() -> Iterator[LaidOut]:
    def table(stranded: str) -> Callable[[int], str]:
        def text(i: int) -> str:
            rows: list[list[object]] = [
                [f"N_{w}", 9_999_999, 5, 5]
                for w in ("unmapped", "multimapping", "noFeature", "ambiguous")
            ]
            for gene, count in zip(ids("versioned"), column(i), strict=True):
                other = count // 50
                one = {"sense": (count, other), "antisense": (other, count)}.get(
                    stranded, (count - count // 2, count // 2)
                )
                rows.append([gene, count if stranded == "none" else count + other, *one])
            return lines(None, rows)

        return text

    kind = "STAR"
    for strand in ("none", "sense", "antisense"):
        yield LaidOut(
            kind, f"strand: {strand}", raw("{gsm}_{lib}_ReadsPerGene.out.tab.gz", table(strand))
        )
    folder = {f"{GSM[i]}_ReadsPerGene.out.tab": table("none")(i).encode() for i in range(SAMPLES)}
    yield LaidOut(kind, "unpacked", folder)
    one_only = raw(
        "{gsm}_{lib}.ReadsPerGene.txt.gz",
        lambda i: lines(None, [r.split("\t")[:2] for r in table("none")(i).splitlines()]),
    )
    yield LaidOut(kind, "one column kept", one_only)


def rsem() -> Iterator[LaidOut]:
    kind = "RSEM"
    titles = [
        "gene_id",
        "transcript_id(s)",
        "length",
        "effective_length",
        "expected_count",
        "TPM",
        "FPKM",
    ]

    def genes(i: int, kind: str = "ensembl") -> str:
        part = tpm()[:, i], fpkm()[:, i]
        rows = [
            [g, "t1,t2", 900, 700, f"{c}.00", f"{t:.2f}", f"{f:.2f}"]
            for g, c, t, f in zip(ids(kind), column(i), *part, strict=True)
        ]
        return lines(titles, rows)

    def isoforms(i: int) -> str:
        header = [
            "transcript_id",
            "gene_id",
            "length",
            "effective_length",
            "expected_count",
            "TPM",
            "FPKM",
            "IsoPct",
        ]
        rows = []
        for g, c in zip(ids(), column(i), strict=True):
            rows += [
                [f"{g}-1", g, 9, 9, c - c // 3, 1, 1, 66],
                [f"{g}-2", g, 9, 9, c // 3, 1, 1, 34],
            ]
        return lines(header, rows)

    yield LaidOut(kind, "genes.results", raw("{gsm}_{lib}.genes.results.gz", genes))
    versioned = raw("{gsm}_{lib}.rsem.genes.results.txt.gz", lambda i: genes(i, "versioned"))
    yield LaidOut(kind, "versioned ids", versioned)
    yield LaidOut(kind, "isoforms alone", raw("{gsm}_{lib}.isoforms.results.gz", isoforms))
    shuffled = {**{f"{GSM[i]}_x.genes.results.gz": gz(genes(i)) for i in range(SAMPLES)}}
    both = {f"{GSM[i]}_x.isoforms.results.gz": gz(isoforms(i)) for i in range(SAMPLES)}
    yield LaidOut(kind, "genes and isoforms", {"GSE1_RAW.tar": tar({**shuffled, **both})})
    tximport = wide(
        [f"{q}.{g}" for q in ("abundance", "counts", "length") for g in GSM],
        np.hstack([tpm().round(3), truth()[1], np.repeat(lengths(), SAMPLES, 1)]),
        order=range(3 * SAMPLES),
    )
    yield LaidOut(kind, "tximport's table", {"GSE1_tximport.txt.gz": gz(tximport)})


def salmon() -> Iterator[LaidOut]:
    kind = "Salmon, kallisto"

    def quant(i: int, name: Callable[[int, int], str], header: Sequence[str]) -> str:
        rows: list[list[object]] = []
        for j, count in enumerate(column(i)):
            for part, reads in ((0, count - count // 4), (1, count // 4)):
                values = {"reads": reads, "tpm": reads / 7}
                rows.append([name(j, part), 900, 700, *(values[h] for h in ("tpm", "reads"))])
        if header[-1] == "tpm":
            rows = [[*row[:3], row[4], row[3]] for row in rows]
        return lines(header, rows)

    sf = ["Name", "Length", "EffectiveLength", "TPM", "NumReads"]
    abundance = ["target_id", "length", "eff_length", "est_counts", "tpm"]

    def transcript(j: int, part: int) -> str:
        return f"ENST{5 * j + part:011}.2"

    def gencode(j: int, part: int) -> str:
        return (
            f"{transcript(j, part)}|{ids('versioned')[j]}|-|-|{ids()[j]}-20{part}|{ids()[j]}|900|"
        )

    pairs = [[transcript(j, p), ids()[j]] for j in range(len(ids())) for p in (0, 1)]
    tx2gene = {"GSE1_tx2gene.txt.gz": gz(lines(["TXNAME", "GENEID"], pairs))}
    yield LaidOut(
        kind, "GENCODE's names", raw("{gsm}_{lib}_quant.sf.gz", lambda i: quant(i, gencode, sf))
    )
    mapped = raw("{gsm}_{lib}_quant.sf.gz", lambda i: quant(i, transcript, sf))
    yield LaidOut(kind, "with tx2gene", {**mapped, **tx2gene})
    yield LaidOut(
        kind,
        "kallisto with tx2gene",
        {
            **raw("{gsm}_{lib}_abundance.tsv.gz", lambda i: quant(i, transcript, abundance)),
            **tx2gene,
        },
    )
    genes = raw(
        "{gsm}_{lib}.quant.genes.sf.gz",
        lambda i: lines(
            sf, [[g, 9, 9, c / 7, c] for g, c in zip(ids("ensembl"), column(i), strict=True)]
        ),
    )
    yield LaidOut(kind, "quant.genes.sf", genes)
    yield LaidOut(kind, "transcripts without a map", mapped, "nothing", "tx2gene")


def cufflinks() -> Iterator[LaidOut]:
    kind = "Cufflinks, StringTie"
    titles = [
        "tracking_id", "class_code", "nearest_ref_id", "gene_id", "gene_short_name", "tss_id",
        "locus", "length", "coverage", "FPKM", "FPKM_conf_lo", "FPKM_conf_hi", "FPKM_status",
    ]  # fmt: skip

    def tracking(i: int) -> str:
        rows = [
            [
                f"XLOC_{j:06}",
                "-",
                "-",
                f"XLOC_{j:06}",
                g,
                "-",
                "chr1:5-9",
                "-",
                "-",
                f"{f:.4f}",
                0,
                9,
                "OK",
            ]
            for j, (g, f) in enumerate(zip(ids(), fpkm()[:, i], strict=True))
        ]
        return lines(titles, rows)

    yield LaidOut(
        kind, "genes.fpkm_tracking", raw("{gsm}_{lib}_genes.fpkm_tracking.gz", tracking), "values"
    )
    stringtie = [
        "Gene ID",
        "Gene Name",
        "Reference",
        "Strand",
        "Start",
        "End",
        "Coverage",
        "FPKM",
        "TPM",
    ]
    yield LaidOut(
        kind,
        "StringTie",
        raw(
            "{gsm}_{lib}_gene_abund.tab.gz",
            lambda i: lines(
                stringtie,
                [
                    [e, g, 1, "+", 5, 9, 3.1, f"{f:.3f}", f"{t:.3f}"]
                    for e, g, f, t in zip(
                        ids("ensembl"), ids(), fpkm()[:, i], tpm()[:, i], strict=True
                    )
                ],
            ),
        ),
        "values",
    )
    two = raw(
        "{gsm}_{lib}_fpkm.txt.gz",
        lambda i: lines(["gene", "FPKM"], list(zip(ids(), fpkm()[:, i].round(4), strict=True))),
    )
    yield LaidOut(kind, "gene and FPKM", two, "values")
    both = raw(
        "{gsm}_{lib}.txt.gz",
        lambda i: lines(
            ["gene", "count", "FPKM"],
            list(zip(ids(), column(i), fpkm()[:, i].round(4), strict=True)),
        ),
    )
    yield LaidOut(kind, "count and FPKM", both)
    unnamed = raw(
        "{gsm}_{lib}.txt.gz",
        lambda i: lines(
            ["gene", "a", "b"], list(zip(ids(), column(i), fpkm()[:, i].round(4), strict=True))
        ),
    )
    yield LaidOut(
        kind, "two columns without a meaning", unnamed, "nothing", "keep the ids and one column"
    )


def arrays() -> Iterator[LaidOut]:
    kind = "Illumina, Agilent text"
    probes = [f"ILMN_{1_650_000 + i}" for i in range(len(ids()))]
    platform = {"GPL1.txt.gz": gz(lines(["ID", "Symbol"], list(zip(probes, ids(), strict=True))))}
    signal = truth()[1] * 1.5 + 80

    def beads(i: int) -> str:
        rows = [[p, f"{v:.2f}", 3.1, 0.0] for p, v in zip(probes, signal[:, i], strict=True)]
        return lines(["PROBE_ID", "AVG_Signal", "BEAD_STDERR", "Detection Pval"], rows)

    yield LaidOut(
        kind,
        "BeadStudio, one sample each",
        {**raw("{gsm}_{lib}.txt.gz", beads), **platform},
        "values",
    )
    header = [f"{g}.{q}" for g in GSM for q in ("AVG_Signal", "Detection Pval")]
    cells = np.empty((len(probes), 2 * SAMPLES))
    cells[:, 0::2], cells[:, 1::2] = signal.round(2), 0.001
    profile = "Illumina Inc. GenomeStudio version 1\nNormalization = none\n" + lines(
        ["TargetID", "PROBE_ID", *header],
        [[s, p, *row] for s, p, row in zip(ids(), probes, cells.tolist(), strict=True)],
    )
    yield LaidOut(
        kind, "GenomeStudio's profile", {"GSE1_non-normalized.txt.gz": gz(profile)}, "values"
    )

    def agilent(i: int, more: Sequence[str] = ()) -> str:
        names = [f"A_23_P{100 + j}" for j in range(len(ids()))]
        titles = [
            "FEATURES",
            "FeatureNum",
            "ControlType",
            "ProbeName",
            "SystematicName",
            "gProcessedSignal",
            *more,
        ]
        rows = [
            ["DATA", j, 0, p, s, f"{v:.2f}", *("1" for _ in more)]
            for j, (p, s, v) in enumerate(zip(names, ids(), signal[:, i], strict=True))
        ]
        rows.append(["DATA", 9999, 1, "DarkCorner", "DarkCorner", 5, *("1" for _ in more)])
        return "TYPE\ttext\ttext\nFEPARAMS\tProtocol\tVersion\nDATA\tGE1\t10\n*\n" + lines(
            titles, rows
        )

    yield LaidOut(kind, "Agilent, one colour", raw("{gsm}_{lib}.txt.gz", agilent), "values")
    two = raw("{gsm}_{lib}.txt.gz", lambda i: agilent(i, ["rProcessedSignal"]))
    yield LaidOut(kind, "Agilent, two colours", two, "nothing", "two-colour")
    scans = {f"{name}.CEL.gz": gzip.compress(cel(np.ones(9), 3), mtime=0) for name in GSM}
    yield LaidOut(
        kind, "CEL alone", {"GSE1_RAW.tar": tar(scans)}, "nothing", "put Made-Chip.cdf into"
    )


def ten_x(i: int, cells: int = 30) -> dict[str, bytes]:
    """A 10x triplet of one sample whose cells add up to the true counts, and of antibodies."""
    stream = np.random.default_rng(100 + i)
    split = np.array([stream.multinomial(c, np.ones(cells) / cells) for c in column(i)])
    rows, columns = np.nonzero(split)
    entries = "".join(
        f"{r + 1} {c + 1} {split[r, c]}\n" for r, c in zip(rows, columns, strict=True)
    )
    head = "%%MatrixMarket matrix coordinate integer general\n%metadata\n"
    size = f"{len(split) + 1} {cells} {len(rows) + 1}\n"
    features = [[e, s, "Gene Expression"] for e, s in zip(ids("ensembl"), ids(), strict=True)]
    return {
        "matrix.mtx.gz": gz(f"{head}{size}{entries}{len(split) + 1} 1 77\n"),
        "features.tsv.gz": gz(lines(None, [*features, ["CD3", "CD3", "Antibody Capture"]])),
        "barcodes.tsv.gz": gz("".join(f"{barcode(j)}-1\n" for j in range(cells))),
    }


def barcode(j: int) -> str:
    return "".join("ACGT"[j >> (2 * k) & 3] for k in range(16))


def ten_x_h5(i: int) -> bytes:
    import h5py
    from scipy.sparse import csc_matrix

    out = io.BytesIO()
    stream = np.random.default_rng(100 + i)
    split = csc_matrix(np.array([stream.multinomial(c, np.ones(20) / 20) for c in column(i)]))
    with h5py.File(out, "w") as file:
        group = file.create_group("matrix")
        for name in ("data", "indices", "indptr"):
            group[name] = getattr(split, name)
        group["shape"] = np.array(split.shape)
        group["barcodes"] = np.array([f"{barcode(j)}-1" for j in range(20)], dtype="S18")
        features = group.create_group("features")
        features["id"] = np.array(ids("ensembl"), dtype="S15")
        features["name"] = np.array(ids(), dtype="S20")
        features["feature_type"] = np.array(["Gene Expression"] * len(ids()), dtype="S15")
    return out.getvalue()


def h5ad(folder: Path) -> bytes:
    import pandas as pd
    from anndata import AnnData
    from scipy.sparse import csr_matrix

    stream = np.random.default_rng(8)
    blocks = [
        np.array([stream.multinomial(c, np.ones(10) / 10) for c in column(i)]).T
        for i in range(SAMPLES)
    ]
    obs = pd.DataFrame(
        {"donor_id": np.repeat(LIBRARIES, 10), "cell_type": ["T", "B"] * (5 * SAMPLES)}
    )
    obs.index = [f"{barcode(j)}-{j}" for j in range(len(obs))]
    data = AnnData(
        csr_matrix(np.vstack(blocks).astype(np.float32)), obs=obs, var=pd.DataFrame(index=ids())
    )
    data.layers["counts"] = data.X.copy()
    data.X = data.X.copy()
    data.X.data = np.log1p(data.X.data)
    path = folder / "made.h5ad"
    data.write_h5ad(path)
    return path.read_bytes()


def single_cells(folder: Path) -> Iterator[LaidOut]:
    kind = "single cells"
    triplets = {
        f"{GSM[i]}_{LIBRARIES[i]}_{name}": body
        for i in range(SAMPLES)
        for name, body in ten_x(i).items()
    }
    yield LaidOut(kind, "10x triplets", {"GSE1_RAW.tar": tar(triplets)})
    archives = {}
    for i in range(SAMPLES):
        inner = tar({f"filtered_feature_bc_matrix/{n}": b for n, b in ten_x(i).items()})
        archives[f"{GSM[i]}_filtered_feature_bc_matrix.tar.gz"] = gzip.compress(inner, mtime=0)
    yield LaidOut(kind, "10x triplets in archives", {"GSE1_RAW.tar": tar(archives)})
    files = {
        f"{GSM[i]}_{LIBRARIES[i]}_filtered_feature_bc_matrix.h5": ten_x_h5(i)
        for i in range(SAMPLES)
    }
    yield LaidOut(kind, "10x .h5", {"GSE1_RAW.tar": tar(files)})
    header = {"description": [f"library name: {name}" for name in LIBRARIES]}
    yield LaidOut(kind, "AnnData by donor", {"GSE1_atlas.h5ad": h5ad(folder)}, header=header)

    def dense(i: int) -> str:
        stream = np.random.default_rng(3)
        split = [stream.multinomial(c, np.ones(24) / 24) for c in column(i)]
        header = ["GENE", *(barcode(j) for j in range(24))]
        return lines(header, [[g, *row] for g, row in zip(ids(), split, strict=True)])

    yield LaidOut(kind, "dense tables of cells", raw("{gsm}_{lib}.dge.txt.gz", dense))


def workbooks(folder: Path) -> Iterator[LaidOut]:
    import openpyxl

    kind = "workbooks, long, R"
    counts = truth()[1]

    def book(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
        made = openpyxl.Workbook()
        made.remove(made.active)
        for title, rows in sheets.items():
            sheet = made.create_sheet(title)
            for row in rows:
                sheet.append(list(row))
        out = io.BytesIO()
        made.save(out)
        return out.getvalue()

    rows = [["gene", *GSM], *([g, *row] for g, row in zip(ids(), counts.tolist(), strict=True))]
    notes = [["Supplementary Table 1"], ["Counts of all samples"]]
    sheets = {"README": [["made by", "us"]], "counts": [*notes, *rows]}
    yield LaidOut(kind, "a sheet among others", {"GSE1_counts.xlsx": book(sheets)})
    halves = {
        part: [[row[0], *row[1 + (part == "healthy") :: 2]] for row in rows]
        for part in ("asthma", "healthy")
    }
    yield LaidOut(kind, "a sheet for each group", {"GSE1_counts.xlsx": book(halves)})
    long = lines(
        ["sample", "gene", "count"],
        [[GSM[j], g, counts[i, j]] for i, g in enumerate(ids()) for j in range(SAMPLES)],
    )
    yield LaidOut(kind, "long table", {"GSE1_counts_long.txt.gz": gz(long)})
    import pandas as pd

    # rdata writes no index of strings of pandas 3.
    names, samples = (pd.Index(each, dtype=object) for each in (ids(), GSM))
    frame = pd.DataFrame(counts.astype(float), index=names, columns=samples)
    if find_spec("rdata") is None:
        body, holds, cure = b"", "nothing", r"pip install 'genotex\[r\]'"
    else:
        import rdata

        rdata.write_rds(folder / "made.rds", frame)
        body, holds, cure = (folder / "made.rds").read_bytes(), "counts", ""
    yield LaidOut(kind, "data frame of R", {"GSE1_counts.rds": body}, holds, cure)
    dated = wide(GSM, counts, sign=",").replace("\nA2M,", "\n2-Mar,").replace("\nA1BG,", "\n1-Sep,")
    yield LaidOut(kind, "symbols as dates", {"GSE1_counts.csv.gz": gz(dated)})


def other_shapes() -> Iterator[LaidOut]:
    """Tables with columns, headers and ids that spreadsheets and R leave behind."""
    import openpyxl

    counts, kind = truth()[1], "other shapes"
    visits = {"title": [f"Patient {i + 1} (visit 1)" for i in range(SAMPLES)]}
    dots = [re.sub(r"\W", ".", title) for title in visits["title"]]

    def table(name: str, text: str, holds: str = "counts", **header: Sequence[str]) -> LaidOut:
        return LaidOut(kind, name, {"GSE1_counts.txt.gz": gz(text)}, holds, header=header)

    yield table("names with spaces", wide(visits["title"], counts), **visits)
    yield table("dots of R for spaces", wide(dots, counts), **visits)
    rows = [[g, *counts[i], f"{g}, protein [HGNC]"] for i, g in enumerate(ids())]
    yield table("description as last column", lines(["Gene", *GSM, "description"], rows))
    groups = "\t".join(["group", *["asthma", "healthy"] * 6]) + "\n"
    yield table("groups above the names", groups + wide(GSM, counts))
    first, _, below = wide(GSM, counts).partition("\n")
    yield table("groups below the names", f"{first}\n{groups}{below}")
    commas = wide(GSM, tpm(), digits=3, sign=";").replace(".", ",")
    yield table("semicolons and decimal commas", commas, "values")
    for form in ("{ensembl}.4_{symbol}", "{ensembl}|{symbol}", "{symbol}_{ensembl}"):
        names = [
            form.format(ensembl=e, symbol=s) for e, s in zip(ids("ensembl"), ids(), strict=True)
        ]
        rows = [[name, *counts[i]] for i, name in enumerate(names)]
        yield table(form, lines(["", *GSM], rows))
    size = counts.sum(axis=0)
    normalised = wide(GSM, counts / size * size.mean(), digits=4)
    both = {"GSE1_normalized_counts": normalised, "GSE1_raw_counts": wide(GSM, counts)}
    files = {f"{name}.txt.gz": gz(text) for name, text in both.items()}
    yield LaidOut(kind, "normalised next to raw", files)
    titles = ["baseMean", "log2FoldChange", "lfcSE", "stat", "pvalue", "padj"]
    tested = [[9.5, 1.2, 0.3, 4.0, 0.001, 0.01]] * len(counts)
    rows = [[g, *counts[i], *tested[i]] for i, g in enumerate(ids())]
    yield table("results of DESeq2 after counts", lines(["gene", *GSM, *titles], rows))
    rows = [[g, *tested[i], *counts[i]] for i, g in enumerate(ids())]
    results = {"GSE1_DEG_asthma_vs_control.txt.gz": gz(lines(["gene", *titles, *GSM], rows))}
    yield LaidOut(kind, "counts in a table of results", results)
    means = np.column_stack([counts, counts[:, ::2].mean(axis=1), counts[:, 1::2].mean(axis=1)])
    names = [*GSM, "asthma_mean", "healthy_mean"]
    yield table("means of groups", wide(names, means, order=range(SAMPLES + 2)))
    words = ("Asthma", "Healthy")
    long = {"title": [f"{words[i % 2]}, replicate {i // 2 + 1}" for i in range(SAMPLES)]}
    short = [f"{words[i % 2].lower()}_rep{i // 2 + 1}" for i in range(SAMPLES)]
    yield table("rep1 for replicate 1", wide(short, counts), **long)
    rows = list(zip(LIBRARIES, GSM, ["asthma", "healthy"] * 6, strict=True))
    listed = gz(lines(["library", "sample", "group"], rows))
    by_library = {
        "GSE1_counts.txt.gz": gz(wide(LIBRARIES, counts)),
        "GSE1_sample_sheet.txt.gz": listed,
    }
    yield LaidOut(kind, "names in a sample sheet", by_library)
    book = openpyxl.Workbook()
    sheet = book.active
    merged: list[list[object]] = [["Raw counts"], ["Gene", "asthma"], ["", *GSM]]
    for row in (*merged, *([g, *counts[i].tolist()] for i, g in enumerate(ids()))):
        sheet.append(row)
    for cells in ("A1:M1", "B2:M2", "A2:A3"):
        sheet.merge_cells(cells)
    out = io.BytesIO()
    book.save(out)
    yield LaidOut(kind, "merged cells", {"GSE1_counts.xlsx": out.getvalue()})


def laid_out(folder: Path) -> list[LaidOut]:
    """Every series; `folder` is for files that libraries write."""
    plain = (
        matrices,
        ncbi,
        count_tables,
        value_tables,
        htseq,
        star,
        rsem,
        salmon,
        cufflinks,
        arrays,
        other_shapes,
    )
    made = [each for kind in plain for each in kind()]
    return [*made, *single_cells(folder), *workbooks(folder)]


def write(series: LaidOut, folder: Path) -> None:
    """Write the files of a series as its folder in an input folder."""
    folder.mkdir(parents=True)
    head = series_matrix(characteristics=asthma(SAMPLES), series_type=SEQUENCING, ids=())
    name = folder.name
    body = series.matrix.get("") or gz(head)
    text = gzip.decompress(body).decode().replace('"GSE1"', f'"{name}"')
    header = {"title": TITLES, **series.header}
    above, begin, below = text.partition("!series_matrix_table_begin")
    kept = [row for row in above.splitlines() if not row.startswith("!Sample_title")]
    kept += [
        "\t".join([f"!Sample_{key}", *(f'"{c}"' for c in cells)]) for key, cells in header.items()
    ]
    text = "\n".join(kept) + "\n" + begin + below
    (folder / f"{name}_series_matrix.txt.gz").write_bytes(gz(text))
    for file, content in series.files.items():
        (folder / file.replace("GSE1_", f"{name}_")).write_bytes(content)
