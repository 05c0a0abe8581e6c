"""What PostgreSQL's catalogue says about a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.storage.names import quote, quote_table

_COLUMNS = """
SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS shown,
  quote_ident(n.nspname) || '.' || quote_ident(t.typname) AS cast_type,
  format_type(CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END,
    CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END) AS base,
  a.attnotnull OR t.typnotnull AS required,
  a.atthasdef OR a.attidentity <> '' OR t.typdefault IS NOT NULL AS has_default,
  a.attgenerated <> '' OR a.attidentity = 'a' AS computed
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""

# nulls_distinct is read through JSON because PostgreSQL 14 does not have the column.
_UNIQUE = """
SELECT array_agg(a.attname::text) AS columns, bool_and(a.attnotnull) AS no_nulls,
  coalesce((to_jsonb(i) ->> 'indnullsnotdistinct')::bool, false) AS nulls_equal
FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey::int[]) AS k (attnum)
JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
WHERE i.indrelid = $1 AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
  AND array_length(i.indkey::int[], 1) = i.indnkeyatts
GROUP BY i.indexrelid, to_jsonb(i)
"""

_FIND = "SELECT c.oid, c.relkind::text AS kind FROM pg_class c WHERE c.oid = to_regclass($1)"


@dataclass(frozen=True, slots=True)
class TableColumn:
    """`cast_type` is quoted and without length (a cast with a length would cut values in silence); `base` is the
    type as people write it, seen through domains. `required`: not null."""

    name: str
    shown: str
    cast_type: str
    base: str
    required: bool
    has_default: bool
    computed: bool


@dataclass(frozen=True, slots=True)
class UniqueIndex:
    """`sees_nulls`: two nulls are equal to it, or there are none."""

    columns: frozenset[str]
    sees_nulls: bool


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table, view or other relation; `kind` is pg_class.relkind."""

    oid: int
    kind: str
    columns: dict[str, TableColumn]
    unique: tuple[UniqueIndex, ...]

    def sees_nulls(self, keys: frozenset[str]) -> bool:
        """Whether ON CONFLICT on `keys` meets rows with null keys too."""
        return any(index.columns == keys and index.sees_nulls for index in self.unique)


async def read_shape(driver: Any, table: str) -> TableShape | None:
    """The table as it is, None where there is none. Raises: SinkBroken for a name that cannot be."""
    found = await driver.fetchrow(_FIND, quote_table(table))
    if found is None:
        return None
    columns = [TableColumn(**dict(row)) for row in await driver.fetch(_COLUMNS, found["oid"])]
    unique = [
        UniqueIndex(frozenset(row["columns"]), row["no_nulls"] or row["nulls_equal"])
        for row in await driver.fetch(_UNIQUE, found["oid"])
    ]
    return TableShape(found["oid"], found["kind"], {c.name: c for c in columns}, tuple(unique))


def column_list(names: list[str]) -> str:
    return ", ".join(quote(name) for name in names)
