"""Java's date-time patterns in bulk are what they are letter by letter."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from app.errors import PlanError
from app.kernel.arrow import ARROW_FUNCTIONS
from app.kernel.arrow.zone_steps import offsets_s, saves_light
from app.kernel.kernel import Kernel
from app.plan.functions.java_time import show_by, show_pattern
from app.plan.instant_texts import at_zone
from app.plan.java.pattern import Optional, Part, compiled
from app.plan.java.read import read
from app.plan.java.show import shown
from app.plan.regions import zone_of

_SHOWN = (
    *("G", "GGGG", "y", "yy", "yyy", "yyyy", "yyyyy", "u", "M", "MM", "MMM", "MMMM", "L", "LLLL", "d", "dd", "D", "DD"),
    *("DDD", "Q", "QQ", "QQQ", "QQQQ", "q", "E", "EEEE", "F", "g", "gg", "gggggggg", "H", "HH", "k", "kk", "h", "hh"),
    *("K", "KK", "a", "m", "mm", "s", "ss", "S", "SSS", "SSSSSS", "SSSSSSSSS", "O", "OOOO"),
    *(letter * count for letter in "Xx" for count in range(1, 6)),
    *("Z", "ZZZZ", "ZZZZZ", "z", "zzzz", "VV", " ", "-", "'T'", "[", "]"),
    *("%", "/", "é"),
)
_ZONES = (
    *("UTC", "Europe/Berlin", "Europe/Dublin", "Asia/Kolkata", "GMT+05:30", "GMT-00:44:30", "Africa/Casablanca"),
    *("America/New_York", "Europe/Amsterdam", "Africa/Freetown"),
)
_READ = (
    *("G", "GGGG", "y", "yy", "yyy", "yyyy", "yyyyy", "u", "uu", "uuuu", "M", "MM", "MMM", "MMMM", "L", "d", "dd"),
    *("LLL", "D", "DD", "DDD", "g", "gggg", "H", "HH", "k", "kk", "h", "hh", "K", "KK", "a", "m", "mm", "s", "ss", "S"),
    *("SSS", "SSSSSS", "SSSSSSSSS", "O", "OOOO", "Z", "ZZZZ", "ZZZZZ", "z", "VV"),
    *(letter * count for letter in "Xx" for count in range(1, 6)),
)
_BETWEEN = ("-", "/", " ", ":", ".", "'T'", "'at'", ", ", "年", "'é'", "'\0'", "", "")
_STRAY = "0123456789+-:. zZaKK\0é年Tt/"
_YEAR_1, _YEAR_10000 = -62_135_596_800, 253_402_300_800


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with Kernel(1 << 28, 1) as kernel:
        kernel.set_epoch(0)
        yield kernel


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@pytest.mark.parametrize("zone", _ZONES)
def test_times_are_printed_as_letter_by_letter(kernel: Kernel, zone: str) -> None:
    chance = random.Random(zone)
    walls = [None, *(chance.randrange(_YEAR_1 * 2, _YEAR_10000 * 3) * 1_000_000 + 123456 for _ in range(40))]
    walls += [chance.randrange(0, 2_000_000_000) * 1_000_000 + chance.randrange(1_000_000) for _ in range(50)]
    kernel.put_named("given", pa.table({"u": pa.array(walls, pa.int64())}))
    wall, offset = "make_timestamp(u)", "0"
    if zone != "UTC":
        wall = f"timezone('{zone}', make_timestamptz(u))"
        offset = f"((epoch_us({wall}) - u) // 1000000)"
    for _ in range(20):
        pattern = "".join(chance.choices(_SHOWN, k=chance.randint(1, 5)))
        try:
            bulk = show_pattern(pattern, wall, zone, offset)
        except PlanError:
            continue
        given = show_by(_quoted(pattern), wall, zone, offset)
        rows = kernel.arrow(f"SELECT epoch_us({wall}) AS w, {offset} AS o, {bulk} AS a, {given} AS b FROM given")
        for row in rows.to_pylist():
            by_letters = None if row["w"] is None else shown(compiled(pattern, False), row["w"], row["o"], zone)
            assert (row["a"], row["b"]) == (by_letters, by_letters), (pattern, row)


@pytest.mark.parametrize("zone", _ZONES)
def test_zones_change_in_bulk_as_one_by_one(zone: str) -> None:
    chance, known = random.Random(zone), zone_of(zone)
    seconds = [chance.randrange(_YEAR_1, _YEAR_10000) for _ in range(1000)]
    seconds += [chance.randrange(-2_000_000_000, 6_000_000_000) for _ in range(1000)]
    one_by_one = [second - at_zone(second * 1_000_000, known) // 1_000_000 for second in seconds]
    assert offsets_s(np.array(seconds), zone).tolist() == one_by_one
    inner = [second for second in seconds if _YEAR_1 + 86_400 < second < _YEAR_10000 - 86_400]
    start = datetime(1970, 1, 1, tzinfo=UTC)
    saved = [(start + timedelta(seconds=second)).astimezone(known).dst() for second in inner]
    assert saves_light(np.array(inner), zone).tolist() == [bool(dst and dst > timedelta(0)) for dst in saved]


def _some_pattern(chance: random.Random) -> str:
    """Letters with something between them or nothing, and sections in brackets, within others too."""
    made, depth = "", 0
    for _ in range(chance.randint(1, 7)):
        if chance.random() < 0.2:
            made, depth = made + "[", depth + 1
        made += (chance.choice(_READ) if chance.random() < 0.9 else "") + chance.choice(_BETWEEN)
        if depth and chance.random() < 0.5:
            made, depth = made + "]", depth - 1
    return made


def _some_text(chance: random.Random, parts: tuple[Part, ...]) -> str:
    """What looks like the pattern, more or less."""
    second = chance.choice([chance.randrange(_YEAR_1, _YEAR_10000), chance.randrange(2_000_000_000)])
    wall = second * 1_000_000 + 123_456
    offset, zone = chance.choice([0, 0, 3600, -19_800, 7200, 86_400, 1234]), chance.choice(_ZONES)

    def of(parts: tuple[Part, ...]) -> str:
        texts = []
        for part in parts:
            if isinstance(part, Optional):
                texts.append(of(part.parts) if chance.random() < 0.6 else "")
            else:
                other = chance.randrange(_YEAR_1, _YEAR_10000) * 1_000_000
                texts.append(shown([part], wall if chance.random() < 0.9 else other, offset, zone))
        return "".join(texts)

    text = of(parts)
    for _ in range(chance.choice([0, 0, 0, 0, 1, 1, 2])):
        at, how = chance.randint(0, len(text)), chance.random()
        if how < 0.3:
            text = text[:at] + text[at + 1 :]
        elif how < 0.8:
            text = text[:at] + chance.choice(_STRAY) + text[at + (how < 0.5) :]
        else:
            text = text.upper() if how < 0.9 else text.lower()
    return text


def _one(parts: tuple[Part, ...], name: str, text: str | None, zone: str) -> int | None:
    found = None if text is None else read(parts, text)
    if found is None or (name == "wa_read_zoneless" and found.zone is not None):
        return None
    return found.instant(zone_of(zone)) if name == "wa_read_instant" else found.wall()


@pytest.mark.parametrize("name", ["wa_read_instant", "wa_read_wall", "wa_read_zoneless"])
def test_times_are_read_as_letter_by_letter(name: str) -> None:
    chance, there, tried = random.Random(name), 0, 0
    compute = ARROW_FUNCTIONS[name].compute
    while tried < 150:
        pattern, zone = _some_pattern(chance), chance.choice(_ZONES)
        try:
            parts = compiled(pattern, True)
        except PlanError:
            continue
        tried += 1
        texts: list[str | None] = [_some_text(chance, parts) for _ in range(chance.choice([20, 200]))]
        if chance.random() < 0.5:
            texts += [None, "", "x" * 65, *texts[:3]]
        columns = [pa.array(texts), pa.array([pattern] * len(texts))]
        if name == "wa_read_instant":
            columns.append(pa.array([zone] * len(texts)))
        found = compute(*columns).to_pylist()
        one_by_one = [_one(parts, name, text, zone) for text in texts]
        assert [row for row in zip(texts, found, one_by_one, strict=True) if row[1] != row[2]] == [], (pattern, zone)
        there += sum(value is not None for value in found)
    assert there > 2000


def test_patterns_in_columns_and_slices() -> None:
    compute = ARROW_FUNCTIONS["wa_read_wall"].compute
    patterns = ["yyyy[-M]", "HH:mm[:ss]", None, "d/M/yyyy"] * 40
    texts = [text for i in range(40) for text in (f"20{i}-7", f"{i % 30:02}:07", "1/2/2020", f"{i}/2/2020")]
    columns = pa.array(texts), pa.array(patterns)
    one_by_one = [
        pattern and _one(compiled(pattern, True), "", text, "UTC")
        for text, pattern in zip(texts, patterns, strict=True)
    ]
    assert compute(*columns).to_pylist() == one_by_one
    for start, end in (3, 160), (40, 41), (7, 7), (1, 100):
        assert compute(*(column[start:end] for column in columns)).to_pylist() == one_by_one[start:end]


def test_times_are_printed_by_patterns_in_columns() -> None:
    compute = ARROW_FUNCTIONS["wa_show_time"].compute
    patterns = ["yyyy Q", "K:mm", None, "G"] * 10
    columns = [pa.array(patterns), pa.array([*range(39), None], pa.int64()), pa.array([0] * 40), pa.array(["UTC"] * 40)]
    assert compute(*columns).to_pylist() == ["1970 1", "0:00", None, "AD"] * 9 + ["1970 1", "0:00", None, None]
    assert compute(*(column[:0] for column in columns)).to_pylist() == []
    assert compute(columns[0][:1], *(column[-1:] for column in columns[1:])).to_pylist() == [None]


@pytest.mark.parametrize("name", ["wa_read_wall", "wa_show_time"])
def test_patterns_beside_nulls_alone_are_not_looked_at(name: str) -> None:
    nulls = pa.nulls(2, pa.string() if name == "wa_read_wall" else pa.int64())
    wrong = pa.array(["yyyy", "{"])
    rest = [pa.array([0, 0]), pa.array(["UTC", "UTC"])]
    columns = [nulls, wrong] if name == "wa_read_wall" else [wrong, nulls, *rest]
    assert ARROW_FUNCTIONS[name].compute(*columns).to_pylist() == [None, None]
    there = [pa.array(["2020", "x"]), wrong] if name == "wa_read_wall" else [wrong, pa.array([0, 0]), *rest]
    with pytest.raises(ValueError, match="DATETIME_PATTERN"):
        ARROW_FUNCTIONS[name].compute(*there)
