"""The query of a WITH RECURSIVE that names itself, cut into what it begins with and what is repeated."""

from __future__ import annotations

import dataclasses
from typing import Any

from app.errors import PlanError
from app.plan.expressions import Expr, Star
from app.plan.nodes import Aggregate, Node, Recursion, RecursionRef, Union


def mentions(tree: Any, ref: RecursionRef) -> bool:
    """Whether `ref` stands in a plan or in the subqueries of its expressions."""
    seen: set[int] = set()

    def inside(part: Any) -> bool:
        if part is ref:
            return True
        if isinstance(part, tuple):
            return any(map(inside, part))
        if not isinstance(part, (Node, Expr)) or id(part) in seen:
            return False
        seen.add(id(part))
        return any(inside(getattr(part, field.name)) for field in dataclasses.fields(part))

    return inside(tree)


def recursion(node: Node, ref: RecursionRef, columns: tuple[str, ...], most: int | None) -> Recursion:
    """`node` as its anchor and its step. Raises: PlanError where it has another form."""
    match node:
        case Union(left=anchor, right=step, by_name=False) if not mentions(anchor, ref):
            return Recursion(anchor, step, ref, columns, most)
        case Aggregate(child=Union(), keys=(Star(),), outputs=(Star(),)):
            raise PlanError(
                "The UNION operator is not yet supported within recursive common table expressions (WITH clauses that "
                "refer to themselves, directly or indirectly). Please use UNION ALL instead.",
                code="UNION_NOT_SUPPORTED_IN_RECURSIVE_CTE",
            )
    raise PlanError(
        f"Invalid recursive definition found. Recursive queries must contain an UNION or an UNION ALL statement with 2 "
        f"children. The first child needs to be the anchor term without any recursive references: write `{ref.name}` "
        "AS (SELECT … UNION ALL SELECT … FROM itself).",
        code="INVALID_RECURSIVE_CTE",
    )
