"""Make the pydantic-ai model of one call; the only place that knows the providers' packages."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from genotex.agents.models.providers.catalogue import PROVIDERS
from genotex.agents.models.providers.names import ProviderModelName
from genotex.errors import UsageError

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import AsyncClient
    from pydantic_ai.models import Model as PydanticModel

__all__ = ["make_client", "make_model", "require_packages"]

CONNECTING = 10.0
"""Seconds in which a connection must come about."""

_NO_KEY = "none"
"""Sent where no key is set: the package of OpenAI would look for its own in the environment."""


def require_packages(provider: str) -> None:
    """Make sure that the packages of a provider are installed.

    Raises
    ------
    UsageError
        If one is missing; says what to install.
    """
    extra = PROVIDERS[provider].extra
    try:
        # All that a call needs is imported here: a time limit is no time to import in.
        import pydantic_ai.direct

        if extra == "anthropic":
            import pydantic_ai.models.anthropic
        elif extra == "google":
            import pydantic_ai.models.google
        else:
            import pydantic_ai.models.openai  # noqa: F401
    except ImportError as error:
        msg = f"{provider} needs packages that are not installed; pip install 'genotex[{extra}]'"
        raise UsageError(msg) from error


def make_client(timeout: float) -> AsyncClient:
    """Return an HTTP client for one call.

    It follows no redirect: the key would go with it, to an address that nobody named.
    """
    from httpx2 import AsyncClient, Timeout

    return AsyncClient(
        verify=_certificates(),
        timeout=Timeout(timeout, connect=min(CONNECTING, timeout)),
        follow_redirects=False,
    )


@cache
def _certificates() -> SSLContext:
    """Return whom to trust; read once, which takes longer than all else in making a client."""
    from httpx2 import create_ssl_context

    return create_ssl_context()


def make_model(
    name: ProviderModelName, address: str | None, key: str | None, client: AsyncClient
) -> PydanticModel:
    """Return a model that answers one call over `client`.

    Parameters
    ----------
    name : ProviderModelName
    address : str or None
        Where it answers.
    key : str or None
        Its key; None where it needs none.
    client : AsyncClient
        Closed by the caller.
    """
    match name.provider:
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            # Without base_url the package would take one from the environment.
            anthropic = AnthropicProvider(api_key=key, base_url=address, http_client=client)
            return AnthropicModel(name.model, provider=anthropic)
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            google = GoogleProvider(api_key=key or _NO_KEY, base_url=address, http_client=client)
            return GoogleModel(name.model, provider=google)
    return _make_openai_model(name, address, key or _NO_KEY, client)


def _make_openai_model(
    name: ProviderModelName, address: str | None, key: str, client: AsyncClient
) -> PydanticModel:
    """Return a model that speaks the language of OpenAI's chat completions."""
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers import Provider
    from pydantic_ai.providers.deepseek import DeepSeekProvider
    from pydantic_ai.providers.ollama import OllamaProvider
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    service = AsyncOpenAI(base_url=address, api_key=key, http_client=client, max_retries=0)
    provider: Provider[AsyncOpenAI]
    match name.provider:
        case "openai":
            provider = OpenAIProvider(openai_client=service)
        case "deepseek":
            provider = DeepSeekProvider(openai_client=service)
        case "ollama":
            provider = OllamaProvider(openai_client=service)
        case _:
            provider = OpenAICompatibleProvider(name.provider, openai_client=service)
    # The newer max_completion_tokens is passed over in silence by servers that do not know it.
    newer = name.provider == "openai"
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=newer)
    return OpenAIChatModel(name.model, provider=provider, profile=profile)
