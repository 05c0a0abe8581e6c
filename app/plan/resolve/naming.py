"""What names generated from expressions depend on besides their text: which column, field, type or query is meant."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from app.errors import PlanError
from app.plan import bound
from app.plan import types as t
from app.plan.bound import Typed
from app.plan.expressions import Attribute, Call, Expr, Literal, MomentLiteral, NamedArg, Star, Subquery
from app.plan.functions import lookup
from app.plan.functions.collation_keys import is_folded
from app.plan.functions.collations import UNITED
from app.plan.instant_texts import at_zone, on_the_wall
from app.plan.regions import zone_of
from app.plan.relation_rewrite import outer_refs
from app.plan.resolve.clauses import in_order
from app.plan.resolve.known_names import typed_name
from app.plan.resolve.names import find_column
from app.plan.resolve.pretty import literal_text, pretty
from app.plan.resolve.scope import Context, Scope, Unresolved
from app.plan.resolve.session_names import Given, GivenQuery, bare_call, given_in_order, variable, variable_text

_QUERIES = {"scalar": "scalarsubquery", "exists": "exists", "in": "listquery"}


class Naming:
    """The part of a binder that says how Spark shows what it has bound."""

    def __init__(self, context: Context, scope: Scope) -> None:
        self.context = context
        self.scope = scope
        self._bound: dict[int, tuple[Expr, Typed]] = {}
        self.variables = True
        """Whether a name that is no column may be a SQL variable."""

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
            if isinstance(expr, Literal | MomentLiteral):
                return self._literal_name(expr)
            if isinstance(expr, Star):
                return ", ".join(str(getattr(typed, "name", "")) for typed in self.star(expr))
            if isinstance(expr, Given | GivenQuery):
                return expr.text
            if isinstance(expr, Call):
                return self._call_name(expr)
            if isinstance(expr, Subquery):
                return self._subquery_name(expr)
        except PlanError:
            return None
        return None

    def _literal_name(self, expr: Literal | MomentLiteral) -> str | None:
        zone = self.context.binding.time_zone
        if isinstance(expr, MomentLiteral):
            assert isinstance(expr.child, Literal)
            return literal_text(on_the_wall(at_zone(expr.child.value, zone_of(zone)), zone), expr.to)
        if not isinstance(expr.type, t.TimestampType) or expr.value is None:
            return None
        return literal_text(on_the_wall(expr.value, zone), expr.type)

    def _variable(self, expr: Attribute) -> tuple[str, Expr, tuple[str, ...]] | None:
        return variable(self.context.binding, expr.parts) if self.variables and expr.of is None else None

    def _call_name(self, expr: Call) -> str | None:
        if any(isinstance(arg, NamedArg) for arg in expr.args):
            routine = self.context.binding.routines.get(expr.name.lower())
            args = in_order(lookup(expr.name), expr) if routine is None else given_in_order(routine, expr)
            return pretty(replace(expr, args=args), self.name_of)
        if (shown := self._with_collation(expr)) is not expr:
            return pretty(shown, self.name_of)
        return typed_name(expr, self._type_of, lambda arg: pretty(arg, self.name_of))

    def _with_collation(self, expr: Call) -> Call:
        """The call with the collation that its literals get from a string whose case does not matter."""
        texts = [isinstance(arg, Literal) and arg.type == t.StringType() for arg in expr.args]
        if not any(texts) or expr.name.lower() not in UNITED or any(isinstance(arg, Star) for arg in expr.args):
            return expr
        kinds = [self._type_of(arg) for arg in expr.args if not isinstance(arg, Literal)]
        folded = next((kind for kind in kinds if is_folded(kind)), None)
        if folded is None:
            return expr
        return replace(expr, args=tuple(
            replace(arg, type=folded) if isinstance(arg, Literal) and text else arg
            for arg, text in zip(expr.args, texts, strict=True)
        ))  # fmt: skip

    def _type_of(self, expr: Expr) -> t.DataType:
        found = self._bound.get(id(expr))
        return (self.bind(expr) if found is None else found[1]).type

    def _attribute_name(self, expr: Attribute) -> str:
        try:
            _, rest = find_column(self.context, self.scope, expr)
        except Unresolved:
            if self._output(expr) is None and (found := self._variable(expr)) is not None:
                return ".".join((variable_text(found[0], found[1]), *found[2]))
            if self._output(expr) is None and (call := bare_call(expr.parts)) is not None:
                return pretty(call)
            alias = f"lateralAliasReference({expr.parts[0]})"
            return ".".join((alias, *expr.parts[1:])) if self._output(expr) is not None else expr.parts[-1]
        return ".".join((expr.parts[-1 - len(rest)] if rest else expr.parts[-1], *rest))

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
