"""Java's date-time patterns in bulk are what they are letter by letter."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from app.errors import PlanError
from app.kernel.arrow.zone_steps import offsets_s, saves_light
from app.kernel.kernel import Kernel
from app.plan.functions.java_time import show_by, show_pattern
from app.plan.instant_texts import at_zone
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
    walls = [None, *(chance.randrange(_YEAR_1 * 2, _YEAR_10000 * 3) * 1_000_000 + 123456 for _ in range(50))]
    walls += [chance.randrange(0, 2_000_000_000) * 1_000_000 + chance.randrange(1_000_000) for _ in range(50)]
    kernel.put_named("given", pa.table({"u": pa.array(walls, pa.int64())}))
    wall, offset = "make_timestamp(u)", "0"
    if zone != "UTC":
        wall = f"timezone('{zone}', make_timestamptz(u))"
        offset = f"((epoch_us({wall}) - u) // 1000000)"
    for _ in range(30):
        pattern = "".join(chance.choices(_SHOWN, k=chance.randint(1, 5)))
        try:
            bulk = show_pattern(pattern, wall, zone, offset)
        except PlanError:
            continue
        by_letters = show_by(_quoted(pattern), wall, zone, offset)
        found = kernel.arrow(f"SELECT u, {bulk} AS a, {by_letters} AS b FROM given").to_pylist()
        assert [row for row in found if row["a"] != row["b"]] == [], pattern


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
