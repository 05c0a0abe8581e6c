"""One running query's side of the ledger: its epochs, its state, its ingest logs, under one fence."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.engine.contracts import EpochCommit, EpochPlan, IngestLog, StateChunk, WriteRows
from app.errors import DatabaseUnavailable
from app.storage.commit import Holder, commit_epoch, insert_state, look, plan_epoch
from app.storage.connect import Link, Session
from app.storage.ingest import PostgresIngestLog

_log = logging.getLogger(__name__)
_PAGE_CHUNKS = 16

_CHUNKS = """
SELECT s.operator, s.epoch, s.chunk, s.kind, s.format, s.rows, s.checksum, s.payload
FROM watertable.state_change AS s
LEFT JOIN (SELECT operator, max(epoch) AS epoch FROM watertable.state_change
  WHERE query_id = $1 AND kind = 'base' GROUP BY operator) AS base ON base.operator = s.operator
WHERE s.query_id = $1
  AND CASE s.kind WHEN 'base' THEN s.epoch = base.epoch ELSE s.epoch > coalesce(base.epoch, -1) END
  AND (s.operator, s.kind, s.epoch, s.chunk) > ($2::int, $3::text COLLATE "C", $4::bigint, $5::int)
ORDER BY s.operator, s.kind, s.epoch, s.chunk LIMIT $6
"""
# "base" comes before "change" in every order of letters.

_FOLD_FENCE = "SELECT id FROM watertable.query WHERE id = $1 AND fence = $2 FOR KEY SHARE"
_FOLD = "DELETE FROM watertable.state_change WHERE query_id = $1 AND operator = $2 AND epoch <= $3"
_LATE = "SELECT count(*) FROM watertable.late_row WHERE query_id = $1"
_FORGET = "DELETE FROM watertable.query WHERE id = $1 AND key IS NULL"


@dataclass(frozen=True, slots=True)
class Claimed:
    """What the claim found."""

    holder: Holder
    temporary: bool
    fingerprint: Mapping[str, Any]
    done: EpochPlan | None
    planned: EpochPlan | None


class PostgresQueryLedger:
    """The `QueryLedger`. Commits, each ingest log and the background work have a connection each, so that none
    waits for another; `commits` is the one the query was claimed on."""

    def __init__(self, claimed: Claimed, commits: Session, new_session: Callable[[], Session]) -> None:
        self._claimed = claimed
        self._holder = claimed.holder
        self._commits = commits
        self._background = new_session()
        self._new_session = new_session
        self._sessions = [commits, self._background]
        self._logs: dict[int, PostgresIngestLog] = {}

    @property
    def query_id(self) -> str:
        return self._holder.query_id

    @property
    def done(self) -> EpochPlan | None:
        return self._claimed.done

    @property
    def planned(self) -> EpochPlan | None:
        return self._claimed.planned

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return self._claimed.fingerprint

    def ingest(self, source: int) -> IngestLog:
        if source not in self._logs:
            session = self._new_session()
            self._sessions.append(session)
            self._logs[source] = PostgresIngestLog(session, self._holder, source)
        return self._logs[source]

    async def plan(self, plan: EpochPlan) -> None:
        await self._commits.run(lambda link: plan_epoch(link.driver, self._holder, plan))

    async def commit(self, epoch: EpochCommit, write: WriteRows | None = None) -> None:
        await self._commits.run(lambda link: commit_epoch(link, self._holder, epoch, write))

    async def state(self) -> AsyncIterator[StateChunk]:
        after = (-1, "", -1, -1)
        while True:
            page = await self._chunks(after)
            for chunk in page:
                yield chunk
            if len(page) < _PAGE_CHUNKS:
                return
            after = (page[-1].operator, page[-1].kind, page[-1].epoch, page[-1].chunk)

    async def _chunks(self, after: tuple[int, str, int, int]) -> list[StateChunk]:
        async def work(link: Link) -> list[StateChunk]:
            rows = await link.driver.fetch(_CHUNKS, self._holder.query_id, *after, _PAGE_CHUNKS)
            return [StateChunk(**dict(row)) for row in rows]

        return await self._background.run(work)

    async def fold(self, base: Sequence[StateChunk]) -> None:
        assert base, "a base has at least one chunk"
        operator, last = base[0].operator, base[0].epoch
        assert {(c.operator, c.epoch) for c in base} == {(operator, last)}, "of one operator and one epoch"

        async def work(link: Link) -> None:
            async with link.driver.transaction():
                if await link.driver.fetchval(_FOLD_FENCE, self.query_id, self._holder.fence) is None:
                    await look(link.driver, self._holder)
                await link.driver.execute(_FOLD, self.query_id, operator, last)
                await insert_state(link.driver, self.query_id, base)

        await self._background.run(work)

    async def late_rows(self) -> int:
        async def work(link: Link) -> int:
            return int(await link.driver.fetchval(_LATE, self.query_id))

        return await self._background.run(work)

    async def close(self) -> None:
        try:
            if self._claimed.temporary:
                await self._forget()
        finally:
            for session in self._sessions:
                await session.close()

    async def _forget(self) -> None:
        async def work(link: Link) -> None:
            await link.driver.execute(_FORGET, self.query_id)

        try:
            await self._commits.run(work, retry_s=5.0)
        except DatabaseUnavailable as error:
            # The next open of the ledger removes what is left.
            _log.warning("what query %s kept could not be removed: %s", self.query_id, error.sentence)
