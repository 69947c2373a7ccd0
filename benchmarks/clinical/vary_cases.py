"""Vary labelled cases in ways with a known answer, and count how many are still right.

    python -m benchmarks vary_cases CASES.jsonl.gz [--seed 1] [--kind KIND] [--wrong N]

Prints a table of docs/clinical-quality.md: each kind of variation, how many cases allow it, and how
many of these are right as they were and as varied, with the packaged words of each trait and by the
lexicon alone. The same seed gives the same variants; they are not written anywhere.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.clinical.labelled_cases import lexicon_only
from benchmarks.clinical.other_diseases import Disease, other_diseases, swapped_organs
from genotex.bench.evaluation.labels import FeatureLabel, agreement
from genotex.clinical import (
    RuleExpert,
    SeriesDescription,
    Vocabulary,
    description_from_case,
    load_vocabulary,
    row_and_map,
)
from genotex.clinical.trait.judgement import ValueWords
from genotex.clinical.trait.series_context import explained_abbreviations
from genotex.clinical.words.keys import asks_trait, names_gene
from genotex.clinical.words.trait_names import TraitWords
from genotex.clinical.words.wording import mask
from genotex.features import simplify
from genotex.formats import read_json_lines

CONTROLS = (
    "unaffected", "HC", "non-diseased", "healthy donor", "normal volunteer", "ctl", "disease-free",
    "healthy subject", "well volunteer", "not affected", "no disease", "healthy person",
    "without disease", "normal subject", "Cntrl", "control participant",
)  # fmt: skip
"""Words for controls that take the place of those of a case."""
LEGEND_CODES = ("123456", "012345", "ABCDEF", ("G1", "G2", "G3", "G4", "G5", "G6"))
LEGENDS = (
    "{code} = {value}",
    "{code}: {value}",
    "group {code} ({value})",
    "{value} (group {code})",
)
MOST_VALUES = 6
SAMPLES_PER_VALUE = 3
LONGEST_NAME = 5
LONGEST_CODE = 5
_CODE = re.compile(r"[A-Z]{2,}")

Case = dict[str, Any]


@dataclass(frozen=True)
class Variant:
    """A varied case: what an expert sees, and the answer."""

    id: str
    trait: str
    description: SeriesDescription
    label: FeatureLabel | None
    titles: Mapping[str, float | None] | None = None  # Title -> code, where titles hold the answer


class Words:
    """The words of the trait of one case, by the packaged vocabulary."""

    def __init__(self, case: Case, vocabulary: Vocabulary) -> None:
        self.trait: TraitWords = vocabulary.trait(case["trait"])
        self.table = vocabulary.entry(vocabulary.names.listed(case["trait"]) or case["trait"])[1]
        self.values = ValueWords(self.trait, vocabulary)

    def is_named(self, value: str) -> bool:
        """Return whether a value names the trait by its own name, not by a form of it."""
        rest = mask(simplify(value), self.trait.terms.spans(value))
        return value in self.trait.terms and rest not in self.trait.includes

    def tells(self, cell: str) -> bool:
        """Return whether a cell names the trait, or its key asks for it or its gene."""
        key = _key(cell)
        asked = asks_trait(self.trait, key) or names_gene(self.trait, key)
        return asked or self.is_named(_value(cell))

    def is_only_named(self, value: str) -> bool:
        """Return whether a value is the trait's name and nothing else."""
        return self.values.says_only(value, self.values.trait.terms)

    def is_plain_control(self, value: str) -> bool:
        """Return whether a value is a word for controls and nothing else."""
        return self.values.says_healthy(value) and self.values.names_only_control(value)


def renamed(case: Case, words: Words, rng: random.Random) -> Case | None:
    """Give the disease another name, everywhere."""
    trait, label = words.trait, case["labels"]["reading"]["trait"]
    if trait.is_level or (label is None and _all_text(case) not in trait.terms):
        return None
    # Cases that the name does not reach (a form, a cell line) would not become another disease.
    cases = [_value(cell) for cell, code in (label or {"map": {}})["map"].items() if code == 1]
    by_form = (trait.includes, trait.cell_lines, trait.broader)
    unnamed = [value for value in cases if not words.is_named(value)]
    if any(_CODE.search(v) or any(v in terms for terms in by_form) for v in unnamed):
        return None
    if trait.sites:
        return _with_other_organ(case, words, rng)
    if trait.is_cancer or trait.is_subtype or not set(_codes(label)) <= {0, 1, None}:
        return None
    other = rng.choice(other_diseases())
    if simplify(other.name) in simplify(_all_text(case)) or _share_word(other.name, trait.name):
        return None
    rename = _renaming(words, other, _all_text(case))
    named = [c for c, code in (label or {"map": {}})["map"].items() if code == 1 and words.tells(c)]
    if any(rename(cell) == cell for cell in named):
        return None  # "rls: 1", "ldlr: W23X" would still be the disease that the case was of
    changed = _everywhere(case, rename)
    changed["trait"] = other.name.title().replace(" ", "_")
    return None if _all_text(changed) in trait.terms else changed


