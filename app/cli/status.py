"""`watertable status`: the queries that the database knows, beside those that run now."""

from __future__ import annotations

import argparse
import http.client
import json
import urllib.error
import urllib.request
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import anyio
import anyio.to_thread

from app.cli.errors import OK
from app.cli.tables import print_table
from app.clock import SystemClock
from app.engine.contracts import StoredQuery
from app.settings import Settings
from app.storage import stored_queries

HTTP_WAIT_S = 2.0
HEADINGS = ("query", "state", "epoch", "committed", "rows read", "state bytes", "dead letters")


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Prints one line a query."""
    anyio.run(_status, settings)
    return OK


async def _status(settings: Settings) -> None:
    url = f"http://{settings.http_host}:{settings.http_port}"
    states, told = await anyio.to_thread.run_sync(running_states, url, settings.http_token)
    if settings.database_url is None and not settings.home.exists():
        print(f"There is no database yet: {settings.home} does not exist and DATABASE_URL is not set.")
        return
    stored = await stored_queries(settings, SystemClock())
    if stored is None:
        print("No service has used this database yet: it has no tables of Watertable.")
    else:
        print_table(HEADINGS, [_line(query, states) for query in stored])
    print(told)


def running_states(url: str, token: str | None) -> tuple[dict[str, str] | None, str]:
    """The state of each query by name, as the service at `url` tells it, None where it does not tell; and a sentence
    for people."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(f"{url}/queries", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=HTTP_WAIT_S) as reply:
            document: dict[str, Any] = json.load(reply)
        states = {str(query["name"]): str(query["state"]) for query in document["queries"]}
        return states, f"The service answers at {url}."
    except urllib.error.HTTPError as error:
        if error.code == HTTPStatus.UNAUTHORIZED:
            return (
                None,
                f"The service at {url} wants another token: set WATERTABLE_HTTP_TOKEN to what it was started with.",
            )
        return None, f"{url} answers, but not as this service does (HTTP {error.code})."
    except (OSError, http.client.HTTPException):
        return {}, f"{url} does not answer: no service runs there."
    except (ValueError, LookupError, TypeError):
        return None, f"{url} answers, but not as this service does."


def _line(query: StoredQuery, states: dict[str, str] | None) -> tuple[object, ...]:
    name = query.name or query.key
    return (
        name,
        "unknown" if states is None else states.get(name, "not running here"),
        query.epoch,
        _instant(query.committed_us),
        query.input_rows,
        query.state_bytes,
        query.dead_letters,
    )


def _instant(us: int | None) -> str | None:
    return None if us is None else datetime.fromtimestamp(us / 1e6, UTC).isoformat(" ", "seconds")
