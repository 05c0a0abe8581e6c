"""What is stored of a state table: the rows an epoch changed, or all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class StateChunk:
    """Rows of one operator's state table, encoded (`state/encode.py`).

    `kind` "change" holds the rows that `epoch` changed, "base" all rows as of `epoch`; `chunk` numbers the pieces.
    `format` names the engine that wrote it, `checksum` is the CRC-32 of `payload`.
    """

    operator: int
    epoch: int
    chunk: int
    kind: Literal["base", "change"]
    format: str
    rows: int
    checksum: int
    payload: bytes
