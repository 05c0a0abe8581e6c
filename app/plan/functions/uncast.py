"""Parameters for which Spark casts nothing, or less than it does elsewhere."""

from __future__ import annotations

import re

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Const
from app.plan.functions.signature import Args, wrong_type

_Kinds = tuple[type[t.DataType], ...]
_TEXT: _Kinds = (t.StringType,)
_WHOLE: _Kinds = (t.IntegralType,)
_SMALL: _Kinds = (t.ByteType, t.ShortType, t.IntegerType)
_INT: _Kinds = (t.IntegerType,)
_INDEX: _Kinds = (t.NumericType, t.StringType)
_MOMENT: _Kinds = (t.StringType, t.DateType, t.TimestampType, t.TimestampNTZType)
_ATOM: _Kinds = (t.AtomicType,)
_EVERY = range(8)

_TAKEN: tuple[tuple[str, range | tuple[int, ...], _Kinds, str], ...] = (
    ("get_json_object json_array_length json_object_keys str_to_map parse_url try_parse_url mask", _EVERY, _TEXT,
     "STRING"),
    ("from_json from_csv", (0,), _TEXT, "STRING"),
    ("array_join", (1, 2), _TEXT, "STRING"),
    ("bit_get bit_and bit_or bit_xor timestamp_micros timestamp_millis ~", (0,), _WHOLE, "INTEGRAL"),
    ("timestamp_seconds", (0,), (t.NumericType,), "NUMERIC"),
    ("unix_date", (0,), (t.DateType,), "DATE"),
    ("unix_timestamp to_unix_timestamp", (0,), _MOMENT, 'STRING" or "DATE" or "TIMESTAMP'),
    ("array_repeat", (1,), _INT, "INT"),
    ("format_number", (1,), (*_INT, t.StringType), 'INT" or "STRING'),
    ("percentile", (2,), _WHOLE, "INTEGRAL"),
    ("elt", (0,), _INDEX, "INT"),
    ("elt", range(1, 8), _ATOM, "STRING"),
    ("unhex", (0,), _ATOM, "STRING"),
    ("make_dt_interval", (3,), _INDEX, "DECIMAL(18,6)"),
    ("make_timestamp make_timestamp_ntz make_timestamp_ltz", (5,), _INDEX, "DECIMAL(16,6)"),
)  # fmt: skip
"""Names, positions, and what may stand there besides a null."""


def check_taken(name: str, args: Args, ansi: bool) -> None:
    """Returns if Spark takes arguments of these types. Raises: PlanError."""
    for names, positions, kinds, wants in _TAKEN:
        if name in names.split():
            for at in positions:
                _check(name, at, args, kinds, wants)
    if name == "decode" and len(args) == 2:
        _check(name, 0, args, (t.StringType, t.BinaryType), "BINARY")
    if name in ("element_at", "try_element_at") and args and isinstance(args[0].type, t.ArrayType):
        _check(name, 1, args, _SMALL, "INT")
    if not ansi and name in ("date_add", "date_sub", "try_add", "try_subtract") and len(args) == 2:
        _check_days(name, args)


def _check(name: str, at: int, args: Args, kinds: _Kinds, wants: str) -> None:
    if at < len(args) and not isinstance(args[at].type, (*kinds, t.NullType)):
        raise wrong_type(name, at, wants, args[at])


def _check_days(name: str, args: Args) -> None:
    """A number of days, which may be a literal text but no column of texts."""
    days = args[1]
    if name.startswith("try_") and not isinstance(args[0].type, t.DateType):
        return
    if isinstance(days, Const) and isinstance(days.value, str) and not re.fullmatch(r"\s*[+-]?\d+\s*", days.value):
        raise PlanError(
            f"The second argument of `{name}` needs to be an integer, but is '{days.value}'. Write a whole number.",
            code="SECOND_FUNCTION_ARGUMENT_NOT_INTEGER",
        )
    wrong: _Kinds = (t.LongType,) if isinstance(days, Const) else (t.LongType, t.StringType)
    if isinstance(days.type, wrong):
        raise wrong_type(name, 1, 'INT" or "SMALLINT" or "TINYINT', days)
