"""Names to types and positions."""

from app.plan.resolve.relations import resolve, resolve_expression

__all__ = ["resolve", "resolve_expression"]
