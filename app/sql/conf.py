"""`spark.conf`: settings of a session, as text.

What has a meaning here is checked when it is set: `spark.sql.session.timeZone`, `spark.sql.ansi.enabled`,
`spark.sql.caseSensitive`. `spark.sql.shuffle.partitions` and the like are accepted so that pipelines run unchanged;
they mean nothing in one process. Unknown names are kept, as in Spark.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from app.errors import ArgumentError, PlanError
from app.plan.functions.entry import Binding
from app.plan.regions import region
from app.sql.absent import Surface
from app.sql.arguments import option_text, wrong_type

_TIME_ZONE = "spark.sql.session.timeZone"
_MISSING: Any = object()
STATIC = ("spark.app.name", "spark.master", "spark.sql.warehouse.dir")
"""Settings a running session keeps as they are."""


class RuntimeConfig(Surface):
    """Settings by name.

    >>> conf = RuntimeConfig({"spark.sql.session.timeZone": "UTC"})
    >>> conf.set("spark.sql.ansi.enabled", False)
    >>> conf.get("spark.sql.ansi.enabled"), conf.get("my.key", "none")
    ('false', 'none')
    """

    def __init__(self, values: dict[str, str] | None = None) -> None:
        self._values: dict[str, str] = {}
        for key, value in (values or {}).items():
            self.set(key, value)

    def set(self, key: str, value: str | int | bool) -> None:
        """Raises: ArgumentError for a value the setting does not take, ArgumentTypeError for another type."""
        if not isinstance(key, str):
            raise wrong_type("key", "str", key)
        if not isinstance(value, (str, int, float, bool)):
            raise wrong_type("value", "bool, int or str", value)
        text = option_text(value)
        if key in _CHECKS:
            _CHECKS[key](key, text)
        self._values[key] = text

    def get(self, key: str, default: str | None = _MISSING) -> str | None:
        """The value, else `default`, else what Spark has by default. Raises: PlanError SQL_CONF_NOT_FOUND."""
        if not isinstance(key, str):
            raise wrong_type("key", "str", key)
        if key in self._values:
            return self._values[key]
        if default is not _MISSING:
            return default
        if key == _TIME_ZONE:
            return machine_zone()
        if key in _DEFAULTS:
            return _DEFAULTS[key]
        raise PlanError(
            f'The SQL config "{key}" cannot be found. Please verify that the config exists.',
            code="SQL_CONF_NOT_FOUND",
            key=key,
        )

    def _default(self, key: str) -> str | None:
        return machine_zone() if key == _TIME_ZONE else _DEFAULTS.get(key)

    def _reset(self, key: str | None) -> None:
        """RESET: back to the default, of all settings of SQL if none is named."""
        for name in [key] if key is not None else [name for name in self._values if name not in STATIC]:
            self._values.pop(name, None)

    def unset(self, key: str) -> None:
        """Back to the default."""
        self._values.pop(key, None)

    def isModifiable(self, key: str) -> bool:
        """Whether a running session may change it."""
        return key.startswith("spark.sql.") and key not in STATIC

    @property
    def getAll(self) -> dict[str, str]:
        return dict(self._values)

    def binding(self) -> Binding:
        """What expressions depend on when they are resolved now."""
        return Binding(
            ansi=self.get("spark.sql.ansi.enabled") == "true",
            time_zone=self.time_zone(),
            conf=dict(self._values),
        )

    def time_zone(self) -> str:
        """The session time zone as a region's name."""
        return region(self.get(_TIME_ZONE) or "UTC")


def machine_zone() -> str:
    """The region the machine's clock is set to; UTC where it does not say."""
    named = os.environ.get("TZ", "").lstrip(":")
    if not named:
        place = str(Path("/etc/localtime").resolve())
        named = place.partition("/zoneinfo/")[2]
    try:
        return ZoneInfo(named or "UTC").key
    except (KeyError, ValueError, OSError):
        return "UTC"


def _check_zone(key: str, value: str) -> None:
    try:
        region(value)
    except ValueError:
        raise ArgumentError(
            f"The value '{value}' in the config \"{key}\" is invalid. Cannot resolve the given timezone; give a "
            "region such as Europe/Berlin or an offset such as +02:00.",
            code="INVALID_CONF_VALUE.TIME_ZONE",
        ) from None


