"""Inputs of a form for all that options classes declare, and the options that a form states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from starlette.datastructures import FormData

from genotex.options import Declared, build, declared


class OptionForm:
    """The options of some classes as inputs; one that several classes declare is one input.

    Parameters
    ----------
    *usual : options object or its class
        What is not sent is as in it.
    designs : bool
        Whether the form is about a design of the user's own.
    """

    def __init__(self, *usual: Any, designs: bool = False) -> None:
        self._offered = [(each, _offered(each, designs)) for each in usual]
        every = {each.name: each for _, found in self._offered for each in found}
        self.common = [each for each in every.values() if each.option.common]
        self.further = [each for each in every.values() if not each.option.common]

    def read(self, given: FormData | Mapping[str, Any]) -> tuple[Any, ...]:
        """Return an options object for each of the usual ones.

        Raises
        ------
        UsageError
            If a value makes no sense.
        """
        form = given if isinstance(given, FormData) else FormData(given)
        made = []
        for usual, offered in self._offered:
            kind = usual if isinstance(usual, type) else type(usual)
            values = {each.field: each.default for each in offered}
            sent = [each for each in offered if each.name in form]
            values |= {each.field: each.read(_text(form, each)) for each in sent}
            made.append(build(kind, values, lambda each: each.label))
        return tuple(made)


def _offered(usual: Any, designs: bool) -> list[Declared]:
    """Return the fields that a form offers, their defaults as usual."""
    found = declared(usual if isinstance(usual, type) else type(usual))
    shown = (e for e in found if e.option.browser and (e.option.designs or not designs))
    return [replace(each, default=getattr(usual, each.field, each.default)) for each in shown]


def _text(form: FormData, each: Declared) -> str:
    """Return what was entered; below a checkbox that is not set is an input that says no."""
    texts = [value for value in form.getlist(each.name) if isinstance(value, str)]
    if each.option.columns:
        return ",".join(text for text in texts if text)
    return texts[-1] if texts else ""
