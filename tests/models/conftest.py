"""No key and no setting of the developer's own reaches these tests."""

import os

import pytest

from genotex.models import PROVIDERS


@pytest.fixture(autouse=True)
def nothing_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {name for provider in PROVIDERS.values() for name in provider.keys}
    for name in list(os.environ):
        of_providers = name.startswith(("OPENAI_", "ANTHROPIC_", "GOOGLE_", "GENOTEX_MODEL"))
        if name in keys or of_providers or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
