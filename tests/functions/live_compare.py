"""Random well-typed expressions, aggregations and queries over edge-valued rows, put to Apache Spark and to us.

    python -m tests.functions.live_compare --spark SPARK_PYTHON --seed 1 --aggregations 300 --queries 200

`SPARK_PYTHON` is a Python that has PySpark 4.2 and Java 17 or later. Values, types and error classes have to agree;
what we refuse by name is counted apart, and so is what is right in Spark's order of computing (`live_order.py`).
`live_grammar.txt` says what expressions are made of, `_DECLARED` which differences are known and why. The exit code is
1 if there is any other. A seed gives the same expressions again; `--seeds 10` goes on with nine more in the same Spark.
`--ansi false` and `--zone America/New_York` set the session.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from app.errors import EngineError
from app.kernel.kernel import Kernel
from app.kernel.relations import print_relation
from app.kernel.values import carried, plain_values
from app.plan import nodes
from app.plan import types as t
from app.plan.bound import Relation
from app.plan.carriers import arrow_schema, arrow_type
from app.plan.ddl import parse_schema
from app.plan.functions.entry import Binding
from app.plan.parse import parse_query
from app.plan.resolve import resolve
from tests.functions.encoding import same
from tests.functions.live_grammar import Grammar
from tests.functions.live_order import ORDERS, in_sparks_order
from tests.functions.live_queries import Queries
from tests.functions.live_rows import SCHEMA, rows
from tests.functions.live_values import Answer, answers, encode, in_any_order, in_order, query

_DECLARED = (
    ("no error here", r"^(cast\()?(sum|avg|mean|regr_avg.)\(",
     "only the end of a sum can overflow here, on Spark what comes before it too"),
    ("no error here", r"^corr\(.* HAVING ", "what HAVING leaves out is not finished here"),
    ("values", r"^(cast\()?try_(sum|avg)\(", "the same"),
    ("values", r"\b(hash|xxhash64)\(log1p\(",
     "the last digit of what is hashed"),
    ("no error here", r" FILTER \(WHERE false\)", "Spark computes what is constant though no row needs it"),
    ("values", r"^mode\((?!.*, true\))[^)]", "of values that come equally often Spark takes the one its hash table has "
     "first"),
    ("values", r"^mode\(.*\b(bin|binary|concat|unhex|encode|substring|lpad|rpad|left|reverse)\b",
     "Spark takes equal bytes for different values"),
    ("values", r"^(sort_array\()?(collect_list|array_agg)\(DISTINCT -0\.0D?\)", "Spark leaves a constant its sign"),
    ("values", r"^approx_count_distinct\(", "another sketch, of about the same error"),
    ("error class", r"^(sum|avg|mean)\(", "Spark has two classes for the overflow of a decimal, by who finds it"),
    ("error here", r"^(first|first_value|any_value|max_by|min_by|regr_\w+)\(",
     "Spark does not compute what it does not take"),
    ("error here", r"\b(array|map)\(.*\)\[",
     "Spark's optimizer takes the entry out of array(…)[i] and map(…)[k] before it makes the array or the map"),
    ("values|no error here", r"\btry_(add|multiply)\(.*[+*]|[+*].*\btry_(add|multiply)\(",
     "Spark's optimizer adds up what try_add and + join, in another order"),
    ("values", r"\baggregate\(aa, array\(0\)", "Spark takes the array for one without nulls"),
    ("values", r"\bcast\((l|i|j) as float\)",
     "Spark's optimizer leaves out the cast to float before the one to double"),
    ("error here", r"\btry_(add|subtract|multiply|divide|mod|to_binary)\(",
     "of a try_ function on dates, intervals and bytes Spark forgives the arguments too"),
    ("error here", r"\bif\((.*), (.+), \2\)", "Spark's optimizer takes what both branches are"),
    ("no error here|values", r"try_cast\(l as timestamp\)", "the first and the last instant cannot be made here"),
    ("error here", r"\b(size|cardinality)\(map\(", "Spark's optimizer counts the entries that are written there"),
    ("error class", r"\bmap(_from_arrays|_from_entries)?\(",
     "a null key beside another error: Spark computes entry by entry"),
)  # fmt: skip
"""What differs, in which texts, and why."""
_ROUGH = (
    r"^(skewness|kurtosis|corr|regr_\w+)\(|\b(sin|cos|tan|sec|csc|cot)\(.*\b(cbrt|exp|power|pow|sqrt|a(sin|cos|tan)\w*)\("
    r"|\b(try_mod|pmod)\(.*\b(ln|log\w*|exp\w*|cbrt)\("
)
"""Sums of powers of differences, whose last digits depend on the order of the steps; circles of large numbers and
remainders, in which the last digit of those is the first of the result."""
_ZEROS = re.compile(
    r"(sort_array\()?(approx_top_k|(first|last)(_value)?|any_value|min|max|percentile\w*|median|approx_percentile)\("
)
"""Aggregates that take one of two zeros, or make 0.0 of -0.0 inside of arrays and structs."""
_FORGETS = re.compile(r"(percentile_approx|approx_percentile)\(")
"""Spark's forgets the least value where the second least is NaN, and then gives NaN."""
_REFUSED = ("UNRESOLVED_ROUTINE", "UNSUPPORTED_FEATURE")
_NO_CLASS = re.compile(r"_LEGACY_ERROR_TEMP|[A-Z][A-Za-z0-9]*(Exception|Error)$")
"""What stands for the class of an error of Spark's that has a sentence only."""
_LAST_INSTANT = 'The value 9223372036854775807L of the type "BIGINT" cannot be cast to "TIMESTAMP"'
_KINDS = ("expressions", "aggregations", "queries")
_PASSED = {"same", "refused", "declared", "order"}
_ULPS = 16
_DIGITS_OF_FLOAT = 9
Answers = dict[str, list[dict[str, Any]]]


