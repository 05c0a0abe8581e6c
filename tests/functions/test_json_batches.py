"""JSON a batch at a time: what is done with all texts at once is what is done with each alone."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any

import duckdb
import orjson
import pyarrow as pa
import pytest

from app.errors import RowError
from app.kernel.arrow import ARROW_FUNCTIONS
from app.kernel.arrow.json_records import last_if_usual
from app.kernel.arrow.json_texts import carried_if_usual
from app.kernel.arrow.jsons import _first, _record
from app.kernel.kernel import Kernel
from app.kernel.variant.carried import leaf_of, read, written
from app.kernel.variant.parse import carried_of_json
from app.kernel.variant.schema import packed, schema_of, schema_text
from app.kernel.variant.show import json_text
from app.kernel.variant.spark import to_bytes
from app.plan.functions.variants import print_json

_NUMBERS = (
    "0", "-0", "1", "-1", "10", "100", "007", "0.0", "-0.0", "0.5", "-0.5", "1.0", "1.50", "1.05", "12.345", "0.001",
    "0.0001", "0.00012", "10.0001", "0.1000", "1e5", "1E-2", "-1.5e+3", "1.", ".5", "1.2.3", "+1", "--1", "1e400",
    "9" * 18, "9" * 19, "-9223372036854775808", "9223372036854775808", "9" * 38, "9" * 39, "0." + "1" * 12,
    "0." + "1" * 13, "123456789.123456", "1234567890.1", "1234.1234567", "123.123456789012", "999.1234567", "5e",
    "1" * 37 + ".5", "1" * 38 + ".5", "0." + "0" * 37 + "1", "0." + "0" * 38 + "1", "179769313486231570" + "0" * 291,
)  # fmt: skip
_STRINGS = (
    '""', '"a"', '"b"', '"ab"', '"a b"', '" "', '"é"', '"\\u00e9"', '"\\ud83d\\ude00"', '"\\ud800"', '"\\u0000"',
    '"\\u0001d1"', '"\\"', '"\\\\"', '"\\""', '"\\\\\\""', '"a\\\\"', '"\\/"', '"/"', '"\\n\\t"', '"\x7f"', '"\x01"',
    '"{"', '"}"', '","', '":"', '"[1,]"', '"1.50"', '"-0"', '"NaN"', '"1e5"', '"😀"', '"\u2028"', '"\ufffe"', "'a'",
    '"' + "9" * 30 + '"', '"a\\u0022b"', '"\\x41"',
)  # fmt: skip
_WORDS = ("null", "true", "false", "NaN", "nan", "Infinity", "-inf", "nul", "True", "x")
_BLANKS = ("", "", "", " ", "  ", "\n", "\t\r ", "\x0b")
_USUAL = (
    '{"a":1,"b":[1.5,null,{"c":"x"}]}',
    '{"a": 1, "b": "x y", "c": {"a": 2}}',
    "[]",
    "{}",
    "1",
    '"a"',
    "[[1],[2]]",
)


class Writer:
    """JSON texts as they may come, and what is near to JSON, by chance."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def text(self) -> str | None:
        match self._chance.randrange(12):
            case 0:
                return self._chance.choice((None, "", " ", "{", "]", '"', '{"a":', "[1 2]", "\ufeff1", "1\x00"))
            case 1:
                return self._value(3) + self._chance.choice((" x", ",", "]", " ", "\n", "1", '"', " {}", "NaN"))
            case 2 | 3 | 4:
                return self._chance.choice(_USUAL)
        return self._value(self._chance.randrange(4))

    def _value(self, depth: int) -> str:
        blank, after = self._chance.choice(_BLANKS[:-1]), self._chance.choice(_BLANKS[:-1])
        kind = self._chance.randrange(8)
        if depth and kind < 3:
            return f"{blank}{{{self._listed(self._field, depth)}}}{after}"
        if depth and kind < 5:
            return f"{blank}[{self._listed(self._value, depth)}]{after}"
        plain = self._chance.randrange(3)
        wide = self._chance.choice((_NUMBERS, _STRINGS, _WORDS))
        near = ("1", "2.5", '"x"', "null", "true", "-7", '"y z"')
        return blank + self._chance.choice(near if plain else wide) + after

    def _field(self, depth: int) -> str:
        key = self._chance.choice(('"a"', '"b"', '"c"', '"ab"')) if self._chance.randrange(5) else None
        return f"{key or self._chance.choice(_STRINGS)}{self._chance.choice(_BLANKS[:4])}:{self._value(depth - 1)}"

    def _listed(self, make: Callable[[int], str], depth: int) -> str:
        items = [make(depth - 1) for _ in range(self._chance.randrange(4))]
        return ",".join(items) + ("," if not self._chance.randrange(15) else "")


