"""The HTTP side of an engine: `async with WebServer(engine, settings, clock) as server`."""

from app.web.server import WebServer

__all__ = ["WebServer"]
