"""Sketches that count distinct values, by Apache DataSketches: bytes and estimates are those of Spark, which uses the
Java library of the same name.

The library is asked for the first time a sketch is computed: it takes a while to load.
"""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, fail

_MASK = (1 << 64) - 1
_SEED = 9001
_C1, _C2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
_REGISTERS_MODE = 2
_OUT_OF_ORDER = 16
_FIRST_REGISTER = 40


def library() -> Any:
    import datasketches

    return datasketches


def hash_of(data: bytes) -> tuple[int, int]:
    """MurmurHash3 x64 128 with the seed of DataSketches."""
    first = second = _SEED
    whole = len(data) // 16 * 16
    for at in range(0, whole, 16):
        first = _rotated(first ^ _mixed(int.from_bytes(data[at : at + 8], "little"), _C1, 31, _C2), 27) + second & _MASK
        first = (first * 5 + 0x52DCE729) & _MASK
        second = _rotated(second ^ _mixed(int.from_bytes(data[at + 8 : at + 16], "little"), _C2, 33, _C1), 31) + first
        second = (second * 5 + 0x38495AB5) & _MASK
    rest = data[whole:]
    second ^= _mixed(int.from_bytes(rest[8:], "little"), _C2, 33, _C1)
    first ^= _mixed(int.from_bytes(rest[:8], "little"), _C1, 31, _C2)
    first, second = first ^ len(data), second ^ len(data)
    first = first + second & _MASK
    second = second + first & _MASK
    first, second = _finished(first), _finished(second)
    first = first + second & _MASK
    return first, second + first & _MASK


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> 64 - by) & _MASK


def _mixed(word: int, before: int, by: int, behind: int) -> int:
    return _rotated(word * before & _MASK, by) * behind & _MASK


def _finished(word: int) -> int:
    word = (word ^ word >> 33) * 0xFF51AFD7ED558CCD & _MASK
    word = (word ^ word >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
    return word ^ word >> 33


def _one(data: bytes, lg_k: int) -> Any:
    """The sketch of one value that is bytes: an image of a list of one coupon."""
    first, second = hash_of(data)
    zeros = 64 - second.bit_length()
    coupon = (min(zeros, 62) + 1) << 26 | first & ((1 << 26) - 1)
    image = bytes((2, 1, 7, lg_k, 3, 0, 1, 8)) + coupon.to_bytes(4, "little") + bytes(28)
    return library().hll_sketch.deserialize(image)


def _sketch_of(values: list[Any] | None, lg_k: int) -> bytes:
    lib = library()
    if values and isinstance(values[0], bytes):
        union = lib.hll_union(lg_k)
        for value in values:
            if value:
                union.update(_one(value, lg_k))
        return _bytes(union.get_result(lib.HLL_8))
    sketch = lib.hll_sketch(lg_k, lib.HLL_8)
    for value in values or ():
        sketch.update(value)
    return _bytes(sketch)


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


def _estimate(data: bytes) -> int:
    estimate: float = _read("hll_sketch_estimate", data).get_estimate()
    return math.floor(estimate + 0.5)


def _by_row(function: Any, kind: pa.DataType, null_first: bool = False) -> Any:
    """`compute` of a function on Python values; null where one is null, save the first with `null_first`."""

    def compute(*columns: pa.Array) -> pa.Array:
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
        found = [None if None in (row[1:] if null_first else row) else function(*row) for row in rows]
        return pa.array(found, type=kind)

    return compute


_BLOB = pa.binary()
FUNCTIONS = {
    "wa_hll_sketch": ArrowFunction(_by_row(_sketch_of, _BLOB, True), None, "BLOB"),
    "wa_hll_merged": ArrowFunction(_by_row(_merged, _BLOB), ("BLOB", "BLOB"), "BLOB"),
    "wa_hll_union": ArrowFunction(_by_row(_union, _BLOB), ("BLOB", "BLOB", "BOOLEAN"), "BLOB"),
    "wa_hll_union_of": ArrowFunction(_by_row(_union_of, _BLOB, True), ("BLOB[]", "BOOLEAN"), "BLOB"),
    "wa_hll_estimate": ArrowFunction(_by_row(_estimate, pa.int64()), ("BLOB",), "BIGINT"),
}
