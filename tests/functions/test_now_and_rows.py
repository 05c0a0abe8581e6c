"""What Spark cannot tell twice the same: the present, chance, and functions that give rows."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pytest

from app.errors import PlanError
from app.kernel.expressions import print_expression
from app.kernel.kernel import Kernel
from app.kernel.relations import print_relation
from app.plan.carriers import arrow_schema
from app.plan.ddl import parse_schema
from app.plan.expressions import Attribute, Expr
from app.plan.functions import lookup
from app.plan.nodes import Project, Rows
from app.plan.parse import parse_expression, parse_statement
from app.plan.resolve import resolve, resolve_expression
from app.plan.types import StructType

_NOW = datetime(2024, 2, 29, 23, 59, 59, 123456, tzinfo=UTC)
_COLUMNS = parse_schema("id int, a array<int>, m map<string,int>, l array<struct<x: int, y: string>>, j string")
_ROWS: list[tuple[Any, ...]] = [
    (1, [10, None], [("k", 1)], [{"x": 1, "y": "a"}, None], '{"p": 1, "q": "two"}'),
    (2, [], [], [], "{}"),
    (3, None, None, None, None),
]


@pytest.fixture
def kernel() -> Any:
    with Kernel(1 << 27, 1) as kernel:
        kernel.set_epoch(int(_NOW.timestamp()) * 1_000_000 + 123456)
        yield kernel


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("current_timestamp()", _NOW),
        ("now()", _NOW),
        ("localtimestamp()", _NOW.replace(tzinfo=None)),
        ("current_date()", date(2024, 2, 29)),
        ("curdate()", date(2024, 2, 29)),
        ("unix_timestamp()", int(_NOW.timestamp())),
        ("current_timezone()", "UTC"),
        ("current_timestamp() - timestamp'2024-02-29 00:00:00' > interval 23 hours", True),
        ("cast('10:00' AS timestamp)", datetime(2024, 2, 29, 10, tzinfo=UTC)),
        ("to_timestamp('T1:2')", datetime(2024, 2, 29, 1, 2, tzinfo=UTC)),
        ("try_cast('T10:00:00 UTC' AS timestamp)", datetime(2024, 2, 29, 10, tzinfo=UTC)),
        ("try_cast('10:00 UTC' AS timestamp)", None),
        ("try_cast('10' AS timestamp)", None),
        ("hour('10:30')", 10),
        ("from_json('{\"a\": \"10:00\"}', 'a timestamp')", {"a": datetime(2024, 2, 29, 10, tzinfo=UTC)}),
        ("from_csv('10:00', 'a timestamp')", {"a": datetime(2024, 2, 29, 10, tzinfo=UTC)}),
    ],
)
def test_the_present_is_the_clock_reading_of_the_epoch(kernel: Kernel, text: str, value: Any) -> None:
    assert _value(kernel, text) == value


def test_chance_differs_from_row_to_row_and_says_so(kernel: Kernel) -> None:
    for name in ("rand", "uuid"):
        assert not lookup(name).deterministic
        sql = print_expression(resolve_expression(parse_expression(f"{name}()"), StructType([])))
        assert len(set(kernel.arrow(f"SELECT {sql} AS v FROM range(50)")["v"].to_pylist())) == 50
    assert 0 <= _value(kernel, "rand()") < 1


def _value(kernel: Kernel, text: str) -> Any:
    typed = resolve_expression(parse_expression(text), StructType([]))
    return kernel.arrow(f"SELECT {print_expression(typed)} AS v")["v"][0].as_py()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("explode(a)", [(1, 10), (1, None)]),
        ("explode_outer(a)", [(1, 10), (1, None), (2, None), (3, None)]),
        ("explode(m)", [(1, "k", 1)]),
        ("posexplode(a)", [(1, 0, 10), (1, 1, None)]),
        ("posexplode_outer(m)", [(1, 0, "k", 1), (2, None, None, None), (3, None, None, None)]),
        ("inline(l)", [(1, 1, "a"), (1, None, None)]),
        ("inline_outer(l)", [(1, 1, "a"), (1, None, None), (2, None, None), (3, None, None)]),
        ("json_tuple(j, 'p', 'q')", [(1, "1", "two"), (2, None, None), (3, None, None)]),
        ("explode(split('a b', ' '))", [(i, w) for i in (1, 2, 3) for w in "ab"]),
    ],
)
def test_generators_give_rows(kernel: Kernel, text: str, rows: list[tuple[Any, ...]]) -> None:
    items: tuple[Expr, ...] = (Attribute(("id",)), parse_expression(text))
    schema = arrow_schema(_COLUMNS)
    columns = [pa.array([row[i] for row in _ROWS], type=f.type) for i, f in enumerate(schema)]
    table = pa.table(columns, schema=schema)
    relation = resolve(Project(Rows(table, _COLUMNS), items))
    kernel.put("leaf", table)
    result = kernel.arrow(print_relation(relation, lambda leaf: "leaf"))
    assert sorted(map(repr, zip(*result.to_pydict().values(), strict=True))) == sorted(map(repr, rows))


def test_generator_columns_have_sparks_names(kernel: Kernel) -> None:
    def names(text: str) -> list[str]:
        return resolve(Project(Rows(None, _COLUMNS), (parse_expression(text),))).schema.names

    assert names("explode(a)") == ["col"]
    assert names("explode(m)") == ["key", "value"]
    assert names("posexplode(a)") == ["pos", "col"]
    assert names("inline(l)") == ["x", "y"]
    assert names("json_tuple(j, 'p', 'q')") == ["c0", "c1"]


def test_seeded_chance_follows_the_order_of_rows(kernel: Kernel) -> None:
    def rows(text: str) -> list[tuple[Any, ...]]:
        relation = resolve(parse_statement(text, lambda _: None).node)  # type: ignore[union-attr]
        table = kernel.arrow(print_relation(relation, lambda leaf: "leaf"))
        return list(zip(*table.to_pydict().values(), strict=True))

    ten = "(SELECT explode(sequence(0, 9)) AS id)"
    drawn = (0.7604953758285915, 0.5234194256885571, 0.0953472826424725)
    assert rows(f"SELECT id FROM {ten} WHERE rand(0) < 0.5") == [(2,), (3,), (5,), (6,), (9,)]
    assert rows(f"SELECT id FROM {ten} WHERE id > 4 AND rand(0) < 0.5") == [(7,), (8,)]
    assert rows(f"SELECT rand(0) FROM {ten} WHERE id < 3") == [(x,) for x in drawn]
    assert rows(f"SELECT id FROM {ten} WHERE id < 3 ORDER BY rand(0)") == [(2,), (1,), (0,)]
    assert rows(f"SELECT id, m FROM (SELECT id, monotonically_increasing_id() m FROM {ten}) WHERE id > 7") == [
        (8, 8),
        (9, 9),
    ]
    many = rows("SELECT rand(7), randn(7) FROM (SELECT explode(sequence(1, 5000)) AS id)")
    assert len({x for x, _ in many}) == 5000 and rows("SELECT rand(7)") == [many[0][:1]]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("SELECT sum(rand())", "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION"),
        (
            "SELECT 1 FROM (SELECT 1 a) a JOIN (SELECT 1 b) b ON rand() < 1",
            "INVALID_NON_DETERMINISTIC_EXPRESSIONS",
        ),
        ("SELECT count(*) FROM (SELECT 1) GROUP BY rand(0)", "UNSUPPORTED_FEATURE"),
        ("SELECT transform(array(1, 2), x -> rand(0))", "UNSUPPORTED_FEATURE"),
        ("SELECT coalesce(NULL, rand(0))", "UNSUPPORTED_FEATURE"),
        ("SELECT CASE WHEN 1 > 0 THEN rand(0) END", "UNSUPPORTED_FEATURE"),
        ("SELECT shuffle(a, 1) FROM (SELECT array(1, 2) AS a)", "UNSUPPORTED_FEATURE"),
    ],
)
def test_chance_is_refused_where_it_would_not_be_sparks(text: str, code: str) -> None:
    with pytest.raises(PlanError) as caught:
        resolve(parse_statement(text, lambda _: None).node)  # type: ignore[union-attr]
    assert caught.value.code == code
