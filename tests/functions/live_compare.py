"""Random well-typed expressions and aggregations over edge-valued columns, put to Apache Spark and to us.

    python -m tests.functions.live_compare --spark SPARK_PYTHON --seed 1 --expressions 2000 --aggregations 300

`SPARK_PYTHON` is a Python that has PySpark 4.2 and Java 17 or later. Values, types and error classes have to agree;
what we refuse by name is counted apart. `live_grammar.txt` says what expressions are made of, `_DECLARED` which
differences are known and why. The exit code is 1 if there is any other. A seed gives the same expressions again;
`--seeds 10` goes on with nine more in the same Spark. `--ansi false` and `--zone America/New_York` set the session.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa

from app.kernel.kernel import Kernel
from app.kernel.relations import print_relation
from app.kernel.values import carried, plain_values
from app.plan import nodes
from app.plan import types as t
from app.plan.carriers import arrow_schema, arrow_type
from app.plan.ddl import parse_schema
from app.plan.functions.entry import Binding
from app.plan.parse import parse_query
from app.plan.resolve import resolve
from tests.functions.encoding import same
from tests.functions.live_grammar import Grammar
from tests.functions.live_rows import SCHEMA, rows
from tests.functions.live_values import Answer, answers, encode, mapped

_DECLARED = (
    ("no error here", r"^sum\(", "only the end result of a sum can overflow here, on Spark what comes before it too"),
    ("values", r"^try_sum\(", "the same"),
    ("values", r"^mode\(", "of values that come equally often Spark takes the one its hash table has first"),
)
"""What differs, in which texts, and why."""
_REFUSED = ("UNRESOLVED_ROUTINE", "UNSUPPORTED_FEATURE")
_KINDS = ("expressions", "aggregations")
_PASSED = {"same", "refused", "declared"}
_ULPS = 16
Answers = dict[str, list[dict[str, Any]]]


def shaped(value: Any, kind: t.DataType) -> Any:
    """A plain value of a type as JSON."""
    match value, kind:
        case None, _:
            return None
        case _, t.ArrayType(element):
            return [shaped(v, element) for v in value]
        case _, t.MapType(key, item):
            return mapped((shaped(k, key), shaped(v, item)) for k, v in value)
        case _, t.StructType():
            return [shaped(v, field.dataType) for v, field in zip(value, kind, strict=True)]
    return encode(value)


def our_answers(seed: int, asked: dict[str, list[str]], binding: Binding) -> Answers:
    """Our half."""
    schema = parse_schema(SCHEMA)
    given = list(zip(*rows(seed), strict=True))
    columns = [
        pa.array([list(v.items()) if isinstance(f.dataType, t.MapType) and v is not None else v for v in column], kind)
        for f, kind, column in zip(schema, arrow_schema(schema).types, given, strict=True)
    ]
    table = pa.table(columns, schema=arrow_schema(schema))
    with Kernel(1 << 29, 1) as kernel:
        kernel.set_epoch(0)
        leaf = nodes.Rows(table, schema)

        def run(text: str) -> dict[str, Any]:
            relation = resolve(parse_query(f"SELECT {text} AS e FROM t", lambda name: leaf), binding)
            kind = relation.schema[0].dataType
            column = kernel.arrow(print_relation(relation, lambda _: "t")).column(0)
            values = plain_values(carried(column, arrow_type(kind)))
            return {"type": kind.simpleString(), "values": [shaped(v, kind) for v in values]}

        def by_row(text: str) -> list[Answer]:
            found = []
            for at in range(len(table)):
                kernel.put("t", table.slice(at, 1))
                found += answers([text], run)
            return found

        def whole(text: str) -> dict[str, Any]:
            kernel.put("t", table)
            return run(text)

        expressions = list(answers(asked["expressions"], whole, by_row))
        return {"expressions": expressions, "aggregations": list(answers(asked["aggregations"], whole))}


def judge(text: str, ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """'same', 'refused', 'declared', or what differs. Where both fail, their rows are compared one by one, as far as
    they are known: which of several rows that fail is told of is all that may differ. An error of Spark's without a
    class, which is named by Java's, has any here."""
    rows = list(zip(ours.get("rows", ()), theirs.get("rows", ()), strict=False))
    if "error" in ours and "error" in theirs and rows:
        verdicts = {judge(text, a | {"type": ""}, b | {"type": ""}) for a, b in rows} - {"same"}
        return " and ".join(sorted(verdicts)) or "same"
    if "error" in ours and "error" in theirs and (ours["error"] == theirs["error"] or "_" not in theirs["error"]):
        return "same"
    if str(ours.get("error", "")).startswith(_REFUSED):
        return "refused"
    if "error" in ours or "error" in theirs:
        verdict = "error class" if "error" in ours and "error" in theirs else "no error here"
        verdict = verdict if "error" in theirs else "error here"
    elif ours["type"] != theirs["type"]:
        verdict = "type"
    else:
        verdict = "same" if same(ours["values"], theirs["values"], _ULPS) else "values"
    known = any(verdict == kind and re.search(pattern, text) for kind, pattern, _ in _DECLARED)
    return "declared" if known else verdict


