import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.errors import UsageError
from genotex.models import ProviderModelName, check_address, check_name, parse_name


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("openai:gpt-4o", ("openai", "gpt-4o", None)),
        ("ollama:llama3.1:8b", ("ollama", "llama3.1:8b", None)),
        (
            "openai-compatible:org/m@v2@https://host:8000/v1",
            ("openai-compatible", "org/m@v2", "https://host:8000/v1"),
        ),
    ],
)
def test_names_are_read_and_written_back(text: str, parts: tuple[str, str, str | None]) -> None:
    name = parse_name(text)
    assert name == ProviderModelName(*parts)
    assert str(name) == text


@pytest.mark.parametrize(
    "address",
    ["", "host", "ftp://host", "http://", "http://:80", "http://host:x", "http://host:99999",
     "http://user@host", "http://host?key=1", "http://host#a", "http://[::1"],
)  # fmt: skip
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="it"):
        check_address(address, "it")


@pytest.mark.parametrize(
    "name", ["openai:gpt-4o@http://me:pass-word@host/v1", "opnai:m@https://me:pass-word@host"]
)
def test_address_that_belongs_elsewhere_is_refused_without_its_password(name: str) -> None:
    for check in (parse_name, check_name):
        with pytest.raises(UsageError) as refused:
            check(name)
        assert "pass-word" not in str(refused.value)


@given(st.text())
def test_whatever_the_text_only_our_error_comes_out(text: str) -> None:
    for before in ("", "openai:", "openai-compatible:m@http://"):
        try:
            name = parse_name(before + text)
        except UsageError:
            continue
        assert str(name) == before + text