def _check_flag(key: str, value: str) -> None:
    if value not in ("true", "false"):
        raise _mismatch(key, value, "boolean")


def _check_off(key: str, value: str) -> None:
    _check_flag(key, value)
    if value == "true":
        raise ArgumentError(
            f"{key} is not supported: an INTERVAL literal is a year-month or a day-time interval here. Use "
            "make_interval(…) for calendar intervals.",
            code="UNSUPPORTED_FEATURE",
        )


def _check_count(key: str, value: str) -> None:
    if not re.fullmatch(r"[+-]?\d{1,18}", value):
        raise _mismatch(key, value, "int")
    if int(value) <= 0:
        raise ArgumentError(
            f"The value '{value}' in the config \"{key}\" is invalid. The value of {key} must be positive.",
            code="INVALID_CONF_VALUE.REQUIREMENT",
        )


def _check_whole(key: str, value: str) -> None:
    if not re.fullmatch(r"[+-]?\d{1,9}", value):
        raise _mismatch(key, value, "int")


def _mismatch(key: str, value: str, kind: str) -> ArgumentError:
    return ArgumentError(
        f"The value '{value}' in the config \"{key}\" is invalid. It should be a/an '{kind}' value.",
        code="INVALID_CONF_VALUE.TYPE_MISMATCH",
    )


_CHECKS: dict[str, Callable[[str, str], None]] = {
    _TIME_ZONE: _check_zone,
    "spark.sql.ansi.enabled": _check_flag,
    "spark.sql.caseSensitive": _check_flag,
    "spark.sql.decimalOperations.allowPrecisionLoss": _check_flag,
    "spark.sql.legacy.interval.enabled": _check_off,
    "spark.sql.timeType.enabled": _check_flag,
    "spark.sql.shuffle.partitions": _check_count,
    "spark.sql.cteRecursionLevelLimit": _check_whole,
    "spark.sql.cteRecursionRowLimit": _check_whole,
    "spark.sql.ansi.doubleQuotedIdentifiers": _check_flag,
    "spark.sql.streaming.schemaInference": _check_flag,
    "spark.sql.streaming.noDataMicroBatches.enabled": _check_flag,
}

_DEFAULTS = {
    "spark.app.name": "watertable",
    "spark.master": "local[*]",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.caseSensitive": "false",
    "spark.sql.cteRecursionLevelLimit": "100",
    "spark.sql.cteRecursionRowLimit": "1000000",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.legacy.interval.enabled": "false",
    "spark.sql.timeType.enabled": "false",
    "spark.sql.shuffle.partitions": "200",
    "spark.sql.streaming.schemaInference": "false",
    "spark.sql.streaming.noDataMicroBatches.enabled": "true",
    "spark.sql.streaming.numRecentProgressUpdates": "100",
    "spark.sql.streaming.multipleWatermarkPolicy": "min",
}

MEANINGS = {
    "spark.sql.ansi.doubleQuotedIdentifiers": ("Whether double quotes hold names and not texts.", "3.4.0"),
    "spark.sql.ansi.enabled": (
        "Whether values that do not fit are errors; else they are null or wrap around.",
        "3.0.0",
    ),
    "spark.sql.caseSensitive": ("Whether names differ by the case of their letters.", "1.4.0"),
    "spark.sql.cteRecursionLevelLimit": ("How many steps a WITH RECURSIVE may take; -1 for any number.", "4.1.0"),
    "spark.sql.cteRecursionRowLimit": ("How many rows a WITH RECURSIVE may give; -1 for any number.", "4.1.0"),
    "spark.sql.decimalOperations.allowPrecisionLoss": (
        "Whether decimal arithmetic gives up digits behind the point to keep those before it.",
        "2.3.1",
    ),
    "spark.sql.session.timeZone": ("The zone in which instants are read and shown.", "2.2.0"),
    "spark.sql.streaming.schemaInference": ("Whether streams of files find out their columns.", "2.0.0"),
    "spark.sql.timeType.enabled": ("Whether the type TIME may be used.", "4.1.0"),
}
"""What the settings do that change results, and since which version Spark has them."""