def report(text: str, verdict: str, ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """One difference, of which the first differing value is shown."""
    for at, (a, b) in enumerate(zip(ours.get("rows", ()), theirs.get("rows", ()), strict=False)):
        if "error" in theirs and "error" in ours and judge(text, a | {"type": ""}, b | {"type": ""}) not in _PASSED:
            shown = [str(x.get("values", x.get("text"))) for x in (a, b)]
            return f"{verdict}: {text}\n    row {at}: {shown[0][:200]} here, {shown[1][:200]} on Spark"
    if verdict == "values":
        pairs = zip(ours["values"], theirs["values"], strict=True)
        at, (a, b) = next((n, p) for n, p in enumerate(pairs) if not same(p[0], p[1], _ULPS))
        return f"{verdict}: {text}\n    row {at}: {a} here, {b} on Spark"
    shown = [str(x.get("error") or x["type"]) + " " + x.get("text", "") for x in (ours, theirs)]
    return f"{verdict}: {text}\n    {shown[0][:200]} here, {shown[1][:200]} on Spark"


def compare(seed: int, asked: dict[str, list[str]], theirs: Answers, binding: Binding) -> Counter[str]:
    """How often each verdict is given to what one seed asks; differences are printed."""
    ours = our_answers(seed, asked, binding)
    counts: Counter[str] = Counter()
    for kind in _KINDS:
        for text, a, b in zip(asked[kind], ours[kind], theirs[kind], strict=True):
            verdict = judge(text, a, b)
            counts[verdict] += 1
            if verdict not in _PASSED:
                print(report(text, verdict, a, b))
            elif verdict == "refused":
                print(f"refused: {text}\n    {a['text'][:200]}")
    print(f"seed {seed}: {dict(counts)}", flush=True)
    return counts


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spark", default=sys.executable)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds, from that one on")
    parser.add_argument("--expressions", type=int, default=2000)
    parser.add_argument("--aggregations", type=int, default=300)
    parser.add_argument("--ansi", choices=("true", "false"), default="true")
    parser.add_argument("--zone", default="UTC")
    parser.add_argument("--answers", default="", help="keep Spark's answers in ANSWERS<seed>, or use them if there")
    return parser.parse_args()


def main() -> int:
    given = _arguments()
    binding = Binding(ansi=given.ansi == "true", time_zone=given.zone)
    asked: list[dict[str, Any]] = []
    for seed in range(given.seed, given.seed + given.seeds):
        grammar = Grammar(random.Random(seed))
        texts = {"expressions": [grammar.expression() for _ in range(given.expressions)]}
        texts["aggregations"] = [grammar.aggregation() for _ in range(given.aggregations)]
        file = f"{given.answers or '/tmp/live_compare_'}{seed}"
        asked.append({"seed": seed, "file": file, **texts})
    missing = [seed for seed in asked if not (given.answers and Path(seed["file"]).exists())]
    if missing:
        order = json.dumps({"ansi": binding.ansi, "zone": given.zone, "seeds": missing})
        command = [given.spark, str(Path(__file__).with_name("live_spark.py"))]
        subprocess.run(command, input=order, text=True, check=True, stderr=subprocess.DEVNULL)
    total: Counter[str] = Counter()
    for seed in asked:
        theirs = json.loads(Path(seed["file"]).read_text(encoding="utf-8"))
        total += compare(seed["seed"], {kind: seed[kind] for kind in _KINDS}, theirs, binding)
    return 0 if set(total) <= _PASSED else 1


if __name__ == "__main__":
    sys.exit(main())
