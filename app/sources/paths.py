"""Which files a path means: one file, the files of a folder, or what a glob matches."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.errors import PlanError

_BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file by its full path, as it was when it was found."""

    path: str
    size: int
    mtime_us: int


def find_files(path: str) -> list[FoundFile]:
    """The files by modification time, then path. Names that begin with `_` or `.` are left out, and so is a file
    that goes away meanwhile; sub-folders are not entered.

    Raises: PlanError for a folder that is partitioned into `column=value` folders."""
    found = {file.path: file for match in _matches(_local(path)) for file in _below(match)}
    return sorted(found.values(), key=lambda file: (file.mtime_us, file.path))


def check_path(path: str) -> None:
    """Raises: PlanError PATH_NOT_FOUND; a glob may match nothing yet."""
    local = _local(path)
    if not os.path.exists(local) and not _is_glob(local):
        raise PlanError(
            f"Path does not exist: file:{local}. Check the spelling, or give a glob for files that come later.",
            code="PATH_NOT_FOUND",
            path=local,
        )


def _local(path: str) -> str:
    """A full path, from a path or a `file:` URI."""
    if path.startswith("file:"):
        path = "/" + path.removeprefix("file:").lstrip("/")
    elif re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", path):
        raise PlanError(f"Only local files can be read, not {path!r}.", code="DATA_SOURCE_NOT_FOUND")
    return os.path.abspath(path)


def _is_glob(path: str) -> bool:
    return glob.has_magic(path) or _BRACES.search(path) is not None


def _matches(path: str) -> Iterator[str]:
    # A name that is there is meant as it stands, brackets and all.
    if os.path.exists(path):
        yield path
        return
    for pattern in _expand(path):
        for match in glob.iglob(pattern):
            if os.path.basename(match)[0] not in "_.":
                yield match


def _expand(pattern: str) -> Iterator[str]:
    """Hadoop's `{a,b}`: one pattern for each choice."""
    match = _BRACES.search(pattern)
    if match is None:
        yield pattern
        return
    for choice in match[1].split(","):
        yield from _expand(pattern[: match.start()] + choice + pattern[match.end() :])


def _below(path: str) -> Iterator[FoundFile]:
    if not os.path.isdir(path):
        yield from _seen(path)
        return
    with os.scandir(path) as entries:
        found = [entry for entry in entries if entry.name[0] not in "_."]
    for entry in found:
        if not entry.is_dir():
            yield from _seen(entry.path)
        elif "=" in entry.name:
            raise PlanError(
                f"{path} is partitioned ({entry.name}), which is not supported: read the files of one partition, "
                f"{path}/{entry.name}.",
                code="UNSUPPORTED_PARTITIONED_FILES",
            )


def _seen(path: str) -> Iterator[FoundFile]:
    try:
        stat = os.stat(path)
    except FileNotFoundError:
        return
    yield FoundFile(path, stat.st_size, stat.st_mtime_ns // 1000)
