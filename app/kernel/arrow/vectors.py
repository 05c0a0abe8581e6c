"""Vectors of floats, summed as Spark sums them: in single precision, eight products at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row, fail

Floats = np.ndarray[Any, np.dtype[np.float32]]
"""One vector, or one a row."""
Flags = np.ndarray[Any, np.dtype[np.bool_]]
_BLOCK = 8


def _columns(vectors: Floats) -> Floats:
    """All first numbers, all second ones, …: numpy adds whole columns, one after the other."""
    return np.ascontiguousarray(vectors.T)


def _sum(columns: Floats) -> Floats:
    """The sum of each vector."""
    whole = len(columns) // _BLOCK * _BLOCK
    total = np.zeros(columns.shape[1], np.float32)
    for at in range(0, whole, _BLOCK):
        block = columns[at].copy()
        for column in columns[at + 1 : at + _BLOCK]:
            block += column
        total += block
    for column in columns[whole:]:
        total += column
    return total


def _root(squares: Floats) -> Floats:
    return np.sqrt(squares.astype(np.float64)).astype(np.float32)


def _norm(a: Floats, degree: float) -> Floats:
    if degree not in (1, 2, np.inf):
        fail("INVALID_VECTOR_NORM_DEGREE", f"A vector norm has the degree 1, 2 or infinity, not {degree}.")
    if degree == 1:
        return _sum(_columns(np.abs(a)))
    if degree == 2:
        return _root(_sum(_columns(a * a)))
    largest: Floats = np.max(np.abs(a), axis=1, initial=np.float32(0))
    return largest


def _inner_product(a: Floats, b: Floats) -> tuple[Floats, Flags | None]:
    return _sum(_columns(a * b)), None


def _distance(a: Floats, b: Floats) -> tuple[Floats, Flags | None]:
    apart = a - b
    apart *= apart
    return _root(_sum(_columns(apart))), None


def _cosine(a: Floats, b: Floats) -> tuple[Floats, Flags | None]:
    a, b = _columns(a), _columns(b)
    norms = _root(_sum(a * a) * _sum(b * b))
    return _sum(a * b) / norms, norms != 0


class _Vectors:
    """A column of vectors; `whole` tells the rows that are there and hold no null. `alike` is a matrix of all rows if
    they are whole and of one length."""

    def __init__(self, column: pa.Array) -> None:
        offsets, values = column.offsets.to_numpy(), column.values
        self.starts, self.lengths = offsets[:-1].astype(np.int64), offsets[1:] - offsets[:-1]
        self.there: Flags = np.ones(len(column), bool)
        if column.null_count:
            self.there = column.is_valid().to_numpy(zero_copy_only=False)
        self.whole = self.there
        if values.null_count:
            nulls = np.concatenate([[0], np.cumsum(values.is_null().to_numpy(zero_copy_only=False))])
            self.whole = self.there & (nulls[offsets[1:]] == nulls[offsets[:-1]])
            values = values.fill_null(0)
        self._values = values.to_numpy()
        self.alike: Floats | None = None
        if len(column) and not column.null_count + column.values.null_count and _same(self.lengths):
            self.alike = self._values[offsets[0] : offsets[-1]].reshape(len(column), self.lengths[0])

    def matrix(self, rows: Any, length: int) -> Floats:
        """Those rows, all of that length."""
        found: Floats = self._values[self.starts[rows][:, None] + np.arange(length)]
        return found


def _same(values: Any) -> bool:
    return bool((values == values[0]).all())


def _floats(values: list[float | None]) -> Floats:
    return np.array(values, dtype=np.float32)


def _pairs(function: Callable[[Floats, Floats], tuple[Floats, Flags | None]]) -> ArrowFunction:
    """`function` gives a value for each row, and which of them are one."""

    def compute(first: pa.Array, second: pa.Array) -> pa.Array:
        a, b = _Vectors(first), _Vectors(second)
        if a.alike is not None and b.alike is not None and a.alike.shape == b.alike.shape:
            with np.errstate(all="ignore"):
                return _array(*function(a.alike, b.alike))
        other = np.flatnonzero(a.there & b.there & (a.lengths != b.lengths))
        if len(other):
            fail(
                "VECTOR_DIMENSION_MISMATCH",
                "The vectors passed to a vector function must have the same length, not "
                f"{a.lengths[other[0]]} and {b.lengths[other[0]]}.",
            )
        found, known = np.zeros(len(first), np.float32), a.whole & b.whole
        for length in np.unique(a.lengths[known]):
            rows = np.flatnonzero(known & (a.lengths == length))
            with np.errstate(all="ignore"):
                found[rows], there = function(a.matrix(rows, length), b.matrix(rows, length))
            if there is not None:
                known[rows] = there
        return _array(found, known)

    return ArrowFunction(compute, ("FLOAT[]", "FLOAT[]"), "FLOAT")


def _array(values: Floats, known: Flags | None) -> pa.Array:
    return pa.array(values) if known is None or known.all() else pa.array(values, mask=~known)


def _norms(a: _Vectors, degrees: pa.Array) -> tuple[Floats, Flags]:
    """The norm of each row, and whether it has one."""
    known = a.there & degrees.is_valid().to_numpy(zero_copy_only=False)
    given = degrees.fill_null(0).to_numpy(zero_copy_only=False)
    if a.alike is not None and known.all() and _same(given):
        with np.errstate(all="ignore"):
            return _norm(a.alike, given[0]), known
    found = np.zeros(len(given), np.float32)
    for degree in np.unique(given[known]):
        _norm(np.zeros((0, 0), np.float32), degree)
        for length in np.unique(a.lengths[known]):
            rows = np.flatnonzero(known & a.whole & (a.lengths == length) & (given == degree))
            with np.errstate(all="ignore"):
                found[rows] = _norm(a.matrix(rows, length), degree)
    return found, known & a.whole


def _norm_of(vectors: pa.Array, degrees: pa.Array) -> pa.Array:
    return _array(*_norms(_Vectors(vectors), degrees))


def _normalized(vectors: pa.Array, degrees: pa.Array) -> pa.Array:
    a = _Vectors(vectors)
    norms, known = _norms(a, degrees)
    known &= (norms != 0) | (a.lengths == 0)
    if a.alike is not None and known.all():
        with np.errstate(all="ignore"):
            divided = a.alike / norms[:, None]
        offsets = np.arange(len(a.alike) + 1, dtype=np.int32) * np.int32(a.alike.shape[1])
        return pa.ListArray.from_arrays(pa.array(offsets), pa.array(divided.ravel()))
    lengths = np.where(known, a.lengths, 0)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    values = np.zeros(offsets[-1], np.float32)
    for length in np.unique(lengths):
        rows = np.flatnonzero(known & (lengths == length))
        with np.errstate(all="ignore"):
            values[offsets[rows][:, None] + np.arange(length)] = a.matrix(rows, length) / norms[rows][:, None]
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values), mask=pa.array(~known))


_RUN = "STRUCT(v FLOAT[], n BIGINT)"
_RUN_KIND = pa.struct([("v", pa.list_(pa.float32())), ("n", pa.int64())])


def _same_length(name: str, a: int, b: int) -> None:
    if a != b:
        fail(
            "VECTOR_DIMENSION_MISMATCH",
            f"Vectors passed to `{name}` must have the same dimension, but got {a} and {b}.",
        )


def _summed(vectors: list[list[float | None]]) -> dict[str, Any] | None:
    return _run("vector_sum", vectors, lambda sum_, vector, _: sum_ + vector)


def _averaged(vectors: list[list[float | None]]) -> dict[str, Any] | None:
    return _run("vector_avg", vectors, lambda mean, vector, n: mean + (vector - mean) * (np.float32(1) / np.float32(n)))


def _run(
    name: str, vectors: list[list[float | None]], step: Callable[[Floats, Floats, int], Floats]
) -> dict[str, Any] | None:
    """One vector after the other; those that hold a null are passed over."""
    total: Floats | None = None
    count = 0
    with np.errstate(all="ignore"):
        for vector in vectors:
            if None in vector:
                continue
            count += 1
            if total is None:
                total = _floats(vector)
            else:
                _same_length(name, len(total), len(vector))
                total = step(total, _floats(vector), count)
    return None if total is None else {"v": total.tolist(), "n": count}


def _sums_merged(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    _same_length("vector_sum", len(a["v"]), len(b["v"]))
    with np.errstate(all="ignore"):
        return {"v": (_floats(a["v"]) + _floats(b["v"])).tolist(), "n": a["n"] + b["n"]}


def _means_merged(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    _same_length("vector_avg", len(a["v"]), len(b["v"]))
    total = np.float32(a["n"] + b["n"])
    shares = np.float32(a["n"]) / total, np.float32(b["n"]) / total
    with np.errstate(all="ignore"):
        return {"v": (_floats(a["v"]) * shares[0] + _floats(b["v"]) * shares[1]).tolist(), "n": a["n"] + b["n"]}


FUNCTIONS = {
    "wa_vector_sum": ArrowFunction(by_row(_summed, _RUN_KIND), ("FLOAT[][]",), _RUN),
    "wa_vector_avg": ArrowFunction(by_row(_averaged, _RUN_KIND), ("FLOAT[][]",), _RUN),
    "wa_vector_sum_merged": ArrowFunction(by_row(_sums_merged, _RUN_KIND), (_RUN, _RUN), _RUN),
    "wa_vector_avg_merged": ArrowFunction(by_row(_means_merged, _RUN_KIND), (_RUN, _RUN), _RUN),
    "wa_vector_inner_product": _pairs(_inner_product),
    "wa_vector_l2_distance": _pairs(_distance),
    "wa_vector_cosine_similarity": _pairs(_cosine),
    "wa_vector_norm": ArrowFunction(_norm_of, ("FLOAT[]", "FLOAT"), "FLOAT"),
    "wa_vector_normalize": ArrowFunction(_normalized, ("FLOAT[]", "FLOAT"), "FLOAT[]"),
}
