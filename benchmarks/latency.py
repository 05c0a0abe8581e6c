"""From a line sent to its row visible on another connection, at 100 lines a second.

    python benchmarks/latency.py [--lines 1000] [--rate 100]

Each line holds a word of its own; the word count runs in update mode into PostgreSQL, and another connection asks in a
tight loop which of the words it waits for are there. In the same run and on the same server, an empty commit (one
inserted row, nothing else) is timed. Printed: p50 and p99 of both, in milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import asyncpg

ROOT = Path(__file__).parents[1]
PIPELINE = """
import sys
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
lines = spark.readStream.format("socket").option("host", "127.0.0.1").option("port", sys.argv[1]).load()
words = lines.select(F.explode(F.split("value", " ")).alias("word"))
words.groupBy("word").count().writeStream.outputMode("update").format("postgres").queryName("counts").start()
spark.streams.awaitAnyTermination()
"""


class Peer:
    """Sends a line every `1 / rate` seconds to the first who connects, and notes when."""

    def __init__(self, lines: int, rate: float) -> None:
        self._lines, self._pause_s = lines, 1 / rate
        self.sent_s: dict[str, float] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        due_s = time.perf_counter() + 1
        for n in range(self._lines):
            await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
            due_s += self._pause_s
            word = f"w{n}"
            self.sent_s[word] = time.perf_counter()
            writer.write(f"{word} some words of every line\n".encode())
        await reader.read(1)


async def watch(connection: asyncpg.Connection, peer: Peer, lines: int) -> list[float]:
    """Seconds from sent to seen, for each line."""
    seen: dict[str, float] = {}
    statement = await connection.prepare("SELECT word FROM counts WHERE word = ANY($1)")
    while len(seen) < lines:
        waiting = [word for word in peer.sent_s if word not in seen]
        rows = await statement.fetch(waiting)
        now_s = time.perf_counter()
        for row in rows:
            seen[row["word"]] = now_s - peer.sent_s[row["word"]]
        await asyncio.sleep(0.0005)
    return list(seen.values())


async def empty_commits(connection: asyncpg.Connection, count: int) -> list[float]:
    """Seconds for each of `count` transactions that insert one row."""
    await connection.execute("CREATE TABLE empty_commit (n int)")
    statement = await connection.prepare("INSERT INTO empty_commit VALUES (1)")
    took = []
    for _ in range(count):
        started = time.perf_counter()
        await statement.fetch()
        took.append(time.perf_counter() - started)
    return took


async def until_table(connection: asyncpg.Connection, service: subprocess.Popen[bytes]) -> None:
    while await connection.fetchval("SELECT to_regclass('counts')") is None:
        if service.poll() is not None:
            raise SystemExit("the service ended")
        await connection.fetchval("SELECT pg_sleep(0.05)")


async def measure(lines: int, rate: float, folder: Path) -> None:
    from app.storage.embedded import EmbeddedPostgres

    postgres = EmbeddedPostgres(folder / "home")
    await postgres.start()
    url = postgres.url("postgres")
    connection = await asyncpg.connect(url)
    before = await empty_commits(connection, 300)
    peer = Peer(lines, rate)
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    (folder / "counts.py").write_text(PIPELINE)
    service = start_service(folder, url, port)
    try:
        await until_table(connection, service)
        took = await watch(connection, peer, lines)
    finally:
        service.terminate()
        service.wait()
        await connection.close()
        server.close()
        await postgres.stop()
    print(
        f"line to row      p50 {_at(took, 50):6.2f} ms   p99 {_at(took, 99):6.2f} ms   ({lines} lines at {rate:.0f}/s)"
    )
    print(f"an empty commit  p50 {_at(before, 50):6.2f} ms   p99 {_at(before, 99):6.2f} ms")
    print(f"line to row / empty commit, p50: {_at(took, 50) / _at(before, 50):.1f}")


def start_service(folder: Path, url: str, port: int) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "DATABASE_URL": url, "PYTHONPATH": str(ROOT), "WATERTABLE_LOG_LEVEL": "WARNING"}
    command = [sys.executable, "-m", "app", "run", "--no-http", str(folder / "counts.py"), str(port)]
    return subprocess.Popen(command, env=environment, cwd=folder)


def _at(seconds: list[float], percentile: int) -> float:
    return sorted(seconds)[min(len(seconds) - 1, len(seconds) * percentile // 100)] * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=1_000)
    parser.add_argument("--rate", type=float, default=100)
    options = parser.parse_args()
    print(f"python {sys.version.split()[0]} at {sys.executable}")
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as name:
        asyncio.run(measure(options.lines, options.rate, Path(name)))


if __name__ == "__main__":
    main()
