"""Variants: values of any type, with their types."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call, lit


def parse_json(col: ColumnOrName) -> Column:
    """The variant that a JSON text stands for; a text that is no JSON is an error.

    >>> parse_json("a")._expr
    Call(name='parse_json', args=(Attribute(parts=('a',)),), distinct=False, filter=None, ignore_nulls=False, order=())
    """
    return call("parse_json", col)


def try_parse_json(col: ColumnOrName) -> Column:
    """The variant that a JSON text stands for, null for a text that is no JSON."""
    return call("try_parse_json", col)


def variant_get(v: ColumnOrName, path: Column | str, targetType: str) -> Column:
    """What stands at a path (`$.a[0]['b']`) in a variant, as a type; null where nothing is there. A value that cannot
    be cast is an error."""
    return call("variant_get", v, lit(path), lit(targetType))


def try_variant_get(v: ColumnOrName, path: Column | str, targetType: str) -> Column:
    """What stands at a path in a variant, as a type; null where nothing is there, or where it cannot be cast."""
    return call("try_variant_get", v, lit(path), lit(targetType))


def is_variant_null(v: ColumnOrName) -> Column:
    """Whether a variant is the null of JSON; false for a null that is no variant."""
    return call("is_variant_null", v)


def is_valid_variant(v: ColumnOrName) -> Column:
    """Whether a variant can be read to its last part."""
    return call("is_valid_variant", v)


def schema_of_variant(v: ColumnOrName) -> Column:
    """The type of what is in a variant, as text: `OBJECT<a: BIGINT>`."""
    return call("schema_of_variant", v)


def schema_of_variant_agg(v: ColumnOrName) -> Column:
    """The type that holds what is in all variants of the group, as text."""
    return call("schema_of_variant_agg", v)


def to_variant_object(col: ColumnOrName) -> Column:
    """A struct, map or array as a variant."""
    return call("to_variant_object", col)
