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
_RUNS, _LONG = 32, 64
"""A mean is made in so many runs where each has at least so many vectors."""
_ROWS = 512
"""How many of a run's vectors are looked at at a time."""


def _columns(vectors: Floats) -> Floats:
    """All first numbers, all second ones, …: numpy adds whole columns, one after the other."""
    return np.ascontiguousarray(vectors.T)


def _sum(columns: Floats) -> Floats:
    """The sum of each vector."""
    count = columns.shape[1]
    if count == 1:
        # numpy takes one column for a vector, whose numbers it adds in another order.
        return _sum(np.repeat(columns, 2, axis=1))[:1]
    blocks = len(columns) // _BLOCK
    total = np.zeros(count, np.float32)
    for block in np.add.reduce(columns[: blocks * _BLOCK].reshape(blocks, _BLOCK, count), axis=1):
        total += block
    for column in columns[blocks * _BLOCK :]:
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


def _alike(column: pa.Array) -> Floats | None:
    """A matrix of all vectors, if none holds or is a null and all are of one length."""
    if not len(column) or column.null_count:
        return None
    offsets, values = column.offsets.to_numpy(), column.values
    lengths = offsets[1:] - offsets[:-1]
    if values.null_count or not _same(lengths):
        return None
    found: Floats = values.to_numpy()[offsets[0] : offsets[-1]].reshape(len(column), lengths[0])
    return found


class _Vectors:
    """A column of vectors; `whole` tells the rows that are there and hold no null."""

    def __init__(self, column: pa.Array) -> None:
        offsets, values = column.offsets.to_numpy(), column.values
        self.starts, self.lengths = offsets[:-1].astype(np.int64), offsets[1:] - offsets[:-1]
        self.there: Flags = column.is_valid().to_numpy(zero_copy_only=False)
        self.whole = self.there
        if values.null_count:
            nulls = np.concatenate([[0], np.cumsum(values.is_null().to_numpy(zero_copy_only=False))])
            self.whole = self.there & (nulls[offsets[1:]] == nulls[offsets[:-1]])
            values = values.fill_null(0)
        self._values = values.to_numpy()

    def matrix(self, rows: Any, length: int) -> Floats:
        """Those rows, all of that length."""
        found: Floats = self._values[self.starts[rows][:, None] + np.arange(length)]
        return found


def _same(values: Any) -> bool:
    return bool((values == values[0]).all())


def _pairs(function: Callable[[Floats, Floats], tuple[Floats, Flags | None]]) -> ArrowFunction:
    """`function` gives a value for each row, and which of them are one."""

    def compute(first: pa.Array, second: pa.Array) -> pa.Array:
        x, y = _alike(first), _alike(second)
        if x is not None and y is not None and x.shape == y.shape:
            with np.errstate(all="ignore"):
                return _array(*function(x, y))
        a, b = _Vectors(first), _Vectors(second)
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
    found = np.zeros(len(given), np.float32)
    for degree in np.unique(given[known]):
        _norm(np.zeros((0, 0), np.float32), degree)
        for length in np.unique(a.lengths[known]):
            rows = np.flatnonzero(known & a.whole & (a.lengths == length) & (given == degree))
            with np.errstate(all="ignore"):
                found[rows] = _norm(a.matrix(rows, length), degree)
    return found, known & a.whole


def _norms_alike(vectors: pa.Array, degrees: pa.Array) -> tuple[Floats, Floats] | None:
    """The matrix of the vectors and the norm of each, if they are alike and of one degree."""
    alike = None if degrees.null_count else _alike(vectors)
    if alike is None or not _same(given := degrees.to_numpy()):
        return None
    with np.errstate(all="ignore"):
        return alike, _norm(alike, given[0])


def _norm_of(vectors: pa.Array, degrees: pa.Array) -> pa.Array:
    if alike := _norms_alike(vectors, degrees):
        return pa.array(alike[1])
    return _array(*_norms(_Vectors(vectors), degrees))


