"""Packaged terms of Gene Ontology: their genes against R's AnnotationDbi, source and licence."""

import csv
from collections import defaultdict
from pathlib import Path

import pytest
from benchmarks.maintenance.build_gene_ontology import FEWEST, Aspect, compact

from genotex.genes import ontology_terms, packaged_ontology

# Made by benchmarks/golden/golden_gene_ontology.R.
GOLDEN = Path(__file__).parents[1] / "fixtures" / "gene_ontology" / "terms.csv"


@pytest.mark.parametrize("aspect", ["bp", "mf", "cc"])
def test_terms_have_the_genes_that_annotation_dbi_gives_them(aspect):
    terms = {each.term: each for each in ontology_terms(aspect)}
    with GOLDEN.open(encoding="utf-8") as handle:
        golden = [row for row in csv.DictReader(handle) if row["aspect"] == aspect]
    for row in golden:
        found = terms[row["term"]]
        assert (found.name, sorted(found.genes)) == (row["name"], sorted(row["genes"].split()))
    assert len({each.name for each in terms.values()}) == len(terms)
    assert min(len(each.genes) for each in terms.values()) >= packaged_ontology().fewest


def test_genes_go_to_ancestors_and_are_stored_at_the_most_specific_kept_term():
    parents = defaultdict(
        set, {"small": {"middle"}, "middle": {"root"}, "side": {"middle", "root"}}
    )
    genes = {"small": {1, 2}, "middle": {3, 4, 5}, "side": {5, 6, 7, 8, 9}}
    names = dict.fromkeys(["root", "middle", "side", "small"], "")
    found = compact(Aspect(names, parents, genes), "root")
    assert FEWEST == 5
    assert found == {"middle": (set(), {1, 2, 3, 4}), "side": ({"middle"}, {5, 6, 7, 8, 9})}


def test_the_record_states_dates_and_licence():
    found = packaged_ontology()
    assert (found.date, found.annotated, found.licence) == ("2022-07-01", "2022-09-12", "CC BY 4.0")
    assert found.title("bp") == "Gene Ontology, biological process (2022-07-01)"
