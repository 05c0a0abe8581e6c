"""Sessions of SQL text are answered as Apache Spark has answered them; what differs is declared, with the reason."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from app.sql import SparkSession
from tests.surface.record_sql import HERE, answer, give_views, statements

NAMES = ("pipes", "statements", "variables", "literals", "names", "errors", "zones", "recursion", "routines")
_DECLARED: dict[str, list[str]] = json.loads((HERE / "declared.json").read_text(encoding="utf-8"))
_REASONS = {sql: reason for reason, texts in _DECLARED.items() for sql in texts}


def _recorded(name: str) -> list[list[tuple[str, dict[str, Any]]]]:
    found: list[list[tuple[str, dict[str, Any]]]] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture
def session() -> Iterator[SparkSession]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield _session()
    time.tzset()


def _session() -> SparkSession:
    made = SparkSession.builder.getOrCreate().newSession()
    made.conf.set("spark.sql.session.timeZone", "UTC")
    give_views(made)
    return made


SESSIONS = [(name, i) for name in NAMES for i in range(len(_recorded(name)))]


@pytest.mark.parametrize(("name", "number"), SESSIONS)
def test_a_session_is_answered_as_in_spark(session: SparkSession, name: str, number: int) -> None:
    wrong = []
    for sql, theirs in _recorded(name)[number]:
        differs = _difference(answer(session, sql), theirs)
        if bool(differs) is not (sql in _REASONS):
            wrong.append(f"{sql}\n    {differs or 'agrees now: take it out of declared.json'}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", NAMES)
def test_everything_asked_is_recorded(name: str) -> None:
    assert [[sql for sql, _ in session] for session in _recorded(name)] == statements(name)


def _difference(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    if "error" in ours or "error" in theirs:
        if not {"at"} <= ours.keys() & theirs.keys():
            ours, theirs = ({key: given[key] for key in given if key != "at"} for given in (ours, theirs))
        return "" if ours == theirs else f"{_short(ours)} for {_short(theirs)}"
    columns = [column[:2] for column in ours["columns"]]
    if columns != [column[:2] for column in theirs["columns"]]:
        return f"{columns} for {[column[:2] for column in theirs['columns']]}"
    pairs = zip(ours["columns"], theirs["columns"], strict=True)
    if null := [mine[0] for mine, other in pairs if other[2] and not mine[2]]:
        return f"{null} may be null"
    return "" if sorted(ours["rows"]) == sorted(theirs["rows"]) else f"rows {ours['rows']} for {theirs['rows']}"


def _short(given: dict[str, Any]) -> str:
    return f"{given['error']} {given.get('at', '')}" if "error" in given else f"rows {given['rows'][:3]}"
