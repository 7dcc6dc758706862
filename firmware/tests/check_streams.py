# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_streams.py SPYTUI STREAMS: spytui reads each kind of record that the library writes, without loss or damage. STREAMS
is the program of streams.c."""

import json
import os
import subprocess
import sys
import tempfile

spytui, streams = sys.argv[1:]
# Streams, one for each core where there are several, with their decoder, the number of records in them, and the ids of
# records that their version does not have.
WANTED = {
    "qs7": ("qs", 76, [81]),
    "qs8": ("qs", 76, []),
    "rkh": ("rkh", 709, []),
    "tband": ("tband", 1575, []),
    "tband-core0 tband-core1": ("tband", 282, []),
    "kev": ("qnx", 395, []),
    "kev-latest": ("qnx", 719, []),
    "nto1": ("qnx", 101, []),
}
good = True


def check(is_good, what):
    global good
    good = good and is_good
    print("ok" if is_good else "not ok", "-", what)


def write(stream, folder):
    path = os.path.join(folder, stream)
    with open(path, "wb") as file:
        subprocess.run([streams, stream], check=True, stdout=file)
    return path


def rows(proto, paths):
    if len(paths) > 1:
        paths = [f"{path}@{core}" for core, path in enumerate(paths)]
    command = [spytui, "decode", "--proto", proto, "--format", "jsonl"] + paths
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # The first line has the version.
    return [json.loads(line) for line in text.splitlines()[1:]]


with tempfile.TemporaryDirectory() as folder:
    for stream, (proto, count, not_known) in WANTED.items():
        decoded = rows(proto, [write(one, folder) for one in stream.split()])
        records = [row for row in decoded if row["type"] == "record"]
        notes = [row["kind"] for row in decoded if row["type"] == "note" and row["kind"] != "prolog"]
        check(len(records) == count and not notes, f"{stream}: {len(records)} records, notes: {notes}")
        unknown = [row["id"] for row in records if "is not known" in row["text"]]
        check(unknown == not_known, f"{stream}: not known: {unknown}")
        if stream == "kev-latest":
            numbers = [int(row["fields"]["w"].split()[0], 16) for row in records if row["kind"] == "7"]
            in_a_row = numbers == list(range(numbers[0], 5001))
            check(in_a_row and len(numbers) > 500, f"{stream}: {len(numbers)} events up to the trigger, none missing")
sys.exit(not good)
