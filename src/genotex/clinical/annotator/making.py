"""From the options of a user to the expert that annotates."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from genotex import models
from genotex.clinical.experts import RuleExpert, rule_expert
from genotex.errors import UsageError
from genotex.options import BOTH, AnnotatorChoices, PreprocessChoices, declared, refuse_idle

if TYPE_CHECKING:
    from genotex.clinical.annotator.asking import AskingExpert

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
        models.check_name(named)
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
    # Most series are annotated by rules, without a model and all that it needs.
    from genotex.clinical.annotator.asking import asking_expert

    of_rules, fallback = _rules(chosen, 0.0), _rules(chosen, chosen.least_certainty)
    return asking_expert(chosen, of_rules, fallback, record, environ)


def _rules(chosen: PreprocessChoices, least: float) -> RuleExpert:
    return rule_expert(chosen.procedure, vocabulary=chosen.vocabulary, least_certainty=least)
