"""Whoever reads the database in one snapshot sees result, offsets and state of the same epoch."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import asyncpg

from app.state.chunk import StateChunk
from app.state.encode import decode
from tests.acceptance.feeder import Feeder
from tests.acceptance.service import Service

PIPELINE = """
import sys
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
lines = spark.readStream.format("socket").option("host", "127.0.0.1").option("port", sys.argv[1]).load()
words = lines.select(F.explode(F.split("value", " ")).alias("word"))
words.groupBy("word").count().writeStream.outputMode(sys.argv[2]).format("postgres").queryName("words").start()
spark.streams.awaitAnyTermination()
"""
POLL_S = 0.05
POLLS = 120


def test_no_snapshot_mixes_epochs(postgres_url: str, tmp_path: Path) -> None:
    chance = random.Random(7)
    vocabulary = [f"w{n}" for n in range(200)]
    pipeline = tmp_path / "words.py"
    pipeline.write_text(PIPELINE)
    for mode in ("update", "complete"):
        feeder = Feeder(lambda n: " ".join(chance.choices(vocabulary, k=3)), seed=7)
        with Service(pipeline, str(feeder.port), mode, url=postgres_url, log=tmp_path / "log") as service:
            feeder.wait_for_connection(0)
            epochs = asyncio.run(_poll(postgres_url))
            feeder.finish()
            assert service.terminate() == 0, (tmp_path / "log").read_text()
        assert len(epochs) > 10, f"only epochs {epochs} were seen: nothing was compared"


async def _poll(url: str) -> set[int]:
    """Looks every 50 ms; gives the epochs it saw."""
    connection = await asyncpg.connect(url)
    seen: set[int] = set()
    try:
        async with asyncio.timeout(120):
            while len(seen) < POLLS // 2:
                epoch = await _look(connection)
                if epoch is not None:
                    seen.add(epoch)
                await connection.fetchval("SELECT pg_sleep($1)", POLL_S)
    finally:
        await connection.close()
    return seen


async def _look(connection: asyncpg.Connection) -> int | None:
    """One snapshot: words in the result = words in the state = three a line read; the epoch looked at."""
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        if await connection.fetchval("SELECT to_regclass('words')") is None:
            return None
        result = {row["word"]: row["count"] for row in await connection.fetch("SELECT word, count FROM words")}
        query = await connection.fetchrow("SELECT id, epoch FROM watertable.query WHERE key = 'words'")
        if query is None or query["epoch"] is None:
            return None
        lines = await connection.fetchval(
            "SELECT (ends ->> 0)::bigint FROM watertable.epoch WHERE query_id = $1 AND number = $2", *query
        )
        chunks = await connection.fetch(
            "SELECT operator, epoch, chunk, kind, format, rows, checksum, payload FROM watertable.state_change "
            "WHERE query_id = $1 ORDER BY epoch, chunk",
            query["id"],
        )
    state: dict[str, int] = {}
    for chunk in chunks:
        rows = decode(StateChunk(**dict(chunk))).to_pydict()
        state.update(zip(rows["k0"], rows["s0"], strict=True))
    assert result == state, "the result is not that of the state"
    assert sum(result.values()) == 3 * lines, f"{sum(result.values())} words counted, {lines} lines read"
    return int(query["epoch"])
