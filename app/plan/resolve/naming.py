"""What names generated from expressions depend on besides their text: which column, field, type or query is meant."""

from __future__ import annotations

from abc import abstractmethod

from app.errors import PlanError
from app.plan import bound
from app.plan import types as t
from app.plan.bound import Typed
from app.plan.expressions import Attribute, Call, Expr, Literal, Star, Subquery
from app.plan.relation_rewrite import outer_refs
from app.plan.resolve.names import find_column
from app.plan.resolve.pretty import pretty
from app.plan.resolve.scope import Context, Scope, Unresolved

_MOMENTS = (t.DateType, t.TimestampType, t.TimestampNTZType)
_INTERVALS = (t.DayTimeIntervalType, t.YearMonthIntervalType)
_QUERIES = {"scalar": "scalarsubquery", "exists": "exists", "in": "listquery"}


class Naming:
    """The part of a binder that says how Spark shows what it has bound."""

    def __init__(self, context: Context, scope: Scope) -> None:
        self.context = context
        self.scope = scope
        self._bound: dict[int, tuple[Expr, Typed]] = {}

    @abstractmethod
    def bind(self, expr: Expr) -> Typed: ...

    @abstractmethod
    def star(self, star: Star) -> list[Typed]: ...

    @abstractmethod
    def _output(self, expr: Attribute) -> Typed | None: ...

    def name_of(self, expr: Expr) -> str | None:
        """The name of a column or of a field access, for generated names."""
        try:
            if isinstance(expr, Attribute):
                return self._attribute_name(expr)
            if isinstance(expr, Star):
                return ", ".join(str(getattr(typed, "name", "")) for typed in self.star(expr))
            if isinstance(expr, Call) and len(expr.args) == 2:
                return self._field_name(expr) if expr.name == "getitem" else self._date_name(expr)
            if isinstance(expr, Subquery):
                return self._subquery_name(expr)
        except PlanError:
            return None
        return None

    def _date_name(self, expr: Call) -> str | None:
        """`dt + 1` is called `date_add(dt, 1)`, and `ts + INTERVAL '1' DAY` has no parentheses."""
        if expr.name not in ("+", "-"):
            return None
        left, right = (self._type_of(arg) for arg in expr.args)
        if not isinstance(left, _MOMENTS):
            return None
        shape = None
        if isinstance(left, t.DateType) and isinstance(right, t.IntegralType):
            shape = "date_add({}, {})" if expr.name == "+" else "date_sub({}, {})"
        elif isinstance(left, t.DateType) and right == t.DayTimeIntervalType(0, 0) and expr.name == "+":
            shape = "date_add({}, extractansiintervaldays({}))"
        elif isinstance(right, _INTERVALS):
            shape = f"{{}} {expr.name} {{}}"
        return shape and shape.format(*(pretty(arg, self.name_of) for arg in expr.args))

    def _type_of(self, expr: Expr) -> t.DataType:
        found = self._bound.get(id(expr))
        return (self.bind(expr) if found is None else found[1]).type

    def _attribute_name(self, expr: Attribute) -> str:
        try:
            _, rest = find_column(self.context, self.scope, expr)
        except Unresolved:
            alias = f"lateralAliasReference({expr.parts[0]})"
            return ".".join((alias, *expr.parts[1:])) if self._output(expr) is not None else expr.parts[-1]
        return ".".join((expr.parts[-1 - len(rest)] if rest else expr.parts[-1], *rest))

    def _field_name(self, expr: Call) -> str | None:
        base, key = expr.args
        if isinstance(key, Literal) and isinstance(key.value, str):
            kind = self._type_of(base)
            inner = kind.elementType if isinstance(kind, t.ArrayType) else kind
            if isinstance(inner, t.StructType):
                return f"{pretty(base, self.name_of)}.{key.value}"
        return None

    def _subquery_name(self, expr: Subquery) -> str | None:
        given = self._bound.get(id(expr))
        found = self.bind(expr) if given is None else given[1]
        assert isinstance(found, bound.Subquery)
        query = f"{_QUERIES[expr.kind]}({', '.join(ref.name for ref in outer_refs(found.relation))})"
        if expr.kind != "in":
            return query
        values = [pretty(value, self.name_of) for value in expr.values]
        if len(values) == 1:
            return f"({values[0]} IN ({query}))"
        named = [isinstance(value, (Attribute, Literal)) for value in expr.values]
        names = [value if known else f"_{i}" for i, (value, known) in enumerate(zip(values, named, strict=True))]
        fields = ", ".join(f"'{name}', {value}" for name, value in zip(names, values, strict=True))
        return f"(named_struct({fields}) IN ({query}))"
