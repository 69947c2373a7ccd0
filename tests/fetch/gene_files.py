"""NCBI's gene data in small: where the human genes lie, and what is there."""

import gzip
from collections.abc import Sequence

from tests.genes.conftest import GENES, gene_info_text

from .server import Site

BASE = "/gene/DATA/"
PATH = BASE + "GENE_INFO/Mammalia/Homo_sapiens.gene_info.gz"
FILE = gzip.compress(gene_info_text().encode(), mtime=0)
Gene = tuple[int, str, str, str, str]


def put_genes(site: Site, genes: Sequence[Gene] = GENES) -> bytes:
    """Put a gene_info file of some genes on a server."""
    content = gzip.compress(gene_info_text(genes).encode(), mtime=0)
    site.put(PATH, content)
    return content
