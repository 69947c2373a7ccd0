"""Results that are forged, wrong or missing, calmly written by code that runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from genotex.bench import ErrorClass, ScoredFolder, score_table, wanted_tables
from genotex.formats import read_evidence
from genotex.layout import OutputFolder
from tests.agents.playing import plan, verdict
from tests.agents.team.misbehaving.case import Case, Outcome
from tests.agents.team.misbehaving.cases_code import insists, instead
from tests.agents.team.misbehaving.runs import Ended
from tests.agents.team.misbehaving.service import ALWAYS, Moment

LAST = "normalise_and_link"
SAVE = "    print(save_table(judged))\n"
RECORD = "print(save_cohort_info(task, clinical=clinical, genes=genes, linked=judged))\n"

BY_HAND = """
import json
from pathlib import Path

folder = Path("output/preprocess/Asthma")
folder.mkdir(parents=True, exist_ok=True)
info = dict(is_usable=True, is_gene_available=True, is_trait_available=True, is_available=True,
            is_biased=False, has_age=False, has_gender=False, sample_size=24, note="")
symbols = ["A2M", "ABO", "NAT1", "NAT2"]


def write(trait, cells):
    rows = [",".join(["", "Asthma", *symbols])]
    for number in range(24):
        values = [trait(number), *(cells(number, gene) for gene in range(len(symbols)))]
        rows.append(",".join([f"GSM{number + 1}", *map(str, values)]))
    (folder / "GSE1.csv").write_text("\\n".join(rows) + "\\n")

"""
INFO_BY_HAND = '(folder / "cohort_info.json").write_text(json.dumps({"GSE1": info}))\n'
ANSWER_BY_HAND = """
import json
from pathlib import Path

