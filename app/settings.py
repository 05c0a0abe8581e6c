"""What the process is told from outside: environment variables, read once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Settings:
    """`database_url` None means the embedded PostgreSQL in `home`. `database_retry_s` bounds how long a missing
    database is waited for, at start and in the middle of a run."""

    database_url: str | None = None
    home: Path = Path(".watertable")
    http_host: str = "127.0.0.1"
    http_port: int = 8080
    http_token: str | None = None
    log_level: str = "INFO"
    database_retry_s: float = 300.0
    kernel_memory_bytes: int = 1 << 30
    kernel_threads: int = 2

    def __repr__(self) -> str:
        return f"Settings(home={str(self.home)!r}, http={self.http_host}:{self.http_port})"


def read_settings(env: Mapping[str, str] | None = None) -> Settings:
    """Settings from `DATABASE_URL` and the `WATERTABLE_…` variables. Raises: SettingsError."""
    env = os.environ if env is None else env
    default = Settings()
    return Settings(
        database_url=env.get("DATABASE_URL") or None,
        home=Path(env.get("WATERTABLE_HOME") or default.home),
        http_host=env.get("WATERTABLE_HTTP_HOST") or default.http_host,
        http_port=_number(env, "WATERTABLE_HTTP_PORT", default.http_port, 0, 65535),
        http_token=env.get("WATERTABLE_HTTP_TOKEN") or None,
        log_level=(env.get("WATERTABLE_LOG_LEVEL") or default.log_level).upper(),
        database_retry_s=_number(env, "WATERTABLE_DATABASE_RETRY_S", int(default.database_retry_s), 0, 86_400),
        kernel_memory_bytes=_number(env, "WATERTABLE_KERNEL_MEMORY_MB", default.kernel_memory_bytes >> 20, 64, 1 << 20)
        << 20,
        kernel_threads=_number(env, "WATERTABLE_KERNEL_THREADS", os.cpu_count() or 1, 1, 256),
    )


def _number(env: Mapping[str, str], name: str, default: int, low: int, high: int) -> int:
    text = env.get(name)
    if not text:
        return default
    if not text.isdecimal() or not low <= int(text) <= high:
        raise SettingsError(f"{name} is {text!r}; give a whole number from {low} to {high}.", name=name)
    return int(text)
