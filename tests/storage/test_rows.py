"""Rows into PostgreSQL tables and back: every type, every name, many rows, and what does not fit."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import anyio
import asyncpg
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.clock import SystemClock
from app.errors import PlanError, SinkBroken
from app.kernel.variant.parse import carried_of_json
from app.plan.carriers import arrow_schema
from app.plan.ddl import parse_schema
from app.plan.types import StructType
from app.settings import Settings
from app.storage import open_ledger
from app.storage.database import PostgresDatabase
from app.web.encode import to_values

pytestmark = pytest.mark.anyio

UTC = dt.UTC


@pytest.fixture
async def sql(module_postgres_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection of the test's own, to a database without any table but the ledger's."""
    connection = await asyncpg.connect(module_postgres_url)
    await connection.execute('DROP SCHEMA public CASCADE; DROP SCHEMA IF EXISTS "Odd ""schema""" CASCADE')
    await connection.execute("CREATE SCHEMA public; SET search_path = public")
    yield connection
    await connection.close()


@pytest.fixture
async def database(module_postgres_url: str, sql: asyncpg.Connection) -> AsyncIterator[PostgresDatabase]:
    ledger = await open_ledger(Settings(database_url=module_postgres_url, database_retry_s=5.0), SystemClock())
    yield ledger.database
    await ledger.close()


def table_of(schema: StructType, rows: list[tuple[Any, ...]]) -> pa.Table:
    columns = [list(c) for c in zip(*rows, strict=True)] if rows else [[] for _ in schema]
    return pa.Table.from_arrays(
        [pa.array(c, f.type) for c, f in zip(columns, arrow_schema(schema), strict=True)],
        schema=pa.schema([f.with_nullable(True) for f in arrow_schema(schema)]),
    )


async def append(database: PostgresDatabase, table: str, rows: pa.Table) -> None:
    async with database.transaction() as writer:
        await writer.append(table, rows)


async def merge(database: PostgresDatabase, table: str, rows: pa.Table, keys: list[str]) -> None:
    async with database.transaction() as writer:
        await writer.merge(table, rows, keys)


def variant(text: str) -> dict[str, str]:
    return {"variant": carried_of_json(text)}


