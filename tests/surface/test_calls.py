"""Calls on DataFrames give what Spark 4.2.0 gave to them: schemas, rows, values, or the class of the error."""

from __future__ import annotations

import datetime as d
import json
from decimal import Decimal
from typing import Any

import pytest

from app.errors import EngineError
from app.sql import DataFrame, Row, SparkSession, Window
from app.sql import functions as F
from app.sql import types as T
from app.sql.storage_level import StorageLevel
from tests.surface.record_calls import FILE, asked, frames, outcome

RECORDED: list[tuple[str, dict[str, Any]]] = json.loads(FILE.read_text(encoding="utf-8"))

DIFFERENT: dict[str, str] = {}
"""Calls that mean to differ, and the error class they have instead."""


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    session = SparkSession.builder.getOrCreate().newSession()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    here = {**frames(session), "spark": session, "F": F, "T": T, "Row": Row, "d": d, "Decimal": Decimal}
    return {**here, "Window": Window, "StorageLevel": StorageLevel}


@pytest.mark.parametrize(("call", "theirs"), RECORDED, ids=[call for call, _ in RECORDED])
def test_a_call_gives_what_it_gives_in_spark(names: dict[str, Any], call: str, theirs: dict[str, Any]) -> None:
    ours = outcome(call, names, DataFrame, EngineError)
    if call in DIFFERENT:
        assert ours == {"raises": DIFFERENT[call]}
    elif "raises" in theirs:
        assert ours.get("raises", ours) == theirs["raises"] or (theirs["raises"] is None and "raises" in ours)
    else:
        assert _unordered(ours, call) == _unordered(theirs, call)


def test_every_call_that_is_asked_for_is_recorded() -> None:
    assert [call for call, _ in RECORDED] == asked()


def _unordered(found: dict[str, Any], call: str) -> dict[str, Any]:
    """What was found, its rows in an order of their own where the call says none."""
    if "rows" not in found or "order" in call or "sort" in call:
        return found
    return {**found, "rows": sorted(found["rows"])}
