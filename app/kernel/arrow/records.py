"""Lines of CSV taken apart."""

from __future__ import annotations

import pyarrow as pa

from app.kernel.arrow.entry import ArrowFunction, by_row


def fields(line: str, separator: str) -> list[str | None]:
    """The fields of one line; what is empty is null. A quoted field may hold the separator, and quotes behind a
    backslash; where text follows its closing quote the quotes are text too.

    >>> fields('1,"a,b",,"x"y', ",")
    ['1', 'a,b', None, '"x"y']
    """
    found: list[str | None] = []
    at = 0
    while True:
        quoted = _quoted(line, at, separator) if line[at : at + 1] == '"' else None
        if quoted is None:
            end = line.find(separator, at)
            end = len(line) if end < 0 else end
            text = line[at:end]
        else:
            text, end = quoted
        found.append(text or None)
        if end >= len(line):
            return found
        at = end + len(separator)


def _quoted(line: str, start: int, separator: str) -> tuple[str, int] | None:
    """A quoted field and where it ends, None if it is none after all."""
    text, at = "", start + 1
    while at < len(line):
        if line[at] == "\\" and line[at + 1 : at + 2] in ('"', "\\"):
            text, at = text + line[at + 1], at + 2
        elif line[at] == '"':
            end = at + 1
            return (text, end) if end == len(line) or line.startswith(separator, end) else None
        else:
            text, at = text + line[at], at + 1
    return text, at


FUNCTIONS = {
    "wa_csv_fields": ArrowFunction(by_row(fields, pa.list_(pa.string())), ("VARCHAR", "VARCHAR"), "VARCHAR[]"),
}
