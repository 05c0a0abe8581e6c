"""Resolved expressions as DuckDB SQL text."""

from __future__ import annotations

from app.kernel.casts import print_cast
from app.kernel.legacy_casts import legacy_cast
from app.kernel.literals import print_literal
from app.plan.bound import AggCall, Apply, Choose, Const, Convert, LambdaFn, LambdaRef, Printed, Ref, Typed
from app.plan.coerce import same_type
from app.plan.functions import lookup


def print_expression(typed: Typed) -> str:
    """`typed` as one SQL operand of exactly its type's DuckDB type; column i of the child is `c{i}`."""
    match typed:
        case Ref(index=index):
            return f"c{index}"
        case Printed(sql=sql):
            return sql
        case Const(value=value, type=kind):
            return print_literal(value, kind)
        case Convert(child=child):
            if same_type(child.type, typed.type):
                return print_expression(child)
            if not typed.ansi:
                return legacy_cast(print_expression(child), child.type, typed.type)
            return print_cast(print_expression(child), child.type, typed.type, typed.safe)
        case Choose(branches=branches, otherwise=otherwise):
            whens = " ".join(f"WHEN {print_expression(c)} THEN {print_expression(v)}" for c, v in branches)
            rest = f" ELSE {print_expression(otherwise)}" if otherwise is not None else ""
            return f"CASE {whens}{rest} END"
        case LambdaRef(name=name):
            return _parameter(name)
        case LambdaFn(params=params, body=body):
            return f"lambda {', '.join(_parameter(p) for p in params)}: {print_expression(body)}"
        case Apply(function=name, args=args) | AggCall(function=name, args=args):
            return lookup(name).sql(typed, tuple(print_expression(arg) for arg in args))
    raise AssertionError(f"no SQL for {type(typed).__name__}")


def _parameter(name: str) -> str:
    # Not the bare name: a parameter called c0 would hide the column.
    return '"p_' + name.replace('"', '""') + '"'
