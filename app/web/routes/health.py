"""Is the process alive, and is it ready?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from aiohttp import web

from app.settings import Settings
from app.web.database_check import DatabaseCheck
from app.web.lookup import Pipelines
from app.web.request import read_parameters
from app.web.security import has_token

if TYPE_CHECKING:
    from app.engine.engine import Engine
    from app.engine.query import Query


def health_routes(
    engine: Engine, database: DatabaseCheck, settings: Settings, pipelines: Pipelines
) -> list[web.RouteDef]:
    """`/livez` answers while the event loop turns; `/readyz` says what is not as it should be."""

    async def livez(request: web.Request) -> web.Response:
        read_parameters(request, ())
        return _reply(200, {"live": True})

    async def readyz(request: web.Request) -> web.Response:
        read_parameters(request, ())
        checks = [_check("database", await database.ask()), *map(_check_query, engine.queries)]
        checks += [_check(f"pipeline {file}", problem, "is looked after") for file, problem in pipelines().items()]
        ready = all(check["ok"] for check in checks)
        # Without the token nothing is told but the verdict.
        details = {"checks": checks} if has_token(request, settings.http_token) else {}
        return _reply(200 if ready else 503, {"ready": ready, **details})

    return [web.get("/livez", livez), web.get("/readyz", readyz)]


def _check_query(query: Query) -> dict[str, Any]:
    error = query.exception
    failure = None if error is None else f"[{error.code}] {error.sentence}"
    return _check(f"query {query.name or query.id}", failure, "runs" if query.is_active else "has stopped")


def _check(name: str, failure: str | None, fine: str = "answers and takes writes") -> dict[str, Any]:
    return {"name": name, "ok": failure is None, "text": failure or fine}


def _reply(status: int, document: dict[str, Any]) -> web.Response:
    return web.Response(status=status, body=orjson.dumps(document), content_type="application/json")