VALUES: dict[str, list[Any]] = {
    "boolean": [True, False],
    "tinyint": [-128, 127],
    "smallint": [-32768, 32767],
    "int": [-(2**31), 2**31 - 1],
    "bigint": [-(2**63), 2**63 - 1],
    "float": [1.5, 0.1, math.inf, -math.inf, math.nan, -0.0],
    "double": [5e-324, 1.7976931348623157e308, 0.1, math.inf, -math.inf, math.nan, -0.0],
    "decimal(38,8)": [Decimal("1E-8"), Decimal("-123456789012345678901234567890.12345678")],
    "decimal(38,0)": [Decimal("9" * 38)],
    "string": ["", " ", "\\N", "\\.", "null", "NULL", '"', "a,b", "line\nfeed\r\n", "naïve 文 🜂", "\x01\x7f\u2028"],
    "binary": [b"", b"\x00\xff\\x", bytes(range(256))],
    "date": [dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(9999, 12, 31)],
    "timestamp": [
        dt.datetime(1, 1, 1, tzinfo=UTC),
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        dt.datetime(2026, 3, 21, 21, 17, 9, 123456, tzinfo=UTC),
        dt.datetime(2600, 1, 1, tzinfo=UTC),
        dt.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    ],
    "timestamp_ntz": [dt.datetime(1, 1, 1), dt.datetime(2026, 3, 8, 2, 30, 0, 1), dt.datetime(9999, 12, 31)],
    "interval day to second": [dt.timedelta(0), dt.timedelta(days=-400, microseconds=1), dt.timedelta(days=10**6)],
    "interval year to month": [-25, 0, 1200],
    "interval": [
        pa.MonthDayNano([m, d, us * 1000]) for m, d, us in ((0, 0, 0), (-13, 40, -90_061_000_001), (25, -1, 7))
    ],
    "time": [dt.time(0, 0), dt.time(23, 59, 59, 999999), dt.time(1, 2, 3, 40)],
    "array<time>": [[], [dt.time(1, 2, 3, 40), None]],
    "array<int>": [[], [1, None, 3]],
    "array<string>": [["", None, 'quote " \\ \n']],
    "map<string,bigint>": [[], [("", None), ("k", 1)]],
    "map<int,double>": [[(1, 0.5), (-2, math.inf)]],
    "struct<a:int,b:struct<c:timestamp,d:decimal(20,5),e:binary>>": [
        {"a": None, "b": None},
        {"a": 1, "b": {"c": dt.datetime(1960, 1, 1, tzinfo=UTC), "d": Decimal("0.00001"), "e": b"\x00"}},
        {"a": 2, "b": {"c": None, "d": Decimal("123456789012345.12345"), "e": b""}},
    ],
    "variant": [
        variant(text)
        for text in ('{"a":[1,-2.5,"x y",null,true],"bb":{"é":""}}', "null", "0.001", '"\\n\\""', "1e300", "{}")
    ],
    "array<variant>": [[], [variant("1"), variant('{"a":[2.5,{}]}')]],
    "struct<v:variant,w:map<string,variant>>": [{"v": variant("12345678901234567890.5"), "w": [("k", variant("[1]"))]}],
}


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
async def test_a_value_comes_back_as_it_went(database: PostgresDatabase, kind: str, many: bool) -> None:
    schema = parse_schema(f"n int, v {kind}")
    values = [*VALUES[kind], None]
    values *= 2001 // len(values) + 1 if many else 1
    rows = table_of(schema, list(enumerate(values)))
    await database.ensure_table("t", schema, ["n"])
    await append(database, "t", rows)
    table = database.table("t", schema)
    found = await table.select(order=[("n", False)], limit=100_000)
    # Text tells -0.0 and NaN apart where == does not.
    assert list(map(repr, found["v"].to_pylist())) == list(map(repr, rows["v"].to_pylist()))
    await merge(database, "t", rows, ["n"])
    again = await table.select(order=[("n", False)], limit=100_000)
    assert again.equals(found) or kind in ("float", "double", "map<int,double>")


FAR_DAYS = [-735_525, -719_163, -719_162, 0, 2_932_896, 2_932_897, 3_663_382, -2_440_588, 2_145_031_948, None]
FAR_TIMES = [-62_135_603_600_000_000, -210_866_803_200_000_000, 253_402_300_800_500_000, 2**63 - 2, -1, None]
FAR = {
    "date": FAR_DAYS,
    "timestamp": FAR_TIMES,
    "timestamp_ntz": FAR_TIMES,
    "array<date>": [FAR_DAYS, [], None],
    "array<timestamp>": [FAR_TIMES, None],
    "map<date,timestamp_ntz>": [list(zip(FAR_DAYS[:5], FAR_TIMES[:5], strict=True)), None],
    "struct<a:timestamp,b:array<struct<d:date>>>": [{"a": us, "b": [{"d": FAR_DAYS[0]}, None]} for us in FAR_TIMES],
}


@pytest.mark.parametrize("kind", FAR)
@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
async def test_times_of_any_year_come_back_as_they_went(database: PostgresDatabase, kind: str, many: bool) -> None:
    schema = parse_schema(f"n int, v {kind}")
    rows = table_of(schema, list(enumerate(FAR[kind] * (1000 if many else 1))))
    await database.ensure_table("t", schema, ["n"])
    await append(database, "t", rows)
    table = database.table("t", schema)
    found = await table.select(order=[("n", False)], limit=100_000)
    # A map comes back in the order in which jsonb keeps its keys.
    seen, sent = (to_values(t.select(["v"]), StructType([schema["v"]])) for t in (found, rows))
    assert seen == sent


