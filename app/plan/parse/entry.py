"""The two plain ways in: a query, an expression."""

from __future__ import annotations

from app.plan.expressions import Expr
from app.plan.nodes import Node
from app.plan.parse.arguments import Args
from app.plan.parse.pipes import Pipes
from app.plan.parse.tables import Views


def parse_query(text: str, view: Views, args: Args = None) -> Node:
    """The plan of a query. `view` gives the plan of a table or view by its name parts, `args` the values of `:name`
    (a mapping) or `?` (a sequence).

    >>> parse_query("SELECT 1 AS one", lambda name: None)
    Project(child=OneRow(), exprs=(Alias(child=Literal(value=1, type=IntegerType()), names=('one',)),))

    Raises: ParseError; PlanError (unknown table, syntax that is not supported yet).
    """
    pipes = Pipes(text, view, args)
    return pipes.whole(pipes.query)


def parse_expression(text: str, view: Views = lambda _: None) -> Expr:
    """The expression of `expr`, `selectExpr` and filters given as text; an alias or a star may be part of it. `view` is
    for the queries inside it, as in `parse_query`.

    >>> parse_expression("a.b + 1 AS c").child.name
    '+'

    Raises: ParseError; PlanError (syntax that is not supported yet).
    """
    pipes = Pipes(text, view)
    return pipes.whole(pipes.named_expression)
