"""`genotex fetch genes` from the screen."""

import gzip
import json
from pathlib import Path

from tests.fetch.gene_files import BASE, PATH, put_genes
from tests.fetch.server import serving
from tests.geo_text import GENES, write_asthma


def test_fetched_table_is_used_by_a_later_command(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with serving() as ncbi:
        put_genes(ncbi, [(i, name, "-", "-", "") for i, name in enumerate(GENES)])
        command = ["fetch", "genes", tmp_path / "metadata", "--genes-address", ncbi.url(BASE)]
        code, out, _ = genotex(*command)
        assert code == 0 and "30 genes" in out and "gene_table/genes.parquet" in out
        code, out, _ = genotex(*command, "--json")
        found = json.loads(out)
    assert code == 0 and found["state"] == "was there" and len(found["files"]) == 5
    write_asthma(tmp_path / "input", number=24)
    code, _, err = genotex(
        "preprocess", tmp_path / "input", tmp_path / "o", "--gene-table", found["gene_table"]
    )
    assert code == 0, err


def test_page_in_place_of_the_genes(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with serving() as ncbi:
        ncbi.put(PATH, gzip.compress(b"<html>Are you a robot?</html>" * 99))
        code, _, err = genotex("fetch", "genes", tmp_path, "--genes-address", ncbi.url(BASE))
    assert code == 2 and "HTML" in err and PATH in err
