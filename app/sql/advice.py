"""Advice to a cluster, which means nothing in one process: these methods give the DataFrame back as it is."""

from __future__ import annotations

from typing import Any, Self


class Advice:
    """The part of a DataFrame that says how it should be run."""

    def hint(self, name: str, *parameters: Any) -> Self:
        """The DataFrame as it is: there is no plan to choose between."""
        return self

    def cache(self) -> Self:
        """The DataFrame as it is: it is computed anew each time it is asked for rows."""
        return self

    def persist(self, storageLevel: Any = None) -> Self:
        """As `cache`."""
        return self

    def unpersist(self, blocking: bool = False) -> Self:
        """As `cache`."""
        return self

    def coalesce(self, numPartitions: int) -> Self:
        """The DataFrame as it is: it has no partitions."""
        return self
