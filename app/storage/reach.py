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
        url = settings.database_url
        if not url:
            server = EmbeddedPostgres(settings.home)
            await server.start()
            opened.push_async_callback(server.stop)
            url = server.url()
        gateway = Gateway(url)
        opened.push_async_callback(gateway.close)
        yield gateway
