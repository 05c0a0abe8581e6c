"""Random well-typed expressions and aggregations over edge-valued columns, put to Apache Spark and to us.

    python -m tests.functions.live_compare --spark SPARK_PYTHON --seed 1 --expressions 2000 --aggregations 300

`SPARK_PYTHON` is a Python that has PySpark 4.2 and Java 17 or later. Rows, types and error classes have to agree; what
we refuse by name is counted apart. `live_grammar.txt` says what expressions are made of, `_DECLARED` which differences
are known and why. The exit code is 1 if there is any other. A seed gives the same expressions again.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from encoding import encode, same  # noqa: E402

SCHEMA = (
    "id int, g int, b tinyint, i int, j int, l bigint, f float, d double, e double, n decimal(10,2), w decimal(38,18), "
    "s string, u string, p boolean, bin binary, dt date, ts timestamp, ai array<int>, sa array<string>, "
    "m map<string,int>, st struct<x: int, y: string>"
)
_COLUMNS = {
    "bool": "p", "tiny": "b", "int": "i j id", "long": "l", "float": "f", "double": "d e", "dec": "n w", "str": "s u",
    "bin": "bin", "date": "dt", "ts": "ts", "dts": "", "ints": "ai", "strs": "sa", "map": "m", "st": "st",
}  # fmt: skip
_CONSTANTS = {
    "bool": "true;false;cast(null as boolean)",
    "tiny": "1Y;-1Y;127Y",
    "int": "0;1;-1;2;7;2147483647;-2147483648;cast(null as int)",
    "long": "0L;1L;-3L;9223372036854775807L",
    "float": "cast(0.1 as float);cast('NaN' as float)",
    "double": "0.0D;-0.0D;1.5D;1e300D;cast('NaN' as double);cast('Infinity' as double)",
    "dec": "0.00;1.5;-0.005;99999999.99",
    "str": "'';'a';'Ab c';'é';'42';'null';cast(null as string)",
    "bin": "x'';x'00ff'",
    "date": "date'2024-02-29';date'1582-10-15';date'0001-01-01'",
    "ts": "timestamp'2024-03-31 02:30:00';timestamp'1969-12-31 23:59:59.999999'",
    "dts": "interval '1' day;interval '-1 02:03:04.5' day to second;interval '0' second",
    "ints": "array(1, null, 3);array()",
    "strs": "array('b', 'a', null)",
    "map": "map('a', 1)",
    "st": "named_struct('x', 1, 'y', 'z')",
}
_DECLARED = (
    ("no error here", r"^sum\(", "only the end result of a sum can overflow here, on Spark what comes before it too"),
    ("values", r"^try_sum\(", "the same"),
    ("values", r"^mode\(", "of values that come equally often Spark takes the one its hash table has first"),
)
"""What differs, in which texts, and why."""
_REFUSED = ("UNRESOLVED_ROUTINE", "UNSUPPORTED_FEATURE")
_BATCH = 8


def rows(seed: int, count: int = 24) -> list[tuple[Any, ...]]:
    """Rows of `SCHEMA`: edges of every type, and nulls."""
    rng = random.Random(f"rows {seed}")
    ints = [0, 1, -1, 7, 42, 2**31 - 1, -(2**31)]
    floats = [0.0, -0.0, 1.5, -2.25, 0.1, 1e10, float("nan"), float("inf"), float("-inf")]
    doubles = [*floats, 1e-5, 123456789.125, 1e300, 5e-324]
    texts = ["", "a", "abc", "Ab c", " x ", "a,b,c", "é", "日本", "42", "-1.5", "1e3", "2024-02-29", "null", '{"a": 1}']
    days = [
        date(1, 1, 1),
        date(1582, 10, 4),
        date(1582, 10, 15),
        date(1969, 12, 31),
        date(2024, 2, 29),
        date(9999, 12, 31),
    ]
    times = [
        (1582, 10, 15, 12),
        (1969, 12, 31, 23, 59, 59, 999999),
        (2024, 3, 31, 1, 30),
        (2000, 1, 1),
        (2038, 1, 19, 3),
    ]
    values: list[Callable[[], Any]] = [
        lambda: rng.choice([0, 1, -1, 5, 127, -128]),
        lambda: rng.choice(ints),
        lambda: rng.choice(ints),
        lambda: rng.choice([*ints, 2**63 - 1, -(2**63), 123456789012]),
        lambda: rng.choice(floats),
        lambda: rng.choice(doubles),
        lambda: rng.choice(doubles),
        lambda: Decimal(rng.choice(["0.00", "0.01", "-0.05", "12.34", "99999999.99", "-99999999.99"])),
        lambda: Decimal(rng.choice(["0", "1.5", "-0.000000000000000001", "12345678901234567890.123456789"])),
        lambda: rng.choice(texts),
        lambda: rng.choice(texts),
        lambda: rng.random() < 0.5,
        lambda: rng.choice([b"", b"a", b"\x00\xff", b"abc"]),
        lambda: rng.choice(days),
        lambda: datetime(*rng.choice(times), tzinfo=UTC),  # type: ignore[arg-type, misc]
        lambda: [rng.choice([None, 1, 2, 3, -7]) for _ in range(rng.randrange(4))],
        lambda: [rng.choice([None, "a", "b", ""]) for _ in range(rng.randrange(4))],
        lambda: {k: rng.choice([None, 1, 2]) for k in rng.sample(["a", "b", "k", ""], rng.randrange(2))},
        lambda: {"x": rng.choice([None, *ints]), "y": rng.choice([None, *texts])},
    ]
    return [
        (i, rng.randrange(3), *(None if rng.random() < 0.12 else value() for value in values)) for i in range(count)
    ]


class Grammar:
    """Gives random expressions of a type."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._templates: dict[str, list[str]] = {}
        for line in (HERE / "live_grammar.txt").read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                kind, template = line.split(": ", 1)
                self._templates.setdefault(kind, []).append(template)
        self._kinds = [kind for kind in self._templates if kind != "agg"]

    def expression(self) -> str:
        kind = self._rng.choice(self._kinds)
        return self._filled(self._rng.choice(self._templates[kind]), self._rng.choice([0, 0, 1, 1, 2]))

    def aggregation(self) -> str:
        call = self._filled(self._rng.choice(self._templates["agg"]), self._rng.choice([0, 0, 0, 1]))
        plain = call.endswith(")") and "sort_array" not in call and "hex(" not in call
        if plain and self._rng.random() < 0.25:
            return f"{call} FILTER (WHERE {self._filled('<bool>', 0)})"
        return call

    def _of(self, kind: str, depth: int) -> str:
        if kind == "any":
            kind = self._rng.choice([k for k in self._kinds if k not in ("map", "dts")])
        if depth > 0 and self._rng.random() < 0.75:
            text = self._filled(self._rng.choice(self._templates[kind]), depth - 1)
            return text if re.fullmatch(r"\w+\((?:[^()]|\([^()]*\))*\)", text) else f"({text})"
        columns = _COLUMNS[kind].split()
        if columns and self._rng.random() < 0.75:
            return self._rng.choice(columns)
        return self._rng.choice(_CONSTANTS[kind].split(";"))

    def _filled(self, template: str, depth: int) -> str:
        return re.sub(r"(?<!\w)<(\w+)>", lambda hole: self._of(hole[1], depth), template)


