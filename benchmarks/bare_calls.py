"""Functions over Arrow that can give again what they have computed, to time calls without what they compute."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum, auto
from unittest import mock

import pyarrow as pa

from app.kernel import arrow


class _Mode(Enum):
    COMPUTE, RECORD, REPLAY = auto(), auto(), auto()


class BareCalls:
    """Stands before the functions of kernels that are made inside of `installed`. For one thread: what a statement
    calls comes in the same order each time."""

    def __init__(self) -> None:
        self._mode = _Mode.COMPUTE
        self._given: dict[str, list[pa.Array]] = {}
        self._left: dict[str, Iterator[pa.Array]] = {}

    @contextmanager
    def installed(self) -> Iterator[None]:
        functions = {
            name: replace(function, compute=self._before(name, function.compute))
            for name, function in arrow.ARROW_FUNCTIONS.items()
        }
        with mock.patch.object(arrow, "ARROW_FUNCTIONS", functions):
            yield

    def record(self, run: Callable[[], object]) -> None:
        """Runs a statement and keeps what its functions give."""
        self._given = defaultdict(list)
        self._in(_Mode.RECORD, run)

    def replay(self, run: Callable[[], object]) -> None:
        """Runs the recorded statement; its functions give what was kept and compute nothing."""
        self._left = {name: iter(given) for name, given in self._given.items()}
        self._in(_Mode.REPLAY, run)

    def _in(self, mode: _Mode, run: Callable[[], object]) -> None:
        self._mode = mode
        try:
            run()
        finally:
            self._mode = _Mode.COMPUTE

    def _before(self, name: str, compute: Callable[..., pa.Array]) -> Callable[..., pa.Array]:
        def called(*columns: pa.Array) -> pa.Array:
            if self._mode is _Mode.REPLAY:
                return next(self._left[name])
            found = compute(*columns)
            if self._mode is _Mode.RECORD:
                self._given[name].append(found)
            return found

        return called
