"""`VariantVal`: a variant as Python code sees it, in `collect()` and `createDataFrame`."""

from __future__ import annotations

import base64
import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

from app.errors import RowError
from app.kernel.variant.carried import read, scalar, sorted_parts
from app.kernel.variant.fold import fold
from app.kernel.variant.parse import carried_of_json
from app.kernel.variant.spark import from_bytes, to_bytes
from app.plan.regions import zone_of

_EPOCH_DAY = date(1970, 1, 1).toordinal()


class VariantVal:
    """A variant: its `value` and its `metadata`, as Spark encodes them.

    >>> VariantVal.parseJson('{"a": [1, 2.50]}').toPython()
    {'a': [1, Decimal('2.50')]}
    """

    def __init__(self, value: bytes | bytearray, metadata: bytes | bytearray) -> None:
        self.value = value
        self.metadata = metadata

    def __str__(self) -> str:
        return self.toJson()

    def __repr__(self) -> str:
        return f"VariantVal({self.value!r}, {self.metadata!r})"

    def toPython(self) -> Any:
        """Dicts, lists and plain values; instants as `datetime` in UTC. Raises: RowError MALFORMED_VARIANT, and for
        times that Python has not."""
        return fold(self._tree(), sorted_parts, lambda leaf: _plain(leaf, "UTC"), list, dict)

    def toJson(self, zone_id: str = "UTC") -> str:
        """JSON as PySpark writes it: numbers in Python's form, letters beyond ASCII escaped, times in `zone_id`.

        >>> VariantVal.parseJson('{"b": 1e2, "a": "é"}').toJson()
        '{"a":"\\\\u00e9","b":100.0}'
        """
        return fold(
            self._tree(),
            sorted_parts,
            lambda leaf: _text(_plain(leaf, zone_id)),
            lambda items: f"[{','.join(items)}]",
            lambda fields: f"{{{','.join(f'{json.dumps(name)}:{text}' for name, text in fields)}}}",
        )

    @classmethod
    def parseJson(cls, json_str: str) -> VariantVal:
        """The variant that a JSON text stands for. Raises: RowError MALFORMED_RECORD_IN_PARSING.…."""
        return cls(*to_bytes(carried_of_json(json_str)))

    def _tree(self) -> Any:
        return read(from_bytes(bytes(self.value), bytes(self.metadata)))


def _plain(leaf: Any, zone: str) -> Any:
    kind, value = scalar(leaf)
    try:
        match kind:
            case "date":
                return date.fromordinal(_EPOCH_DAY + value)
            case "timestamp":
                instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=value)
                return instant.astimezone(zone_of(zone))
            case "timestamp_ntz":
                return datetime(1970, 1, 1) + timedelta(microseconds=value)
    except (ValueError, OverflowError) as error:
        raise RowError(
            "A date or timestamp in a variant lies outside the years 1 to 9999 that Python has; cast it to a string.",
            code="DATETIME_OVERFLOW",
        ) from error
    return value


def _text(value: Any) -> str:
    match value:
        case None | bool() | str():
            return json.dumps(value)
        case bytes():
            return f'"{base64.b64encode(value).decode()}"'
        case date():
            return f'"{value}"'
    return str(value)
