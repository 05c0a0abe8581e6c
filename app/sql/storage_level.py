"""`pyspark.StorageLevel`: where Spark would keep a DataFrame; noted here, without effect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, repr=False)
class StorageLevel:
    """Disk, memory, memory outside of Java's, as objects or as bytes, and how often.

    >>> StorageLevel.MEMORY_AND_DISK, str(StorageLevel.DISK_ONLY)
    (StorageLevel(True, True, False, False, 1), 'Disk Serialized 1x Replicated')
    """

    useDisk: bool
    useMemory: bool
    useOffHeap: bool
    deserialized: bool
    replication: int = 1

    NONE: ClassVar[StorageLevel]
    DISK_ONLY: ClassVar[StorageLevel]
    DISK_ONLY_2: ClassVar[StorageLevel]
    DISK_ONLY_3: ClassVar[StorageLevel]
    MEMORY_ONLY: ClassVar[StorageLevel]
    MEMORY_ONLY_2: ClassVar[StorageLevel]
    MEMORY_AND_DISK: ClassVar[StorageLevel]
    MEMORY_AND_DISK_2: ClassVar[StorageLevel]
    OFF_HEAP: ClassVar[StorageLevel]
    MEMORY_AND_DISK_DESER: ClassVar[StorageLevel]

    def __repr__(self) -> str:
        parts = (self.useDisk, self.useMemory, self.useOffHeap, self.deserialized, self.replication)
        return f"StorageLevel({', '.join(map(str, parts))})"

    def __str__(self) -> str:
        places = ((self.useDisk, "Disk "), (self.useMemory, "Memory "), (self.useOffHeap, "OffHeap "))
        kept = "".join(text for used, text in places if used)
        return f"{kept}{'Deserialized' if self.deserialized else 'Serialized'} {self.replication}x Replicated"


StorageLevel.NONE = StorageLevel(False, False, False, False)
StorageLevel.DISK_ONLY = StorageLevel(True, False, False, False)
StorageLevel.DISK_ONLY_2 = StorageLevel(True, False, False, False, 2)
StorageLevel.DISK_ONLY_3 = StorageLevel(True, False, False, False, 3)
StorageLevel.MEMORY_ONLY = StorageLevel(False, True, False, False)
StorageLevel.MEMORY_ONLY_2 = StorageLevel(False, True, False, False, 2)
StorageLevel.MEMORY_AND_DISK = StorageLevel(True, True, False, False)
StorageLevel.MEMORY_AND_DISK_2 = StorageLevel(True, True, False, False, 2)
StorageLevel.OFF_HEAP = StorageLevel(True, True, True, False, 1)
StorageLevel.MEMORY_AND_DISK_DESER = StorageLevel(True, True, False, True)
