import json
from typing import Any

from genotex.agents import to_ipynb
from tests.agents.playing import Play, in_turn, plan, playing, python, verdict, work


def file_of(**plays: Play) -> dict[str, Any]:
    planner = in_turn(plan("load_data"), plan("extract_gene_data"), plan("task_completed"))
    return to_ipynb(work(playing(planner, **plays)), "3.12.1")


def test_notebook_has_the_form_that_jupyter_reads() -> None:
    content = file_of()
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    kinds = [cell["cell_type"] for cell in content["cells"]]
    assert kinds == ["code", "markdown", "code", "markdown", "code"]
    ids = [cell["id"] for cell in content["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in content["cells"]:
        assert isinstance(cell["source"], list)
        if cell["cell_type"] == "code":
            assert set(cell) == {
                "id", "cell_type", "execution_count", "metadata", "outputs", "source"
            }  # fmt: skip
    json.dumps(content)


def test_final_revision_is_alone_and_reviews_are_reported() -> None:
    content = file_of(review=in_turn(verdict(False, "more"), verdict(True), verdict(True)))
    cells = content["cells"]
    code = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    assert code[1:] == ["x = 'load_data, 1 tries'", "x = 'extract_gene_data'"]
    assert "*Review: rejected. not fine*" in "".join(cells[1]["source"])


def test_cell_that_failed_is_marked_so_that_the_others_run_again() -> None:
    content = file_of(
        write=lambda card: python("# raise"),
        revise=lambda card: python("# raise more"),
        review=lambda card: verdict(False, "mend it"),
    )
    failed = content["cells"][2]
    assert failed["metadata"] == {"tags": ["raises-exception"]}
    assert failed["outputs"][-1]["ename"] == "ValueError"


def test_cell_that_was_stopped_is_kept_as_text() -> None:
    content = file_of(
        write=lambda card: python("# loop"),
        revise=lambda card: python("# loop on"),
        review=lambda card: verdict(False, "mend it"),
    )
    stopped = content["cells"][2]
    assert stopped["cell_type"] == "raw"
    assert "# Not part of the notebook's state: Stopped after 3 s." in "".join(stopped["source"])


def test_task_and_counts_are_in_the_metadata() -> None:
    told = file_of()["metadata"]["genotex"]
    assert told["task"]["cohort"] == "GSE1"
    assert told["tally"]["reviews"] == 2
    assert told["ending"] == "task completed"