def _share_word(one: str, other: str) -> bool:
    return bool(set(simplify(one).split()) & set(simplify(other).split()))


def _renaming(words: Words, other: Disease, text: str) -> Callable[[str], str]:
    """Return what puts another disease in the place of the trait's names and abbreviations."""
    long = [t for t in words.table.get("terms", ()) if len(simplify(t)) > 3]
    explained = explained_abbreviations(text).items()
    own = [
        code for code, name in explained if words.values.says_only(name, words.values.trait.terms)
    ]
    short = [*words.table.get("acronyms", ()), *own]
    long_pattern = _any_of(long, re.IGNORECASE)
    short_pattern = _any_of(short, 0)

    def rename(text: str) -> str:
        text = long_pattern.sub(other.name, text) if long else text
        return short_pattern.sub(other.short, text) if short else text

    return rename


def _any_of(terms: Iterable[str], flags: int) -> re.Pattern[str]:
    found = sorted((re.findall(r"[A-Za-z0-9]+", term) for term in terms), key=len, reverse=True)
    texts = (r"(?:['\u2019]?s)?[\W_]+".join(map(re.escape, words)) for words in found if words)
    return re.compile(
        rf"(?<![A-Za-z0-9])(?:{'|'.join(texts)})(?:['\u2019]?s)?(?![A-Za-z0-9])", flags
    )


def _with_other_organ(case: Case, words: Words, rng: random.Random) -> Case | None:
    """Move a cancer to another organ: breast cancer becomes thyroid cancer."""
    swapped = swapped_organs(words.trait.name, rng)
    if swapped is None or any(simplify(new) in simplify(_all_text(case)) for new in swapped[1]):
        return None
    rename, _ = swapped
    changed = _everywhere(case, rename)
    changed["trait"] = rename(case["trait"].replace("_", " ")).replace(" ", "_")
    return None if _all_text(changed) in words.trait.terms else changed


def abbreviated(case: Case, words: Words, rng: random.Random) -> Case | None:
    """Replace cases and controls by letters that the summary explains."""
    label = case["labels"]["reading"]["trait"]
    values = _clear_values(case, words)
    if values is None or any(len(v.split()) > LONGEST_NAME for v in values.values()):
        return None
    if any(re.search(r"\d|[^\w\s-]|\b[A-Z]\b", value) for value in values.values()):
        return None
    short: dict[str, str] = {}
    for cell, value in values.items():
        only = words.is_only_named(value)
        name = words.trait.name if only and len(value) <= LONGEST_CODE else value
        long = name if len(name.split()) > 1 else f"{name} subjects"
        letters = re.findall(r"[A-Za-z]+", long)
        if not letters:
            return None
        code = "".join(word[0] for word in letters) + rng.choice(letters[-1][1:] or "x")
        short[cell] = code.upper()[:6]
        case = _with_sentence(case, f"We studied {long} ({short[cell]}).")
    if len(set(short.values())) < len(short):
        return None
    return _with_cells(case, {c: f"{_key(c)}: {s}" for c, s in short.items()}, label["row"])


def by_legend(case: Case, words: Words, rng: random.Random) -> Case | None:
    """Replace cases and controls by numbers or letters that a sentence of the summary explains."""
    values = _clear_values(case, words)
    if values is None or any(re.search(r"[,;:()=.]", value) for value in values.values()):
        return None
    codes = rng.choice(LEGEND_CODES)
    form = rng.choice(LEGENDS)
    short = dict(zip(values, codes, strict=False))
    parts = [form.format(code=short[cell], value=value) for cell, value in values.items()]
    row = case["labels"]["reading"]["trait"]["row"]
    case = _with_sentence(case, f"Samples: {', '.join(parts)}.")
    return _with_cells(case, {c: f"{_key(c)}: {code}" for c, code in short.items()}, row)


def _clear_values(case: Case, words: Words) -> dict[str, str] | None:
    """Return the labelled cells and values, where cases are named and controls plain controls."""
    label = case["labels"]["reading"]["trait"]
    if label is None or not 2 <= len(label["map"]) <= MOST_VALUES:
        return None
    values = {cell: _value(cell) for cell in label["map"]}
    for cell, code in label["map"].items():
        fits = words.is_named if code == 1 else words.is_plain_control
        if code not in (0, 1) or not _key(cell) or not fits(values[cell]):
            return None
    return values


