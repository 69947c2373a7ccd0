"""GenoAgent: a team of language-model agents that solves problems by writing code.

Names are imported on first use, so that the sandbox and the models load nothing of the team.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genotex.agents.action_units import ActionUnit, action_unit
    from genotex.agents.answers import Verdict
    from genotex.agents.audit import audit_answer, audit_cohort
    from genotex.agents.code_shelf import CodeShelf
    from genotex.agents.context import Attempt, Step, TaskContext
    from genotex.agents.notebook import Ending, Event, Notebook, NotebookWork
    from genotex.agents.notebook_file import to_ipynb
    from genotex.agents.prompts import prompt_digests, render_prompt, toolkit_documentation
    from genotex.agents.questions import Card, DoneStep, Questions, last_attempt, read_card
    from genotex.agents.rule_code import Review, plan_units, review_output, write_code
    from genotex.agents.rules_model import RulesModel, register_rules
    from genotex.agents.script import ScriptWork
    from genotex.agents.structured import ModelExpert, ask_without_data
    from genotex.agents.switches import PRESETS, Switches, preset_named
    from genotex.agents.task import NotebookKind, Task, set_up_code
    from genotex.agents.team.folder import TeamFolder
    from genotex.agents.team.plan import TeamPlan, read_plan
    from genotex.agents.team.records import NotebookRecord, State
    from genotex.agents.team.running import TeamFinished, run_team
    from genotex.agents.team.trace import find_notebook, overview, trace

_NAMES = {
    "action_units": "ActionUnit action_unit",
    "answers": "Verdict",
    "audit": "audit_answer audit_cohort",
    "code_shelf": "CodeShelf",
    "context": "Attempt Step TaskContext",
    "notebook": "Ending Event Notebook NotebookWork",
    "notebook_file": "to_ipynb",
    "prompts": "prompt_digests render_prompt toolkit_documentation",
    "questions": "Card DoneStep Questions last_attempt read_card",
    "rule_code": "Review plan_units review_output write_code",
    "rules_model": "RulesModel register_rules",
    "script": "ScriptWork",
    "structured": "ModelExpert ask_without_data",
    "switches": "PRESETS Switches preset_named",
    "task": "NotebookKind Task set_up_code",
    "team.folder": "TeamFolder",
    "team.plan": "TeamPlan read_plan",
    "team.records": "NotebookRecord State",
    "team.running": "TeamFinished run_team",
    "team.trace": "find_notebook overview trace",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "PRESETS",
    "ActionUnit",
    "Attempt",
    "Card",
    "CodeShelf",
    "DoneStep",
    "Ending",
    "Event",
    "ModelExpert",
    "Notebook",
    "NotebookKind",
    "NotebookRecord",
    "NotebookWork",
    "Questions",
    "Review",
    "RulesModel",
    "ScriptWork",
    "State",
    "Step",
    "Switches",
    "Task",
    "TaskContext",
    "TeamFinished",
    "TeamFolder",
    "TeamPlan",
    "Verdict",
    "action_unit",
    "ask_without_data",
    "audit_answer",
    "audit_cohort",
    "find_notebook",
    "last_attempt",
    "overview",
    "plan_units",
    "preset_named",
    "prompt_digests",
    "read_card",
    "read_plan",
    "register_rules",
    "render_prompt",
    "review_output",
    "run_team",
    "set_up_code",
    "to_ipynb",
    "toolkit_documentation",
    "trace",
    "write_code",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
