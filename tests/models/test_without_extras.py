"""What works where only genotex itself is installed."""

import subprocess
import sys

PROGRAM = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        absent = {"pydantic_ai", "pydantic", "genai_prices", "httpx2", "httpx", "openai",
                  "anthropic", "google"}
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())

from datetime import date
from genotex.errors import UsageError
from genotex.models import Message, Request, ScriptedModel, model_from_name, take_prices

model = ScriptedModel(["well"])
print(model.answer(Request("planner", (Message("user", "Hello?"),))).text)
print(take_prices(["openai:gpt-4o"], date(2026, 11, 1)).unknown())
for name in ("openai:a", "anthropic:a", "google:a", "ollama:a"):
    try:
        model_from_name(name, environ={"OPENAI_API_KEY": "k"})
    except UsageError as error:
        print(error)
"""


def test_scripts_work_and_providers_say_what_to_install() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "well",
        "{'openai:gpt-4o': \"genai-prices is not installed; pip install 'genotex[agents]'\"}",
        "openai needs packages that are not installed; pip install 'genotex[openai]'",
        "anthropic needs packages that are not installed; pip install 'genotex[anthropic]'",
        "google needs packages that are not installed; pip install 'genotex[google]'",
        "ollama needs packages that are not installed; pip install 'genotex[openai]'",
    ]