@pytest.fixture(scope="module")
def valid() -> Iterator[Callable[[list[str | None]], pa.Array]]:
    """What DuckDB calls valid."""
    db = duckdb.connect()

    def asked(texts: list[str | None]) -> pa.Array:
        given = pa.table({"t": pa.array(texts, pa.string())})
        db.register("given", given)
        return db.sql("SELECT json_valid(t) AS v FROM given").to_arrow_table().column("v").combine_chunks()

    yield asked
    db.close()


def _carried(text: str | None, several: bool = False) -> str | None:
    try:
        return None if text is None else carried_of_json(text, several)
    except RowError:
        return None


Valid = Callable[[list[str | None]], pa.Array]
_EDGES: tuple[list[str | None], ...] = (
    [], [None], [None, None], ["1"], ["{}"] * 3, ["[" * 150 + "1" + "]" * 150, '{"a":1}'], ["12", "34", "5.0", "6"],
    ["[" * 300 + "]" * 300, "1"], ["[" * 1100 + "]" * 1100, "1"], ['{"a":' * 210 + "1" + "}" * 210, "[1]"],
    ['"' + "x" * 30_000 + '"', '{"a":1,"a":2}'], ["1.5"], ["1.5", "1.50", None, "2", "x"],
    ['[{"a":1,"a":2}]', "[]", '[{"a":1,"a":2},{"a":1,"a":2}]'], ['{"a":1,"a":{"b":1,"b":2},"a":[{"c":1,"c":2}],"b":0}'],
    ['{"":1,"":2}', '{"a\\u0062":1,"ab":2}', '{"\\/":1,"/":2}', '{"\\\\":1,"\\\\":2,"\\"":1}'],
)  # fmt: skip


def _batches() -> Iterator[list[str | None]]:
    yield from _EDGES
    for seed in range(150):
        writer = Writer(seed)
        yield [writer.text() for _ in range(1 + seed % 23)]


@pytest.mark.parametrize("several", [False, True])
def test_texts_of_a_batch_are_the_variants_that_each_is_alone(valid: Valid, several: bool) -> None:
    parse = ARROW_FUNCTIONS["wa_parse_json"].compute
    kept = 0
    for texts in _batches():
        found = _sliced(texts, valid, lambda *columns: parse(*columns, *_constants(len(columns[0]), True, several)))
        assert [row and to_bytes(row["variant"]) for row in found] == [
            text and to_bytes(text) for text in (_carried(text, several) for text in texts)
        ], texts
        usual, where = carried_if_usual(pa.array(texts, pa.string()), valid(texts))
        for text, carried, one in zip(
            texts, usual.to_pylist(), [True] * len(texts) if where is None else where, strict=True
        ):
            assert (carried is not None) == one
            if carried is not None:
                kept += 1
                assert text is not None and carried == orjson.dumps(orjson.loads(text)).decode()
    assert kept > 400


def test_records_of_a_batch_are_what_each_is_alone(valid: Valid) -> None:
    records = ARROW_FUNCTIONS["wa_json_record"].compute
    twice = 0
    for texts in _batches():
        known = valid(texts).to_pylist()
        found = _sliced(texts, valid, records)
        alone = [None if text is None else _record(text, ok) for text, ok in zip(texts, known, strict=True)]
        assert [_tree(text) for text in found] == [_tree(text) for text in alone], texts
        usual, _ = last_if_usual(pa.array(texts, pa.string()), valid(texts))
        for text, carried in zip(texts, usual.to_pylist(), strict=True):
            twice += carried is not None and len(carried) < len(text or "")
    assert twice > 20


