import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.agents import Verdict, written_code
from genotex.agents.answers import ask_for_code
from genotex.errors import BadAnswerError
from genotex.models import Message, Reply, Request, ScriptedModel

REQUEST = Request("engineer", (Message("user", "Write it."),))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```python\nx = 1\n```", "x = 1\n"),
        ("Here it is:\n\n```py\nx = 1\n```\nGood luck!", "x = 1\n"),
        ("```\nx = 1\n```", "x = 1\n"),
        ("~~~python\nx = 1\n~~~", "x = 1\n"),
        ("First I thought\n```python\nx = 0\n```\nbut\n```python\nx = 1\n```", "x = 1\n"),
        ("```json\n{}\n```\n```python\nx = 1\n```", "x = 1\n"),
        ("```python\nx = 1\n```\n```json\n{}\n```", "x = 1\n"),
        ('````python\nx = """```"""\n````', 'x = """```"""\n'),
        ("x = 1\nprint(x)", "x = 1\nprint(x)\n"),
        ("```python\r\nx = 1\r\n```", "x = 1\r\n"),
    ],
)
def test_code_is_found_in_what_a_model_wrote(text: str, code: str) -> None:
    found = written_code(text)
    assert found is not None and found.code == code


@pytest.mark.parametrize(
    "text",
    ["", "Sorry", "I am sorry, I cannot.", "```json\n{}\n```", "```python\n```", "42", '"ok"'],
)
def test_talk_is_no_code(text: str) -> None:
    assert written_code(text) is None


@given(st.text())
def test_every_answer_is_code_or_none(text: str) -> None:
    found = written_code(text)
    assert found is None or found.code.strip()


def test_answer_without_code_is_repaired_once() -> None:
    model = ScriptedModel(["Of course!", "```python\nx = 1\n```"])
    assert ask_for_code(model.answer, REQUEST).code == "x = 1\n"
    assert [m.author for m in model.requests[1].messages] == ["user", "assistant", "user"]


def test_answer_that_was_cut_is_to_be_shorter() -> None:
    cut = Reply("```python\nx = [1, 2,", "", stop="length")
    model = ScriptedModel([cut, "```python\nx = 1\n```"])
    assert ask_for_code(model.answer, REQUEST).code == "x = 1\n"
    assert "be shorter" in model.requests[1].messages[-1].text


def test_second_answer_without_code_is_a_typed_failure() -> None:
    with pytest.raises(BadAnswerError, match="no Python code, also when asked again"):
        ask_for_code(ScriptedModel(["Hm.", "Hm, hm."]).answer, REQUEST)


def test_verdict_cannot_approve_what_it_finds_wanting() -> None:
    with pytest.raises(ValueError, match="decide which it is"):
        Verdict(False, "", [], approve=True)