Run = Callable[[list[str]], list[dict[str, Any]]]


def answers(texts: list[str], run: Run) -> Iterator[dict[str, Any]]:
    """The answer to each text; `run` answers many at once or raises, and then they are halved."""
    for start in range(0, len(texts), _BATCH):
        yield from _bisected(texts[start : start + _BATCH], run)


def _bisected(texts: list[str], run: Run) -> list[dict[str, Any]]:
    try:
        return run(texts)
    except Exception as error:
        if len(texts) > 1:
            half = len(texts) // 2
            return [*_bisected(texts[:half], run), *_bisected(texts[half:], run)]
        condition = getattr(error, "getCondition", lambda: None)() or getattr(error, "code", None)
        return [{"error": condition or type(error).__name__, "text": str(error)[:200]}]


def _query(texts: list[str]) -> str:
    columns = ", ".join(f"{text} AS e{i}" for i, text in enumerate(texts))
    return f"SELECT {columns} FROM t"


def _columns(table: Any, types: list[str]) -> list[dict[str, Any]]:
    return [
        {"type": kind, "values": [encode(v) for v in column.to_pylist()]}
        for kind, column in zip(types, table.columns, strict=True)
    ]


def spark_half() -> None:
    """Reads {seed, expressions, aggregations} as JSON and writes Spark's answers."""
    from pyspark.sql import SparkSession

    asked = json.load(sys.stdin)
    conf = {
        "spark.ui.enabled": "false", "spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "1",
        "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.driver.extraJavaOptions": "-Duser.timezone=UTC", "spark.default.parallelism": "1",
    }  # fmt: skip
    builder = SparkSession.builder.master("local[1]")
    for key, value in conf.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark.createDataFrame(rows(asked["seed"]), SCHEMA).coalesce(1).cache().createOrReplaceTempView("t")

    def run(texts: list[str]) -> list[dict[str, Any]]:
        frame = spark.sql(_query(texts))
        return _columns(frame.toArrow(), [field.dataType.simpleString() for field in frame.schema])

    found = {kind: list(answers(asked[kind], run)) for kind in ("expressions", "aggregations")}
    Path(asked["file"]).write_text(json.dumps(found), encoding="utf-8")


