import ast
import re

import pytest

from genotex.agents import toolkit, toolkit_documentation, toolkit_functions
from genotex.errors import UsageError


def test_every_public_function_is_documented() -> None:
    functions = toolkit_functions()
    assert set(toolkit.__all__) - set(functions) == {"Task"}
    assert 15 <= len(functions) <= 24
    text = toolkit_documentation()
    for name in functions:
        assert re.search(rf"^{name}\(.*\) -> \w+", text, re.MULTILINE), name
    assert text.count("    Returns\n    -------\n") == len(functions)


def test_every_example_is_python_and_calls_its_function() -> None:
    for name in toolkit_functions():
        examples = re.findall(r"^ *>>> (.*)$", toolkit_documentation([name]), re.MULTILINE)
        assert len(examples) == 1, name
        called = {
            node.func.id
            for node in ast.walk(ast.parse(examples[0]))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert name in called


def test_selection_holds_the_functions_of_a_step_alone_in_the_order_of_use() -> None:
    text = toolkit_documentation(["save_table", "encode_feature"])
    heads = re.findall(r"^(\w+)\(", text, re.MULTILINE)
    assert heads == ["encode_feature", "save_table"]
    assert text == toolkit_documentation(("encode_feature", "save_table"))


def test_text_contains_no_address_of_this_process() -> None:
    assert " at 0x" not in toolkit_documentation()


def test_unknown_function_is_refused() -> None:
    with pytest.raises(UsageError, match="no function 'read_csv'; use find_files"):
        toolkit_documentation(["read_csv"])
