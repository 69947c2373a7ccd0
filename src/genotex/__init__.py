"""Raw GEO and TCGA files in, trustworthy trait-associated genes out."""

from importlib.metadata import version

__version__ = version("genotex")
