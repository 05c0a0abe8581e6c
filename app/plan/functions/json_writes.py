"""`to_json`: values as JSON text, in Java's form of numbers."""

from __future__ import annotations

import json

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Convert
from app.plan.coerce import contains, is_interval
from app.plan.functions.decimals import decimal_text
from app.plan.functions.entry import Binding, Function
from app.plan.functions.record_options import Options, options_const, options_in, options_of, show_time
from app.plan.functions.signature import ANY, Args, describe, scalar, unsupported
from app.plan.functions.variants import print_json
from app.plan.structs import field_of

_TEXT = t.StringType()
_OPTIONS = ("ignorenullfields", "pretty", "dateformat", "timestampformat", "timestampntzformat", "timeformat")


def _to_json(name: str, binding: Binding, args: Args) -> Args:
    value = args[0]
    if not isinstance(value.type, t.StructType | t.ArrayType | t.MapType | t.VariantType | t.NullType):
        raise PlanError(
            f'Cannot resolve `{name}({describe(value)})` due to data type mismatch: Input schema "{value.type.sql()}" '
            "must be a struct, an array, a map or a variant. Put a single value into struct(…).",
            code="DATATYPE_MISMATCH.INVALID_JSON_SCHEMA",
        )
    options = options_of(name, binding, args[1] if len(args) > 1 else None, _OPTIONS)
    nested = not isinstance(value.type, t.VariantType)
    if _flag(name, options, "pretty") and nested and contains(value.type, t.VariantType):
        raise unsupported(name, "the option 'pretty' for variants inside of other values; leave one of them out")
    _flag(name, options, "ignorenullfields")
    shown = _shown(value.type)
    return (value if shown == value.type else Convert(shown, value.nullable, value), options_const(options))


def _flag(name: str, options: Options, option: str) -> bool:
    """Raises: PlanError."""
    value = options.get(option, "false").lower()
    if value not in ("true", "false"):
        raise PlanError(f"The option {option!r} of `{name}` must be true or false.", code="INVALID_OPTION_VALUE")
    return value == "true"


def _shown(kind: t.DataType) -> t.DataType:
    """The type with texts for intervals, but for those in the keys of maps."""
    match kind:
        case t.ArrayType(element):
            return t.ArrayType(_shown(element), kind.containsNull)
        case t.MapType(key, value):
            return t.MapType(key, _shown(value), kind.valueContainsNull)
        case t.StructType():
            return t.StructType([t.StructField(f.name, _shown(f.dataType), f.nullable) for f in kind])
    return _TEXT if is_interval(kind) else kind


def _print_to_json(call: Apply | AggCall, args: tuple[str, ...]) -> str:
    kind, options = call.args[0].type, options_in(call.args[1])
    text = _json_of(args[0], kind, 0, options)
    pretty = options.get("pretty", "").lower() == "true" and not isinstance(kind, t.VariantType)
    return f"wa_json_pretty({text})" if pretty else text


def _json_of(sql: str, kind: t.DataType, depth: int, options: Options) -> str:
    v = f"j{depth}"
    match kind:
        case t.StructType():
            parts = []
            for at, f in enumerate(kind):
                key = json.dumps(f.name, ensure_ascii=False).replace("'", "''")
                text = _json_of(field_of(sql, at), f.dataType, depth, options)
                if options.get("ignorenullfields", "true").lower() == "false":
                    text = f"coalesce({text}, 'null')"
                parts.append(f"'{key}:' || {text}")
            return f"CASE WHEN {sql} IS NOT NULL THEN '{{' || concat_ws(',', {', '.join(parts)}) || '}}' END"
        case t.ArrayType(element):
            item = f"coalesce({_json_of(v, element, depth + 1, options)}, 'null')"
            return f"('[' || array_to_string(list_transform({sql}, lambda {v}: {item}), ',') || ']')"
        case t.MapType(key_kind, value):
            key_text = f"CAST(to_json({_key_text(f'{v}.key', key_kind)}) AS VARCHAR)"
            pair = f"{key_text} || ':' || coalesce({_json_of(f'{v}.value', value, depth + 1, options)}, 'null')"
            return f"('{{' || array_to_string(list_transform(map_entries({sql}), lambda {v}: {pair}), ',') || '}}')"
        case t.StringType():
            return f"CAST(to_json({sql}) AS VARCHAR)"
        case t.VariantType():
            return print_json(sql, options["timezone"])
        case t.FloatType() | t.DoubleType():
            return f"wt_json_float({sql})"
        case t.DecimalType(_, scale) if scale > 6:
            return f"wt_java_decimal({sql}, {scale})"
        case t.DecimalType():
            return decimal_text(sql, kind)
        case t.DateType() | t.TimestampType() | t.TimestampNTZType() | t.TimeType() | t.CalendarIntervalType():
            return f"('\"' || {show_time('to_json', sql, kind, options)} || '\"')"
        case t.BinaryType():
            return f"('\"' || to_base64({sql}) || '\"')"
    return f"CAST({sql} AS VARCHAR)"


def _key_text(sql: str, kind: t.DataType, depth: int = 0) -> str:
    """A key as the text of what Spark keeps of it: days, microseconds, months, values in brackets."""
    match kind:
        case t.StringType() | t.NullType():
            return f"CAST({sql} AS VARCHAR)"
        case t.IntegralType() | t.BooleanType() | t.YearMonthIntervalType():
            return f"CAST({sql} AS VARCHAR)"
        case t.FloatType() | t.DoubleType():
            return f"wt_java_number({sql})"
        case t.DecimalType(_, scale):
            return f"wt_java_decimal({sql}, {scale})" if scale > 6 else decimal_text(sql, kind)
        case t.DateType():
            return f"CAST({sql} - DATE '1970-01-01' AS VARCHAR)"
        case t.TimestampType() | t.TimestampNTZType() | t.DayTimeIntervalType():
            return f"CAST(epoch_us({sql}) AS VARCHAR)"
        case t.CalendarIntervalType():
            return f"wt_calendar_text({sql})"
        case t.ArrayType(element):
            k = f"k{depth}"
            item = f"coalesce({_key_text(k, element, depth + 1)}, 'null')"
            return f"('[' || array_to_string(list_transform({sql}, lambda {k}: {item}), ',') || ']')"
        case t.StructType():
            parts = [
                f"coalesce({_key_text(field_of(sql, at), f.dataType, depth)}, 'null')" for at, f in enumerate(kind)
            ]
            return f"('[' || {' || chr(44) || '.join(parts) or repr('')} || ']')"
    raise unsupported("to_json", f"map keys of type {kind.sql()}; make them STRING")


FUNCTIONS: tuple[Function, ...] = (
    scalar("to_json", (ANY, ANY), _TEXT, _print_to_json, optional=1, prepare=_to_json, nullable=True),
)
