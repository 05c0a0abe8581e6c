"""The exceptions under their older home, `pyspark.sql.utils`."""

from __future__ import annotations

from app.sql.errors import (
    AnalysisException,
    IllegalArgumentException,
    ParseException,
    QueryExecutionException,
    StreamingQueryException,
)

__all__ = [
    "AnalysisException",
    "IllegalArgumentException",
    "ParseException",
    "QueryExecutionException",
    "StreamingQueryException",
]
