"""Select lists: stars, names, aliases that later items use, and generators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from app.errors import PlanError
from app.plan.bound import Apply, Explode, Ref, Relation, Typed
from app.plan.expressions import Alias, Attribute, Call, Cast, Expr, Star
from app.plan.functions import catalogue, lookup
from app.plan.resolve.expressions import Binder, Outputs
from app.plan.resolve.hosts import Projection
from app.plan.resolve.names import find_column
from app.plan.resolve.pretty import pretty
from app.plan.resolve.scope import Column, Context, Scope, projection, schema_of
from app.plan.resolve.session_names import bare_call
from app.plan.resolve.subqueries import check_plain
from app.plan.resolve.sugar import desugared
from app.plan.resolve.windows import with_windows
from app.plan.types import StructField, StructType


@dataclass(frozen=True, slots=True)
class Output:
    """One result column. References behind the columns of the input are to the columns of the generator."""

    column: Column
    typed: Typed


@dataclass
class SelectList:
    """The bound items of one SELECT."""

    outputs: list[Output] = field(default_factory=list)
    generators: list[tuple[Apply, bool]] = field(default_factory=list)
    """With whether it is an outer one."""
    named: dict[str, Typed | None] = field(default_factory=dict)
    """The items with an alias, by name; None where two have the same."""

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(output.column for output in self.outputs)

    @property
    def exprs(self) -> tuple[Typed, ...]:
        return tuple(output.typed for output in self.outputs)

    @property
    def computed(self) -> tuple[Typed, ...]:
        """All expressions over the input, those of the generators too."""
        return (*self.exprs, *(generator for generator, _ in self.generators))

    def exploded(self, child: Relation, change: Callable[[Typed], Typed] = lambda typed: typed) -> Relation:
        """`child` with the columns of the generators behind its own; `change` fits their inputs to `child`."""
        for generator, outer in self.generators:
            schema = StructType((*child.schema.fields, *given(generator, outer)))
            fitted = change(generator)
            assert isinstance(fitted, Apply)
            child = Explode(schema, child, fitted, outer)
        return child


class _Builder:
    def __init__(self, context: Context, scope: Scope) -> None:
        self.context = context
        self.scope = scope
        self.list = SelectList()
        self.binder = Binder(context, scope, Outputs(self.list.named))
        self.binder.selecting = True

    def add(self, expr: Expr | int) -> None:
        """One item; a number is the input column at that position."""
        match expr:
            case int():
                self._pass(expr)
            case Star():
                for typed in self.binder.star(expr):
                    self._typed(typed, _field_name(typed))
            case Attribute():
                self._attribute(expr)
            case Alias(Call() as call, names) if _is_generator(call):
                self._generator(call, names)
            case Call() if _is_generator(expr):
                self._generator(expr, None)
            case Alias():
                self._alias(expr)
            case _:
                self._new(expr)

    def _pass(self, at: int, name: str | None = None) -> None:
        column = self.scope.columns[at]
        if column.hidden or (name is not None and name != column.name):
            column = replace(column, name=name or column.name, hidden=False)
        self.list.outputs.append(Output(column, self.scope.ref(at)))

    def _attribute(self, expr: Attribute) -> None:
        at = self.binder.column_of(expr)
        if at is None:
            self._new(expr, self._named_as(expr))
        else:
            _, rest = find_column(self.context, self.scope, expr)
            assert not rest
            self._pass(at, None if expr.of is not None else expr.parts[-1])

    def _named_as(self, expr: Attribute) -> str:
        """The name of an item that is no column of the input: a variable by its name, a function as a call."""
        call = bare_call(expr.parts)
        shown = pretty(expr, self.binder.name_of)
        return shown if call is not None and shown == pretty(call) else expr.parts[-1]

    def _alias(self, expr: Alias) -> None:
        if len(expr.names) != 1:
            raise PlanError(
                f"Several names ({', '.join(expr.names)}) can only be given to a generator such as posexplode, not "
                f"to {pretty(expr.child, self.binder.name_of)}.",
                code="MULTI_ALIAS_WITHOUT_GENERATOR",
            )
        self._name(expr.names[0], self._new(expr, expr.names[0]))

    def _name(self, name: str, typed: Typed) -> None:
        """Lets later items use this one by its alias."""
        key = self.scope.key(name)
        self.list.named[key] = None if key in self.list.named else typed

    def _new(self, expr: Expr, name: str | None = None) -> Typed:
        given: Mapping[str, Any] | None = None
        while isinstance(expr, Alias) and name is not None:
            given, expr = expr.metadata if given is None else given, expr.child
        typed = self.binder.bind(expr)
        name = name or self._generated(expr)
        metadata = given if given is not None else self._metadata(typed)
        column = Column(name, typed.type, typed.nullable, self.context.fresh(), metadata=metadata)
        self.list.outputs.append(Output(column, typed))
        return typed

    def _metadata(self, typed: Typed) -> Mapping[str, Any]:
        return self.scope.columns[typed.index].metadata if isinstance(typed, Ref) else {}

    def _generated(self, expr: Expr) -> str:
        """The name of an item without alias; a cast of a column keeps the column's name, and so does one of `v:a`."""
        if isinstance(expr, Cast) and isinstance(expr.child, Alias):
            return expr.child.names[0]
        if isinstance(expr, Cast) and isinstance(expr.child, Attribute):
            at = self.binder.column_of(expr.child)
            if at is not None:
                return expr.child.parts[-1]
        return pretty(expr, self.binder.name_of)

    def _typed(self, typed: Typed, name: str) -> None:
        if isinstance(typed, Ref):
            self._pass(typed.index)
        else:
            column = Column(name, typed.type, typed.nullable, self.context.fresh())
            self.list.outputs.append(Output(column, typed))

    def _generator(self, call: Call, names: tuple[str, ...] | None) -> None:
        generator, outer = self.binder.generator(call), call.name.lower().endswith("_outer")
        check_plain((generator,), "a generator")
        fields = given(generator, outer)
        if names is not None and len(names) != len(fields):
            raise PlanError(
                "The number of aliases supplied in the AS clause does not match the number of columns output by "
                f"{call.name}: expected {len(fields)} aliases but got {', '.join(names)}.",
                code="UDTF_ALIAS_NUMBER_MISMATCH",
            )
        first = len(self.scope.columns) + sum(len(given(*other)) for other in self.list.generators)
        for i, f in enumerate(fields):
            name = names[i] if names else f.name
            column = Column(name, f.dataType, f.nullable, self.context.fresh())
            ref = Ref(f.dataType, f.nullable, first + i, name)
            self.list.outputs.append(Output(column, ref))
            if names is not None:
                self._name(name, ref)
        self.list.generators.append((generator, outer))


