"""What tests of pipelines need: rows by hand, time by hand, stories."""

from app.testing.clock import ManualClock
from app.testing.memory_stream import MemoryStream

__all__ = ["ManualClock", "MemoryStream"]
