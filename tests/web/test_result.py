"""Rows of a result table: which ones, in which order, in which format, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import DatabaseUnavailable
from tests.web.fakes import Client, FakeEngine, FakeQuery, counts, make_table, serving

RESULT = "/queries/counts/result"
WIDE = """t timestamp, n timestamp_ntz, d decimal(10,2), x double, b boolean, day date, `a,b` int, `-m` int,
    `where.q` string, xs array<int>"""


class GoneTable:
    """A result table whose database is away."""

    schema = make_table("v int", []).schema

    async def select(self, *_: object) -> None:
        raise DatabaseUnavailable("The database at db:5432 went away.")


class BrokenTable(GoneTable):
    async def select(self, *_: object) -> None:
        raise RuntimeError("password=hunter2")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    rows = [
        {
            "t": n * 1_000_000,
            "n": n * 1_000_000,
            "d": n,
            "x": n / 2,
            "b": n % 2 == 0,
            "day": n,
            "a,b": n,
            "-m": -n,
            "where.q": "q",
            "xs": [n],
        }
        for n in range(5)
    ]
    wide = FakeQuery(name="wide", id="wide-id", table=make_table(WIDE, rows))
    gone = FakeQuery(name="gone", id="gone-id", table=GoneTable())
    broken = FakeQuery(name="broken", id="broken-id", table=BrokenTable())
    twins = FakeQuery(name="twins", id="twins-id", table=make_table("a int, b int, A int", []))
    with serving(FakeEngine(counts(), wide, gone, broken, twins)) as client:
        yield client


def ask(client: Client, path: str = RESULT, **parameters: object) -> list[dict[str, object]]:
    reply = client.ask(f"{path}?{urlencode(parameters)}")
    assert reply.status == 200, reply.body
    return reply.json()["rows"]


def test_rows_come_with_the_types_of_their_columns(client: Client) -> None:
    reply = client.ask(RESULT).json()
    assert reply["columns"] == [
        {"name": "word", "type": "string", "nullable": True},
        {"name": "count", "type": "bigint", "nullable": True},
    ]
    assert reply["rows"][0] == {"word": "the", "count": 2**53 + 1}
    assert (reply["query"], reply["limit"], reply["offset"]) == ("counts", 100, 0)


def test_columns_filter_order_limit_and_offset_act_together(client: Client) -> None:
    assert ask(client, columns="word", order="-count,word", limit=2, offset=1) == [
        {"word": "a"}, {"word": 'Ünïcode, "quoted"'},
    ]  # fmt: skip
    assert ask(client, **{"where.count": 7, "where.word": "a"}) == [{"word": "a", "count": 7}]
    assert ask(client, **{"where.word": ""}) == [{"word": "", "count": 1}]
    assert ask(client, limit=0) == []


@pytest.mark.parametrize(
    ("column", "value"),
    [("t", "1970-01-01T00:00:03Z"), ("t", "1970-01-01T01:00:03+01:00"), ("n", "1970-01-01T00:00:03"), ("d", "3.00"),
     ("x", "1.5"), ("day", "1970-01-04"), ("a,b", "3"), ("-m", "-3")],
)  # fmt: skip
def test_a_filter_takes_the_text_the_json_shows(client: Client, column: str, value: str) -> None:
    (row,) = ask(client, "/queries/wide/result", **{f"where.{column}": value})
    assert row["a,b"] == 3


def test_names_with_commas_and_signs_stand_in_backticks(client: Client) -> None:
    rows = ask(client, "/queries/wide/result", columns="`-m`,`a,b`", order="-`a,b`", limit=1)
    assert rows == [{"-m": -4, "a,b": 4}]
    assert ask(
        client, "/queries/wide/result", **{"where.where.q": "q", "order": "`-m`", "columns": "d", "limit": 1}
    ) == [{"d": "4.00"}]


@pytest.mark.parametrize(
    ("accept", "kind"),
    [("text/csv", "text/csv"), ("application/x-ndjson", "application/x-ndjson"), ("*/*", "application/json"),
     ("text/*", "text/csv"), ("text/csv;q=0.1, application/json", "application/json"),
     ("text/csv;q=x, application/json;q=0.2", "application/json")],
)  # fmt: skip
def test_the_accept_header_chooses_the_format(client: Client, accept: str, kind: str) -> None:
    reply = client.ask(RESULT, Accept=accept)
    assert (reply.headers["content-type"].split(";")[0], reply.headers["vary"]) == (kind, "Accept")


def test_the_format_parameter_goes_before_the_accept_header(client: Client) -> None:
    reply = client.ask(f"{RESULT}?format=csv", Accept="application/json")
    assert reply.headers["content-type"] == "text/csv; charset=utf-8"


def test_an_accept_header_nothing_fits_is_refused(client: Client) -> None:
    reply = client.ask(RESULT, Accept="image/png, text/csv;q=0")
    assert (reply.status, reply.json()["code"]) == (406, "NOT_ACCEPTABLE")


def test_the_three_formats_say_the_same(client: Client) -> None:
    rows = ask(client)
    lines = client.ask(f"{RESULT}?format=ndjson").body.splitlines()
    assert [json.loads(line) for line in lines] == rows
    text = client.ask(f"{RESULT}?format=csv").body.decode()
    assert text.splitlines()[0] == "word,count"
    read = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [(row["word"], int(row["count"])) for row in read] == [(row["word"] or "", row["count"]) for row in rows]


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ("limit=10001", "INVALID_PARAMETER"), ("limit=-1", "INVALID_PARAMETER"), ("limit=", "INVALID_PARAMETER"),
        ("limit=1.0", "INVALID_PARAMETER"), ("limit=٣", "INVALID_PARAMETER"), ("offset=1e3", "INVALID_PARAMETER"),
        ("limit=" + "9" * 4000, "INVALID_PARAMETER"), ("offset=1000000000001", "INVALID_PARAMETER"),
        ("columns=", "INVALID_PARAMETER"), ("columns=word,", "INVALID_PARAMETER"),
        ("columns=,word", "INVALID_PARAMETER"),
        ("columns=-word", "INVALID_PARAMETER"), ("columns=word,word", "INVALID_PARAMETER"),
        ("columns=`word", "INVALID_PARAMETER"), ("order=--word", "INVALID_PARAMETER"),
        ("columns=wrod", "UNRESOLVED_COLUMN"), ("order=-Word", "UNRESOLVED_COLUMN"),
        ("where.wrod=1", "UNRESOLVED_COLUMN"), ("where.count=seven", "INVALID_PARAMETER"),
        ("where.count=9223372036854775808", "INVALID_PARAMETER"), ("where.word=%00", "INVALID_PARAMETER"),
        ("where.word=%FF", "INVALID_PARAMETER"), ("where.=1", "UNKNOWN_PARAMETER"), ("where=1", "UNKNOWN_PARAMETER"),
        ("Limit=1", "UNKNOWN_PARAMETER"), ("limit=1&limit=1", "DUPLICATE_PARAMETER"),
        ("where.word=a&where.word=b", "DUPLICATE_PARAMETER"), ("format=xml", "INVALID_PARAMETER"),
        ("token=abc", "UNKNOWN_PARAMETER"),
        ("columns=word\n", "UNRESOLVED_COLUMN"), ("where.count=7\n", "INVALID_PARAMETER"),
    ],
)  # fmt: skip
def test_a_wrong_parameter_is_named(client: Client, parameters: str, code: str) -> None:
    reply = client.ask(f"{RESULT}?{quote(parameters, safe='=&%,`')}")
    assert (reply.status, reply.json()["code"]) == (400, code)
    assert parameters.split("=")[0] in reply.json()["detail"] or "UTF-8" in reply.json()["detail"]


def test_an_unknown_parameter_is_answered_with_the_known_ones(client: Client) -> None:
    assert client.ask(f"{RESULT}?lmit=3").json()["known"] == [
        "columns", "order", "limit", "offset", "format", "where.<column>",
    ]  # fmt: skip
    assert "no parameters" in client.ask("/queries?limit=3").json()["detail"]


def test_an_unknown_column_is_answered_with_the_nearest(client: Client) -> None:
    assert "Did you mean 'word'?" in client.ask(f"{RESULT}?columns=wrod").json()["detail"]


@pytest.mark.parametrize(
    ("column", "value"),
    [("t", "1970-01-01T00:00:03"), ("t", "1970-01-01"), ("t", "1970-02-30T00:00:00Z"),
     ("t", "9999-12-31T23:00:00-02:00"), ("t", "0000-01-01T00:00:00Z"), ("day", "0000-01-01"),
     ("n", "1970-01-01T00:00:00Z"), ("n", "1970-02-29T00:00:00"), ("d", "1e2"), ("d", "1.234"), ("x", "nan"),
     ("b", "True"), ("day", "19700101"),
     ("a,b", "+1"), ("a,b", "2147483648")],
)  # fmt: skip
def test_a_filter_value_that_does_not_fit_is_refused(client: Client, column: str, value: str) -> None:
    reply = client.ask(f"/queries/wide/result?{urlencode({f'where.{column}': value})}")
    assert (reply.status, reply.json()["code"]) == (400, "INVALID_PARAMETER")
    assert value in reply.json()["detail"]
    assert "[0-9]" not in reply.json()["detail"]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_a_filter_takes_what_is_no_number(client: Client, value: str) -> None:
    assert ask(client, "/queries/wide/result", **{"where.x": value}) == []


def test_a_column_without_an_order_or_a_filter_says_so(client: Client) -> None:
    assert "array<int>" in client.ask("/queries/wide/result?order=xs").json()["detail"]
    assert "array<int>" in client.ask("/queries/wide/result?where.xs=1").json()["detail"]


def test_two_columns_of_one_name_are_not_shown_as_one(client: Client) -> None:
    reply = client.ask("/queries/twins/result")
    assert (reply.status, reply.json()["code"], reply.json()["column"]) == (409, "DUPLICATE_COLUMN", "a")


def test_a_database_that_went_away_is_worth_another_try(client: Client) -> None:
    reply = client.ask("/queries/gone/result")
    assert (reply.status, reply.headers["retry-after"], reply.json()["code"]) == (503, "5", "DATABASE_UNAVAILABLE")


def test_a_mistake_of_ours_tells_the_client_nothing(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    reply = client.ask("/queries/broken/result")
    assert (reply.status, reply.json()["code"]) == (500, "INTERNAL")
    assert b"hunter2" not in reply.body
    assert caplog.records[-1].exc_info is not None


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["columns", "order", "limit", "offset", "format", "where.word", "where.count", "x"])
            | st.text(max_size=8),
            st.sampled_from(["word", "-count", "0", "7", "csv", ""]) | st.text(max_size=12),
        ),
        max_size=4,
    )
)
def test_any_parameters_give_rows_or_a_reason(client: Client, parameters: list[tuple[str, str]]) -> None:
    query = urlencode([(n.encode("utf-8", "replace"), v.encode("utf-8", "replace")) for n, v in parameters])
    reply = client.ask(f"{RESULT}?{query}")
    assert reply.status in (200, 400), reply.body
    if reply.status == 400:
        assert reply.headers["content-type"] == "application/problem+json"
        assert reply.json()["detail"].endswith((".", "?"))


@given(st.binary(max_size=24))
def test_any_bytes_in_a_query_string_are_read_or_refused(client: Client, raw: bytes) -> None:
    encoded = "".join(f"%{byte:02X}" for byte in raw)
    assert client.ask(f"{RESULT}?where.word={encoded}").status in (200, 400)
    assert client.ask(f"{RESULT}?{encoded}=1").status == 400
