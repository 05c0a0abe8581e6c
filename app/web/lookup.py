"""From an address to a query and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

from aiohttp import web

from app.web.problem import Problem
from app.web.request import nearest

if TYPE_CHECKING:
    from app.engine.engine import Engine
    from app.engine.query import Query

Pipelines = Callable[[], Mapping[str, str | None]]
"""The pipeline files that a service looks after: None, or a sentence that says why one does not run."""


def find_query(engine: Engine, request: web.Request) -> Query:
    """The query the path names, by name or id. Raises: Problem 404 with the nearest names."""
    name = request.match_info["name"]
    query = engine.find(name)
    if query is not None:
        return query
    near = nearest(name, [query.name or str(query.id) for query in engine.queries])
    hint = f" Did you mean {', '.join(map(repr, near))}?" if near else " The list is at /queries."
    raise Problem(404, "UNKNOWN_QUERY", f"This process runs no query {name!r}.{hint}", nearest=near)


def result_path(query: Query) -> str | None:
    """Where the rows of the query's result table are, None when it has none."""
    if query.result() is None:
        return None
    # Clients take the names "." and ".." out of a path; the id always stays.
    name = query.name if query.name and query.name.strip(".") else str(query.id)
    return f"/queries/{quote(name, safe='')}/result"
