"""`watertable demo`: PostgreSQL, engine, HTTP and a word count over a real socket, from one command."""

from __future__ import annotations

import argparse
import dataclasses
import logging
import tempfile
from pathlib import Path

import anyio
from rich.console import Console
from rich.live import Live

from app import demo
from app.cli.errors import OK
from app.cli.feeder import Feeder
from app.cli.pipeline import run_in_thread, set_arguments
from app.cli.screen import Snapshot, hints, picture, status_line, words_table
from app.cli.service import Service, running
from app.cli.texts import check_texts, coreutils_command, default_texts, uniq_lines
from app.clock import Clock, SystemClock
from app.settings import Settings

QUERY = "word_count"
PIPELINE = Path(demo.__file__).with_name("word_count.py")
WATCHED_LINES_PER_S = 600
LOOK_S = 0.25
TOP_ROWS = 12
ALL_ROWS = 1 << 31


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Runs on a PostgreSQL of its own in a temporary folder, which goes when the demo ends."""
    files = check_texts(options.file or default_texts())
    with tempfile.TemporaryDirectory(prefix="watertable-demo-") as folder:
        own = dataclasses.replace(settings, database_url=None, home=Path(folder))
        if settings.log_level == "INFO":
            logging.getLogger().setLevel(logging.WARNING)  # the screen says it better
        return anyio.run(_demo, options, own, files)


async def _demo(options: argparse.Namespace, settings: Settings, files: list[Path]) -> int:
    clock = SystemClock()
    console = Console()
    feeder = Feeder(files, clock, None if options.once else WATCHED_LINES_PER_S)
    async with running(settings) as service, anyio.create_task_group() as tasks:
        await tasks.start(feeder.run)
        view = _View(service, feeder, clock, console, once=options.once)
        set_arguments(PIPELINE, ("127.0.0.1", str(feeder.port)))

        async def work() -> None:
            async with anyio.create_task_group() as counting:
                counting.start_soon(_pipeline)
                await view.show()
                counting.cancel_scope.cancel()
            await _finish(view, console, files, options.counts)

        await service.until_signal(work)
        # The query first: without its peer it would try to connect again.
        await service.engine.stop()
        tasks.cancel_scope.cancel()
    return OK


async def _pipeline() -> None:
    error = await run_in_thread(PIPELINE)
    if error is not None:
        raise error


class _View:
    """Looks at the running query and shows what it sees; `now` is the last look."""

    def __init__(self, service: Service, feeder: Feeder, clock: Clock, console: Console, *, once: bool) -> None:
        self.now = Snapshot(service.url or "", feeder.typing_port)
        if not console.is_terminal:
            console.print(*hints(self.now), sep="\n")
        self._service = service
        self._feeder = feeder
        self._clock = clock
        self._console = console
        self._once = once
        self._looked_s = clock.monotonic_s()

    async def show(self) -> None:
        """Returns when all is counted, with `once`; else when cancelled."""
        with Live(picture(self.now), console=self._console, auto_refresh=False, transient=self._once) as live:
            while not (self._once and self.now.finished):
                await self._clock.sleep(LOOK_S)
                await self._look()
                live.update(picture(self.now), refresh=True)

    async def rows(self, limit: int) -> list[tuple[str, int]]:
        """(word, count) of the result table, the most frequent first; of equals, the first by code point."""
        query = self._service.engine.find(QUERY)
        result = query.result() if query is not None else None
        if result is None:
            return []
        table = await result.select(["word", "count"], order=(("count", True), ("word", False)), limit=limit)
        return [(row["word"], row["count"]) for row in table.to_pylist()]

    async def _look(self) -> None:
        query = self._service.engine.find(QUERY)
        if query is None:
            return
        totals, before = query.totals, self.now
        now_s = self._clock.monotonic_s()
        self.now = Snapshot(
            url=before.url,
            typing_port=before.typing_port,
            epochs=totals.epochs,
            lines=totals.input_rows,
            lines_per_s=(totals.input_rows - before.lines) / max(now_s - self._looked_s, LOOK_S / 10),
            words=totals.state_rows,
            dead_letters=totals.dead_letters,
            top=await self.rows(TOP_ROWS) if totals.epochs else (),
            finished=self._feeder.finished and totals.input_rows + totals.dead_letters >= self._feeder.sent_lines,
        )
        self._looked_s = now_s


async def _finish(view: _View, console: Console, files: list[Path], counts: Path | None) -> None:
    top = await view.rows(TOP_ROWS)
    console.print(words_table(top))
    console.print(status_line(view.now))
    if counts is not None:
        await anyio.Path(counts).write_bytes(uniq_lines(await view.rows(ALL_ROWS)))
        print(f"\nAll counts are in {counts}. To count with coreutils:\n  {coreutils_command(files)} | diff - {counts}")
    if view.now.dead_letters:
        print(f"{view.now.dead_letters:,} lines are not counted: they are no UTF-8, or too long.")
