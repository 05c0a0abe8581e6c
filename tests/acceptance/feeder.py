"""A TCP peer that sends lines to whoever connects, and remembers what it sent on which connection."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Connection:
    """Lines `first` to `end` (exclusive) were handed to the operating system on this connection."""

    first: int
    end: int


class Feeder:
    """Sends `line(0)`, `line(1)`, … in small random bursts; a new connection goes on where the last one broke off."""

    def __init__(self, line: Callable[[int], str], seed: int) -> None:
        self._line = line
        self._random = random.Random(seed)
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self.connections: list[Connection] = []
        self._next = 0
        self._changed = threading.Condition()
        self._finishing = threading.Event()
        self._finished = threading.Event()
        self._pause = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def sent(self) -> int:
        return self._next

    def wait_for_connection(self, number: int, timeout_s: float = 60) -> None:
        """Returns when connection `number` (from 0) was accepted."""
        self._wait(lambda: len(self.connections) > number, timeout_s)

    def wait_for_lines(self, total: int, timeout_s: float = 60) -> None:
        """Returns when `total` lines were sent in all."""
        self._wait(lambda: self._next >= total, timeout_s)

    def finish(self, timeout_s: float = 60) -> None:
        """Ends the current connection in good order after what is on its way."""
        self._finishing.set()
        assert self._finished.wait(timeout_s), "the feeder did not come to its end"
        self._server.close()

    def close(self) -> None:
        """Takes no more connections."""
        self._finished.set()
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()

    def _wait(self, condition: Callable[[], bool], timeout_s: float) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, timeout_s), "the feeder saw no progress"

    def _serve(self) -> None:
        while not self._finished.is_set():
            try:
                peer, _ = self._server.accept()
            except OSError:
                return
            with self._changed:
                self.connections.append(Connection(self._next, self._next))
                self._changed.notify_all()
            with peer:
                self._feed(peer, self.connections[-1])

    def _feed(self, peer: socket.socket, connection: Connection) -> None:
        while not self._finishing.is_set():
            burst = self._random.randint(1, 40)
            lines = "".join(f"{self._line(self._next + i)}\n" for i in range(burst))
            try:
                peer.sendall(lines.encode())
            except OSError:
                self._count(connection, burst)
                return
            self._count(connection, burst)
            self._pause.wait(0.001)
        peer.shutdown(socket.SHUT_WR)
        peer.recv(1)
        self._finished.set()

    def _count(self, connection: Connection, lines: int) -> None:
        with self._changed:
            self._next += lines
            connection.end = self._next
            self._changed.notify_all()
