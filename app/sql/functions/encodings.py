"""Text as binary and back, URLs, numbers as text by a format."""

from __future__ import annotations

from app.sql.column import Column
from app.sql.functions.building import ColumnOrName, call


def to_binary(col: ColumnOrName, format: ColumnOrName | None = None) -> Column:
    """The binary that a text stands for in a format: hex (if not given), utf-8 or base64."""
    return call("to_binary", col, format)


def try_to_binary(col: ColumnOrName, format: ColumnOrName | None = None) -> Column:
    """`to_binary`, null where the text is malformed."""
    return call("try_to_binary", col, format)


def to_char(col: ColumnOrName, format: ColumnOrName) -> Column:
    """A number, a time or binary as text in a format."""
    return call("to_char", col, format)


def to_varchar(col: ColumnOrName, format: ColumnOrName) -> Column:
    """A number, a time or binary as text in a format."""
    return call("to_varchar", col, format)


def to_number(col: ColumnOrName, format: ColumnOrName) -> Column:
    """The decimal that a text stands for in a format."""
    return call("to_number", col, format)


def try_to_number(col: ColumnOrName, format: ColumnOrName) -> Column:
    """`to_number`, null where the text does not fit the format."""
    return call("try_to_number", col, format)


def is_valid_utf8(str: ColumnOrName) -> Column:
    """True where the bytes are UTF-8."""
    return call("is_valid_utf8", str)


def make_valid_utf8(str: ColumnOrName) -> Column:
    """The text, with U+FFFD in place of bytes that are no UTF-8."""
    return call("make_valid_utf8", str)


def validate_utf8(str: ColumnOrName) -> Column:
    """The text; fails where the bytes are no UTF-8."""
    return call("validate_utf8", str)


def try_validate_utf8(str: ColumnOrName) -> Column:
    """The text, null where the bytes are no UTF-8."""
    return call("try_validate_utf8", str)


def parse_url(url: ColumnOrName, partToExtract: ColumnOrName, key: ColumnOrName | None = None) -> Column:
    """A part of a URL (HOST, PATH, QUERY, REF, PROTOCOL, FILE, AUTHORITY, USERINFO), or the value of a query's key."""
    return call("parse_url", url, partToExtract, key)


def try_parse_url(url: ColumnOrName, partToExtract: ColumnOrName, key: ColumnOrName | None = None) -> Column:
    """`parse_url`, null where the URL is invalid."""
    return call("try_parse_url", url, partToExtract, key)


def url_decode(str: ColumnOrName) -> Column:
    """The text that is written in a URL."""
    return call("url_decode", str)


def try_url_decode(str: ColumnOrName) -> Column:
    """`url_decode`, null where an escape is malformed."""
    return call("try_url_decode", str)
