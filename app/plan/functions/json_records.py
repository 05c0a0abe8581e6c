"""What JSON functions share about records: of several values of a key the last one counts, as in Spark."""

from __future__ import annotations

from app.plan.functions.signature import TOO_LONG, once


def print_record(sql: str) -> str:
    """SQL of the JSON that a text begins with, with the last value of each key in each of its objects."""
    if len(sql) >= TOO_LONG:
        return once(sql, "text", print_record("text"))
    return f"wt_json_record({sql})"
