"""Functions that DuckDB has nothing like, over Arrow arrays; printed expressions call them as `wa_…`.

A kernel registers one the first time a statement calls it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from inspect import Parameter, Signature
from types import MappingProxyType
from typing import Any

import duckdb
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType

from app.kernel.arrow import (
    base64s,
    calendars,
    chances,
    charsets,
    decimals,
    encodings,
    formats,
    hashes,
    histograms,
    json_paths,
    jsons,
    number_formats,
    number_layouts,
    patterns,
    records,
    sentences,
    sketches,
    texts,
    times,
    urls,
    variants,
    vectors,
)
from app.kernel.arrow.allocation import keep_freed_memory
from app.kernel.arrow.entry import ArrowFunction

ARROW_FUNCTIONS: MappingProxyType[str, ArrowFunction] = MappingProxyType(
    {
        **base64s.FUNCTIONS,
        **calendars.FUNCTIONS,
        **chances.FUNCTIONS,
        **charsets.FUNCTIONS,
        **decimals.FUNCTIONS,
        **encodings.FUNCTIONS,
        **formats.FUNCTIONS,
        **hashes.FUNCTIONS,
        **histograms.FUNCTIONS,
        **json_paths.FUNCTIONS,
        **jsons.FUNCTIONS,
        **number_formats.FUNCTIONS,
        **number_layouts.FUNCTIONS,
        **patterns.FUNCTIONS,
        **records.FUNCTIONS,
        **sentences.FUNCTIONS,
        **sketches.FUNCTIONS,
        **texts.FUNCTIONS,
        **times.FUNCTIONS,
        **urls.FUNCTIONS,
        **variants.FUNCTIONS,
        **vectors.FUNCTIONS,
    }
)
"""By name. Of a name with `__` the part before it is looked up; the part behind it is the result type."""


class Registered:
    """The functions that one database has; connections to it share this."""

    def __init__(self) -> None:
        keep_freed_memory()
        self._names: set[str] = set()
        self._lock = threading.Lock()

    def add(self, db: duckdb.DuckDBPyConnection, name: str) -> None:
        """Makes `name` callable, if it is one of the functions and is not yet."""
        base, _, result = name.partition("__")
        function = ARROW_FUNCTIONS.get(base)
        if function is None or name in self._names:
            return
        with self._lock:
            if name in self._names:
                return
            db.create_function(
                name,
                _compute(function),
                None if function.parameters is None else list(function.parameters),
                function.returns or bytes.fromhex(result).decode(),
                type=PythonUDFType.ARROW,
                null_handling=FunctionNullHandling.SPECIAL,
            )
            self._names.add(name)


def _compute(function: ArrowFunction) -> Callable[..., Any]:
    # Without annotations: DuckDB reads the types of parameters from them.
    def compute(*columns):  # type: ignore[no-untyped-def]
        return function.compute(*(_array(column) for column in columns))

    if function.parameters is not None:
        # DuckDB counts the parameters.
        params = [Parameter(f"c{i}", Parameter.POSITIONAL_ONLY) for i in range(len(function.parameters))]
        compute.__signature__ = Signature(params)  # type: ignore[attr-defined]
    return compute


def _array(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
