"""Streams: reading, writing and running queries, as `pyspark.sql.streaming` names them."""

from __future__ import annotations

from app.sql.streaming.manager import StreamingQueryManager
from app.sql.streaming.query import StreamingQuery, StreamingQueryProgress
from app.sql.streaming.readwriter import DataStreamReader, DataStreamWriter

__all__ = [
    "DataStreamReader",
    "DataStreamWriter",
    "StreamingQuery",
    "StreamingQueryManager",
    "StreamingQueryProgress",
]