async def test_what_postgresql_says_of_far_times(database: PostgresDatabase, sql: asyncpg.Connection) -> None:
    schema = parse_schema("n int, d date, t timestamp, xs array<date>")
    await database.ensure_table("t", schema, [])
    await append(database, "t", table_of(schema, [(0, -735_525, -62_135_603_600_000_000, [-735_525, 3_663_382])]))
    row = await sql.fetchrow("SELECT d::text, (t AT TIME ZONE 'UTC')::text, xs::text FROM t")
    assert tuple(row) == ("0045-03-15 BC", "0001-12-31 22:06:40 BC", '["-0044-03-15", "12000-01-01"]')
    await sql.execute("INSERT INTO t VALUES (1, 'infinity', '-infinity')")
    found = await database.table("t", schema).select(where={"n": "1"})
    assert found.to_pylist() == [
        {"n": 1, "d": dt.date(9999, 12, 31), "t": dt.datetime(1, 1, 1, tzinfo=UTC), "xs": None}
    ]
    await sql.execute("INSERT INTO t VALUES (3, '-infinity', 'infinity')")
    (ends,) = (await database.table("t", schema).select(where={"n": "3"})).to_pylist()
    assert (ends["d"], ends["t"]) == (dt.date(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC))
    await sql.execute("INSERT INTO t VALUES (2, NULL, '294276-12-31 00:00:00+00')")
    with pytest.raises(PlanError, match="294276-12-31"):
        await database.table("t", schema).select()


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("date", 2**31 - 1, "5881580-07-11"),
        ("date", -2_600_000, "-5149-"),
        ("timestamp", 1 - 2**63, "-290308-12-21T19:59:05.224193"),
        ("timestamp_ntz", 1 - 2**63, "-290308-12-21T19:59:05.224193"),
    ],
)
async def test_a_time_that_postgresql_cannot_store_is_named(
    database: PostgresDatabase, kind: str, value: int, shown: str
) -> None:
    schema = parse_schema(f"v {kind}")
    await database.ensure_table("t", schema, [])
    with pytest.raises(SinkBroken, match=f"{shown}.*column 'v'"):
        await append(database, "t", table_of(schema, [(value,)]))


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(
            st.none() | st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20)
        ),
        min_size=1,
        max_size=20,
    ),
    st.booleans(),
)
def test_text_comes_back_as_it_went(module_postgres_url: str, values: list[tuple[str | None]], many: bool) -> None:
    rows = table_of(parse_schema("v string"), values * (300 if many else 1))

    async def round_trip() -> list[str | None]:
        ledger = await open_ledger(Settings(database_url=module_postgres_url), SystemClock())
        await ledger.database.ensure_table("texts", parse_schema("v string"), [])
        async with ledger.database.transaction() as writer:
            await writer.replace("texts", rows)
        found = await ledger.database.table("texts", parse_schema("v string")).select(limit=100_000)
        await ledger.close()
        return found["v"].to_pylist()

    assert sorted(anyio.run(round_trip), key=repr) == sorted(rows["v"].to_pylist(), key=repr)


NAMES = [
    "plain",
    "Upper Case",
    'quo"te',
    "dot.ted",
    "sp ace",
    "select",
    "%s",
    "{x}",
    ":name",
    "$1",
    "naïve文",
    "x" * 63,
]


async def test_any_name_is_only_a_name(database: PostgresDatabase, sql: asyncpg.Connection) -> None:
    await sql.execute('CREATE SCHEMA "Odd ""schema"""')
    schema = StructType()
    for name in NAMES:
        schema = schema.add(name, "int")
    table = "Odd \"schema\".Odd 'table'"
    row = tuple(range(len(NAMES)))
    await database.ensure_table(table, schema, NAMES[:3])
    await database.ensure_table(table, schema, NAMES[:3])
    rows = table_of(schema, [row])
    async with database.transaction() as writer:
        await writer.append(table, rows)
        await writer.merge(table, rows, NAMES[:3])
        await writer.delete(table, rows.select(NAMES[:2]))
        await writer.merge(table, rows, NAMES[:3])
    found = await database.table(table, schema).select(where={name: str(i) for i, name in enumerate(NAMES)})
    assert found.to_pylist() == rows.to_pylist()


