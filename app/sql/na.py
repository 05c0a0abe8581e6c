"""`df.na`: rows and values with nulls (and NaN)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.errors import ArgumentError
from app.plan import nodes
from app.plan import types as t
from app.plan.expressions import Attribute, Call, Case, Cast, Expr, Literal
from app.sql.arguments import wrong_type
from app.sql.literals import literal
from app.sql.replacing import NOT_GIVEN, replaced

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame


class DataFrameNaFunctions:
    """What `df.na` offers; null and, in float columns, NaN count as missing."""

    def __init__(self, df: DataFrame) -> None:
        self._df = df

    def drop(self, how: str = "any", thresh: int | None = None, subset: Any = None) -> DataFrame:
        """The rows without a missing value ("any"), or with at least one that is there ("all"); with `thresh`, those
        with at least that many values. Raises: ArgumentError, ArgumentTypeError, PlanError."""
        if how not in ("any", "all"):
            raise ArgumentError(f"Value for `how` must be 'any' or 'all', got {how!r}.", code="VALUE_NOT_ANY_OR_ALL")
        fields = self._fields(subset)
        if not fields:
            return self._df
        least = thresh if thresh is not None else len(fields) if how == "any" else 1
        present = [_present(f) for f in fields]
        if least >= len(fields):
            condition = _joined("and", present) if least == len(fields) else Literal(False, t.BooleanType())
        elif least == 1:
            condition = _joined("or", present)
        else:
            one, none = Literal(1, t.IntegerType()), Literal(0, t.IntegerType())
            count = _joined("+", [Case(((p, one),), none) for p in present])
            condition = Call(">=", (count, Literal(least, t.IntegerType())))
        return self._df._derive(nodes.Filter(self._df._node, condition))

    def fill(self, value: Any, subset: Any = None) -> DataFrame:
        """`value` in the place of missing ones, in columns of its kind (number, string, bool), or in those of
        `subset`; a dict gives a value a column, cast to the type it has. Raises: ArgumentTypeError, PlanError."""
        if not isinstance(value, (bool, int, float, str, dict)):
            raise wrong_type("value", "bool, dict, float, int or str", value)
        if isinstance(value, dict):
            fitting = [(self._fields([name])[0], item) for name, item in value.items()]
        else:
            # PySpark makes a float of a number here, which makes whole columns nullable; so do we.
            item = float(value) if type(value) is int else value
            fitting = [(f, item) for f in self._fields(subset) if _fits(f.dataType, item)]
        columns = tuple((f.name, _filled(f, item)) for f, item in fitting)
        return self._df._derive(nodes.WithColumns(self._df._node, columns)) if columns else self._df

    def replace(self, to_replace: Any, value: Any = NOT_GIVEN, subset: Any = None) -> DataFrame:
        """Other values for some, in the columns of their kind (number, string, bool), or in those of `subset`: one for
        one, a list for a list, or a dict of both. Raises: ArgumentError, ArgumentTypeError, PlanError."""
        return replaced(self._df, to_replace, value, self._fields(subset))

    def _fields(self, subset: Any) -> list[t.StructField]:
        if subset is None:
            return list(self._df.schema)
        if isinstance(subset, str):
            subset = [subset]
        if not isinstance(subset, (list, tuple)):
            raise wrong_type("subset", "list, tuple or str", subset)
        found = []
        for name in subset:
            wanted = self._df.select(self._df[name]).schema.fields[0]
            found.append(wanted)
        return found


def _column(f: t.StructField) -> Expr:
    return Attribute((f.name,))


def _present(f: t.StructField) -> Expr:
    there = Call("isnotnull", (_column(f),))
    if isinstance(f.dataType, (t.FloatType, t.DoubleType)):
        return Call("and", (there, Call("not", (Call("isnan", (_column(f),)),))))
    return there


def _joined(operator: str, parts: list[Expr]) -> Expr:
    whole = parts[0]
    for part in parts[1:]:
        whole = Call(operator, (whole, part))
    return whole


def _fits(data_type: t.DataType, value: Any) -> bool:
    if isinstance(value, bool):
        return isinstance(data_type, t.BooleanType)
    return isinstance(data_type, t.StringType if isinstance(value, str) else t.NumericType)


def _filled(f: t.StructField, value: Any) -> Expr:
    known: Expr = _column(f)
    if isinstance(f.dataType, (t.FloatType, t.DoubleType)):
        known = Call("nanvl", (known, Cast(Literal(None, t.NullType()), f.dataType)))
    return Call("coalesce", (known, Cast(literal(value), f.dataType)))
