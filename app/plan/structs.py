"""Structs as DuckDB SQL. Spark's may have a name twice; DuckDB does not even tell names apart by their case."""

from __future__ import annotations

from collections.abc import Iterable


def kernel_names(names: Iterable[str]) -> list[str]:
    """The names that DuckDB gets for the fields of a struct: Spark's, with a number behind those that come again."""
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        unique, more = name, 1
        while unique.lower() in taken:
            more += 1
            unique = f"{name}\x01{more}"
        taken.add(unique.lower())
        found.append(unique)
    return found


def field_of(sql: str, at: int) -> str:
    """SQL of the field of a struct at a place, counted from 0."""
    return f"struct_extract_at({sql}, {at + 1})"


def struct_of(names: Iterable[str], values: Iterable[str]) -> str:
    """SQL of a struct of these values; never null."""
    fields = (f"'{_escaped(name)}': {sql}" for name, sql in zip(kernel_names(names), values, strict=True))
    return f"{{{', '.join(fields)}}}"


def _escaped(name: str) -> str:
    return name.replace("'", "''")
