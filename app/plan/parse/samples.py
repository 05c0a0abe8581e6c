"""TABLESAMPLE: a part of a relation's rows, by chance or the first ones."""

from __future__ import annotations

import random
import re
from typing import NoReturn

from app.plan.nodes import Limit, Node, Sample
from app.plan.parse.folding import limit
from app.plan.parse.pivots import Pivots
from app.plan.parse.text import Token

_ROUNDING = 1e-6
_LARGEST = (1 << 63) - 1
_BYTES = re.compile(r"[0-9]+[bkmg]", re.IGNORECASE)
_METHODS = ("BERNOULLI", "SYSTEM")


class Samples(Pivots):
    """Reads relations with their samples."""

    def sampled(self, child: Node) -> Node:
        """`child`, or the part of it that the TABLESAMPLE behind it asks for."""
        start = self.next
        if self.ahead(1).word not in ("(", *_METHODS) or not self.take("TABLESAMPLE"):
            return child
        if self.take("SYSTEM"):
            self.unsupported(
                "TABLESAMPLE SYSTEM", "leave SYSTEM out.", start, code="UNSUPPORTED_FEATURE.TABLESAMPLE_SYSTEM_NO_SCAN"
            )
        self.take("BERNOULLI")
        self.need("(")
        if self.at(")"):
            self.reject("_LEGACY_ERROR_TEMP_0014", "TABLESAMPLE does not accept empty inputs.", start)
        found = self._method(child, start)
        self.need(")")
        seed = self.wrapped(self._seed) if self.take("REPEATABLE") else None
        if not isinstance(found, float):
            return found
        if not -_ROUNDING <= found <= 1 + _ROUNDING:
            why = f"Sampling fraction ({found}) must be on interval [0, 1]."
            self.reject("_LEGACY_ERROR_TEMP_0064", why, start, self.ahead(-1))
        return Sample(child, 0.0, found, random.randrange(1000) if seed is None else seed)

    def _method(self, child: Node, start: Token) -> Node | float:
        """The rows themselves where they are the first ones, else which part of all there is."""
        sign = -1 if self.at("-") and self.ahead(2).word == "PERCENT" else 1
        if self.ahead(1 if sign > 0 else 2).word == "PERCENT":
            if sign < 0:
                self.advance()
            percentage = self._number()
            self.advance()
            return sign * percentage / 100
        if self.take("BUCKET"):
            return self._bucket(start)
        first = self.next
        if first.kind in ("number", "word") and _BYTES.fullmatch(self.sql[first.start : first.end]):
            self._of_bytes("byteLengthLiteral", start)
        count = self.expression()
        if not self.take("ROWS"):
            if self.at(")"):
                why = f"{self.sql[first.start : self.ahead(-1).end]} is not a valid byte length literal."
                self.reject("_LEGACY_ERROR_TEMP_0016", why, start)
            self.fail("expected ROWS or PERCENT")
        return Limit(child, limit(count, "LIMIT", self.constant))

    def _number(self) -> float:
        token = self.next
        if token.kind != "number" or token.suffix or "e" in token.text.lower():
            self.fail("expected a number without exponent")
        self.advance()
        return float(token.text)

    def _bucket(self, start: Token) -> float:
        numerator = self._number()
        self.need("OUT", "OF")
        denominator = self._number()
        if self.take("ON"):
            self.named()
            called = self.take("(", ")")
            if not self.at(")"):
                self.fail("expected ')'")
            self._of_bytes(f"BUCKET x OUT OF y ON {'function' if called else 'colname'}", start)
        return numerator / denominator if denominator else float("inf")

    def _of_bytes(self, what: str, start: Token) -> NoReturn:
        self.reject("_LEGACY_ERROR_TEMP_0015", f"TABLESAMPLE({what}) is not supported.", start)

    def _seed(self) -> int:
        token = self.next
        if token.kind != "number" or token.suffix or not token.text.isdigit() or int(token.text) > _LARGEST:
            self.fail("expected a whole number of at most 64 bits")
        self.advance()
        return int(token.text)