def controls_reworded(case: Case, words: Words, rng: random.Random) -> Case | None:
    """Call the controls by another word for controls."""
    label = case["labels"]["reading"]["trait"]
    if label is None:
        return None
    plain = [
        c for c, code in label["map"].items() if code == 0 and words.is_plain_control(_value(c))
    ]
    if not plain or any(not _key(cell) for cell in plain):
        return None
    new = rng.sample(CONTROLS, len(plain))
    cells = {cell: f"{_key(cell)}: {word}" for cell, word in zip(plain, new, strict=True)}
    return (
        None if set(cells.values()) & set(label["map"]) else _with_cells(case, cells, label["row"])
    )


def foreign_keys(case: Case, words: Words, rng: random.Random) -> Case | None:
    """Put cells of another key into the row, as where samples lack a line."""
    label = case["labels"]["reading"]["trait"]
    rows = case["sample_characteristics"]
    if label is None or not 2 <= len(label["map"]) <= MOST_VALUES:
        return None
    own = {_key(cell) for cell in label["map"]}
    others = [n for n, row in rows.items() if int(n) != label["row"] and row[0] and _key(row[0])]
    others = [n for n in others if not own & {_key(cell) for cell in rows[n] if cell}]
    if not others:
        return None
    added = [cell for cell in rows[rng.choice(others)] if cell][:2]
    changed = _copy(case)
    changed["sample_characteristics"][str(label["row"])] += added
    changed["labels"]["reading"]["trait"]["map"] |= dict.fromkeys(added)
    return changed


def other_patients(case: Case, words: Words, rng: random.Random) -> Case | None:
    """Add patients with another disease to the row."""
    label = case["labels"]["reading"]["trait"]
    if label is None or words.trait.is_level:
        return None
    named = [c for c, code in label["map"].items() if code == 1 and words.is_only_named(_value(c))]
    other = rng.choice(other_diseases())
    if not named or not _key(named[0]) or _share_word(other.name, words.trait.name):
        return None
    by_name = rng.random() < 0.5
    cell = f"{_key(named[0])}: {other.name if by_name else other.short}"
    changed = _copy(case)
    if not by_name:
        changed = _with_sentence(changed, f"Patients with {other.name} ({other.short}) took part.")
    changed["sample_characteristics"][str(label["row"])].append(cell)
    changed["labels"]["reading"]["trait"]["map"][cell] = 0
    return changed


def in_titles(case: Case, words: Words, rng: random.Random) -> Variant | None:
    """Move cases and controls from the characteristics to the titles of samples."""
    values = _clear_values(case, words)
    if values is None:
        return None
    codes = case["labels"]["reading"]["trait"]["map"]
    form = rng.choice(
        ("{value} {n}", "{value}, sample {n}", "S{n}_{value}", "blood of {value} {n}")
    )
    titles, answer = [], {}
    for cell, value in values.items():
        for n in range(1, SAMPLES_PER_VALUE + 1):
            titles.append(form.format(value=value, n=n))
            answer[titles[-1]] = float(codes[cell])
    seen = description_from_case({**case, "sample_characteristics": {"0": ["tissue: blood"]}})
    description = SeriesDescription(
        title=seen.title,
        summary=seen.summary,
        overall_design=seen.overall_design,
        characteristics=seen.characteristics,
        cells=(("tissue: blood",) * len(titles),),
        titles=tuple(titles),
    )
    return Variant(case["id"], case["trait"], description, None, answer)


KINDS: Mapping[str, Callable[[Case, Words, random.Random], Case | Variant | None]] = {
    "disease renamed": renamed,
    "abbreviations explained in the summary": abbreviated,
    "codes explained by a legend": by_legend,
    "controls in other words": controls_reworded,
    "cells of another key in the row": foreign_keys,
    "patients with another disease added": other_patients,
    "contrast in the titles alone": in_titles,
}


def _copy(case: Case) -> Case:
    reading = case["labels"]["reading"]
    labels = {n: {**v, "map": dict(v["map"])} if isinstance(v, dict) and "map" in v else v
              for n, v in reading.items()}  # fmt: skip
    rows = {n: list(row) for n, row in case["sample_characteristics"].items()}
    return {**case, "sample_characteristics": rows, "labels": {"reading": labels}}


