"""Arithmetic of decimals over Arrow beside Python's fractions: every operator, scale and size, and their edges."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pytest

from app.kernel.arrow import ARROW_FUNCTIONS
from app.kernel.kernel import Kernel
from app.kernel.relations import print_relation
from app.plan import nodes
from app.plan.carriers import arrow_schema
from app.plan.ddl import parse_schema
from app.plan.parse import parse_query
from app.plan.resolve import resolve

_NAMES = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "mod": "%", "pmod": "pmod"}
_WIDE = (
    ((38, 18), (38, 18)), ((38, 10), (38, 18)), ((38, 0), (38, 38)), ((38, 38), (38, 0)), ((12, 2), (38, 18)),
    ((38, 18), (10, 0)), ((38, 37), (38, 37)), ((20, 3), (18, 9)), ((38, 2), (38, 2)), ((9, 9), (38, 30)),
)  # fmt: skip
_SPARK = {"add": 17, "subtract": 17, "multiply": 6, "divide": 6, "mod": 18, "pmod": 18}


def _values(rng: random.Random, precision: int, rows: int) -> list[int | None]:
    """Whole numbers of up to so many digits: of any length, of few digits before zeros, at the edges, and nulls."""
    most = 10**precision - 1
    edges = [0, 1, -1, most, -most, most - 1, 5 * 10 ** (precision - 1), 2**63, 2**64, -(2**63), 2**64 - 1, None]
    found: list[int | None] = []
    while len(found) < rows:
        digits = rng.randint(1, precision)
        value = rng.randrange(10**digits) * rng.choice((1, -1))
        match rng.randrange(8):
            case 0:
                found.append(next(edge for edge in rng.choices(edges, k=100) if edge is None or abs(edge) <= most))
            case 1:
                found.append(rng.choice((1, -1)) * rng.randint(1, 99) * 10 ** (digits - 1) // 10)
            case 2:
                found.append(rng.choice((1, -1)) * min(most, 5 ** rng.randint(0, 54)))
            case _:
                found.append(value)
    return found


def _column(values: list[int | None], precision: int, scale: int) -> pa.Array:
    """With an offset into its memory, as a slice has."""
    kind = pa.decimal128(precision, scale)
    texts = [None if value is None else Decimal((value < 0, _digits(value), -scale)) for value in [7, *values]]
    return pa.array(texts, type=kind)[1:]


def _digits(value: int) -> tuple[int, ...]:
    return tuple(map(int, str(abs(value))))


def _wanted(op: str, x: Fraction, y: Fraction, scale: int) -> int | None:
    """The exact result in units of `scale`, half away from zero; None if it is divided by zero."""
    if op in ("/", "%", "pmod") and not y:
        return None
    whole = abs(x) // abs(y) if y else 0
    rest = (abs(x) - whole * abs(y)) * (-1 if x < 0 else 1)
    found = {
        "+": lambda: x + y,
        "-": lambda: x - y,
        "*": lambda: x * y,
        "/": lambda: x / y,
        "%": lambda: rest,
        "pmod": lambda: rest + y if rest < 0 < y else rest,
    }[op]()
    size = abs(found) * 10**scale
    rounded = (2 * size.numerator + size.denominator) // (2 * size.denominator)
    return -rounded if found < 0 else rounded


def _answers(name: str, a: pa.Array, b: pa.Array, kind: pa.DataType) -> list[int | None]:
    found = ARROW_FUNCTIONS[f"wa_decimal_{name}"].compute(a, b, pa.nulls(len(a), kind))
    found.validate(full=True)
    assert found.type == kind
    return [None if value is None else int(Fraction(value) * 10**kind.scale) for value in found.to_pylist()]


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_every_operator_is_exact_before_it_is_rounded(name: str, seed: int) -> None:
    for at, (left, right) in enumerate(_WIDE):
        rng = random.Random(f"{seed} {at}")
        scales = {_SPARK[name], rng.randint(0, 38), max(left[1], right[1]), min(left[1] + right[1], 38)}
        for scale in sorted(scales):
            a, b = _values(rng, left[0], 150), _values(rng, right[0], 150)
            wanted = [
                None
                if x is None or y is None
                else _wanted(_NAMES[name], Fraction(x, 10 ** left[1]), Fraction(y, 10 ** right[1]), scale)
                for x, y in zip(a, b, strict=True)
            ]
            wanted = [None if v is None or abs(v) >= 10**38 else v for v in wanted]
            found = _answers(f"try_{name}", _column(a, *left), _column(b, *right), pa.decimal128(38, scale))
            for x, y, value, answer in zip(a, b, wanted, found, strict=True):
                assert value == answer, (name, seed, left, right, scale, x, y)


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize("digits", [20, 24, 28, 33, 38])
def test_ordinary_decimals_of_any_size_need_no_other_way(name: str, digits: int) -> None:
    rng = random.Random(digits)
    a, b = ([rng.randrange(10**digits) * rng.choice((1, -1)) for _ in range(2048)] for _ in range(2))
    scale = _SPARK[name]
    units = 10**18
    wanted = [_wanted(_NAMES[name], Fraction(x, units), Fraction(y, units), scale) for x, y in zip(a, b, strict=True)]
    found = _answers(f"try_{name}", _column(a, 38, 18), _column(b, 38, 18), pa.decimal128(38, scale))
    assert found == [None if v is None or abs(v) >= 10**38 else v for v in wanted]


@pytest.mark.parametrize("name", _NAMES)
def test_no_rows_are_none(name: str) -> None:
    assert _answers(name, _column([], 38, 18), _column([], 38, 18), pa.decimal128(38, 6)) == []


@pytest.mark.parametrize("name", _NAMES)
def test_nulls_alone_stay_null(name: str) -> None:
    nothing = _column([None, None, 3], 38, 18)
    other = _column([0, None, None], 38, 18)
    assert _answers(name, nothing, other, pa.decimal128(38, 6)) == [None] * 3


@pytest.mark.parametrize("value", ["0.0000005", "-0.0000005", "1.0000015", "0.00000049999999999", "123456.6543215"])
def test_halves_are_rounded_away_from_zero(value: str) -> None:
    x, scale = Decimal(value), pa.decimal128(38, 6)
    units = int(Fraction(x) * 10**18)
    wanted = _wanted("+", Fraction(units, 10**18), Fraction(0), 6)
    one, nothing = _column([10**18], 38, 18), _column([0], 38, 18)
    assert _answers("multiply", _column([units], 38, 18), one, scale) == [wanted]
    assert _answers("divide", _column([units], 38, 18), one, scale) == [wanted]
    assert _answers("add", _column([units], 38, 18), nothing, scale) == [wanted]
    assert _answers("subtract", _column([units], 38, 18), nothing, scale) == [wanted]


def test_what_does_not_fit_says_what_it_is() -> None:
    most = _column([1, 10**38 - 1], 38, 0)
    with pytest.raises(ValueError, match=r"OUT_OF_RANGE.*99999999999999999999999999999999999998e-0 is no"):
        _answers("add", most, most, pa.decimal128(38, 0))
    assert _answers("try_add", most, most, pa.decimal128(38, 0)) == [2, None]
    with pytest.raises(ValueError, match=r"10000e-2 is no DECIMAL\(4,2\)"):
        _answers("multiply", _column([100, 1000], 5, 1), _column([100, 100], 5, 1), pa.decimal128(4, 2))


@pytest.mark.parametrize("name", ["divide", "mod", "pmod"])
def test_only_rows_without_nulls_fail_by_zero(name: str) -> None:
    zeros = _column([0, 0], 38, 18)
    with pytest.raises(ValueError, match="DIVIDE_BY_ZERO" if name == "divide" else "REMAINDER_BY_ZERO"):
        _answers(name, _column([None, 1], 38, 18), zeros, pa.decimal128(38, 6))
    assert _answers(name, _column([None, None], 38, 18), zeros, pa.decimal128(38, 6)) == [None, None]


def test_whole_quotients_are_the_last_64_bits() -> None:
    rng = random.Random(1)
    div = ARROW_FUNCTIONS["wa_decimal_div"].compute
    for left, right in (((38, 18), (38, 18)), ((38, 0), (10, 2)), ((12, 2), (38, 18)), ((5, 0), (3, 1))):
        a, b = _values(rng, left[0], 500), [value or None for value in _values(rng, right[0], 500)]
        wanted = []
        for at, (x, y) in enumerate(zip(a, b, strict=True)):
            if x is None or y is None:
                wanted.append(None)
                continue
            whole = abs(x) * 10 ** right[1] // (abs(y) * 10 ** left[1])
            if whole >= 10**38:
                a[at], whole = 0, 0
            signed = whole if (x < 0) == (y < 0) else -whole
            wanted.append((signed + 2**63) % 2**64 - 2**63)
        assert div(_column(a, *left), _column(b, *right)).to_pylist() == wanted
    with pytest.raises(ValueError, match="DIVIDE_BY_ZERO"):
        div(_column([1], 5, 0), _column([0], 3, 1))
    with pytest.raises(ValueError, match="OUT_OF_RANGE"):
        div(_column([10**38 - 1], 38, 0), _column([1], 10, 2))


_PRINTED = (
    ((38, 2), (38, 2)), ((38, 2), (10, 2)), ((38, 6), (38, 0)), ((38, 0), (38, 6)), ((20, 2), (20, 2)),
    ((38, 4), (5, 0)), ((18, 9), (18, 9)), ((9, 4), (9, 4)), ((38, 18), (38, 18)), ((38, 0), (38, 0)),
    ((12, 2), (1, 0)), ((12, 2), (3, 1)), ((38, 3), (38, 3)), ((6, 6), (38, 0)), ((37, 1), (38, 1)),
    ((19, 10), (19, 10)), ((38, 38), (38, 38)), ((6, 4), (2, 2)), ((4, 0), (5, 1)),
)  # fmt: skip


@pytest.mark.parametrize(("left", "right"), _PRINTED)
def test_printed_operators_are_exact_where_duckdb_computes_and_where_it_does_not(
    left: tuple[int, int], right: tuple[int, int]
) -> None:
    rng = random.Random(f"{left} {right}")
    a, b = _edges(rng, *left), _edges(rng, *right)
    rows = [pair for pair in zip(a, b, strict=True) if pair[1] != 0]
    for op, name in (
        ("+", "try_add"),
        ("-", "try_subtract"),
        ("*", "try_multiply"),
        ("/", "try_divide"),
        ("%", "try_mod"),
    ):
        kind, found = _computed(f"{name}(a, b)", f"{name}(coalesce(a, a), b)", rows, left, right)
        wanted = [_fitting(op, x, y, left[1], right[1], kind) for x, y in rows]
        assert found == [wanted, wanted], (name, kind)
        fit = [row for row, value in zip(rows, wanted, strict=True) if value is not None or None in row]
        _, found = _computed(f"a {op} b", f"a {op} coalesce(b, b)", fit, left, right)
        wanted = [_fitting(op, x, y, left[1], right[1], kind) for x, y in fit]
        assert found == [wanted, wanted], (op, kind)
    kind, _ = _computed("pmod(a, b)", "a", [(0, 1)], left, right)
    fit = [row for row in rows if None in row or _fitting("pmod", *row, left[1], right[1], kind) is not None]
    _, found = _computed("pmod(a, b)", "pmod(coalesce(a, a), b)", fit, left, right)
    wanted = [_fitting("pmod", x, y, left[1], right[1], kind) for x, y in fit]
    assert found == [wanted, wanted], kind


def _fitting(op: str, x: int | None, y: int | None, scale_x: int, scale_y: int, kind: pa.DataType) -> int | None:
    if x is None or y is None:
        return None
    exact = _wanted(op, Fraction(x, 10**scale_x), Fraction(y, 10**scale_y), kind.scale)
    return None if exact is None or abs(exact) >= 10**kind.precision else exact


def _computed(
    one: str, other: str, rows: list[tuple[int | None, int | None]], left: tuple[int, int], right: tuple[int, int]
) -> tuple[pa.DataType, list[list[int | None]]]:
    """The type of the first expression over columns `a` and `b`, and the values of both in units of its scale."""
    schema = parse_schema(f"a decimal({left[0]},{left[1]}), b decimal({right[0]},{right[1]})")
    columns = [_column([row[0] for row in rows], *left), _column([row[1] for row in rows], *right)]
    leaf = nodes.Rows(pa.table(columns, schema=arrow_schema(schema)), schema)
    with Kernel(1 << 28, 1) as kernel:
        kernel.set_epoch(0)
        kernel.put("t", leaf.table)
        query = resolve(parse_query(f"SELECT {one} AS v, {other} AS w FROM t", lambda _: leaf))
        found = kernel.arrow(print_relation(query, lambda _: "t"))
    kind = found.schema.types[0]
    units = [
        [None if value is None else int(Fraction(value) * 10**kind.scale) for value in column.to_pylist()]
        for column in found.columns
    ]
    return kind, units


def _edges(rng: random.Random, precision: int, scale: int) -> list[int | None]:
    """Also the least and most of each number of digits, halves and quarters of them."""
    powers = [10**digits for digits in range(precision)]
    near = [sign * v for p in powers for v in (p - 1, p, p // 2, p * 49 // 10) for sign in (1, -1) if v < 10**precision]
    return [*rng.choices(near, k=250), *_values(rng, precision, 150)]