@pytest.mark.parametrize(
    ("table", "column", "words"),
    [
        ("t", "x" * 64, "64 bytes"),
        ("t", "文" * 22, "66 bytes"),
        ("t", "", "empty"),
        ("t", "a\x00b", "NUL"),
        ("x" * 64, "c", "64 bytes"),
        ("a.b.c", "c", "does not name a table"),
        (".b", "c", "does not name a table"),
        ("", "c", "empty"),
    ],
)
async def test_a_name_that_postgresql_would_cut_is_refused(
    database: PostgresDatabase, table: str, column: str, words: str
) -> None:
    with pytest.raises(SinkBroken, match=words):
        await database.ensure_table(table, StructType().add(column, "int"), [])


async def test_a_table_named_like_one_of_ours_is_another_table(
    database: PostgresDatabase, sql: asyncpg.Connection
) -> None:
    # The role is called watertable, as our schema is, and a role's own schema comes first on its path.
    await sql.execute("RESET search_path")
    assert await sql.fetchval("SELECT current_schema()") == "watertable"
    await database.ensure_table("query", parse_schema("n int"), [])
    assert await sql.fetchval("SELECT to_regclass('public.query') IS NOT NULL")


async def test_two_columns_of_one_name_are_refused(database: PostgresDatabase) -> None:
    with pytest.raises(SinkBroken, match="two columns 'a'"):
        await database.ensure_table("t", StructType().add("a", "int").add("a", "string"), [])


