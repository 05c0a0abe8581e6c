"""Variants a batch at a time. A value that comes several times in a batch is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import pyarrow as pa

from app.errors import RowError
from app.kernel.arrow.entry import ArrowFunction
from app.kernel.values import plain_values
from app.kernel.variant.cast import Caster
from app.kernel.variant.convert import variant_of
from app.kernel.variant.parse import variant_of_json
from app.kernel.variant.read import Variant
from app.kernel.variant.schema import merged, packed, schema_of, schema_text, unpacked
from app.kernel.variant.show import json_text
from app.kernel.variant.valid import is_valid
from app.plan import types as t
from app.plan.carriers import arrow_type, duckdb_type
from app.plan.variant_path import variant_path

_VARIANT = arrow_type(t.VariantType())
_SQL = duckdb_type(t.VariantType())
_ITEMS = pa.list_(pa.struct([("pos", pa.int32()), ("key", pa.string()), ("value", _VARIANT)]))
_type = lru_cache(256)(unpacked)
_path = lru_cache(1024)(variant_path)


def _each(function: Callable[..., Any], rows: Iterable[Any]) -> list[Any]:
    """The function's answers, null for null; it is asked once for each different value."""
    known: dict[Any, Any] = {None: None}
    found = []
    for row in rows:
        if row not in known:
            known[row] = function(row)
        found.append(known[row])
    return found


def _variants(column: pa.Array) -> list[tuple[bytes, bytes] | None]:
    return plain_values(column)


def _array_of(variants: Iterable[tuple[bytes, bytes] | None]) -> pa.Array:
    found = list(variants)
    parts = {
        "value": pa.array([v and v[0] for v in found], pa.binary()),
        "metadata": pa.array([v and v[1] for v in found], pa.binary()),
    }
    mask = pa.array([v is None for v in found], pa.bool_())
    return pa.StructArray.from_arrays([parts[f.name] for f in _VARIANT], fields=list(_VARIANT), mask=mask)


def _parse(texts: pa.Array, safe: pa.Array, duplicates: pa.Array) -> pa.Array:
    lenient, several = _constant(safe), _constant(duplicates)

    def parsed(text: str) -> tuple[bytes, bytes] | None:
        try:
            return variant_of_json(text, several)
        except RowError:
            if lenient:
                return None
            raise

    return _array_of(_each(parsed, texts.to_pylist()))


def _get(column: pa.Array, paths: pa.Array, kind: pa.Array, zone: pa.Array, safe: pa.Array, name: pa.Array) -> pa.Array:
    to = _type(_constant(kind) or '"void"')
    caster, function = Caster(to, _constant(zone), _constant(safe)), _constant(name)

    def found(row: tuple[tuple[bytes, bytes], str]) -> Any:
        (value, metadata), path = row
        at: Variant | None = Variant(value, metadata)
        for step in _path(path, function):
            at = at and at.step(step)
        return None if at is None else caster.cast(at)

    rows = zip(_variants(column), paths.to_pylist(), strict=True)
    return pa.array(_each(found, (None if None in row else row for row in rows)), arrow_type(to))


def _show(column: pa.Array, zone: pa.Array) -> pa.Array:
    zone_name = _constant(zone)
    return pa.array(_each(lambda v: json_text(Variant(*v), zone_name), _variants(column)), pa.string())


def _convert(column: pa.Array, kind: pa.Array) -> pa.Array:
    of = _type(_constant(kind) or '"void"')
    return _array_of(None if value is None else variant_of(value, of) for value in plain_values(column))


def _explode(column: pa.Array) -> pa.Array:
    def parts(row: tuple[bytes, bytes]) -> list[dict[str, Any]]:
        variant = Variant(*row)
        kind = variant.kind
        found: list[tuple[str | None, Variant]] = []
        if kind == "object":
            found += variant.fields()
        elif kind == "array":
            found += [(None, item) for item in variant.items()]
        pairs = [(key, *item.sliced()) for key, item in found]
        return [
            {"pos": at, "key": key, "value": {"value": value, "metadata": metadata}}
            for at, (key, value, metadata) in enumerate(pairs)
        ]

    return pa.array(_each(parts, _variants(column)), _ITEMS)


def _schema(column: pa.Array) -> pa.Array:
    return pa.array(_each(lambda v: packed(schema_of(Variant(*v))), _variants(column)), pa.string())


def _merge(columns: pa.Array) -> pa.Array:
    def whole(schemas: list[str | None]) -> str:
        found: t.DataType = t.NullType()
        for text in dict.fromkeys(schemas):
            found = found if text is None else merged(found, _type(text))
        return packed(found)

    return pa.array([whole(schemas or []) for schemas in columns.to_pylist()], pa.string())


def _constant(column: pa.Array) -> Any:
    """The value of an argument that is the same in all rows; None of no rows."""
    return column[0].as_py() if len(column) else None


def _schema_text(columns: pa.Array) -> pa.Array:
    return pa.array(_each(lambda text: schema_text(_type(text)), columns.to_pylist()), pa.string())


def _valid(column: pa.Array) -> pa.Array:
    return pa.array(_each(lambda v: is_valid(*v), _variants(column)), pa.bool_())


FUNCTIONS = {
    "wa_parse_json": ArrowFunction(_parse, ("VARCHAR", "BOOLEAN", "BOOLEAN"), _SQL),
    "wa_variant_get": ArrowFunction(_get, (_SQL, "VARCHAR", "VARCHAR", "VARCHAR", "BOOLEAN", "VARCHAR"), None),
    "wa_variant_json": ArrowFunction(_show, (_SQL, "VARCHAR"), "VARCHAR"),
    "wa_variant": ArrowFunction(_convert, None, _SQL),
    "wa_variant_parts": ArrowFunction(
        _explode, (_SQL,), f'STRUCT(pos INTEGER, "key" VARCHAR, "value" {_SQL})[]'
    ),
    "wa_variant_schema": ArrowFunction(_schema, (_SQL,), "VARCHAR"),
    "wa_variant_schemas": ArrowFunction(_merge, ("VARCHAR[]",), "VARCHAR"),
    "wa_variant_schema_text": ArrowFunction(_schema_text, ("VARCHAR",), "VARCHAR"),
    "wa_variant_valid": ArrowFunction(_valid, (_SQL,), "BOOLEAN"),
}  # fmt: skip
