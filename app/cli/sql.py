"""`watertable sql`: one read-only statement on the database, printed as psql would."""

from __future__ import annotations

import argparse

import anyio

from app.cli.errors import OK
from app.cli.tables import print_table
from app.clock import SystemClock
from app.errors import ArgumentError
from app.settings import Settings
from app.storage.console import ask


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Prints the rows. Raises: PlanError for a statement that is refused."""
    if settings.database_url is None and not settings.home.exists():
        raise ArgumentError(
            f"There is no database yet: {settings.home} does not exist and DATABASE_URL is not set.",
            code="DATABASE_MISSING",
        )
    answer = anyio.run(ask, settings, SystemClock(), options.text)
    print_table(answer.columns, answer.rows, answer.numbers)
    return OK
