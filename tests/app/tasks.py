"""Tasks of a biologist in the workbench, done in a browser; clicks and typed words are counted.

`benchmarks/app/workbench_tasks.py` times them on real series, and prints the table of
docs/workbench.md; test_browser_tasks.py does them on small ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SYMBOLS = ("TP53", "EGFR", "MYC", "BRCA1", "CDK2", "GAPDH", "ACTB", "CD4", "CD8A", "IL6")


@dataclass
class Hands:
    """What a person clicks and types in a tab, counted."""

    page: Any
    clicks: int = 0
    words: int = 0

    def click(self, selector: str) -> None:
        self.clicks += 1
        self.page.click(selector)

    def type(self, selector: str, *words: str, then: str = "Tab") -> None:
        self.words += len(words)
        self.page.fill(selector, "\n".join(words))
        self.page.press(selector, then)

    def wait(self, selector: str) -> None:
        self.page.wait_for_selector(selector)


@dataclass(frozen=True)
class Task:
    """A task: what docs/workbench.md calls it, with the clicks and words that it states.

    `series`: the one that it is done with there; empty where it is done with tables or a simulated
    study. `loose`: that lies in no folder of a trait. `at_result`: it begins at the result of one.
    """

    title: str
    do: Callable[..., None]
    clicks: int
    words: int = 0
    series: str = ""
    loose: bool = False
    at_result: bool = False


def _analyse(hands: Hands) -> None:
    """Go from the samples of a series to its result."""
    hands.click("#steps a:text-is('Design')")
    hands.wait("#go button")
    hands.click("#go button")
    hands.wait("#steps li.done:has-text('Result')")
    hands.click("#steps a:text-is('Result')")
    hands.wait("#plot[data-ready=volcano]")


def _open_gene(hands: Hands) -> None:
    hands.click("#table tbody th a >> nth=0")
    hands.wait("#values[data-ready]")


def _send_tables(hands: Hands, tables: Sequence[Path]) -> None:
    hands.click("nav a:text-is('Add data')")
    for name, path in zip(("expression", "samples"), tables, strict=True):
        hands.page.set_input_files(f"#send-tables input[name={name}]", path)
    hands.click("#send-tables button")
    hands.click("#added a.button")


def series_to_gene(hands: Hands, series: str) -> None:
    hands.click(f"ul.series a:text-is('{series}')")
    hands.wait("#sheet tbody tr")
    _analyse(hands)
    _open_gene(hands)


def counts_to_gene(hands: Hands, files: Sequence[Path], trait: str) -> None:
    hands.click("nav a:text-is('Add data')")
    hands.page.set_input_files("#send-series input[name=files]", files)
    hands.type("#send-series input[name=trait]", trait)
    hands.click("#send-series button")
    hands.click("#added a.button")
    hands.wait("#steps li:has-text('samples')")
    _analyse(hands)
    _open_gene(hands)


def see_components(hands: Hands, series: str) -> None:
    hands.click(f"ul.series a:text-is('{series}')")
    hands.wait("#quality[data-ready]")


def exclude_in_view(hands: Hands, series: str) -> None:
    see_components(hands, series)
    hands.click("#sheet tbody tr >> nth=3")
    hands.click("button:text-is('Exclude')")
    hands.wait("#sheet tr.excluded")
    hands.page.wait_for_function(
        "() => document.querySelector('#quality .legend')?.textContent.includes('excluded')"
    )


def pair_from_column(hands: Hands, series: str) -> None:
    hands.click(f"ul.series a:text-is('{series}')")
    hands.page.wait_for_load_state()
    hands.click("button:has-text('pairs from') >> nth=0")
    hands.wait("#sheet .message:has-text('pairs of')")


def compare_by_texts(hands: Hands, series: str) -> None:
    hands.click(f"ul.series a:text-is('{series}')")
    hands.click("[aria-labelledby=comparisons-title] button >> nth=0")
    hands.click("#history th a >> nth=0")
    hands.wait("#plot[data-ready=volcano]")


def repeat_with_change(hands: Hands, series: str) -> None:
    hands.click("nav a:text-is('Analyse')")
    earlier = hands.page.locator("#history tbody tr").count()
    hands.click(f"#history tr:has-text('{series}') a:has-text('again')")
    hands.wait("#design code")
    hands.type("#start [name=q]", "0.1")
    hands.click("#go button")
    hands.wait(f"#history tbody tr >> nth={earlier}")
    hands.wait("#history tbody tr:first-child a:has-text('again')")


def tables_to_gene(hands: Hands, tables: Sequence[Path]) -> None:
    _send_tables(hands, tables)
    hands.wait("#design td:has-text('treated')")
    hands.click("text=Start the analysis")
    hands.wait("#history th a")
    hands.click("#steps a:text-is('Result')")
    _open_gene(hands)


def two_contrasts(hands: Hands, tables: Sequence[Path]) -> None:
    _send_tables(hands, tables)
    hands.type("[name=contrast]", "group: a - c", "group: b - c")
    hands.wait("#design tbody tr >> nth=1")
    hands.click("text=Start the analysis")
    hands.wait(f"#history tr:has-text('{tables[0].stem}') th a")


def figure_for_paper(hands: Hands) -> None:
    hands.type("#cut-change", "1", then="Enter")
    hands.type("[data-size=width]", "85")
    with hands.page.expect_download() as found:
        hands.click("[data-save=svg]")
    found.value.path()


def enrich_result(hands: Hands) -> None:
    hands.click("button:text-is('Test gene sets')")
    hands.wait("h2:has-text('Gene Ontology, biological process')")


def combine_cohorts(hands: Hands) -> None:
    hands.click("button:text-is('Combine the chosen series')")
    hands.wait("#forest[data-ready]")


TASKS = (
    Task("a series of the folder to a gene's plot", series_to_gene, 5, 0, "GSE55457"),
    Task("RNA-seq by upload to a gene's plot", counts_to_gene, 7, 1, "GSE60424"),
    Task("see the PCA of a series", see_components, 1, 0, "GSE14520"),
    Task("exclude a sample in view of it", exclude_in_view, 3, 0, "GSE14520"),
    Task("pairs from a column", pair_from_column, 2, 0, "GSE14520"),
    Task(
        "test what a series compares, without a trait", compare_by_texts, 3, 0, "GSE42872", True
    ),
    Task(
        "repeat an analysis with one change", repeat_with_change, 3, 1, "GSE55457", at_result=True
    ),
    Task("own tables with title lines and decimal commas to a gene's plot", tables_to_gene, 6),
    Task("two contrasts of own tables, to both results", two_contrasts, 4, 2),
    Task(
        "a volcano for a paper: 85 mm wide, change of at least 1", figure_for_paper, 1, 2,
        "GSE55457", at_result=True,
    ),
    Task("gene sets, from the result to their table", enrich_result, 1, 0, "GSE55457",
         at_result=True),
    Task("several cohorts to the forest plot of a gene", combine_cohorts, 1),
)  # fmt: skip
"""In the order of the table."""


def write_odd_tables(to: Path) -> list[Path]:
    """Write tables with title lines, a header one cell short, and decimal commas."""
    rng = np.random.default_rng(5)
    names = [f"P {i + 1}" for i in range(12)]
    values = rng.normal(8, 0.2, (len(SYMBOLS), 12))
    values[0, 6:] += 3
    rows = (
        "\t".join([gene, *(f"{v:.3f}".replace(".", ",") for v in line)])
        for gene, line in zip(SYMBOLS, values, strict=True)
    )
    head = "# exported on Monday\n# unit: log2\n" + "\t".join(names)
    (to / "values.txt").write_text("\n".join([head, *rows]) + "\n")
    groups = (f"{name};{'treated' if i >= 6 else 'vehicle'}" for i, name in enumerate(names))
    (to / "people.csv").write_text("\n".join(["Name;group", *groups]) + "\n")
    return [to / "values.txt", to / "people.csv"]


def write_three_groups(to: Path) -> list[Path]:
    """Write the same values with three groups."""
    values, people = write_odd_tables(to)
    names = people.read_text().splitlines()[1:]
    rows = (f"{name.partition(';')[0]};{'abc'[i % 3]}" for i, name in enumerate(names))
    (to / "three.csv").write_text("\n".join(["Name;group", *rows]) + "\n")
    return [values.rename(to / "three.txt"), to / "three.csv"]
