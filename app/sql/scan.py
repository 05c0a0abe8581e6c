"""What the readers of static and of streaming DataFrames share: options, and the way to a `Scan`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from app.engine.contracts import SourceFormat
from app.engine.host import current_connectors
from app.errors import ArgumentError, PlanError
from app.plan import nodes
from app.plan import types as t
from app.plan.ddl import parse_schema
from app.plan.types import StructType
from app.sql.absent import Surface
from app.sql.arguments import no_format, option_text, wrong_type

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame
    from app.sql.session import SparkSession


class ReaderOptions(Surface):
    """A reader being filled in; each call changes it and gives it back, as in PySpark."""

    _streaming: bool

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._format = "parquet"
        self._schema: StructType | None = None
        self._options: dict[str, str] = {}

    def format(self, source: str) -> Self:
        """The name of the connector: `csv`, `socket`, …; checked by `load`."""
        if not isinstance(source, str):
            raise wrong_type("source", "str", source)
        self._format = source
        return self

    def schema(self, schema: StructType | str) -> Self:
        """The columns, as a struct or a DDL string. Raises: ParseError, ArgumentTypeError."""
        if isinstance(schema, str):
            schema = parse_schema(schema)
        if not isinstance(schema, StructType):
            raise wrong_type("schema", "str or struct type", schema)
        self._schema = StructType(schema.fields)
        return self

    def option(self, key: str, value: Any) -> Self:
        """One option; None is passed over. Names are told apart without regard to case."""
        if value is not None:
            self._options[key.lower()] = option_text(value)
        return self

    def options(self, **options: Any) -> Self:
        for key, value in options.items():
            self.option(key, value)
        return self

    def _load(self, path: Any, format: str | None, schema: Any, options: dict[str, Any]) -> DataFrame:
        from app.sql.dataframe import DataFrame

        if format is not None:
            self.format(format)
        if schema is not None:
            self.schema(schema)
        self.options(**options)
        paths = path if isinstance(path, list) else [path]
        name, source = find_source(self._format)
        infer = self._schema is None and self._session.conf.get("spark.sql.streaming.schemaInference") == "true"
        if self._schema is not None:
            self._check_names(self._schema)
        node: nodes.Node | None = None
        for one in paths:
            known = self._options if one is None else {**self._options, "path": str(one)}
            self._schema = source.schema(known, self._schema, self._streaming and not infer)
            self._check_names(self._schema)
            scan = nodes.Scan(
                name,
                tuple(sorted(known.items())),
                self._schema,
                self._streaming,
                time_zone=self._session.conf.time_zone(),
            )
            node = scan if node is None else nodes.Union(node, scan)
        if node is None:
            raise ArgumentError("The list of paths is empty.", code="EMPTY_SCHEMA_NOT_SUPPORTED_FOR_DATASOURCE")
        return DataFrame(node, self._session)

    def _check_names(self, schema: StructType) -> None:
        sensitive = self._session.conf.get("spark.sql.caseSensitive") == "true"
        if twice := _repeated(schema, str if sensitive else str.lower):
            raise PlanError(
                f"The column `{twice}` already exists. Choose another name or rename the existing column.",
                code="COLUMN_ALREADY_EXISTS",
            )


def _repeated(kind: t.DataType, key: Callable[[str], str]) -> str | None:
    """A name, as `key` gives it, that one struct at any depth has twice."""
    match kind:
        case t.StructType():
            [(twice, times)] = Counter(key(f.name) for f in kind).most_common(1) or [("", 0)]
            inside = (_repeated(f.dataType, key) for f in kind)
            return twice if times > 1 else next(filter(None, inside), None)
        case t.ArrayType(element):
            return _repeated(element, key)
        case t.MapType(keys, values):
            return _repeated(keys, key) or _repeated(values, key)
    return None


def find_source(name: str) -> tuple[str, SourceFormat]:
    """The connector's canonical name and itself. Raises: PlanError DATA_SOURCE_NOT_FOUND, with near names."""
    sources = current_connectors().sources
    source = sources.get(name.lower())
    if source is None:
        raise no_format("source", name, sources)
    return name.lower(), source
