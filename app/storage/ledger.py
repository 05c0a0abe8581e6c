"""The engine's own database: claims queries, lists them, opens databases for sinks.

A claim takes the query's row with FOR UPDATE, which waits for a commit, an append or a fold that its last holder
has under way, and raises the fence: whatever that holder sends from then on finds no row.

A temporary query lives as long as the session lock its holder keeps; what a killed process left is removed when
a ledger is opened, some time later (a holder may be reconnecting just then).
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any, TypeVar

from sqlalchemy import Interval, Select, cast, func, literal, select

from app.clock import Clock
from app.engine.contracts import EpochPlan, Identity, StoredQuery
from app.errors import DatabaseUnavailable, SettingsError, SinkBroken, SinkUnavailable
from app.storage.commit import Holder, clean, json_text
from app.storage.connect import Gateway, Link, Session, is_transient, refusal, sentence_of, unavailable
from app.storage.database import PostgresDatabase
from app.storage.held import Claimed, PostgresQueryLedger
from app.storage.tables import dead_letter, epoch, query, state_change

T = TypeVar("T")
_LEFT_BEHIND = timedelta(minutes=10)
_PING_RETRY_S = 1.0

_INSERT = """
INSERT INTO watertable.query (id, key, name, fence, fingerprint, plan) VALUES ($1, $2, $3, 0, $4, $5)
ON CONFLICT (key) DO NOTHING
"""
_LOCK = "SELECT id FROM watertable.query WHERE (key = $1 OR id = $2) FOR UPDATE"
_CLAIM = """
UPDATE watertable.query SET fence = fence + 1, name = $2, plan = $4, updated = now(),
  fingerprint = CASE WHEN epoch IS NULL THEN $3 ELSE fingerprint END
