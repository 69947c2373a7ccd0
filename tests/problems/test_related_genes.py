from pathlib import Path

import polars as pl

from genotex.genes import GENE_SCHEMA, GeneSource, GeneTable
from genotex.problems import Associations, find_related_genes

# ENSG00000000003 belongs to two genes, ENSG00000000009 to none.
GENES = GeneTable(
    pl.DataFrame(
        [
            (1, "AAA", "", "ENSG00000000001|ENSG00000000003", ""),
            (2, "BBB", "", "ENSG00000000002", ""),
            (3, "CCC", "", "ENSG00000000003", ""),
            (4, "DDD", "", "ENSG00000000004|ENSG00000000005", ""),
        ],
        schema=GENE_SCHEMA,
        orient="row",
    ),
    GeneSource("test", "", "", 4),
)


def associations(*rows: tuple[int, str, float]) -> Associations:
    table = pl.DataFrame(
        [(f"ENSG{number:011d}", disease, score) for number, disease, score in rows],
        schema={"targetId": pl.String, "diseaseId": pl.String, "score": pl.Float64},
        orient="row",
    )
    return Associations(table, frozenset(table["diseaseId"]), table.height, 0)


def test_genes_by_falling_score() -> None:
    rows = [(1, "EFO_1", 0.3), (2, "EFO_1", 0.9), (4, "EFO_1", 0.3), (5, "EFO_1", 0.4)]
    found = find_related_genes({"Asthma": ("EFO_1",)}, associations(*rows), GENES)
    # DDD has two ids, the better of which counts.
    assert found.genes == {"Asthma": ("BBB", "DDD", "AAA")}
    assert found.associations == 4 and found.unmapped == ()


def test_several_diseases_of_a_trait_and_ties_by_name() -> None:
    rows = [(1, "EFO_1", 0.5), (2, "EFO_1", 0.3), (2, "EFO_2", 0.5), (4, "EFO_3", 1.0)]
    ids = {"Asthma": ("EFO_1", "EFO_2"), "Gout": ("EFO_3",), "Height": ()}
    found = find_related_genes(ids, associations(*rows), GENES)
    assert found.genes == {"Asthma": ("AAA", "BBB"), "Gout": ("DDD",), "Height": ()}
    assert found.without_id == ("Height",) and found.absent == ()


def test_what_cannot_be_found_is_told() -> None:
    rows = [(9, "EFO_1", 0.5), (3, "EFO_1", 0.4), (1, "EFO_1", 0.3)]
    found = find_related_genes({"Asthma": ("EFO_7", "EFO_1")}, associations(*rows), GENES)
    assert found.genes == {"Asthma": ("AAA",)}
    assert found.unmapped == ("ENSG00000000003", "ENSG00000000009")
    assert found.absent == ("EFO_7",)


def test_no_association_at_all() -> None:
    found = find_related_genes({"Asthma": ("EFO_1",)}, associations(), GENES)
    assert found.genes == {"Asthma": ()} and found.absent == ("EFO_1",)


def test_packaged_table_knows_ensembl_ids() -> None:
    # TP53 and EGFR, from ensembl.org.
    rows = [(141510, "EFO_1", 0.5), (146648, "EFO_1", 0.4)]
    found = find_related_genes({"Cancer": ("EFO_1",)}, associations(*rows), GeneTable.load(None))
    assert found.genes == {"Cancer": ("TP53", "EGFR")}
    assert isinstance(found.unmapped, tuple) and not found.unmapped


def test_own_gene_table_without_ensembl_ids_maps_nothing(tmp_path: Path) -> None:
    path = tmp_path / "gene_synonym.json"
    path.write_text('{"TP53": "TP53", "P53": "TP53"}')
    rows = associations((141510, "EFO_1", 0.5))
    found = find_related_genes({"Cancer": ("EFO_1",)}, rows, GeneTable.load(path))
    assert found.genes == {"Cancer": ()} and found.unmapped == ("ENSG00000141510",)
