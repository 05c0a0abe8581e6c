"""`watertable serve FOLDER`: all pipelines of a folder in one service, each looked after on its own."""

from __future__ import annotations

import argparse
import logging
import traceback
from pathlib import Path

import anyio

from app.cli.errors import OK, describe
from app.cli.pipeline import find_pipeline, run_in_thread, set_arguments
from app.cli.service import Service, running
from app.clock import Clock, SystemClock
from app.engine.host import Caller
from app.errors import ArgumentError, EngineError, Fenced
from app.settings import Settings

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0

logger = logging.getLogger(__name__)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Serves until SIGTERM or SIGINT."""
    return anyio.run(_serve, pipelines_of(options.folder), options, settings)


def pipelines_of(folder: Path) -> list[Path]:
    """The pipeline files of a folder, by name; those that start with `_` or `.` are not served.

    Raises: ArgumentError where there is no folder or nothing in it."""
    if not folder.is_dir():
        raise ArgumentError(
            f"The folder of pipelines {folder} does not exist. Give a folder with Python files in it.",
            code="PATH_NOT_FOUND",
        )
    files = sorted(file for file in folder.glob("*.py") if not file.name.startswith(("_", ".")))
    if not files:
        raise ArgumentError(f"The folder {folder} holds no pipeline. Put a Python file there.", code="PATH_NOT_FOUND")
    return [find_pipeline(file) for file in files]


def next_wait_s(wait_s: float, ran_s: float) -> float:
    """How long to wait before the next restart: doubled each time, from the start again after a good minute."""
    return FIRST_WAIT_S if ran_s > LONGEST_WAIT_S else min(wait_s * 2, LONGEST_WAIT_S)


class Keeper:
    """One pipeline that is started, watched and started again. `problem` is why it is not running, else None."""

    def __init__(self, file: Path, service: Service, clock: Clock, *, stack: bool) -> None:
        self.file = file
        self.problem: str | None = None
        self._service = service
        self._clock = clock
        self._stack = stack

    async def keep(self) -> None:
        """Returns when the pipeline has come to its end and its queries too; a failure starts it again, later."""
        wait_s = FIRST_WAIT_S / 2
        while True:
            started_s = self._clock.monotonic_s()
            self.problem = None
            error = await self._run_once()
            if error is None:
                logger.info("pipeline %s has ended", self.file)
                return
            wait_s = next_wait_s(wait_s, self._clock.monotonic_s() - started_s)
            self.problem = f"Pipeline {self.file} failed: {describe(error, self.file)}"
            stack = "".join(traceback.format_exception(error)) if self._stack else ""
            if isinstance(error, EngineError) and error.code == Fenced.code:
                # The other process would be fenced by a restart here, and we by its restart, without end.
                logger.error("%s; it stays stopped %s", self.problem, stack)
                return
            logger.error("%s; starting it again in %.0f s %s", self.problem, wait_s, stack)
            await self._clock.sleep(wait_s)

    async def _run_once(self) -> BaseException | None:
        engine, caller = self._service.engine, Caller(pipeline=str(self.file))
        before = engine.queries
        error = await run_in_thread(self.file, caller)
        queries = [q for q in engine.queries if q.spec.pipeline == caller.pipeline and q not in before]
        try:
            # A file that does not wait for its queries leaves that to the service.
            for query in queries if error is None else ():
                await query.wait()
        except Exception as failure:
            error = failure
        if isinstance(error, SystemExit) and not error.code:
            error = None
        for query in queries:
            query.faulted = query.faulted or error is not None
            await query.stop()
        return error


async def _serve(files: list[Path], options: argparse.Namespace, settings: Settings) -> int:
    set_arguments(files[0])
    clock = SystemClock()
    keepers: list[Keeper] = []

    def problems() -> dict[str, str | None]:
        return {str(keeper.file): keeper.problem for keeper in keepers}

    async with running(settings, pipelines=problems) as service:
        keepers += [Keeper(file, service, clock, stack=options.traceback) for file in files]

        async def work() -> None:
            # First of all the database: without it no pipeline can start, and a wrong password ends the service.
            await service.engine.ledger()
            async with anyio.create_task_group() as tasks:
                for keeper in keepers:
                    logger.info("pipeline %s starts", keeper.file)
                    tasks.start_soon(keeper.keep)
            await anyio.sleep_forever()

        await service.until_signal(work)
    return OK
