"""The command line: what may be said, and who does it."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from app import __version__
from app.cli.errors import report
from app.cli.logs import configure_logging
from app.settings import Settings, read_settings

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code; an error is one paragraph on stderr."""
    options = parser().parse_args(argv)
    try:
        settings = _override(read_settings(), options)
        configure_logging(settings.log_level)
        code = _command(options.command)(options, settings)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception as error:
        code = report(error, stack=options.traceback)
    _leave_if_held(code)
    return code


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    top = argparse.ArgumentParser(
        prog="watertable", description="Keeps tables up to date from streams: PySpark pipelines beside PostgreSQL."
    )
    top.add_argument("--version", action="version", version=f"watertable {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)

    demo = _add(commands, "demo", "count the words of real text over a real socket, in the terminal and on a page")
    demo.add_argument("--file", type=Path, action="append", default=[], help="text to count (default: Python's help)")
    demo.add_argument("--once", action="store_true", help="end when all of it is counted, and print the final table")
    demo.add_argument(
        "--counts", type=Path, metavar="OUT", help="with --once: write every count as `uniq -c` prints it"
    )
    _http(demo)

    run = _add(commands, "run", "run one pipeline file; options come before FILE, the rest is for the pipeline")
    run.add_argument("--name", help="the identity of a query that has neither queryName nor checkpointLocation")
    run.add_argument("--installed-pyspark", action="store_true", help="run the file on the pyspark that is installed")
    run.add_argument("--http", action=argparse.BooleanOptionalAction, default=True, help="the HTTP pages (default: on)")
    _http(run)
    run.add_argument("file", type=Path, metavar="FILE")
    run.add_argument("arguments", nargs=argparse.REMAINDER, metavar="…", help="arguments of the pipeline")

    serve = _add(commands, "serve", "run all pipelines of a folder in one service")
    serve.add_argument("folder", type=Path, nargs="?", default=Path("pipelines"), metavar="FOLDER")
    _http(serve)

    _http(_add(commands, "status", "show the queries that the database knows, and those that run now"))
    _add(commands, "migrate", "bring the database's tables up to this version")
    sql = _add(commands, "sql", "run one read-only SQL statement on the database and print what it gives")
    sql.add_argument("text", metavar="SQL")
    return top


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    command.add_argument("--traceback", action="store_true", help="print the traceback of an error too")
    return command


def _http(command: argparse.ArgumentParser) -> None:
    command.add_argument("--host", help="address of the HTTP pages (default: WATERTABLE_HTTP_HOST or 127.0.0.1)")
    command.add_argument("--port", type=_port, help="port of the HTTP pages (default: WATERTABLE_HTTP_PORT or 8080)")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a number from 0 (any free port) to 65535")
    return int(text)


def _override(settings: Settings, options: argparse.Namespace) -> Settings:
    host, port = getattr(options, "host", None), getattr(options, "port", None)
    return dataclasses.replace(
        settings,
        http_host=settings.http_host if host is None else host,
        http_port=settings.http_port if port is None else port,
    )


def _command(name: str) -> Callable[[argparse.Namespace, Settings], int]:
    # Only the module of the command that runs is loaded: `status` does not wait for the kernel.
    command: Callable[[argparse.Namespace, Settings], int] = importlib.import_module(f"app.cli.{name}").run
    return command


def _leave_if_held(code: int) -> None:
    """Ends the process at once where a thread that nobody can stop (user code that blocks) would hold it."""
    if any(not thread.daemon and thread is not threading.main_thread() for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
