"""GEO's folder tree, with a page for each folder, and GEO's own pages for tables and counts."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
from pathlib import Path

from tests.geo_text import GENES, asthma, series_matrix

from .eutils import Eutils, Record
from .server import Asked, Reply, Site

FILES, PAGES = "/geo/", "/geo-pages/"


def gz(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


def stub(accession: str) -> str:
    return re.sub(r"\d{1,3}$", "nnn", accession)


def series_folder(accession: str) -> str:
    return f"{FILES}series/{stub(accession)}/{accession}/"


def matrix_path(accession: str, part: str = "") -> str:
    return f"{series_folder(accession)}matrix/{accession}{part}_series_matrix.txt.gz"


def family_path(accession: str) -> str:
    return f"{series_folder(accession)}soft/{accession}_family.soft.gz"


def annotation_path(platform: str) -> str:
    return f"{FILES}platforms/{stub(platform)}/{platform}/annot/{platform}.annot.gz"


def annotation(platform: str, genes: list[str] = GENES) -> str:
    """A platform as GEO's annot files have it."""
    rows = "".join(f"p{i}_at\ttitle of {gene}\t{gene}\n" for i, gene in enumerate(genes))
    return (
        f"^Annotation\n!Annotation_platform = {platform}\n!Annotation_platform_organism = "
        "Homo sapiens\n#ID = ID from Platform data table\n#Gene title = Entrez Gene name\n"
        "#Gene symbol = Entrez Gene symbol\n!platform_table_begin\nID\tGene title\tGene symbol\n"
        f"{rows}!platform_table_end\n"
    )


def platform_soft(platform: str) -> str:
    rows = "".join(f"p{i}_at\t{gene}\n" for i, gene in enumerate(GENES))
    return (
        f"^PLATFORM = {platform}\n!Platform_title = an array\n!Platform_organism = Homo sapiens\n"
        "#ID = ID\n#Gene Symbol = symbol\n!platform_table_begin\nID\tGene Symbol\n"
        f"{rows}!platform_table_end\n"
    )


def family(accession: str, platform: str) -> str:
    return f"^DATABASE = GeoMiame\n^SERIES = {accession}\n{platform_soft(platform)}"


class GeoSite:
    """Puts series on a site: Entrez' record, matrix, family SOFT; folders list what lies there."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.eutils = Eutils()
        self.paths: list[str] = []
        self.sizes: dict[str, str] = {}
        self.extra: dict[str, list[str]] = {}
        self.hidden: set[str] = set()
        site.speak(self.eutils)
        site.speak(self.folder)
        site.speak(self.pages)
        self.soft_platforms: dict[str, str] = {}
        self.counts: dict[str, bytes] = {}

    @property
    def addresses(self) -> list[str]:
        """The options that lead a command here."""
        return [
            *("--eutils-address", self.site.url("/entrez/eutils")),
            *("--geo-files-address", self.site.url(FILES)),
            *("--geo-address", self.site.url(PAGES)),
        ]

    def put(self, path: str, body: bytes) -> None:
        self.paths.append(path)
        self.site.put(path, body)

    def add(
        self,
        accession: str,
        *,
        samples: int = 40,
        platform: str = "GPL96",
        probes: bool = True,
        empty: bool = False,
        with_family: bool = True,
        rows: int | None = None,
        **record: object,
    ) -> Record:
        """Add a usable series of asthma."""
        facts = {"gpl": platform.removeprefix("GPL"), "samples": samples, **record}
        self.eutils.records.append(Record(accession, **facts))  # type: ignore[arg-type]
        ids = [f"p{i}_at" if probes else gene for i, gene in enumerate(GENES)]
        text = series_matrix(
            accession,
            characteristics=asthma(samples),
            platform=platform,
            ids=() if empty else ids,
            series_type=str(facts.get("gdstype", "Expression profiling by array")),
        )
        if rows is not None:
            cells = "".join(f'\t"{rows}"' for _ in range(samples))
            text = text.replace(
                "!series_matrix_t", f"!Sample_data_row_count{cells}\n!series_matrix_t", 1
            )
        self.put(matrix_path(accession), gz(text))
        if with_family:
            self.put(family_path(accession), gz(family(accession, platform)))
        return self.eutils.records[-1]

    def add_supplementary(self, accession: str, files: dict[str, bytes]) -> None:
        """Add files of the submitter, and the list of what archives hold, as GEO writes it."""
        folder = f"{series_folder(accession)}suppl/"
        lines = ["#Archive/File\tName\tTime\tSize\tType"]
        for name, body in files.items():
            self.put(folder + name, body)
            if name.endswith(".tar"):
                lines.append(f"Archive\t{name}\t10/03/2023 12:34:56\t{len(body)}\tTAR")
                with tarfile.open(fileobj=io.BytesIO(body)) as archive:
                    for each in archive:
                        kind = each.name.split(".")[1].upper()
                        lines.append(f"File\t{each.name}\t10/03/2023 12:34:56\t{each.size}\t{kind}")
        if len(lines) > 1:
            self.put(folder + "filelist.txt", "\n".join(lines).encode())

    def add_files(self, files: Path, **record: object) -> Record:
        """Add a series whose files lie in a folder, as the simulation writes them."""
        accession = files.name
        self.eutils.records.append(Record(accession, **record))  # type: ignore[arg-type]
        for path in files.iterdir():
            if "_counts_" in path.name or ".annot." in path.name:
                self.counts[path.name] = path.read_bytes()
            else:
                inside = "matrix" if "matrix" in path.name else "soft"
                self.put(f"{series_folder(accession)}{inside}/{path.name}", path.read_bytes())
        return self.eutils.records[-1]

    def folder(self, asked: Asked) -> Reply | None:
        """The page of a folder, as NCBI's server writes it."""
        path = asked.path
        inside = [each for each in self.paths if each.startswith(path) and path.endswith("/")]
        names = sorted({each.removeprefix(path).partition("/")[0] for each in inside})
        names += self.extra.get(path, [])
        if not names:
            return None
        lines = [
            f'<a href="{name}">{name}</a>      2023-10-03 12:34  {self._size(path + name):>5}  '
            for name in names
        ]
        up = path.rstrip("/").rpartition("/")[0]
        page = (
            f"<!DOCTYPE HTML>\n<html><head><title>Index of {path}</title></head>\n<body>"
            f'<h1>Index of {path}</h1>\n<pre>Name  <a href="?C=N;O=D">Last modified</a> Size <hr>'
            f'<a href="{up}/">Parent Directory</a>                             -   \n'
            + "\n".join(lines)
            + '\n<hr></pre>\n<a href="https://www.hhs.gov/">HHS</a>\n</body></html>\n'
        )
        return Reply(page.encode(), headers={"Content-Type": "text/html;charset=UTF-8"})

    def _size(self, path: str) -> str:
        if path in self.sizes:
            return self.sizes[path]
        return "200K" if path.endswith(".gz") else "-"

    def pages(self, asked: Asked) -> Reply | None:
        if asked.path == f"{PAGES}query/acc.cgi":
            found = self.soft_platforms.get(asked.query["acc"])
            page = "<html><title>GEO Accession viewer</title></html>"
            return Reply((found or page).encode())
        if asked.path == f"{PAGES}download/" and asked.query.get("type") == "rnaseq_counts":
            body = self.counts.get(asked.query["file"])
            return None if body is None else Reply(body)
        return None
