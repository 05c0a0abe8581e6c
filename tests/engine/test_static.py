"""Static plans may be asked for from many threads at once, as the functions of several queries do."""

from concurrent.futures import ThreadPoolExecutor

from app.sql import functions as F
from app.sql.session import SparkSession


def test_threads_may_collect_side_by_side() -> None:
    spark = SparkSession.builder.getOrCreate()
    hashed = spark.range(1_000).select(F.hash("id").alias("h"))

    def collected(_: int) -> list[int]:
        return [row.h for row in hashed.collect()]

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(collected, range(16)))
    assert all(answer == answers[0] for answer in answers)
