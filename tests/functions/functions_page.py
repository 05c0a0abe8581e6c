"""Writes docs/functions.md from the catalogue:  python -m tests.functions.functions_page"""

from __future__ import annotations

from pathlib import Path

from app.plan.functions import catalogue
from app.plan.functions.entry import Function

PAGE = Path(__file__).parents[2] / "docs" / "functions.md"
_HEAD = """# Functions

Every function there is, with its other names. A name that is not here is refused when a query is built. The page is
written from the catalogue by `python -m tests.functions.functions_page`; a test holds the two together.

"On streams" says of an aggregate that its state is kept and merged from epoch to epoch.

"""


def page() -> str:
    """The whole text of the page."""
    named = {id(f): f for f in catalogue().values() if " " not in f.name}
    entries = sorted(named.values(), key=lambda f: f.name)
    parts = [_HEAD]
    for title, kind in (
        ("Scalar", "scalar"),
        ("Aggregate", "aggregate"),
        ("Generator", "generator"),
        ("Window", "window"),
    ):
        chosen = [f for f in entries if f.kind == kind]
        if chosen:
            parts.append(f"## {title} functions ({len(chosen)})\n\n{_table(chosen)}\n")
    return "\n".join(parts)


def _table(entries: list[Function]) -> str:
    rows = ["| name | also | remarks |", "|---|---|---|"]
    return "\n".join(
        rows + [f"| {_code(f.name)} | {', '.join(map(_code, f.aliases))} | {_remarks(f)} |" for f in entries]
    )


def _code(name: str) -> str:
    return f"`{name}`".replace("|", "\\|")


def _remarks(function: Function) -> str:
    remarks = []
    if function.kind == "aggregate":
        remarks.append("on streams" if function.state else "on tables only")
    if not function.deterministic:
        remarks.append("not deterministic")
    return ", ".join(remarks)


if __name__ == "__main__":
    PAGE.write_text(page())
