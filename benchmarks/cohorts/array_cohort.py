"""A cohort of real size: 54,675 probes x 167 samples, with the family SOFT file GEO would have.

The platform table has the sixteen columns of GPL570 with text of the same length, and the family
SOFT holds all sample tables, because that is what a reader of annotation has to get past. Values
and text are random; gene symbols are real ones, so that mapping and normalisation do real work.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from isal import igzip

from benchmarks.measuring import DATA
from genotex.genes import GeneTable

TRAIT = "Benchmark_Trait"
ACCESSION = "GSE99999999"
PLATFORM = "GPL999999"
PROBES = 54_675
SAMPLES = 167
SEED = 20240601
VERSION = 3
"""Change it when the files change: the cached ones are made again."""

_PROCESSES = (
    "protein phosphorylation",
    "regulation of transcription, DNA-templated",
    "G-protein coupled receptor signaling pathway",
    "inflammatory response",
    "nuclear mRNA splicing, via spliceosome",
    "ubiquitin-dependent protein catabolic process",
    "negative regulation of apoptotic process",
    "transmembrane receptor protein tyrosine kinase signaling pathway",
    "cell adhesion",
    "visual perception",
    "oxidation-reduction process",
    "small molecule metabolic process",
)
_COMPONENTS = (
    "nucleus",
    "cytoplasm",
    "integral to membrane",
    "plasma membrane",
    "extracellular region",
    "mitochondrial inner membrane",
    "endoplasmic reticulum lumen",
)
_FUNCTIONS = (
    "nucleotide binding",
    "protein tyrosine kinase activity",
    "calcium-dependent cysteine-type endopeptidase activity",
    "sequence-specific DNA binding transcription factor activity",
    "zinc ion binding",
    "protein binding",
    "structural constituent of ribosome",
)
_EVIDENCE = (
    "inferred from electronic annotation",
    "traceable author statement",
    "inferred from direct assay",
    "inferred from physical interaction",
    "non-traceable author statement",
)


def coding_symbols() -> list[str]:
    """Return the official symbols of all protein-coding genes."""
    return sorted(GeneTable.load().genes.filter(pl.col("type") == "protein-coding")["symbol"])


def cached_cohort() -> Path:
    """Write the input folder, unless it is there already; return it."""
    symbols = coding_symbols()
    root, stamp = DATA / "input", DATA / "made.json"
    wanted = {"version": VERSION, "probes": PROBES, "samples": SAMPLES, "symbols": len(symbols)}
    if stamp.is_file() and json.loads(stamp.read_text()) == wanted:
        return root
    stamp.unlink(missing_ok=True)
    shutil.rmtree(root, ignore_errors=True)
    write_cohort(root, symbols)
    stamp.write_text(json.dumps(wanted))
    return root


def write_cohort(
    root: Path,
    symbols: list[str],
    *,
    probes: int = PROBES,
    samples: int = SAMPLES,
    seed: int = SEED,
) -> None:
    """Write series matrix and family SOFT of one cohort into an input folder."""
    cohort = root / "GEO" / TRAIT / ACCESSION
    cohort.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    table = platform_table(rng, symbols, probes)
    frame = values(rng, table["ID"], samples)
    write(cohort / f"{ACCESSION}_series_matrix.txt.gz", series_matrix(rng, frame))
    write(cohort / f"{ACCESSION}_family.soft.gz", family_soft(frame, table))


def write(path: Path, pieces: Iterator[bytes]) -> None:
    """Write the pieces as one gzip file."""
    with path.open("wb") as raw, igzip.IGzipFile(fileobj=raw, mode="wb", compresslevel=1) as out:
        for piece in pieces:
            out.write(piece)


def platform_table(rng: np.random.Generator, symbols: list[str], probes: int) -> pl.DataFrame:
    """Return an annotation as long and as wide as that of GPL570."""
    numbers = np.sort(rng.choice(np.arange(1_550_000, 1_620_000), probes, replace=False))
    ending = rng.choice(["_at", "_s_at", "_x_at", "_a_at"], probes, p=[0.7, 0.15, 0.1, 0.05])
    names = gene_symbols(rng, symbols, probes)
    accession = [f"NM_{number:06d}" for number in rng.integers(0, 1_000_000, probes)]
    return pl.DataFrame(
        {
            "ID": [f"{number}{end}" for number, end in zip(numbers, ending, strict=True)],
            "GB_ACC": accession,
            "SPOT_ID": [""] * probes,
            "Species Scientific Name": ["Homo sapiens"] * probes,
            "Annotation Date": ["Oct 6, 2014"] * probes,
            "Sequence Type": ["Exemplar sequence"] * probes,
            "Sequence Source": ["Affymetrix Proprietary Database"] * probes,
            "Target Description": [
                f"gb:{acc}.1 /DB_XREF=gi:{i} /FEA=FLmRNA /CNT={i % 90} /TID=Hs.{i}.0 /TIER=FL "
                f"/STK=0 /UG=Hs.{i} /LL={i} /UG_GENE={name or 'none'} /DEF=Homo sapiens transcript "
                f"variant {i % 7}, mRNA. /PROD=hypothetical protein {i} /FL=gb:{acc}.1"
                for i, (acc, name) in enumerate(zip(accession, names, strict=True))
            ],
            "Representative Public ID": accession,
            "Gene Title": [
                f"hypothetical protein of locus {name}" if name else "" for name in names
            ],
            "Gene Symbol": names,
            "ENTREZ_GENE_ID": [
                " /// ".join(str(1000 + i) for _ in name.split("///")) if name else ""
                for i, name in enumerate(names)
            ],
            "RefSeq Transcript ID": [f"{acc} /// {acc.replace('NM', 'XM')}" for acc in accession],
            "Gene Ontology Biological Process": ontology(rng, _PROCESSES, 5.0, probes),
            "Gene Ontology Cellular Component": ontology(rng, _COMPONENTS, 3.0, probes),
            "Gene Ontology Molecular Function": ontology(rng, _FUNCTIONS, 3.5, probes),
        }
    )


def gene_symbols(rng: np.random.Generator, symbols: list[str], probes: int) -> list[str]:
    """Return a ``Gene Symbol`` column: a fifth empty, one in twenty with several genes."""
    on_array = rng.choice(symbols, size=min(len(symbols), 21_000), replace=False)
    genes = np.where(rng.random((probes, 3)) < 2, rng.choice(on_array, (probes, 3)), "")
    count = rng.choice([0, 1, 2, 3], probes, p=[0.18, 0.77, 0.04, 0.01])
    return [" /// ".join(row[:k]) for row, k in zip(genes.tolist(), count.tolist(), strict=True)]


def ontology(
    rng: np.random.Generator, terms: tuple[str, ...], mean: float, probes: int
) -> list[str]:
    """Return cells of ``id // term // evidence`` pieces, on average `mean` of them."""
    pieces = np.array(
        [
            f"{5000 + 13 * i:07d} // {term} // {evidence}"
            for i, term in enumerate(terms)
            for evidence in _EVIDENCE
        ],
        dtype=object,
    )
    count = rng.poisson(mean, probes)
    drawn = iter(pieces[rng.integers(0, len(pieces), int(count.sum()))])
    return [" /// ".join(next(drawn) for _ in range(k)) for k in count.tolist()]


