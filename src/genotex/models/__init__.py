"""Who answers a role: providers' models, recordings, scripts; what it costs and may cost."""

from genotex.models.budget import Budget, Limits
from genotex.models.metering import MeteredModel
from genotex.models.model import Author, Message, Model, Reply, Request, StopReason, Usage
from genotex.models.prices import ModelPrice, PriceSnapshot, Rate, Unpriced
from genotex.models.recording import (
    RecordingModel,
    ReplayModel,
    reply_from_json,
    reply_to_json,
    request_digest,
    request_to_json,
)
from genotex.models.registry import model_from_name
from genotex.models.roles import RoleModels, prices_of, role_models
from genotex.models.scripted import ScriptedModel
from genotex.models.settings import ModelSettings, read_settings
from genotex.models.structured import Answer, ask_data, ask_for
from genotex.models.usage import Total, UsageLedger, UsageRow

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
    "ask_data",
    "ask_for",
    "model_from_name",
    "prices_of",
    "read_settings",
    "reply_from_json",
    "reply_to_json",
    "request_digest",
    "request_to_json",
    "role_models",
]
