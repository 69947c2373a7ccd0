"""What an agent is asked to do, in words."""

from __future__ import annotations

from genotex.problems import Problem, ProblemKind

_GENES = """\
Write your answer as JSON to `{result}`:

```json
{{"significant_genes": {{"Variable": ["CXCL9", "GBP1"]}}}}
```

`Variable` lists official human gene symbols, the most important first. Further columns, such as
`Coefficient`, must have the same length.
"""

_RAW = """\
`input/GEO/<trait>/<series>/` has series matrices and family SOFT files as GEO distributes them,
`input/TCGA/<study>/` the clinical matrix and gene expression of TCGA studies, where there are any.
Not every series is usable: some lack the trait, gene expression, or enough samples.
"""

_RECORD = """\
`output/preprocess/<trait>/cohort_info.json` has one object for each cohort, by its name (the
series accession; `TCGA` for a TCGA study): `is_usable`, `is_gene_available`,
`is_trait_available`, `is_available`, `is_biased`, `has_age`, `has_gender` (true or false),
`sample_size` (a number) and `note`. A cohort is available if it has both gene expression and the
trait, and usable if its trait is not severely biased either.
"""

_TABLES = """\
`output/preprocess/<trait>/<cohort>.csv` is the linked table: one row per sample; the columns are
the sample id, the trait (0 and 1, or a number), Age in years and Gender (0 female, 1 male) where
they are known, then one column per gene, by official symbol.
"""

_OTHER_TABLES = """\
`clinical_data/<cohort>.csv` (trait, Age and Gender in rows, samples in columns) and
`gene_data/<cohort>.csv` (genes in rows, samples in columns) go next to it.
"""


def instruction_text(task: str, problem: Problem, cohort: str | None, result: str) -> str:
    """Return the instruction of an assignment; all paths are relative to the working folder."""
    opening = {
        "gta": f"Find the genes that are associated with {_words(problem)}, from raw data.",
        "preprocess": f"Prepare the cohort {cohort} for the study of {_plain(problem.trait)}.",
        "select": f"Decide which cohorts can be used to study {_words(problem)}.",
        "analyse": f"Find the genes that are associated with {_words(problem)}, from prepared "
        "tables.",
    }[task]
    parts = {
        "gta": (_RAW, _method(problem), _GENES),
        "preprocess": (_RAW, _RECORD, _TABLES + _OTHER_TABLES),
        "select": (_RAW, _RECORD, _choice(problem)),
        "analyse": (_PREPARED, _method(problem), _GENES),
    }[task]
    closing = (
        "`problem.json` holds this assignment for programs, `task_info.json` genes that are known "
        "to be related to the trait. Use the data here alone; all paths are relative to the "
        "working folder.\n"
    )
    # Only the text of the genes has a place to fill in.
    filled = (part.format(result=result) if part is _GENES else part for part in parts)
    return "\n".join((opening + "\n", *filter(None, filled), closing))


_PREPARED = """\
`preprocessed/<trait>/cohort_info.json` lists the cohorts and which of them are usable;
`preprocessed/<trait>/<cohort>.csv` is a linked table: one row per sample; sample id, trait, Age
and Gender where they are known, then one column per gene.
"""


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _words(problem: Problem) -> str:
    trait = _plain(problem.trait)
    if problem.condition is None:
        return trait
    condition = {"Age": "age", "Gender": "sex"}.get(problem.condition, _plain(problem.condition))
    return f"{trait}, adjusted for {condition}"


def _method(problem: Problem) -> str:
    if problem.kind is ProblemKind.UNCONDITIONAL:
        return "Use the usable cohort with the most samples.\n"
    if problem.kind is ProblemKind.ONE_STEP:
        return (
            f"Use the usable cohort with the most samples among those that have {problem.condition}"
            ", and adjust for it.\n"
        )
    return (
        f"No cohort records {_plain(str(problem.condition))} together with the trait. Predict it "
        "in a cohort of the trait from the expression of its related genes, with a model fitted "
        "in a cohort of the condition, and adjust for the prediction.\n"
    )


def _choice(problem: Problem) -> str:
    if problem.kind is ProblemKind.TWO_STEP:
        return _TABLES + (
            "Write records and linked tables for the cohorts of both traits. The pair that is "
            "chosen is the one with the largest product of sample sizes among the usable pairs "
            "that share a gene related to the condition.\n"
        )
    among = "" if problem.condition is None else f" that have {problem.condition}"
    return (
        f"The cohort that is chosen is the usable one with the most samples{among}, by your "
        "records.\n"
    )
