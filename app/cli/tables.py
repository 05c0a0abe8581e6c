"""Plain tables on stdout, as psql prints them."""

from __future__ import annotations

from collections.abc import Sequence


def print_table(
    headings: Sequence[str], rows: Sequence[Sequence[object]], numbers: Sequence[bool] | None = None
) -> None:
    """Prints headings, a rule, the rows, and how many there are. Numbers are set to the right: ints and floats, or the
    columns that `numbers` says. Null is empty."""
    texts = [[_text(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(headings, *texts, strict=True)]
    print(" | ".join(heading.center(width) for heading, width in zip(headings, widths, strict=True)).rstrip())
    print("-+-".join("-" * width for width in widths))
    for row, line in zip(rows, texts, strict=True):
        cells = [
            text.rjust(width) if (numbers[i] if numbers else isinstance(row[i], int | float)) else text.ljust(width)
            for i, (text, width) in enumerate(zip(line, widths, strict=True))
        ]
        print(" | ".join(cells).rstrip())
    print(f"({len(rows)} row{'' if len(rows) == 1 else 's'})")


def _text(value: object) -> str:
    return "" if value is None else str(value).replace("\n", "\\n")
