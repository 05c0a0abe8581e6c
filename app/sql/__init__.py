"""The PySpark surface: names and modules as in `pyspark.sql`. It builds plans and computes nothing."""

from __future__ import annotations

from app.sql.catalog import Catalog
from app.sql.column import Column
from app.sql.conf import RuntimeConfig
from app.sql.dataframe import DataFrame
from app.sql.group import GroupedData
from app.sql.na import DataFrameNaFunctions
from app.sql.readwriter import DataFrameReader
from app.sql.row import Row
from app.sql.session import SparkSession
from app.sql.statistics import DataFrameStatFunctions
from app.sql.variant import VariantVal
from app.sql.window import Window, WindowSpec

__all__ = [
    "Catalog",
    "Column",
    "DataFrame",
    "DataFrameNaFunctions",
    "DataFrameReader",
    "DataFrameStatFunctions",
    "GroupedData",
    "Row",
    "RuntimeConfig",
    "SparkSession",
    "VariantVal",
    "Window",
    "WindowSpec",
]
