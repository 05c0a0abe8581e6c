"""Times by Java's patterns, where DuckDB's own formats do not say the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pyarrow as pa

from app.errors import PlanError
from app.kernel.arrow.entry import ArrowFunction, by_row, fail
from app.kernel.arrow.zone_steps import saves_light
from app.plan.java.pattern import Part, compiled
from app.plan.java.read import Read, read
from app.plan.java.show import shown
from app.plan.regions import zone_of


def _once_each(function: Callable[..., Any], kind: pa.DataType) -> Callable[..., pa.Array]:
    """By row, but once for values that come again in a batch, as days do."""
    return lambda *columns: by_row(cache(function), kind)(*columns)


def _parts(pattern: str, reading: bool) -> tuple[Part, ...]:
    try:
        return compiled(pattern, reading)
    except PlanError as error:
        fail(error.code, str(error))


def _show(pattern: str, wall_us: int, offset_s: int, zone: str) -> str:
    return shown(_parts(pattern, False), wall_us, offset_s, zone)


def _reader(of: Callable[..., int | None]) -> Callable[..., Any]:
    def row(text: str, pattern: str, *zone: str) -> int | None:
        found = read(_parts(pattern, True), text)
        return None if found is None else of(found, *zone)

    return _once_each(row, pa.int64())


def _instant(found: Read, zone: str) -> int | None:
    return found.instant(zone_of(zone))


def _zoneless(found: Read) -> int | None:
    return found.wall() if found.zone is None else None


def _saves_light(instants_us: pa.Array, zones: pa.Array) -> pa.Array:
    """Whether a zone, the same in all rows, has daylight saving time."""
    there = instants_us.drop_null().to_numpy()
    if not len(there):
        return pa.nulls(len(instants_us), pa.bool_())
    seconds = instants_us.fill_null(there[0]).to_numpy() // 1_000_000
    return pa.array(saves_light(seconds, zones[0].as_py()))


_TEXT, _LONG = "VARCHAR", "BIGINT"
FUNCTIONS = {
    "wa_saves_light": ArrowFunction(_saves_light, (_LONG, _TEXT), "BOOLEAN"),
    "wa_show_time": ArrowFunction(_once_each(_show, pa.string()), (_TEXT, _LONG, _LONG, _TEXT), _TEXT),
    "wa_read_instant": ArrowFunction(_reader(_instant), (_TEXT, _TEXT, _TEXT), _LONG),
    "wa_read_wall": ArrowFunction(_reader(Read.wall), (_TEXT, _TEXT), _LONG),
    "wa_read_zoneless": ArrowFunction(_reader(_zoneless), (_TEXT, _TEXT), _LONG),
}
