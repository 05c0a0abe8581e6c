"""Variants a batch at a time, as the texts that carry them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from app.errors import RowError
from app.kernel.arrow.entry import ArrowFunction, fail
from app.kernel.arrow.flat import replaced, valid
from app.kernel.arrow.json_texts import carried_if_usual
from app.kernel.arrow.variant_shapes import variant_shapes
from app.kernel.values import plain_values
from app.kernel.variant.carried import java_order, read, read_all, written, written_all
from app.kernel.variant.cast import Caster
from app.kernel.variant.convert import tree_of
from app.kernel.variant.parse import carried_of_json
from app.kernel.variant.schema import merged, packed, schema_of, schema_text, shape_of, unpacked
from app.kernel.variant.show import json_text
from app.plan import types as t
from app.plan.carriers import arrow_type, duckdb_type
from app.plan.variant_path import variant_path

_VARIANT = arrow_type(t.VariantType())
_SQL = duckdb_type(t.VariantType())
_ITEM = pa.struct([("pos", pa.int32()), ("key", pa.string()), ("value", _VARIANT)])
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


def _together(function: Callable[[pa.Array], list[Any]], column: pa.Array) -> list[Any]:
    """The function's answers of the texts that are not null, asked once for all; null for null."""
    if not column.null_count:
        return function(column)
    answers = iter(function(column.drop_null()))
    return [next(answers) if known else None for known in column.is_valid().to_pylist()]


def _trees(column: pa.Array) -> list[Any]:
    return read_all(column.to_pylist())


def _variants(texts: Iterable[str | None] | pa.Array) -> pa.Array:
    found = texts if isinstance(texts, pa.Array) else pa.array(texts, pa.string())
    return pa.StructArray.from_arrays([found], fields=list(_VARIANT), mask=found.is_null())


def _parse(texts: pa.Array, well_formed: pa.Array, safe: pa.Array, duplicates: pa.Array) -> pa.Array:
    """`well_formed` is what DuckDB's `json_valid` says of the texts."""
    lenient, several = _constant(safe), _constant(duplicates)

    def parsed(text: str) -> str | None:
        try:
            return carried_of_json(text, several)
        except RowError:
            if lenient:
                return None
            raise

    found, usual = carried_if_usual(texts, well_formed)
    if usual is None:
        return _variants(found)
    others = texts.filter(pa.array(~usual)).to_pylist()
    return _variants(replaced(found, ~usual, pa.array(_each(parsed, others), pa.string())))


def _get(column: pa.Array, paths: pa.Array, kind: pa.Array, zone: pa.Array, safe: pa.Array, name: pa.Array) -> pa.Array:
    to = _type(_constant(kind) or '"void"')
    caster, function = Caster(to, _constant(zone), _constant(safe)), _constant(name)

    def found(row: tuple[str, str]) -> Any:
        text, path = row
        at = read(text)
        for step in _path(path, function):
            if isinstance(step, int):
                if not isinstance(at, list) or step >= len(at):
                    return None
            elif not isinstance(at, dict) or step not in at:
                return None
            at = at[step]
        return caster.cast(at)

    rows = zip(column.to_pylist(), paths.to_pylist(), strict=True)
    return pa.array(_each(found, (None if None in row else row for row in rows)), arrow_type(to))


def _show(column: pa.Array, zone: pa.Array) -> pa.Array:
    zone_name = _constant(zone)
    return pa.array(_each(lambda text: json_text(text, zone_name), column.to_pylist()), pa.string())


def _convert(column: pa.Array, kind: pa.Array) -> pa.Array:
    of = _type(_constant(kind) or '"void"')
    return _variants(None if value is None else written(tree_of(value, of)) for value in plain_values(column))