def our_half(seed: int, expressions: list[str], aggregations: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Our answers."""
    import pyarrow as pa

    from app.kernel.kernel import Kernel
    from app.kernel.relations import print_relation
    from app.plan import nodes
    from app.plan.carriers import arrow_schema
    from app.plan.ddl import parse_schema
    from app.plan.parse import parse_query
    from app.plan.resolve import resolve

    schema = parse_schema(SCHEMA)
    arrow = arrow_schema(schema)
    given = list(zip(*rows(seed), strict=True))
    table = pa.table(
        [
            pa.array([list(v.items()) if f.name == "m" and v is not None else v for v in column], type=f.type)
            for f, column in zip(arrow, given, strict=True)
        ],
        schema=arrow,
    )
    with Kernel(1 << 29, 1) as kernel:
        kernel.set_epoch(0)
        kernel.put("t", table)
        leaf = nodes.Rows(table, schema)

        def run(texts: list[str]) -> list[dict[str, Any]]:
            relation = resolve(parse_query(_query(texts), lambda name: leaf))
            types = [field.dataType.simpleString() for field in relation.schema]
            return _columns(kernel.arrow(print_relation(relation, lambda _: "t")), types)

        return {"expressions": list(answers(expressions, run)), "aggregations": list(answers(aggregations, run))}


def judge(text: str, ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """'same', 'refused', 'declared', or what differs."""
    if "error" in ours and "error" in theirs:
        return "same" if ours["error"] == theirs["error"] else "error class"
    if ours.get("error") in _REFUSED or str(ours.get("error", "")).startswith(_REFUSED):
        return "refused"
    if "error" in ours or "error" in theirs:
        verdict = "error here" if "error" in ours else "no error here"
    elif ours["type"] != theirs["type"]:
        verdict = "type"
    else:
        verdict = "same" if same(ours["values"], theirs["values"], 16) else "values"
    known = any(verdict == kind and re.search(pattern, text) for kind, pattern, _ in _DECLARED)
    return "declared" if known else verdict


def report(text: str, verdict: str, ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """One difference, of which the first differing value is shown."""
    if verdict == "values":
        pairs = zip(ours["values"], theirs["values"], strict=True)
        at, (a, b) = next((n, p) for n, p in enumerate(pairs) if not same(p[0], p[1], 16))
        return f"{verdict}: {text}\n    row {at}: {a} here, {b} on Spark"
    shown = [str(x.get("error") or x["type"]) + " " + x.get("text", "") for x in (ours, theirs)]
    return f"{verdict}: {text}\n    {shown[0][:200]} here, {shown[1][:200]} on Spark"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spark", default=sys.executable)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--expressions", type=int, default=2000)
    parser.add_argument("--aggregations", type=int, default=300)
    parser.add_argument("--answers", default="", help="keep Spark's answers in this file, or use them if it is there")
    given = parser.parse_args()
    grammar = Grammar(random.Random(given.seed))
    expressions = [grammar.expression() for _ in range(given.expressions)]
    aggregations = [grammar.aggregation() for _ in range(given.aggregations)]
    file = Path(given.answers or f"/tmp/live_compare_{given.seed}.json")
    if not (given.answers and file.exists()):
        asked = {"seed": given.seed, "expressions": expressions, "aggregations": aggregations, "file": str(file)}
        command = [given.spark, __file__, "--answer"]
        subprocess.run(command, input=json.dumps(asked), text=True, check=True, stderr=subprocess.DEVNULL)
    theirs = json.loads(file.read_text(encoding="utf-8"))
    ours = our_half(given.seed, expressions, aggregations)
    counts: Counter[str] = Counter()
    for kind, texts in (("expressions", expressions), ("aggregations", aggregations)):
        for text, a, b in zip(texts, ours[kind], theirs[kind], strict=True):
            verdict = judge(text, a, b)
            counts[verdict] += 1
            if verdict not in ("same", "refused", "declared"):
                print(report(text, verdict, a, b))
    print(f"seed {given.seed}: {dict(counts)}")
    return 0 if set(counts) <= {"same", "refused", "declared"} else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--answer"]:
        spark_half()
    else:
        sys.exit(main())
