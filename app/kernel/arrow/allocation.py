"""How the C library deals with the arrays that come and go with every batch."""

from __future__ import annotations

import ctypes
from functools import cache

_TRIM, _MMAP = -1, -3
"""What `mallopt` sets, in glibc: how much free memory is given back, how large a block is that comes and goes alone."""
_KEPT_BYTES, _ALONE_BYTES = 64 << 20, 8 << 20


@cache
def keep_freed_memory() -> None:
    """Lets the C library keep freed memory for the next batch: to hand it back to the system each time, and to have
    every page of it cleared anew, took a third of the time of what has many small arrays. Elsewhere than under glibc
    nothing happens."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_TRIM, _KEPT_BYTES)
        mallopt(_MMAP, _ALONE_BYTES)
