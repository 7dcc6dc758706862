#!/usr/bin/env python3
"""Reads files of `spytui export vcd` back with the reader of the package `pyvcd`, and compares what they show at some records
with `spytui stats --objects --at`.

    check_vcd.py SPYTUI      exports captures of all protocols with this program

Says "skipped" and ends well where the package is not installed.
"""

import itertools
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from captures import CAPTURES, DECODERS

PLACES = 12


def run(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def word(text):
    return "".join(c if "!" <= c <= "~" and c not in "[]$\\" else "_" for c in text)


def read(path):
    """Names of the variables by id, and all changes as (time, id, value); an unknown value is None."""
    from vcd.reader import TokenKind, tokenize

    names, changes, now, scope = {}, [], 0, None
    with path.open("rb") as file:
        for token in tokenize(file):
            if token.kind is TokenKind.SCOPE:
                scope = token.scope.ident
            elif token.kind is TokenKind.VAR:
                assert token.var.id_code not in names, token.var
                names[token.var.id_code] = (scope, token.var.reference)
            elif token.kind is TokenKind.TIMESCALE:
                assert str(token.timescale) == "1 ns", token.timescale
            elif token.kind is TokenKind.CHANGE_TIME:
                assert not changes or token.time_change > now, "time goes back"
                now = token.time_change
            elif token.kind in (TokenKind.CHANGE_STRING, TokenKind.CHANGE_VECTOR, TokenKind.CHANGE_REAL):
                value = token.data.value
                unknown = value == "x" or isinstance(value, float) and math.isnan(value)
                changes.append((now, token.data.id_code, None if unknown else value))
    assert len(set(names.values())) == len(names), "a name stands for two variables"
    return names, changes


def check(program, capture, options, out):
    source = ["--proto", *options, str(DECODERS / capture)]
    run(program, "export", "vcd", *source, "-O", out, "--force")
    names, changes = read(out)
    rows = [json.loads(line) for line in run(program, "decode", "--format", "jsonl", *source).splitlines()]
    records = [row for row in rows if row["type"] == "record" and row.get("ns", row.get("time")) is not None]
    # What later records of the same time change is seen there, too; times of another epoch stand elsewhere on the axis.
    times = [row.get("ns", row["time"]) for row in records]
    latest = itertools.accumulate(times, max)
    places = [
        (this, record["n"])
        for this, most, after, record in zip(times, latest, [*times[1:], math.inf], records)
        if this == most and after > this and record.get("epoch", 0) == records[0].get("epoch", 0)
    ]
    seen = unknown = 0
    for this, n in places[:: max(1, len(places) // PLACES)]:
        shown = {names[of]: value for at, of, value in changes if at <= this}
        report = json.loads(run(program, "stats", "--objects", "--at", f"#{n}", "--format", "json", *source))
        for line in report["objects"]:
            name, place = word(line["object"]), (capture, n, line)
            values = {key: value for key, value in shown.items() if key[1].split(":used")[0].split(":free")[0] == name}
            for (kind, full), value in values.items():
                count = full.removeprefix(name + ":")
                if count in ("used", "free"):
                    is_unsure, said = line.get("level_uncertain", False), line.get(count)
                    # The other one is known if the size is.
                    is_same = value is None or value == said or said is None
                else:
                    is_unsure, said = line.get("uncertain", False), line.get("state")
                    is_same = value == float(said) if isinstance(value, float) else word(said or "").startswith(value or "")
                assert is_same and (value is None or not is_unsure), (place, full, value)
                assert value is not None or is_unsure or said is None, (place, full, value)
                seen, unknown = seen + (value is not None), unknown + (value is None)
    return len(names), len(changes), seen, unknown


def main():
    try:
        import vcd.reader  # noqa: F401
    except ImportError:
        return print("skipped: the package pyvcd is not installed")
    with tempfile.TemporaryDirectory() as folder:
        for capture, options in CAPTURES.items():
            counts = check(sys.argv[1], capture, options, Path(folder) / "out.vcd")
            print("{}: {} variables, {} changes; {} states and levels as expected, {} unknown".format(capture, *counts))
            assert counts[2] > 0, capture


if __name__ == "__main__":
    main()
