"""What every data type has; the types themselves are in `plan/types.py`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class DataType:
    """The base of all types. Two types are equal when they are the same type with the same parameters."""

    _name: ClassVar[str] = "data"

    @classmethod
    def typeName(cls) -> str:
        """The name used in JSON, for instance `long`."""
        return cls._name

    def simpleString(self) -> str:
        """The name used in schemas and messages, for instance `bigint`."""
        return self._name

    def jsonValue(self) -> Any:
        return self._name

    def json(self) -> str:
        return json.dumps(self.jsonValue(), separators=(",", ":"), sort_keys=True)

    def sql(self) -> str:
        """The name in SQL text and error messages, for instance `BIGINT`."""
        return self.simpleString().upper()

    @classmethod
    def fromDDL(cls, ddl: str) -> DataType:
        """Columns (`a INT, b STRING`) as a struct, or the type a name says (`int`). Raises: ParseError."""
        from app.plan.type_forms import from_ddl

        found: DataType = from_ddl(ddl)
        return found

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


@dataclass(frozen=True, repr=False)
class AtomicType(DataType):
    """A type without parts."""
