"""`import pyspark` gives this surface; each story runs in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def python(code: str, *path: Path, **env: str) -> str:
    """What a fresh interpreter prints for `code`."""
    found = os.pathsep.join(map(str, (ROOT, *path)))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": found, "PYTHONDONTWRITEBYTECODE": "1", **env},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def fake_pyspark(tmp_path: Path) -> Path:
    """A folder with another pyspark in it."""
    package = tmp_path / "pyspark" / "sql"
    package.mkdir(parents=True)
    (tmp_path / "pyspark" / "__init__.py").write_text("__version__ = 'the installed one'\n")
    (package / "__init__.py").write_text("SparkSession = 'the installed one'\n")
    return tmp_path


INSTALL = "from app.pyspark_alias import install, uninstall; install()\n"


def test_modules_are_the_same_objects() -> None:
    code = INSTALL + (
        "import sys, app.sql, app.sql.types\n"
        "from pyspark.sql import SparkSession, DataFrame, Row, functions as F\n"
        "import pyspark, pyspark.sql.functions, pyspark.sql.types, pyspark.sql.streaming.query, pyspark.errors\n"
        "from pyspark.sql.utils import AnalysisException\n"
        "assert sys.modules['pyspark.sql'] is app.sql and pyspark.sql.functions is F is app.sql.functions\n"
        "assert pyspark.sql.types is app.sql.types and pyspark.Row is Row is pyspark.sql.types.Row\n"
        "assert pyspark.errors.AnalysisException is AnalysisException\n"
        "assert app.sql.__spec__.name == 'app.sql' and SparkSession.__module__ == 'app.sql.session'\n"
        "assert [n for n in sys.modules if n.startswith('app.sql.')] and pyspark.__version__.startswith('4.2.0')\n"
        "install(); import pyspark.sql.column\n"
        "print('same')"
    )
    assert python(code) == "same\n"


def test_ours_wins_over_an_installed_one_even_if_that_was_imported_before(fake_pyspark: Path) -> None:
    code = "import pyspark.sql; print(pyspark.__version__)\n" + INSTALL + "import pyspark.sql as s; print(s.__name__)"
    assert python(code, fake_pyspark) == "the installed one\napp.sql\n"


def test_the_user_may_choose_the_installed_one(fake_pyspark: Path) -> None:
    code = INSTALL + "from pyspark.sql import SparkSession; print(SparkSession)"
    assert python(code, fake_pyspark, WATERTABLE_PYSPARK="installed") == "the installed one\n"


def test_uninstall_takes_it_back(fake_pyspark: Path) -> None:
    code = INSTALL + "import pyspark.sql; uninstall(); uninstall(); import pyspark; print(pyspark.__version__)"
    assert python(code, fake_pyspark) == "the installed one\n"


def test_what_there_is_not_says_what_there_is() -> None:
    missing = ["pyspark.ml", "pyspark.sql.pandas", "pyspark.sql.local", "pyspark.sql.functions.x"]
    code = INSTALL + (
        f"for name in {missing}:\n"
        "    try: __import__(name)\n"
        "    except ModuleNotFoundError as e: print(e.name, e)\n"
        "try: from pyspark import SparkConf\n"
        "except ImportError as e: print('SparkConf', e)"
    )
    said = python(code).splitlines()
    for name, line in zip([*missing, "SparkConf"], said, strict=True):
        assert line.startswith(name)
    assert all("Watertable" in line and "pyspark.sql.functions" in line for line in said[:-1])


ABSENT = {
    "from pyspark import SparkConf": "SparkSession.builder.config",
    "from pyspark.sql import HiveContext": "SparkSession.builder.getOrCreate",
    "from pyspark.sql.streaming import StreamingQueryListener": "lastProgress",
    "from pyspark.sql.functions import udtf": "not in this engine's catalogue yet",
    "from pyspark.sql import SparkSession; SparkSession.builder.getOrCreate().read.orc('x')": "csv, json, parquet",
    "from pyspark.sql import SparkSession; SparkSession.builder.getOrCreate().udf": "foreachBatch",
    "from pyspark.sql import SparkSession; SparkSession.builder.getOrCreate().sparkContext.parallelize([1])": "create",
    "from pyspark.sql import SparkSession; SparkSession.builder.getOrCreate().streams.addListener(1)": "lastProgress",
    "from pyspark.sql import SparkSession; SparkSession.builder.getOrCreate().createDataframe([])": "createDataFrame",
}


def test_names_of_pyspark_that_are_not_here_are_refused_with_advice() -> None:
    code = INSTALL + (
        "from pyspark.errors import AnalysisException\n"
        f"for line, advice in {ABSENT!r}.items():\n"
        "    try:\n"
        "        exec(line)\n"
        "    except AnalysisException as error:\n"
        "        kind = ImportError if ' import SparkS' not in line else AttributeError\n"
        "        assert isinstance(error, kind) and advice in str(error), error\n"
        "    else:\n"
        "        raise AssertionError(line)\n"
        "import pyspark.sql.functions, app.sql.session as session\n"
        "assert not hasattr(pyspark, 'SparkConf') and not hasattr(pyspark.sql, 'HiveContext')\n"
        "assert not hasattr(session.SparkSession.builder.getOrCreate(), 'udf')\n"
        "print('told')"
    )
    assert python(code) == "told\n"