def shaped(value: Any, kind: t.DataType) -> Any:
    """A plain value of a type as JSON."""
    match value, kind:
        case None, _:
            return None
        case _, t.ArrayType(element):
            return [shaped(v, element) for v in value]
        case _, t.MapType(key, item):
            return {"map": sorted(([shaped(k, key), shaped(v, item)] for k, v in value), key=repr)}
        case _, t.StructType():
            return [shaped(v, field.dataType) for v, field in zip(value, kind, strict=True)]
    return encode(value)


class Here:
    """Our half: the rows of a seed in a kernel of their own."""

    def __init__(self, seed: int, binding: Binding, kernel: Kernel) -> None:
        schema = parse_schema(SCHEMA)
        given = list(zip(*rows(seed), strict=True))
        columns = [
            pa.array([list(v.items()) if isinstance(f.dataType, t.MapType) and v is not None else v for v in column], k)
            for f, k, column in zip(schema, arrow_schema(schema).types, given, strict=True)
        ]
        self._rows = pa.table(columns, schema=arrow_schema(schema))
        self.count = len(self._rows)
        self._leaf = nodes.Rows(self._rows, schema)
        self._binding = binding
        self._kernel = kernel
        kernel.set_epoch(0)

    def answers(self, asked: dict[str, list[str]]) -> Answers:
        expressions = list(answers(asked["expressions"], self._whole, self._by_row))
        aggregations = list(answers(asked["aggregations"], self._whole))
        return {
            "expressions": expressions,
            "aggregations": aggregations,
            "queries": list(answers(asked["queries"], self._query)),
        }

    def in_sparks_order(self, text: str, order: str, rows: Iterable[int]) -> dict[int, Answer]:
        """The answers of rows with nothing computed that Spark may pass over, in one of the `ORDERS`."""
        # What occurs twice would else be computed before the conditions it stands behind.
        self._kernel.execute("SET disabled_optimizers = 'common_subexpressions'")
        try:
            return self._of_rows(text, lambda relation: in_sparks_order(relation, order), rows)
        finally:
            self._kernel.execute("RESET disabled_optimizers")

    def builds(self, text: str) -> bool:
        """Whether there is a plan of it."""
        try:
            self._compiled(text, lambda relation: relation)
        except EngineError:
            return False
        return True

    def _whole(self, text: str) -> Answer:
        self._kernel.put("t", self._rows)
        return self._run(text, *self._compiled(text, lambda relation: relation))

    def _query(self, text: str) -> Answer:
        relation = resolve(parse_query(text, lambda name: self._leaf), self._binding)
        self._kernel.put("t", self._rows)
        found = self._kernel.arrow(print_relation(relation, lambda _: "t"))
        columns = [
            [shaped(value, f.dataType) for value in plain_values(carried(column, arrow_type(f.dataType)))]
            for column, f in zip(found.columns, relation.schema, strict=True)
        ]
        names = [[f.name, f.dataType.simpleString(), f.nullable] for f in relation.schema]
        return {"columns": names, "values": [list(row) for row in zip(*columns, strict=True)]}

    def _by_row(self, text: str) -> list[Answer]:
        return list(self._of_rows(text, lambda relation: relation, range(len(self._rows))).values())

    def _of_rows(self, text: str, change: Callable[[Relation], Relation], rows: Iterable[int]) -> dict[int, Answer]:
        found = {}
        sql, kind = self._compiled(text, change)
        for at in rows:
            self._kernel.put("t", self._rows.slice(at, 1))
            (found[at],) = answers([text], lambda text: self._run(text, sql, kind))
        return found

    def _compiled(self, text: str, change: Callable[[Relation], Relation]) -> tuple[str, t.DataType]:
        relation = change(resolve(parse_query(query(text), lambda name: self._leaf), self._binding))
        return print_relation(relation, lambda _: "t"), relation.schema[0].dataType

    def _run(self, text: str, sql: str, kind: t.DataType) -> Answer:
        column = self._kernel.arrow(sql).column(0)
        values = plain_values(carried(column, arrow_type(kind)))
        return {"type": kind.simpleString(), "values": in_order(text, [shaped(v, kind) for v in values])}


