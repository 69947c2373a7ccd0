"""The tools: what the folder holds, annotate, gene, compare; and fetch and solve, which write."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import anyio.to_thread
import pandas as pd
import polars as pl

from genotex.cohorts import PreprocessOptions, choose_file
from genotex.errors import AnalysisError, FetchError, GenotexError, UsageError
from genotex.formats import COVARIATES
from genotex.genes import GeneTable
from genotex.layout import trait_folder_name
from genotex.mcp import answers as a
from genotex.mcp.answers import report_uri
from genotex.mcp.confinement import ConfinedFolder, analysis_name
from genotex.options import AnalysisOptions, GeoOptions
from genotex.problems import Problem
from genotex.studies import (
    BOTH,
    FIRST,
    NEITHER,
    SECOND,
    AnalysisRecord,
    FetchRecord,
    FoundAnalysis,
    JobQueue,
    JobRecord,
    LoadedAnalyses,
    LoadedAnalysis,
    compared,
    rank_correlation,
)
from genotex.workflows import Annotation, annotate_series

MOST_LISTED, MOST_GENES, MOST_ANALYSES = 50, 50, 20
_POLL = 0.2
Report = Callable[[float, str], Awaitable[None]]
Addresses = tuple[str | None, str | None, str | None]


class Tools:
    """What the tools do; the server adds names, descriptions and errors."""

    def __init__(self, folder: ConfinedFolder, addresses: Addresses = (None, None, None)) -> None:
        self.folder = folder
        self._addresses = addresses
        self._loaded = LoadedAnalyses()
        self._jobs: JobQueue | None = None

    def close(self) -> None:
        """End what still runs."""
        if self._jobs is not None:
            self._jobs.close()

    def listing(self) -> a.FolderAnswer:
        """Return inputs and analyses."""
        inputs, left = [], MOST_LISTED
        hidden = 0
        for name, series, tcga in self.folder.inputs():
            traits = [
                a.TraitEntry(
                    trait=trait, series=names[:MOST_LISTED], not_listed=len(names[MOST_LISTED:])
                )
                for trait, names in list(series.items())[:left]
            ]
            left -= len(traits)
            hidden += len(series) - len(traits)
            inputs.append(a.InputEntry(input=name, traits=traits, tcga_studies=tcga))
        found = list(self.folder.analyses().values())
        return a.FolderAnswer(
            writable=self.folder.write,
            inputs=inputs,
            analyses=[_entry_of(each) for each in found[:MOST_LISTED]],
            not_listed=hidden + len(found[MOST_LISTED:]),
            problems=a.file_texts(map(self.folder.without_root, self.folder.problems())),
        )

    def annotation(self, source: str, trait: str, series: str, first: int) -> a.AnnotationAnswer:
        """Annotate the samples of one series."""
        found, _ = self.folder.series(source, trait, [series])
        files = found.files(trait_folder_name(trait), series)
        options = PreprocessOptions()
        read = choose_file(files, options.series_platform).series
        annotated = annotate_series(read, files.cohort, trait.replace("_", " "), options)
        return _annotation_answer(annotated, trait, first)

    def gene(self, gene: str, names: list[str]) -> a.GeneAnswer:
        """Find a gene in analyses."""
        every = list(self.folder.analyses())
        asked = names or every
        official = GeneTable.load().official_symbol(gene)
        answer = a.GeneAnswer(
            gene=a.name_text(gene),
            official=official,
            found=[],
            not_tested_in=[],
            not_asked=len(asked[MOST_ANALYSES:]),
        )
        for name in asked[:MOST_ANALYSES]:
            try:
                loaded = self._load(name)
            except GenotexError as error:
                if names:
                    raise
                text = self.folder.without_root(str(error))
                answer.not_read.append(a.file_text(f"{name}: {text}"))
                continue
            row = loaded.rank_of.get((official or gene).strip().lower())
            if row is None:  # Tested under a name that has changed since
                row = loaded.rank_of.get(gene.strip().lower())
            if row is None:
                answer.not_tested_in.append(name)
            else:
                answer.found.append(_gene_entry(loaded, row, name))
        return answer

    def comparison(self, first: str, second: str, genes: int) -> a.ComparisonAnswer:
        """Compare two analyses gene by gene."""
        table = compared(self._load(first), self._load(second))
        counts = dict(table["significant in"].value_counts().iter_rows())
        both = table.filter(pl.col("significant in") == BOTH)
        shown = table.filter(pl.col("significant in") != NEITHER).head(_at_most(genes))
        return a.ComparisonAnswer(
            first=first,
            second=second,
            genes_in_both=table.height,
            significant_in_both=both.height,
            significant_in_first_only=counts.get(FIRST, 0),
            significant_in_second_only=counts.get(SECOND, 0),
            same_direction=both.filter(pl.col("direction") == "same").height,
            rank_correlation_of_effects=a.number(rank_correlation(table, "effect")),
            first_genes=[
                a.SharedGene(
                    gene=a.name_text(row["Variable"]),
                    effect_first=a.number(row["effect 1"]),
                    effect_second=a.number(row["effect 2"]),
                    q_first=a.number(row["q 1"]),
                    q_second=a.number(row["q 2"]),
                    significant_in=row["significant in"],
                    direction=row["direction"],
                )
                for row in shown.iter_rows(named=True)
            ],
        )

    def summary(self, name: str, genes: int = 10) -> a.AnalysisAnswer:
        """Return the result of an analysis with its first genes."""
        found, _ = self.folder.analysis(name)
        loaded = self._load(name)
        rows = range(min(_at_most(genes), loaded.genes.height))
        return a.AnalysisAnswer(
            solved=True,
            message=a.file_text(f"{found.significant} genes significant in {found.cohort}"),
            analysis=_entry_of(found),
            first_genes=[_gene_entry(loaded, row, name) for row in rows],
            warnings=a.file_texts(loaded.result.warnings),
        )

    async def fetch(
        self, accession: str, trait: str, source: str, *, platform_only: bool, report: Report
    ) -> a.FetchAnswer:
        """Fetch one series into the folder."""
        self.folder.need_write("fetch")
        self.folder.new_input(source)
        folder = trait_folder_name(trait)
        record = FetchRecord(
            name=self._queue().new_name("fetch", accession),
            created=time.time(),
            accession=accession,
            trait=folder,
            source=source,
            options=GeoOptions(platform_only),
            addresses=self._addresses,
        )
        done = await self._follow(record, report)
        if done.state != "done":
            msg = f"{accession} was not fetched: {done.message or done.state}"
            raise FetchError(msg)
        return a.FetchAnswer(
            accession=accession, input=source, trait=folder, message=a.file_text(done.message)
        )

    async def solve(
        self, source: str, problem: Problem, series: list[str], report: Report
    ) -> a.AnalysisAnswer:
        """Go from raw files to genes and a report, in a new folder of ``analyses``."""
        self.folder.need_write("solve")
        if problem.condition not in (None, *COVARIATES):
            msg = f"unknown condition {problem.condition!r}: use Age or Gender, or leave it out"
            raise UsageError(msg)
        found, chosen = await anyio.to_thread.run_sync(
            self.folder.series, source, problem.trait, series
        )
        trait = trait_folder_name(problem.trait)
        record = AnalysisRecord(
            name=self._queue().new_folder(trait).name,
            created=time.time(),
            trait=trait,
            condition=problem.condition,
            series=chosen,
            source=found.name,
            every=False,
            by_sheet=[],
            options=AnalysisOptions(panel=False),
        )
        done = await self._follow(record, report)
        if done.state != "done":
            text = self.folder.without_root(done.message or done.state)
            if done.state == "failed":
                return a.AnalysisAnswer(solved=False, message=a.file_text(text))
            msg = f"the analysis of {trait} was {done.state}"
            raise AnalysisError(msg)
        given = "" if problem.condition is None else f":{problem.condition}"
        answer = await anyio.to_thread.run_sync(self.summary, f"{record.output}:{trait}{given}")
        return answer.model_copy(update={"message": a.file_text(done.message)})

    def _queue(self) -> JobQueue:
        if self._jobs is None:
            self._jobs = JobQueue(self.folder.workspace)
        self._jobs.check_room()
        return self._jobs

    async def _follow(self, record: JobRecord, report: Report) -> JobRecord:
        """Run a job and report each of its steps; a request that is cancelled ends it."""
        jobs, shown, steps = self._queue(), "", 0
        jobs.submit(record)
        try:
            while (found := jobs.record(record.name)) is not None and found.open:
                if found.step and found.step != shown:
                    shown, steps = found.step, steps + 1
                    await report(float(steps), self.folder.without_root(shown))
                await anyio.sleep(_POLL)
        except anyio.get_cancelled_exc_class():
            jobs.cancel(record.name)
            raise
        return found or record

    def _load(self, name: str) -> LoadedAnalysis:
        found, output = self.folder.analysis(name)
        return self._loaded.get(output, found.trait, found.condition)


def _entry_of(found: FoundAnalysis) -> a.AnalysisEntry:
    """Return how an analysis is listed."""
    name = analysis_name(found)
    return a.AnalysisEntry(
        analysis=name,
        trait=found.trait,
        condition=found.condition,
        cohort=a.name_text(found.cohort),
        tested=found.tested,
        significant=found.significant,
        contrast=a.file_text(found.contrast),
        report=report_uri(name) if found.report else None,
    )


def _annotation_answer(found: Annotation, trait: str, first: int) -> a.AnnotationAnswer:
    samples = found.samples
    groups = samples["group"].dropna().astype(str).value_counts().head(MOST_LISTED)
    rows = samples.head(_at_most(first)).to_dict("records")
    return a.AnnotationAnswer(
        series=found.cohort,
        trait=a.name_text(trait),
        samples=len(samples),
        groups={a.name_text(name): int(count) for name, count in groups.items()},
        features=[
            a.FeatureEntry(
                feature=name,
                available=each.available,
                where=a.file_text(each.where),
                amount=a.file_text(each.amount),
                certainty=each.certainty,
                why_not=None if each.available else a.file_text(each.why_not),
                evidence=a.file_texts(each.evidence),
            )
            for name, each in (("trait", found.trait), ("age", found.age), ("sex", found.sex))
        ],
        first_samples=[
            a.SampleEntry(
                sample=a.name_text(sample),
                title=a.file_text(row.get("title") or ""),
                group=_text_or_none(row["group"]),
                age=a.number(row["age"]),
                sex=_text_or_none(row["sex"]),
            )
            for sample, row in zip(samples.index, rows, strict=False)
        ],
        notes=a.file_texts(found.notes),
    )


def _text_or_none(cell: Any) -> str | None:
    return None if pd.isna(cell) else a.name_text(cell)


def _gene_entry(loaded: LoadedAnalysis, row: int, name: str) -> a.GeneEntry:
    gene = loaded.genes.row(row, named=True)
    return a.GeneEntry(
        gene=a.name_text(gene["Variable"]),
        analysis=name,
        effect=a.number(gene["Coefficient"]),
        p=a.number(gene["rank_p"]),
        q=a.number(gene["rank_q"]),
        significant=bool(gene["Significant"]),
        rank=row + 1,
        of=loaded.genes.height,
    )


def _at_most(wanted: int) -> int:
    return max(0, min(wanted, MOST_GENES))
