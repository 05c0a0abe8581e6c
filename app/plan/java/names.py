"""What months, days, halves of days and time zones are called in English, as Java has it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from app.plan.java import pattern as p

_MONTHS = [
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_QUARTERS = ["1st quarter", "2nd quarter", "3rd quarter", "4th quarter"]
TEXTS: dict[tuple[str, bool], dict[int, str]] = {
    (p.MONTH, True): dict(enumerate(_MONTHS, 1)),
    (p.MONTH, False): {i: name[:3] for i, name in enumerate(_MONTHS, 1)},
    (p.DAY_OF_WEEK, True): dict(enumerate(_DAYS, 1)),
    (p.DAY_OF_WEEK, False): {i: name[:3] for i, name in enumerate(_DAYS, 1)},
    (p.QUARTER, True): dict(enumerate(_QUARTERS, 1)),
    (p.QUARTER, False): {i: f"Q{i}" for i in range(1, 5)},
    (p.ERA, True): {0: "Before Christ", 1: "Anno Domini"},
    (p.ERA, False): {0: "BC", 1: "AD"},
    (p.HALF, True): {0: "AM", 1: "PM"},
    (p.HALF, False): {0: "AM", 1: "PM"},
}
_HERE = Path(__file__).parent


@cache
def zone_names() -> dict[str, tuple[str, str, str, str]]:
    """By region: the short name, that in summer, and both in full."""
    found = {}
    for line in (_HERE / "zone_names.txt").read_text(encoding="utf-8").splitlines():
        names, _, regions = line.partition(": ")
        short, summer, full, summer_full = names.split("|")
        for region in regions.split(" "):
            found[region] = (short, summer, full, summer_full)
    return found


@cache
def zones_called(style: str) -> dict[str, str]:
    """By a name in lower case, the region that Java takes it for; with a style, names of that style too."""
    found = {region.lower(): region for region in zone_names()}
    if style != "id":
        for line in (_HERE / "zones_called.txt").read_text(encoding="utf-8").splitlines():
            region, short, full = line.split("|")
            found |= {name.lower(): region for name in (short if style == "short" else full).split(",") if name}
    return found
