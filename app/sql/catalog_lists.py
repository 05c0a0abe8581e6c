"""What `spark.catalog` lists: one catalog, one database, views with their columns, functions."""

from __future__ import annotations

import fnmatch
import re
from abc import abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from app.errors import PlanError
from app.plan.functions import INTERNAL, catalogue, unresolved

if TYPE_CHECKING:
    from app.plan import nodes
    from app.sql.session import SparkSession

CATALOG, DATABASE = "spark_catalog", "default"


class CatalogMetadata(NamedTuple):
    """One entry of `listCatalogs()`."""

    name: str
    description: str | None


class Database(NamedTuple):
    """One entry of `listDatabases()`."""

    name: str
    catalog: str | None
    description: str | None
    locationUri: str


class Table(NamedTuple):
    """One entry of `listTables()`."""

    name: str
    catalog: str | None
    namespace: list[str] | None
    description: str | None
    tableType: str
    isTemporary: bool

    @property
    def database(self) -> str | None:
        return self.namespace[0] if self.namespace and len(self.namespace) == 1 else None


class Column(NamedTuple):
    """One entry of `listColumns()`."""

    name: str
    description: str | None
    dataType: str
    nullable: bool
    isPartition: bool
    isBucket: bool
    isCluster: bool


class Function(NamedTuple):
    """One entry of `listFunctions()`."""

    name: str
    catalog: str | None
    namespace: list[str] | None
    description: str | None
    className: str
    isTemporary: bool


class CatalogLists:
    """The part of a catalog that tells what there is. `pattern`: `*` stands for any text, `|` parts alternatives."""

    _session: SparkSession
    _views: dict[str, tuple[str, nodes.Node]]
    _cached: set[str]

    @abstractmethod
    def _table(self, name: str) -> nodes.Node: ...

    @abstractmethod
    def dropTempView(self, viewName: str) -> bool: ...

    def currentCatalog(self) -> str:
        return CATALOG

    def setCurrentCatalog(self, catalogName: str) -> None:
        """Raises: PlanError for another one than there is."""
        if catalogName != CATALOG:
            raise PlanError(f"The catalog `{catalogName}` is not there, only {CATALOG}.", code="CATALOG_NOT_FOUND")

    def listCatalogs(self, pattern: str | None = None) -> list[CatalogMetadata]:
        return [CatalogMetadata(name, None) for name in matching([CATALOG], pattern)]

    def currentDatabase(self) -> str:
        return DATABASE

    def setCurrentDatabase(self, dbName: str) -> None:
        """Raises: PlanError SCHEMA_NOT_FOUND."""
        check_database(dbName)

    def listDatabases(self, pattern: str | None = None) -> list[Database]:
        return [_database() for _ in matching([DATABASE], pattern)]

    def databaseExists(self, dbName: str) -> bool:
        return dbName.lower().removeprefix(f"{CATALOG}.") == DATABASE

    def getDatabase(self, dbName: str) -> Database:
        """Raises: PlanError SCHEMA_NOT_FOUND."""
        check_database(dbName)
        return _database()

    def listTables(self, dbName: str | None = None, pattern: str | None = None) -> list[Table]:
        """The temporary views, by name. Raises: PlanError SCHEMA_NOT_FOUND."""
        check_database(dbName)
        return [_view(name) for name in matching([name for name, _node in self._views.values()], pattern)]

    def listViews(self, dbName: str | None = None, pattern: str | None = None) -> list[Table]:
        """As `listTables`."""
        return self.listTables(dbName, pattern)

    def getTable(self, tableName: str) -> Table:
        """Raises: PlanError TABLE_OR_VIEW_NOT_FOUND."""
        self._table(tableName)
        return _view(tableName.rpartition(".")[2])

    def listColumns(self, tableName: str, dbName: str | None = None) -> list[Column]:
        """Raises: PlanError TABLE_OR_VIEW_NOT_FOUND."""
        check_database(dbName)
        schema = self._session.table(tableName).schema
        return [
            Column(f.name, f.metadata.get("comment"), f.dataType.simpleString(), f.nullable, False, False, False)
            for f in schema
        ]

    def listFunctions(self, dbName: str | None = None, pattern: str | None = None) -> list[Function]:
        """Spark's functions that are here, and the session's own. Raises: PlanError SCHEMA_NOT_FOUND."""
        check_database(dbName)
        return [_function(name) for name in matching(self._functions(), pattern)]

    def functionExists(self, functionName: str, dbName: str | None = None) -> bool:
        return functionName.lower() in self._functions()

    def getFunction(self, functionName: str) -> Function:
        """Raises: PlanError UNRESOLVED_ROUTINE."""
        if not self.functionExists(functionName):
            raise unresolved(functionName)
        return _function(functionName.lower())

    def _functions(self) -> list[str]:
        return [*(name for name in catalogue() if name not in INTERNAL), *self._session._variables.routines]

    # Advice to a cluster

    def cacheTable(self, tableName: str, storageLevel: object = None) -> None:
        """Notes that the view is to be kept, which has no effect. Raises: PlanError TABLE_OR_VIEW_NOT_FOUND."""
        self._table(tableName)
        self._cached.add(tableName.lower())

    def uncacheTable(self, tableName: str) -> None:
        """Raises: PlanError TABLE_OR_VIEW_NOT_FOUND."""
        self._table(tableName)
        self._cached.discard(tableName.lower())

    def isCached(self, tableName: str) -> bool:
        """Whether `cacheTable` was called. Raises: PlanError TABLE_OR_VIEW_NOT_FOUND."""
        self._table(tableName)
        return tableName.lower() in self._cached

    def clearCache(self) -> None:
        """Forgets what `cacheTable` was called for."""
        self._cached.clear()

    def refreshTable(self, tableName: str) -> None:
        """Nothing: everything is read anew. Raises: PlanError TABLE_OR_VIEW_NOT_FOUND."""
        self._table(tableName)


def matching(names: list[str], pattern: str | None) -> list[str]:
    """The names a pattern means, sorted: `*` stands for any text, `|` separates alternatives."""
    if pattern is not None:
        wanted = [re.compile(fnmatch.translate(part.strip().lower())) for part in pattern.split("|")]
        names = [name for name in names if any(p.match(name.lower()) for p in wanted)]
    return sorted(names)


def no_schema(name: str) -> PlanError:
    """The error for a namespace that is not there."""
    return PlanError(
        f"The schema `spark_catalog`.`{name}` cannot be found. There is one namespace, `default`, and `global_temp` "
        "for views of all sessions.",
        code="SCHEMA_NOT_FOUND",
        name=name,
    )


def check_database(name: str | None) -> None:
    """Raises: PlanError SCHEMA_NOT_FOUND for another name than the one there is; None is that one."""
    if name is not None and name.lower().removeprefix(f"{CATALOG}.") != DATABASE:
        raise no_schema(name)


def _database() -> Database:
    return Database(DATABASE, CATALOG, "default database", "")


def _view(name: str) -> Table:
    return Table(name, None, [], None, "TEMPORARY", True)


def _function(name: str) -> Function:
    return Function(name, None, None, None, f"watertable.{name}", True)
