"""GROUPING SETS, CUBE and ROLLUP: which keys each set has, and the rows once for each set.

Every row comes once for each set, with a number that says which keys the set leaves out (one bit each, the last key
lowest); grouping by the keys that remain and that number is then a plain aggregation.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from app.errors import PlanError
from app.plan import types as t
from app.plan.bound import AggCall, Apply, Choose, Const, Explode, Ref, Relation, Select, Typed
from app.plan.expressions import Call, Expr
from app.plan.functions import lookup
from app.plan.functions.entry import Binding
from app.plan.types import StructField, StructType

_MOST_SETS = 4096
_LONG = t.LongType()
Set = tuple[Expr, ...]


def grouping_sets(keys: tuple[Expr, ...]) -> list[Set] | None:
    """The sets that the keys of a GROUP BY stand for together; None where they are plain keys. Raises: PlanError."""
    if not any(_is_analytic(key) for key in keys):
        return None
    alternatives = [_sets_of(key) if _is_analytic(key) else [(key,)] for key in keys]
    found = [tuple(itertools.chain(*picked)) for picked in itertools.product(*alternatives)]
    if len(found) > _MOST_SETS:
        raise PlanError(
            f"The grouping sets are {len(found)}, and at most {_MOST_SETS} are possible. Name fewer columns.",
            code="GROUPING_SIZE_LIMIT_EXCEEDED",
        )
    return found


@dataclass(frozen=True)
class Expanded:
    """`relation` is the input's columns, then the keys (null where the row's set has no such key), then the number of
    the set; `width` counts the input's columns."""

    relation: Relation
    keys: tuple[Typed, ...]
    width: int

    def grouped_by(self) -> tuple[Typed, ...]:
        """What to group by instead of the keys: them, then the number of the set."""
        kinds = [(key.type, True) for key in self.keys] + [(_LONG, False)]
        fields = self.relation.schema.fields
        return tuple(Ref(k, n, self.width + i, fields[self.width + i].name) for i, (k, n) in enumerate(kinds))

    def value(self, call: AggCall, number: Ref, binding: Binding) -> Typed:
        """What `grouping` or `grouping_id` gives, from the column that holds the set's number.

        Raises: PlanError for a column that is no key."""
        if call.function == "grouping":
            if call.args[0] not in self.keys:
                raise PlanError(
                    f"Column of grouping ({getattr(call.args[0], 'name', '')}) can't be found in grouping columns. "
                    "Take one of them.",
                    code="GROUPING_COLUMN_MISMATCH",
                )
            at = len(self.keys) - 1 - self.keys.index(call.args[0])
            bit = _apply("&", binding, _apply("shiftright", binding, number, _int(at)), Const(_LONG, False, 1))
            return Choose(
                t.ByteType(),
                False,
                ((_apply("==", binding, bit, Const(_LONG, False, 1)), Const(t.ByteType(), False, 1)),),
                Const(t.ByteType(), False, 0),
            )
        if call.args and call.args != self.keys:
            raise PlanError(
                "Columns of grouping_id() don't match the grouping columns. Leave them out, or name all in order.",
                code="GROUPING_ID_COLUMN_MISMATCH",
            )
        return _apply("&", binding, number, Const(_LONG, False, (1 << len(self.keys)) - 1))


def expanded(child: Relation, keys: tuple[Typed, ...], sets: list[frozenset[int]], binding: Binding) -> Expanded:
    """The rows of `child` once for each set of positions in `keys`."""
    width, count = len(child.schema), len(keys)
    numbers: list[int] = []
    for members in sets:
        number = sum(1 << (count - 1 - at) for at in range(count) if at not in members)
        while number in numbers:  # a set that is named twice groups twice
            number += 1 << count
        numbers.append(number)
    array = _apply("array", binding, *(Const(_LONG, False, number) for number in numbers))
    generator = lookup("explode").bind(binding, (array,))
    assert isinstance(generator, Apply)
    schema = StructType((*child.schema.fields, StructField("spark_grouping_id", _LONG, False)))
    exploded = Explode(schema, child, generator)
    number_ref = Ref(_LONG, False, width, "spark_grouping_id")
    shown: list[Typed] = [Ref(f.dataType, f.nullable, at, f.name) for at, f in enumerate(child.schema)]
    for at, key in enumerate(keys):
        bit = _apply("&", binding, number_ref, Const(_LONG, False, 1 << (count - 1 - at)))
        kept = _apply("==", binding, bit, Const(_LONG, False, 0))
        shown.append(Choose(key.type, True, ((kept, key),), Const(key.type, True, None)))
    shown.append(number_ref)
    fields = [
        *child.schema.fields,
        *(StructField(getattr(key, "name", f"key{i}"), key.type, True) for i, key in enumerate(keys)),
        StructField("spark_grouping_id", _LONG, False),
    ]
    return Expanded(Select(StructType(fields), exploded, tuple(shown)), keys, width)


def _is_analytic(key: Expr) -> bool:
    return isinstance(key, Call) and key.name.lower() in ("cube", "rollup", "grouping_sets")


def _sets_of(key: Expr) -> list[Set]:
    assert isinstance(key, Call)
    parts = [_members(arg) for arg in key.args]
    match key.name.lower():
        case "rollup":
            return [tuple(itertools.chain(*parts[:n])) for n in range(len(parts), -1, -1)]
        case "cube":
            chosen = itertools.chain(*(itertools.combinations(parts, n) for n in range(len(parts), -1, -1)))
            return [tuple(itertools.chain(*combination)) for combination in chosen]
    nested = [_sets_of(arg) if _is_analytic(arg) else [_members(arg)] for arg in key.args]
    return list(itertools.chain(*nested))


def _members(arg: Expr) -> Set:
    """`(a, b)` is two keys that come and go together."""
    return arg.args if isinstance(arg, Call) and arg.name == "struct" else (arg,)


def _apply(name: str, binding: Binding, *args: Typed) -> Typed:
    return lookup(name).bind(binding, args)


def _int(value: int) -> Const:
    return Const(t.IntegerType(), False, value)
