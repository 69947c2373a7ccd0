"""The server as an assistant sees it: the SDK's client starts the command, over stdio."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the server needs genotex[mcp]")

from mcp import Client, MCPError

from tests.fetch.geo_tree import GeoSite
from tests.fetch.server import serving
from tests.mcp.conftest import answer, in_session, refusal

TRAIT, SERIES = "Simulated_Arthritis", "GSE90000001"
RESULT = f"results:{TRAIT}"


def files_of(folder: Path) -> dict[str, int]:
    return {str(p.relative_to(folder)): p.stat().st_mtime_ns for p in folder.rglob("*")}


@pytest.mark.everyday
def test_a_session_that_reads_changes_no_file(study_folder: Path) -> None:
    before = files_of(study_folder)

    async def work(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"list", "annotate", "gene", "compare", "fetch", "solve"}
        assert all(tool.output_schema and tool.description for tool in tools.values())
        reads = {
            name for name, t in tools.items() if t.annotations and t.annotations.read_only_hint
        }
        assert reads == {"list", "annotate", "gene", "compare"}

        folder = await answer(client, "list")
        assert not folder["writable"]
        assert [each["input"] for each in folder["inputs"]] == ["input"]
        named = {each["analysis"]: each for each in folder["analyses"]}
        assert set(named) == {RESULT, f"{RESULT}:Age"}
        first_gene = await summary_gene(client)

        found = await answer(
            client, "annotate", input="input", trait=TRAIT, series=SERIES, first_samples=2
        )
        assert found["groups"] == {"case": 40, "control": 40}
        assert len(found["first_samples"]) == 2
        assert found["first_samples"][0]["title"]["from_file"]

        gene = await answer(client, "gene", gene=first_gene.lower())
        ranks = {each["analysis"]: each["rank"] for each in gene["found"]}
        assert set(ranks) == set(named) and ranks[RESULT] == 1

        both = await answer(client, "compare", first=RESULT, second=RESULT, first_genes=3)
        assert both["rank_correlation_of_effects"] == 1.0
        assert both["significant_in_both"] == named[RESULT]["significant"]
        by_q = [each["q_first"] for each in both["first_genes"]]
        assert by_q == sorted(by_q) and all(
            each["direction"] == "same" for each in both["first_genes"]
        )

        report = await client.read_resource(named[RESULT]["report"])
        assert getattr(report.contents[0], "text", "").startswith("<!DOCTYPE html>")

    in_session(work, "--root", study_folder)
    assert files_of(study_folder) == before


async def summary_gene(client: Client) -> str:
    """Return the first gene of the summary of a result, which is a resource."""
    uris = [str(each.uri) for each in (await client.list_resources()).resources]
    assert len(uris) == 3 and len((await client.list_resource_templates()).resource_templates) == 2
    (uri,) = [each for each in uris if "summary" in each and not each.endswith("Age")]
    (content,) = (await client.read_resource(uri)).contents
    return str(json.loads(getattr(content, "text", ""))["first_genes"][0]["gene"])


def test_what_is_refused_is_refused_in_our_words(study_folder: Path, tmp_path: Path) -> None:
    async def work(client: Client) -> None:
        wanted = {"input": "input", "trait": TRAIT}
        for tool, arguments in (
            ("solve", wanted),
            ("fetch", {"accession": "GSE1", "trait": "Asthma"}),
        ):
            text = await refusal(client, tool, **arguments)
            assert "only reads" in text and "--write" in text
        text = await refusal(client, "annotate", input="../..", trait=TRAIT, series=SERIES)
        assert "unknown input folder" in text and "known are input" in text
        text = await refusal(client, "annotate", **wanted, series="../GSE90000001")
        assert "unknown series" in text
        text = await refusal(client, "annotate", **wanted)
        assert text == "annotate: wrong arguments: series: Field required"
        text = await refusal(client, "compare", first=RESULT, second="/etc:passwd")
        assert "unknown analysis" in text and str(study_folder) not in text
        assert "Unknown tool" in await refusal(client, "delete")
        for uri in ("genotex://report/..%2F..%2Fetc%2Fpasswd", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="unknown a"):
                await client.read_resource(uri)

    in_session(work, "--root", study_folder)
    assert not (study_folder / "analyses").exists()


@pytest.mark.everyday
def test_solve_reports_progress_and_writes_a_folder_of_its_own(
    study_folder: Path, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    place = root / "input" / "GEO" / TRAIT
    shutil.copytree(study_folder / "input" / "GEO" / TRAIT / SERIES, place / SERIES)
    before = files_of(root)
    steps: list[str] = []

    async def work(client: Client) -> None:
        async def shown(done: float, total: float | None, message: str | None) -> None:
            steps.append(message or "")

        wanted = {"input": "input", "trait": "Simulated Arthritis"}
        found = await client.call_tool("solve", wanted, progress_callback=shown)
        result = found.structured_content
        assert not found.is_error and result is not None and result["solved"]
        significant = [each for each in result["first_genes"] if each["significant"]]
        assert len(significant) == min(result["analysis"]["significant"], 10)
        assert result["analysis"]["report"] in [
            str(each.uri) for each in (await client.list_resources()).resources
        ]

    in_session(work, "--root", root, "--write")
    # A step that ends between two looks at the job is not shown; those that are come in order.
    known = ["starting", "reading cohorts", "testing genes", "writing the report"]
    assert len(steps) > 1 and steps == [step for step in known if step in steps]
    after = files_of(root)
    new = {name for name in after if after[name] != before.get(name)}
    assert all(name.split("/")[0] == "analyses" for name in new)


def test_fetch_puts_a_series_into_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NCBI_API_KEY", raising=False)
    with serving() as site:
        geo = GeoSite(site)
        geo.add("GSE1")

        async def work(client: Client) -> None:
            found = await answer(client, "fetch", accession="GSE1", trait="Asthma")
            assert found["input"] == "input" and found["message"]["from_file"]
            text = await refusal(client, "fetch", accession="GSE77", trait="Asthma")
            assert "GSE77" in text
            text = await refusal(client, "fetch", accession="GSE1", trait="x", input="../other")
            assert "cannot be an input folder" in text
            assert (await answer(client, "list"))["inputs"][0]["traits"] == [
                {"trait": "Asthma", "series": ["GSE1"], "not_listed": 0}
            ]

        in_session(work, "--root", tmp_path, "--write", *geo.addresses)
    assert (tmp_path / "input/GEO/Asthma/GSE1/GSE1_series_matrix.txt.gz").is_file()
