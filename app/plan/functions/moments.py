"""Skewness and kurtosis by Spark's formulas: of the whole population, null where the variance is zero.

The state is DuckDB's own of `kurtosis_pop`: count, mean and central moments, which merge as in Spark's
`CentralMomentAgg`. DuckDB's finish is not used: it refuses values that are not finite.
"""

from __future__ import annotations

from app.plan import types as t
from app.plan.bound import AggCall
from app.plan.functions.entry import FILTER_HERE, AggregateState, Function
from app.plan.functions.signature import DOUBLE
from app.plan.functions.signature_aggregate import aggregate, combined

_EXPORTED = "STRUCT(n UBIGINT, mean DOUBLE, m2 DOUBLE, m3 DOUBLE, m4 DOUBLE)"


def _shape(name: str) -> Function:
    def partial(_: AggCall, args: tuple[str, ...]) -> str:
        return f"kurtosis_pop({args[0]}){FILTER_HERE} EXPORT_STATE"

    state = AggregateState(partial, combined, lambda _, s: f"wt_{name}(CAST({s} AS {_EXPORTED}))")
    whole = f"wt_{name}(wt_moments(list({{d}}{{0}}) FILTER (WHERE {{0}} IS NOT NULL{{af}})))"
    return aggregate(name, (DOUBLE,), t.DoubleType(), whole, None, stepwise=state)


FUNCTIONS: tuple[Function, ...] = (_shape("skewness"), _shape("kurtosis"))
