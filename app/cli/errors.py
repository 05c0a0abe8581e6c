"""How the command line says what went wrong: one paragraph on stderr, one exit code."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

from app.errors import DatabaseUnavailable, EngineError, FormatTooNew, PlanError, SettingsError

OK, FAILED, USAGE, ENVIRONMENT = 0, 1, 2, 3
"""0 ended well; 1 a pipeline or query failed; 2 the command or a query is wrong; 3 a setting or the database is."""


def exit_code(error: BaseException) -> int:
    """The exit code for `error`, by who has to act on it."""
    error = _single(error)
    if isinstance(error, SettingsError | DatabaseUnavailable | FormatTooNew):
        return ENVIRONMENT
    if isinstance(error, PlanError):
        return USAGE
    return FAILED


def report(error: BaseException, *, file: Path | None = None, stack: bool = False) -> int:
    """Prints what happened, and where in `file`, and gives the exit code. The traceback only with `stack`."""
    if stack:
        traceback.print_exception(error, file=sys.stderr)
    print(f"watertable: {describe(error, file)}", file=sys.stderr, flush=True)
    return exit_code(error)


def describe(error: BaseException, file: Path | None = None) -> str:
    """One paragraph: where in the pipeline file, what, and for errors of the engine what to do now."""
    error = _single(error)
    cause = error.__cause__ if isinstance(error.__cause__, EngineError) and not _says(error, error.__cause__) else None
    text = " ".join(str(error).split()) if isinstance(error, EngineError) else _foreign(error)
    if cause is not None:
        text = f"{text} Cause: {' '.join(str(cause).split())}"
    place = line_in(error, file) if file is not None else None
    return f"{place}: {text}" if place else text


def line_in(error: BaseException, file: Path) -> str | None:
    """`FILE:LINE` of the deepest frame of `error` that lies in the pipeline file."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return f"{file}:{error.lineno}"
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == str(file)]
    return f"{file}:{lines[-1]}" if lines else None


def _single(error: BaseException) -> BaseException:
    """What a group of one error holds: a task group wraps what its only failing task raised."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _says(error: BaseException, cause: EngineError) -> bool:
    told = " ".join(str(error).split())
    return f"[{cause.code}]" in told and " ".join(cause.sentence.split()) in told


def _foreign(error: BaseException) -> str:
    text = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {text}" if text else name
