"""Which cells or programmes a pattern over the samples goes with, told by genes that mark them.

Scores compete: each sample is first centred by its mean over all genes, so that a pattern that
moves every gene, as a batch may, is no mixture of cells; and the markers must move together,
further than as many other genes do.

References
----------
Immune cells: Danaher and others 2017, J. Immunother. Cancer 5:18. Endothelium and fibroblasts:
Becht and others 2016, Genome Biol. 17:218. Proliferation: Nielsen and others 2010, Clin. Cancer
Res. 16:5222. Hypoxia: Buffa and others 2010, Br. J. Cancer 102:428. Other tissues: genes enriched
there in the Human Protein Atlas (Uhlen and others 2015, Science 347:1260419).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from genotex.analysis.gene_tests.p_values import pearson
from genotex.arrays import Flags, Floats, Rows, gene_parts

CELLS = {
    "neutrophils": "FPR1 SIGLEC5 CSF3R FCAR FCGR3B CEACAM3 S100A12 CXCR2 VNN3 MMP25",
    "T cells": "CD6 CD3D CD3E SH2D1A TRAT1 CD3G CD2 CD5 CD28 ITK",
    "NK and cytotoxic cells": "PRF1 GZMA GZMB NKG7 GZMH KLRK1 KLRB1 KLRD1 CTSW GNLY NCR1 XCL2",
    "B cells": "BLK CD19 FCRL2 MS4A1 TCL1A SPIB PNOC CD79A CD22 BANK1",
    "plasma cells": "MZB1 TNFRSF17 JCHAIN POU2AF1 DERL3 IGKC IGHG1 IGLL5 SDC1",
    "macrophages": "CD68 CD84 CD163 MS4A4A C1QA C1QB C1QC MSR1 VSIG4 CSF1R",
    "mast cells": "TPSB2 TPSAB1 CPA3 MS4A2 HDC",
    "red cells": "ALAS2 AHSP SLC4A1 HBD EPB42 GYPA GYPB CA1 SELENBP1 HBM",
    "platelets": "PF4 PPBP ITGA2B GP9 TUBB1 GP1BB TREML1 CLEC1B",
    "fibroblasts": "COL1A1 COL3A1 COL6A1 COL6A2 DCN GREM1 PAMR1 COL1A2 LUM PDGFRB",
    "endothelium": "CDH5 CLEC14A EMCN ESAM KDR MMRN2 PTPRB ROBO4 TEK TIE1 VWF BCL6B",
    "smooth muscle": "ACTA2 MYH11 DES CNN1 ACTG2 LMOD1 SYNM SYNPO2 CASQ2",
    "skeletal muscle": "MYH2 MYH7 CKM ACTA1 TNNT3 MYLPF NEB TNNC2 ENO3",
    "fat": "ADIPOQ PLIN1 PLIN4 LEP CIDEC CIDEA FABP4 LIPE",
    "epithelium": "EPCAM KRT8 KRT18 KRT19 CDH1 CLDN4 CLDN7 ELF3 ESRP1",
    "squamous epithelium": "KRT5 KRT14 KRT6A DSG3 DSC3 TP63 SERPINB5 SPRR1B",
    "liver cells": "ALB APOA1 APOC3 TF FGB HP APOH CYP2E1 AHSG",
    "neurons": "SNAP25 SYT1 STMN2 GABRA1 SYN1 NEFL NEFM SLC17A7 GAD1",
    "glia": "GFAP AQP4 ALDH1L1 MBP MOG MAG PLP1 MOBP OPALIN",
}
PROGRAMMES = {
    "proliferation": "BIRC5 CCNB1 CDC20 CEP55 MKI67 NDC80 NUF2 PTTG1 RRM2 TYMS UBE2C",
    "interferon response": "IFI27 IFI44 IFI44L IFIT1 IFIT3 MX1 OAS1 OAS2 OAS3 RSAD2 ISG15 HERC5",
    "hypoxia": "CA9 VEGFA ADM NDRG1 SLC2A1 ANKRD37 BNIP3 PDK1 LDHA P4HA1 MRPS17 ALDOA",
    "immediate early genes": "FOS FOSB JUN JUNB EGR1 DUSP1 ATF3 IER2 ZFP36 NR4A1",
    "ribosomal proteins": "RPL3 RPL5 RPL7 RPL9 RPL10A RPL14 RPL22 RPL31 RPL34 RPS3A RPS6 RPS7 "
    "RPS12 RPS20 RPS23 RPS25",
    "mitochondrial genes": "MT-ND1 MT-ND2 MT-ND3 MT-ND4 MT-ND5 MT-CO1 MT-CO2 MT-CO3 MT-CYB MT-ATP6",
    "oxidative phosphorylation": "NDUFA4 NDUFB3 NDUFS4 COX7C COX6C COX5B UQCRQ ATP5F1C ATP5PB "
    "NDUFA1 NDUFB5 UQCRC2 SDHD",
}
MARKERS = {gene for genes in (*CELLS.values(), *PROGRAMMES.values()) for gene in genes.split()}
KIND_OF = {**dict.fromkeys(CELLS, "cells"), **dict.fromkeys(PROGRAMMES, "programme")}
FEWEST_MARKERS = 4
GENES_AT_ONCE = 1024
LEAST_CORRELATION = 0.6
LEAST_SCORE = 4.0
"""Of the mean correlation of the markers, in standard errors of as many other genes."""


@dataclass(frozen=True)
class Likeness:
    """How a pattern goes with the markers of a kind of cell, or of a programme."""

    name: str
    kind: str  # ``cells`` or ``programme``
    r: float  # Correlation of the pattern with the mean of the markers
    p: float  # Of the correlation
    score: float  # How far the markers are from other genes, in standard errors

    @property
    def clear(self) -> bool:
        """Whether the pattern can be called by this name."""
        close = abs(self.r) >= LEAST_CORRELATION and abs(self.score) >= LEAST_SCORE
        return close and self.r * self.score > 0


class MarkerScores:
    """The markers of cells and programmes among the genes (n, p) of some samples."""

    # A gene is what an orthonormal basis of the design leaves of it, brought to length 1, less the
    # mean over genes, and brought to length 1 again. Only markers are held in this form: products
    # of all genes with a pattern free of the design follow from the values themselves.

    def __init__(self, values: Floats, names: Sequence[str], basis: Floats) -> None:
        """Take an orthonormal basis (n, k) of the design."""
        length = np.empty(values.shape[1])
        for part in gene_parts(values.shape[1], len(values), GENES_AT_ONCE):
            rest = _free(values[:, part], basis)
            length[part] = np.sqrt(np.einsum("ij,ij->j", rest, rest))
        self._varies: Flags = length > 1e-9 * max(float(length.max(initial=0.0)), 1e-300)
        scale = np.divide(1.0, length, out=np.zeros_like(length), where=self._varies)
        self._common = _free(values @ scale / max(1, int(self._varies.sum())), basis)
        squared = 1 - 2 * scale * (self._common @ values) + self._common @ self._common
        self._apart = 1 / np.sqrt(np.maximum(squared, np.finfo(np.float64).tiny))
        self._values, self._scale = values, scale * self._apart
        place = {names[j]: j for j in np.flatnonzero(self._varies).tolist()}
        self._markers: dict[str, tuple[Rows, Floats]] = {}
        for name, markers in {**CELLS, **PROGRAMMES}.items():
            rows = np.array([place[gene] for gene in markers.split() if gene in place], np.intp)
            if len(rows) >= FEWEST_MARKERS:
                sums = _free(values[:, rows], basis) @ self._scale[rows]
                mean = (sums - self._common * self._apart[rows].sum()) / len(rows)
                self._markers[name] = rows, mean

    def of(self, patterns: Floats) -> list[list[Likeness]]:
        """Return what patterns (m, n), free of the design, go with; the closest first of each."""
        units = patterns / np.linalg.norm(patterns, axis=1)[:, None]
        loadings = (units @ self._values) * self._scale
        loadings -= (units @ self._common)[:, None] * self._apart
        return [self._alike(*each) for each in zip(patterns, loadings, strict=True)]

    def _alike(self, pattern: Floats, loadings: Floats) -> list[Likeness]:
        all_genes = loadings[self._varies]
        middle, spread = float(all_genes.mean()), float(all_genes.std())
        found = []
        for name, (rows, mean) in self._markers.items():
            r, p = pearson(mean, pattern)
            score = (float(loadings[rows].mean()) - middle) / spread * np.sqrt(len(rows))
            found.append(Likeness(name, KIND_OF[name], r, p, float(score)))
        return sorted(found, key=lambda likeness: -abs(likeness.r))


def _free(values: Floats, basis: Floats) -> Floats:
    """Return what an orthonormal basis leaves of values."""
    return np.asarray(values - basis @ (basis.T @ values))
