"""Experts that ask a model: alone, or together with the rules; what that will cost."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from genotex.clinical.annotator.answer import ClinicalAnswer, annotation_of, answer_about
from genotex.clinical.annotator.comparing import compare, unread
from genotex.clinical.annotator.question import series_question
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import Asked, ClinicalAnnotation
from genotex.clinical.experts import RuleExpert
from genotex.errors import BadAnswerError, ContextTooLongError, RefusedError
from genotex.models import (
    PROVIDERS,
    Budget,
    DatedReply,
    MeteredModel,
    ModelAnswer,
    ModelSettings,
    PriceSnapshot,
    RememberingModel,
    Reply,
    Request,
    RoleModels,
    Total,
    Usage,
    UsageLedger,
    dollars,
    model_from_name,
    prices_of,
    read_settings,
    schema_of,
)
from genotex.options import PreprocessChoices
from genotex.procedure import Procedure

ROLE = "expert"
CHARACTERS = 4
"""Characters of a token, about."""
_NEARLY_ALL = 0.95
_ANSWER_TOKENS = 500
"""Tokens of an answer, about."""


class ModelExpert:
    """Annotates a series by asking a model (see `Expert`).

    Parameters
    ----------
    models : RoleModels
        Answers the role ``expert``.
    sample_texts : bool
        Whether titles, source names and descriptions of samples count.
    facts : mapping, optional
        What the question is about, for models that are programs; no provider gets it.
    prices : PriceSnapshot, optional
        What the calls cost; with it the annotation records them.
    """

    def __init__(
        self,
        models: RoleModels,
        *,
        sample_texts: bool = True,
        facts: Mapping[str, Any] | None = None,
        prices: PriceSnapshot | None = None,
    ) -> None:
        self._models = models
        self._sample_texts = sample_texts
        self._facts = facts
        self._prices = prices

    @property
    def name(self) -> str:
        """The name of the model that is asked."""
        return self._models.model_of(ROLE).name

    def annotate(self, description: SeriesDescription, trait: str) -> ClinicalAnnotation:
        """Read a series for a trait.

        Raises
        ------
        ModelError
            If there is no answer, or none that fits the series.
        BudgetReachedError
            If a limit is reached.
        """
        found = self._models.ask_for(self.request(description, trait), answer_about(description))
        annotation = annotation_of(found.value, description, self.name)
        if self._prices is None:
            return annotation
        return replace(annotation, asked=_asked(found, self._prices))

    def request(self, description: SeriesDescription, trait: str) -> Request:
        """Return the question about a series."""
        messages = series_question(description, trait, sample_texts=self._sample_texts)
        return Request(ROLE, messages, facts=self._facts)


def _asked(found: ModelAnswer[ClinicalAnswer], prices: PriceSnapshot) -> Asked:
    replies = found.replies
    costs = [prices.cost(reply) for reply in replies]
    known = [cost for cost in costs if cost is not None]
    last = replies[-1]
    return Asked(
        model=last.model,
        version=last.version,
        day=last.day if isinstance(last, DatedReply) else "",
        calls=len(replies),
        input_tokens=_sum(reply.usage.input_tokens for reply in replies),
        output_tokens=_sum(reply.usage.output_tokens for reply in replies),
        cost=f"{sum(known, Decimal(0)):f}" if len(known) == len(costs) else None,
    )


def _sum(counts: Iterable[int | None]) -> int | None:
    every = list(counts)
    known = [count for count in every if count is not None]
    return sum(known) if len(known) == len(every) else None


@dataclass(frozen=True)
class Estimate:
    """What asking about some series will take, about."""

    model: str
    series: int
    known: int  # Of these answered before, at no cost
    input_tokens: tuple[int, ...]  # Of each question that will be asked
    cost: Total[Decimal]

    def __str__(self) -> str:
        """Return it in a line."""
        asked = len(self.input_tokens)
        before = f" ({self.known} of {self.series} series are answered in the record)"
        calls = f"{asked} question{'' if asked == 1 else 's'} to {self.model}"
        if not asked:
            return f"{calls}{before}"
        count = sorted(self.input_tokens)
        middle, most = count[asked // 2], count[int(_NEARLY_ALL * (asked - 1))]
        tokens = (
            f"about {sum(count):,} tokens in (median {middle:,}, 95 % at most {most:,}), "
            f"{_ANSWER_TOKENS * asked:,} out"
        )
        cost = "price unknown" if self.cost.unknown else f"about {dollars(self.cost)}"
        return f"{calls}{before if self.known else ''}: {tokens}, {cost}"


class AskingExpert:
    """Rules and a model; it belongs to the process that reads the keys, and is never sent on.

    Parameters
    ----------
    rules : RuleExpert
        With any certainty: what the two agree on holds.
    fallback : RuleExpert
        Decides where no answer can be used.
    model : RememberingModel
        Answers each question once.
    models : RoleModels
        That model, with the settings of requests.
    ledger : UsageLedger
        Books calls, and knows the prices.
    procedure : Procedure
    both : bool
        Whether rules and model are compared; else the model decides.
    least_certainty : float
        A trait that the two do not agree on, and that the rules are less certain of, is not used.
    at_once : int
        Series that may be asked about at the same time.

    Attributes
    ----------
    warnings
        Series whose answer could not be used, with the reason.
    """

    def __init__(
        self,
        rules: RuleExpert,
        fallback: RuleExpert,
        model: RememberingModel,
        models: RoleModels,
        ledger: UsageLedger,
        *,
        procedure: Procedure,
        both: bool,
        least_certainty: float = 0.0,
        at_once: int = 1,
    ) -> None:
        self.at_once = at_once
        self.ledger = ledger
        self.warnings: list[str] = []
        self._rules = rules
        self._fallback = fallback
        self._memory = model
        self._models = models
        self._procedure = procedure
        self._both = both
        self._least = least_certainty
        self._turn = threading.Lock()
        self._model = ModelExpert(
            models, sample_texts=procedure.reads_sample_texts, prices=ledger.prices
        )

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    @property
    def words(self) -> str:
        """Who annotates, in words."""
        return f"the rules and {self.name}" if self._both else self.name

    def annotate(self, description: SeriesDescription, trait: str) -> ClinicalAnnotation:
        """Annotate a series (see `Expert`).

        An answer that cannot be used leaves the series to the rules, marked for review.

        Raises
        ------
        ModelError
            If the model gives no answer at all, as with a wrong key.
        BudgetReachedError
            If a limit is reached.
        """
        # First, since a name that means several traits is refused before anything is sent.
        own = self._rules.annotate(description, trait)
        try:
            theirs = self._model.annotate(description, trait)
        except (BadAnswerError, RefusedError, ContextTooLongError) as error:
            with self._turn:
                self.warnings.append(f"{description.cohort or 'a series'}: {error}")
            return unread(self._fallback.annotate(description, trait), self.name, error)
        if self._both:
            return compare(own, theirs, description, self._procedure, self._least)
        return replace(theirs, notes=own.notes) if theirs.trait is None else theirs

    def estimate(self, asked: Iterable[tuple[SeriesDescription, str]]) -> Estimate:
        """Return about what it will take to annotate series for traits."""
        known, tokens = 0, []
        cost = Total(Decimal(0))
        for description, trait in asked:
            request = self._first_request(description, trait)
            if self._memory.knows(request):
                known += 1
                continue
            count = question_tokens(request)
            tokens.append(count)
            usage = Usage(count, _ANSWER_TOKENS)
            cost = cost.plus(self.ledger.prices.cost(Reply("", self._memory.name, usage=usage)))
        return Estimate(self.name, known + len(tokens), known, tuple(tokens), cost)

    def _first_request(self, description: SeriesDescription, trait: str) -> Request:
        """Return the request as the model gets it first."""
        request = self._models.as_sent(self._model.request(description, trait))
        return replace(request, schema=schema_of(answer_about(description)))

    def spent(self) -> str:
        """Return in words what all recorded calls took, those of now included."""
        total = self.ledger.total()
        failed = f", {total.failed} failed" if total.failed else ""
        tokens = f"{total.input_tokens} tokens in, {total.output_tokens} out"
        calls = f"{total.calls} call{'' if total.calls == 1 else 's'} of {self.name}{failed}"
        # What a failed call cost is not known.
        cost = replace(total.cost, unknown=total.cost.unknown + total.failed)
        return f"{calls}: {tokens}, {dollars(cost)}"


def question_tokens(request: Request) -> int:
    """Return about how many tokens a request has, by its characters."""
    schema = 0 if request.schema is None else len(str(dict(request.schema)))
    return (sum(len(message.text) for message in request.messages) + schema) // CHARACTERS


def asking_expert(
    chosen: PreprocessChoices,
    rules: RuleExpert,
    fallback: RuleExpert,
    record: Path | None,
    environ: Mapping[str, str],
) -> AskingExpert:
    """Return the expert that asks the chosen model; parameters as in `expert_of` and there."""
    settings = _settings(chosen, environ)
    ledger = UsageLedger(prices_of(settings, date.today()))
    memory = _memory(settings, ledger, chosen.record or record, environ)
    models = RoleModels(memory, temperature=settings.temperature, max_output=settings.max_output)
    provider = settings.model.partition(":")[0]
    options = settings.providers.get(provider)
    return AskingExpert(
        rules,
        fallback,
        memory,
        models,
        ledger,
        procedure=Procedure(chosen.procedure),
        both=chosen.compares,
        least_certainty=chosen.least_certainty,
        at_once=1 if options is None else options.at_once,
    )


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