def values(rng: np.random.Generator, ids: pl.Series, samples: int) -> pl.DataFrame:
    """Return log2 values as RMA gives them, one in five thousand missing."""
    level = np.clip(rng.gamma(4.0, 1.7, (len(ids), 1)), 2.5, 14.5)
    table = np.round(level + rng.normal(0, 0.4, (len(ids), samples)), 5)
    table[rng.random(table.shape) < 2e-4] = np.nan
    names = [f"GSM{99_000_000 + i}" for i in range(samples)]
    return pl.DataFrame(table, schema=names, nan_to_null=True).insert_column(
        0, ids.rename("ID_REF")
    )


def series_matrix(rng: np.random.Generator, frame: pl.DataFrame) -> Iterator[bytes]:
    """Yield the series matrix file."""
    samples = frame.columns[1:]
    yield series_head(rng, samples, rng.random(len(samples)) < 0.5)
    out = io.BytesIO()
    frame.write_csv(out, separator="\t", quote_style="non_numeric", float_precision=5)
    yield out.getvalue()
    yield b"!series_matrix_table_end\n"


def series_head(rng: np.random.Generator, samples: list[str], case: np.ndarray) -> bytes:
    """Return all that is above the table of a series matrix."""
    n = len(samples)
    age = rng.integers(25, 85, n)
    male = rng.random(n) < 0.5
    series = {
        "title": "A benchmark cohort of random values",
        "geo_accession": ACCESSION,
        "summary": "Random log2 values on an array of real size; they tell nothing.",
        "overall_design": "Patients with the benchmark trait and healthy controls.",
        "type": "Expression profiling by array",
        "platform_id": PLATFORM,
        "platform_taxid": "9606",
        "sample_taxid": "9606",
    }
    rows = [
        ("title", [f"donor {i + 1}" for i in range(n)]),
        ("geo_accession", samples),
        ("type", ["RNA"] * n),
        ("source_name_ch1", ["whole blood"] * n),
        ("organism_ch1", ["Homo sapiens"] * n),
        (
            "characteristics_ch1",
            [f"disease state: {'benchmark trait' if c else 'healthy control'}" for c in case],
        ),
        ("characteristics_ch1", [f"age: {years}" for years in age]),
        ("characteristics_ch1", [f"gender: {'male' if m else 'female'}" for m in male]),
        ("molecule_ch1", ["total RNA"] * n),
        ("data_processing", ["RMA, log2"] * n),
        ("platform_id", [PLATFORM] * n),
    ]
    head = [f'!Series_{key}\t"{text}"' for key, text in series.items()]
    head.append("")
    head += [f"!Sample_{key}\t" + "\t".join(f'"{c}"' for c in cells) for key, cells in rows]
    return ("\n".join(head) + "\n!series_matrix_table_begin\n").encode()