_TAILS: tuple[list[str | None], ...] = (
    ['{"a":1} x', '[1] "', '{"a":"x}"} "', '{"a":"\\"} \\', '{"a":1} {"b":2}', '{"a":[1,]} x', '{"a":NaN} x'],
    ['{"n":"nan"} x', "[nan] x"],
    ["{'a':1} x", "{\"a\":'}'} x", '{"a":"it\'s"} x', "", None, "}", '" }', '{"a":1}\x00 }', '[1 , \n\t         ] x'],
    ['{"a":1} x'], ['[1] x', '[2,3] y'], ['"a" {}', "1 [2]", '  {"a":1}x', '{"a":1}}', "[" * 300 + "]" * 300 + " x"],
    ['{"a":"' + "y" * 3000 + '"} x', '{"a":1,"a":2} x', '{"a":"\\ud800"} x', '{"a":"\\u0022}"} x'],
)  # fmt: skip


def test_what_a_text_of_a_batch_begins_with_is_what_it_is_alone(valid: Valid) -> None:
    cut = 0
    with Kernel(1 << 28, 1) as kernel:
        for texts in (*_TAILS, *_batches()):
            kernel.put_named("texts", pa.table({"t": pa.array(texts, pa.string())}))
            found = kernel.arrow("SELECT wt_json(t) AS f, wt_json_record(t) AS r, wa_json_cut(t) AS c FROM texts")
            first, record, parts = (column.to_pylist() for column in found.columns)
            known = valid(texts).to_pylist()
            for text, ok, f, r, c in zip(texts, known, first, record, parts, strict=True):
                if text is None:
                    assert f is None and r is None
                    continue
                taken = text if ok and not re.search(r",[ \t\n\r]*[]}]|(?i:nan|inf)", text) else _first(text)
                assert f == taken, text
                assert _tree(r) == _tree(_record(text, ok)), text
                cut += not ok and c == f and f is not None
    assert cut > 20


def test_fields_that_duckdb_finds_are_those_of_the_exact_way() -> None:
    twice = 0
    with Kernel(1 << 28, 1) as kernel:
        for texts in (*_TAILS, *_EDGES, *_batches()):
            kernel.put_named("texts", pa.table({"t": pa.array(texts, pa.string())}))
            found = kernel.arrow(
                "SELECT j, wt_json_field(j, '$.\"a\"', 'a', '%\"a\"%\"a\"%') AS quick, wa_json_last(j, 'a') AS exact "
                "FROM (SELECT wt_json(t) AS j FROM texts)"
            )
            assert found["quick"].to_pylist() == found["exact"].to_pylist(), texts
            twice += sum(text is not None and text.count('"a"') > 1 for text in found["j"].to_pylist())
    assert twice > 20


def test_what_is_at_a_path_is_that_of_the_exact_way() -> None:
    paths = {"$": [], '$."a"': ["a"], '$."a"."b"': ["a", "b"], "$[0]": [0], '$[1]."a"': [1, "a"]}
    known = 0
    with Kernel(1 << 28, 1) as kernel:
        for texts in (*_TAILS, *_batches()):
            once = [t for t in texts if t is None or (t.count('"a"') < 2 and "\\u" not in t and t.count("[") < 1000)]
            kernel.put_named("texts", pa.table({"t": pa.array(once, pa.string())}))
            for path, steps in paths.items():
                exactly = f"wa_json_path(t, '{json.dumps(steps)}')"
                found = kernel.arrow(f"SELECT wt_json_at(t, '{path}') AS quick, {exactly} AS exact FROM texts")
                quick, exact = found["quick"].to_pylist(), found["exact"].to_pylist()
                assert [text or "null" for text in quick] == [text or "null" for text in exact], (path, once)
                known += sum(text is not None for text in exact)
    assert known > 400


