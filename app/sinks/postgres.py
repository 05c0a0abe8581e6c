"""Results in a PostgreSQL table: exactly once.

In the ledger's own database the rows are part of the epoch's commit. In another database that commit cannot reach,
so each epoch is one transaction there, together with a row in `watertable_sink` that says it is applied:

    is (query, n) in watertable_sink?   yes: done, nothing to write
    BEGIN
      insert (query, n)                 a second writer of the same epoch fails here, on the unique key
      write the rows
      forget (query, n - 1000)
    COMMIT                              reply lost? the same question again when epoch n comes again
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, urlsplit, urlunsplit

import pyarrow as pa

from app.engine.contracts import (
    Database,
    Output,
    OutputMode,
    ResultTable,
    RowWriter,
    Sink,
    SinkContext,
    SinkSpec,
)
from app.engine.options import OptionReader
from app.errors import DatabaseUnavailable, PlanError, SinkBroken, SinkClosed, SinkUnavailable
from app.plan.carriers import arrow_schema
from app.plan.types import LongType, StringType, StructField, StructType
from app.sinks.options import sink_options

_APPLIED = "watertable_sink"
_APPLIED_SCHEMA = StructType([StructField("query_id", StringType(), False), StructField("epoch", LongType(), False)])
_REMEMBERED_EPOCHS = 1000


class PostgresSink:
    """Append inserts; update upserts on the keys; complete replaces, from the second epoch on by what changed."""

    def __init__(self, table: str, url: str | None, keys: tuple[str, ...] | None) -> None:
        self._table = table
        self._url = url
        self._given_keys = keys
        self._keys: tuple[str, ...] = ()
        self._context: SinkContext | None = None
        self._database: Database | None = None
        self._foreign: Database | None = None

    @property
    def description(self) -> str:
        return f"PostgreSQL[{self._table}{f' at {_without_secrets(self._url)}' if self._url else ''}]"

    @property
    def transactional(self) -> bool:
        return self._foreign is None

    @property
    def takes_changes(self) -> bool:
        return True

    async def open(self, context: SinkContext) -> bool:
        """Creates the table where it is missing. Raises: SinkBroken (a table that does not fit, a wrong key, rows that
        cannot be made again), SinkUnavailable."""
        self._context = context
        self._keys = self._choose_keys(context)
        if self._url is not None:
            self._foreign = await context.ledger.open_database(self._url)
        self._database = self._foreign or context.ledger.database
        made = await self._database.ensure_table(self._table, context.schema, self._keys)
        refill = made and not context.fresh
        if refill and not context.grouped:
            raise SinkBroken(
                f"The table {self._table} was gone, and the rows that were appended to it cannot be made again. An "
                "empty one was made: start the query once more to append what comes from now on, or under a new "
                "queryName to begin anew.",
                table=self._table,
            )
        if self._foreign is not None:
            await self._foreign.ensure_table(_APPLIED, _APPLIED_SCHEMA, _APPLIED_SCHEMA.names)
        return refill

    def _choose_keys(self, context: SinkContext) -> tuple[str, ...]:
        if self._given_keys is None:
            if context.mode == "update" and context.grouped and not context.keys:
                raise PlanError(
                    f"The table {self._table} cannot be updated: not all group keys are in the result, so nothing says "
                    "which row a new value belongs to. Select the keys too, or name columns that identify a row by "
                    'option("keys", "a,b").',
                    code="MISSING_KEYS",
                )
            return () if context.mode == "append" else context.keys
        names = {name.lower(): name for name in context.schema.names}
        for key in self._given_keys:
            if key.lower() not in names:
                raise PlanError(
                    f"The option keys names `{key}`, but the result has {', '.join(names.values())}.",
                    code="UNRESOLVED_COLUMN.WITH_SUGGESTION",
                )
        return tuple(names[key.lower()] for key in self._given_keys)

    async def write(self, epoch: int, output: Output, writer: RowWriter | None) -> None:
        if self._foreign is None:
            assert writer is not None, "the commit's transaction is missing"
            await self._put(output, writer)
        elif not await self._applied(epoch):
            try:
                async with self._foreign.transaction() as own:
                    await own.append(_APPLIED, self._marks(epoch))
                    await self._put(output, own)
                    if epoch >= _REMEMBERED_EPOCHS:
                        await own.delete(_APPLIED, self._marks(epoch - _REMEMBERED_EPOCHS))
            except DatabaseUnavailable as error:
                raise SinkUnavailable(f"{self.description} is not reachable: {error.sentence}", epoch=epoch) from error
            except SinkBroken:
                if not await self._applied(epoch):
                    raise

    async def _put(self, output: Output, writer: RowWriter) -> None:
        if output.kind == "replace":
            await writer.replace(self._table, output.rows)
            return
        if output.deleted is not None and output.deleted.num_rows:
            await writer.delete(self._table, output.deleted)
        if self._keys:
            await writer.merge(self._table, output.rows, self._keys)
        else:
            await writer.append(self._table, output.rows)

    def _marks(self, epoch: int) -> pa.Table:
        return pa.table([[self._opened().query_id], [epoch]], schema=arrow_schema(_APPLIED_SCHEMA))

    async def _applied(self, epoch: int) -> bool:
        assert self._foreign is not None
        where = {"query_id": self._opened().query_id, "epoch": str(epoch)}
        try:
            found = await self._foreign.table(_APPLIED, _APPLIED_SCHEMA).select(where=where, limit=1)
        except DatabaseUnavailable as error:
            raise SinkUnavailable(f"{self.description} is not reachable: {error.sentence}") from error
        return bool(found.num_rows)

    def _opened(self) -> SinkContext:
        if self._context is None:
            raise SinkClosed(f"{self.description} is not open.")
        return self._context

    async def close(self, error: BaseException | None) -> None:
        if self._foreign is not None:
            await self._foreign.close()

    def result(self) -> ResultTable | None:
        if self._database is None:
            return None
        return self._database.table(self._table, self._opened().schema)


class PostgresFormat:
    """`postgres`. Options: `dbtable` (default: queryName), `url` (default: the engine's database), `user`,
    `password`, `keys` (`"a,b"`; default: the group keys)."""

    names = ("postgres",)

    def create(self, spec: SinkSpec, mode: OutputMode, name: str | None) -> Sink:
        options = sink_options(spec, ("dbtable", "url", "user", "password", "keys"))
        if options.given("dbtable") and not options.text("dbtable").strip():
            raise options.wrong("dbtable", "must name a table (without it, the table is called as the query)")
        table = options.text("dbtable") or name
        if not table:
            raise PlanError(
                'The postgres sink needs a table: set option("dbtable", ...) or queryName(...).',
                code="MISSING_OPTION",
            )
        return PostgresSink(table, read_url(options), _keys(options))


def _keys(options: OptionReader) -> tuple[str, ...] | None:
    if not options.given("keys"):
        return None
    keys: Sequence[str] = [key.strip() for key in options.text("keys").split(",")]
    if not all(keys) or len({key.lower() for key in keys}) < len(keys):
        raise options.wrong("keys", "must be column names with commas between them, each once")
    return tuple(keys)


def read_url(options: OptionReader) -> str | None:
    """The URL with `user` and `password` in it. Raises: PlanError, which does not show what was given."""
    if not options.given("url"):
        if options.given("user") or options.given("password"):
            raise PlanError("The options user and password belong to a url, and none is given.", code="MISSING_OPTION")
        return None
    parts = urlsplit(options.text("url").removeprefix("jdbc:"))
    if parts.scheme not in ("postgresql", "postgres") or not parts.path.strip("/"):
        raise PlanError("The option url must look like postgresql://host:port/database.", code="INVALID_OPTION_VALUE")
    user = quote(options.text("user"), safe="") or parts.username or ""
    password = quote(options.text("password"), safe="") or parts.password or ""
    login = user + (f":{password}" if password else "")
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{login}@{host}" if login else host))


def _without_secrets(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