def select_list(context: Context, scope: Scope, items: Iterable[Expr | int]) -> SelectList:
    """The bound items of a SELECT; numbers are input columns by position. Aggregate calls stand where they stood.

    Raises: PlanError."""
    builder = _Builder(context, scope)
    for item in items:
        builder.add(item)
    return builder.list


def projected(context: Context, scope: Scope, selected: SelectList) -> Scope:
    """The relation of a select list without aggregate calls."""
    columns = selected.columns
    relation, exprs = with_windows(selected.exploded(scope.relation), selected.exprs)
    host = Projection(context, scope, relation, exprs, columns)
    return context.scope(projection(relation, exprs, schema_of(columns)), columns, host)


def given(generator: Apply, outer: bool) -> tuple[StructField, ...]:
    """The columns of a generator."""
    fields = lookup(generator.function).outputs
    assert fields is not None, f"{generator.function} is no generator"
    return tuple(replace(f, nullable=f.nullable or outer) for f in fields(generator))


def _is_generator(call: Call) -> bool:
    function = catalogue().get(call.name.lower())
    return function is not None and function.kind == "generator" and desugared(call) is None


def _field_name(typed: Typed) -> str:
    """The name of a struct's field that a star gave."""
    if isinstance(typed, Apply) and typed.function == "named_struct":  # a column without some of its fields
        return _field_name(typed.args[1].args[0]) if isinstance(typed.args[1], Apply) else ""
    last = typed.args[-1] if isinstance(typed, Apply) else typed
    return str(getattr(last, "value", getattr(last, "name", "")))