def family_soft(frame: pl.DataFrame, table: pl.DataFrame) -> Iterator[bytes]:
    """Yield the family SOFT file, section by section."""
    samples = frame.columns[1:]
    yield b"^DATABASE = GeoMiame\n!Database_name = Gene Expression Omnibus (GEO)\n"
    yield f"^SERIES = {ACCESSION}\n!Series_title = A benchmark cohort of random values\n".encode()
    yield f"!Series_geo_accession = {ACCESSION}\n".encode()
    yield "".join(f"!Series_sample_id = {sample}\n" for sample in samples).encode()
    yield f"!Series_platform_id = {PLATFORM}\n^PLATFORM = {PLATFORM}\n".encode()
    yield b"!Platform_title = An array of the size of HG-U133 Plus 2.0\n"
    yield f"!Platform_geo_accession = {PLATFORM}\n".encode()
    yield b"!Platform_organism = Homo sapiens\n!Platform_taxid = 9606\n"
    yield "".join(f"#{name} = {name}\n" for name in table.columns).encode()
    yield b"!platform_table_begin\n"
    out = io.BytesIO()
    table.write_csv(out, separator="\t", quote_style="never")
    yield out.getvalue()
    yield b"!platform_table_end\n"
    for sample in samples:
        yield f"^SAMPLE = {sample}\n!Sample_title = {sample}\n".encode()
        yield f"!Sample_geo_accession = {sample}\n!Sample_platform_id = {PLATFORM}\n".encode()
        yield b"#ID_REF = \n#VALUE = RMA, log2\n!sample_table_begin\n"
        out = io.BytesIO()
        frame.select("ID_REF", VALUE=sample).write_csv(
            out, separator="\t", quote_style="never", float_precision=5
        )
        yield out.getvalue()
        yield b"!sample_table_end\n"
