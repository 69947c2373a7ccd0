"""The built-in rules among the models, by their names."""

from __future__ import annotations

from genotex.agents import faulty_rules, rules_model
from genotex.agents.faulty_rules import FaultyRules
from genotex.agents.models.registry import register
from genotex.agents.rules_model import RulesModel

__all__ = ["register_rules"]


def register_rules() -> None:
    """Make ``rules`` and ``rules-faulty:...`` names of models, as any."""
    register(rules_model.NAME, lambda name, *_: RulesModel())
    register(faulty_rules.NAME, lambda name, *_: FaultyRules(name))
