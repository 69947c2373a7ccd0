import pytest

pytest.register_assert_rewrite(
    *(f"tests.sandbox.conformance_{part}" for part in ("limits", "output", "state", "walls")),
    "tests.sandbox.conformance",
)