def judge(text: str, ours: Answer, theirs: Answer) -> str:
    """'same', 'refused', 'declared', or what differs. Where a side fails, rows are compared one by one, as far as they
    are known: which of several rows that fail is told of may differ."""
    pairs = _pairs(ours, theirs)
    if pairs:
        verdicts = {_verdict(text, a, b) for a, b in pairs} - {"same"}
        return " and ".join(sorted(verdicts)) or "same"
    return _verdict(text, ours, theirs)


def _of_each_row(found: Answer) -> list[Answer]:
    return found.get("rows") or [{"values": [value]} for value in found.get("values", ())]


def _pairs(ours: Answer, theirs: Answer) -> list[tuple[Answer, Answer]]:
    """Each row's answers, if either side fails but there are rows of both."""
    sides = _of_each_row(ours), _of_each_row(theirs)
    return list(zip(*sides, strict=True)) if "error" in ours | theirs and all(sides) else []


def matter_of_order(text: str, ours: Answer, theirs: Answer, here: Here) -> bool:
    """Whether the rows that differ have Spark's answer when computed in Spark's order. Where Spark fails before there
    are rows, one of them has to fail alike."""
    pairs, expected = _pairs(ours, theirs), _of_each_row(theirs)
    left = [at for at, (a, b) in enumerate(pairs) if _verdict(text, a, b) not in _PASSED]
    if not here.builds(text):
        return False
    for order in ORDERS:
        if not pairs:
            rows = here.in_sparks_order(text, order, range(len(_of_each_row(ours)) or here.count))
            if any(_verdict(text, row, theirs) == "same" for row in rows.values()):
                return True
        elif left:
            found = here.in_sparks_order(text, order, left)
            left = [at for at in left if _verdict(text, found[at], expected[at]) not in _PASSED]
    return bool(pairs) and not left


def _verdict(text: str, ours: Answer, theirs: Answer) -> str:
    if str(ours.get("error", "")).startswith(_REFUSED):
        return "refused"
    if "error" in ours and "error" in theirs:
        verdict = "same" if ours["error"] == theirs["error"] or _NO_CLASS.match(theirs["error"]) else "error class"
        verdict = "declared" if verdict == "error class" and _LAST_INSTANT in ours["text"] else verdict
    elif "error" in ours:
        verdict = "declared" if _LAST_INSTANT in ours["text"] else "error here"
    elif "error" in theirs:
        verdict = "no error here"
    elif "type" in ours and "type" in theirs and ours["type"] != theirs["type"]:
        verdict = "type"
    elif "columns" in ours:
        verdict = _query_verdict(ours, theirs)
    else:
        alike = _alike(text, _unscaled(ours["values"]), _unscaled(theirs["values"]))
        verdict = "same" if alike else "values"
        if verdict == "values" and _ZEROS.match(text) and same(ours["values"], theirs["values"], _ULPS, signed=False):
            verdict = "declared"
        if (
            verdict == "values"
            and _FORGETS.match(text)
            and same(_nan(ours["values"], theirs["values"]), theirs["values"], _ULPS, signed=False)
        ):
            verdict = "declared"
        if verdict == "values" and same(_java17(ours["values"]), _java17(theirs["values"]), _ULPS):
            verdict = "declared"
    known = any(re.fullmatch(kind, verdict) and re.search(pattern, text) for kind, pattern, _ in _DECLARED)
    return "declared" if known else verdict


