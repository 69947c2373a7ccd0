"""How ordinary models write: what surrounds their code, what they forget, what they insist on."""

from __future__ import annotations

import ast
import itertools
import json
import re
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from tests.agents.ordinary.model import DIALECT, Answer, Question, Style, says
from tests.models.servers import Says


def fence(code: str, language: str = "python") -> str:
    return f"```{language}\n{code.rstrip()}\n```"


def writing(shape: Callable[[str], str]) -> Callable[[Question], Answer]:
    """Shape the right code; plans and verdicts are as the rules give them."""
    return lambda question: shape(question.code) if question.is_code else None


def once_told(words: str, stubborn: Callable[[Question], Answer]) -> Callable[[Question], Answer]:
    """Answer in a way of its own until it was told about it in words that match."""

    def answers(question: Question) -> Answer:
        if not question.is_code or re.search(words, question.feedback, re.IGNORECASE | re.DOTALL):
            return None
        return stubborn(question)

    return answers


def approving(answers: Callable[[Question], Answer]) -> Callable[[Question], Answer]:
    """Approve of everything as a reviewer."""
    return lambda question: (
        verdict(question, True) if question.card.occasion == "review" else answers(question)
    )


def verdict(question: Question, approve: bool, *suggestions: str) -> dict[str, Any]:
    """Return a verdict in the form that was requested."""
    known = {
        "runs": True,
        "follows": approve,
        "reasoning": "The code is clear." if approve else "It could be better.",
        "suggestions": list(suggestions),
        "approve": approve,
    }
    return {name: value for name, value in known.items() if f'"{name}"' in question.text}


MISSING = r"(missing|not exist|not defined|not set|no variable)"


def prose(code: str) -> str:
    return f"Sure! Here is the code for this step:\n\n{fence(code)}\n\nThis does what is asked."


def thought(code: str) -> str:
    draft = fence("series = pd.read_csv('series.txt')")
    return f"<think>\nPerhaps a CSV?\n\n{draft}\n\nNo: the toolkit.\n</think>\n\n{fence(code)}"


def half_thought(code: str) -> str:
    return thought(code).removeprefix("<think>\n")


