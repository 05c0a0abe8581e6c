"""What all sinks check alike."""

from __future__ import annotations

from collections.abc import Iterable

from app.engine.contracts import SinkSpec
from app.engine.options import OptionReader
from app.errors import PlanError

_EVERY_SINK = ("checkpointLocation", "queryName")


def sink_options(spec: SinkSpec, known: Iterable[str] = ()) -> OptionReader:
    """The options of a sink without partitions. Raises: PlanError (unknown option, `partitionBy`)."""
    if spec.partition_by:
        raise PlanError(
            f"partitionBy({', '.join(spec.partition_by)}) has no meaning for the sink {spec.format!r}, "
            "which writes no files; leave it out.",
            code="UNSUPPORTED_PARTITIONING",
            format=spec.format,
        )
    return OptionReader(spec.format, spec.options, (*known, *_EVERY_SINK))
