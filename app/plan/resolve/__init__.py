"""Names to types and positions."""

from app.plan.resolve.relations import Resolution, resolution, resolve, resolve_expression

__all__ = ["Resolution", "resolution", "resolve", "resolve_expression"]
