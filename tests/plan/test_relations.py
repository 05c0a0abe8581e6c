import math
from collections.abc import Iterator

import pytest

from app.kernel.kernel import Kernel
from app.kernel.relations import print_keys, print_relation
from app.plan.bound import Grouped
from app.plan.carriers import duckdb_type
from app.plan.resolve import resolve
from tests.plan.build import call, group, lit, select
from tests.plan.relation_cases import CASES, ORDERED, PRINTED, T, printed, table_name, tables


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with Kernel(memory_bytes=1 << 28, threads=1) as kernel:
        for name, rows in tables().items():
            kernel.put(name, rows)
        yield kernel


def comparable(row: tuple) -> tuple:
    """A row in which NaN equals itself and -0.0 is not 0.0."""
    return tuple(repr(value) if isinstance(value, float) else value for value in row)


@pytest.mark.parametrize("name", CASES)
def test_a_relation_gives_the_rows_of_spark(kernel, name):
    rows = kernel.arrow(printed(name)).to_pylist()
    got = [comparable(tuple(row.values())) for row in rows]
    wanted = [comparable(row) for row in CASES[name][1]]
    if name in ORDERED:
        assert got == wanted
    else:
        assert sorted(got, key=repr) == sorted(wanted, key=repr)


@pytest.mark.parametrize("name", CASES)
def test_the_printed_sql_changes_only_in_review(name):
    """`python -m tests.plan.relation_cases` writes the files anew."""
    assert printed(name) == (PRINTED / f"{name}.sql").read_text(encoding="utf-8")


def test_no_printed_sql_is_left_over():
    assert {path.stem for path in PRINTED.glob("*.sql")} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_columns_have_the_types_and_names_of_the_schema(kernel, name):
    relation = resolve(CASES[name][0])
    described = kernel.arrow(f"DESCRIBE {print_relation(relation, table_name)}").to_pylist()
    wanted = [f"c{i}" for i in range(len(relation.schema))]
    assert [row["column_name"] for row in described] == wanted
    carried = ", ".join(f"typeof(CAST(NULL AS {duckdb_type(f.dataType)}))" for f in relation.schema)
    types = kernel.arrow(f"SELECT [{carried}] AS types")["types"][0].as_py()
    assert [row["column_type"] for row in described] == types


def test_a_line_break_in_a_constant_stays_what_it_is(kernel):
    text = "a\n  b\n\nc"
    node = select(select(T, call("concat", "k", lit(text))), call("count", "*"))
    inner = select(select(T, "k", call("concat", "k", lit(text))), "k", call("concat", lit(text), lit("!")))
    assert kernel.arrow(print_relation(resolve(node), table_name))["c0"].to_pylist() == [4]
    assert set(kernel.arrow(print_relation(resolve(inner), table_name))["c1"].to_pylist()) == {f"{text}!"}


def test_keys_are_printed_apart_for_operators_with_state():
    grouped = next(
        node for node in resolve(group(T, ["k", "d"], call("count", "*"))).walk() if isinstance(node, Grouped)
    )
    assert print_keys(grouped) == ["c0", "(c2 + CAST(0 AS DOUBLE))"]


def test_negative_zero_is_a_zero_in_keys(kernel):
    rows = kernel.arrow(printed("group_by_float"))["c0"].to_pylist()
    assert math.copysign(1, min(rows, key=lambda x: (math.isnan(x), x))) == 1
