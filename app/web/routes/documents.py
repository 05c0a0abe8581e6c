"""The page, the metrics and the OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from aiohttp import web
from prometheus_client import CollectorRegistry, exposition
from prometheus_client.openmetrics import exposition as openmetrics

from app.settings import Settings
from app.web.lookup import Pipelines, result_path
from app.web.metrics import QueryCollector
from app.web.openapi import build_document
from app.web.page import load_page
from app.web.request import read_parameters

if TYPE_CHECKING:
    from app.engine.engine import Engine

_OPENMETRICS = "application/openmetrics-text"


def document_routes(engine: Engine, settings: Settings, pipelines: Pipelines) -> list[web.RouteDef]:
    """`/`, `/metrics` and `/openapi.json`."""
    registry = CollectorRegistry()
    registry.register(QueryCollector(lambda: engine.queries, pipelines))

    async def page(request: web.Request) -> web.Response:
        read_parameters(request, ())
        html, policy = load_page()
        return web.Response(text=html, content_type="text/html", headers={"Content-Security-Policy": policy})

    async def metrics(request: web.Request) -> web.Response:
        read_parameters(request, ())
        open_format = _OPENMETRICS in request.headers.get("Accept", "")
        body = (openmetrics if open_format else exposition).generate_latest(registry)
        kind = openmetrics.CONTENT_TYPE_LATEST if open_format else exposition.CONTENT_TYPE_PLAIN_0_0_4
        return web.Response(body=body, headers={"Content-Type": kind, "Vary": "Accept"})

    async def openapi(request: web.Request) -> web.Response:
        read_parameters(request, ())
        tables = {}
        for query in engine.queries:
            path, table = result_path(query), query.result()
            if path is not None and table is not None:
                tables[path] = table.schema
        document = build_document(tables, with_token=settings.http_token is not None)
        return web.Response(body=orjson.dumps(document), content_type="application/json")

    return [web.get("/", page), web.get("/metrics", metrics), web.get("/openapi.json", openapi)]
