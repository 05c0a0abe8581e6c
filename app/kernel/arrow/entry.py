"""What a vectorised function is: Arrow arrays in, an Arrow array out, a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import pyarrow as pa


@dataclass(frozen=True, slots=True)
class ArrowFunction:
    """`compute` gets an array for each argument, constants repeated, and gives an array of as many values.

    `parameters` are DuckDB types; None takes any number of any type. `returns` is a DuckDB type; None means that the
    name says it, behind `__` in hexadecimal digits. Nulls are passed as they are. Batches may be computed by several
    threads at once: nothing outlives a call.
    """

    compute: Callable[..., pa.Array]
    parameters: tuple[str, ...] | None
    returns: str | None


def fail(code: str, text: str) -> NoReturn:
    """Ends the statement with an error in a row, as `wt_fail` does; DuckDB's TRY makes it null."""
    raise ValueError(f"[{code}] {text}")


def by_row(function: Callable[..., Any], kind: pa.DataType) -> Callable[..., pa.Array]:
    """`compute` of a function on Python values, null where one of them is null."""

    def compute(*columns: pa.Array) -> pa.Array:
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
        return pa.array([None if None in row else function(*row) for row in rows], type=kind)

    return compute
