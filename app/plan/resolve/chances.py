"""Where chance may stand; a call that counts rows: where every row comes to it once, in order; and one that asks for
the file of a row: where there is none."""

from __future__ import annotations

from collections.abc import Iterable

from app.errors import PlanError
from app.plan.bound import (
    Apply,
    Choose,
    Explode,
    Grouped,
    Joined,
    Keep,
    LambdaFn,
    Leaf,
    Relation,
    Select,
    Sorted,
    Typed,
    Windowed,
)
from app.plan.functions import lookup
from app.plan.functions.chances import counts_rows
from app.plan.nodes import Rows, Scan
from app.plan.relation_rewrite import everything_in, expressions_of
from app.plan.rewrite import conjuncts, parts_of, walk

_FILES = frozenset(["csv", "json", "parquet", "text"])
_LAZY = frozenset(["and", "or", "if", "coalesce", "ifnull", "nvl", "nvl2", "nullif", "nullifzero", "zeroifnull"])


def check_chance(relation: Relation) -> None:
    """Returns if chance stands nowhere that Spark refuses it, no call counts rows where some may not come to it, and
    none asks for the file of rows that come from files. Raises: PlanError."""
    for node in everything_in(relation):
        _refuse_file_names(node)
        match node:
            case Select(exprs=exprs):
                _check(exprs)
            case Keep(condition=condition):
                _check(conjuncts(condition))
            case Sorted(orders=orders):
                _check(order.child for order in orders)
            case Grouped(keys=keys, aggregates=aggregates):
                _refuse_chance(aggregates, "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION")
                refuse_counting(keys, "in a grouping")
            case Windowed(calls=calls):
                refuse_counting(calls, "over a window")
            case Explode(generator=generator):
                refuse_counting((generator,), "in a generator")
            case Joined(condition=Typed() as condition):
                _refuse_chance((condition,), "INVALID_NON_DETERMINISTIC_EXPRESSIONS")


def _refuse_file_names(node: Relation) -> None:
    for typed in expressions_of(node):
        for found in walk(typed):
            if isinstance(found, Apply) and found.function.startswith("input_file_") and reads_files(node):
                raise PlanError(
                    f"{found.function}() over files is not supported: a row does not carry the file it came from. Read "
                    "each file on its own and add its name with lit().",
                    code="UNSUPPORTED_FEATURE",
                    function=found.function,
                )


def reads_files(relation: Relation) -> bool:
    """Whether rows of files come to this relation, those of its subqueries left out."""
    return any(isinstance(node, Leaf) and _of_files(node.node) for node in relation.walk())


def _of_files(node: object) -> bool:
    return node.format in _FILES if isinstance(node, Scan) else isinstance(node, Rows) and node.from_files


def _check(exprs: Iterable[Typed]) -> None:
    for typed in exprs:
        if isinstance(typed, (LambdaFn, Choose)) or (isinstance(typed, Apply) and typed.function in _LAZY):
            refuse_counting((typed,), "where it is not computed for every row")
        else:
            _check(parts_of(typed))


def _refuse_chance(exprs: Iterable[Typed], code: str) -> None:
    for typed in exprs:
        for found in walk(typed):
            if isinstance(found, Apply) and not lookup(found.function).deterministic:
                raise PlanError(
                    f"The operator expects a deterministic expression, but `{found.function}` gives another value each "
                    "time. Select it into a column of its own first.",
                    code=code,
                    function=found.function,
                )


def refuse_counting(exprs: Iterable[Typed], where: str) -> None:
    """Returns where no call counts rows. Raises: PlanError."""
    for typed in exprs:
        for found in walk(typed):
            if counts_rows(found) and isinstance(found, Apply):
                raise PlanError(
                    f"`{found.function}` that follows the order of rows is not supported {where}. Select it into a "
                    "column of its own first, or leave the seed out.",
                    code="UNSUPPORTED_FEATURE",
                    function=found.function,
                )
