"""The examples Spark ships for its functions, what Spark answers to them, and what is answered here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from app.engine.contracts import Connectors
from app.engine.static import collect
from app.errors import EngineError
from app.kernel.kernel import Kernel
from app.kernel.values import for_spark
from app.kernel.variant.spark import from_bytes
from app.plan.expressions import Attribute, Cast
from app.plan.functions import catalogue
from app.plan.nodes import Node, Project, Relabel
from app.plan.parse import parse_statement
from app.plan.resolve import resolve
from app.plan.statements import QueryStatement, SetConf
from app.plan.types import StringType
from tests.functions.encoding import encode, same

_HERE = Path(__file__).parent
_SYNTAX = frozenset({"!=", "<>", "between", "case", "cast", "in", "is distinct from", "struct", "when"})
"""What Spark lists as functions and the parser or the resolver knows without an entry of that name."""

_RAW_STRINGS = "spark.sql.parser.escapedStringLiterals"

Answer = dict[str, Any]
Views = Callable[[tuple[str, ...]], Node | None]


@dataclass(frozen=True)
class Example:
    """One example of one function; `sql` may be an example of several."""

    function: str
    group: str
    sql: str

    @property
    def here(self) -> bool:
        """Whether the function is one of the catalogue."""
        return self.function in _SYNTAX or self.function in catalogue()


def recorded() -> tuple[list[Example], dict[str, Answer]]:
    """All examples, and Spark's answer to each SQL text."""
    file = json.loads((_HERE / "spark_examples.json").read_text(encoding="utf-8"))
    examples = [
        Example(name, about["group"], sql) for name, about in file["functions"].items() for sql in about["examples"]
    ]
    return examples, file["answers"]


def declared() -> dict[str, str]:
    """The SQL texts that may be answered in another way, with the reason."""
    file: dict[str, list[str]] = json.loads((_HERE / "examples_declared.json").read_text(encoding="utf-8"))
    return {sql: reason for reason, texts in file.items() for sql in texts}


def answers(kernel: Kernel, examples: list[Example], theirs: dict[str, Answer]) -> dict[str, Answer]:
    """What is answered here to every example; a SET is in force until the function has another one."""
    found: dict[str, Answer] = {}
    conf: dict[str, str] = {}
    for example in examples:
        spark = theirs[example.sql]
        found[example.sql] = answer(kernel, example.sql, "text" in spark, conf=conf, now=_moment(spark))
    return found


def _moment(answer: Answer) -> datetime:
    """The time the clock is set to for an example: the one that is Spark's answer, where it is a single one, so that
    examples of the present can be told from wrong ones."""
    match answer.get("rows"):
        case [[{"time": text} | {"date": text}]]:
            found = datetime.fromisoformat(text)
            return found if found.tzinfo else found.replace(tzinfo=UTC)
        case [[int() as seconds]] if answer["columns"][0][0].startswith("unix_timestamp(current_timestamp()"):
            return datetime.fromtimestamp(seconds, UTC)
    match answer.get("text"):
        case [[str() as text]] if answer["columns"][0][1].startswith("time("):
            return datetime.fromisoformat(f"2024-01-01T{text}").replace(tzinfo=UTC)
    return datetime(2024, 1, 1, tzinfo=UTC)


def answer(
    kernel: Kernel,
    sql: str,
    as_text: bool = False,
    views: Views = lambda _: None,
    conf: dict[str, str] | None = None,
    now: datetime = datetime(2024, 1, 1, tzinfo=UTC),
) -> Answer:
    """What is answered here, in the form of the recording; `as_text` where that has rows of texts. SET changes
    `conf`."""
    conf = {} if conf is None else conf
    try:
        statement = parse_statement(sql, views, raw_strings=conf.get(_RAW_STRINGS) == "true")
        if isinstance(statement, SetConf):
            assert statement.key and statement.value
            conf[statement.key] = statement.value
            columns = [["key", "string", False], ["value", "string", False]]
            return {"columns": columns, "rows": [[statement.key, statement.value]]}
        assert isinstance(statement, QueryStatement)
        node = statement.node
        relation = resolve(node)
        shown = resolve(_texts(node, len(relation.schema))) if as_text else relation
        table = collect(shown, Connectors({}, {}), kernel, _micros(now))
    except EngineError as error:
        return {"error": error.code, "message": str(error)}
    except RecursionError:
        return {"error": "RecursionError", "message": "nested too deeply"}
    except (AssertionError, LookupError, ValueError, TypeError, AttributeError, NotImplementedError) as error:
        return {"error": type(error).__name__, "message": f"BUG: {error}"}
    columns = [[f.name, f.dataType.simpleString(), f.nullable] for f in relation.schema]
    values = [column.to_pylist() for column in for_spark(table).columns]
    rows = [[encode(v) for v in row] for row in zip(*values, strict=True)] if values else [[]] * table.num_rows
    return {"columns": columns, "text" if as_text else "rows": rows}


def _micros(time: datetime) -> int:
    return (time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _texts(node: Node, width: int) -> Node:
    """The rows of a query as texts."""
    names = tuple(f"c{i}" for i in range(width))
    return Project(Relabel(node, names), tuple(Cast(Attribute((name,)), StringType()) for name in names))


def difference(sql: str, ours: Answer, theirs: Answer) -> str:
    """How our answer differs from Spark's in rows, types or error class; empty if it does not."""
    if "error" in ours or "error" in theirs:
        if ours.get("error") == theirs.get("error"):
            return ""
        wanted = theirs.get("error") or "rows"
        return f"{ours.get('error') or 'rows'} for {wanted}: {ours.get('message', '')}".splitlines()[0]
    types, wanted_types = ([column[1] for column in given["columns"]] for given in (ours, theirs))
    if types != wanted_types:
        return f"types {types} for {wanted_types}"
    nullable = [a[0] for a, b in zip(ours["columns"], theirs["columns"], strict=True) if b[2] and not a[2]]
    if nullable:
        return f"{nullable} may be null"
    mine, wanted_rows = (_opened(given.get("rows", given.get("text"))) for given in (ours, theirs))
    if not _ordered(sql):
        mine, wanted_rows = sorted(mine, key=json.dumps), sorted(wanted_rows, key=json.dumps)
    return "" if same(mine, wanted_rows, ulps=32) else f"rows {mine} for {wanted_rows}"


def _opened(value: Any) -> Any:
    """Encoded rows with kinds, values and order of fields of variants in place of their bytes: a part of one has the
    names of the whole in Spark, here its own."""
    match value:
        case {"struct": {"value": {"hex": found}, "metadata": {"hex": names}}}:
            return {"variant": from_bytes(bytes.fromhex(found), bytes.fromhex(names))}
        case {"struct": fields}:
            return {"struct": {name: _opened(item) for name, item in fields.items()}}
        case list():
            return [_opened(item) for item in value]
    return value


def _ordered(sql: str) -> bool:
    """Whether the query as a whole has an ORDER BY."""
    depth = 0
    for match in re.finditer(r"[()]|ORDER BY", sql.upper()):
        if match[0] == "ORDER BY" and depth == 0:
            return True
        depth += {"(": 1, ")": -1}.get(match[0], 0)
    return False


def names(answer: Answer) -> list[str]:
    """The names of the result columns; none of an error."""
    return [column[0] for column in answer.get("columns", ())]
