"""From the options of a user to the expert that annotates."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TypeVar

from genotex.clinical.annotator.asking import AskingExpert
from genotex.clinical.experts import RuleExpert, rule_expert
from genotex.errors import UsageError
from genotex.models import (
    PROVIDERS,
    Budget,
    MeteredModel,
    ModelSettings,
    RememberingModel,
    RoleModels,
    UsageLedger,
    check_name,
    model_from_name,
    prices_of,
    read_settings,
)
from genotex.options import BOTH, AnnotatorChoices, PreprocessChoices, declared, refuse_idle
from genotex.procedure import Procedure

CALLS_OF = ".calls.jsonl"
"""Ends the name of the record of calls that stands next to a file of results."""


Chosen = TypeVar("Chosen", bound=PreprocessChoices)


def name_annotator(chosen: Chosen, environ: Mapping[str, str] = os.environ) -> Chosen:
    """Return the options with the annotator in full: ``both`` with the model that it means.

    Raises
    ------
    UsageError
        If no model is named, its name is wrong, or an option has no effect.
    """
    if not chosen.asks:
        known = declared(AnnotatorChoices)
        given = [d.spellings[0] for d in known if getattr(chosen, d.field) != d.default]
        refuse_idle(given, "--annotator rules")
        return chosen
    named = chosen.model
    if named is None:
        named = environ.get("GENOTEX_MODEL", "").strip()
        if not named or named == "rules":
            msg = (
                "--annotator both needs a model: write both:PROVIDER:MODEL, or name it in "
                "GENOTEX_MODEL"
            )
            raise UsageError(msg)
    try:
        check_name(named)
    except UsageError as error:
        msg = f"--annotator: {error}; or rules, or both:PROVIDER:MODEL"
        raise UsageError(msg) from error
    if chosen.least_certainty > 0 and not chosen.compares:
        msg = (
            "--least-certainty has no effect with a model alone, which states no certainty; use "
            f"--annotator both:{named}, or leave it out"
        )
        raise UsageError(msg)
    return replace(chosen, annotator=f"{BOTH}:{named}" if chosen.compares else named)


def expert_of(
    chosen: PreprocessChoices, record: Path | None = None, environ: Mapping[str, str] = os.environ
) -> RuleExpert | AskingExpert:
    """Return who annotates, as the options state.

    Parameters
    ----------
    chosen : PreprocessChoices
        Annotator and limits, procedure, vocabulary, least certainty.
    record : Path, optional
        File of the calls where the options name none; without either, none is kept.
    environ : mapping
        The environment, with the keys.

    Raises
    ------
    UsageError
        If an option is wrong, packages are not installed, or a key is not set.
    FormatError
        If a file cannot be read.
    """
    chosen = name_annotator(chosen, environ)
    if not chosen.asks:
        return _rules(chosen, chosen.least_certainty)
    settings = _settings(chosen, environ)
    ledger = UsageLedger(prices_of(settings, date.today()))
    memory = _memory(settings, ledger, chosen.record or record, environ)
    models = RoleModels(memory, temperature=settings.temperature, max_output=settings.max_output)
    provider = settings.model.partition(":")[0]
    options = settings.providers.get(provider)
    return AskingExpert(
        _rules(chosen, 0.0),
        _rules(chosen, chosen.least_certainty),
        memory,
        models,
        ledger,
        procedure=Procedure(chosen.procedure),
        both=chosen.compares,
        least_certainty=chosen.least_certainty,
        at_once=1 if options is None else options.at_once,
    )


def _rules(chosen: PreprocessChoices, least: float) -> RuleExpert:
    return rule_expert(chosen.procedure, vocabulary=chosen.vocabulary, least_certainty=least)


def _settings(chosen: PreprocessChoices, environ: Mapping[str, str]) -> ModelSettings:
    """Return the settings of the one model that is asked."""
    given = {"model": chosen.model, **chosen.limits}
    return replace(read_settings(chosen.settings, given, environ), by_role={})


def _memory(
    settings: ModelSettings, ledger: UsageLedger, record: Path | None, environ: Mapping[str, str]
) -> RememberingModel:
    """Return the model, which is asked once for each question, within the limits."""
    model = model_from_name(settings.model, settings.providers, settings.retry, environ)
    paid = settings.model.partition(":")[0] in PROVIDERS
    metered = MeteredModel(model, ledger, Budget(settings.limits, ledger) if paid else None)
    memory = RememberingModel(metered, record if paid else None)
    for reply in memory.before:
        ledger.book("expert", reply)
    return memory