WHERE id = $1 RETURNING fence, epoch, fingerprint
"""
_EPOCHS = """
SELECT number, starts, ends, watermark_us, clock_us FROM watertable.epoch
WHERE query_id = $1 AND number IN ($2::bigint, $2::bigint + 1)
"""
_SESSION_LOCK = "SELECT pg_advisory_lock_shared($1)"
_TAKE_LOCK = "SELECT pg_try_advisory_lock($1)"
_DROP_LOCK = "SELECT pg_advisory_unlock($1)"
_WRITABLE = "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::bool"
_WHICH = """
SELECT pg_postmaster_start_time(), current_setting('port'), current_user,
  (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class PostgresLedger:
    """The `Ledger` in the database behind `gateway`."""

    def __init__(self, gateway: Gateway, clock: Clock, retry_s: float) -> None:
        self._gateway = gateway
        self._clock = clock
        self._retry_s = retry_s
        self._owned = AsyncExitStack()
        self._database = PostgresDatabase(gateway, clock, retry_s)
        self._pings = Session(gateway, clock, _PING_RETRY_S)

    @property
    def database(self) -> PostgresDatabase:
        return self._database

    async def open_database(self, url: str) -> PostgresDatabase | None:
        try:
            gateway = Gateway(url)
        except SettingsError as error:
            raise SinkBroken(error.sentence) from error
        try:
            if await _which(gateway) == await _which(self._gateway):
                await gateway.close()
                return None
        except Exception as error:
            await gateway.close()
            if is_transient(error):
                raise SinkUnavailable(
                    f"PostgreSQL at {gateway.address} cannot be reached now ({sentence_of(error)})."
                ) from error
            if (refused := refusal(gateway.address, error)) is not None:
                raise SinkBroken(refused.sentence) from error
            raise
        return PostgresDatabase(gateway, self._clock, self._retry_s)

    def owns(self, opened: AsyncExitStack) -> None:
        """What `close` closes last: the gateway, the embedded server."""
        self._owned = opened

    async def claim(self, identity: Identity) -> PostgresQueryLedger:
        query_id = str(uuid.uuid4())
        temporary = identity.key is None
        commits = self._session(_keep_lock(query_id) if temporary else None)
        try:
            claimed = await commits.run(lambda link: _claim(link, identity, query_id))
        except BaseException:
            await commits.close()
            raise
        return PostgresQueryLedger(claimed, commits, self._session)

    async def queries(self) -> list[StoredQuery]:
        async def work(link: Link) -> list[StoredQuery]:
            rows = await link.core.execute(_stored_queries())
            return [StoredQuery(*row) for row in rows]

        return await self._one_off(work)

    async def ping(self) -> None:
        async def work(link: Link) -> bool:
            return bool(await link.driver.fetchval(_WRITABLE))

        try:
            read_only = await self._pings.run(work)
        except DatabaseUnavailable:
            raise
        except Exception as error:
            raise unavailable(self._gateway.address, error, 0.0) from error
        if read_only:
            # It may be an old primary behind the same name: the next ping looks up the name anew.
            await self._pings.renew()
            raise DatabaseUnavailable(
                f"PostgreSQL at {self._gateway.address} is read-only: it takes no commits. Make it writable, or let "
                "its name point to the primary."
            )

    async def close(self) -> None:
        await self._pings.close()
        await self._owned.aclose()

    async def remove_leftovers(self) -> None:
        """Removes temporary queries whose process is gone."""
        left = select(query.c.id).where(
            query.c.key.is_(None),
            query.c.updated < func.now() - cast(literal(_LEFT_BEHIND, Interval), Interval),
        )

        async def work(link: Link) -> None:
            for query_id in (await link.core.execute(left)).scalars().all():
                if await link.driver.fetchval(_TAKE_LOCK, _lock_number(query_id)):
                    await link.core.execute(query.delete().where(query.c.id == query_id))
                    await link.driver.execute(_DROP_LOCK, _lock_number(query_id))

        await self._one_off(work)

    def _session(self, on_connect: Callable[[Link], Awaitable[None]] | None = None) -> Session:
        return Session(self._gateway, self._clock, self._retry_s, on_connect)

    async def _one_off(self, work: Callable[[Link], Awaitable[T]]) -> T:
        session = self._session()
        try:
            return await session.run(work)
        finally:
            await session.close()


async def _claim(link: Link, identity: Identity, query_id: str) -> Claimed:
    name = None if identity.name is None else clean(identity.name)
    fingerprint, plan = json_text(identity.fingerprint), clean(identity.plan)
    async with link.driver.transaction():
        # A holder that hangs in the middle of a commit is waited for in turns, each of them logged.
        await link.driver.execute("SET LOCAL lock_timeout = '10s'")
        await link.driver.execute(_INSERT, query_id, identity.key, name, fingerprint, plan)
        found = str(await link.driver.fetchval(_LOCK, identity.key, query_id))
        row = await link.driver.fetchrow(_CLAIM, found, name, fingerprint, plan)
        done = -1 if row["epoch"] is None else row["epoch"]
        epochs = {e["number"]: _plan_of(e) for e in await link.driver.fetch(_EPOCHS, found, done)}
    holder = Holder(found, row["fence"])
    return Claimed(holder, identity.key is None, row["fingerprint"], epochs.get(done), epochs.get(done + 1))


def _plan_of(row: Any) -> EpochPlan:
    return EpochPlan(row["number"], tuple(row["starts"]), tuple(row["ends"]), row["watermark_us"], row["clock_us"])


def _stored_queries() -> Select[Any]:
    state = select(func.coalesce(func.sum(func.octet_length(state_change.c.payload)), 0))
    dead = select(func.count()).select_from(dead_letter)
    committed = select(epoch.c.committed).where(epoch.c.query_id == query.c.id, epoch.c.number == query.c.epoch)
    microseconds = func.extract("epoch", committed.scalar_subquery()) * 1_000_000
    return (
        select(
            query.c.id,
            query.c.key,
            query.c.name,
            query.c.epoch,
            cast(microseconds, query.c.epoch.type),
            query.c.input_rows,
            state.where(state_change.c.query_id == query.c.id).scalar_subquery(),
            dead.where(dead_letter.c.query_id == query.c.id).scalar_subquery(),
        )
        .where(query.c.key.is_not(None))
        .order_by(query.c.name, query.c.key)
    )


async def _which(gateway: Gateway) -> tuple[Any, ...]:
    """Which database of which server, as whom: equal for two URLs that lead to the same place."""
    link = await gateway.connect()
    try:
        return tuple(await link.driver.fetchrow(_WHICH))
    finally:
        await link.give_back()


def _keep_lock(query_id: str) -> Callable[[Link], Awaitable[None]]:
    async def lock(link: Link) -> None:
        await link.driver.execute(_SESSION_LOCK, _lock_number(query_id))

    return lock


def _lock_number(query_id: str) -> int:
    return int.from_bytes(uuid.UUID(query_id).bytes[:8], signed=True)
