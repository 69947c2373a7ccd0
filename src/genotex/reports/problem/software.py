"""How to cite the software and the methods of a page, and the session that made its numbers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import PurePath
from typing import Any

from genotex.analysis import formula_of
from genotex.formats import Evidence
from genotex.options import AnalysisOptions
from genotex.reports.genes.findings import Findings
from genotex.words import listed

Rows = Sequence[tuple[str, str]]
PACKAGES = {
    "python": "Python",
    "numpy": "NumPy",
    "scipy": "SciPy",
    "polars": "Polars",
    "platform": "Platform",
}
"""Names of packages as they write them."""

REFERENCES = {
    "Ashburner et al. 2000": "Ashburner M, Ball CA, Blake JA, et al. Gene Ontology: tool for the "
    "unification of biology. Nat Genet 2000;25:25-29.",
    "Benjamini and Heller 2008": "Benjamini Y, Heller R. Screening for partial conjunction "
    "hypotheses. Biometrics 2008;64:1215-1222.",
    "Benjamini and Hochberg 1995": "Benjamini Y, Hochberg Y. Controlling the false discovery rate: "
    "a practical and powerful approach to multiple testing. J R Stat Soc B 1995;57:289-300.",
    "Breiman et al. 1984": "Breiman L, Friedman JH, Olshen RA, Stone CJ. Classification and "
    "Regression Trees. Wadsworth; 1984.",
    "Buja and Eyuboglu 1992": "Buja A, Eyuboglu N. Remarks on parallel analysis. Multivariate "
    "Behav Res 1992;27:509-540.",
    "Chen et al. 2016": "Chen Y, Lun ATL, Smyth GK. From reads to genes to pathways: differential "
    "expression analysis of RNA-Seq experiments using Rsubread and the edgeR quasi-likelihood "
    "pipeline. F1000Research 2016;5:1438.",
    "Cox 1972": "Cox DR. Regression models and life-tables. J R Stat Soc B 1972;34:187-220.",
    "Dobriban and Owen 2019": "Dobriban E, Owen AB. Deterministic parallel analysis: an improved "
    "method for selecting factors and principal components. J R Stat Soc B 2019;81:163-183.",
    "Efron 1977": "Efron B. The efficiency of Cox's likelihood function for censored data. J Am "
    "Stat Assoc 1977;72:557-565.",
    "Gene Ontology Consortium 2021": "Gene Ontology Consortium. The Gene Ontology resource: "
    "enriching a GOld mine. Nucleic Acids Res 2021;49:D325-D334.",
    "Gerard and Stephens 2020": "Gerard D, Stephens M. Empirical Bayes shrinkage and false "
    "discovery rate estimation, allowing for unwanted variation. Biostatistics 2020;21:15-32.",
    "Hedges 1981": "Hedges LV. Distribution theory for Glass's estimator of effect size and "
    "related estimators. J Educ Stat 1981;6:107-128.",
    "Higgins and Thompson 2002": "Higgins JPT, Thompson SG. Quantifying heterogeneity in a "
    "meta-analysis. Stat Med 2002;21:1539-1558.",
    "Kang et al. 2008": "Kang HM, Zaitlen NA, Wade CM, et al. Efficient control of population "
    "structure in model organism association mapping. Genetics 2008;178:1709-1723.",
    "Kaplan and Meier 1958": "Kaplan EL, Meier P. Nonparametric estimation from incomplete "
    "observations. J Am Stat Assoc 1958;53:457-481.",
    "Knapp and Hartung 2003": "Knapp G, Hartung J. Improved tests for a random effects "
    "meta-regression with a single covariate. Stat Med 2003;22:2693-2710.",
    "Law et al. 2014": "Law CW, Chen Y, Shi W, Smyth GK. voom: precision weights unlock linear "
    "model analysis tools for RNA-seq read counts. Genome Biol 2014;15:R29.",
    "Leek and Storey 2007": "Leek JT, Storey JD. Capturing heterogeneity in gene expression "
    "studies by surrogate variable analysis. PLoS Genet 2007;3:e161.",
    "Leek and Storey 2008": "Leek JT, Storey JD. A general framework for multiple testing "
    "dependence. Proc Natl Acad Sci USA 2008;105:18718-18723.",
    "Lippert et al. 2011": "Lippert C, Listgarten J, Liu Y, et al. FaST linear mixed models for "
    "genome-wide association studies. Nat Methods 2011;8:833-835.",
    "Liu et al. 2024": "Liu H, Chen S, Zhang Y, Wang H. GenoTEX: an LLM agent benchmark for "
    "automated gene expression data analysis. arXiv 2024:2406.15341.",
    "Love et al. 2014": "Love MI, Huber W, Anders S. Moderated estimation of fold change and "
    "dispersion for RNA-seq data with DESeq2. Genome Biol 2014;15:550.",
    "Mantel 1966": "Mantel N. Evaluation of survival data and two new rank order statistics "
    "arising in its consideration. Cancer Chemother Rep 1966;50:163-170.",
    "McCarthy and Smyth 2009": "McCarthy DJ, Smyth GK. Testing significance relative to a "
    "fold-change threshold is a TREAT. Bioinformatics 2009;25:765-771.",
    "Muzellec et al. 2023": "Muzellec B, Telenczuk M, Cabeli V, Andreux M. PyDESeq2: a python "
    "package for bulk RNA-seq differential expression analysis. Bioinformatics 2023;39:btad547.",
    "Paule and Mandel 1982": "Paule RC, Mandel J. Consensus values and weighting factors. J Res "
    "Natl Bur Stand 1982;87:377-385.",
    "Phipson et al. 2016": "Phipson B, Lee S, Majewski IJ, Alexander WS, Smyth GK. Robust "
    "hyperparameter estimation protects against hypervariable genes and improves power to detect "
    "differential expression. Ann Appl Stat 2016;10:946-963.",
    "Ritchie et al. 2006": "Ritchie ME, Diyagama D, Neilson J, et al. Empirical array quality "
    "weights in the analysis of microarray data. BMC Bioinformatics 2006;7:261.",
    "Robinson and Oshlack 2010": "Robinson MD, Oshlack A. A scaling normalization method for "
    "differential expression analysis of RNA-seq data. Genome Biol 2010;11:R25.",
    "Shah and Samworth 2013": "Shah RD, Samworth RJ. Variable selection with error control: "
    "another look at stability selection. J R Stat Soc B 2013;75:55-80.",
    "Smyth 2004": "Smyth GK. Linear models and empirical Bayes methods for assessing differential "
    "expression in microarray experiments. Stat Appl Genet Mol Biol 2004;3:3.",
    "Smyth, Michaud and Scott 2005": "Smyth GK, Michaud J, Scott HS. Use of within-array replicate "
    "spots for assessing differential expression in microarray experiments. Bioinformatics "
    "2005;21:2067-2075.",
    "Subramanian et al. 2005": "Subramanian A, Tamayo P, Mootha VK, et al. Gene set enrichment "
    "analysis: a knowledge-based approach for interpreting genome-wide expression profiles. Proc "
    "Natl Acad Sci USA 2005;102:15545-15550.",
    "Tibshirani 1996": "Tibshirani R. Regression shrinkage and selection via the lasso. J R Stat "
    "Soc B 1996;58:267-288.",
    "Wang et al. 2017": "Wang J, Zhao Q, Hastie T, Owen AB. Confounder adjustment in multiple "
    "hypothesis testing. Ann Stat 2017;45:1863-1894.",
    "Wu and Smyth 2012": "Wu D, Smyth GK. Camera: a competitive gene set test accounting for "
    "inter-gene correlation. Nucleic Acids Res 2012;40:e133.",
    "Wu et al. 2010": "Wu D, Lim E, Vaillant F, et al. ROAST: rotation gene set tests for complex "
    "microarray experiments. Bioinformatics 2010;26:2176-2182.",
}
"""Authors and year, as a paragraph cites them, to the full reference."""


@dataclass(frozen=True)
class SoftwareView:
    """The section on the software: how to cite it, the works cited, and the session."""

    citation: str
    references: tuple[str, ...]
    session: tuple[tuple[str, str], ...]


def software_view(methods: str, method: Mapping[str, Any], more: Rows = ()) -> SoftwareView:
    """Return the section for a methods paragraph and the record of a method."""
    versions: Mapping[str, str] = method.get("versions") or {}
    session: Mapping[str, str] = method.get("session") or {}
    rows = [(PACKAGES.get(name, name), str(found)) for name, found in versions.items()]
    rows += [(PACKAGES.get(name, name), str(found)) for name, found in session.items()]
    found = [(name, value) for name, value in (*rows, *more) if value]
    return SoftwareView(
        citation(str(versions.get("genotex") or "")), cited_works(methods), tuple(found)
    )


def software_sentence(versions: Mapping[str, str]) -> str:
    """Return the versions that a result was computed with, for a methods paragraph."""
    named = [f"{PACKAGES.get(name, name)} {number}" for name, number in versions.items()]
    return f"Software: {listed(named)}."


def problem_software(evidence: Evidence, findings: Findings, methods: str) -> SoftwareView:
    """Return the section for the page of one problem."""
    formula = None if findings.selects else formula_of(findings.result)
    words = "" if formula is None else shlex.join(["genotex", "de", "...", *formula.words])
    method = findings.result.method
    made = str((method.get("versions") or {}).get("genotex") or "")
    prepared = evidence.genotex_version if evidence.genotex_version != made else ""
    digests = [
        (f"SHA-256 of {file.get('name', 'a file')}", str(file["sha256"]))
        for file in evidence.files
        if file.get("sha256")
    ]
    more = [
        ("Cohort prepared with genotex", prepared),
        ("Procedure", str(findings.result.procedure)),
        ("Design in the words of genotex de", words),
        ("Options of preprocessing", written_options(evidence.options, {})),
        ("Options of the analysis", written_options(method.get("options") or {})),
        *digests,
        ("Digest of input files, options and version", evidence.fingerprint),
    ]
    return software_view(methods, method, more)


def citation(version: str) -> str:
    """Return how to cite genotex, from the metadata of the package."""
    try:
        about = metadata("genotex")
    except PackageNotFoundError:
        return f"genotex, version {version} [computer software]."
    summary = about["Summary"].rstrip(".") if "Summary" in about else ""
    urls = [url.partition(",")[2].strip() for url in about.get_all("Project-URL") or ()]
    address = about["Home-page"] if "Home-page" in about else next(iter(urls), "")
    title = f"genotex: {summary}" if summary else "genotex"
    authors = ", ".join(about.get_all("Author") or ())
    made = f"Version {version or about['Version']} [computer software]"
    parts = [title, authors, made, address]
    return "".join(f"{part}. " for part in parts if part).strip()


def written_options(options: Mapping[str, Any], defaults: Mapping[str, Any] | None = None) -> str:
    """Return the options that differ from their defaults; of paths only the name of the file."""
    defaults = AnalysisOptions().as_json() if defaults is None else defaults
    empty: tuple[Any, ...] = (None, [], {}, "", False, "auto")
    chosen = {
        name: value
        for name, value in options.items()
        if (value != defaults[name] if name in defaults else value not in empty)
    }
    written = [f"{name} = {_written(value)}" for name, value in chosen.items()]
    return "; ".join(written) or "defaults"


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return _written(value.get("name", ", ".join(f"{k}: {v}" for k, v in value.items())))
    if isinstance(value, list | tuple):
        return ", ".join(map(_written, value))
    text = str(value)
    return PurePath(text).name if "/" in text and " " not in text else text


def cited_works(text: str) -> tuple[str, ...]:
    """Return the full references of what a text cites, in alphabetical order."""
    plain = re.sub(r"\((?=\d{4})", "", text)
    return tuple(full for short, full in REFERENCES.items() if short in plain)
