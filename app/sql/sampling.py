"""Parts of a DataFrame taken by chance. With a seed they are those Spark takes from a table that is one partition."""

from __future__ import annotations

import random
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from app.errors import ArgumentError, ArgumentTypeError
from app.plan import nodes
from app.plan import types as t
from app.plan.expressions import Call, Case, Expr, Literal
from app.sql.arguments import wrong_type
from app.sql.column import to_expr

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame

_MOST_TIMES = 40
"""From here on Spark draws by another method."""
_SEEDS = (-(1 << 63), (1 << 63) - 1)


class Sampling:
    """The part of a DataFrame that draws rows. Without a seed it draws one, once: the same rows come each time."""

    def sample(self: Any, withReplacement: Any = None, fraction: Any = None, seed: Any = None) -> DataFrame:
        """About `fraction` (0 to 1) of the rows; with replacement each row about `fraction` times (below 40).
        `sample(fraction)`, `sample(fraction, seed)` do too.

        Raises: ArgumentTypeError, ArgumentError."""
        by_keyword = type(withReplacement) is bool and isinstance(fraction, float)
        alone = withReplacement is None and isinstance(fraction, float)
        in_order = isinstance(withReplacement, float)
        if not (by_keyword or alone or in_order):
            given = ", ".join(type(arg).__name__ for arg in (withReplacement, fraction, seed) if arg is not None)
            raise ArgumentTypeError(
                "Arguments `withReplacement` (optional), `fraction` (required) and `seed` (optional) should be a bool, "
                f"float and number, got [{given}].",
                code="NOT_EXPECTED_TYPE",
            )
        if in_order:
            withReplacement, fraction, seed = None, withReplacement, fraction if seed is None else seed
        if withReplacement and fraction >= _MOST_TIMES:
            raise ArgumentError(
                f"sample with replacement is not supported with a fraction of {_MOST_TIMES} and more.",
                code="UNSUPPORTED_FEATURE",
            )
        if withReplacement and fraction < 0:
            raise ArgumentError(
                f"Sampling fraction ({fraction}) must be nonnegative with replacement.", code="INVALID_ARGUMENT"
            )
        if not withReplacement and not 0 <= fraction <= 1:
            raise ArgumentError(
                f"Sampling fraction ({fraction}) must be on interval [0, 1] without replacement.",
                code="INVALID_ARGUMENT",
            )
        found: DataFrame = self._derive(
            nodes.Sample(self._node, 0.0, float(fraction), _seed(seed), replaced=bool(withReplacement))
        )
        return found

    def sampleBy(self: Any, col: Any, fractions: Any, seed: Any = None) -> DataFrame:
        """Of the rows in which `col` has a value, the part that `fractions` has for it; none where it has none.

        Raises: ArgumentTypeError, ArgumentError, PlanError."""
        column = self._expr(col)
        if not isinstance(fractions, dict):
            raise wrong_type("fractions", "dict", fractions)
        for key, part in fractions.items():
            if not isinstance(key, (float, int, str)):
                raise ArgumentTypeError(
                    f"Argument `fractions`(type: dict) should only contain a type in [float, int, str], got "
                    f"{type(key).__name__}.",
                    code="DISALLOWED_TYPE_FOR_CONTAINER",
                )
            if not 0 <= part <= 1:
                raise ArgumentError(f"Fractions must be in [0, 1], but got {fractions}.", code="INVALID_ARGUMENT")
        self.select(self[col] if isinstance(col, str) else col)  # which has to be there
        drawn = Call("rand", (Literal(_seed(seed), t.LongType()),))
        found: DataFrame = self._drawn(column, drawn, fractions)
        return found

    def _drawn(self: Any, column: Expr, drawn: Expr, fractions: dict[Any, float]) -> DataFrame:
        kind = self._resolved_type(column)
        branches = tuple(
            (Call("==", (column, to_expr(key))), Literal(float(part), t.DoubleType()))
            for key, part in fractions.items()
            if isinstance(key, str) == isinstance(kind, t.StringType)
        )
        nothing = Literal(0.0, t.DoubleType())
        limit = Case(branches, nothing) if branches else nothing
        found: DataFrame = self._derive(nodes.Filter(self._node, Call("<", (drawn, limit))))
        return found

    def _resolved_type(self: Any, column: Expr) -> t.DataType:
        kind: t.DataType = self._derive(nodes.Project(self._node, (column,))).schema.fields[0].dataType
        return kind

    def randomSplit(self: Any, weights: Any, seed: Any = None) -> list[DataFrame]:
        """The rows in as many parts as there are `weights`, each about as large as its weight. They are sorted first,
        so that the parts fit together whatever the order of rows. Raises: ArgumentError."""
        for weight in weights:
            if weight < 0.0:
                raise ArgumentError(f"Value for `weights` must be positive, got '{weight}'.", code="VALUE_NOT_POSITIVE")
        total = sum(weights)
        if not total:
            raise ArgumentError("The weights must have a sum above 0.", code="INVALID_ARGUMENT")
        bounds = [0.0, *accumulate(weight / total for weight in weights)]
        drawn = _seed(seed)
        return [
            self._derive(nodes.Sample(self._node, low, high, drawn, ordered=True)) for low, high in pairwise(bounds)
        ]


def _seed(seed: Any) -> int:
    return random.randrange(*_SEEDS) if seed is None else int(seed)
