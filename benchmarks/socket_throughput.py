"""A file of a million lines through the socket, beside what a bare asyncio reader reaches in the same run.

    python benchmarks/socket_throughput.py [--lines 1000000] [--rounds 3]

The peer is a process of its own that sends the file as fast as it is taken. The rival only reads and splits lines
(`async for line in reader`) and does nothing with them; a second rival splits whole chunks. Watertable runs the word
count of the README into PostgreSQL. Printed: lines per second of each, the ratio, and the service's peak memory. The
run is void when the counts are wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import asyncpg

ROOT = Path(__file__).parents[1]
SENDER = """
import socket, sys, time
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
with open(sys.argv[1], "rb") as text:
    peer, _ = server.accept()
    print(time.monotonic(), flush=True)
    peer.sendfile(text)
    peer.shutdown(socket.SHUT_WR)
    peer.recv(1)
"""
PIPELINE = """
import sys
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
lines = spark.readStream.format("socket").option("host", "127.0.0.1").option("port", sys.argv[1]).load()
words = lines.select(F.explode(F.split("value", " ")).alias("word"))
words.groupBy("word").count().writeStream.outputMode("update").format("postgres").queryName("counts").start()
spark.streams.awaitAnyTermination()
"""


def write_text(path: Path, lines: int) -> int:
    """Lines of about 50 bytes over 20,000 words, the frequent ones frequent. Gives the number of words."""
    chance = random.Random(1)
    words = [f"word{n}" for n in range(20_000)]
    weights = [1 / (n + 1) for n in range(len(words))]
    pool = chance.choices(words, weights, k=1 << 20)
    total = 0
    with path.open("w") as text:
        for _ in range(lines):
            start, count = chance.randrange(len(pool) - 12), chance.randint(4, 10)
            text.write(" ".join(pool[start : start + count]) + "\n")
            total += count
    return total


def sender(path: Path) -> tuple[subprocess.Popen[str], int]:
    process = subprocess.Popen([sys.executable, "-c", SENDER, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def start_service(pipeline: Path, port: int, url: str, folder: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "DATABASE_URL": url, "PYTHONPATH": str(ROOT), "WATERTABLE_LOG_LEVEL": "WARNING"}
    command = [sys.executable, "-m", "app", "run", "--no-http", str(pipeline), str(port)]
    return subprocess.Popen(command, env=environment, cwd=folder)


async def bare_reader(port: int, lines: int) -> float:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    started = time.perf_counter()
    seen = 0
    async for _ in reader:
        seen += 1
    took = time.perf_counter() - started
    writer.close()
    await writer.wait_closed()
    assert seen == lines
    return lines / took


async def chunk_reader(port: int, lines: int) -> float:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    started = time.perf_counter()
    seen, rest = 0, b""
    while chunk := await reader.read(1 << 18):
        *whole, rest = (rest + chunk).split(b"\n")
        seen += len(whole)
    took = time.perf_counter() - started
    writer.close()
    await writer.wait_closed()
    assert seen == lines
    return lines / took


async def watertable(path: Path, lines: int, words: int, url: str, folder: Path) -> tuple[float, float]:
    """Lines per second from the first byte sent to the last row committed, and the peak memory in MB."""
    process, port = sender(path)
    pipeline = folder / "counts.py"
    pipeline.write_text(PIPELINE)
    service = start_service(pipeline, port, url, folder)
    connection = await asyncpg.connect(url)
    try:
        while await _read_rows(connection) < lines:
            if service.poll() is not None:
                raise SystemExit("the service ended")
            await asyncio.sleep(0.01)
        ended_s = time.monotonic()
        assert process.stdout is not None
        started_s = float(process.stdout.readline())
        counted = await connection.fetchval("SELECT sum(count)::bigint FROM counts")
        if counted != words:
            raise SystemExit(f"void: {counted} words counted of {words}")
        peak_mb = _peak_mb(service.pid)
    finally:
        await connection.close()
        service.terminate()
        service.wait()
        process.wait()
    return lines / (ended_s - started_s), peak_mb


async def _read_rows(connection: asyncpg.Connection) -> int:
    """How many lines the committed epochs have read."""
    try:
        return int(await connection.fetchval("SELECT coalesce(sum(input_rows), 0)::bigint FROM watertable.query"))
    except asyncpg.UndefinedTableError:
        return 0


def _peak_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    raise SystemExit("no peak memory in /proc")


async def one_round(path: Path, lines: int, words: int, folder: Path) -> None:
    from app.storage.embedded import EmbeddedPostgres

    process, port = sender(path)
    bare = await bare_reader(port, lines)
    process.wait()
    process, port = sender(path)
    chunks = await chunk_reader(port, lines)
    process.wait()
    server = EmbeddedPostgres(Path(tempfile.mkdtemp(dir=folder)))
    await server.start()
    try:
        ours, peak_mb = await watertable(path, lines, words, server.url("postgres"), folder)
    finally:
        await server.stop()
    print(
        f"bare asyncio reader {bare:>10,.0f} lines/s   chunks split {chunks:>10,.0f}   watertable {ours:>10,.0f}   "
        f"bare/watertable {bare / ours:.2f}   peak {peak_mb:.0f} MB",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"python {sys.version.split()[0]} at {sys.executable}")
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = write_text(folder / "text", options.lines)
        for _ in range(options.rounds):
            asyncio.run(one_round(folder / "text", options.lines, words, folder))


if __name__ == "__main__":
    main()
