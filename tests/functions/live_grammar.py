"""Random well-typed expressions of the templates in `live_grammar.txt`."""

from __future__ import annotations

import random
import re
from pathlib import Path

from tests.functions.live_rows import COLUMNS, CONSTANTS

_FILE = Path(__file__).with_suffix(".txt")
_OFTEN = {"distinct": 0.2, "filter": 0.25, "nulls": 0.4}
"""How often an optional clause is there."""
_ONLY_INSIDE = ("agg", "key", "having", *_OFTEN, "ym", "json", "time")
"""Kinds that are no result by themselves: PySpark cannot collect year-month intervals."""
_CAST_TO = {
    "bool": "boolean", "tiny": "tinyint", "short": "smallint", "int": "int", "long": "bigint", "float": "float",
    "double": "double", "dec": "decimal(12,3)", "str": "string", "bin": "binary", "date": "date", "ts": "timestamp",
    "ntz": "timestamp_ntz",
}  # fmt: skip
_CASTS = 0.1
"""How often a cast stands where it may; from every type to every other, whether Spark has it or not."""


class Grammar:
    """Gives random expressions of a type."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._templates: dict[str, list[str]] = {}
        for line in _FILE.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                kind, template = line.split(": ", 1)
                self._templates.setdefault(kind, []).append(template)
        self._kinds = [kind for kind in self._templates if kind not in _ONLY_INSIDE]
        # A kind is as likely as it has templates, to the root: neither the many nor the few crowd out the others.
        self._weights = [len(self._templates[kind]) ** 0.5 for kind in self._kinds]

    def expression(self) -> str:
        kind = self._rng.choices(self._kinds, self._weights)[0]
        return self._filled(self._template(kind), self._rng.choice([0, 0, 1, 1, 2]))

    def aggregation(self) -> str:
        """A call, and in half of the cases what it is grouped by and which groups are kept."""
        call = self._filled(self._rng.choice(self._templates["agg"]), self._rng.choice([0, 0, 0, 1]))
        if self._rng.random() < 0.5:
            return call
        having = f" HAVING {self._filled(self._rng.choice(self._templates['having']), 0)}"
        return f"{call} GROUP BY {self._rng.choice(self._templates['key'])}{having if self._rng.random() < 0.3 else ''}"

    def _template(self, kind: str) -> str:
        if kind in _CAST_TO and self._rng.random() < _CASTS:
            cast = self._rng.choice(["cast", "try_cast"])
            source = self._rng.choice([*_CAST_TO, "dts"])
            return f"{cast}(<{source}> as {_CAST_TO[kind]})"
        return self._rng.choice(self._templates[kind])

    def _of(self, kind: str, depth: int) -> str:
        if kind in _OFTEN:
            there = self._rng.random() < _OFTEN[kind]
            return self._filled(self._rng.choice(self._templates[kind]), 0) if there else ""
        if kind == "any":
            kind = self._rng.choice([k for k in self._kinds if k not in ("map", "maparr", "dts")])
        if depth > 0 and self._rng.random() < 0.75 and kind in self._templates:
            text = self._filled(self._template(kind), depth - 1)
            return text if re.fullmatch(r"\w+\((?:[^()]|\([^()]*\))*\)", text) else f"({text})"
        columns = COLUMNS[kind].split()
        if columns and self._rng.random() < 0.75:
            return self._rng.choice(columns)
        return self._rng.choice(CONSTANTS[kind].split(";"))

    def _filled(self, template: str, depth: int) -> str:
        return re.sub(r"(?<!\w)<(\w+)>", lambda hole: self._of(hole[1], depth), template)
