"""Expressions with their types: names looked up, functions bound, lambdas typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import Apply, Const, LambdaFn, LambdaRef, Typed
from app.plan.expressions import (
    Alias,
    Attribute,
    Call,
    Case,
    Cast,
    Expr,
    Lambda,
    Literal,
    Outer,
    Over,
    SortKey,
    Star,
    Subquery,
)
from app.plan.functions import catalogue, lookup
from app.plan.functions.entry import Function
from app.plan.functions.times_of_day import with_time_type
from app.plan.functions.zones import in_zone
from app.plan.resolve.cases import bound_case
from app.plan.resolve.casts import cast_to
from app.plan.resolve.clauses import check_filter, check_within_group, in_order, refuse_clauses, with_clauses
from app.plan.resolve.enclosing import Enclosing
from app.plan.resolve.excepted import without_dropped
from app.plan.resolve.names import base_column, expand_star, find_column, find_field
from app.plan.resolve.naming import Naming
from app.plan.resolve.pretty import pretty
from app.plan.resolve.scope import Context, Scope, Unresolved
from app.plan.resolve.session_names import Given, GivenQuery, bare_call, expanded, routine_arguments
from app.plan.resolve.subqueries import among, exists, in_lambda, negation, outer_alone, scalar
from app.plan.resolve.sugar import desugared
from app.plan.resolve.windows import not_over, ordered, refuse_aliases, refuse_windows, windowed_call, without_over


@dataclass(frozen=True)
class Outputs:
    """Results of the same SELECT that expressions may name: in SELECT itself where no input column has the name
    (`first` False), in HAVING and ORDER BY before the input columns. None marks a name that two results have."""

    named: Mapping[str, Typed | None] = field(default_factory=dict)
    first: bool = False


class Binder(Naming):
    """Binds expressions to the columns of one scope; with `outside`, names that are not there to those of the query
    around it."""

    def __init__(self, context: Context, scope: Scope, outputs: Outputs | None = None, outside: bool = True) -> None:
        super().__init__(context, scope)
        self._outputs = outputs or Outputs()
        self._around = context.around if outside else None
        self._params: dict[str, LambdaRef] = {}
        self._in_aggregate = False
        self.selecting = False
        """Whether the expressions are items of a SELECT, where a generator may stand alone."""

    def bind(self, expr: Expr) -> Typed:
        """The expression with types. Raises: Unresolved, PlanError."""
        typed = self._bind(expr)
        self._bound[id(expr)] = (expr, typed)
        return typed

    def _bind(self, expr: Expr) -> Typed:
        match expr:
            case Attribute():
                return self._attribute(expr)
            case Literal():
                return in_zone(Const(expr.type, expr.value is None, expr.value), self.context.binding.time_zone)
            case Call():
                return self._call(expr)
            case Cast():
                child = self.bind(expr.child)
                shown = pretty(expr, self.name_of)
                binding = self.context.binding
                converted = with_time_type(cast_to(child, expr.to, expr.safe, binding.ansi, shown), binding, (child,))
                return in_zone(converted, binding.time_zone, (child,))
            case Case():
                return bound_case(self, expr)
            case Over():
                return self._over(expr)
            case Subquery():
                return self._subquery(expr)
            case Outer():
                return self._from_around(expr.child, outer_alone(expr.child))
            case Alias():
                return self.bind(expr.child)
            case Given() | GivenQuery():
                return expr.typed if isinstance(expr, Given) else self._subquery(expr.query, Enclosing(expr.find))
            case Star():
                raise PlanError(
                    "Invalid usage of '*' in an expression: it stands for columns only in a select list and as an "
                    "argument of a function.",
                    code="INVALID_USAGE_OF_STAR_OR_REGEX",
                )
            case SortKey():
                raise PlanError(
                    f"asc() and desc() of {pretty(expr, self.name_of)} belong into orderBy() only.",
                    code="INVALID_SORT_KEY",
                )
            case Lambda():
                raise PlanError(
                    "A lambda function should only be used in a higher order function.",
                    code="UNEXPECTED_LAMBDA",
                )
        raise AssertionError(f"unknown expression {expr!r}")

    def generator(self, expr: Call) -> Apply:
        """A call of a generator, where one may stand."""
        function = lookup(expr.name)
        bound = function.bind(self.context.binding, self._arguments(in_order(function, expr)))
        assert isinstance(bound, Apply)
        refuse_windows((bound,), "a generator", "UNSUPPORTED_EXPR_FOR_OPERATOR")
        return bound

    def column_of(self, expr: Attribute) -> int | None:
        """The position of the input column an attribute means, None where it means anything else."""
        if self._params or (self._outputs.first and self._output(expr) is not None):
            return None
        try:
            at, rest = find_column(self.context, self.scope, expr)
        except Unresolved:
            return None
        return None if rest else at

    def boolean(self, typed: Typed, shown: str, code: str, what: str) -> Typed:
        """The same if it is a boolean. Raises: PlanError with `code`."""
        if isinstance(typed.type, t.BooleanType):
            return typed
        raise PlanError(f'{what} "{shown}" of type "{typed.type.sql()}" is not a boolean.', code=code)

    def _attribute(self, expr: Attribute) -> Typed:
        param = self._params.get(self.scope.key(expr.parts[0])) if expr.of is None else None
        if param is not None:
            return self._fields(param, expr.parts[1:])
        if self._outputs.first and not self._in_aggregate and (output := self._output(expr)) is not None:
            return output
        try:
            at, rest = find_column(self.context, self.scope, expr)
        except Unresolved as error:
            output = None if self._in_aggregate else self._output(expr)
            return self._from_outside(expr, error) if output is None else output
        return self._fields(self.scope.ref(at), rest)

    def _from_outside(self, expr: Attribute, missing: PlanError) -> Typed:
        """What a name means that is no column here: one of the query around this one, a variable, a function."""
        try:
            return self._from_around(expr, missing)
        except Unresolved:
            found, call = self._variable(expr), bare_call(expr.parts)
            if found is not None:
                return self._fields(self.bind(found[1]), found[2])
            if call is None or expr.of is not None:
                raise
            return self.bind(call)

    def _from_around(self, expr: Attribute, missing: PlanError) -> Typed:
        """A column of the query around this one."""
        if self._around is None:
            raise missing
        try:
            found, rest = self._around.column(expr)
        except Unresolved:
            raise missing from None
        return self._fields(found, rest)

    def _subquery(self, expr: Subquery, around: Enclosing | None = None) -> Typed:
        if self._params:
            raise in_lambda()
        around = around or Enclosing(lambda name: base_column(self.context, self.scope, name), self._outputs.first)
        scope = self.context.query(expr.query, around)
        if expr.kind == "in":
            values = [self.bind(value) for value in expr.values]
            return among(scope, around, values, expr.values, self.context.binding)
        return scalar(scope, around) if expr.kind == "scalar" else exists(scope, around)

    def _means_output(self, expr: Attribute) -> bool:
        """Whether an attribute is a result of the same SELECT that has no column of the name."""
        return not self._outputs.first and self.column_of(expr) is None and self._output(expr) is not None

    def _output(self, expr: Attribute) -> Typed | None:
        key = self.scope.key(expr.parts[0])
        if expr.of is not None or key not in self._outputs.named:
            return None
        found = self._outputs.named[key]
        if found is None:
            raise PlanError(
                f"Lateral column alias `{expr.parts[0]}` is ambiguous: more than one result has this name.",
                code="AMBIGUOUS_LATERAL_COLUMN_ALIAS",
            )
        return self._fields(found, expr.parts[1:])

    def _fields(self, base: Typed, names: tuple[str, ...]) -> Typed:
        for name in names:
            if isinstance(base.type, t.StructType):
                name = base.type.fields[find_field(base.type, name, self.context.case_sensitive)].name
            elif isinstance(base.type, t.ArrayType) and isinstance(base.type.elementType, t.StructType):
                base = self._field_of_each(base, base.type, name)
                continue
            elif not isinstance(base.type, (t.ArrayType, t.MapType, t.NullType)):
                raise PlanError(
                    f"Can't extract the field `{name}`. Need a complex type [STRUCT, ARRAY, MAP] but got "
                    f'"{base.type.sql()}".',
                    code="INVALID_EXTRACT_BASE_FIELD_TYPE",
                )
            base = lookup("getitem").bind(self.context.binding, (base, Const(t.StringType(), False, name)))
        return base

    def _field_of_each(self, base: Typed, kind: t.ArrayType, name: str) -> Typed:
        """One field of all structs in an array."""
        item = LambdaRef(kind.elementType, kind.containsNull, f"item_{len(self._params) + 1}")
        body = self._fields(item, (name,))
        each = LambdaFn(body.type, body.nullable, (item.name,), body)
        return lookup("transform").bind(self.context.binding, (base, each))

    def _call(self, expr: Call) -> Typed:
        if expr.name.lower() == "struct":
            return self._struct(expr)
        if (plain := desugared(expr)) is not None:
            return self._bind(plain)
        if expr.name == "getitem" and isinstance(expr.args[1], Literal) and isinstance(expr.args[1].value, str):
            return self._fields(self.bind(expr.args[0]), (expr.args[1].value,))
        if expr.name == "not" and len(expr.args) == 1 and (flipped := negation(self.bind(expr.args[0]))) is not None:
            return flipped
        routine = self.context.binding.routines.get(expr.name.lower())
        if routine is not None and expr.name.lower() not in catalogue():
            refuse_clauses(expr, None)
            given = routine_arguments(routine, expr).items()
            arguments = {name: Given(self.bind(arg), pretty(arg, self.name_of)) for name, arg in given}
            return self.bind(expanded(routine, arguments))
        function = lookup(expr.name)
        if function.kind == "generator":
            where = "NESTED_IN_EXPRESSIONS" if self.selecting else "OUTSIDE_SELECT"
            raise PlanError(
                f'The generator is not supported: "{pretty(expr, self.name_of)}" may only stand alone in a select '
                "list, not inside another expression or clause; select it first, then use the new column.",
                code=f"UNSUPPORTED_GENERATOR.{where}",
            )
        if function.kind == "aggregate":
            return self._aggregate(function, expr)
        with_lambdas = any(isinstance(arg, Lambda) for arg in expr.args)
        args = () if with_lambdas or function.kind == "window" else self._arguments(in_order(function, expr))
        refuse_clauses(expr, function)
        self.context.by_chance |= not function.deterministic
        if function.kind == "window":
            raise without_over(pretty(expr, self.name_of))
        return function.bind(self.context.binding, self._with_lambdas(function, expr) if with_lambdas else args)

    def _arguments(self, args: tuple[Expr, ...]) -> tuple[Typed, ...]:
        bound: list[Typed] = []
        for arg in args:
            bound += self.star(arg) if isinstance(arg, Star) else [self.bind(arg)]
        return tuple(bound)

    def star(self, star: Star) -> list[Typed]:
        """What `*`, `t.*` or `struct.*` stands for; for a struct, its fields."""
        found = expand_star(self.context, self.scope, star)
        if isinstance(found, list):
            dropped = [find_column(self.context, self.scope, column) for column in star.dropped]
            return without_dropped(self.context, [self.scope.ref(at) for at in found], dropped)
        at, rest = found
        base = self._fields(self.scope.ref(at), rest)
        if not isinstance(base.type, t.StructType):
            raise PlanError(
                f'Can only star expand struct data types; `{".".join(star.qualifier)}` is "{base.type.sql()}".',
                code="_LEGACY_ERROR_TEMP_1050",
            )
        left_out = {self.scope.key(column.parts[-1]) for column in star.dropped}
        return [self._fields(base, (name,)) for name in base.type.names if self.scope.key(name) not in left_out]

    def _struct(self, expr: Call) -> Typed:
        """`struct(a, b + 1 AS c, …)` is `named_struct` with the names of its arguments."""
        args: list[Typed] = []
        for i, arg in enumerate(expr.args, 1):
            values = self.star(arg) if isinstance(arg, Star) else [self.bind(arg)]
            for value in values:
                name = (isinstance(arg, Star) and getattr(value, "name", None)) or f"col{i}"
                if isinstance(arg, Alias):
                    name = arg.names[0]
                elif isinstance(arg, Attribute):
                    name = arg.parts[-1]
                args += [Const(t.StringType(), False, name), value]
        return lookup("named_struct").bind(self.context.binding, tuple(args))

    def _over(self, expr: Over) -> Typed:
        name = expr.call.name.lower()
        if name in self.context.binding.routines and name not in catalogue():
            raise PlanError(
                f"Using SQL function `{name}` in Window is not supported. Call it in a query around this one.",
                code="UNSUPPORTED_SQL_UDF_USAGE",
            )
        function, shown = lookup(expr.call.name), pretty(expr, self.name_of)
        refuse_aliases(expr, self._means_output)
        if function.kind == "aggregate":
            call = self._flagged_call(function, expr.call)
        elif function.kind == "window":
            refuse_clauses(expr.call, function)
            call = function.bind(self.context.binding, self._arguments(expr.call.args))
        else:
            raise not_over(shown, expr.call.name)
        if self._in_aggregate:
            raise PlanError(
                f"It is not allowed to use a window function inside an aggregate function: {shown}. Use a subquery.",
                code="_LEGACY_ERROR_TEMP_1031",
            )
        return windowed_call(expr, call, self.bind, self.context.binding.time_zone, shown)

    def _flagged_call(self, function: Function, expr: Call) -> Typed:
        """An aggregate bound with the clauses that stand behind it."""
        args = expr.args
        if function.name == "count" and not args:
            raise PlanError(
                "The `count` requires >= 1 parameters but the actual number is 0. Write count(*) to count rows.",
                code="WRONG_NUM_ARGS.WITH_SUGGESTION",
            )
        if function.name == "count" and len(args) == 1 and isinstance(args[0], Star):
            if args[0].qualifier:
                raise PlanError(
                    f"count(`{'.'.join(args[0].qualifier)}`.*) is not allowed. Use count(*) or expand the columns "
                    "manually, e.g. count(col1, col2).",
                    code="INVALID_USAGE_OF_STAR_WITH_TABLE_IDENTIFIER_IN_COUNT",
                )
            args = args if expr.distinct or args[0].dropped else (Literal(1, t.IntegerType()),)
        orders = tuple(ordered(key, self.bind(key.child)) for key in expr.order)
        given = self._arguments(in_order(function, replace(expr, args=args)))
        check_within_group(function, expr)
        takes_key = function.within_group == "required" or not args
        keys = tuple(order.child for order in orders) if takes_key else ()
        bound = function.bind(self.context.binding, (*keys, *given))
        condition = None if expr.filter is None else self._filter(expr.filter)
        return with_clauses(bound, expr, condition, orders)

    def _aggregate(self, function: Function, expr: Call) -> Typed:
        outer, self._in_aggregate = self._in_aggregate, True
        try:
            bound = self._flagged_call(function, expr)
        finally:
            self._in_aggregate = outer
        if outer:
            raise PlanError(
                "It is not allowed to use an aggregate function in the argument of another aggregate function: "
                f"{pretty(expr, self.name_of)}. Use the inner aggregate function in a sub-query.",
                code="NESTED_AGGREGATE_FUNCTION",
            )
        return bound if self._around is None else self._around.aggregate(bound)

    def _filter(self, expr: Expr) -> Typed:
        shown = pretty(expr, self.name_of)
        check_filter(expr)
        what = "FILTER expression"
        return self.boolean(self.bind(expr), shown, "INVALID_AGGREGATE_FILTER.NOT_BOOLEAN", what)

    def _with_lambdas(self, function: Function, expr: Call) -> tuple[Typed, ...]:
        """The arguments of a higher-order function; what its lambdas are given follows from the other arguments."""
        plain = {i: self.bind(arg) for i, arg in enumerate(expr.args) if not isinstance(arg, Lambda)}
        lambdas = {i: arg for i, arg in enumerate(expr.args) if isinstance(arg, Lambda)}
        if function.lambda_params is None:
            raise PlanError(
                f"A lambda function should only be used in a higher order function. However, its class is "
                f"`{expr.name}`.",
                code="INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION",
            )
        counts = tuple(len(fn.params) for fn in lambdas.values())
        kinds = function.lambda_params(tuple(plain.values()), counts)
        bound = {i: self._lambda(fn, params) for (i, fn), params in zip(lambdas.items(), kinds, strict=True)}
        return tuple((plain | bound)[i] for i in range(len(expr.args)))

    def _lambda(self, fn: Lambda, kinds: tuple[tuple[t.DataType, bool], ...]) -> LambdaFn:
        if len(kinds) != len(fn.params):
            raise PlanError(
                f"A higher order function expects {len(kinds)} lambda parameters, but got {len(fn.params)}: "
                f"({', '.join(fn.params)}).",
                code="INVALID_LAMBDA_FUNCTION_CALL.NUM_ARGS_MISMATCH",
            )
        depth = len(self._params)
        refs = tuple(
            LambdaRef(kind, nullable, f"{re.sub(r'[^a-z0-9]', '', name.lower())}_{depth + i}")
            for i, (name, (kind, nullable)) in enumerate(zip(fn.params, kinds, strict=True), 1)
        )
        outer = self._params
        self._params = outer | {self.scope.key(n): ref for n, ref in zip(fn.params, refs, strict=True)}
        try:
            body = self.bind(fn.body)
        finally:
            self._params = outer
        refuse_windows((body,), "a lambda function", "UNSUPPORTED_EXPR_FOR_OPERATOR")
        return LambdaFn(body.type, body.nullable, tuple(ref.name for ref in refs), body)
