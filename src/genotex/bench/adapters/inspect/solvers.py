"""Solvers of Inspect AI: the team of agents, and any program that `bench run --command` takes.

The team asks the model of the evaluation.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import shlex
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future, wait
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import OutputLimitExceededError, sandbox

from genotex.agents.sandbox import SandboxPolicy
from genotex.agents.switches import Agent, Preset, preset_named
from genotex.agents.team.plan import TeamPlan
from genotex.agents.team.running import MakeRouter, TeamFinished, run_team
from genotex.bench.adapters.assignments import (
    INPUT,
    OUTPUT,
    PREPARED,
    PROBLEM,
    TASK_INFO,
    copy_files,
)
from genotex.errors import BudgetReachedError, UsageError
from genotex.models import (
    MeteredModel,
    ModelSettings,
    Reply,
    Request,
    RoleModels,
    StopReason,
    Usage,
    UsageLedger,
)
from genotex.problems import Problem
from genotex.procedure import Procedure

_MOCK = "MockLLM"
_TURN = 0.5
"""Seconds between checks whether the sample still lasts."""


def count_words_offline(model: Model) -> None:
    """Let Inspect's mock model count words.

    It counts tokens with a tokenizer that has to be downloaded, so that without a network each of
    its calls would fail.
    """
    if type(model.api).__name__ == _MOCK:
        setattr(model.api, "count_text_tokens", _count_words)  # noqa: B010


async def _count_words(text: str) -> int:
    return max(1, len(text.split()))


_MESSAGES: dict[str, type[ChatMessageSystem | ChatMessageUser | ChatMessageAssistant]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
_STOPS: dict[str, StopReason] = {
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
}
_FORM = "\n\nAnswer with one JSON value that fits this JSON schema, and nothing else:\n{schema}"


class InspectModel:
    """Asks a model of Inspect AI, from any thread; its calls are in the transcript of the sample.

    Made in the event loop of the sample, whose context its calls have.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._stopped = False

    def stop(self) -> None:
        """Refuse this and every further answer: the sample has ended."""
        self._stopped = True

    @property
    def _is_over(self) -> bool:
        return self._stopped or not self._loop.is_running()

    @property
    def name(self) -> str:
        """Name of the model; ``inspect:`` and the name that Inspect has for it."""
        return f"inspect:{self._model}"

    def answer(self, request: Request) -> Reply:
        """Answer a request (see `genotex.models.Model`)."""
        if self._is_over:
            raise _over()
        start = time.monotonic()
        context = self._context.copy()
        asked = context.run(asyncio.run_coroutine_threadsafe, self._ask(request), self._loop)
        output = self._wait(asked)
        return Reply(
            output.completion,
            self.name,
            stop="failed" if output.error else _STOPS.get(output.stop_reason, "finished"),
            usage=_usage(output),
            provider="inspect",
            version=output.model,
            working=time.monotonic() - start,
        )

    def _wait(self, asked: Future[ModelOutput]) -> ModelOutput:
        """Wait for an answer while the sample lasts; afterwards none would ever come."""
        while not wait([asked], timeout=_TURN).done:
            if self._is_over:
                asked.cancel()
                raise _over()
        try:
            return asked.result()
        except CancelledError as error:
            raise _over() from error

    async def _ask(self, request: Request) -> ModelOutput:
        messages: list[ChatMessage] = [
            _MESSAGES[each.author](content=each.text) for each in request.messages
        ]
        if request.schema is not None:
            form = _FORM.format(schema=json.dumps(request.schema))
            messages[-1] = ChatMessageUser(content=messages[-1].text + form)
        config = GenerateConfig(max_tokens=request.max_output, temperature=request.temperature)
        return await self._model.generate(messages, config=config)


def _over() -> BudgetReachedError:
    return BudgetReachedError("the sample has ended, at a limit or by cancellation", "max_time")


def _usage(output: ModelOutput) -> Usage:
    if output.usage is None:
        return Usage()
    used = output.usage
    cached, written = used.input_tokens_cache_read, used.input_tokens_cache_write
    return Usage(
        used.input_tokens + (cached or 0) + (written or 0), used.output_tokens, cached, written
    )


_RULES = "rules"


@solver
def command(program: str, timeout: int = 3600) -> Solver:
    """Run a program in the sandbox; it reads the problem as JSON from standard input.

    The same programs work with ``genotex bench run --command``. A file of this machine is copied
    into the sandbox under its name, so ``command("python agent.py")`` works.

    Parameters
    ----------
    program
        The command line.
    timeout
        Seconds.
    """
    words = shlex.split(program)
    scripts = {word: Path(word) for word in words[1:] if Path(word).is_file()}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        box = sandbox()
        for path in scripts.values():
            await box.write_file(path.name, path.read_bytes())
        asked = await box.read_file(PROBLEM)
        line = [scripts[word].name if word in scripts else word for word in words]
        try:
            done = await box.exec(line, input=asked, timeout=timeout)
        except (TimeoutError, OutputLimitExceededError, UnicodeDecodeError) as error:
            # What is in the output folder is scored; the sample and the evaluation have no error.
            return _ended(state, f"the program was ended, or its output not read: {error}")
        text = f"{done.stdout}\n{done.stderr}".strip()
        return _ended(state, text or f"exit code {done.returncode}")

    return solve


