"""Counts the words of the lines that arrive on a socket: word_count.py HOST PORT

Words are what lies between blanks, so that the counts are those of
tr -s ' ' '\\n' < TEXT | grep -v '^$' | sort | uniq -c
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import col, explode, split

host, port = sys.argv[1:]

spark = SparkSession.builder.appName("WordCount").getOrCreate()

lines = spark.readStream.format("socket").option("host", host).option("port", port).load()
words = lines.select(explode(split(col("value"), " ")).alias("word")).where(col("word") != "")
counts = words.groupBy("word").count()

query = (
    counts.writeStream.outputMode("complete")
    .format("postgres")
    .option("dbtable", "word_count")
    .queryName("word_count")
    .start()
)
query.awaitTermination()