def _everywhere(case: Case, change: Callable[[str], str]) -> Case:
    """Change title, texts and all cells of a case, with the cells of its labels."""
    changed = _copy(case)
    changed["background"] = {
        name: [change(part) for part in text] if isinstance(text, list) else change(text)
        for name, text in case["background"].items()
        if text
    }
    rows = changed["sample_characteristics"]
    for number, row in rows.items():
        rows[number] = [cell and change(cell) for cell in row]
    for label in changed["labels"]["reading"].values():
        if isinstance(label, dict) and "map" in label:
            label["map"] = {change(cell): code for cell, code in label["map"].items()}
    return changed


def _with_cells(case: Case, new: Mapping[str, str], row: int) -> Case:
    changed = _copy(case)
    cells = changed["sample_characteristics"][str(row)]
    changed["sample_characteristics"][str(row)] = [new.get(c, c) if c else c for c in cells]
    label = changed["labels"]["reading"]["trait"]
    label["map"] = {new.get(cell, cell): code for cell, code in label["map"].items()}
    return changed


def _with_sentence(case: Case, sentence: str) -> Case:
    texts = case["background"]
    summary = texts.get("summary") or []
    parts = [summary] if isinstance(summary, str) else summary
    return {**case, "background": {**texts, "summary": [*parts, sentence]}}


def _all_text(case: Case) -> str:
    texts = case["background"].values()
    return "\n".join(p for t in texts if t for p in ([t] if isinstance(t, str) else t))


def _codes(label: Mapping[str, Any] | None) -> list[float | None]:
    return list(label["map"].values()) if label else []


def _key(cell: str) -> str:
    return cell.partition(":")[0].strip() if ":" in cell else ""


def _value(cell: str) -> str:
    return cell.partition(":")[2].strip() or cell


def vary(case: Case, kind: str, seed: int, vocabulary: Vocabulary) -> Variant | None:
    """Return the variant of a case, or None where the case does not allow this kind."""
    rng = random.Random(f"{seed} {kind} {case['id']}")
    changed = KINDS[kind](case, Words(case, vocabulary), rng)
    if changed is None or isinstance(changed, Variant):
        return changed
    label = changed["labels"]["reading"]["trait"]
    return Variant(
        case["id"],
        changed["trait"],
        description_from_case(changed),
        None if label is None else FeatureLabel(label["row"], label["map"]),
    )


def is_right(variant: Variant, expert: RuleExpert) -> bool:
    """Return whether the trait is annotated as known."""
    found = expert.annotate(variant.description, variant.trait).trait
    if variant.titles is not None:
        return found is not None and all(
            found.values.get(title) == code for title, code in variant.titles.items()
        )
    prediction = row_and_map(found, variant.description)
    answer = None if prediction is None else FeatureLabel(prediction["row"], prediction["map"])
    return agreement(variant.label, answer).exact


@lru_cache(maxsize=1)
def experts() -> Mapping[str, RuleExpert]:
    """Return the experts to compare."""
    return {"packaged": RuleExpert(load_vocabulary()), "lexicon": RuleExpert(lexicon_only())}


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--wrong", type=int, default=0, metavar="N", help="list N wrong of each")
    arguments = parser.parse_args()
    cases = [case for _, case in read_json_lines(arguments.cases, "a case")]
    vocabulary = load_vocabulary()
    print("| variation | cases | packaged: before | after | lexicon alone: before | after |")
    for kind in [arguments.kind] if arguments.kind else KINDS:
        pairs = [(case, vary(case, kind, arguments.seed, vocabulary)) for case in cases]
        shares, wrong = [], []
        for name, expert in experts().items():
            done = [(case, variant) for case, variant in pairs if variant is not None]
            before = [is_right(unvaried(case), expert) for case, _ in done]
            after = [is_right(variant, expert) for _, variant in done]
            shares += [sum(before) / len(done), sum(after) / len(done)]
            lost = zip(done, before, after, strict=True)
            wrong += [(name, v) for (_, v), b, a in lost if b and not a][: arguments.wrong]
        print(f"| {kind} | {len(done)} | " + " | ".join(f"{s:.2f}" for s in shares) + " |")
        for name, variant in wrong:
            found = experts()[name].annotate(variant.description, variant.trait).trait
            wanted = variant.titles or variant.label
            codes = found and dict(found.values)
            print(f"    {name} {variant.id} as {variant.trait}: wanted {wanted}, found {codes}")


def unvaried(case: Case) -> Variant:
    """Return a case as it is."""
    label = case["labels"]["reading"]["trait"]
    wanted = None if label is None else FeatureLabel(label["row"], label["map"])
    return Variant(case["id"], case["trait"], description_from_case(case), wanted)
