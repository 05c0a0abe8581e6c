"""Any expression, printed with no more parentheses than Spark's precedence needs, is read as itself."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.plan import types as t
from app.plan.expressions import Attribute, Call, Case, Cast, Expr, Literal
from app.plan.parse import parse_expression

LEVELS: dict[str, tuple[int, str]] = {
    "or": (1, "OR"),
    "and": (2, "AND"),
    "==": (5, "="),
    "<=>": (5, "<=>"),
    "<": (5, "<"),
    ">=": (5, ">="),
    "|": (6, "|"),
    "^": (7, "^"),
    "&": (8, "&"),
    "<<": (9, "<<"),
    ">>": (9, ">>"),
    "+": (10, "+"),
    "-": (10, "-"),
    "concat": (10, "||"),
    "*": (11, "*"),
    "/": (11, "/"),
    "%": (11, "%"),
    "div": (11, "DIV"),
}
"""Level (higher binds tighter) and sign of the binary operators, all of which group to the left."""

NOT, PREDICATE, UNARY, PRIMARY = 3, 4, 12, 13


def printed(expr: Expr) -> tuple[str, int]:
    """The text of an expression and the level of its outermost operator."""
    match expr:
        case Attribute(parts=parts):
            return ".".join(f"`{part.replace('`', '``')}`" for part in parts), PRIMARY
        case Literal(value=str() as text):
            escaped = text.replace("\\", "\\\\").replace("'", "\\'")
            return f"'{escaped}'", PRIMARY
        case Literal(value=value):
            return str(value), PRIMARY
        case Cast(child=child, to=to):
            return f"CAST({printed(child)[0]} AS {to.simpleString()})", PRIMARY
        case Case(branches=branches, otherwise=otherwise):
            whens = " ".join(f"WHEN {printed(c)[0]} THEN {printed(v)[0]}" for c, v in branches)
            return f"CASE {whens}{'' if otherwise is None else f' ELSE {printed(otherwise)[0]}'} END", PRIMARY
        case Call():
            return printed_call(expr)
    raise AssertionError(expr)


def printed_call(call: Call) -> tuple[str, int]:
    match call:
        case Call(name=name, args=(left, right)) if name in LEVELS:
            level, sign = LEVELS[name]
            return f"{at_least(level, left)} {sign} {at_least(level + 1, right)}", level
        case Call(name="not", args=(child,)):
            return f"NOT {at_least(NOT, child)}", NOT
        case Call(name="-", args=(child,)):
            text = at_least(UNARY, child)  # a sign before a digit is part of the number
            return f"- ({text})" if text[0].isdigit() else f"- {text}", UNARY
        case Call(name="~", args=(child,)):
            return f"~{at_least(UNARY, child)}", UNARY
        case Call(name="isnull", args=(child,)):
            return f"{at_least(PREDICATE + 1, child)} IS NULL", PREDICATE
        case Call(name="in", args=(child, *values)):
            return f"{at_least(PREDICATE + 1, child)} IN ({', '.join(printed(v)[0] for v in values)})", PREDICATE
        case Call(name="like", args=(child, pattern)):
            return f"{at_least(PREDICATE + 1, child)} LIKE {at_least(PREDICATE + 1, pattern)}", PREDICATE
        case Call(name="getitem", args=(child, item)):
            return f"{at_least(PRIMARY, child)}[{at_least(PREDICATE + 1, item)}]", PRIMARY
        case Call(name=name, args=args):
            return f"{name}({', '.join(printed(arg)[0] for arg in args)})", PRIMARY
    raise AssertionError(call)


def at_least(level: int, expr: Expr) -> str:
    text, own = printed(expr)
    return text if own >= level else f"({text})"


def grown(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    def call(name: str, *args: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        return st.tuples(*args).map(lambda given: Call(name, given))

    pairs = st.lists(st.tuples(inner, inner), min_size=1, max_size=2).map(tuple)
    return st.one_of(
        st.sampled_from(sorted(LEVELS)).flatmap(lambda name: call(name, inner, inner)),
        st.sampled_from(["not", "-", "~", "isnull", "upper"]).flatmap(lambda name: call(name, inner)),
        st.sampled_from(["like", "getitem", "coalesce"]).flatmap(lambda name: call(name, inner, inner)),
        call("in", inner, inner, inner),
        st.builds(Cast, inner, st.sampled_from([t.StringType(), t.DecimalType(10, 2), t.ArrayType(t.IntegerType())])),
        st.builds(Case, pairs, st.none() | inner),
    )


def expressions() -> st.SearchStrategy[Expr]:
    words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5)
    leaves = st.one_of(
        st.lists(words, min_size=1, max_size=3).map(lambda parts: Attribute(tuple(parts))),
        st.integers(0, (1 << 31) - 1).map(lambda value: Literal(value, t.IntegerType())),
        words.map(lambda value: Literal(value, t.StringType())),
    )
    return st.recursive(leaves, grown, max_leaves=12)


@given(expressions())
def test_a_printed_expression_is_read_as_itself(expr: Expr) -> None:
    assert parse_expression(printed(expr)[0]) == expr
