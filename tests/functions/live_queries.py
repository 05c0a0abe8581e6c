"""Random queries: joins, groupings, windows, set operations, subqueries and nested values over each other."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count

Columns = list[tuple[str, str]]
"""Name and type of each column of a relation, types as `simpleString` has them."""
_TYPES = {
    "id": "int", "g": "int", "b": "tinyint", "i": "int", "j": "int", "l": "bigint", "f": "float", "d": "double",
    "e": "double", "n": "decimal(10,2)", "w": "decimal(38,18)", "s": "string", "u": "string", "p": "boolean",
    "bin": "binary", "dt": "date", "ts": "timestamp", "ai": "array<int>", "sa": "array<string>",
    "m": "map<string,int>", "st": "struct<x:int,y:string>", "h": "smallint", "nt": "timestamp_ntz",
    "iv": "interval day to second", "da": "array<double>", "aa": "array<array<int>>",
}  # fmt: skip
_JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
_SETS = ("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL")
_WHERE = ("", "", " WHERE id < 6", " WHERE g = 1", " WHERE p", " WHERE i IS NOT NULL", " WHERE false")
_LITERALS = {
    "int": "1", "string": "'a'", "boolean": "true", "double": "1.5D", "date": "date'2024-02-29'", "bigint": "7L",
    "decimal(10,2)": "cast(12.34 as decimal(10,2))",
}  # fmt: skip


class Queries:
    """Gives random queries over `t`; none asks for an order or a choice that its text leaves open."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._pick = rng.choice
        self._names = count()

    def query(self) -> str:
        return self._relation(self._rng.choice([1, 1, 2, 2, 3]))[0]

    def _name(self, prefix: str = "c") -> str:
        return f"{prefix}{next(self._names)}"

    def _relation(self, depth: int) -> tuple[str, Columns]:
        """A query and its columns, whose names no other relation has."""
        if depth == 0:
            return self._base()
        shapes: list[Callable[[int], tuple[str, Columns]]] = [
            self._projected, self._projected, self._joined, self._joined, self._grouped, self._grouped, self._windowed,
            self._combined, self._exploded, self._filtered, self._limited, self._half_joined, self._with,
            self._using, self._aliased, self._qualified, self._grouped_by_place, self._widened, self._qualifying,
            self._pivoted, self._unpivoted, self._correlated, self._lateral,
        ]  # fmt: skip
        return self._pick(shapes)(depth)

    def _base(self) -> tuple[str, Columns]:
        chosen = ["id", *self._rng.sample(sorted(set(_TYPES) - {"id"}), self._rng.randrange(2, 6))]
        columns = [(self._name(), _TYPES[name]) for name in chosen]
        items = ", ".join(f"{name} AS {alias}" for name, (alias, _) in zip(chosen, columns, strict=True))
        where = self._pick(
            ["", "", " WHERE id < 6", " WHERE g = 1", " WHERE p", " WHERE i IS NOT NULL", " WHERE false"]
        )
        return f"SELECT {items} FROM t{where}", columns

    def _of(self, columns: Columns, *kinds: str) -> list[str]:
        """The columns of a type, or of one that starts so."""
        return [
            name for name, kind in columns if any(kind == k or (k[-1] == "<" and kind.startswith(k)) for k in kinds)
        ]

    def _value(self, columns: Columns, depth: int = 1) -> tuple[str, str]:
        """An expression that cannot fail, and its type."""
        name, kind = self._pick(columns)
        if depth == 0 or self._rng.random() < 0.3:
            return name, kind
        inner, inner_kind = self._value(columns, depth - 1)
        forms = [
            (f"CASE WHEN {self._condition(columns)} THEN {inner} END", inner_kind),
            (f"if({self._condition(columns)}, {inner}, null)", inner_kind),
            (f"struct({name}, {inner})", f"struct<{name}:{kind},?:{inner_kind}>"),
            (f"named_struct('x', {inner}, 'y', 1)", f"struct<x:{inner_kind},y:int>"),
            (f"array({inner}, null)", f"array<{inner_kind}>"),
            (f"array({inner})", f"array<{inner_kind}>"),
            (f"map('k', {inner})", f"map<string,{inner_kind}>"),
            (f"coalesce({inner}, {inner})", inner_kind),
            (f"{inner} IS NULL", "boolean"),
            (f"{inner} <=> {inner}" if "map" not in inner_kind else f"{inner} IS NOT NULL", "boolean"),
        ]
        if kind in _LITERALS:
            forms += [(f"coalesce({name}, {_LITERALS[kind]})", kind), (f"nullif({name}, {_LITERALS[kind]})", kind)]
        if kind.startswith("array<"):
            item = kind[6:-1]
            forms += [
                (f"get({name}, 0)", item), (f"size({name})", "int"), (f"filter({name}, x -> x IS NOT NULL)", kind),
                (f"transform({name}, x -> struct(x, {inner}))", f"array<struct<x:{item},?:{inner_kind}>>"),
                (f"transform({name}, x -> if(x IS NULL, null, struct(x)))", f"array<struct<x:{item}>>"),
                (f"slice({name}, 1, 2)", kind), (f"arrays_zip({name}, {name})", "array<struct<?>>"),
            ]  # fmt: skip
        if kind.startswith("struct<x:int"):
            forms += [(f"{name}.x", "int")]
        if kind.startswith("map<string,"):
            forms += [(f"{name}['a']", kind[11:-1]), (f"map_keys({name})", "array<string>"),
                      (f"map_entries({name})", "array<struct<key:string,?>>")]  # fmt: skip
        if kind == "string":
            forms += [(f"length({name})", "int"), (f"concat({name}, '-', {name})", "string"), (f"upper({name})", kind),
                      (f"split({name}, ',')", "array<string>"), (f"try_cast({name} AS INT)", "int")]  # fmt: skip
        if kind in ("int", "double", "bigint"):
            forms += [(f"cast({name} AS STRING)", "string"), (f"-try_add({name}, {name})", kind)]
        if kind == "date":
            forms += [(f"year({name})", "int"), (f"cast({name} AS STRING)", "string")]
        return self._pick(forms)

    def _condition(self, columns: Columns) -> str:
        name, kind = self._pick(columns)
        other = self._pick([n for n, k in columns if k == kind])
        forms = [f"{name} IS NULL", f"{name} IS NOT NULL"]
        if "map" not in kind and "?" not in kind:
            forms += [f"{name} = {other}", f"{name} <> {other}", f"{name} <=> {other}", f"{name} <= {other}",
                      f"NOT ({name} > {other})", f"{name} IN ({other}, null)"]  # fmt: skip
        if kind == "boolean":
            forms += [name, f"NOT {name}", f"{name} OR {other} IS NULL"]
        return self._pick(forms)

    def _items(self, columns: Columns, most: int = 4) -> tuple[str, Columns]:
        """A SELECT list; some of its items keep the names they get."""
        items, found = [], []
        for _ in range(self._rng.randrange(1, most + 1)):
            value, kind = self._value(columns, self._rng.choice([0, 1, 1, 2]))
            alias = self._name()
            items.append(f"{value} AS {alias}")
            found.append((alias, kind))
        return ", ".join(items), found

    def _projected(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        items, found = self._items(columns)
        where = f" WHERE {self._condition(columns)}" if self._rng.random() < 0.3 else ""
        distinct = "DISTINCT " if self._rng.random() < 0.15 and not any("map" in k for _, k in found) else ""
        return f"SELECT {distinct}{items} FROM ({inner}){where}", found

    def _filtered(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        other, others = self._relation(0)
        forms = [self._condition(columns)]
        for name, kind in columns:
            for theirs in _of(others, kind) if "map" not in kind else ():
                only = f"SELECT {theirs} FROM ({other})"
                forms += [f"{name} IN ({only})", f"{name} NOT IN ({only})",
                          f"EXISTS (SELECT 1 FROM ({other}) WHERE {theirs} = {name})",
                          f"NOT EXISTS (SELECT 1 FROM ({other}) WHERE {theirs} = {name})",
                          f"{name} = (SELECT max({theirs}) FROM ({other}))"]  # fmt: skip
        return f"SELECT * FROM ({inner}) WHERE {self._pick(forms)}", columns

    def _on(self, left: Columns, right: Columns) -> str:
        pairs = [(a, b) for a, k in left for b in _of(right, k) if "map" not in k and "?" not in k]
        if not pairs:
            return self._pick(["true", "false"])
        a, b = self._pick(pairs)
        both = f" AND {self._condition(left + right)}" if self._rng.random() < 0.3 else ""
        return f"{a} {self._pick(['=', '=', '<=>', '<'])} {b}{both}"

    def _joined(self, depth: int) -> tuple[str, Columns]:
        (left, a), (right, b) = self._relation(depth - 1), self._relation(self._rng.randrange(depth))
        items, found = self._items(a + b, 5)
        return f"SELECT {items} FROM ({left}) {self._pick(_JOINS)} ({right}) ON {self._on(a, b)}", found

    def _half_joined(self, depth: int) -> tuple[str, Columns]:
        (left, a), (right, b) = self._relation(depth - 1), self._relation(0)
        kind = self._pick(["LEFT SEMI JOIN", "LEFT ANTI JOIN"])
        return f"SELECT * FROM ({left}) {kind} ({right}) ON {self._on(a, b)}", a

    def _grouped(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        sure = _sure(columns) or [("1", "int")]
        keys = self._rng.sample(sure, min(len(sure), self._rng.randrange(3)))
        calls = [self._aggregate(columns) for _ in range(self._rng.randrange(1, 4))]
        found = [(self._name(), kind) for _, kind in keys + calls]
        texts = [text for text, _ in keys + calls]
        items = ", ".join(f"{text} AS {alias}" for text, (alias, _) in zip(texts, found, strict=True))
        by = ", ".join(text for text, _ in keys if text != "1")
        if by and self._rng.random() < 0.3:
            by = f"{self._pick(['ROLLUP', 'CUBE'])} ({by})"
        having = f" HAVING {self._pick(['count(*) > 1', 'count(*) < 3', f'max({sure[0][0]}) IS NOT NULL'])}"
        having = having if self._rng.random() < 0.25 else ""
        return f"SELECT {items} FROM ({inner}){f' GROUP BY {by}' if by else ''}{having}", found

    def _aggregate(self, columns: Columns) -> tuple[str, str]:
        name, kind = self._pick(columns)
        forms = [("count(*)", "bigint"), (f"count({name})", "bigint")]
        if "map" not in kind and "?" not in kind:
            forms += [(f"max({name})", kind), (f"min({name})", kind), (f"count(DISTINCT {name})", "bigint"),
                      (f"sort_array(collect_list({name}))", f"array<{kind}>"),
                      (f"sort_array(collect_set({name}))", f"array<{kind}>"),
                      (f"max(struct({name}, 1))", f"struct<{name}:{kind},?:int>")]  # fmt: skip
        if kind in ("int", "tinyint", "smallint", "decimal(10,2)"):
            forms += [(f"sum({name})", "?"), (f"avg({name})", "?"), (f"sum(DISTINCT {name})", "?")]
        if kind == "boolean":
            forms += [(f"bool_or({name})", kind), (f"every({name})", kind), (f"count_if({name})", "bigint")]
        text, found = self._pick(forms)
        only = f" FILTER (WHERE {self._condition(columns)})" if self._rng.random() < 0.2 else ""
        if text.startswith("sort_array("):
            return f"{text[:-1]}{only})", found
        return text + only, found

    def _windowed(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        sure = [n for n, _ in _sure(columns)] or ["1"]
        name, kind = self._pick(columns)
        part = f"PARTITION BY {self._pick(sure)} " if self._rng.random() < 0.7 else ""
        order = "ORDER BY " + ", ".join(f"{n}{self._pick(['', ' DESC', ' NULLS LAST'])}" for n in sure)
        frame = self._pick(["", "", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
                            " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
                            " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"])  # fmt: skip
        calls = [("rank()", "int", ""), ("dense_rank()", "int", ""), ("count(*)", "bigint", frame),
                 ("row_number()", "int", "")]  # fmt: skip
        if _sure(columns) == columns:
            calls += [(f"lag({name})", kind, ""), (f"lead({name}, 2)", kind, ""), (f"first({name})", kind, frame),
                      (f"max({name})", kind, frame), (f"last({name}, true)", kind, frame)]  # fmt: skip
            calls += [(f"collect_list({name})", f"array<{kind}>", frame)]
        chosen = self._rng.sample(calls, 2)
        found = [(self._name(), kind) for _, kind, _ in chosen]
        items = ", ".join(
            f"{call} OVER ({part}{order}{frame}) AS {alias}"
            for (call, _, frame), (alias, _) in zip(chosen, found, strict=True)
        )
        rest = ", ".join(sure) if sure != ["1"] else "1"
        kept = [(n, k) for n, k in columns if n in sure]
        return f"SELECT {rest}, {items} FROM ({inner})", kept + found if kept else [("`1`", "int"), *found]

    def _combined(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        sure = _sure(columns) or [("1 AS one", "int")]
        names = ", ".join(n for n, _ in sure)
        left = f"SELECT {names} FROM ({inner}) WHERE {self._condition(columns)}"
        right = f"SELECT {names} FROM ({inner})"
        if self._rng.random() < 0.4:
            right = "SELECT " + ", ".join(self._pick([n, f"null AS {n}"]) if " " not in n else n for n, _ in sure)
            right += f" FROM ({inner})"
        return f"({left}) {self._pick(_SETS)} ({right})", [(n.split()[-1], k) for n, k in sure]

    def _exploded(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        arrays = [(n, k) for n, k in columns if k.startswith("array<") and "?" not in k]
        maps = [(n, k) for n, k in columns if k.startswith("map<string,") and "?" not in k]
        outer = self._pick(["", "OUTER "])
        if maps and self._rng.random() < 0.5:
            name, kind = self._pick(maps)
            a, b = self._name(), self._name()
            rest = [*columns, (a, "string"), (b, kind[11:-1])]
            return f"SELECT * FROM ({inner}) LATERAL VIEW {outer}explode({name}) v AS {a}, {b}", rest
        name, kind = self._pick(arrays or [("array(1, null)", "array<int>")])
        a, b = self._name(), self._name()
        if self._rng.random() < 0.5:
            rest = [*columns, (a, "int"), (b, kind[6:-1])]
            return f"SELECT * FROM ({inner}) LATERAL VIEW {outer}posexplode({name}) v AS {a}, {b}", rest
        return f"SELECT * FROM ({inner}) LATERAL VIEW {outer}explode({name}) v AS {a}", [*columns, (a, kind[6:-1])]

    def _limited(self, depth: int) -> tuple[str, Columns]:
        """The first rows by all columns; those behind the last one that counts are equal to it."""
        inner, columns = self._relation(depth - 1)
        if any("map" in k or "?" in k for _, k in columns):
            return f"SELECT * FROM ({inner})", columns
        order = ", ".join(f"{n}{self._pick(['', ' DESC', ' NULLS LAST', ' DESC NULLS FIRST'])}" for n, _ in columns)
        offset = self._pick(["", "", " OFFSET 2"])
        return f"SELECT * FROM ({inner}) ORDER BY {order} LIMIT {self._rng.randrange(6)}{offset}", columns

    def _with(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        name = self._name("r")
        items, found = self._items(columns)
        return f"WITH {name} AS ({inner}) SELECT {items} FROM {name}", found

    def _using(self, depth: int) -> tuple[str, Columns]:
        (left, a), (right, b) = self._relation(depth - 1), self._relation(0)
        pairs = [(x, y, k) for x, k in a for y in _of(b, k) if "map" not in k and "?" not in k]
        if not pairs:
            return f"SELECT * FROM ({left})", a
        x, y, kind = self._pick(pairs)
        key = self._name()
        ours = ", ".join(f"{n} AS {key}" if n == x else n for n, _ in a)
        theirs = ", ".join(f"{n} AS {key}" if n == y else n for n, _ in b)
        how = self._pick(
            [f"{join} {{}} USING ({key})" for join in _JOINS] + ["NATURAL JOIN {}", "NATURAL LEFT JOIN {}"]
        )
        rest = [(n, k) for n, k in a + b if n not in (x, y)]
        joined = how.format(f"(SELECT {theirs} FROM ({right}))")
        return f"SELECT * FROM (SELECT {ours} FROM ({left})) {joined}", [(key, kind), *rest]

    def _aliased(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        items, found = self._items(columns)
        value, kind = self._value(found)
        alias = self._name()
        return f"SELECT {items}, {value} AS {alias} FROM ({inner})", [*found, (alias, kind)]

    def _qualified(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        sure = _sure(columns)
        if not sure:
            return f"SELECT * FROM ({inner})", columns
        key = self._pick(sure)[0]
        found = [(self._name(), k) for _, k in columns]
        items = ", ".join(
            f"{self._pick('ab')}.{n} AS {alias}" for (n, _), (alias, _) in zip(columns, found, strict=True)
        )
        both = f"({inner}) AS a {self._pick(_JOINS)} ({inner}) AS b ON a.{key} = b.{key}"
        return f"SELECT {items} FROM {both} WHERE a.{key} IS NOT NULL OR b.{key} IS NULL", found

    def _grouped_by_place(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        sure = _sure(columns)
        if not sure:
            return f"SELECT * FROM ({inner})", columns
        name, kind = self._pick(sure)
        call, result = self._aggregate(columns)
        found = [(self._name(), kind), (self._name(), "bigint"), (self._name(), result)]
        by = self._pick(["1", "ALL", name, f"GROUPING SETS (({name}), ())"])
        items = f"{name} AS {found[0][0]}, count(*) AS {found[1][0]}, {call} AS {found[2][0]}"
        having = self._pick(["", f" HAVING {found[1][0]} > 1", " HAVING count(*) > 1"])
        return f"SELECT {items} FROM ({inner}) GROUP BY {by}{having}", found

    def _widened(self, depth: int) -> tuple[str, Columns]:
        """Rows of several types below each other."""
        inner, columns = self._relation(depth - 1)
        other, others = self._relation(0)
        groups = (("int", "bigint", "tinyint", "smallint", "decimal(10,2)"), ("float", "double"), ("date", "timestamp"))
        pairs = [(a, b, k) for a, k in columns for b, j in others for group in groups if k in group and j in group]
        if not pairs:
            return f"SELECT * FROM ({inner})", columns
        a, b, _ = self._pick(pairs)
        alias = self._name()
        how = self._pick(["UNION ALL", "UNION", "EXCEPT", "INTERSECT"])
        return f"SELECT {a} AS {alias} FROM ({inner}) {how} SELECT {b} FROM ({other})", [(alias, "?")]

    def _qualifying(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        if len(_sure(columns)) < len(columns):
            return f"SELECT * FROM ({inner})", columns
        order = ", ".join(n for n, _ in columns)
        part = f"PARTITION BY {self._pick(columns)[0]} " if self._rng.random() < 0.7 else ""
        return f"SELECT * FROM ({inner}) QUALIFY row_number() OVER ({part}ORDER BY {order}) <= 2", columns

    def _pivoted(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        ints, sure = _of(columns, "int"), _sure(columns)
        if not ints or len(sure) < 2:
            return f"SELECT * FROM ({inner})", columns
        over = self._pick(ints)
        key, kind = self._pick([c for c in sure if c[0] != over])
        value, of = self._pick(columns)
        call = self._pick([f"count({value})"] + ([f"max({value})"] if (value, of) in sure else []))
        found = [(self._name(), kind), (self._name(), "?"), (self._name(), "?")]
        a, b = found[1][0], found[2][0]
        source = f"SELECT {key} AS {found[0][0]}, {over} AS o, {value} AS v FROM ({inner})"
        return f"SELECT * FROM ({source}) PIVOT ({call.replace(value, 'v')} FOR o IN (1 AS {a}, 0 AS {b}))", found

    def _unpivoted(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        same = [(a, b, k) for a, k in columns for b in _of(columns, k) if a < b]
        if not same:
            return f"SELECT * FROM ({inner})", columns
        a, b, kind = self._pick(same)
        rest = [c for c in columns if c[0] not in (a, b)]
        n, v = self._name(), self._name()
        nulls = self._pick(["", "INCLUDE NULLS ", "EXCLUDE NULLS "])
        return f"SELECT * FROM ({inner}) UNPIVOT {nulls}({v} FOR {n} IN ({a}, {b}))", [*rest, (n, "string"), (v, kind)]

    def _correlated(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        other, others = self._relation(0)
        pairs = [(a, b) for a, k in _sure(columns) for b in _of(others, k)]
        value, kind = self._pick(_sure(others) or [("1", "int")])
        alias = self._name()
        where = "" if not pairs else " WHERE {1} = {0}".format(*self._pick(pairs))
        call, result = self._pick([(f"max({value})", kind), ("count(*)", "bigint"), (f"min({value})", kind)])
        items = ", ".join(n for n, _ in columns)
        found = [*columns, (alias, result)]
        return f"SELECT {items}, (SELECT {call} FROM ({other}){where}) AS {alias} FROM ({inner})", found

    def _lateral(self, depth: int) -> tuple[str, Columns]:
        inner, columns = self._relation(depth - 1)
        other, others = self._relation(0)
        pairs = [(a, b) for a, k in _sure(columns) for b in _of(others, k)]
        if not pairs:
            return f"SELECT * FROM ({inner})", columns
        a, b = self._pick(pairs)
        alias = self._name()
        value, kind = self._pick(_sure(others))
        what = f"SELECT {value} AS {alias} FROM ({other}) WHERE {b} = {a}"
        if self._rng.random() < 0.5:
            what, kind = f"SELECT count(*) AS {alias} FROM ({other}) WHERE {b} = {a}", "bigint"
        join = self._pick([", LATERAL ({})", " LEFT JOIN LATERAL ({}) ON true", " JOIN LATERAL ({})"])
        return f"SELECT * FROM ({inner}){join.format(what)}", [*columns, (alias, kind)]


def _sure(columns: Columns) -> Columns:
    """Those that rows can be told apart by."""
    return [(n, k) for n, k in columns if "map" not in k and "?" not in k]


def _of(columns: Columns, kind: str) -> list[str]:
    """The columns of a type."""
    return [name for name, k in columns if k == kind]
