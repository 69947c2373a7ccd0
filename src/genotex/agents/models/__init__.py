"""Language models: providers, recordings and scripts; what calls cost and may cost."""

from genotex.agents.models.model import (
    Author,
    Message,
    Model,
    Reply,
    Request,
    ScriptedModel,
    StopReason,
    Usage,
)
from genotex.agents.models.prices import ModelPrice, PriceSnapshot, Rate, Unpriced
from genotex.agents.models.recording import (
    RecordingModel,
    ReplayModel,
    reply_from_json,
    reply_to_json,
    request_digest,
    request_to_json,
)
from genotex.agents.models.registry import model_from_name
from genotex.agents.models.roles import RoleModels, prices_of, role_models
from genotex.agents.models.settings import ModelSettings, read_settings
from genotex.agents.models.structured import Answer, ask_for, problems_of, schema_of
from genotex.agents.models.usage import Budget, Limits, MeteredModel, Total, UsageLedger, UsageRow

__all__ = [
    "Answer",
    "Author",
    "Budget",
    "Limits",
    "Message",
    "MeteredModel",
    "Model",
    "ModelPrice",
    "ModelSettings",
    "PriceSnapshot",
    "Rate",
    "RecordingModel",
    "ReplayModel",
    "Reply",
    "Request",
    "RoleModels",
    "ScriptedModel",
    "StopReason",
    "Total",
    "Unpriced",
    "Usage",
    "UsageLedger",
    "UsageRow",
    "ask_for",
    "model_from_name",
    "prices_of",
    "problems_of",
    "read_settings",
    "reply_from_json",
    "reply_to_json",
    "request_digest",
    "request_to_json",
    "role_models",
    "schema_of",
]
