"""What one entry of the function catalogue is.

An entry settles types when the query is built (`bind`) and prints DuckDB SQL when it is compiled (`sql`); for an
aggregate it also says how its state is kept and merged. A name without an entry never reaches DuckDB.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from app.plan.bound import AggCall, Apply, LambdaFn, Typed
from app.plan.expressions import Expr
from app.plan.types import DataType, StructField, StructType

FILTER_HERE = " /*filter*/"
"""Stands in the SQL of an aggregate wherever the call's ` FILTER (WHERE …)` belongs; as it is, a comment."""
AND_FILTER_HERE = " /*and filter*/"
"""The same inside a FILTER the aggregate has by itself: there ` AND (…)` belongs."""

ORDER_HERE = " /*order*/"
"""Stands in the SQL of an aggregate that takes WITHIN GROUP wherever the call's ` ORDER BY …` belongs."""

SORT_KEY_HERE = "/*sort key*/"
"""The same where a value is needed that sorts as the call's ORDER BY does, least first."""

Kind = Literal["scalar", "aggregate", "generator", "window"]
ParamTypes = tuple[tuple[DataType, bool], ...]
"""Type and nullability of each parameter of a lambda."""


@dataclass(frozen=True, slots=True)
class Binding:
    """What resolving an expression may depend on besides its arguments."""

    ansi: bool = True
    time_zone: str = "UTC"
    conf: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, Expr] = field(default_factory=dict, compare=False)
    """SQL variables of the session by name in lower case. What is resolved keeps the values it was resolved with."""
    routines: Mapping[str, Routine | TableRoutine] = field(default_factory=dict, compare=False)
    """SQL functions of the session by name in lower case."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a SQL function; `default` is used where a call leaves it out."""

    name: str
    type: DataType
    default: Expr | None = None


@dataclass(frozen=True, slots=True)
class Routine:
    """A SQL function: `body` over its parameters stands for a call, cast to `returns`."""

    name: str
    params: tuple[Parameter, ...]
    body: Expr
    returns: DataType


@dataclass(frozen=True, slots=True)
class TableRoutine:
    """A SQL function that gives a table: the rows of `query`, a plan node, for which the parameters are columns of the
    query around it; its columns become those of `returns`."""

    name: str
    params: tuple[Parameter, ...]
    query: Any
    returns: StructType


@dataclass(frozen=True, slots=True)
class AggregateState:
    """How an aggregate is computed in steps. Each is a function from SQL texts to SQL text.

    `partial(call, args)` is an aggregate expression over new rows, in which `filtered` puts the call's filter;
    `combine(call, a, b)` merges two states, `a` being the older; `finish(call, state)` gives the value. An aggregate
    without one works in a single pass only.
    """

    partial: Callable[[AggCall, tuple[str, ...]], str]
    combine: Callable[[AggCall, str, str], str]
    finish: Callable[[AggCall, str], str]


@dataclass(frozen=True, slots=True)
class Function:
    """One entry.

    `bind(binding, args)` returns an `Apply` (scalar, generator, window) or an `AggCall` (aggregate) named `name`, with
    the result type and nullability by Spark's rules and `Convert`s put around arguments where Spark casts implicitly.
    Raises PlanError: WRONG_NUM_ARGS.WITHOUT_SUGGESTION, DATATYPE_MISMATCH.….

    `sql(call, args)` prints the call; `args` are the printed arguments. For an aggregate it is the whole aggregate
    for one pass (batch), DISTINCT included, in which `filtered` puts the call's filter.

    `lambda_params(args)` is for higher-order functions: given the bound arguments that are not lambdas, the parameter
    types of each lambda argument in order, for lambdas of the given parameter counts.

    `outputs(call)` is for generators: the columns they give.

    `params` are the names that arguments may be given by, in order; most functions have none. `defaults` are the texts
    that stand for those left out in between, which are null otherwise.

    `within_group` says whether an aggregate takes WITHIN GROUP (ORDER BY …). With "required" it needs one, of a single
    key, which `bind` gets before the other arguments; with "optional" it gets the keys where there are no others.
    """

    name: str
    kind: Kind
    bind: Callable[[Binding, tuple[Typed, ...]], Apply | AggCall]
    sql: Callable[[Apply | AggCall, tuple[str, ...]], str]
    aliases: tuple[str, ...] = ()
    deterministic: bool = True
    state: AggregateState | None = None
    lambda_params: Callable[[tuple[Typed, ...], tuple[int, ...]], tuple[ParamTypes, ...]] | None = None
    outputs: Callable[[Apply], tuple[StructField, ...]] | None = None
    params: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict, hash=False)
    within_group: Literal["", "optional", "required"] = ""


def filtered(sql: str, condition: str | None) -> str:
    """The SQL of an aggregate (whole or partial) over those rows only for which `condition` is true."""
    if condition is None:
        return sql
    return sql.replace(AND_FILTER_HERE, f" AND ({condition})").replace(FILTER_HERE, f" FILTER (WHERE {condition})")


__all__ = [
    "AND_FILTER_HERE",
    "FILTER_HERE",
    "ORDER_HERE",
    "SORT_KEY_HERE",
    "filtered",
    "AggregateState",
    "Binding",
    "Function",
    "Kind",
    "LambdaFn",
    "ParamTypes",
    "Parameter",
    "Routine",
]
