"""The rows of a result table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import anyio
import pyarrow as pa
from aiohttp import web

from app.engine.contracts import ResultTable
from app.errors import PlanError
from app.plan.types import StructType
from app.web.encode import to_csv, to_json, to_ndjson
from app.web.filters import can_order, read_value
from app.web.lookup import find_query
from app.web.problem import Problem
from app.web.request import check_column, negotiate, read_names, read_parameters, whole_number

if TYPE_CHECKING:
    from app.engine.engine import Engine

PARAMETERS = ("columns", "order", "limit", "offset", "format")
FORMATS = {"json": "application/json", "ndjson": "application/x-ndjson", "csv": "text/csv"}
DEFAULT_ROWS = 100
MAX_ROWS = 10_000
MAX_OFFSET = 10**12

_READERS = 4
"""Requests that read tables at a time; the commits need connections too."""


def result_routes(engine: Engine) -> list[web.RouteDef]:
    """`/queries/{name}/result`."""
    readers = anyio.CapacityLimiter(_READERS)

    async def result(request: web.Request) -> web.Response:
        query = find_query(engine, request)
        table = query.result()
        if table is None:
            sentence = f"The query {request.match_info['name']!r} has no result table: its sink keeps none."
            raise Problem(404, "NO_RESULT_TABLE", sentence)
        given = read_parameters(request, PARAMETERS, "where.")
        media = _media(request, given)
        async with readers:
            rows, schema = await _select(table, given)
            encode = _encoder(media, given, query.name)
            body = await anyio.to_thread.run_sync(encode, rows, schema, abandon_on_cancel=True)
        charset = "utf-8" if media == "text/csv" else None
        return web.Response(body=body, content_type=media, charset=charset, headers={"Vary": "Accept"})

    return [web.get("/queries/{name}/result", result)]


def _media(request: web.Request, given: dict[str, str]) -> str:
    if "format" not in given:
        return negotiate(request, list(FORMATS.values()))
    if given["format"] not in FORMATS:
        sentence = f"The parameter 'format' is {given['format']!r}; give one of {', '.join(FORMATS)}."
        raise Problem(400, "INVALID_PARAMETER", sentence, name="format")
    return FORMATS[given["format"]]


async def _select(table: ResultTable, given: dict[str, str]) -> tuple[pa.Table, StructType]:
    names = table.schema.names
    twice = next((name for name in names if sum(name.lower() == other.lower() for other in names) > 1), None)
    if twice is not None:
        sentence = f"The result table has two columns named {twice!r}; give one of them an alias in the query."
        raise Problem(409, "DUPLICATE_COLUMN", sentence, column=twice)
    columns = [c for c, _ in read_names(given, "columns", names, signed=False)] if "columns" in given else names
    order = read_names(given, "order", names, signed=True) if "order" in given else []
    for column, _ in order:
        if not can_order(table.schema[column].dataType):
            kind = table.schema[column].dataType.simpleString()
            sentence = f"The column {column!r} is of type {kind}, which has no order."
            raise Problem(400, "INVALID_PARAMETER", sentence, name="order")
    where = {}
    for parameter, text in given.items():
        if parameter.startswith("where."):
            column = parameter.removeprefix("where.")
            check_column(parameter, column, names)
            where[column] = read_value(parameter, text, table.schema[column].dataType)
    limit = whole_number(given, "limit", DEFAULT_ROWS, MAX_ROWS)
    offset = whole_number(given, "offset", 0, MAX_OFFSET)
    try:
        rows = await table.select(columns, where, order, limit, offset)
    except PlanError as error:
        # The question fits the schema, so the table is not what the query made: dropped or changed by someone.
        raise Problem(409, error.code, error.sentence) from error
    return rows, StructType([table.schema[c] for c in columns])


def _encoder(media: str, given: dict[str, str], query: str | None) -> Callable[[pa.Table, StructType], bytes]:
    if media == FORMATS["json"]:
        limit, offset = int(given.get("limit", DEFAULT_ROWS)), int(given.get("offset", 0))
        return partial(to_json, head={"query": query, "limit": limit, "offset": offset})
    return to_csv if media == FORMATS["csv"] else to_ndjson
