"""The text `show()` and the console sink print for a table: Spark's layout, byte for byte.

The layout follows `Dataset.showString` and the values `ToPrettyString` of Spark 4: cells are right-aligned
where text is cut and left-aligned where it is not, columns are at least three wide, and a full-width character
counts twice.
"""

from __future__ import annotations

import re
from datetime import tzinfo
from typing import Any

import numpy as np
import pyarrow as pa

from app.kernel.calendar_text import calendar_text
from app.kernel.values import plain_values
from app.kernel.variant.show import json_text
from app.plan import types as t
from app.plan.java_text import date_text, float_text, instant_text, offset_us
from app.plan.regions import zone_of

_WIDE = re.compile("[ᄀ-ᅟ⺀-〾ぁ-㏿㐀-䶿一-鿿ꀀ-꓏가-힣豈-﫿︰-﹯＀-｠￠-￦]")
_ESCAPES = str.maketrans(
    {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\b": "\\b", "\x0b": "\\v", "\x07": "\\a"}
)
_MIN_WIDTH = 3
_US = 1_000_000
_UNITS = (86_400 * _US, 3_600 * _US, 60 * _US, _US)


def show_table(
    table: pa.Table,
    schema: t.StructType,
    num_rows: int = 20,
    truncate: int = 20,
    vertical: bool = False,
    time_zone: str = "UTC",
) -> str:
    """The first `num_rows` rows of `table` as text; Spark prints it and a newline.

    `table` holds the columns of `schema` in order (its own names do not matter) and, where there are more rows
    than shown, at least one more. `truncate` is the most characters of a cell; 0 cuts nothing.
    """
    num_rows = max(0, num_rows)
    # Arrow's slice of a table without columns would have as many rows as were asked for.
    shown = table.slice(0, min(num_rows, table.num_rows))
    zone = zone_of(time_zone)
    columns = [
        [_cut(_text(v, f.dataType, zone).translate(_ESCAPES), truncate) for v in plain_values(shown.column(i))]
        for i, f in enumerate(schema.fields)
    ]
    names = [name.translate(_ESCAPES) for name in schema.names]
    rows: list[tuple[str, ...]] = list(zip(*columns, strict=True)) if columns else [()] * shown.num_rows
    body = _vertical(names, rows) if vertical else _grid(names, columns, rows, truncate > 0)
    if vertical and not rows:
        return body + "(0 rows)"
    if table.num_rows > num_rows:
        return body + f"only showing top {num_rows} row{'' if num_rows == 1 else 's'}"
    return body


def _grid(names: list[str], columns: list[list[str]], rows: list[tuple[str, ...]], right: bool) -> str:
    widths = [max(_MIN_WIDTH, _width(n), *map(_width, c)) for n, c in zip(names, columns, strict=True)]
    line = "+" + "+".join("-" * width for width in widths) + "+\n"

    def row(cells: tuple[str, ...]) -> str:
        return "|" + "|".join(_pad(c, w, right) for c, w in zip(cells, widths, strict=True)) + "|\n"

    return line + row(tuple(names)) + line + "".join(map(row, rows)) + line


def _vertical(names: list[str], rows: list[tuple[str, ...]]) -> str:
    name_width = max([_MIN_WIDTH, *map(_width, names)])
    cell_width = max([_MIN_WIDTH, *(_width(cell) for row in rows for cell in row)])
    text = ""
    for number, row in enumerate(rows):
        text += f"-RECORD {number}".ljust(name_width + cell_width + 5, "-") + "\n"
        cells = zip(names, row, strict=True)
        text += "\n".join(f" {_pad(n, name_width, False)} | {_pad(c, cell_width, False)} " for n, c in cells) + "\n"
    return text


def _units(text: str) -> int:
    return len(text) + sum(c > "\uffff" for c in text)


def _width(text: str) -> int:
    return _units(text) + (0 if text.isascii() else len(_WIDE.findall(text)))


def _pad(text: str, width: int, right: bool) -> str:
    fill = " " * (width - _width(text))
    return fill + text if right else text + fill


def _cut(text: str, most: int) -> str:
    if most <= 0 or _units(text) <= most:
        return text
    keep, tail = (most, "") if most < 4 else (most - 3, "...")
    while _units(text[:keep]) > keep:
        text = text[:-1] if len(text) <= keep else text[: keep - 1]
    return text[:keep] + tail


# ---------------------------------------------------------------------------------------------- values


def _text(value: Any, data_type: t.DataType, zone: tzinfo) -> str:
    """One plain value as Spark prints it; text inside arrays, maps and structs is not quoted."""
    if value is None:
        return "NULL"
    match data_type:
        case t.StructType(fields=fields):
            return "{" + ", ".join(_text(v, f.dataType, zone) for v, f in zip(value, fields, strict=True)) + "}"
        case t.ArrayType(elementType=item):
            return "[" + ", ".join(_text(v, item, zone) for v in value) + "]"
        case t.MapType(keyType=key, valueType=item):
            return "{" + ", ".join(f"{_text(k, key, zone)} -> {_text(v, item, zone)}" for k, v in value) + "}"
        case _:
            return _atom_text(value, data_type, zone)


def _atom_text(value: Any, data_type: t.DataType, zone: tzinfo) -> str:
    match data_type:
        case t.BooleanType():
            return str(value).lower()
        case t.VariantType():
            return json_text(*value)
        case t.BinaryType():
            return "[" + " ".join(f"{byte:02X}" for byte in value) + "]"
        case t.DecimalType():
            return f"{value:f}"
        case t.FloatType():
            return float_text(np.float32(value))
        case t.DoubleType():
            return float_text(np.float64(value))
        case t.DateType():
            return date_text(np.datetime64(value, "D"))
        case t.TimestampType():
            return instant_text(value + offset_us(value, zone))
        case t.TimestampNTZType():
            return instant_text(value)
        case t.DayTimeIntervalType(startField=start, endField=end):
            return _day_time_text(value, start, end, data_type.sql())
        case t.TimeType():
            text = value.isoformat()
            return str(text.rstrip("0") if value.microsecond else text)
        case t.CalendarIntervalType():
            return calendar_text(value.months, value.days, value.nanoseconds // 1000)
        case t.YearMonthIntervalType(startField=start, endField=end):
            return _year_month_text(value, start, end, data_type.sql())
        case _:
            return str(value)


def _day_time_text(value: int, start: int, end: int, sql: str) -> str:
    sign, rest = ("-", -value) if value < 0 else ("", value)
    parts = []
    for unit in range(start, end + 1):
        count, rest = divmod(rest, _UNITS[unit])
        parts.append(str(count) if unit == 0 else f"{count:02d}")
    if end == 3 and rest:
        parts[-1] += f".{rest:06d}".rstrip("0")
    days = [parts.pop(0)] if start == 0 else []
    text = " ".join([*days, ":".join(parts)] if parts else days)
    return f"INTERVAL '{sign}{text}' {sql.removeprefix('INTERVAL ')}"


def _year_month_text(value: int, start: int, end: int, sql: str) -> str:
    sign, months = ("-", -value) if value < 0 else ("", value)
    both = f"{months // 12}-{months % 12}" if start != end else str(months // 12 if start == 0 else months)
    return f"INTERVAL '{sign}{both}' {sql.removeprefix('INTERVAL ')}"
