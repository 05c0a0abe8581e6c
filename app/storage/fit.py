"""Whether an existing table can take what a query gives; a decision about names and types, without I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from app.storage.shape import TableColumn, TableShape

_TABLES = ("r", "p", "f")
_TEXTS = ("text", "character varying", "character", "bpchar", "citext", "json", "jsonb", "uuid")
_FITS: Mapping[str, tuple[str, ...]] = {
    "boolean": ("boolean",),
    "smallint": ("smallint", "integer", "bigint", "numeric"),
    "integer": ("integer", "bigint", "numeric"),
    "bigint": ("bigint", "numeric"),
    "real": ("real", "double precision"),
    "double precision": ("double precision",),
    "text": _TEXTS,
    "bytea": ("bytea",),
    "date": ("date",),
    "timestamptz": ("timestamp with time zone", "timestamp without time zone"),
    "timestamp": ("timestamp without time zone", "timestamp with time zone"),
    "interval": ("interval",),
    "time": ("time without time zone",),
    "jsonb": ("jsonb", "json", "text"),
}
"""What may hold the type on the left without losing anything. An instant in a column without a zone is UTC; text
in a typed column stands or falls with each value."""
_DIGITS = {"smallint": 5, "integer": 10, "bigint": 19}
_NUMERIC = re.compile(r"numeric\((\d+),(-?\d+)\)")


def misfits(
    shape: TableShape, columns: Mapping[str, str], keys: Sequence[str], *, nulls_equal: bool = True
) -> list[str]:
    """Everything that is wrong, each as half a sentence. `columns` are the query's names and PostgreSQL types;
    `nulls_equal`: this server has unique indexes to which nulls are equal."""
    if shape.kind not in _TABLES:
        return ["it is not a table"]
    found = []
    for name, kind in columns.items():
        column = shape.columns.get(name)
        if column is None:
            found.append(f"column {name!r} ({kind}) is missing")
        elif column.computed:
            found.append(f"column {name!r} is computed by the table and takes no values")
        elif not _holds(column, kind):
            found.append(f"column {name!r} is {column.shown}, which cannot hold every {kind} of the query")
    found += [
        f"column {column.name!r} is NOT NULL without a default and the query does not give it"
        for column in shape.columns.values()
        if column.name not in columns and column.required and not (column.has_default or column.computed)
    ]
    if keys and (wrong := _wrong_index(shape, frozenset(keys), nulls_equal)):
        listed = ", ".join('"' + key.replace('"', '""') + '"' for key in keys)
        clause = " NULLS NOT DISTINCT" if nulls_equal else ""
        found.append(f"{wrong} (CREATE UNIQUE INDEX ON … ({listed}){clause})")
    return found


def _wrong_index(shape: TableShape, keys: frozenset[str], nulls_equal: bool) -> str | None:
    matching = [index for index in shape.unique if index.columns == keys]
    listed = ", ".join(sorted(keys))
    if not matching:
        return f"it has no unique index on {listed}"
    if nulls_equal and not any(index.sees_nulls for index in matching):
        return f"its unique index on {listed} does not see two nulls as equal"
    return None


def _holds(column: TableColumn, kind: str) -> bool:
    base, _, length = column.base.partition("(")
    wanted = _NUMERIC.fullmatch(kind)
    if wanted is not None:
        return base == "numeric" and _holds_digits(column.base, int(wanted[1]), int(wanted[2]))
    if base in ("timestamp", "interval") and length:
        # timestamp(3) without time zone: fewer digits than microseconds.
        return False
    if base == "numeric" and kind in _DIGITS:
        return _holds_digits(column.base, _DIGITS[kind], 0)
    return base in _FITS[kind]


def _holds_digits(base: str, precision: int, scale: int) -> bool:
    typed = _NUMERIC.fullmatch(base)
    if typed is None:
        return base == "numeric"
    return int(typed[2]) >= scale and int(typed[1]) - int(typed[2]) >= precision - scale
