"""What `spark.sql` is given besides its text: values for parameters, and DataFrames and values for `{name}`."""

from __future__ import annotations

import string
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from app.errors import ArgumentError, ArgumentTypeError, PlanError
from app.plan import nodes
from app.plan.expressions import Alias, Attribute, Call, Cast, Expr, Literal
from app.plan.parse.arguments import Arguments
from app.sql.dataframe import DataFrame

_CONSTRUCTORS = ("array", "map", "struct", "named_struct", "map_from_arrays", "map_from_entries")


def sql_arguments(args: Any) -> Arguments:
    """The values of `:name` (a dict) or `?` (a list). Raises: ArgumentTypeError, PlanError INVALID_SQL_ARG."""
    if args is None:
        return Arguments()
    if not isinstance(args, (dict, list)):
        raise ArgumentTypeError(
            f"Argument `args` should not be a {type(args).__name__}; give a dict for :name, a list for ?.",
            code="INVALID_TYPE",
        )
    for name, value in args.items() if isinstance(args, dict) else enumerate(args):
        _check(name, getattr(value, "_expr", value))
    return Arguments(named=args) if isinstance(args, dict) else Arguments(placed=args)


def _check(name: Any, value: Any) -> None:
    if isinstance(value, (dict, tuple)):
        raise ArgumentTypeError(
            f"The feature is not supported: Literal for {value!r}. Use create_map(), struct() or a list.",
            code="UNSUPPORTED_FEATURE.LITERAL_TYPE",
        )
    constant = not isinstance(value, Expr) or _is_constant(value)
    if not constant or (isinstance(value, list) and any(item is None for item in value)):
        raise PlanError(
            f"The argument {name} of `sql()` is invalid. Consider to replace it either by a SQL literal or by "
            "collection constructor functions such as `map()`, `array()`, `struct()`.",
            code="INVALID_SQL_ARG",
        )


def _is_constant(expr: Expr) -> bool:
    match expr:
        case Literal():
            return True
        case Alias(child=child) | Cast(child=child):
            return _is_constant(child)
        case Call(name=name, args=args):
            return name in _CONSTRUCTORS and all(map(_is_constant, args))
    return False


def filled(text: str, frames: dict[str, Any], tables: dict[str, nodes.Node]) -> str:
    """`{name}` replaced: a DataFrame by the name of a table (added to `tables`), a Column by its name, other values by
    literals. Raises: PlanError, ArgumentError."""
    formatter, parts = string.Formatter(), []
    for before, name, spec, _conversion in formatter.parse(text):
        parts.append(before)
        if name is None:
            continue
        try:
            value, _ = formatter.get_field(name, (), frames)
        except (KeyError, IndexError) as error:
            raise PlanError(
                f"No value was given for {{{name}}}. Give sql() a keyword argument of that name.",
                code="UNBOUND_SQL_PARAMETER",
                name=name,
            ) from error
        parts.append(_shown(name, value, spec or "", tables))
    return "".join(parts)


def _shown(name: str, value: Any, spec: str, tables: dict[str, nodes.Node]) -> str:
    if isinstance(value, DataFrame):
        tables[f"_frame_{name}"] = value._node
        return f"_frame_{name}"
    expr = getattr(value, "_expr", None)
    if isinstance(expr, Attribute):
        return ".".join(f"`{part}`" for part in expr.parts)
    if isinstance(expr, Expr):
        raise ArgumentError(
            f"Value `{value!r}` in `{name}` should be a plain column reference such as `df.col` or `col('column')`.",
            code="VALUE_NOT_PLAIN_COLUMN_REFERENCE",
        )
    return _literal(value, spec)


def _literal(value: Any, spec: str) -> str:
    """A value as SQL text."""
    match value:
        case None:
            return "NULL"
        case bool() | int() | float() | Decimal():
            return format(value, spec)
        case str():
            return "'" + format(value, spec).replace("\\", "\\\\").replace("'", "\\'") + "'"
        case bytes():
            return f"X'{value.hex()}'"
        case datetime():
            return f"TIMESTAMP'{value.astimezone(UTC).isoformat(sep=' ')}'"
        case date():
            return f"DATE'{value.isoformat()}'"
        case list():
            return f"array({', '.join(_literal(item, '') for item in value)})"
    raise ArgumentTypeError(
        f"A value of type {type(value).__name__} cannot stand in SQL text; pass it by args.", code="UNSUPPORTED_LITERAL"
    )
