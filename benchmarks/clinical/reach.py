"""How far the options reach that the rules generate, and how honest the certainty of a choice is.

    python -m benchmarks reach CASES.jsonl.gz ... [--half A|B] [--titles SAMPLES.parquet]
        [--wrong]

For each file: trait exact (for cases that are labelled by sample: every labelled sample has the
right code), the ceiling (the share of cases with any right option, or rightly without one), options
a case, calibration error of ten bands, that of "not available" alone, and the share right when the
least certain fifth of the cases is reviewed, which counts these as right. ``--half`` splits cases
labelled by sample by a hash of their id: rules are developed on A alone. Cases by sample count only
if one row separates them, but all of them with ``--titles``: where no text of the samples does so,
"not available" is right. ``--wrong`` lists the cases read wrong, and whether an option was right.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.clinical.certainty import of_series, with_certainties
from benchmarks.clinical.conditional_logit import choose
from benchmarks.clinical.labelled_cases import Case, half_of, read_cases, read_with_texts
from genotex.clinical import load_vocabulary
from genotex.clinical.trait.certainty import load_certainty
from genotex.clinical.trait.scoring import load_weights


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path, nargs="+")
    parser.add_argument("--half", choices="AB")
    parser.add_argument("--titles", type=Path, help="texts of samples, by sample")
    parser.add_argument("--wrong", action="store_true")
    arguments = parser.parse_args()
    print("| cases | n | exact | ceiling | options | ECE | ECE of none | 4/5 reviewed |")
    for path in arguments.cases:
        name = path.name.partition(".")[0]
        for kind, cases in _kinds(path, arguments.titles):
            for half in "AB" if cases[0].by_sample else " ":
                if arguments.half in (None, half) or half == " ":
                    kept = [case for case in cases if half in (" ", half_of(case.id))]
                    print(f"| {name}{kind} {half} {_line(kept)}")
                    if arguments.wrong:
                        _list_wrong(kept)


def _kinds(path: Path, texts: Path | None) -> Iterator[tuple[str, list[Case]]]:
    """Yield cases as they are and, where texts of their samples are known, with these and alone."""
    words = load_vocabulary()
    yield "", (cases := read_cases(path, words))
    if texts is not None and cases[0].by_sample:
        yield " with titles", read_with_texts(path, texts, words, rows=True)
        yield " by titles alone", read_with_texts(path, texts, words, rows=False)


def _line(cases: Sequence[Case]) -> str:
    ceiling = np.mean([case.none_right or case.right.any() for case in cases])
    options = np.mean([len(case.evidence) for case in cases])
    statements = [of_series(case, load_weights()) for case in cases]
    found = with_certainties("", statements, load_certainty()["series"])
    none = [statement for statement in statements if statement.none]
    of_none = with_certainties("", none, load_certainty()["series"])
    return (
        f"| {len(cases)} | {found.right.mean():.3f} | {ceiling:.3f} | {options:.2f} "
        f"| {found.error():.3f} | {of_none.error():.3f} | {found.reviewed():.3f} |"
    )


def _list_wrong(cases: Sequence[Case]) -> None:
    for case in cases:
        best, certainty = choose(case, load_weights())
        if case.is_right(best):
            continue
        chosen = "none" if best is None else case.predictions[best]
        reach = "in reach" if case.none_right or case.right.any() else "out of reach"
        print(f"  {case.id} ({reach}, {certainty:.2f}): {chosen}")
