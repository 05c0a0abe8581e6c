"""Keeps the table `word_count` up to date from the lines of a socket; written for `watertable serve`.

WORD_COUNT_HOST and WORD_COUNT_PORT say where the lines come from (default: localhost 9999, `nc -lk 9999`).
"""

import os

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, explode, split

spark = SparkSession.builder.appName("WordCountPostgres").getOrCreate()

lines = (
    spark.readStream.format("socket")
    .option("host", os.environ.get("WORD_COUNT_HOST", "localhost"))
    .option("port", os.environ.get("WORD_COUNT_PORT", "9999"))
    .load()
)
words = lines.select(explode(split(col("value"), " ")).alias("word")).where(col("word") != "")

query = (
    words.groupBy("word")
    .count()
    .writeStream.outputMode("update")
    .format("postgres")
    .option("dbtable", "word_count")
    .queryName("word_count")
    .start()
)
query.awaitTermination()
