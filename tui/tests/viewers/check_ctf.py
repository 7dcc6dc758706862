#!/usr/bin/env python3
"""Reads traces of `spytui export ctf` back with babeltrace2, and compares them field by field with `spytui decode --format
jsonl`: every record and every loss is there once.

    check_ctf.py SPYTUI      exports captures of all protocols with this program

Says "skipped" and ends well where the Python module of babeltrace2 (Debian package `python3-bt2`) is not installed.
"""

import json
import math
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from captures import CAPTURES, DECODERS

COMMON = ("source", "n", "pos", "len", "seq", "time", "object", "text", "kind", "lost")


def run(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def plain(text):
    return text.replace("\0", "\ufffd")


def identifier(name):
    return re.sub("[^A-Za-z0-9]", "_", name)


def native(value):
    import bt2

    if isinstance(value, bt2._StringFieldConst):
        return str(value)
    return float(value) if isinstance(value, bt2._RealFieldConst) else int(value)


def read(folder):
    """Events of records and losses, changes of states, and how many records were discarded."""
    import bt2

    rows, changes, discarded = [], [], 0
    for message in bt2.TraceCollectionMessageIterator(str(folder)):
        if type(message) is bt2._DiscardedEventsMessageConst:
            discarded += message.count
        if type(message) is not bt2._EventMessageConst:
            continue
        event = message.event
        fields = {name: native(value) for name, value in event.payload_field.items()}
        at = message.default_clock_snapshot.value
        if event.name in ("state", "sched_switch"):
            changes.append((at, event.name, fields))
        else:
            rows.append((event.name, int(event.packet.context_field["cpu_id"]), at, fields))
    return rows, changes, discarded


def same(value, said):
    if isinstance(said, float) or isinstance(value, float):
        return math.isclose(float(value), float(said), rel_tol=1e-6) or math.isnan(value)
    return value == (int(said) if isinstance(said, bool) else plain(said) if isinstance(said, str) else said)


def check(program, capture, options, out):
    source = ["--proto", *options, str(DECODERS / capture)]
    run(program, "export", "ctf", *source, "-O", out)
    events, changes, discarded = read(out)
    rows = [json.loads(line) for line in run(program, "decode", "--format", "jsonl", *source).splitlines()][1:]
    assert len(events) == len(rows), (capture, len(events), len(rows))
    rows.sort(key=lambda row: (row["pos"], row["kind"], row["text"]))
    events.sort(key=lambda event: (event[3]["pos"], event[3].get("kind", event[0]), event[3]["text"]))
    compared, lost = 0, Counter()
    for (name, core, at, fields), row in zip(events, rows):
        place = (capture, name, fields, row)
        is_record = row["type"] == "record"
        assert name == row["kind"] if is_record else name in ("loss", "note") and fields["kind"] == row["kind"], place
        for key in ("n", "pos", "seq", "time", "lost"):
            assert fields.get(key) == row.get(key), (key, place)
        assert fields["len"] == (row["len"] if is_record else row.get("bytes", 0)), place
        assert fields["text"] == plain(row["text"]), place
        assert core == row.get("lane", core if core in (0, 0xFFFF) else None), place
        # Values of a list are fields of their own, with numbers, as is one that is called like what all records have.
        for key, said in (row.get("fields") or {}).items():
            own = identifier(key)
            for number, one in enumerate(said if isinstance(said, list) else [said]):
                names = [own if number == 0 else f"{own}_{number + 1}"]
                names += [f"{own}_{more}" for more in (2, 3)] if own in COMMON else []
                assert any(name in fields and same(fields[name], one) for name in names), (key, one, place)
                compared += 1
        for key, said in (row.get("names") or {}).items():
            values = [value for name, value in fields.items() if name.startswith(identifier(key) + "_")]
            assert plain(said) in values, (key, said, place)
            compared += 1
        if name == "loss":
            lost[core] += row.get("lost", 1)
    assert discarded == sum(lost.values()), (capture, discarded, lost)
    of = Counter(name for _, name, _ in changes)
    return len(events), sum(name == "loss" for name, *_ in events), compared, of["state"], of["sched_switch"]


def main():
    try:
        import bt2  # noqa: F401
    except ImportError:
        return print("skipped: the Python module of babeltrace2 is not installed")
    with tempfile.TemporaryDirectory() as folder:
        for number, (capture, options) in enumerate(CAPTURES.items()):
            counts = check(sys.argv[1], capture, options, Path(folder) / str(number))
            words = "{} events, {} of them losses; {} fields as expected; {} changes of states, {} of tasks"
            print(f"{capture}: {words.format(*counts)}")


if __name__ == "__main__":
    main()
