"""`watertable migrate`: the database's tables, brought up to this version."""

from __future__ import annotations

import argparse

import anyio

from app.cli.errors import OK
from app.clock import SystemClock
from app.settings import Settings
from app.storage import migrate


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Migrates, and says what is there now. Raises: SettingsError, DatabaseUnavailable."""
    anyio.run(migrate, settings, SystemClock())
    print("The database is up to date.")
    return OK
