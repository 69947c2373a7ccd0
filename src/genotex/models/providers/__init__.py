"""Models of providers, called over the network."""

from genotex.models.providers.catalogue import (
    PROVIDERS,
    Provider,
    ProviderModelName,
    ProviderOptions,
    RetryPolicy,
    StructuredMode,
    parse_name,
)
from genotex.models.providers.provider_model import ProviderModel

__all__ = [
    "PROVIDERS",
    "Provider",
    "ProviderModel",
    "ProviderModelName",
    "ProviderOptions",
    "RetryPolicy",
    "StructuredMode",
    "parse_name",
]
