import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.agents import WrittenCode, written_code
from tests.agents.ordinary import styles

CODE = '''\
verdict = identify_rows(expression)
print(verdict)

def shorter(text):
    """Return a text without its end."""

    return text[:-1]

# Row ids such as 1007_s_at.
needs_mapping = bool(shorter("yes"))
if needs_mapping:
    print(
        "they have to be mapped"
    )
'''
JOINED = "blocks of Python were joined in their order"
REPLACED = "1 earlier block was replaced by a later one that defines the same names"


def found(text: str) -> WrittenCode:
    written = written_code(text)
    assert written is not None
    return written


@pytest.mark.parametrize(
    ("shape", "note"),
    [
        (styles.prose, ""),
        (styles.thought, ""),
        (styles.half_thought, ""),
        (styles.expected_output, ""),
        (styles.better_version, REPLACED),
        (styles.unclosed, "the block was not closed"),
        (styles.indented, ""),
        (styles.unfenced, "it had no fence; the prose around it was left out"),
        (styles.as_json, "taken from JSON"),
        (styles.as_fenced_json, "taken from JSON"),
        (styles.with_magics, "lines with commands of IPython (% or !) were left out"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_one_cell_is_found_however_it_was_written(shape: object, note: str) -> None:
    assert found(shape(CODE)) == WrittenCode(CODE, note)  # type: ignore[operator]


def test_several_blocks_are_joined_and_that_is_stated() -> None:
    written = found(styles.several_blocks(CODE))
    assert written.note == f"3 {JOINED}"
    assert "".join(written.code.split()) == "".join(CODE.split())


def test_example_of_use_runs_after_the_answer_and_does_not_replace_it() -> None:
    written = found(styles.usage_example(CODE))
    assert written.code.startswith(CODE) and written.code.endswith("print(type(verdict))\n")
    assert written.note == f"2 {JOINED}"


def blocks(*codes: str, language: str = "python") -> str:
    return "\n\n".join(styles.fence(code, language) for code in codes)


@pytest.mark.parametrize(
    ("codes", "joined"),
    [
        (("x = 1", "x = 2"), "x = 2\n"),
        (("x = 1", "x = x + 1"), "x = 1\n\nx = x + 1\n"),
        (("x = 1\ny = 2", "x = 2"), "x = 1\ny = 2\n\nx = 2\n"),
        (("import a\nx = a.b()", "x = 2"), "x = 2\n"),
        (("import a\nx = a.b()", "x = a.c()"), "import a\nx = a.b()\n\nx = a.c()\n"),
        (("def f():\n    return 1", "def f():\n    return 2"), "def f():\n    return 2\n"),
        (("print(1)", "x = 2"), "print(1)\n\nx = 2\n"),
    ],
)
def test_later_block_replaces_an_earlier_one_only_where_nothing_of_it_is_needed(
    codes: tuple[str, ...], joined: str
) -> None:
    assert found(blocks(*codes)).code == joined


def test_blocks_of_other_languages_and_shown_output_are_not_run() -> None:
    shell = styles.fence("pip install statsmodels", "bash")
    output = f"It prints:\n\n{styles.fence('needs_mapping = True', '')}"
    assert found(f"{shell}\n\n{blocks('x = 1')}\n\n{output}").code == "x = 1\n"


def test_unmarked_block_that_is_code_goes_with_the_marked_one() -> None:
    text = f"{blocks('x = 1')}\n\nThen:\n\n{styles.fence('y = x + 1', '')}"
    assert found(text).code == "x = 1\n\ny = x + 1\n"


def test_marks_of_an_interactive_session_are_left_out() -> None:
    assert found(blocks(">>> x = 1\n>>> print(x)\n1")).code == "x = 1\nprint(x)\n"


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx = [1, 2,",
        "<think>\n```python\nx = 1\n```\nstill thinking",
        '{"answer": "use read_series"}',
        "First:\n\nseries = read_series(files)\n\nand then\n\nprint(series)\n\nDone.",
        "Call print(series) and go on.",
    ],
)
def test_ambiguous_or_incomplete_answers_are_asked_for_again(text: str) -> None:
    assert written_code(text) is None


def test_block_that_is_not_closed_is_not_run_where_the_answer_was_cut() -> None:
    assert found("```python\nx = 1\n").code == "x = 1\n"
    assert written_code("```python\nx = 1\n", cut=True) is None


@given(st.text(alphabet="`~\n {}x=1#py\"'<think>/:-."))
def test_any_answer_is_code_or_none(text: str) -> None:
    written = written_code(text)
    assert written is None or written.code.strip()
