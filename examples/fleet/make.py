"""Makes the recordings of a fleet: 20 boards, a build a day for ten days, with faults that are known.

    make.py SPYTUI-TARGET FOLDER [GIGABYTES]

From build 1.6 on the link is too slow, so records are dropped; from build 1.8 on a run is long enough for the supervisor to write
its log, so responses take longer; board07 has a damaged line; on board13 the last run is long enough for an assertion. With
GIGABYTES, each recording goes on with runs like it, until all together have that size: the same questions have the same answers.
"""

import datetime
import itertools
import json
import pathlib
import shutil
import subprocess
import sys

BOARDS, BUILDS = 20, 10
FIRST_SLOW_LINK, FIRST_LONG_RUN = 6, 8
DAMAGED, ASSERTING = "board07", "board13"
# Different runs that a large recording is made of.
MORE_RUNS = 40
# Size of recordings and tables by that of the recordings.
SPACE = 2.5
START = datetime.datetime(2026, 11, 2, 8, tzinfo=datetime.timezone.utc)
OPTIONS = {"qs": [["ticks-per-second", "1000000"]], "rkh": [], "tband": []}


def write_meta(path, protocol, start, seconds):
    """The times at which the host received the bytes: evenly, every second."""
    size = path.stat().st_size
    begin = int(start.timestamp()) * 10**9
    options = OPTIONS[protocol]
    lines = [{"spytui-recording": 1, "link": "fleet", "decoder": protocol, "options": options, "start_ns": begin}]
    lines += [{"pos": size * n // seconds, "host_ns": begin + n * 10**9} for n in range(seconds)]
    path.with_suffix(".meta").write_text("".join(json.dumps(line) + "\n" for line in lines))


def run(target, protocol, seconds, seed, faults, path):
    args = [target, "--proto", protocol, "--virtual-clock", "--seconds", str(seconds)]
    args += ["--seed", str(seed), "--link", f"file:{path}"]
    args += ["--faults", ",".join(faults)] if faults else []
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def lengthen(path, size, runs):
    """Appends runs, from the first again if they are too few."""
    written = path.stat().st_size
    with path.open("ab") as file:
        for more in itertools.cycle(runs):
            if written >= size:
                break
            written += file.write(more)


def make(target, folder, gigabytes=0):
    size = float(gigabytes) * 1e9 / (BOARDS * BUILDS)
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    if free < SPACE * size * BOARDS * BUILDS:
        sys.exit(f"{folder}: {free / 1e9:.0f} GB are free; {gigabytes} GB of recordings and their tables need {SPACE} times as much")
    for number in range(BOARDS):
        board = f"board{number + 1:02}"
        protocol = ["qs", "rkh", "tband"][number % 3]
        for build in range(BUILDS):
            seconds = 10 if build < FIRST_LONG_RUN else 30
            is_asserting = board == ASSERTING and build == BUILDS - 1
            faults = ["link-rate=1000,burst=400"] if build >= FIRST_SLOW_LINK and not is_asserting else []
            if board == DAMAGED:
                faults.append("flip=3000")
            path = pathlib.Path(folder, f"1.{build}", board, f"{board}-{build}.bin")
            path.parent.mkdir(parents=True, exist_ok=True)
            seed = 100 * number + build
            first = 65 if is_asserting else seconds
            run(target, protocol, first, seed, faults, path)
            if path.stat().st_size < size:
                more = path.with_suffix(".more")
                runs = []
                for nth in range(MORE_RUNS):
                    run(target, protocol, seconds, seed + 10_000 * (nth + 1), faults, more)
                    runs.append(more.read_bytes())
                more.unlink()
                lengthen(path, size, runs)
            write_meta(path, protocol, START + datetime.timedelta(days=build, minutes=number), first)


if __name__ == "__main__":
    make(*sys.argv[1:])
