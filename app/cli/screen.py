"""What the demo shows in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

BAR_CELLS = 30


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The demo at one moment: `top` are (word, count), the most frequent first."""

    url: str
    typing_port: int
    epochs: int = 0
    lines: int = 0
    lines_per_s: float = 0.0
    words: int = 0
    dead_letters: int = 0
    top: Sequence[tuple[str, int]] = field(default_factory=tuple)
    finished: bool = False


def picture(now: Snapshot) -> RenderableType:
    """The whole screen."""
    state = "all of the text is counted" if now.finished else f"{now.lines_per_s:,.0f} lines/s"
    return Panel(
        Group(words_table(now.top), Text(), status_line(now), Text(state, style="dim"), Text(), *hints(now)),
        title="Watertable: word count over a socket, exactly once",
        border_style="cyan",
        width=80,
    )


def words_table(top: Sequence[tuple[str, int]]) -> Table:
    """The most frequent words with a bar each."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("word", style="bold", width=20, no_wrap=True)
    table.add_column("count", justify="right", width=9)
    table.add_column("", width=BAR_CELLS)
    most = top[0][1] if top else 1
    for word, count in top:
        table.add_row(Text(repr(word)[1:-1]), f"{count:,}", Text("█" * max(1, BAR_CELLS * count // most), style="cyan"))
    return table


def status_line(now: Snapshot) -> Text:
    """How far it is, in one line."""
    return Text(f"epoch {now.epochs:,} · {now.lines:,} lines · {now.words:,} different words")


def hints(now: Snapshot) -> list[Text]:
    """Where to look, and where to type."""
    return [
        Text.assemble("open      ", (now.url, "bold")),
        Text.assemble("as JSON   ", (f"{now.url}/queries/word_count/result", "bold")),
        Text.assemble(
            "type      ", (f"nc 127.0.0.1 {now.typing_port}", "bold"), "  and words of your own; Ctrl-C ends it"
        ),
    ]
