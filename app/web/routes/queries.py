"""The queries of this process and how they are doing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from aiohttp import web

from app.web.lookup import Pipelines, find_query, result_path
from app.web.request import negotiate, read_parameters

if TYPE_CHECKING:
    from app.engine.engine import Engine
    from app.engine.query import Query


def query_routes(engine: Engine, pipelines: Pipelines) -> list[web.RouteDef]:
    """The list, and one query by name or id."""

    async def queries(request: web.Request) -> web.Response:
        read_parameters(request, ())
        kept = [{"file": file, "error": problem} for file, problem in pipelines().items()]
        return _reply(request, {"queries": [_summary(query) for query in engine.queries], "pipelines": kept})

    async def query(request: web.Request) -> web.Response:
        read_parameters(request, ())
        return _reply(request, _details(find_query(engine, request)))

    return [web.get("/queries", queries), web.get("/queries/{name}", query)]


def _summary(query: Query) -> dict[str, Any]:
    error, progress = query.exception, query.last_progress or {}
    return {
        "name": query.name,
        "id": str(query.id),
        "runId": str(query.run_id),
        "mode": query.mode,
        "state": "active" if query.is_active else "failed" if error else "stopped",
        "message": query.status["message"],
        "error": {"code": error.code, "message": error.sentence} if error else None,
        "inputRows": query.totals.input_rows,
        "lastEpoch": progress.get("batchId"),
        "lastEpochTimestamp": progress.get("timestamp"),
        "processedRowsPerSecond": progress.get("processedRowsPerSecond"),
        "result": result_path(query),
    }


def _details(query: Query) -> dict[str, Any]:
    totals = query.totals
    return {
        **_summary(query),
        "status": query.status,
        "totals": {
            "epochs": totals.epochs,
            "inputRows": totals.input_rows,
            "outputRows": totals.output_rows,
            "deadLetters": totals.dead_letters,
            "stateRows": totals.state_rows,
            "stateBytes": totals.state_bytes,
            "restarts": totals.restarts,
        },
        "sink": query.sink,
        "plan": query.explain(),
        "lastProgress": query.last_progress,
    }


def _reply(request: web.Request, document: dict[str, Any]) -> web.Response:
    media = negotiate(request, ["application/json"])
    body = orjson.dumps(document, default=str, option=orjson.OPT_NON_STR_KEYS)
    return web.Response(body=body, content_type=media)
