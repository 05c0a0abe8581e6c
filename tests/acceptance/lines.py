"""A pipeline that counts lines, and what a reader of its result has to find at any time."""

from __future__ import annotations

import asyncio

import asyncpg

from tests.acceptance.feeder import Feeder

PIPELINE = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("lines").getOrCreate()
lines = spark.readStream.format("socket").option("host", "127.0.0.1").option("port", sys.argv[1]).load()
query = (
    lines.groupBy("value").count().writeStream.outputMode("update").format("postgres").queryName("lines").start()
)
query.awaitTermination()
"""
COUNTED = "SELECT count(*) AS rows, coalesce(sum(count), 0)::bigint AS total FROM lines"
LOGGED = """
    SELECT (e.ends ->> 0)::bigint AS position, q.input_rows
    FROM watertable.query q JOIN watertable.epoch e ON e.query_id = q.id AND e.number = q.epoch WHERE q.key = 'lines'
"""


def only_tails_are_lost(feeder: Feeder, counted: set[str]) -> None:
    """On each connection a prefix of what was sent is counted: what is lost had not been acknowledged by the log."""
    for connection in feeder.connections:
        seen = [f"line {n}" in counted for n in range(connection.first, connection.end)]
        assert seen == sorted(seen, reverse=True), f"a hole in lines {connection.first} to {connection.end}"
    assert not counted - {f"line {n}" for n in range(feeder.sent)}, "a line was counted that nobody sent"


class Reader:
    """Another connection that looks at result and epochs in one snapshot."""

    def __init__(self, url: str) -> None:
        self._url = url.replace("+asyncpg", "")

    async def look(self) -> None:
        """Result and offsets agree, and no line is counted twice."""
        connection = await asyncpg.connect(self._url)
        try:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                if await connection.fetchval("SELECT to_regclass('lines')") is None:
                    return
                counted = await connection.fetchrow(COUNTED)
                logged = await connection.fetchrow(LOGGED)
        finally:
            await connection.close()
        total = logged["position"] if logged else 0
        assert counted["rows"] == counted["total"] == total, f"{dict(counted)} but the log was read to {total}"
        assert total == (logged["input_rows"] if logged else 0)

    async def wait_for_line(self, line: str) -> None:
        connection = await asyncpg.connect(self._url)
        try:
            async with asyncio.timeout(60):
                while not await self._has(connection, line):
                    await connection.fetchval("SELECT pg_sleep(0.05)")
        finally:
            await connection.close()

    async def _has(self, connection: asyncpg.Connection, line: str) -> bool:
        if await connection.fetchval("SELECT to_regclass('lines')") is None:
            return False
        return bool(await connection.fetchval("SELECT 1 FROM lines WHERE value = $1", line))

    async def counted(self) -> set[str]:
        await self.look()
        connection = await asyncpg.connect(self._url)
        try:
            return {row["value"] for row in await connection.fetch("SELECT value FROM lines")}
        finally:
            await connection.close()
