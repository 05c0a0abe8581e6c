"""`spark.catalog`: temporary views of a session, and the tables of memory sinks."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from app.engine.host import CALLER, current_connectors
from app.errors import ParseError, PlanError
from app.plan import nodes
from app.plan.types import StructType
from app.sql.absent import Surface
from app.sql.arguments import wrong_type
from app.sql.catalog_lists import CatalogLists
from app.sql.literals import split_name

if TYPE_CHECKING:
    from app.sql.session import SparkSession

_GLOBAL = "global_temp"
_SHARED: dict[str, dict[str, tuple[str, nodes.Node]]] = {}


class Catalog(CatalogLists, Surface):
    """Names of a session that SQL text and `spark.table` know."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._cached: set[str] = set()
        self._views: dict[str, tuple[str, nodes.Node]] = {}
        self._uses: dict[str, frozenset[str]] = {}
        """What the views that SQL text made look at, by their names."""

    def tableExists(self, tableName: str, dbName: str | None = None) -> bool:
        """Whether there is a view of the name, or the table of a memory sink; views are in no database."""
        return dbName is None and self._find(split_name(tableName)) is not None

    def dropTempView(self, viewName: str) -> bool:
        """False where there was none."""
        return self._views.pop(viewName.lower(), None) is not None

    def dropGlobalTempView(self, viewName: str) -> bool:
        """False where there was none."""
        return self._shared().pop(viewName.lower(), None) is not None

    def dropView(self, viewName: str, ifExists: bool = False) -> None:
        """Raises: PlanError TABLE_OR_VIEW_NOT_FOUND."""
        if not self._drop(split_name(viewName)) and not ifExists:
            raise PlanError(
                f"The view `{viewName}` cannot be found. Check the spelling.", code="TABLE_OR_VIEW_NOT_FOUND"
            )

    def _behind(self, names: frozenset[str]) -> frozenset[str]:
        """The views of these names and all that they look at."""
        return names.union(*(self._uses.get(name, frozenset()) for name in names))

    def _add(
        self,
        name: Any,
        node: nodes.Node,
        replace: bool,
        everywhere: bool = False,
        uses: frozenset[str] = frozenset(),
    ) -> None:
        """A view of the session; with `everywhere`, one of all sessions of the pipeline. Raises: PlanError."""
        if not isinstance(name, str):
            raise wrong_type("name", "str", name)
        parts = split_name(name)
        if len(parts) != 1:
            raise ParseError(
                f"The name of a temporary view has one part, not {len(parts)}: {name}.",
                code="TEMP_VIEW_NAME_TOO_MANY_NAME_PARTS",
            )
        views = self._shared() if everywhere else self._views
        if not replace and parts[0].lower() in views:
            raise PlanError(
                f"Cannot create the temporary view `{parts[0]}` because it already exists. Choose a different name, or "
                "use createOrReplaceTempView.",
                code="TEMP_TABLE_OR_VIEW_ALREADY_EXISTS",
            )
        views[parts[0].lower()] = (parts[0], node)
        self._uses[f"{_GLOBAL}.{parts[0]}".lower() if everywhere else parts[0].lower()] = uses

    def _shared(self) -> dict[str, tuple[str, nodes.Node]]:
        """The views of all sessions of this pipeline, in the namespace `global_temp`."""
        return _SHARED.setdefault(CALLER.get().pipeline, {})

    def _shared_names(self) -> list[str]:
        return [name for name, _node in self._shared().values()]

    def _has(self, name: str, everywhere: bool) -> bool:
        return name.lower() in (self._shared() if everywhere else self._views)

    def _place(self, parts: tuple[str, ...]) -> dict[str, tuple[str, nodes.Node]]:
        return self._shared() if len(parts) == 2 and parts[0].lower() == _GLOBAL else self._views

    def _drop(self, parts: tuple[str, ...]) -> bool:
        """False where there was none."""
        return self._place(parts).pop(parts[-1].lower(), None) is not None

    def _rename(self, parts: tuple[str, ...], new: tuple[str, ...]) -> None:
        """Raises: PlanError TABLE_OR_VIEW_NOT_FOUND, TEMP_TABLE_OR_VIEW_ALREADY_EXISTS."""
        found = self._place(parts).get(parts[-1].lower())
        if found is None:
            raise PlanError(
                f"The view `{parts[-1]}` cannot be found. Check the spelling.", code="TABLE_OR_VIEW_NOT_FOUND"
            )
        self._add(f"`{new[-1]}`", found[1], False, self._place(parts) is self._shared())
        self._drop(parts)

    def _find(self, parts: tuple[str, ...]) -> nodes.Node | None:
        """What a name in SQL text means, None if nothing. Qualifying the columns by the name is left to the parser."""
        name = parts[-1]
        if len(parts) == 2 and parts[0].lower() == _GLOBAL:
            shared = self._shared().get(name.lower())
            return None if shared is None else shared[1]
        if len(parts) > 2 or (len(parts) == 2 and parts[0].lower() != "default"):
            return None
        known = self._views.get(name.lower())
        return known[1] if known is not None else memory_table(name)

    def _table(self, name: Any) -> nodes.Node:
        """What a name means; its columns may be qualified by it.

        Raises: PlanError TABLE_OR_VIEW_NOT_FOUND, with near names."""
        if not isinstance(name, str):
            raise wrong_type("tableName", "str", name)
        parts = split_name(name)
        found = self._find(parts)
        if found is None:
            known = [view for view, _node in self._views.values()]
            near = get_close_matches(name, known, n=3, cutoff=0.5)
            hint = f"Did you mean {' or '.join(near)}?" if near else "Create it with createOrReplaceTempView."
            raise PlanError(
                f"The table or view `{name}` cannot be found. {hint}", code="TABLE_OR_VIEW_NOT_FOUND", name=name
            )
        return nodes.Named(found, parts[-1])


class _LiveTable:
    """What the table of a memory sink holds whenever it is looked at."""

    def __init__(self, read: Callable[[], pa.Table]) -> None:
        self._read = read

    def __getattr__(self, name: str) -> Any:
        return getattr(self._read(), name)


def memory_table(name: str) -> nodes.Node | None:
    """The rows of the memory sink of the query `name`, read when they are asked for; None where there is none."""
    find: Callable[[str], tuple[StructType, pa.Table] | None] | None
    find = getattr(current_connectors().sinks.get("memory"), "find", None)
    found = find(name) if find is not None else None
    if find is None or found is None:
        return None
    search = find

    def read() -> pa.Table:
        again = search(name)
        assert again is not None, "a memory table does not go away"
        return again[1]

    return nodes.Rows(_LiveTable(read), found[0])
