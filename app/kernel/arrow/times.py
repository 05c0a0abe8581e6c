"""Times by Java's patterns, where DuckDB's own formats do not say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.errors import PlanError
from app.kernel.arrow.entry import ArrowFunction, fail
from app.kernel.arrow.flat import Flat, Numbers, flat
from app.kernel.arrow.time_shows import show_all
from app.kernel.arrow.time_texts import read_all
from app.kernel.arrow.zone_steps import saves_light
from app.plan.java.pattern import Part, compiled
from app.plan.java.read import read
from app.plan.regions import zone_of


def _parts(pattern: str, reading: bool) -> tuple[Part, ...]:
    try:
        return compiled(pattern, reading)
    except PlanError as error:
        fail(error.code, error.sentence)


def _show(patterns: pa.Array, walls_us: pa.Array, offsets_s: pa.Array, zones: pa.Array) -> pa.Array:
    """Times by a column of patterns, in a zone that is the same in all rows."""
    there = pc.and_(walls_us.is_valid(), offsets_s.is_valid())
    if pc.all(there).as_py() is False:
        patterns = pc.if_else(there, patterns, None)
    walls, offsets = (column.fill_null(0).to_numpy() for column in (walls_us, offsets_s))
    pieces, at = [pa.nulls(1, pa.string())], np.zeros(len(patterns), dtype=np.int64)
    for pattern, rows in _by_value(patterns):
        some = slice(None) if rows is None else rows
        shown = show_all(_parts(pattern, False), walls[some], offsets[some], zones[0].as_py())
        if rows is None:
            return shown
        at[rows] = np.arange(len(rows)) + sum(map(len, pieces))
        pieces.append(shown)
    return pa.concat_arrays(pieces).take(pa.array(at))


def _reader(one: Callable[..., int | None], zoneless: bool = False) -> Callable[..., pa.Array]:
    """Reads a column of texts by a column of patterns, in zones that are the same in all rows; `one` reads one text."""

    def compute(texts: pa.Array, patterns: pa.Array, *zones: pa.Array) -> pa.Array:
        zone = zones[0][0].as_py() if zones and len(texts) else None
        us, there = np.zeros(len(texts), dtype=np.int64), np.zeros(len(texts), dtype=bool)
        for pattern, rows in _by_value(patterns):
            some = texts if rows is None else texts.take(pa.array(rows))
            if some.null_count == len(some):
                continue
            parts = _parts(pattern, True)
            found = read_all(parts, some, zone, zoneless)
            if len(found.left):
                values = some.take(pa.array(found.left)).to_pylist()
                known = {text: one(parts, text, zone) for text in set(values)}
                found.put([known[text] for text in values])
            if rows is None:
                us, there = found.us, found.there
            else:
                us[rows], there[rows] = found.us, found.there
        bits = pa.py_buffer(np.packbits(there, bitorder="little"))
        return pa.Array.from_buffers(pa.int64(), len(us), [bits, pa.py_buffer(us)])

    return compute


def _by_value(column: pa.Array) -> Iterator[tuple[str, Numbers | None]]:
    """Each value and the rows that have it; None for all of them."""
    if not column.null_count and len(column) and _alike(flat(column)):
        yield column[0].as_py(), None
        return
    coded = column.dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy()
    for code, value in enumerate(coded.dictionary.to_pylist()):
        yield value, np.flatnonzero(codes == code)


def _alike(values: Flat) -> bool:
    """Whether all values are the same."""
    count, size = len(values.offsets) - 1, int(values.offsets[1])
    if not (values.offsets == np.arange(count + 1) * size).all():
        return False
    return values.letters.tobytes() == values.letters[:size].tobytes() * count


def _instant(parts: tuple[Part, ...], text: str, zone: str) -> int | None:
    found = read(parts, text)
    return None if found is None else found.instant(zone_of(zone))


def _wall(parts: tuple[Part, ...], text: str, _: None) -> int | None:
    found = read(parts, text)
    return None if found is None else found.wall()


def _zoneless(parts: tuple[Part, ...], text: str, _: None) -> int | None:
    found = read(parts, text)
    return None if found is None or found.zone is not None else found.wall()


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
    "wa_show_time": ArrowFunction(_show, (_TEXT, _LONG, _LONG, _TEXT), _TEXT),
    "wa_read_instant": ArrowFunction(_reader(_instant), (_TEXT, _TEXT, _TEXT), _LONG),
    "wa_read_wall": ArrowFunction(_reader(_wall), (_TEXT, _TEXT), _LONG),
    "wa_read_zoneless": ArrowFunction(_reader(_zoneless, True), (_TEXT, _TEXT), _LONG),
}