@solver
def genoagent(
    model: str | None = None,
    preset: str = "full",
    procedure: str = "sound",
    isolation: str = "require",
) -> Solver:
    """Solve with the team of agents of genotex.

    The team works on this machine, in its own sandbox, and what it wrote is put into that of the
    sample.

    Parameters
    ----------
    model
        None: the model of the evaluation. ``rules``: the built-in rules, without a model.
    preset
        ``full``, or an ablation, as for ``genotex bench run --preset``.
    procedure
        ``sound`` or ``benchmark``.
    isolation
        ``require``, ``best`` or ``off``: isolation of generated code.
    """
    chosen, agent = _agent(model, preset)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
            folder = Path(work)
            await _stage(state.metadata, folder)
            asked = None if model == _RULES else InspectModel(get_model())
            plan = TeamPlan(
                target=folder / OUTPUT,
                models=ModelSettings(_RULES if asked is None else asked.name),
                procedure=Procedure(procedure),
                switches=chosen.switches(),
                sandbox=SandboxPolicy(isolation),
                agent=agent,
                preset=preset,
                **_what(state.metadata, folder),
            )
            make = None if asked is None else _router_of(asked)
            try:
                finished = await asyncio.to_thread(run_team, plan, make_router=make)
            except BaseException:
                # The thread goes on until it asks the model, which must not cost anything more.
                if asked is not None:
                    asked.stop()
                raise
            await _hand_in(state.metadata, folder / OUTPUT)
        return _ended(state, _summary(finished))

    return solve


def _agent(model: str | None, preset: str) -> tuple[Preset, Agent]:
    """Return a preset and who works in it; refuses what calls no agent."""
    if model not in (None, _RULES):
        msg = f"model={model}: give {_RULES}, or nothing for the model of the evaluation (--model)"
        raise UsageError(msg)
    chosen = preset_named(preset)
    agent = chosen.agent
    if agent is None:
        msg = f"the preset {preset} asks no agent; use 'genotex bench run --preset {preset}'"
        raise UsageError(msg)
    return chosen, agent


def _router_of(model: InspectModel) -> MakeRouter:
    def make(ledger: UsageLedger, budget: object) -> RoleModels:
        return RoleModels(MeteredModel(model, ledger))

    return make


async def _stage(metadata: Mapping[str, Any], folder: Path) -> None:
    """Put the files of a sample into a folder: raw ones as links, prepared tables as copies."""
    for name, source in metadata["files"].items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if name.startswith(INPUT):
            target.symlink_to(source)
        else:
            # What runs isolated may read the folder, and not what links in it lead to.
            (folder / PREPARED / "preprocess").mkdir(parents=True, exist_ok=True)
            inside = folder / PREPARED / "preprocess" / name.removeprefix(f"{PREPARED}/")
            inside.parent.mkdir(parents=True, exist_ok=True)
            copy_files(Path(source), inside)
    (folder / TASK_INFO).write_text(await sandbox().read_file(TASK_INFO), encoding="utf-8")


def _what(metadata: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the problem and the folders of a plan."""
    prepared = metadata["task"] == "analyse"
    known = json.loads((folder / TASK_INFO).read_text(encoding="utf-8"))
    return {
        "problems": [Problem(metadata["trait"], metadata["condition"])],
        "source": None if prepared else folder / INPUT,
        "preprocessed": folder / PREPARED if prepared else None,
        "task_info": folder / TASK_INFO if known else None,
    }


async def _hand_in(metadata: Mapping[str, Any], output: Path) -> None:
    """Put the files that count into the sandbox."""
    for path in sorted(output.rglob("*")):
        name = path.relative_to(output).as_posix()
        if path.is_file() and any(fnmatchcase(name, each) for each in metadata["answers"]):
            await sandbox().write_file(f"{OUTPUT}/{name}", path.read_bytes())


def _summary(finished: TeamFinished) -> str:
    if finished.stopped:
        return finished.stopped
    lines = [
        f"{each.problem}: answered from {each.cohort}"
        if each.success
        else f"{each.problem}: {each.error}"
        for each in finished.problems
    ]
    return "\n".join(lines)


def _ended(state: TaskState, text: str) -> TaskState:
    transcript().info(text)
    state.output = ModelOutput.from_content(model=str(state.model), content=text)
    state.messages.append(state.output.message)
    state.completed = True
    return state
