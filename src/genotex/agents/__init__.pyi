from .action_units import (
    ActionUnit as ActionUnit,
    action_unit as action_unit,
    action_units as action_units,
)
from .answers import Verdict as Verdict, WrittenCode as WrittenCode, written_code as written_code
from .audit import audit_answer as audit_answer, audit_cohort as audit_cohort
from .code_shelf import (
    CodeShelf as CodeShelf,
    is_general as is_general,
    may_be_reused as may_be_reused,
)
from .context import Attempt as Attempt, Step as Step, Tally as Tally, TaskContext as TaskContext
from .notebook import (
    Ending as Ending,
    Event as Event,
    Notebook as Notebook,
    NotebookWork as NotebookWork,
    ScriptWork as ScriptWork,
)
from .prompts import (
    prompt_digest as prompt_digest,
    prompt_digests as prompt_digests,
    render_prompt as render_prompt,
    toolkit_documentation as toolkit_documentation,
    toolkit_functions as toolkit_functions,
)
from .questions import (
    Card as Card,
    DoneStep as DoneStep,
    Questions as Questions,
    last_attempt as last_attempt,
    read_card as read_card,
)
from .rules.model import (
    Review as Review,
    RulesModel as RulesModel,
    plan_units as plan_units,
    register_rules as register_rules,
    review_output as review_output,
    write_code as write_code,
)
from .sandbox.check import CheckedSandbox as CheckedSandbox, SandboxCheck as SandboxCheck
from .sandbox.confined.protocol import Mechanism as Mechanism
from .sandbox.local import local_session as local_session
from .sandbox.processes import ForkServer as ForkServer
from .sandbox.session import (
    CellResult as CellResult,
    CellStatus as CellStatus,
    Confinement as Confinement,
    Folders as Folders,
    Output as Output,
    Protection as Protection,
    SandboxLimits as SandboxLimits,
    SandboxPolicy as SandboxPolicy,
    Session as Session,
)
from .structured import ask_without_data as ask_without_data, model_expert as model_expert
from .switches import (
    PRESETS as PRESETS,
    Switches as Switches,
    WorkSettings as WorkSettings,
    preset_named as preset_named,
)
from .task import NotebookKind as NotebookKind, Task as Task, set_up_code as set_up_code
from .team.folder import (
    NotebookRecord as NotebookRecord,
    State as State,
    TeamFolder as TeamFolder,
    changed_limits as changed_limits,
    read_limits as read_limits,
    write_limits as write_limits,
)
from .team.notebooks import (
    RunResources as RunResources,
    do_notebook as do_notebook,
    to_ipynb as to_ipynb,
)
from .team.plan import (
    TeamPlan as TeamPlan,
    is_recorded as is_recorded,
    read_plan as read_plan,
    work_list as work_list,
)
from .team.running import TeamFinished as TeamFinished, run_team as run_team
from .team.sessions import local_sessions as local_sessions
from .team.trace import (
    NotebookRow as NotebookRow,
    Trace as Trace,
    find_notebook as find_notebook,
    overview as overview,
    trace as trace,
)
from .toolkit.features import ClinicalTable as ClinicalTable, code_cells as code_cells
from .toolkit.genes import Expression as Expression, Genes as Genes
from .toolkit.sources import SeriesText as SeriesText
