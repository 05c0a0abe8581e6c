"""Functions of vectors over many rows at a time give each row what it has alone, summed as Spark sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from app.kernel.arrow import ARROW_FUNCTIONS

Vector = list[float | None]
F = np.float32


def total(numbers: list[Any]) -> Any:
    """Eight at a time, and what is left one by one."""
    found, whole = F(0), len(numbers) // 8 * 8
    for at in range(0, whole, 8):
        block = numbers[at]
        for number in numbers[at + 1 : at + 8]:
            block = block + number
        found = found + block
    for number in numbers[whole:]:
        found = found + number
    return found


def root(number: Any) -> Any:
    return F(math.sqrt(float(number))) if math.isfinite(number) else number


def inner(a: list[Any], b: list[Any]) -> Any:
    return total([x * y for x, y in zip(a, b, strict=True)])


def distance(a: list[Any], b: list[Any]) -> Any:
    return root(total([(x - y) * (x - y) for x, y in zip(a, b, strict=True)]))


def similarity(a: list[Any], b: list[Any]) -> Any:
    norms = root(inner(a, a) * inner(b, b))
    return inner(a, b) / norms if norms else None


PAIRS: list[tuple[str, Callable[[list[Any], list[Any]], Any]]] = [
    ("wa_vector_inner_product", inner),
    ("wa_vector_l2_distance", distance),
    ("wa_vector_cosine_similarity", similarity),
]
LENGTHS = [0, 1, 2, 7, 8, 9, 15, 16, 17, 24, 40]
VECTORS = pa.list_(pa.float32())


def rows_of(count: int, length: int, seed: int) -> list[Vector]:
    drawn = np.random.default_rng(seed).normal(size=(count, length)).astype(F) * F(10)
    found: list[Vector] = drawn.tolist()
    return found


def singles(vector: Vector) -> list[Any]:
    return [F(number) for number in vector if number is not None]


def expected(function: Callable[[list[Any], list[Any]], Any], a: list[Any], b: list[Any]) -> list[Any]:
    found = []
    for x, y in zip(a, b, strict=True):
        known = x is not None and y is not None and None not in x and None not in y
        value = function(singles(x), singles(y)) if known else None
        found.append(None if value is None else float(value))
    return found


@pytest.mark.parametrize("name_and_function", PAIRS, ids=lambda pair: pair[0])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 50])
@pytest.mark.parametrize("length", LENGTHS)
def test_a_pair_has_the_value_it_has_alone(
    name_and_function: tuple[str, Callable[[list[Any], list[Any]], Any]], count: int, length: int
) -> None:
    name, function = name_and_function
    a, b = rows_of(count, length, 1), rows_of(count, length, 2)
    found = ARROW_FUNCTIONS[name].compute(pa.array(a, VECTORS), pa.array(b, VECTORS))
    assert found.to_pylist() == expected(function, a, b)
    assert len(found) == count


@pytest.mark.parametrize("name_and_function", PAIRS, ids=lambda pair: pair[0])
def test_nulls_and_slices_leave_the_other_pairs_as_they_are(
    name_and_function: tuple[str, Callable[[list[Any], list[Any]], Any]],
) -> None:
    name, function = name_and_function
    a, b = rows_of(9, 17, 3), rows_of(9, 17, 4)
    kinds: list[tuple[list[Any], list[Any]]] = [
        (a, b),
        ([None, *a[1:]], b),
        (a, [*b[:-1], None]),
        ([[None, *a[0][1:]], *a[1:]], b),
        ([[0.0] * 17, *a[1:]], b),
        ([[1.0], [], *a[2:]], [[-2.0], [], *b[2:]]),
    ]
    for left, right in kinds:
        x, y = pa.array(left, VECTORS), pa.array(right, VECTORS)
        for start, end in ((0, 9), (1, 9), (2, 7), (8, 9), (4, 4)):
            found = ARROW_FUNCTIONS[name].compute(x[start:end], y[start:end])
            assert found.to_pylist() == expected(function, left[start:end], right[start:end])


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("degree", [1.0, 2.0, math.inf])
def test_a_norm_is_that_of_the_vector_alone(length: int, degree: float) -> None:
    def norm(vector: list[Any], _: list[Any]) -> Any:
        if degree == 1:
            return total([abs(x) for x in vector])
        return root(inner(vector, vector)) if degree == 2 else max(map(abs, vector), default=F(0))

    for count in (1, 2, 30):
        rows: list[Any] = rows_of(count, length, 5)
        for given in (rows, [None, *rows], [[1.0, None], *rows]):
            column, degrees = pa.array(given, VECTORS), pa.array([degree] * len(given), pa.float32())
            found = ARROW_FUNCTIONS["wa_vector_norm"].compute(column, degrees)
            assert found.to_pylist() == expected(norm, given, given)
            divided = ARROW_FUNCTIONS["wa_vector_normalize"].compute(column, degrees).to_pylist()
            for one, other, by in zip(given, divided, found.to_pylist(), strict=True):
                if one == []:
                    assert other == []
                else:
                    assert other == (None if not by else [float(F(x) / F(by)) for x in one])


def mean(vectors: list[Vector]) -> list[float]:
    """From vector to vector; of many by 32 partitions, and what is left one by one."""
    runs, length = 32, len(vectors) // 32
    if length < 64:
        return moved(vectors)
    parts = [vectors[at * length : (at + 1) * length] for at in range(runs)]
    found, seen = np.array(moved(parts[0]), F), length
    for part in parts[1:] + [[vector] for vector in vectors[runs * length :]]:
        whole = F(seen + len(part))
        found = found * (F(seen) / whole) + np.array(moved(part), F) * (F(len(part)) / whole)
        seen += len(part)
    return [float(number) for number in found]


def moved(vectors: list[Vector]) -> list[float]:
    found = np.array(vectors[0], F)
    for count, vector in enumerate(vectors[1:], 2):
        found = found + (np.array(vector, F) - found) * (F(1) / F(count))
    return [float(number) for number in found]


def added(vectors: list[Vector]) -> list[float]:
    found = np.array(vectors[0], F)
    for vector in vectors[1:]:
        found = found + np.array(vector, F)
    return [float(number) for number in found]


@pytest.mark.parametrize("name_and_function", [("sum", added), ("avg", mean)], ids=lambda pair: pair[0])
@pytest.mark.parametrize("length", [1, 2, 8, 16])
def test_sums_and_means_run_from_vector_to_vector(
    name_and_function: tuple[str, Callable[[list[Vector]], list[float]]], length: int
) -> None:
    name, function = name_and_function
    rows = rows_of(5009, length, 6)
    nulls: list[Any] = [None, [None] * length, *rows[:20]]
    lists: list[Any] = [rows, rows[:1], [], None, rows[7:2054], nulls]
    whole: list[list[Vector]] = [rows, rows[:1], [], [], rows[7:2054], rows[:20]]
    for kept in (slice(None), slice(0, 3), slice(1, None), slice(4, 5)):
        column = pa.array(lists, pa.list_(VECTORS))[kept]
        found = ARROW_FUNCTIONS[f"wa_vector_{name}"].compute(column).to_pylist()
        assert found == [{"v": function(part), "n": len(part)} if part else None for part in whole[kept]]


@pytest.mark.parametrize("name", ["sum", "avg"])
def test_states_merge_number_by_number(name: str) -> None:
    kind = pa.struct([("v", VECTORS), ("n", pa.int64())])

    def merged(a: Any, b: Any) -> Any:
        if a is None or b is None:
            return None
        n, m = F(a["n"]), F(b["n"])
        shares = (n / F(a["n"] + b["n"]), m / F(a["n"] + b["n"])) if name == "avg" else (F(1), F(1))
        pairs = zip(a["v"], b["v"], strict=True)
        return {"v": [float(F(x) * shares[0] + F(y) * shares[1]) for x, y in pairs], "n": a["n"] + b["n"]}

    vectors = [*rows_of(6, 16, 7), *rows_of(3, 5, 8)]
    left: list[Any] = [{"v": vector, "n": 3 + i} for i, vector in enumerate(vectors)]
    right: list[Any] = [{"v": vector[::-1], "n": 7} for vector in vectors]
    for a, b in ((left, right), ([None, *left[1:]], right), (left, [*right[:-2], None, right[-1]])):
        for kept in (slice(None), slice(1, 5), slice(2, None), slice(3, 3)):
            x, y = pa.array(a, kind)[kept], pa.array(b, kind)[kept]
            found = ARROW_FUNCTIONS[f"wa_vector_{name}_merged"].compute(x, y).to_pylist()
            assert found == [merged(one, other) for one, other in zip(a[kept], b[kept], strict=True)]
