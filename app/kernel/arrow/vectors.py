"""Vectors of floats, summed as Spark sums them: in single precision, eight products at a time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.kernel.arrow.entry import ArrowFunction, fail
from app.kernel.arrow.flat import ends_of

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


def _fail_by_length(name: str, a: int, b: int) -> NoReturn:
    fail(
        "VECTOR_DIMENSION_MISMATCH",
        f"Vectors passed to `{name}` must have the same dimension, but got {a} and {b}.",
    )


def _sum_of(vectors: Floats) -> Floats:
    found: Floats = np.add.accumulate(vectors, axis=0)[-1]
    return found


def _mean_of(vectors: Floats) -> Floats:
    """The mean moves towards each vector, the first one being it."""
    mean: Floats = vectors[0].copy()
    shares = np.float32(1) / np.arange(1, len(vectors) + 1, dtype=np.float32)
    for vector, share in zip(vectors[1:], shares[1:], strict=True):
        vector = vector - mean
        vector *= share
        mean += vector
    return mean


def _run(name: str, of: Callable[[Floats], Floats]) -> Callable[[pa.Array], pa.Array]:
    """The state of each list of vectors: one after the other; those that hold a null are passed over."""

    def compute(lists: pa.Array) -> pa.Array:
        vectors, offsets = _Vectors(lists.values), lists.offsets.to_numpy()
        found: list[dict[str, Any] | None] = []
        for start, end in pairwise(offsets.tolist()):
            if vectors.alike is not None and end > start:
                with np.errstate(all="ignore"):
                    found.append({"v": of(vectors.alike[start:end]), "n": end - start})
                continue
            rows = start + np.flatnonzero(vectors.whole[start:end])
            lengths = vectors.lengths[rows]
            other = lengths[lengths != lengths[0]] if len(rows) else lengths
            if len(other):
                _fail_by_length(name, lengths[0], other[0])
            with np.errstate(all="ignore"):
                found.append({"v": of(vectors.matrix(rows, lengths[0])), "n": len(rows)} if len(rows) else None)
        return pa.array(found, type=_RUN_KIND)

    return compute


def _merged(name: str, weighed: bool) -> Callable[[pa.Array, pa.Array], pa.Array]:
    """States of `_run` added up number by number, those of means by how many vectors each has seen."""

    def compute(first: pa.Array, second: pa.Array) -> pa.Array:
        there = pc.and_(first.is_valid(), second.is_valid())
        (a, count_a), (b, count_b) = (state.filter(there).flatten() for state in (first, second))
        lengths, other = a.value_lengths().to_numpy(), b.value_lengths().to_numpy()
        if not np.array_equal(lengths, other):
            at = np.flatnonzero(lengths != other)[0]
            _fail_by_length(name, lengths[at], other[at])
        x, y = a.flatten().to_numpy(), b.flatten().to_numpy()
        counts = count_a.to_numpy(), count_b.to_numpy()
        with np.errstate(all="ignore"):
            if weighed:
                whole = (counts[0] + counts[1]).astype(np.float32)
                x, y = (
                    part * np.repeat(n.astype(np.float32) / whole, lengths)
                    for part, n in zip((x, y), counts, strict=True)
                )
            total = x + y
        lists = pa.ListArray.from_arrays(pa.array(ends_of(lengths), pa.int32()), pa.array(total))
        merged = pa.StructArray.from_arrays([lists, pa.array(counts[0] + counts[1])], fields=list(_RUN_KIND))
        if len(merged) == len(first):
            return merged
        places = ends_of(there.to_numpy(zero_copy_only=False))[:-1]
        return merged.take(pc.if_else(there, pa.array(places), None))

    return compute


FUNCTIONS = {
    "wa_vector_sum": ArrowFunction(_run("vector_sum", _sum_of), ("FLOAT[][]",), _RUN),
    "wa_vector_avg": ArrowFunction(_run("vector_avg", _mean_of), ("FLOAT[][]",), _RUN),
    "wa_vector_sum_merged": ArrowFunction(_merged("vector_sum", False), (_RUN, _RUN), _RUN),
    "wa_vector_avg_merged": ArrowFunction(_merged("vector_avg", True), (_RUN, _RUN), _RUN),
    "wa_vector_inner_product": _pairs(_inner_product),
    "wa_vector_l2_distance": _pairs(_distance),
    "wa_vector_cosine_similarity": _pairs(_cosine),
    "wa_vector_norm": ArrowFunction(_norm_of, ("FLOAT[]", "FLOAT"), "FLOAT"),
    "wa_vector_normalize": ArrowFunction(_normalized, ("FLOAT[]", "FLOAT"), "FLOAT[]"),
}
