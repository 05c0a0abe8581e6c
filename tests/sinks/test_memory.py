"""Tables of the process: what they keep, and how they are asked."""

from __future__ import annotations

import pytest

from app.engine.contracts import Output, OutputMode, Sink, SinkContext, SinkSpec
from app.errors import PlanError
from app.sinks.arrow_result import ArrowResult
from app.sinks.memory import MemorySinkFormat
from app.testing.contracts.sink import SCHEMA, rows
from app.testing.memory_ledger import MemoryLedger

pytestmark = pytest.mark.anyio


async def started(
    made: MemorySinkFormat, mode: OutputMode, fresh: bool, query_id: str = "query", **options: str
) -> Sink:
    sink = made.create(SinkSpec("memory", options), mode, "Counts")
    await sink.open(SinkContext(query_id, "Counts", mode, SCHEMA, (), fresh, MemoryLedger()))
    return sink


def found(made: MemorySinkFormat) -> list[tuple[object, ...]] | None:
    table = made.find("counts")
    return None if table is None else [tuple(row.values()) for row in table[1].to_pylist()]


async def test_the_table_is_found_by_name_and_outlives_the_query() -> None:
    made = MemorySinkFormat()
    assert found(made) is None
    sink = await started(made, "append", fresh=True)
    assert found(made) == []
    await sink.write(0, Output("append", rows(("a", 1))), None)
    await sink.close(None)
    assert found(made) == [("a", 1)]


async def test_a_restart_in_the_process_goes_on_with_the_table() -> None:
    made = MemorySinkFormat()
    await (await started(made, "append", fresh=True)).write(0, Output("append", rows(("a", 1))), None)
    again = await started(made, "append", fresh=False)
    await again.write(0, Output("append", rows(("a", 1))), None)
    await again.write(1, Output("append", rows(("b", 1))), None)
    assert found(made) == [("a", 1), ("b", 1)]


async def test_another_query_of_the_name_begins_anew() -> None:
    made = MemorySinkFormat()
    await (await started(made, "append", fresh=True)).write(0, Output("append", rows(("a", 1))), None)
    await started(made, "append", fresh=False, query_id="other")
    assert found(made) == []


async def test_append_does_not_recover_from_a_checkpoint_and_complete_does() -> None:
    with pytest.raises(PlanError, match="does not support recovering from checkpoint location"):
        await started(MemorySinkFormat(), "append", fresh=False, checkpointlocation="c")
    made = MemorySinkFormat()
    sink = await started(made, "complete", fresh=False, checkpointlocation="c")
    assert found(made) == []
    await sink.write(5, Output("replace", rows(("z", 3))), None)
    assert found(made) == [("z", 3)]


async def test_questions_to_a_table() -> None:
    table = ArrowResult(SCHEMA, lambda: rows(("a", 3), ("b", 1), ("c", 2), ("b", 5)))

    async def ask(**question: object) -> list[tuple[object, ...]]:
        return [tuple(row.values()) for row in (await table.select(**question)).to_pylist()]  # type: ignore[arg-type]

    assert await ask(order=[("count", True)], limit=2) == [("b", 5), ("a", 3)]
    assert await ask(order=[("word", False), ("count", True)], offset=1) == [("b", 5), ("b", 1), ("c", 2)]
    assert await ask(where={"WORD": "b", "count": "1"}) == [("b", 1)]
    assert await ask(columns=["count"], where={"word": "a"}) == [(3,)]
    for wrong in (
        {"where": {"nope": "1"}},
        {"where": {"count": "x"}},
        {"columns": ["nope"]},
        {"order": [("no", True)]},
    ):
        with pytest.raises(PlanError):
            await ask(**wrong)
