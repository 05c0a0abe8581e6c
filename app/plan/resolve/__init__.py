"""Names to types and positions."""

from app.plan.resolve.relations import Resolution, resolution, resolve, resolve_expression
from app.plan.resolve.scope import OuterAlone

__all__ = ["OuterAlone", "Resolution", "resolution", "resolve", "resolve_expression"]