@pytest.mark.parametrize("name", ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"])
async def test_a_system_column_is_refused(database: PostgresDatabase, name: str) -> None:
    with pytest.raises(SinkBroken, match=f"{name}.*system column.*alias"):
        await database.ensure_table("t", StructType().add(name, "int"), [])
    await database.ensure_table("t", StructType().add(name.upper(), "int"), [])


@pytest.mark.parametrize(("rows", "columns"), [(7_000, 10), (40_000, 2)])
async def test_many_rows_go_in_one_transaction(
    database: PostgresDatabase, sql: asyncpg.Connection, rows: int, columns: int
) -> None:
    schema = parse_schema(", ".join(f"c{i} bigint" for i in range(columns)))
    table = pa.table({f"c{i}": pa.array(range(rows), pa.int64()) for i in range(columns)})
    await database.ensure_table("many", schema, ["c0"])
    async with database.transaction() as writer:
        await writer.append("many", table.slice(0, rows // 2))
        await writer.merge("many", table, ["c0"])
        await writer.merge("many", table.slice(0, rows // 2), ["c0"])
    found = await sql.fetchrow(f"SELECT count(*), sum(c0), sum(c{columns - 1}), count(DISTINCT xmin::text) FROM many")
    assert tuple(found) == (rows, rows * (rows - 1) // 2, rows * (rows - 1) // 2, 1)
    async with database.transaction() as writer:
        await writer.delete("many", table.select(["c0"]).slice(10))
    assert await sql.fetchval("SELECT count(*) FROM many") == 10


@pytest.mark.parametrize("copies", [1, 5_000], ids=["few", "many"])
async def test_the_last_of_two_rows_with_one_key_wins(database: PostgresDatabase, copies: int) -> None:
    schema = parse_schema("k double, v string")
    rows = [(1.0, "a"), (2.0, "x"), (0.0, "p"), (math.nan, "n"), (None, "o")] * copies
    last = [(1.0, "b"), (-0.0, "q"), (math.nan, "m"), (None, "l")]
    await database.ensure_table("t", schema, ["k"])
    await merge(database, "t", table_of(schema, rows + last), ["k"])
    found = await database.table("t", schema).select(order=[("k", False)])
    assert [tuple(map(str, row.values())) for row in found.to_pylist()] == [
        ("None", "l"),
        ("-0.0", "q"),
        ("1.0", "b"),
        ("2.0", "x"),
        ("nan", "m"),
    ]


async def test_rows_with_null_keys_are_found_again(database: PostgresDatabase, sql: asyncpg.Connection) -> None:
    schema = parse_schema("a int, b string, v int")
    rows = [(1, "x", 1), (1, None, 2), (None, "x", 3), (None, None, 4)]
    await database.ensure_table("t", schema, ["a", "b"])
    await merge(database, "t", table_of(schema, rows), ["a", "b"])
    newer = [(a, b, v * 10) for a, b, v in rows]
    await merge(database, "t", table_of(schema, newer), ["b", "a"])
    table = database.table("t", schema)
    assert [tuple(r.values()) for r in (await table.select(order=[("v", False)])).to_pylist()] == newer

    # A server older than 15 has only indexes to which nulls differ.
    await sql.execute("DROP INDEX t_a_b_idx; CREATE UNIQUE INDEX ON t (a, b)")
    newest = [(a, b, v * 10) for a, b, v in newer]
    await merge(database, "t", table_of(schema, newest), ["a", "b"])
    assert [tuple(r.values()) for r in (await table.select(order=[("v", False)])).to_pylist()] == newest
    async with database.transaction() as writer:
        await writer.delete("t", table_of(schema, [newest[1], newest[3]]).select(["a", "b"]))
    assert [tuple(r.values()) for r in (await table.select(order=[("v", False)])).to_pylist()] == newest[::2]


async def test_two_writers_in_opposite_order_do_not_end_each_other(
    database: PostgresDatabase, sql: asyncpg.Connection
) -> None:
    schema = parse_schema("k int, v int")
    await database.ensure_table("t", schema, ["k"])

    async def write(rows: list[tuple[int, int]]) -> None:
        for _ in range(15):
            await merge(database, "t", table_of(schema, rows), ["k"])

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write, [(k, 1) for k in range(1000)])
        tasks.start_soon(write, [(k, 2) for k in reversed(range(1000))])
    found = await sql.fetch("SELECT v, count(*) FROM t GROUP BY v")
    assert len(found) == 1
    assert found[0]["count"] == 1000


async def test_a_reader_in_an_old_snapshot_keeps_its_rows(database: PostgresDatabase, sql: asyncpg.Connection) -> None:
    schema = parse_schema("k int")
    await database.ensure_table("t", schema, [])
    await append(database, "t", table_of(schema, [(1,)]))
    async with sql.transaction(isolation="repeatable_read"):
        assert await sql.fetchval("SELECT k FROM t") == 1
        async with database.transaction() as writer:
            await writer.replace("t", table_of(schema, [(2,)]))
        assert await sql.fetchval("SELECT k FROM t") == 1
    assert await sql.fetchval("SELECT k FROM t") == 2


async def test_an_instant_goes_into_either_kind_of_timestamp(
    database: PostgresDatabase, sql: asyncpg.Connection
) -> None:
    instant = dt.datetime(2026, 3, 21, 21, 17, 9, 123456)
    schema = parse_schema("a timestamp, b timestamp, c timestamp_ntz, d timestamp_ntz")
    await sql.execute("CREATE TABLE t (a timestamp, b timestamptz, c timestamp, d timestamptz)")
    await database.ensure_table("t", schema, [])
    aware = instant.replace(tzinfo=UTC)
    for copies in (1, 2000):
        await append(database, "t", table_of(schema, [(aware, aware, instant, instant)] * copies))
    assert {tuple(row) for row in await sql.fetch("SELECT * FROM t")} == {(instant, aware, instant, aware)}
    found = await database.table("t", schema).select(limit=1)
    assert list(found.to_pylist()[0].values()) == [aware, aware, instant, instant]


@pytest.mark.parametrize(
    ("column", "kind", "fits"),
    [
        ("int4", "bigint", False),
        ("numeric", "bigint", True),
        ("numeric(19)", "bigint", True),
        ("numeric(18)", "bigint", False),
        ("int8", "tinyint", True),
        ("real", "double", False),
        ("float8", "float", True),
        ("numeric(12,2)", "decimal(10,2)", True),
        ("numeric(10,1)", "decimal(10,2)", False),
        ("numeric(9,2)", "decimal(10,2)", False),
        ("timestamp(3)", "timestamp", False),
        ("varchar(5)", "string", True),
        ("uuid", "string", True),
        ("int", "string", False),
        ("text", "int", False),
        ("jsonb", "array<int>", True),
        ("int[]", "array<int>", False),
        ("int GENERATED ALWAYS AS (1) STORED", "int", False),
        ("int, extra int NOT NULL", "int", False),
        ("int, extra int NOT NULL DEFAULT 1, more text", "int", True),
    ],
)
async def test_a_table_fits_when_it_can_hold_every_value(
    database: PostgresDatabase, sql: asyncpg.Connection, column: str, kind: str, fits: bool
) -> None:
    await sql.execute(f"CREATE TABLE t (v {column})")
    schema = parse_schema(f"v {kind}")
    if fits:
        await database.ensure_table("t", schema, [])
        return
    with pytest.raises(SinkBroken, match=r"column '(v|extra)'"):
        await database.ensure_table("t", schema, [])


async def test_every_misfit_is_named_at_once(database: PostgresDatabase, sql: asyncpg.Connection) -> None:
    await sql.execute("CREATE TABLE t (k int, n int4); CREATE UNIQUE INDEX ON t (k)")
    with pytest.raises(SinkBroken) as caught:
        await database.ensure_table("t", parse_schema("k int, n bigint, m string"), ["k"])
    assert len(caught.value.facts["misfits"]) == 3  # type: ignore[arg-type]
    for words in ("'n' is integer", "'m' (text) is missing", "two nulls as equal", "NULLS NOT DISTINCT"):
        assert words in str(caught.value)
    await sql.execute("CREATE VIEW v AS SELECT 1 AS k")
    with pytest.raises(SinkBroken, match="not a table"):
        await database.ensure_table("v", parse_schema("k int"), [])
    await sql.execute("CREATE TABLE p (k int PRIMARY KEY)")
    await database.ensure_table("p", parse_schema("k int"), ["k"])


@pytest.mark.parametrize("copies", [1, 3000], ids=["few", "many"])
@pytest.mark.parametrize(
    ("column", "kind", "value"),
    [
        ("varchar(3)", "string", "four"),
        ("uuid", "string", "no uuid"),
        ("jsonb", "string", '{"k":"\\u0000"}'),
        ("int NOT NULL", "int", None),
        ("int CHECK (v > 0)", "int", -1),
        ("text", "string", "a\x00b"),
        ("jsonb", "array<string>", ["a\x00b"]),
    ],
)
@pytest.mark.parametrize("how", ["append", "merge"])
async def test_a_row_that_is_refused_is_named_by_column(
    database: PostgresDatabase, sql: asyncpg.Connection, column: str, kind: str, value: Any, copies: int, how: str
) -> None:
    await sql.execute(f"CREATE TABLE t (k int, v {column}); CREATE UNIQUE INDEX ON t (k) NULLS NOT DISTINCT")
    rows = table_of(parse_schema(f"k int, v {kind}"), [(i, value) for i in range(copies)])
    with pytest.raises(SinkBroken) as caught:
        await (append(database, "t", rows) if how == "append" else merge(database, "t", rows, ["k"]))
    assert caught.value.facts["table"] == "t"
    if "CHECK" not in column:
        assert caught.value.facts["column"] == "v"
    assert await sql.fetchval("SELECT count(*) FROM t") == 0


async def test_a_value_that_does_not_fit_its_column_is_a_question_nobody_can_answer(database: PostgresDatabase) -> None:
    schema = parse_schema("n int, t timestamp, b boolean")
    await database.ensure_table("t", schema, [])
    table = database.table("t", schema)
    for name in ("n", "t", "b"):
        with pytest.raises(PlanError, match="does not fit"):
            await table.select(where={name: "nonsense"})
    with pytest.raises(PlanError, match="does not exist"):
        await database.table("gone", schema).select()


async def test_commits_leave_the_catalogue_as_it_is(database: PostgresDatabase, sql: asyncpg.Connection) -> None:
    schema = parse_schema("k int, v int")
    await database.ensure_table("t", schema, ["k"])
    rows = table_of(schema, [(k, k) for k in range(5000)])

    async def relations() -> int:
        return int(await sql.fetchval("SELECT max(oid::bigint) FROM pg_class"))

    await merge(database, "t", rows, ["k"])
    before = await relations()
    for _ in range(3):
        await merge(database, "t", rows, ["k"])
    assert await relations() == before
