"""Asks the questions in questions/ about tables that `spytui export parquet` wrote.

    ask.py duckdb|spark TABLES [QUESTION.sql…]

prints a JSON object: the rows of each question. Spark runs on the master in SPARK_MASTER, or in this process.
"""

import datetime
import json
import os
import pathlib
import sys

NAMES = ["records", "losses", "spans", "states", "levels", "recordings"]
QUESTIONS = sorted(pathlib.Path(__file__).parent.glob("questions/*.sql"))


def duckdb(tables):
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for name in NAMES:
        files = f"read_parquet('{tables}/{name}/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false)"
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM {files}")

    def ask(sql):
        found = connection.execute(sql)
        return [column[0] for column in found.description], found.fetchall()

    return ask


def spark(tables):
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master(os.environ.get("SPARK_MASTER", "local[2]"))
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        # As many as a large fleet needs in little memory; Spark puts small ones together.
        .config("spark.sql.shuffle.partitions", "64")
        # Tables seem small by the size of their files, which are compressed.
        .config("spark.sql.autoBroadcastJoinThreshold", "-1")
        .config("spark.executor.memory", "800m")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    for name in NAMES:
        session.read.parquet(f"{tables}/{name}").createOrReplaceTempView(name)

    def ask(sql):
        found = session.sql(sql)
        return found.columns, [tuple(row) for row in found.collect()]

    return ask


def plain(value):
    """A value as both engines give it."""
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None).isoformat()
    return float(value) if not isinstance(value, (str, int, type(None))) else value


def answers(ask, questions):
    found = {}
    for question in questions:
        columns, rows = ask(question.read_text())
        found[question.stem] = [dict(zip(columns, map(plain, row))) for row in rows]
    return found


if __name__ == "__main__":
    engine, tables, *questions = sys.argv[1:]
    ask = {"duckdb": duckdb, "spark": spark}[engine](tables)
    print(json.dumps(answers(ask, [pathlib.Path(one) for one in questions] or QUESTIONS), indent=1))
