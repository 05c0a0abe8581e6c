"""Sets of strings whose case does not matter: of equal ones the first stays, as it is spelled."""

from __future__ import annotations

from app.plan.functions.entry import Function
from app.plan.functions.signature import ANY, ARRAY, scalar, type_of

_DISTINCT, _UNION, _EXCEPT, _INTERSECT, _REMOVE = (
    f"{name} whatever the case" for name in ("distinct", "union", "except", "intersect", "remove")
)
_OTHERS = "list_filter({{0}}, lambda e: {}list_contains(wt_element_keys({{1}}), wt_element_key(e)))"
SETS = {
    "array_distinct": _DISTINCT, "array_union": _UNION, "array_except": _EXCEPT, "array_intersect": _INTERSECT,
    "array_remove": _REMOVE,
}  # fmt: skip

FUNCTIONS: tuple[Function, ...] = (
    scalar(_DISTINCT, (ARRAY,), type_of(0), "wt_distinct_folded({0})"),
    scalar(_UNION, (ARRAY, ARRAY), type_of(0), "CASE WHEN {1} IS NOT NULL THEN wt_distinct_folded({0} || {1}) END"),
    scalar(_EXCEPT, (ARRAY, ARRAY), type_of(0),
           f"CASE WHEN {{1}} IS NOT NULL THEN wt_distinct_folded({_OTHERS.format('NOT ')}) END"),
    scalar(_INTERSECT, (ARRAY, ARRAY), type_of(0),
           f"CASE WHEN {{1}} IS NOT NULL THEN wt_distinct_folded({_OTHERS.format('')}) END"),
    scalar(_REMOVE, (ARRAY, ANY), type_of(0),
           "CASE WHEN {1} IS NOT NULL THEN list_filter({0}, lambda e: e IS NULL OR "
           "wt_folded(e) <> wt_folded({1})) END"),
)  # fmt: skip