def _sliced(texts: list[str | None], valid: Valid, compute: Callable[..., pa.Array]) -> list[Any]:
    """The answers for a part of a longer column."""
    longer = ['{"a":"é', *texts, "1,", None]
    column, known = pa.array(longer, pa.string()), valid(longer)
    found: list[Any] = compute(column.slice(1, len(texts)), known.slice(1, len(texts))).to_pylist()
    return found


def _constants(count: int, *values: bool) -> tuple[pa.Array, ...]:
    return tuple(pa.array([value] * count, pa.bool_()) for value in values)


def _tree(text: str | None) -> Any:
    """A record with the digits of its numbers and the order of its keys."""
    try:
        return text and json.loads(text, object_pairs_hook=list, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return text


_LEAVES = (
    None, True, 0, -5, 123456789012345678, -(1 << 63), 0.5, -0.05, 12.25, 1234567890123.5, 0.00123, 10.5, 100.25,
    *(leaf_of("decimal", Decimal(text)) for text in ("1.50", "0.000", "-7", "1" * 38, "0." + "0" * 37 + "1", "1e20")),
    *(leaf_of("double", value) for value in (1.5, float("nan"), -0.0, 1e300)), leaf_of("float", 0.1),
    *(leaf_of("string", text) for text in ("", "a", '"', "\\", "\x01", "\x01n1", "é😀", "1.5", "{", "\u2028", "a\nb")),
    leaf_of("binary", b"\x01n"), leaf_of("date", 5), leaf_of("timestamp", -5), leaf_of("timestamp_ntz", 5),
)  # fmt: skip


def _tree_by_chance(chance: random.Random, depth: int) -> Any:
    kind = chance.randrange(4) if depth else 0
    if kind == 3:
        names = chance.sample(("a", "b", "B", "\x01n1", '"', "\\", "é", "{", ""), chance.randrange(4))
        return {name: _tree_by_chance(chance, depth - 1) for name in names}
    if kind == 2:
        return [_tree_by_chance(chance, depth - 1) for _ in range(chance.randrange(4))]
    return chance.choice(_LEAVES)


def test_variants_of_a_batch_are_shown_as_each_is() -> None:
    chance = random.Random(7)
    doubles = [leaf_of("double", chance.choice((1, -1)) * 10 ** chance.uniform(-5, 9)) for _ in range(300)]
    doubles += [leaf_of("double", value) for value in (0.0, 0.001, 0.000999, 9999999.0, 1e7, 1234567.8, 1e-3, 100.0)]
    texts_near = ('x"\x01d1.5', 'x"\x01n1.50', ',"\x01n1.50', "\x01d1.5", ':"\x01d1.5"')
    odd = [leaf_of("string", text) for text in texts_near]
    trees = [*doubles, *odd, *([{"b": a, "a": [b, 1]} for a, b in pairwise([*doubles, *odd])])]
    trees += [_tree_by_chance(chance, 3) for _ in range(500)]
    texts = list(map(written, trees))
    with Kernel(1 << 28, 1) as kernel:
        kernel.put_named("given", pa.table({"v": pa.array([{"variant": text} for text in texts])}))
        found = kernel.arrow(f"SELECT {print_json('v', 'UTC')} AS c FROM given").column("c").to_pylist()
    assert found == [json_text(text) for text in texts]


def test_types_in_variants_of_a_batch_are_those_in_each() -> None:
    schemas, shown = (ARROW_FUNCTIONS[name].compute for name in ("wa_variant_schema", "wa_variant_schema_shown"))
    for seed in range(150):
        chance = random.Random(seed)
        trees = [_tree_by_chance(chance, chance.randrange(4)) for _ in range(chance.randrange(30))]
        texts = [None if not chance.randrange(9) else written(tree) for tree in trees]
        kinds = [None if text is None else schema_of(read(text)) for text in texts]
        column = pa.array(['"x', *texts, "1"], pa.string()).slice(1, len(texts))
        assert schemas(column).to_pylist() == [None if kind is None else packed(kind) for kind in kinds], seed
        assert shown(column).to_pylist() == [None if kind is None else schema_text(kind) for kind in kinds], seed