def several_blocks(code: str) -> str:
    body = ast.parse(code).body
    lines = code.splitlines()
    ends = [node.end_lineno or 0 for node in body]
    cuts = sorted({ends[len(ends) // 3], ends[2 * len(ends) // 3], len(lines)})
    starts = [0, *cuts[:-1]]
    parts = ["\n".join(lines[start:end]) for start, end in zip(starts, cuts, strict=True)]
    titles = ("First, the preparation", "Then the work", "Finally, the result")
    return "\n\n".join(f"{t}:\n\n{fence(p)}" for t, p in zip(titles, parts, strict=False))


def _first_name(code: str) -> str:
    stores = (n.id for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Name))
    return next(name for name in stores if re.search(rf"^{name} = ", code, re.M))


def usage_example(code: str) -> str:
    example = f"# Example of use\nprint(type({_first_name(code)}))"
    return f"{fence(code)}\n\nYou can use the result like this:\n\n{fence(example)}"


def expected_output(code: str) -> str:
    return f"{fence(code)}\n\nExpected output:\n\n{fence('Series with 33 samples: 3 rows', '')}"


def better_version(code: str) -> str:
    names = re.findall(r"^(\w+) = ", code, re.M)
    draft = "".join(f"{name} = load_somehow('{name}')\n" for name in dict.fromkeys(names))
    return f"A first idea:\n\n{fence(draft)}\n\nBetter, with the toolkit:\n\n{fence(code)}"


def unclosed(code: str) -> str:
    return f"Here is the cell:\n\n```python\n{code}"


def indented(code: str) -> str:
    return f"1. Run this cell:\n\n{textwrap.indent(fence(code), '   ')}\n\n2. Look at the output."


def unfenced(code: str) -> str:
    return f"Here is the code for this step.\n\n{code}\nThis keeps everything that is needed.\n"


def as_json(code: str) -> str:
    return json.dumps({"code": code})


def as_fenced_json(code: str) -> str:
    return fence(json.dumps({"explanation": "As asked.", "code": code}, indent=2), "json")


def with_magics(code: str) -> str:
    return fence(f"%matplotlib inline\n!pip install -q statsmodels\n{code}")


def in_main(question: Question) -> Answer:
    body = textwrap.indent(question.code, "    ")
    return fence(f'def main():\n{body}\n\nif __name__ == "__main__":\n    main()')


BY_HAND = """\
import gzip
from pathlib import Path

path = next(p for p in Path(task.folder).iterdir() if "matrix" in p.name)
with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as handle:
    lines = handle.read().splitlines()
print(len(lines), "lines")
for line in lines:
    if line.startswith(("!Series_title", "!Series_summary", "!Sample_characteristics_ch1")):
        print(sorted(set(line.split("\\t")[1:])))
"""


def by_hand(question: Question) -> Answer:
    return fence(BY_HAND) if question.card.unit == "load_data" else None


OWN_NAMES = {
    "load_data": ("series", "geo_data"),
    "extract_gene_data": ("expression", "expr"),
    "review_gene_ids": ("needs_mapping", "requires_mapping"),
    "read_annotation": ("annotation", "annot"),
    "map_gene_ids": ("mapped", "gene_data"),
}


def own_names(question: Question) -> Answer:
    if question.card.unit not in OWN_NAMES:
        return None
    name, own = OWN_NAMES[question.card.unit]
    return fence(re.sub(rf"\b{name}\b(?!_)", own, question.code))


NOT_INSTALLED = ("statsmodels", "seaborn")


def imports(question: Question) -> Answer:
    if not question.is_code:
        return None
    listed = re.search(r"installed packages", question.text, re.IGNORECASE)
    missing = re.findall(r"No module named '(\w+)'", question.feedback)
    wanted = [n for n in NOT_INSTALLED if not listed and n not in missing]
    return fence("".join(f"import {name}\n" for name in wanted) + question.code)


def picky(question: Question) -> Answer:
    if question.card.occasion == "review":
        return verdict(question, False, *(f"Rename variable {n}." for n in range(1, 6)))
    return None


def careless(question: Question) -> Answer:
    """Write a typing error into every first attempt."""
    if question.card.occasion != "write":
        return None
    return fence(f"{question.code}print({_first_name(question.code)}_)\n")


def calls_tools(question: Question) -> Answer:
    data = {"code": question.code} if question.is_code else question.right.data
    name = "execute_python" if question.is_code else "submit"
    call = {"name": name, "arguments": json.dumps(data)}
    calls = [{"id": "call_1", "type": "function", "function": call}]
    return says(question, "", "tool_calls", tool_calls=calls)


def apologises(question: Question) -> Answer:
    if question.is_code and not question.asked_again:
        return "I'm sorry, but I can't help with patient data."
    return None


def refuses(question: Question) -> Answer:
    if question.is_code and not question.asked_again:
        return DIALECT.refusal("I can't help with patient data.")
    return None


def thinks_for_long(question: Question) -> Answer:
    if question.is_code and not question.asked_again:
        return says(question, "", "length", reasoning_content="Let me think about it. " * 400)
    return says(question, question.plain, reasoning_content="Now briefly.")


def loose_json(question: Question) -> Answer:
    if question.right.data is None:
        return None
    answer: Mapping[str, Any] = {**question.right.data, "confidence": 0.9}
    if question.card.occasion == "plan":
        answer = {**answer, "retract_to_step": answer["retract_to_step"] or 0}
    if "was not requested" in question.feedback:
        return None
    return "Here is my answer:\n\n" + json.dumps(answer, indent=1).replace("\n}", ",\n}")


def talks(question: Question) -> Answer:
    if question.card.occasion == "plan":
        return f"The next step should be **{question.right.data['action']}**."
    if question.card.occasion == "review":
        approves = question.right.data["approve"]
        return "Approved, looks good." if approves else "I reject this. It has an error."
    return None


def guesses_columns(question: Question) -> Answer:
    """Choose the column by the row ids where both are shown; else one that looks like ids."""
    if question.card.unit != "map_gene_ids" or not question.is_code:
        return None
    shown = re.findall(r"\b\d{4,6}(?:_[a-z])*_at\b", question.messages[1].text)
    if any(shown.count(each) > 1 for each in shown):
        return None
    wrong = re.sub(
        r'id_column="[^"]*", gene_column=("[^"]*")', r"id_column=\1, gene_column=\1", question.code
    )
    return fence(wrong)


def small_context(limit: int) -> Callable[[Question], Answer]:
    def answers(question: Question) -> Answer:
        if question.tokens <= limit:
            return None
        message = f"This model's maximum context length is {limit} tokens. However, you requested "
        return DIALECT.error(400, f"{message}{question.tokens}", "BadRequestError", None)

    return answers


def rate_limited() -> Callable[[Question], Answer]:
    calls = itertools.count(1)
    wait = {"retry_after": "0"}
    return lambda question: None if next(calls) % 3 else DIALECT.rate_limited(**wait)


def only_streams(question: Question) -> Answer:
    if not question.streams:
        message = "This model only supports streaming. Please set stream=true."
        return DIALECT.error(400, message, "invalid_request_error", None)
    answer = question.plain
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return streamed(question, text)


def streamed(question: Question, text: str) -> Says:
    """Return an answer as server-sent events, a piece of a few characters each."""
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    pieces = [text[i : i + 40] for i in range(0, len(text), 40)]
    events = [{"index": 0, "delta": {"role": "assistant", "content": p}} for p in pieces]
    events.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    lines = [json.dumps({**chunk, "choices": [event]}) for event in events]
    usage = {"prompt_tokens": question.tokens, "completion_tokens": -(-len(text) // 4)}
    total = {**usage, "total_tokens": sum(usage.values())}
    lines.append(json.dumps({**chunk, "choices": [], "usage": total}))
    body = "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
    return Says(body.encode(), headers={"Content-Type": "text/event-stream"})


STYLES = (
    Style("prose", "words around one fenced block", writing(prose)),
    Style("thinks", "a draft in `<think>`, then the answer", writing(thought)),
    Style("half-thinks", "the same without the opening tag", writing(half_thought)),
    Style("blocks", "the cell in three fenced blocks", writing(several_blocks)),
    Style("usage-example", "an example of use after the answer", writing(usage_example)),
    Style(
        "expected-output", "an untagged block with the expected output", writing(expected_output)
    ),
    Style("better-version", "a draft, then the whole again, better", writing(better_version)),
    Style("unclosed", "a fence that is never closed", writing(unclosed)),
    Style("indented", "a fence indented in a list", writing(indented)),
    Style("unfenced", "prose, then code without a fence", writing(unfenced)),
    Style("json", '`{"code": ...}` as the whole answer', writing(as_json)),
    Style("fenced-json", "the same in a fence, with an explanation", writing(as_fenced_json)),
    Style("magics", "`%matplotlib` and `!pip` before the code", writing(with_magics)),
    Style("main", "everything in `def main()`", once_told(MISSING, in_main)),
    Style(
        "by-hand",
        "the series read by hand, everything approved",
        approving(once_told(rf"series\b[^\n]*{MISSING}", by_hand)),
    ),
    Style(
        "own-names", "own names of variables, approved", approving(once_told(MISSING, own_names))
    ),
    Style("imports", "imports packages that are not installed", imports),
    Style("picky", "a reviewer with five wishes each time", picky),
    Style("careless", "a typing error each time, approved", approving(careless)),
    Style("guesses", "guesses the id column unless it sees the row ids", guesses_columns),
    Style("tools", "tool calls where text was asked for", calls_tools),
    Style("apologises", "an apology first, as text", apologises),
    Style("refuses", "a refusal first, marked as such", refuses),
    Style("long-thoughts", "spends all its tokens on thinking, first", thinks_for_long),
    Style("loose-json", "JSON with additions and a trailing comma", loose_json),
    Style("talks", "plans and verdicts in prose", talks),
    Style("small-context", "reads 4,096 tokens at most", small_context(4096)),
    Style("rate-limited", "every third call is too many", rate_limited()),
    Style("only-streams", "answers only as a stream", only_streams),
)
"""Every style, by the order of the page."""