def _query_verdict(ours: Answer, theirs: Answer) -> str:
    if ours["columns"] != theirs["columns"]:
        return "columns"
    rows = [in_any_order(_unscaled(side["values"])) for side in (ours, theirs)]
    return "same" if same(*rows, _ULPS, signed=False) else "rows"


def _nan(ours: Any, theirs: Any) -> Any:
    """Our values with NaN where Spark has NaN."""
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [_nan(a, b) for a, b in zip(ours, theirs, strict=True)]
    return theirs if theirs == {"float": "nan"} else ours


def _java17(values: Any) -> Any:
    """The values with the numbers in texts as numbers: the last digit of a root, a power or a sum may differ, and Java
    before 19 may write a digit too many."""
    if isinstance(values, list):
        return [_java17(value) for value in values]
    if isinstance(values, str) and re.fullmatch(r"-?\d+\.\d+(E-?\d+)?", values):
        few = sum(map(str.isdigit, values.partition("E")[0])) <= _DIGITS_OF_FLOAT
        number = struct.unpack("f", struct.pack("f", float(values)))[0] if few else float(values)
        return {"float": repr(number)}
    return values


def _alike(text: str, ours: Any, theirs: Any) -> bool:
    """Equality of values, or of rows with them last."""
    if re.search(_ROUGH, text):
        ours, theirs = _rounded(ours), _rounded(theirs)
    return same(ours, theirs, _ULPS)


def _unscaled(value: Any) -> Any:
    """Decimals without zeros at their end, which Spark's rows are not sure of."""
    if isinstance(value, list):
        return [_unscaled(v) for v in value]
    number = isinstance(value, dict) and "decimal" in value
    return {"decimal": format(Decimal(value["decimal"]).normalize(), "f")} if number else value


def _rounded(value: Any) -> Any:
    """Numbers to nine digits, of which no more are behind the point."""
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    number = isinstance(value, dict) and "float" in value
    return {"float": f"{round(float(value['float']), 9) + 0.0:.9g}"} if number else value


def report(text: str, verdict: str, ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """One difference, of which the first differing value is shown."""
    for at, (a, b) in enumerate(_pairs(ours, theirs)):
        if _verdict(text, a, b) not in _PASSED:
            shown = [str(x.get("values", x.get("text"))) for x in (a, b)]
            return f"{verdict}: {text}\n    row {at}: {shown[0][:200]} here, {shown[1][:200]} on Spark"
    if verdict in ("rows", "columns"):
        what = "values" if verdict == "rows" else "columns"
        only = [[item for item in a[what] if item not in b[what]][:3] for a, b in ((ours, theirs), (theirs, ours))]
        return f"{verdict}: {text}\n    {only[0]} here, {only[1]} on Spark"
    if "values" in ours and "values" in theirs and verdict == "values":
        pairs = zip(ours["values"], theirs["values"], strict=True)
        at, (a, b) = next((n, p) for n, p in enumerate(pairs) if not same(p[0], p[1], _ULPS))
        return f"{verdict}: {text}\n    row {at}: {a} here, {b} on Spark"
    shown = [str(x.get("error") or x.get("type", "rows")) + " " + x.get("text", "") for x in (ours, theirs)]
    return f"{verdict}: {text}\n    {shown[0][:200]} here, {shown[1][:200]} on Spark"


def compare(seed: int, asked: dict[str, list[str]], theirs: Answers, binding: Binding) -> Counter[str]:
    """How often each verdict is given to what one seed asks; differences are printed."""
    counts: Counter[str] = Counter()
    with Kernel(1 << 29, 1) as kernel:
        here = Here(seed, binding, kernel)
        ours = here.answers(asked)
        for kind in _KINDS:
            for text, a, b in zip(asked[kind], ours[kind], theirs[kind], strict=True):
                verdict = judge(text, a, b)
                if verdict not in _PASSED and kind != "queries" and matter_of_order(text, a, b, here):
                    verdict = "order"
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
    parser.add_argument("--queries", type=int, default=0)
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
        queries = Queries(random.Random(seed))
        texts["queries"] = [queries.query() for _ in range(given.queries)]
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
