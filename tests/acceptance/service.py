"""`watertable run` as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).parents[2]


class Service:
    """Runs a pipeline file against a database; its output goes to `log`."""

    def __init__(self, pipeline: Path, *arguments: str, url: str, log: Path) -> None:
        environment = {**os.environ, "DATABASE_URL": url, "PYTHONPATH": str(ROOT), "WATERTABLE_LOG_LEVEL": "WARNING"}
        self._log = log.open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "app", "run", "--no-http", str(pipeline), *arguments],
            env=environment,
            cwd=log.parent,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    def kill(self) -> None:
        """SIGKILL, as a crash of the machine would be."""
        self.process.kill()
        self.process.wait()

    def terminate(self, within_s: float = 30) -> int:
        """SIGTERM; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(within_s)

    def __enter__(self) -> Service:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.kill()
        self._log.close()
