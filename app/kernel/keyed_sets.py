"""INTERSECT and EXCEPT of strings whose case does not matter: of equal rows the first on the left is shown."""

from __future__ import annotations

from app.plan import types as t
from app.plan.bound import Combined
from app.plan.functions.collation_keys import has_folded, key_sql
from app.plan.keys import key_of

Lines = list[str]


def is_keyed(relation: Combined) -> bool:
    """Whether there are such strings in the rows."""
    return any(has_folded(f.dataType) for f in relation.left.schema)


def print_keyed(relation: Combined, left: Lines, right: Lines) -> Lines:
    """The query; `left` and `right` are the FROM clauses of both sides."""
    columns = [f"c{at}" for at in range(len(relation.left.schema))]
    keys = [_key(column, f.dataType) for column, f in zip(columns, relation.left.schema, strict=True)]
    firsts = "".join(f"first({column}) AS {column}, " for column in columns)
    same = " AND ".join(f"l.k{at} IS NOT DISTINCT FROM r.k{at}" for at in range(len(keys)))
    return [
        f"SELECT {', '.join(columns)} FROM (",
        f"  SELECT {', '.join(f'l.{column}' for column in columns)}, unnest(range({_times(relation)}))",
        "  FROM (",
        *(f"    {line}" for line in _counted(firsts, keys, left)),
        "  ) AS l LEFT JOIN (",
        *(f"    {line}" for line in _counted("", keys, right)),
        f"  ) AS r ON {same}",
        ")",
    ]


def _key(column: str, kind: t.DataType) -> str:
    return key_sql(key_of(column, kind), kind)


def _counted(shown: str, keys: list[str], source: Lines) -> Lines:
    named = ", ".join(f"{key} AS k{at}" for at, key in enumerate(keys))
    return [f"SELECT {shown}{named}, count(*) AS n", *source, f"GROUP BY {', '.join(keys)}"]


def _times(relation: Combined) -> str:
    """How often a row of the left side is in the result."""
    found, both = "coalesce(r.n, 0)", relation.kind == "intersect"
    if relation.every:
        return f"least(l.n, {found})" if both else f"greatest(l.n - {found}, 0)"
    return f"CASE WHEN {found} {'>' if both else '='} 0 THEN 1 ELSE 0 END"
