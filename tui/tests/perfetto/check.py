#!/usr/bin/env python3
"""Reads traces with the public message classes of the package `perfetto` and compares them, track by track, with the
expected summaries beside this file: those of the reference converter, with the differences that are allowed.

    check.py SPYTUI      exports every capture with this program

Says "skipped" and ends well where the package is not installed.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
CAPTURES = HERE.parents[2] / "decoders"
BARE_METAL, FREE_RTOS = "mode=bare-metal", "mode=free-rtos"
REFERENCE = {
    "boiler_basic": BARE_METAL,
    "boiler_drops": BARE_METAL,
    "boiler_long_text": BARE_METAL,
    "boiler_two_core": BARE_METAL,
    "brew_stream": FREE_RTOS,
    "brew_snapshot": FREE_RTOS,
    "brew_late": FREE_RTOS,
    "edge_frames_freertos": FREE_RTOS,
    "edge_frames_baremetal": BARE_METAL,
    "damaged_brew_gaps": FREE_RTOS,
    "damaged_boiler_noise": BARE_METAL,
}
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
UNITS = {0: "unspecified", 2: "count"}


def summary(trace):
    """One summary for each track, in the form of the expected ones."""
    tracks, order = {}, []
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            about = packet.track_descriptor
            assert about.uuid not in tracks, f"two tracks of number {about.uuid}"
            tracks[about.uuid] = (about, [])
            order.append(about.uuid)
        elif packet.HasField("track_event"):
            tracks[packet.track_event.track_uuid][1].append((packet.timestamp, packet.track_event))

    def path(about):
        name = about.process.process_name if about.HasField("process") else about.name
        parent = path(tracks[about.parent_uuid][0]) + " / " if about.HasField("parent_uuid") else ""
        return parent + name

    return [one_track(path(about), about, sorted(events, key=lambda e: e[0])) for about, events in map(tracks.get, order)]


def one_track(path, about, events):
    track = {"path": path, "kind": "event"}
    if about.HasField("process"):
        track |= {"kind": "process", "pid": about.process.pid}
    elif about.HasField("counter"):
        track |= {"kind": "counter", "unit": UNITS.get(about.counter.unit, str(about.counter.unit))}
        if about.counter.unit_name:
            track["unit_name"] = about.counter.unit_name
    types = Counter(event.type for _, event in events)
    for key, kind in (("slice_begin", BEGIN), ("slice_end", END), ("instant", INSTANT), ("counter", COUNTER)):
        if types[kind]:
            track[key] = types[kind]
    if events:
        track |= {"first_ts": events[0][0], "last_ts": events[-1][0]}
    if types[BEGIN] or types[END]:
        track |= depth(event.type for _, event in events)
    names = Counter(event.name for _, event in events if event.type in (BEGIN, INSTANT))
    # The texts of these tracks are each tool's own.
    if names and path != "Tracing Errors" and not path.endswith("Trace Events"):
        track |= {"distinct_names": len(names), "names": dict(names.most_common(40))}
    values = [event.counter_value for _, event in events if event.type == COUNTER]
    if values:
        track |= {"min": min(values), "max": max(values), "last": values[-1]}
    return track


def depth(types):
    opened = most = unmatched = 0
    for kind in types:
        if kind == BEGIN:
            opened += 1
            most = max(most, opened)
        elif kind == END and opened:
            opened -= 1
        elif kind == END:
            unmatched += 1
    return {"max_depth": most, "open_at_end": opened, "unmatched_ends": unmatched}


def expected(name):
    tracks = json.loads((HERE / "expected" / f"{name}.json").read_text())
    for difference in json.loads((HERE / "differences.json").read_text()):
        if difference["capture"] != name:
            continue
        now = difference["now"]
        if difference["path"] is None:
            tracks.append(now)
            continue
        # Tracks of a core share a name.
        was = difference.get("was", {}).items()
        found = [t for t in tracks if t["path"] == difference["path"] and all(t.get(key) == value for key, value in was)]
        found = [t for t in found if now or "first_ts" not in t]
        if now:
            found[0].update(now)
        else:
            tracks.remove(found[0])
    return tracks


def files(name):
    folder = CAPTURES / "tband/tests/captures"
    cores = sorted(folder.glob(f"{name}.c[0-9].bin"))
    return [f"{path}@{core}" for core, path in enumerate(cores)] or [str(folder / f"{name}.bin")]


def export(program, out, proto, options, inputs):
    command = [program, "export", "perfetto", "--proto", proto, "-o", str(out), "--force"]
    command += [word for option in options for word in ("-o", option)] + inputs
    subprocess.run(command, check=True, capture_output=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace
    except ImportError as error:
        print(f"skipped: the package perfetto is not installed ({error})")
        return

    def read(path):
        trace = Trace()
        trace.ParseFromString(path.read_bytes())
        return summary(trace)

    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "t.pftrace"
        for name, mode in REFERENCE.items():
            export(sys.argv[1], out, "tband", [mode], files(name))
            text = lambda track: json.dumps(track, sort_keys=True)
            got, want = Counter(map(text, read(out))), Counter(map(text, expected(name)))
            for track in sorted((want - got).elements()):
                print(f"{name}: missing {track}")
            for track in sorted((got - want).elements()):
                print(f"{name}: instead {track}")
            failures += got != want
            print(f"{name}: {'as expected' if got == want else 'DIFFERS'}, {got.total()} tracks")
        for capture in sorted((CAPTURES / "qs/tests/captures").glob("oven-*.bin")):
            export(sys.argv[1], out, "qs", [], [str(capture)])
            tracks = read(out)
            states = sum(track["path"].endswith(" State") for track in tracks)
            failures += states == 0
            print(f"{capture.stem}: {len(tracks)} tracks, states of {states} objects")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
