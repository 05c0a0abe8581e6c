"""The way to the database that the settings name, or to the embedded server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from app.settings import Settings
from app.storage.connect import Gateway
from app.storage.embedded import EmbeddedPostgres


@asynccontextmanager
async def open_gateway(settings: Settings) -> AsyncIterator[Gateway]:
    """A gateway for the length of the block; without DATABASE_URL the embedded server runs as long.

    Raises: SettingsError, DatabaseUnavailable (the embedded server does not start).
    """
    async with AsyncExitStack() as opened:
        if settings.database_url:
            gateway = Gateway(settings.database_url)
        else:
            server = EmbeddedPostgres(settings.home)
            await server.start()
            opened.push_async_callback(server.stop)
            gateway = Gateway(server.url(), revive=server.start)
        opened.push_async_callback(gateway.close)
        yield gateway
