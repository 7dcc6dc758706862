"""Draws two plots of a fleet's tables: what each build dropped and lost, and how long the supervisor takes to respond.

    plots.py TABLES OUT.png        needs the packages duckdb and matplotlib
"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import ask

LOSSES = """
SELECT build, 1000.0 * SUM(dropped) / SUM(records) AS dropped,
       1000.0 * SUM(CASE WHEN lost > dropped THEN lost - dropped ELSE 0 END) / SUM(records) AS lost
FROM recordings GROUP BY build ORDER BY MIN(first_host)
"""
RESPONSES = """
SELECT build, MEDIAN(length_ns) / 1e6 AS median, percentile_cont(0.99) WITHIN GROUP (ORDER BY length_ns) / 1e6 AS p99
FROM spans JOIN recordings USING (recording)
WHERE measure = 'response' AND object = 'supervisor' AND certain AND end_row IS NOT NULL AND length_ns IS NOT NULL
GROUP BY build ORDER BY MIN(first_host)
"""


def draw(tables, picture):
    query = ask.duckdb(tables)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    builds, dropped, lost = zip(*query(LOSSES)[1])
    left.bar(builds, dropped, label="dropped by the target")
    left.bar(builds, lost, bottom=dropped, label="lost on the line")
    left.set(title="Records missing", xlabel="build", ylabel="per thousand received")
    left.legend()
    builds, median, p99 = zip(*query(RESPONSES)[1])
    right.plot(builds, p99, "o-", label="99th percentile")
    right.plot(builds, median, "s-", label="median")
    right.set(title="Response of the supervisor", xlabel="build", ylabel="ms", yscale="log")
    right.grid(axis="y", alpha=0.3)
    right.legend()
    figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    draw(*sys.argv[1:])
