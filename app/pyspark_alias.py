"""Makes `import pyspark` give Watertable's surface, whether a real pyspark is installed or not.

A finder in front of all others answers for `pyspark` and everything below it with the modules of `app.sql`: the same
objects, so nothing is imported twice. With WATERTABLE_PYSPARK=installed it stays away and the real one is used.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar

_SQL = "catalog column conf dataframe functions group readwriter session streaming types utils window"
_MODULES = {
    "pyspark.sql": "app.sql",
    "pyspark.errors": "app.sql.errors",
    "pyspark.storagelevel": "app.sql.storage_level",
    **{f"pyspark.sql.{name}": f"app.sql.{name}" for name in _SQL.split()},
    **{f"pyspark.sql.streaming.{name}": f"app.sql.streaming.{name}" for name in ("query", "readwriter")},
}

_PACKAGES = {module: name for name, module in _MODULES.items() if name.endswith(("sql", "streaming", "functions"))}
_PACKAGES["pyspark"] = "pyspark"


def install() -> None:
    """Makes the modules of pyspark resolve to ours from now on; a pyspark imported before is forgotten. Calling it
    again changes nothing."""
    if os.environ.get("WATERTABLE_PYSPARK") == "installed" or _FINDER in sys.meta_path:
        return
    _forget()
    sys.meta_path.insert(0, _FINDER)


def uninstall() -> None:
    """Takes back what `install` did."""
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)
        _forget()


def _forget() -> None:
    for name in [name for name in sys.modules if name == "pyspark" or name.startswith("pyspark.")]:
        del sys.modules[name]


def _refusal(fullname: str) -> ImportError | None:
    """Why a name of PySpark cannot be imported: `from package import name` asks for a module of that name where the
    package has nothing so called. None for names that are modules, and for those that nobody knows."""
    parent, _, name = fullname.rpartition(".")
    if parent not in _PACKAGES:
        return None
    functions = sys.modules.get("app.sql.functions.unknown") if parent == "app.sql.functions" else None
    if not name[0].isupper() and name not in getattr(functions, "SPARK_NAMES", ()):
        return None
    return importlib.import_module("app.sql.absent").not_importable(_PACKAGES[parent], name)  # type: ignore[no-any-return]


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `pyspark…` in the table above, and loads it by taking the module it stands for."""

    def __init__(self) -> None:
        self._own_specs: dict[str, Any] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if (refused := _refusal(fullname)) is not None:
            raise refused
        if fullname != "pyspark" and not fullname.startswith("pyspark."):
            return None
        if fullname != "pyspark" and fullname not in _MODULES:
            raise ModuleNotFoundError(
                f"Watertable runs this program and has no module {fullname!r}; it has {', '.join(_MODULES)}. To use an "
                "installed PySpark instead, set WATERTABLE_PYSPARK=installed.",
                name=fullname,
            )
        return importlib.machinery.ModuleSpec(fullname, self, is_package=fullname == "pyspark")

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        if spec.name == "pyspark":
            return _Root("pyspark", "PySpark's names, by Watertable.")
        module = importlib.import_module(_MODULES[spec.name])
        self._own_specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None and spec.name in self._own_specs:
            # The import system has put our spec on a module that is already complete; it keeps its own.
            module.__spec__ = self._own_specs.pop(spec.name)


class _Root(ModuleType):
    """The module `pyspark`: what it names is fetched when it is asked for."""

    _names: ClassVar[dict[str, str]] = {
        "Row": "app.sql",
        "SparkContext": "app.sql.session",
        "StorageLevel": "app.sql.storage_level",
    }

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return importlib.import_module("app.sql.session").VERSION
        if name in self._names:
            return getattr(importlib.import_module(self._names[name]), name)
        raise AttributeError(
            f"Watertable's pyspark has no {name!r}; it has {', '.join(self._names)} and the module sql. To use an "
            "installed PySpark instead, set WATERTABLE_PYSPARK=installed."
        )


_FINDER = _Finder()
