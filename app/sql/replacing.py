"""`df.replace`: values in the place of others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from app.errors import ArgumentError, ArgumentTypeError
from app.plan import nodes
from app.plan import types as t
from app.plan.expressions import Attribute, Call, Case, Cast, Expr, Literal
from app.sql.arguments import wrong_type
from app.sql.literals import literal

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame

NOT_GIVEN: Any = object()
_KINDS = ((bool, "bool"), (str, "str"), ((int, float), "numeric"))


def replaced(df: DataFrame, to_replace: Any, value: Any, fields: list[t.StructField]) -> DataFrame:
    """The rows in which the columns `fields` that hold values of the kind have new ones. Raises: ArgumentError,
    ArgumentTypeError."""
    pairs = _pairs(to_replace, value)
    if not pairs:
        return df
    kind = _kind(pairs)
    columns = tuple((f.name, _replaced(f, pairs)) for f in fields if _takes(f.dataType, kind))
    return df._derive(nodes.WithColumns(df._node, columns)) if columns else df


def _pairs(to_replace: Any, value: Any) -> list[tuple[Any, Any]]:
    if value is NOT_GIVEN and not isinstance(to_replace, dict):
        raise ArgumentTypeError(
            "Argument `value` is required when `to_replace` is not a dictionary.", code="ARGUMENT_REQUIRED"
        )
    if not isinstance(to_replace, (bool, float, int, str, list, tuple, dict)):
        raise wrong_type("to_replace", "bool, dict, float, int, str, tuple or list", to_replace)
    if isinstance(to_replace, dict):
        return list(to_replace.items())
    if value is not None and not isinstance(value, (bool, float, int, str, list, tuple)):
        raise wrong_type("value", "bool, float, int, str, tuple or list", value)
    sought = list(to_replace) if isinstance(to_replace, (list, tuple)) else [to_replace]
    given = list(value) if isinstance(value, (list, tuple)) else [value] * len(sought)
    if len(sought) != len(given):
        raise ArgumentError(
            f"to_replace and value lists should be of the same length, but there are {len(sought)} and {len(given)}.",
            code="LENGTH_SHOULD_BE_THE_SAME",
        )
    return list(zip(sought, given, strict=True))


def _kind(pairs: list[tuple[Any, Any]]) -> str:
    for classes, name in _KINDS:
        if all(isinstance(key, classes) and (new is None or isinstance(new, classes)) for key, new in pairs):
            return name
    raise ArgumentError(
        "Mixed type replacements are not supported: give booleans, numbers or strings only.",
        code="MIXED_TYPE_REPLACEMENT",
    )


def _takes(data_type: t.DataType, kind: str) -> bool:
    wanted = {"bool": t.BooleanType, "str": t.StringType, "numeric": t.NumericType}[kind]
    return isinstance(data_type, wanted)


def _replaced(f: t.StructField, pairs: list[tuple[Any, Any]]) -> Expr:
    column = Attribute((f.name,))
    branches = tuple((_found(column, f.dataType, key), _new(f.dataType, new)) for key, new in pairs)
    return Case(branches, column)


def _found(column: Expr, data_type: t.DataType, key: Any) -> Expr:
    if isinstance(key, float) and math.isnan(key):
        return Call("==", (Cast(column, t.DoubleType()), Literal(key, t.DoubleType())))
    if isinstance(data_type, t.NumericType):
        return Call("==", (Cast(column, t.DoubleType()), Literal(float(key), t.DoubleType())))
    return Call("==", (column, literal(key)))


def _new(data_type: t.DataType, value: Any) -> Expr:
    if value is None:
        return Literal(None, data_type)
    known = Literal(float(value), t.DoubleType()) if isinstance(data_type, t.NumericType) else literal(value)
    return Cast(known, data_type)
