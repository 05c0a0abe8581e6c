"""Names for a DataFrame that SQL text and `spark.table` know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.plan import nodes

if TYPE_CHECKING:
    from app.sql.session import SparkSession


class Views:
    """The part of a DataFrame that makes it a view. A view of the session is seen by it alone, a global one, whose
    name begins with `global_temp.`, by all sessions of the pipeline."""

    _node: nodes.Node
    _session: SparkSession

    def createOrReplaceTempView(self, name: str) -> None:
        """Makes the DataFrame a view of the session."""
        self._session.catalog._add(name, self._node, replace=True)

    def createTempView(self, name: str) -> None:
        """Raises: PlanError TEMP_TABLE_OR_VIEW_ALREADY_EXISTS."""
        self._session.catalog._add(name, self._node, replace=False)

    def createOrReplaceGlobalTempView(self, name: str) -> None:
        """Makes the DataFrame a view of all sessions."""
        self._session.catalog._add(name, self._node, replace=True, everywhere=True)

    def createGlobalTempView(self, name: str) -> None:
        """Raises: PlanError TEMP_TABLE_OR_VIEW_ALREADY_EXISTS."""
        self._session.catalog._add(name, self._node, replace=False, everywhere=True)
