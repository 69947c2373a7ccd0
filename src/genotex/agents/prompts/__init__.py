"""Prompt texts: templates in files, where a name that nobody defined is an error."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

__all__ = ["prompt_digest", "prompt_digests", "render_prompt"]


def render_prompt(name: str, **values: object) -> str:
    """Return a prompt with its values filled in.

    Parameters
    ----------
    name : str
        File in this folder, as ``units/geo/load_data.md.j2``.
    **values : object
        What the template knows.

    Raises
    ------
    jinja2.UndefinedError
        If the template uses a name that was not given.
    """
    return _environment().get_template(name).render(**values).strip() + "\n"


def prompt_digest(name: str) -> str:
    """Return the SHA-256 of a prompt's template, by which a run tells which text it used."""
    return hashlib.sha256(files(__package__).joinpath(name).read_bytes()).hexdigest()


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("genotex.agents", "prompts"),
        # A prompt is plain text; nothing in it is ever shown by a browser.
        autoescape=False,
        undefined=StrictUndefined,
        # The files of a package stay as they are.
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def prompt_digests() -> dict[str, str]:
    """Return the SHA-256 of every prompt's template, by its name."""
    names = _environment().list_templates(extensions=["j2"])
    return {name: prompt_digest(name) for name in names}