def _explode(column: pa.Array) -> pa.Array:
    names: list[str | None] = []
    items: list[Any] = []
    counts = np.zeros(len(column) + 1, dtype=np.int32)
    for row, tree in enumerate(_together(_trees, column)):
        if isinstance(tree, dict):
            order = java_order(tree)
            names += order
            items += [tree[name] for name in order]
        elif isinstance(tree, list):
            names += [None] * len(tree)
            items += tree
        counts[row + 1] = len(items)
    sizes = np.diff(counts)
    places = np.arange(len(items), dtype=np.int32) - np.repeat(counts[:-1], sizes)
    parts = [pa.array(places), pa.array(names, pa.string()), _variants(written_all(items))]
    listed = pa.StructArray.from_arrays(parts, fields=list(_ITEM))
    return pa.ListArray.from_arrays(pa.array(counts), listed, mask=column.is_null())


def _schemas(show: Callable[[t.DataType], str]) -> Callable[[pa.Array], pa.Array]:
    """The types inside, each shown once for all of its shape."""

    def computed(column: pa.Array) -> pa.Array:
        shapes, kinds = variant_shapes(column.drop_null())
        known: dict[Any, str] = {}
        shown = []
        for tree in read_all(shapes):
            shape = shape_of(tree)
            if shape not in known:
                known[shape] = show(schema_of(tree))
            shown.append(known[shape])
        found = pa.array(shown, pa.string()).take(pa.array(kinds))
        if len(found) == len(column):
            return found
        return replaced(pa.nulls(len(column), pa.string()), valid(column), found)

    return computed


def _merge(columns: pa.Array) -> pa.Array:
    def whole(schemas: pa.ListScalar) -> str:
        found: t.DataType = t.NullType()
        for text in schemas.values.unique().to_pylist() if schemas.is_valid else ():
            found = found if text is None else merged(found, _type(text))
        return packed(found)

    return pa.array(map(whole, columns), pa.string())


def _shallow(compute: Callable[[pa.Array], pa.Array]) -> Callable[[pa.Array], pa.Array]:
    """The function, with an error for types that are nested too deeply for it."""

    def computed(column: pa.Array) -> pa.Array:
        try:
            return compute(column)
        except RecursionError:
            fail(
                "UNSUPPORTED_FEATURE",
                "schema_of_variant of a variant that is nested some hundred levels deep is not supported. Take a part "
                "of it with variant_get, or leave such rows out.",
            )

    return computed


def _constant(column: pa.Array) -> Any:
    """The value of an argument that is the same in all rows; None of no rows."""
    return column[0].as_py() if len(column) else None


def _schema_text(columns: pa.Array) -> pa.Array:
    return pa.array(_each(lambda text: schema_text(_type(text)), columns.to_pylist()), pa.string())


FUNCTIONS = {
    "wa_parse_json": ArrowFunction(_parse, ("VARCHAR", "BOOLEAN", "BOOLEAN", "BOOLEAN"), _SQL),
    "wa_variant_get": ArrowFunction(_get, ("VARCHAR", "VARCHAR", "VARCHAR", "VARCHAR", "BOOLEAN", "VARCHAR"), None),
    "wa_variant_json": ArrowFunction(_show, ("VARCHAR", "VARCHAR"), "VARCHAR"),
    "wa_variant": ArrowFunction(_convert, None, _SQL),
    "wa_variant_parts": ArrowFunction(
        _explode, ("VARCHAR",), f'STRUCT(pos INTEGER, "key" VARCHAR, "value" {_SQL})[]'
    ),
    "wa_variant_schema": ArrowFunction(_shallow(_schemas(packed)), ("VARCHAR",), "VARCHAR"),
    "wa_variant_schema_shown": ArrowFunction(_shallow(_schemas(schema_text)), ("VARCHAR",), "VARCHAR"),
    "wa_variant_schemas": ArrowFunction(_shallow(_merge), ("VARCHAR[]",), "VARCHAR"),
    "wa_variant_schema_text": ArrowFunction(_shallow(_schema_text), ("VARCHAR",), "VARCHAR"),
}  # fmt: skip
