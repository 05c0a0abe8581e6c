"""Vectors of floats, summed as Spark sums them: in single precision, eight products at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row, fail

Floats = np.ndarray[Any, np.dtype[np.float32]]
_BLOCK = 8


def _sum(values: Floats) -> Any:
    whole = len(values) // _BLOCK * _BLOCK
    blocks = values[:whole].reshape(-1, _BLOCK)
    sums = np.add.accumulate(blocks, axis=1)[:, -1] if whole else blocks[:, 0]
    terms = np.concatenate([sums, values[whole:]])
    return np.add.accumulate(terms)[-1] if len(terms) else np.float32(0)


def _norm(a: Floats, degree: float) -> Any:
    if degree not in (1, 2, np.inf):
        fail("INVALID_VECTOR_NORM_DEGREE", f"A vector norm has the degree 1, 2 or infinity, not {degree}.")
    if degree == 1:
        return _sum(np.abs(a))
    if degree == 2:
        return np.float32(np.sqrt(np.float64(_sum(a * a))))
    return np.max(np.abs(a), initial=np.float32(0))


def _inner_product(a: Floats, b: Floats) -> float:
    return float(_sum(a * b))


def _distance(a: Floats, b: Floats) -> float:
    return float(np.float32(np.sqrt(np.float64(_sum((a - b) * (a - b))))))


def _cosine(a: Floats, b: Floats) -> float | None:
    norms = np.float32(np.sqrt(np.float64(_sum(a * a) * _sum(b * b))))
    return float(_sum(a * b) / norms) if norms else None


def _length(a: list[float | None], degree: float) -> float | None:
    with np.errstate(all="ignore"):
        norm = _norm(_floats(a) if None not in a else np.zeros(0, np.float32), degree)
    return None if None in a else float(norm)


def _normalized(a: list[float | None], degree: float) -> list[float] | None:
    norm = _length(a, degree)
    if not a:
        return []
    if not norm:
        return None
    with np.errstate(all="ignore"):
        return [float(x) for x in _floats(a) / np.float32(norm)]


def _floats(values: list[float | None]) -> Floats:
    return np.array(values, dtype=np.float32)


def _pairs(function: Callable[[Floats, Floats], float | None]) -> ArrowFunction:
    def of_lists(a: list[float | None], b: list[float | None]) -> float | None:
        if len(a) != len(b):
            fail(
                "VECTOR_DIMENSION_MISMATCH",
                f"The vectors passed to a vector function must have the same length, not {len(a)} and {len(b)}.",
            )
        if None in a or None in b:
            return None
        with np.errstate(all="ignore"):
            return function(_floats(a), _floats(b))

    return ArrowFunction(by_row(of_lists, pa.float32()), ("FLOAT[]", "FLOAT[]"), "FLOAT")


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
    "wa_vector_norm": ArrowFunction(by_row(_length, pa.float32()), ("FLOAT[]", "FLOAT"), "FLOAT"),
    "wa_vector_normalize": ArrowFunction(by_row(_normalized, pa.list_(pa.float32())), ("FLOAT[]", "FLOAT"), "FLOAT[]"),
}
