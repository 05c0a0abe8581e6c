"""`spark.read`: static DataFrames from files and views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.sql.arguments import wrong_type
from app.sql.scan import ReaderOptions

if TYPE_CHECKING:
    from app.sql.dataframe import DataFrame


class DataFrameReader(ReaderOptions):
    """Format, options and schema, then `load` or a format's own method; nothing is read before rows are asked for
    (but files whose columns have to be inferred)."""

    _streaming = False

    def load(self, path: Any = None, format: str | None = None, schema: Any = None, **options: Any) -> DataFrame:
        """The rows. `path` is one path or a list. Raises: PlanError (format, option, columns), ArgumentError."""
        if path is not None and not isinstance(path, (str, list)):
            raise wrong_type("path", "str or list", path)
        return self._load(path, format, schema, options)

    def csv(self, path: Any, schema: Any = None, **options: Any) -> DataFrame:
        return self._files("csv", path, schema, options)

    def json(self, path: Any, schema: Any = None, **options: Any) -> DataFrame:
        return self._files("json", path, schema, options)

    def parquet(self, *paths: Any, **options: Any) -> DataFrame:
        return self._files("parquet", list(paths) if len(paths) != 1 else paths[0], None, options)

    def text(self, paths: Any, wholetext: bool = False, **options: Any) -> DataFrame:
        """As in PySpark, the argument `wholetext` wins over an option that was set before."""
        return self._files("text", paths, None, {"wholetext": wholetext, **options})

    def table(self, tableName: str) -> DataFrame:
        """A temporary view, or the table of a memory sink. Raises: PlanError TABLE_OR_VIEW_NOT_FOUND."""
        return self._session.table(tableName)

    def _files(self, format: str, path: Any, schema: Any, options: dict[str, Any]) -> DataFrame:
        if not isinstance(path, (str, list)):
            raise wrong_type("path", "str or list", path)
        return self._load(path, format, schema, options)
