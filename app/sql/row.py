"""`Row`: a tuple whose items have names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.errors import ArgumentError
from app.sql.errors import AttributeMissing


class Row(tuple[Any, ...]):
    """One row, read by position, by name or by attribute.

    `Row(a=1)` makes one; `Row("a", "b")` makes a maker of rows.

    >>> row = Row(name="Ann", age=5)
    >>> row
    Row(name='Ann', age=5)
    >>> row["age"], row.name, row[1], "age" in row
    (5, 'Ann', 5, True)
    >>> Person = Row("name", "age")
    >>> Person("Bob", 7)
    Row(name='Bob', age=7)

    Two rows with equal values are equal, whatever the names (they are tuples).
    """

    __fields__: list[str]

    def __new__(cls, *args: Any, **kwargs: Any) -> Row:
        if args and kwargs:
            raise ArgumentError("Give a Row either values or name=value pairs, not both.", code="CANNOT_SET_TOGETHER")
        row = tuple.__new__(cls, list(kwargs.values()) if kwargs else args)
        if kwargs:
            row.__fields__ = list(kwargs)
        return row

    @classmethod
    def _make(cls, names: list[str], values: Iterable[Any]) -> Row:
        """A row whose names may repeat."""
        row = tuple.__new__(cls, values)
        row.__fields__ = names
        return row

    def asDict(self, recursive: bool = False) -> dict[str, Any]:
        """Names and values; with `recursive`, rows inside (also in lists and dicts) become dicts too.

        >>> Row(a=1, b=Row(c=2)).asDict(recursive=True)
        {'a': 1, 'b': {'c': 2}}
        """
        if not hasattr(self, "__fields__"):
            raise ArgumentError("This Row has no names, so it cannot become a dict.", code="CANNOT_CONVERT_TYPE")
        values = map(_plain, self) if recursive else iter(self)
        return dict(zip(self.__fields__, values, strict=True))

    def __call__(self, *args: Any) -> Row:
        if len(args) > len(self):
            raise ArgumentError(
                f"{len(args)} values were given to a Row with {len(self)} names.", code="TOO_MANY_VALUES"
            )
        return Row._make(list(self), args)

    def __contains__(self, item: Any) -> bool:
        return item in self.__fields__ if hasattr(self, "__fields__") else tuple.__contains__(self, item)

    def __getitem__(self, item: Any) -> Any:
        if isinstance(item, (int, slice)):
            return tuple.__getitem__(self, item)
        try:
            return tuple.__getitem__(self, self.__fields__.index(item))
        except (IndexError, ValueError, AttributeError):
            raise KeyError(item) from None

    def __getattr__(self, item: str) -> Any:
        if item.startswith("__"):
            raise AttributeError(item)
        try:
            return tuple.__getitem__(self, self.__fields__.index(item))
        except (IndexError, ValueError, AttributeError):
            raise AttributeMissing(f"Attribute `{item}` is not supported: the row has no field of the name.") from None

    def __setattr__(self, key: str, value: Any) -> None:
        if key != "__fields__":
            raise AttributeError(f"A Row cannot be changed; make a new one to set {key!r}.")
        self.__dict__[key] = value

    def __reduce__(self) -> tuple[Any, ...]:
        if hasattr(self, "__fields__"):
            return (Row._make, (self.__fields__, tuple(self)))
        return (Row, tuple(self))

    def __repr__(self) -> str:
        if hasattr(self, "__fields__"):
            return f"Row({', '.join(f'{n}={v!r}' for n, v in zip(self.__fields__, self, strict=False))})"
        return f"<Row({', '.join(map(repr, self))})>"


def _plain(value: Any) -> Any:
    if isinstance(value, Row):
        return value.asDict(recursive=True)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value
