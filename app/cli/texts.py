"""Real text that is on any machine with Python, and what coreutils make of it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from app.errors import ArgumentError

MODULES = ("_pydecimal", "argparse", "doctest", "inspect", "subprocess", "tarfile", "turtle", "typing")


def default_texts() -> list[Path]:
    """Sources of Python's own library: about 27,000 lines of code and English."""
    library = Path(os.__file__).parent
    return [file for file in (library / f"{name}.py" for name in MODULES) if file.is_file()] or [Path(os.__file__)]


def check_texts(files: Sequence[Path]) -> list[Path]:
    """The files themselves. Raises: ArgumentError for one that cannot be read."""
    for file in files:
        if not file.is_file() or not os.access(file, os.R_OK):
            raise ArgumentError(f"The text {file} cannot be read. Give a text file with --file.", code="PATH_NOT_FOUND")
    return list(files)


def uniq_lines(counts: Iterable[tuple[str, int]]) -> bytes:
    """(word, count) rows exactly as `LC_ALL=C sort | uniq -c` prints them."""
    rows = sorted((word.encode(), count) for word, count in counts)
    return b"".join(b"%7d %s\n" % (count, word) for word, count in rows)


def coreutils_command(files: Sequence[Path]) -> str:
    """The shell command that counts the same words without Watertable."""
    names = " ".join(shlex.quote(str(file)) for file in files)
    # awk only passes lines on, and ends a last line that has no line feed.
    return f"awk 1 {names} | tr -s ' ' '\\n' | grep -v '^$' | LC_ALL=C sort | uniq -c"
