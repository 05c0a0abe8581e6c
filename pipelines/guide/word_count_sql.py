"""The network word count in SQL text: word_count_sql.py HOST PORT"""

import sys

from pyspark.sql import SparkSession

host, port = sys.argv[1:]

spark = SparkSession.builder.appName("WordCountSql").getOrCreate()

spark.readStream.format("socket").option("host", host).option("port", port).load().createOrReplaceTempView("lines")
counts = spark.sql("""
    SELECT word, count(*) AS count
    FROM (SELECT explode(split(value, ' ')) AS word FROM lines)
    GROUP BY word
""")

counts.writeStream.outputMode("complete").format("console").start().awaitTermination()
