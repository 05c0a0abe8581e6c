"""`watertable run FILE`: one pipeline, from its first line to its last."""

from __future__ import annotations

import argparse
import logging

import anyio

from app.cli.errors import OK, report
from app.cli.pipeline import execute, exit_status, find_pipeline, run_in_thread, set_arguments
from app.cli.service import running
from app.engine.host import Caller
from app.settings import Settings

logger = logging.getLogger(__name__)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Runs the file. As with spark-submit, the process ends when the file does: queries still active are stopped."""
    set_arguments(find_pipeline(options.file), options.arguments)
    if options.installed_pyspark:
        return _here(options)
    return anyio.run(_run, options, settings)


async def _run(options: argparse.Namespace, settings: Settings) -> int:
    ended: list[BaseException | None] = []

    async def pipeline() -> None:
        ended.append(await run_in_thread(options.file, Caller(identity=options.name)))

    async with running(settings, http=options.http) as service:
        if await service.until_signal(pipeline):
            return OK
        active = [str(query.name or query.id) for query in service.engine.queries if query.is_active]
        if active:
            logger.warning(
                "%s ended while %s ran; stopping. A pipeline that is to go on ends with awaitTermination().",
                options.file,
                ", ".join(active),
            )
    return _outcome(ended[0], options)


def _here(options: argparse.Namespace) -> int:
    try:
        execute(options.file)
    except (Exception, SystemExit) as error:
        return _outcome(error, options)
    return OK


def _outcome(error: BaseException | None, options: argparse.Namespace) -> int:
    if error is None:
        return OK
    if isinstance(error, SystemExit):
        return exit_status(error)
    return report(error, file=options.file, stack=options.traceback)