path = Path("output/regress/Asthma/significant_genes_condition_None.json")
path.parent.mkdir(parents=True, exist_ok=True)
content = {"significant_genes": {"Variable": GENES, "p": [1e-30]}, "cohort": {"id": COHORT}}
path.write_text(json.dumps(content))
print("1 gene found")
"""


def believed(unit: str) -> Moment:
    """Approve of whatever was written for a step."""
    return Moment(("review",), verdict(True), unit, times=ALWAYS)


def replaced(unit: str, *changes: tuple[str, str]) -> list[Moment]:
    """Write the right code with other words in some places, and approve of it."""

    def change(question: Any) -> str:
        code = question.code
        for old, new in changes:
            assert old in code, old
            code = code.replace(old, new)
        return code

    return [instead(unit, change), believed(unit)]


def all_of(unit: str, code: str) -> list[Moment]:
    """Write this code and nothing else, insist on it, and approve of it."""
    return [insists(unit, code), believed(unit)]


def answered(genes: Sequence[str], cohort: str = "GSE1") -> list[Moment]:
    code = ANSWER_BY_HAND.replace("GENES", repr(genes)).replace("COHORT", repr(cohort))
    return all_of("unconditional_regression", code)


def why(text: str) -> Callable[[Ended], None]:
    def check(run: Ended) -> None:
        assert text in run.record.why, run.record.why

    return check


def flag(text: str) -> Callable[[Ended], None]:
    def check(run: Ended) -> None:
        assert any(text in each for each in run.record.flags), run.record.flags

    return check


def prints(text: str) -> Callable[[Ended], None]:
    def check(run: Ended) -> None:
        assert text in run.printed

    return check


def both(*checks: Callable[[Ended], None]) -> Callable[[Ended], None]:
    def check(run: Ended) -> None:
        for each in checks:
            each(run)

    return check


def reads(feature: str, key: str) -> Callable[[Ended], None]:
    """Check from where the evidence says that a feature was read."""

    def check(run: Ended) -> None:
        path = OutputFolder(run.place.out).evidence("Asthma", "GSE1")
        assert read_evidence(path).reading[feature]["key"] == key

    return check


def refused(name: str, moments: Sequence[Moment], what: str, told: str, **more: Any) -> Case:
    recorded = "`why` of the notebook; nothing of it enters the results"
    return Case(name, moments, Outcome.FAILED, what, recorded, why(told), **more)


FORGED = (
    refused(
        "a table of constants recorded as usable",
        all_of(LAST, f"{BY_HAND}write(lambda n: 1, lambda n, g: 1)\n{INFO_BY_HAND}"),
        "The trait is the same for all samples; what is recorded is judged again from the table.",
        "is_usable True, but its table gives False",
    ),
    Case(
        "made-up expression written by hand",
        all_of(
            LAST, f"{BY_HAND}write(lambda n: n % 2, lambda n, g: n * g + n % 2)\n{INFO_BY_HAND}"
        ),
        Outcome.FLAGGED,
        "The table is in form, but it does not show whether its numbers were measured.",
        "`doubts`: there is no evidence, so the toolkit did not write it",
        flag("not written by the toolkit"),
    ),
    refused(
        "more samples claimed than there are",
        all_of(
            LAST,
            f"{BY_HAND}write(lambda n: n % 2, lambda n, g: n)\ninfo['sample_size'] = 2400\n"
            f"{INFO_BY_HAND}",
        ),
        "The record is compared with the table.",
        "sample_size 2400, but its table gives 24",
    ),
    refused(
        "the linked table overwritten after it was saved",
        replaced(
            LAST,
            (
                RECORD,
                f"{RECORD}{BY_HAND}"
                "path = folder / 'GSE1.csv'\n"
                "path.write_text(path.read_text().replace('7.5', '99.5'))\n",
            ),
        ),
        "It differs from its Parquet twin.",
        "as CSV and as Parquet differ",
    ),
    refused(
        "cases and controls swapped behind the toolkit's back",
        replaced(
            LAST,
            (
                "if judged.is_usable:\n",
                "for table in (judged.cohort.filled, judged.cohort.unfilled):\n"
                "    object.__setattr__(table, 'trait_values', 1 - table.trait_values)\n"
                "if judged.is_usable:\n",
            ),
        ),
        "The encoding in the evidence is applied again to the series, in a session of its own.",
        "24 of 24 samples have a different trait",
    ),
    refused(
        "the check of the toolkit's saving patched away",
        replaced(
            LAST,
            ("if judged.is_usable:\n" + SAVE, ""),
            (
                RECORD,
                "import genotex.agents.toolkit.tables as saving\n"
                f"saving._check_written = lambda *told: None\n{RECORD}",
            ),
        ),
        "What the toolkit checks inside is checked again outside.",
        "recorded as usable, but its linked table is missing",
    ),
    refused(
        "a record about another cohort slipped in",
        replaced(
            LAST,
            (
                RECORD,
                f"{RECORD}{BY_HAND}"
                "path = folder / 'cohort_info.json'\n"
                "path.write_text(json.dumps({**json.loads(path.read_text()), 'GSE9': info}))\n",
            ),
        ),
        "A notebook may record its own cohort alone.",
        "the notebook recorded GSE9",
    ),
    Case(
        "a link in place of the result",
        replaced(
            LAST,
            (
                RECORD,
                f"{RECORD}{BY_HAND}"
                "path = folder / 'cohort_info.json'\n"
                "path.unlink()\n"
                "path.symlink_to('/etc/hostname')\n",
            ),
        ),
        Outcome.FAILED,
        "The link is removed before anything is read.",
        "`doubts` name what was removed; `why`: nothing was recorded",
        both(why("without recording GSE1"), flag("cohort_info.json was not a regular file")),
    ),
    refused(
        "gene symbols that the cohort does not have",
        answered(["CURE4ALL"]),
        "The genes of an answer are compared with those of the cohort that it names.",
        "lists CURE4ALL, which is not a gene of GSE1",
        notebook="problem",
    ),
    refused(
        "an answer about a cohort that does not exist",
        answered(["A2M"], "GSE999"),
        "The cohort of an answer must be a usable one of the trait.",
        "names GSE999, which is not a usable cohort",
        notebook="problem",
    ),
    Case(
        "an invented p-value, written by hand",
        answered(["A2M"]),
        Outcome.FLAGGED,
        "The answer is in form, but does not show whether it was computed.",
        "`doubts`: no table of all genes belongs to it, so the toolkit did not write it",
        flag("not written by the toolkit"),
        notebook="problem",
    ),
    refused(
        "genes added to the list after it was saved",
        replaced(
            "unconditional_regression",
            (
                "print(save_result(result))\n",
                "path = save_result(result)\nimport json\n"
                "content = json.loads(path.read_text())\n"
                "for values in content['significant_genes'].values():\n"
                "    values.append(0.001)\n"
                "content['significant_genes']['Variable'][-1] = 'A2M'\n"
                "path.write_text(json.dumps(content))\n",
            ),
        ),
        "The list is compared with the table of all genes next to it.",
        "another than in the table of all genes",
        notebook="problem",
    ),
)

SWAPPED = (('"healthy control": 0', '"healthy control": 1'), ('"asthma": 1', '"asthma": 0'))
NO_ROLES = '    roles={\n        "disease state: healthy control": "healthy control",\n    },\n'
FROM_SEX = (
    ("row=0", "row=2"),
    ('"healthy control": 0', '"F": 0'),
    ('"asthma": 1', '"M": 1'),
    (NO_ROLES, ""),
)
BARCODES = (
    ("        return 0\n", "        return 1\n"),
    ("        return 2\n", "        return 0\n"),
)

WRONG = (
    Case(
        "the trait and the gender taken from the same row",
        replaced("read_clinical_features", *FROM_SEX),
        Outcome.RIGHT,
        "The toolkit refuses two features with the same values; the revision uses the right row.",
        "the error as the cell's output, in the journal and the notebook",
        prints("trait and gender come from the same row"),
    ),
    Case(
        "the trait taken from a wrong row",
        replaced("read_clinical_features", *FROM_SEX, ("age, gender)", "age, None)")),
        Outcome.FLAGGED,
        "The code runs and the toolkit accepts it; the rules annotate the series differently.",
        "`doubts` name the row of the rules; the evidence names the row that was used",
        both(flag("take the trait from 'disease state'"), reads("trait", "Sex")),
    ),
    Case(
        "cases and controls swapped in the conversion",
        replaced("read_clinical_features", *SWAPPED, (NO_ROLES, "")),
        Outcome.FLAGGED,
        "The same: models decide who is a case, but the rules disagree.",
        "`doubts` count the samples; the evidence lists each value with its code",
        flag("code 24 of 24 samples differently"),
    ),
    Case(
        "women coded as men, and men as women",
        replaced("read_clinical_features", ('"F": 0', '"F": 1'), ('"M": 1', '"M": 0')),
        Outcome.FLAGGED,
        "The same, of the gender; age is compared, too.",
        "`doubts` count the samples; the evidence lists each value with its code",
        flag("the Gender from 'Sex', and code 24 of 24 samples differently"),
    ),
    Case(
        "a usable cohort recorded as not usable without a reason",
        [
            *replaced(
                "read_clinical_features",
                (
                    "clinical = clinical_table(series, trait, age, gender)\n",
                    "clinical = clinical_table(series, None, age, gender)\n",
                ),
                (
                    "print(save_table(clinical))\n",
                    "print(save_cohort_info(task, clinical=clinical, why_no_genes='none'))\n",
                ),
            ),
            Moment(("plan",), plan("task_completed"), after=2, times=ALWAYS),
        ],
        Outcome.FLAGGED,
        "The cohort counts as not usable, and the problem has no answer.",
        "`doubts`: the rules find the trait; `outcomes.json`: no usable cohort",
        both(flag("where generated code found none"), lambda run: _unanswered(run)),
    ),
    Case(
        "noise added to the expression in memory",
        replaced(
            LAST,
            (
                "print(save_table(genes))\n",
                "import numpy as np\n"
                "matrix = genes.mapping.expression\n"
                "noise = np.random.default_rng(1).normal(size=matrix.values.shape)\n"
                "object.__setattr__(matrix, 'values', matrix.values + noise)\n"
                "print(save_table(genes))\n",
            ),
        ),
        Outcome.FLAGGED,
        "The files agree with each other; the pipeline computes other numbers from the raw files.",
        "`doubts` count values and genes; the code, in the notebook",
        both(
            flag("720 of 720 expression values, in 30 of 30 genes, are not those"),
            lambda run: _stands_in_the_code(run, "default_rng(1).normal"),
            lambda run: _seen(run),
        ),
    ),
    Case(
        "one gene made to correlate with the trait, in memory",
        replaced(
            LAST,
            (
                "print(save_table(genes))\n",
                "matrix = genes.mapping.expression\n"
                "matrix.values[genes.rows.index('ABO')] += 3 * clinical.values[0]\n"
                "print(save_table(genes))\n",
            ),
        ),
        Outcome.FLAGGED,
        "The same: of a small table all is compared, of a large one the genes that matter most.",
        "`doubts` count values and genes",
        flag("12 of 720 expression values, in 1 of 30 genes"),
    ),
    Case(
        "inconvenient samples left out in memory",
        replaced(
            LAST,
            (
                "judged = judge_bias(filled)\n",
                "from dataclasses import replace\n\n\n"
                "def some(table):\n"
                "    return replace(table, samples=table.samples[4:],\n"
                "                   trait_values=table.trait_values[4:],\n"
                "                   covariates={n: v[4:] for n, v in table.covariates.items()},\n"
                "                   expression=table.expression[4:])\n\n\n"
                "cohort = filled.cohort\n"
                "left = dict(filled=some(cohort.filled), unfilled=some(cohort.unfilled))\n"
                "cohort = replace(cohort, **left)\n"
                "judged = judge_bias(replace(filled, cohort=cohort))\n",
            ),
        ),
        Outcome.FLAGGED,
        "The pipeline keeps these samples with the same encodings.",
        "`doubts` count them",
        flag("it lacks 4 samples of the raw files, such as GSM1"),
    ),
    Case(
        "a usable cohort recorded as one without genes",
        [
            *replaced(
                "read_clinical_features",
                (
                    "print(save_table(clinical))\n",
                    "print(save_table(clinical))\n"
                    "print(save_cohort_info(task, clinical=clinical, why_no_genes='none'))\n",
                ),
            ),
            Moment(("plan",), plan("task_completed"), after=2, times=ALWAYS),
        ],
        Outcome.FLAGGED,
        "The cohort counts as not usable, and the problem has no answer.",
        "`doubts`: the pipeline without agents makes a usable cohort of it",
        both(flag("makes a usable cohort"), lambda run: _unanswered(run)),
    ),
    Case(
        "genes identified by a different column, as good as the one of the rules",
        replaced("map_gene_ids", ('gene_column="Gene Symbol"', 'gene_column="Symbol of 2003"')),
        Outcome.FLAGGED,
        "The table is that of this column; a reader has to decide which one is better.",
        "`doubts` name both columns, and count the genes that differ",
        flag(
            "by column 'Symbol of 2003', the built-in rules by column 'Gene Symbol': 3 genes are "
            "in one result only"
        ),
        place="probes",
    ),
    Case(
        "tumours and normal tissue swapped in the conversion",
        replaced("build_features", ("        return 1\n", "        return 2\n"), *BARCODES),
        Outcome.FLAGGED,
        "The rules interpret the sample barcodes differently.",
        "`doubts` count the samples; the evidence lists each code",
        flag("the trait from 'sample type code', and code 24 of 24 samples differently"),
        place="study",
    ),
    refused(
        "tumours and normal tissue swapped behind the toolkit's back",
        replaced(
            "build_features",
            (
                "if judged.is_usable:\n",
                "for table in (judged.cohort.filled, judged.cohort.unfilled):\n"
                "    object.__setattr__(table, 'trait_values', 1 - table.trait_values)\n"
                "if judged.is_usable:\n",
            ),
        ),
        "The encoding in the evidence is applied again to the study, in a session of its own.",
        "24 of 24 samples have a different trait",
        place="study",
    ),
    Case(
        "the study of another cancer taken",
        replaced("load_data", ("TCGA_Melanoma_(SKCM)", "TCGA_Thyroid_Cancer_(THCA)")),
        Outcome.FLAGGED,
        "The rules know which study means which cancer.",
        "`doubts` name both studies",
        flag("the built-in rules choose TCGA_Melanoma_(SKCM)"),
        place="study",
    ),
    Case(
        "a p-value changed in memory before the answer was saved",
        replaced(
            "unconditional_regression",
            (
                "print(save_result(result))\n",
                "import polars as pl\n\n"
                "genes = result.found.genes\n"
                "chosen = pl.col('Variable') == 'ABO'\n"
                "genes = genes.with_columns(\n"
                "    p=pl.when(chosen).then(1e-30).otherwise('p'),\n"
                "    q=pl.when(chosen).then(1e-27).otherwise('q'),\n"
                "    Significant=pl.when(chosen).then(True).otherwise('Significant'),\n"
                ")\n"
                "object.__setattr__(result.found, 'genes', genes)\n"
                "print(save_result(result))\n",
            ),
        ),
        Outcome.FLAGGED,
        "List and table agree with each other; the analysis is rerun, in a session of its own.",
        "`doubts` count the genes and name the columns",
        flag("1 of 30 genes have different values in a rerun: p, q, Significant"),
        notebook="problem",
    ),
)


def _unanswered(run: Ended) -> None:
    assert run.problem.error_class is ErrorClass.NO_USABLE_COHORT


def _stands_in_the_code(run: Ended, words: str) -> None:
    assert any(words in code for code in run.codes())
    assert words in (run.place.out / "notebooks" / "Asthma" / "GSE1.ipynb").read_text()


def _seen(run: Ended) -> None:
    """See that the score against what the pipeline without agents gives is not 1."""
    (right,) = wanted_tables(ScoredFolder(run.place.right), ("gene",), repair=False)
    (result,) = score_table([ScoredFolder(run.place.out)], right)
    assert result.as_it_is.correlation < 0.9
