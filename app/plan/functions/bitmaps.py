"""Bitmaps of 32,768 bits, as Spark counts distinct numbers with them: 4,096 bytes, bit 0 the lowest of the first."""

from __future__ import annotations

from app.plan import types as t
from app.plan.bound import AggCall
from app.plan.functions.entry import FILTER_HERE, Function
from app.plan.functions.signature import LONG, Param, scalar
from app.plan.functions.signature_aggregate import aggregate

_LONG = t.LongType()
_BITMAP = Param("BINARY", lambda source: source if isinstance(source, (t.BinaryType, t.NullType)) else None)


def _merged(sign: str) -> str:
    both = f"CAST((CAST({{a}} AS BIT) {sign} CAST({{b}} AS BIT)) AS BLOB)"
    return f"CASE WHEN {{a}} IS NULL THEN {{b}} WHEN {{b}} IS NULL THEN {{a}} ELSE {both} END"


def _whole(name: str, sql: str, sign: str, empty: str) -> Function:
    def partial(_: AggCall, args: tuple[str, ...]) -> str:
        return f"CAST({sql}(wt_bitmap({args[0]})){FILTER_HERE} AS BLOB)"

    return aggregate(name, (_BITMAP,), t.BinaryType(), partial, _merged(sign), _or_all(empty), nullable=False)


def _or_all(byte: str) -> str:
    return f"coalesce({{s}}, repeat('\\x{byte}'::BLOB, 4096))"


FUNCTIONS: tuple[Function, ...] = (
    scalar(
        "bitmap_bit_position",
        (LONG,),
        _LONG,
        "(CASE WHEN {0} > 0 THEN ({0} - 1) % 32768 ELSE CAST(-CAST({0} AS HUGEINT) % 32768 AS BIGINT) END)",
    ),
    scalar(
        "bitmap_bucket_number",
        (LONG,),
        _LONG,
        "(CASE WHEN {0} > 0 THEN 1 + ({0} - 1) // 32768 ELSE {0} // 32768 END)",
    ),
    scalar(
        "bitmap_count",
        (_BITMAP,),
        _LONG,
        "(CASE WHEN octet_length({0}) = 0 THEN 0 ELSE CAST(bit_count(CAST({0} AS BIT)) AS BIGINT) END)",
    ),
    aggregate(
        "bitmap_construct_agg",
        (LONG,),
        t.BinaryType(),
        "CAST(bitstring_agg(wt_bitmap_place({0}), 0, 32767){f} AS BLOB)",
        _merged("|"),
        _or_all("00"),
        nullable=False,
    ),
    _whole("bitmap_or_agg", "bit_or", "|", "00"),
    _whole("bitmap_and_agg", "bit_and", "&", "FF"),
)
