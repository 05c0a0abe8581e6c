"""Sketches that count distinct values, by Apache DataSketches: bytes and estimates are those of Spark, which uses the
Java library of the same name.

The library is asked for the first time a sketch is computed: it takes a while to load.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from app.kernel.arrow.coupons import LISTED, changing, changing_longs, image_of, lists_of, of_bytes, united
from app.kernel.arrow.entry import ArrowFunction, fail
from app.kernel.arrow.flat import Numbers

_FEW, _PART = 64, 1 << 11
"""So few values or sketches are sooner taken one by one; so many are taken at a time."""
_BLOB = pa.binary()
_REGISTERS_MODE = 2
_OUT_OF_ORDER = 16
_FIRST_REGISTER = 40


def library() -> Any:
    import datasketches

    return datasketches


def _by_row(function: Any, kind: pa.DataType, null_first: bool = False) -> Any:
    """`compute` of a function on Python values; null where one is null, save the first with `null_first`."""

    def compute(*columns: pa.Array) -> pa.Array:
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
        found = [None if None in (row[1:] if null_first else row) else function(*row) for row in rows]
        return pa.array(found, type=kind)

    return compute


def _listing(coupons: Numbers, lg_k: int) -> list[Any]:
    """Sketches that list these coupons, as few as can."""
    count = -(-len(coupons) // LISTED)
    rows = np.zeros((count, LISTED), dtype=np.uint32)
    rows.ravel()[: len(coupons)] = coupons
    images = image_of(lg_k, np.minimum(len(coupons) - np.arange(count) * LISTED, LISTED), rows)
    return [library().hll_sketch.deserialize(image.tobytes()) for image in images]


def _sketch_of(values: list[Any] | None, lg_k: int) -> bytes:
    lib = library()
    if values and isinstance(values[0], bytes):
        union = lib.hll_union(lg_k)
        for value in values:
            if value:
                union.update(*_listing(np.array([of_bytes(value)], dtype=np.uint32), lg_k))
        return _bytes(union.get_result(lib.HLL_8))
    sketch = lib.hll_sketch(lg_k, lib.HLL_8)
    for value in values or ():
        sketch.update(value)
    return _bytes(sketch)


def _sketches(lists: pa.Array, lg_k: pa.Array) -> pa.Array:
    """The sketch of each list of values; of null that of none."""
    if not pa.types.is_list(lists.type) or not pa.types.is_integer(lists.type.value_type) or lists.values.null_count:
        return _by_row(_sketch_of, _BLOB, True)(lists, lg_k)
    numbers, offsets = lists.values.to_numpy().astype(np.int64), lists.offsets.to_numpy().tolist()
    found: list[bytes] = []
    for (start, end), width in zip(pairwise(offsets), lg_k.to_pylist(), strict=True):
        values = numbers[start:end]
        if len(values) > _FEW:
            values = values[changing_longs(values, width)]
        found.append(_sketch_of(values.tolist(), width))
    return pa.array(found, type=_BLOB)


def _bytes(sketch: Any) -> bytes:
    return bytes(sketch.serialize_updatable())


def _read(name: str, data: bytes) -> Any:
    try:
        return library().hll_sketch.deserialize(data)
    except (ValueError, IndexError, RuntimeError):
        fail(
            "HLL_INVALID_INPUT_SKETCH_BUFFER",
            f"Invalid call to `{name}`; only valid HLL sketch buffers are supported as inputs (such as those produced "
            "by the `hll_sketch_agg` function).",
        )


def _check_same(name: str, a: Any, b: Any, allowed: bool) -> None:
    if a.lg_config_k != b.lg_config_k and not allowed:
        fail(
            "HLL_UNION_DIFFERENT_LG_K",
            f"Sketches have different `lgConfigK` values: {a.lg_config_k} and {b.lg_config_k}. Set the "
            f"`allowDifferentLgConfigK` parameter to true to call `{name}` with different `lgConfigK` values.",
        )


def _united(sketches: list[Any], lg_k: int) -> bytes:
    lib = library()
    union = lib.hll_union(lg_k)
    for sketch in sketches:
        union.update(sketch)
    image = bytearray(_bytes(union.get_result(lib.HLL_8)))
    if image[7] & 3 == _REGISTERS_MODE and image[5] & _OUT_OF_ORDER:
        # Java says the least register of a union and how many there are, C++ leaves them 0.
        least = min(image[_FIRST_REGISTER:])
        image[6] = least
        image[32:36] = image.count(least, _FIRST_REGISTER).to_bytes(4, "little")
    return bytes(image)


def _merged(a: bytes, b: bytes) -> bytes:
    """Two states of one aggregate. A state that saw no rows leaves the other as it is, with its better estimate."""
    ours, theirs = _read("hll_sketch_agg", a), _read("hll_sketch_agg", b)
    if ours.is_empty() or theirs.is_empty():
        return b if ours.is_empty() else a
    return _united([ours, theirs], ours.lg_config_k)


def _union(a: bytes, b: bytes, allowed: bool) -> bytes:
    ours, theirs = _read("hll_union", a), _read("hll_union", b)
    _check_same("hll_union", ours, theirs, allowed)
    return _united([ours, theirs], min(ours.lg_config_k, theirs.lg_config_k))


def _union_of(data: list[bytes] | None, allowed: bool) -> bytes | None:
    sketches = [_read("hll_union_agg", one) for one in data or ()]
    for sketch in sketches:
        _check_same("hll_union_agg", sketches[0], sketch, allowed)
    return _united(sketches, sketches[0].lg_config_k) if sketches else None


def _unions(lists: pa.Array, allowed: pa.Array) -> pa.Array:
    """The union of each list of sketches; null of none. Where all list coupons, those that change it are united."""
    found: list[bytes | None] = []
    for (start, end), different in zip(pairwise(lists.offsets.to_pylist()), allowed.to_pylist(), strict=True):
        sketches = lists.values[start:end]
        known = _coupons_of(sketches) if different is not None else None
        if known is None:
            found.append(None if different is None else _union_of(sketches.to_pylist(), different))
            continue
        lg_k, coupons = known
        coupons = coupons[changing(coupons, lg_k)]
        # A union takes its first sketch as it is: that may list a coupon only once.
        _, firsts = np.unique(coupons, return_index=True)
        found.append(_united(_listing(coupons[np.sort(firsts)], lg_k), lg_k))
    return pa.array(found, type=_BLOB)


def _coupons_of(sketches: pa.Array) -> tuple[int, Numbers] | None:
    """The coupons that many sketches list, one after the other, and how many registers they are for; None where one
    is of another form or size."""
    if len(sketches) <= _FEW:
        return None
    found: list[Numbers] = []
    lg_k = None
    # In parts that stay in the processor's cache.
    for start in range(0, len(sketches), _PART):
        part = sketches[start : start + _PART]
        listed = lists_of(part)
        if len(listed.rows) < len(part):
            return None
        lg_k = lg_k or int(listed.lg_k[0])
        if (listed.lg_k != lg_k).any():
            return None
        found.append(listed.coupons[listed.coupons != 0])
    return lg_k or 0, np.concatenate(found)


def _united_lists(first: pa.Array, second: pa.Array) -> tuple[Numbers, pa.Array]:
    """The rows in which both sketches list coupons, as many registers, and their union does; and the unions."""
    a, b = lists_of(first), lists_of(second)
    places = np.full((2, len(first)), -1)
    places[0, a.rows], places[1, b.rows] = np.arange(len(a.rows)), np.arange(len(b.rows))
    rows = np.flatnonzero((places >= 0).all(axis=0))
    at, other = places[:, rows]
    coupons, lengths = united(a.coupons[at], b.coupons[other])
    lg_k = a.lg_k[at]
    good = (lengths >= 0) & (lg_k == b.lg_k[other])
    images = image_of(lg_k[good], lengths[good], coupons[good])
    ends = np.arange(len(images) + 1, dtype=np.int32) * np.int32(images.shape[1])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(images)]
    return rows[good], pa.Array.from_buffers(_BLOB, len(images), buffers)


def _in_pairs(function: Callable[..., bytes]) -> Callable[..., pa.Array]:
    """`compute` of a function that unites two sketches. Where they list coupons it is done without the library."""
    slow = _by_row(function, _BLOB)

    def compute(*columns: pa.Array) -> pa.Array:
        if columns[-1].null_count:
            return slow(*columns)
        rows, found = _united_lists(columns[0], columns[1])
        if len(rows) == len(columns[0]):
            return found
        others = np.ones(len(columns[0]), dtype=bool)
        others[rows] = False
        places = np.empty(len(others), dtype=np.int64)
        places[rows], places[others] = np.arange(len(rows)), np.arange(len(rows), len(others))
        mask = pa.array(others)
        return pa.concat_arrays([found, slow(*(column.filter(mask) for column in columns))]).take(pa.array(places))

    return compute


def _estimate(data: bytes) -> int:
    estimate: float = _read("hll_sketch_estimate", data).get_estimate()
    return math.floor(estimate + 0.5)


FUNCTIONS = {
    "wa_hll_sketch": ArrowFunction(_sketches, None, "BLOB"),
    "wa_hll_merged": ArrowFunction(_in_pairs(_merged), ("BLOB", "BLOB"), "BLOB"),
    "wa_hll_union": ArrowFunction(_in_pairs(_union), ("BLOB", "BLOB", "BOOLEAN"), "BLOB"),
    "wa_hll_union_of": ArrowFunction(_unions, ("BLOB[]", "BOOLEAN"), "BLOB"),
    "wa_hll_estimate": ArrowFunction(_by_row(_estimate, pa.int64()), ("BLOB",), "BIGINT"),
}
