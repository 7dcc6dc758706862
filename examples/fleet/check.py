"""Checks that the answers of `ask.py` name the faults that `make.py` planted, and that all engines agree.

    check.py ANSWERS.json…
"""

import json
import sys

import make


def same(one, other):
    """Percentiles and quotients may differ in their last digits."""
    if isinstance(one, float) or isinstance(other, float):
        return abs(one - other) <= 1e-6 * max(abs(one), abs(other), 1)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def check(answers):
    first = {name: rows[0] for name, rows in answers.items() if rows}
    assert first.keys() == answers.keys(), "a question without an answer"
    drops = first["1-first-build-that-drops"]
    assert drops["build"] == f"1.{make.FIRST_SLOW_LINK}" and drops["boards"] > 10, drops
    damaged = answers["2-boards-by-damage"]
    assert damaged[0]["target"] == make.DAMAGED and damaged[0]["lost_per_thousand"] > 10, damaged
    assert damaged[1]["lost_per_thousand"] < damaged[0]["lost_per_thousand"] / 10, damaged
    slowest = answers["3-slowest-steps"]
    assert {row["object"] for row in slowest} == {"supervisor", "burner", "door", "pump"}, slowest
    slower = first["4-slower-than-the-build-before"]
    assert (slower["build"], slower["object"]) == (f"1.{make.FIRST_LONG_RUN}", "supervisor"), slower
    states = {row["object"]: row["assertions"] for row in answers["5-states-at-assertions"]}
    assert states == dict.fromkeys(["burner", "door", "pump", "supervisor"], 1), states
    before = answers["6-in-the-second-before"]
    assert all(row["recordings"] == 1 and row["behind_a_loss"] == 0 for row in before), before
    hours = answers["7-records-per-hour"]
    assert all(row["hour"].endswith("T08:00:00") for row in hours), hours
    assert first["8-fullest-queues"]["least_free"] == 0


if __name__ == "__main__":
    first, *others = [json.load(open(name)) for name in sys.argv[1:]]
    check(first)
    for name, other in zip(sys.argv[2:], others):
        for question, rows in first.items():
            assert same(rows, other[question]), f"{name}: {question}\n{rows}\n{other[question]}"
    print(f"{len(first)} questions answered as planted, {len(others)} times the same")
