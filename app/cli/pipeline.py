"""A pipeline file: ordinary blocking code that runs in a thread of its own."""

from __future__ import annotations

import contextlib
import sys
import threading
import types
from collections.abc import Sequence
from pathlib import Path

import anyio
import anyio.from_thread
import anyio.lowlevel

from app.engine.host import ANYONE, CALLER, Caller
from app.errors import ArgumentError


def find_pipeline(file: Path) -> Path:
    """The file itself. Raises: ArgumentError where there is none."""
    if not file.is_file():
        what = "is a folder (watertable serve runs a folder)" if file.is_dir() else "does not exist"
        raise ArgumentError(f"The pipeline file {file} {what}. Give the path of a Python file.", code="PATH_NOT_FOUND")
    return file


def execute(file: Path) -> None:
    """Runs the file as `python FILE` would, in the calling thread. Raises: whatever it raises.

    Unlike `runpy` it leaves `sys.modules` alone, so that several files can run side by side.
    """
    code = compile(file.read_bytes(), str(file), "exec")
    module = types.ModuleType("__main__")
    module.__file__ = str(file)
    exec(code, module.__dict__)


def set_arguments(file: Path, arguments: Sequence[str] = ()) -> None:
    """Makes `sys.argv` and the import path what a program started as FILE with arguments sees."""
    sys.argv = [str(file), *arguments]
    folder = str(file.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)


async def run_in_thread(file: Path, caller: Caller = ANYONE) -> BaseException | None:
    """What the file raised, None if it ran to its end. Its session and queries belong to `caller`. The thread is a
    daemon: cancelling only stops the waiting."""
    token = anyio.lowlevel.current_token()
    ended = anyio.Event()
    raised: list[BaseException] = []

    def body() -> None:
        CALLER.set(caller)
        try:
            execute(file)
        except BaseException as error:
            raised.append(error)
        with contextlib.suppress(anyio.RunFinishedError):
            anyio.from_thread.run_sync(ended.set, token=token)

    threading.Thread(target=body, name=f"pipeline {file}", daemon=True).start()
    await ended.wait()
    return raised[0] if raised else None


def exit_status(ended: SystemExit) -> int:
    """The exit code `sys.exit(…)` asks for; a text goes to stderr and means 1, as in Python."""
    if ended.code is None or isinstance(ended.code, int):
        return (ended.code or 0) & 0xFF
    print(ended.code, file=sys.stderr)
    return 1
