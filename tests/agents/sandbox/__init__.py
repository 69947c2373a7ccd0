import pytest

pytest.register_assert_rewrite(
    *(
        f"tests.agents.sandbox.conformance_{part}"
        for part in ("limits", "output", "state", "isolation")
    ),
    "tests.agents.sandbox.conformance",
)