def _normalized(vectors: pa.Array, degrees: pa.Array) -> pa.Array:
    alike = _norms_alike(vectors, degrees)
    if alike and alike[1].all():
        with np.errstate(all="ignore"):
            divided = alike[0] / alike[1][:, None]
        offsets = np.arange(len(divided) + 1, dtype=np.int32) * np.int32(divided.shape[1])
        return pa.ListArray.from_arrays(pa.array(offsets), pa.array(divided.ravel()))
    a = _Vectors(vectors)
    norms, known = _norms(a, degrees)
    known &= (norms != 0) | (a.lengths == 0)
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
    """The mean moves towards each vector, the first one being it: of many vectors in several runs side by side, of
    which the means are merged, as Spark does it with partitions."""
    length = len(vectors) // _RUNS
    if length < _LONG:
        alone: Floats = _moved(vectors[None])[0]
        return alone
    runs = vectors[: _RUNS * length].reshape(_RUNS, length, -1)
    means = _moved(runs)
    mean: Floats = means[0]
    seen = length
    for other, count in [(mean, length) for mean in means[1:]] + [(rest, 1) for rest in vectors[_RUNS * length :]]:
        whole = np.float32(seen + count)
        mean = mean * (np.float32(seen) / whole) + other * (np.float32(count) / whole)
        seen += count
    return mean


def _moved(runs: Floats) -> Floats:
    """The mean of each run of vectors."""
    means: Floats = runs[:, 0].copy()
    apart = np.empty_like(means)
    for start in range(1, runs.shape[1], _ROWS):
        part = np.ascontiguousarray(runs[:, start : start + _ROWS].swapaxes(0, 1))
        counts = np.arange(start + 1, start + 1 + len(part), dtype=np.float32)
        # As wide as the means: numpy is slow with single numbers.
        shares = np.repeat(np.float32(1) / counts, means.size).reshape(part.shape)
        for vectors, share in zip(part, shares, strict=True):
            np.subtract(vectors, means, apart)
            np.multiply(apart, share, apart)
            np.add(means, apart, means)
    return means


def _run(name: str, of: Callable[[Floats], Floats]) -> Callable[[pa.Array], pa.Array]:
    """The state of each list of vectors: one after the other; those that hold a null are passed over."""

    def compute(lists: pa.Array) -> pa.Array:
        alike, offsets = _alike(lists.values), lists.offsets.to_numpy()
        vectors = _Vectors(lists.values) if alike is None else None
        found: list[dict[str, Any] | None] = []
        for start, end in pairwise(offsets.tolist()):
            if alike is not None:
                part = alike[start:end]
            else:
                assert vectors is not None
                rows = start + np.flatnonzero(vectors.whole[start:end])
                lengths = vectors.lengths[rows]
                other = lengths[lengths != lengths[0]] if len(rows) else lengths
                if len(other):
                    _fail_by_length(name, lengths[0], other[0])
                part = vectors.matrix(rows, lengths[0] if len(rows) else 0)
            with np.errstate(all="ignore"):
                found.append({"v": of(part), "n": len(part)} if len(part) else None)
        return pa.array(found, type=_RUN_KIND)

    return compute


def _merged(name: str, weighed: bool) -> Callable[[pa.Array, pa.Array], pa.Array]:
    """States of `_run` added up number by number, those of means by how many vectors each has seen."""

    def compute(first: pa.Array, second: pa.Array) -> pa.Array:
        if not first.null_count + second.null_count:
            return merged(first, second)
        there = pc.and_(first.is_valid(), second.is_valid())
        places = ends_of(there.to_numpy(zero_copy_only=False))[:-1]
        return merged(first.filter(there), second.filter(there)).take(pc.if_else(there, pa.array(places), None))

    def merged(first: pa.Array, second: pa.Array) -> pa.Array:
        (a, count_a), (b, count_b) = first.flatten(), second.flatten()
        offsets, other = (vectors.offsets.to_numpy() - vectors.offsets[0].as_py() for vectors in (a, b))
        if not np.array_equal(offsets, other):
            lengths, other = np.diff(offsets), np.diff(other)
            at = np.flatnonzero(lengths != other)[0]
            _fail_by_length(name, lengths[at], other[at])
        x, y = a.flatten().to_numpy(), b.flatten().to_numpy()
        counts = count_a.to_numpy(), count_b.to_numpy()
        with np.errstate(all="ignore"):
            if weighed:
                whole = (counts[0] + counts[1]).astype(np.float32)
                x, y = (
                    part * np.repeat(n.astype(np.float32) / whole, np.diff(offsets))
                    for part, n in zip((x, y), counts, strict=True)
                )
            total = x + y
        lists = pa.ListArray.from_arrays(pa.array(offsets), pa.array(total))
        return pa.StructArray.from_arrays([lists, pa.array(counts[0] + counts[1])], fields=list(_RUN_KIND))

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
