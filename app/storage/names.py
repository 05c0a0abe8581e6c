"""Names of tables and columns as PostgreSQL takes them: always quoted, never cut."""

from __future__ import annotations

from app.errors import SinkBroken

_NAME_BYTES = 63
SYSTEM_COLUMNS = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})
"""Every table has them already."""


def quote(name: str) -> str:
    """A column name, or one part of a table name, ready to stand in a statement. Raises: SinkBroken."""
    size = len(name.encode())
    if not name or "\x00" in name or size > _NAME_BYTES:
        why = f"it has {size} bytes" if size > _NAME_BYTES else "it is empty or holds a NUL"
        raise SinkBroken(
            f"PostgreSQL cannot have the name {name!r}: {why}, and a name has 1 to {_NAME_BYTES} bytes. Give the "
            "column or table another name (alias, dbtable).",
            name=name,
        )
    return '"' + name.replace('"', '""') + '"'


def split_table(table: str) -> tuple[str | None, str]:
    """The schema, None where none is given, and the name of `name` or `schema.name`. Raises: SinkBroken."""
    schema, dot, name = table.rpartition(".")
    if "." in schema or (dot and not schema):
        raise SinkBroken(f"{table!r} does not name a table: give `name` or `schema.name`.", table=table)
    return schema or None, name


def quote_table(table: str) -> str:
    """`name` or `schema.name`, quoted. Raises: SinkBroken."""
    schema, name = split_table(table)
    return quote(name) if schema is None else f"{quote(schema)}.{quote(name)}"
