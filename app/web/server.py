"""The HTTP side of one engine, from bind to graceful end."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio
from aiohttp import web
from aiohttp.http import HttpProcessingError

from app import errors
from app.clock import Clock
from app.settings import Settings
from app.web.database_check import DatabaseCheck
from app.web.lookup import Pipelines
from app.web.problem import Problem
from app.web.request import nearest
from app.web.routes.documents import document_routes
from app.web.routes.health import health_routes
from app.web.routes.queries import query_routes
from app.web.routes.result import result_routes
from app.web.security import add_headers, check_request, check_settings

if TYPE_CHECKING:
    from app.engine.engine import Engine

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_HANDLER_S = 10.0
_SHUTDOWN_S = 0.8
"""For handlers to finish, and once more for those cancelled to end: together under two seconds."""

log = logging.getLogger(__name__)
_protocol_log = logging.getLogger(f"{__name__}.protocol")


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether to log it: bytes that are no HTTP are the client's mistake, and may hold its secrets."""
    return record.exc_info is None or not isinstance(record.exc_info[1], HttpProcessingError)


_protocol_log.addFilter(_is_ours)


class WebServer:
    """`async with WebServer(engine, settings, clock) as server:` serves at `server.url` until the block ends.

    `pipelines` tells what else has to be well, by file: a sentence where it is not, else None.

    Raises: SettingsError for an address without a token, a port in use, an address this machine has not."""

    def __init__(self, engine: Engine, settings: Settings, clock: Clock, pipelines: Pipelines = dict) -> None:
        check_settings(settings)
        self._settings = settings
        self._clock = clock
        self._database = DatabaseCheck(engine)
        app = web.Application(middlewares=[self._answer])
        app.on_response_prepare.append(add_headers)
        app.add_routes(health_routes(engine, self._database, settings, pipelines))
        app.add_routes(query_routes(engine, pipelines))
        app.add_routes(result_routes(engine))
        app.add_routes(document_routes(engine, settings, pipelines))
        self._runner = web.AppRunner(
            app, access_log=None, logger=_protocol_log, shutdown_timeout=_SHUTDOWN_S, lingering_time=1.0
        )
        self._paths = sorted({r.canonical for r in app.router.resources()})

    @property
    def url(self) -> str:
        """Where this machine reaches the server, without a slash at the end."""
        host, port = self._runner.addresses[0][:2]
        address = ipaddress.ip_address(host)
        if address.is_unspecified:
            address = ipaddress.ip_address("127.0.0.1" if address.version == 4 else "::1")
        return f"http://{f'[{address}]' if address.version == 6 else address}:{port}"

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        host, port = self._settings.http_host, self._settings.http_port
        # One socket: `localhost` would be two, with two ports where the system chooses.
        site = web.TCPSite(self._runner, "127.0.0.1" if host == "localhost" else host, port)
        try:
            await site.start()
        except OSError as error:
            await self._runner.cleanup()
            raise _bind_error(error, host, port) from error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with anyio.CancelScope(shield=True):
            await self._runner.cleanup()
            await self._database.close()

    @web.middleware
    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        started = self._clock.monotonic_s()
        try:
            check_request(request, self._settings)
            async with asyncio.timeout(_HANDLER_S):
                response = await handler(request)
        except Exception as error:
            response = self._problem(request, error).response()
        if request.body_exists:
            response.force_close()  # nothing here reads a body: it must not be taken for the next request
        took_ms = (self._clock.monotonic_s() - started) * 1000
        # The raw path has no line breaks, and the query string, which holds values, is left out.
        log.debug("%s %s %d %.1f ms", request.method, request.rel_url.raw_path, response.status, took_ms)
        return response

    def _problem(self, request: web.Request, error: Exception) -> Problem:
        if isinstance(error, Problem):
            return error
        if isinstance(error, web.HTTPMethodNotAllowed):
            allow = ", ".join(sorted(error.allowed_methods))
            sentence = f"Everything here is read-only: {request.method} is not taken, only {allow}."
            return Problem(405, "METHOD_NOT_ALLOWED", sentence, {"Allow": allow})
        if isinstance(error, web.HTTPNotFound):
            near = nearest(request.path, self._paths)
            hint = f" Did you mean {' or '.join(near)}?" if near else " /openapi.json says what there is."
            return Problem(404, "UNKNOWN_PATH", f"There is nothing at this address.{hint}")
        return _engine_problem(error)


def _engine_problem(error: Exception) -> Problem:
    if isinstance(error, TimeoutError):
        return Problem(503, "TIMEOUT", f"No answer within {_HANDLER_S:g} s; try again.", {"Retry-After": "5"})
    if isinstance(error, (errors.DatabaseUnavailable, errors.SinkUnavailable, errors.SinkClosed)):
        return Problem(503, error.code, error.sentence, {"Retry-After": "5"})
    log.error("A request failed.", exc_info=error)
    if isinstance(error, errors.EngineError):
        return Problem(500, error.code, error.sentence)
    return Problem(500, "INTERNAL", "The server made a mistake; its log says which.")


def _bind_error(error: OSError, host: str, port: int) -> errors.SettingsError:
    if error.errno == errno.EADDRINUSE:
        code, why = "PORT_IN_USE", "another program uses it. Stop that program"
    elif error.errno in (errno.EACCES, errno.EPERM):
        code, why = "PORT_NOT_ALLOWED", "this user may not use it. Take a port above 1023"
    else:
        code, why = "ADDRESS_NOT_AVAILABLE", "this machine has no such address. Set WATERTABLE_HTTP_HOST"
    sentence = f"HTTP cannot listen on port {port} of {host}: {why}, or choose another port with WATERTABLE_HTTP_PORT."
    return errors.SettingsError(sentence, code=code, host=host, port=port)
