"""Names of PySpark that are not here: what is said when a program imports or calls one of them."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from app.sql.errors import AttributeMissing, ImportMissing

_NO_RDD = "There are DataFrames only: make one with spark.createDataFrame()."
_NO_FUNCTIONS = "Write columns with pyspark.sql.functions or expr(), or compute batches in writeStream.foreachBatch."
_NO_HIVE = "Take a SparkSession: SparkSession.builder.getOrCreate()."
_NO_FORMAT = "Read csv, json, parquet or text: export to one of them first."
_NO_STATE = "State is kept by aggregations: groupBy(…).agg(…), dropDuplicates(…)."
_NO_WRITE = "collect() the rows or take them with toArrow() and write those; a stream is written by writeStream."
_LISTEN = "Look at query.lastProgress and query.recentProgress, or at the metrics of the service (/metrics)."
_CONFIGURE = "Give the settings to SparkSession.builder.config(key, value)."
_MEASURE = "Aggregate the rows in a query of their own: agg(…); a stream counts its rows in query.lastProgress."
_WITHOUT = "Leave it out: there is one process and no cluster."

_ADVICE = {
    **dict.fromkeys(("StreamingQueryListener", "addListener", "removeListener"), _LISTEN),
    **dict.fromkeys(("SparkConf", "getConf"), _CONFIGURE),
    **dict.fromkeys(("HiveContext", "SQLContext", "newSession"), _NO_HIVE),
    **dict.fromkeys(("RDD", "parallelize", "textFile", "emptyRDD"), _NO_RDD),
    **dict.fromkeys(("orc", "xml", "jdbc"), _NO_FORMAT),
    **dict.fromkeys(("UDFRegistration", "UDTFRegistration", "UserDefinedFunction", "udf", "udtf"), _NO_FUNCTIONS),
    **dict.fromkeys(("apply", "applyInPandas", "applyInArrow", "cogroup", "PandasCogroupedOps"), _NO_FUNCTIONS),
    **dict.fromkeys(("StatefulProcessor", "StatefulProcessorHandle", "applyInPandasWithState"), _NO_STATE),
    **dict.fromkeys(("transformWithState", "transformWithStateInPandas"), _NO_STATE),
    **dict.fromkeys(("DataFrameWriter", "DataFrameWriterV2", "MergeIntoWriter"), _NO_WRITE),
    **dict.fromkeys(("SparkFiles", "Broadcast", "Accumulator", "broadcast", "accumulator"), _WITHOUT),
    **dict.fromkeys(("TaskContext", "BarrierTaskContext", "InheritableThread", "addArtifacts", "addFile"), _WITHOUT),
    **dict.fromkeys(("freqItems",), "Count values with groupBy(…).count() and filter those that come often."),
    **dict.fromkeys(("toJSON",), "select(to_json(struct('*'))) gives each row as a JSON text."),
    **dict.fromkeys(("mapInPandas", "mapInArrow", "pandas_api", "plot"), "Take the rows with toPandas() or toArrow()."),
    **dict.fromkeys(("CharType", "VarcharType"), "Take StringType()."),
    **dict.fromkeys(("Geography", "GeographyType", "Geometry", "GeometryType"), "Keep them as text (WKT) or binary."),
    **dict.fromkeys(("mergeInto", "writeTo", "registerTempTable"), _NO_WRITE),
    **dict.fromkeys(("addPyFile", "setJobGroup", "remote", "profile"), _WITHOUT),
    **dict.fromkeys(("Observation", "observe"), _MEASURE),
}


def not_importable(module: str, name: str) -> ImportMissing | None:
    """The error for a name that `module` of PySpark has and ours has not; None for one that is not known."""
    if module.endswith("functions"):
        from app.sql import functions
        from app.sql.functions.unknown import missing

        return ImportMissing(str(missing(name, functions.__all__)), what=name)
    if (advice := _ADVICE.get(name)) is None:
        return None
    return ImportMissing(f"{module}.{name} is not supported: Watertable has no such name. {advice}", what=name)


def advice(name: str) -> str:
    """What to do without a name of PySpark that is not here; empty for one that is not known."""
    return _ADVICE.get(name, "")


class Surface:
    """A class of PySpark's surface: an attribute it does not have is refused with what to do instead."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            near = difflib.get_close_matches(name, [n for n in dir(type(self)) if n[0] != "_"], n=1, cutoff=0.7)
            advice = _ADVICE.get(name) or (f"Did you mean `{near[0]}`?" if near else "Go without it.")
            raise AttributeMissing(
                f"Attribute `{name}` is not supported: Watertable's {type(self).__name__} has none of that "
                f"name. {advice}"
            )
