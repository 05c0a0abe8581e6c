"""Advice to a cluster, which means nothing in one process: these methods give the DataFrame back as it is."""

from __future__ import annotations

from typing import Any, Self

from app.errors import ArgumentError
from app.sql.arguments import wrong_type
from app.sql.storage_level import StorageLevel


class Advice:
    """The part of a DataFrame that says how it should be run."""

    _level = StorageLevel.NONE

    @property
    def storageLevel(self) -> StorageLevel:
        """What `persist` was given last, if nothing has taken it back."""
        return self._level

    @property
    def is_cached(self) -> bool:
        return self._level != StorageLevel.NONE

    def hint(self, name: str, *parameters: Any) -> Self:
        """The DataFrame as it is: there is no plan to choose between. Raises: ArgumentTypeError."""
        if not isinstance(name, str):
            raise wrong_type("name", "str", name)
        return self

    def cache(self) -> Self:
        """The DataFrame as it is: it is computed anew each time it is asked for rows."""
        return self.persist()

    def persist(self, storageLevel: StorageLevel = StorageLevel.MEMORY_AND_DISK_DESER) -> Self:
        """As `cache`."""
        self._level = storageLevel
        return self

    def unpersist(self, blocking: bool = False) -> Self:
        """As `cache`."""
        self._level = StorageLevel.NONE
        return self

    def checkpoint(self, eager: bool = True) -> Self:
        """As `cache`."""
        return self

    def localCheckpoint(self, eager: bool = True, storageLevel: Any = None) -> Self:
        """As `cache`."""
        return self

    def repartition(self: Any, numPartitions: Any, *cols: Any) -> Any:
        """The DataFrame as it is: it has no partitions. The columns have to be there."""
        self.select(*(col for col in (numPartitions, *cols) if not isinstance(col, int)))
        return self

    def repartitionByRange(self: Any, numPartitions: Any, *cols: Any) -> Any:
        """As `repartition`. Raises: ArgumentError without columns."""
        if isinstance(numPartitions, int) and not cols:
            raise ArgumentError("At least one partition-by expression must be specified.", code="CANNOT_BE_EMPTY")
        return self.repartition(numPartitions, *cols)

    def sortWithinPartitions(self: Any, *cols: Any, **kwargs: Any) -> Any:
        """`sort`: there is one partition."""
        return self.sort(*cols, **kwargs)

    def isLocal(self) -> bool:
        """False, as in Spark of all but what is known without looking."""
        return False

    def coalesce(self, numPartitions: int) -> Self:
        """The DataFrame as it is: it has no partitions."""
        return self
