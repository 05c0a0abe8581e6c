"""Spark SQL text to plan nodes and expressions."""

from app.plan.parse.entry import parse_expression, parse_query
from app.plan.parse.statement import parse_statement

__all__ = ["parse_expression", "parse_query", "parse_statement"]
