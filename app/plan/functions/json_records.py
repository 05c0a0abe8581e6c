"""What JSON functions share about records: of several values of a key the last one counts, as in Spark."""

from __future__ import annotations

from collections.abc import Sequence

from app.plan.functions.variants import quoted

_FEW = 12


def last_counts(sql: str, names: Sequence[str]) -> str:
    """SQL of a JSON value in which the last value of each key counts, if one of these names comes twice. To look for a
    few is cheaper than to count all."""
    twice = " OR ".join(f"len(list_filter(k, lambda n: n = {quoted(name)})) > 1" for name in names)
    if not 0 < len(names) <= _FEW:
        twice = "list_unique(k) < len(k)"
    keys = f"list_extract(list_transform([json_keys({sql})], lambda k: {twice}), 1)"
    return f"CASE WHEN {keys} THEN CAST(wa_json_last(CAST({sql} AS VARCHAR)) AS JSON) ELSE {sql} END"
