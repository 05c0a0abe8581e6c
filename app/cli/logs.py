"""Logging of the process: one line an event, on stderr, UTC."""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime

from app.errors import SettingsError

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class _OneLine(logging.Formatter):
    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")

    def format(self, record: logging.LogRecord) -> str:
        return super().format(record).replace("\n", "\\n")


def configure_logging(level: str) -> None:
    """Sends everything of `level` and above to stderr. Raises: SettingsError for a level that does not exist."""
    if level not in LEVELS:
        raise SettingsError(
            f"WATERTABLE_LOG_LEVEL is {level!r}; give one of {', '.join(LEVELS)}.", name="WATERTABLE_LOG_LEVEL"
        )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    # Libraries that tell every request or every migration step; their warnings still come through.
    for name in ("aiohttp.access", "alembic", "asyncio", "sqlalchemy"):
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))
