"""Designs fitted to data in memory."""

from __future__ import annotations

from typing import Any

from genotex.analysis import (
    DesignData,
    DesignRequest,
    DesignResult,
    contrast_name,
    fit_request,
    typed_columns,
)
from genotex.options import AnalysisOptions


def fit_design(
    data: DesignData, design: str, contrast: str, options: AnalysisOptions, **more: Any
) -> DesignResult:
    """Return the genes of a contrast; `more` are fields of the request."""
    typed = typed_columns(data.table)
    request = DesignRequest(design, contrast, data.samples, typed, **more)
    return fit_request(data, request, contrast_name(contrast), options)
