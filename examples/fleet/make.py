"""Makes the recordings of a fleet: 20 boards, a build a day for ten days, with faults that are known.

    make.py SPYTUI-TARGET FOLDER

From build 1.6 on the link is too slow, so records are dropped; from build 1.8 on a run is long enough for the supervisor to write
its log, so responses take longer; board07 has a damaged line; on board13 the last run is long enough for an assertion.
"""

import datetime
import json
import pathlib
import subprocess
import sys

BOARDS, BUILDS = 20, 10
FIRST_SLOW_LINK, FIRST_LONG_RUN = 6, 8
DAMAGED, ASSERTING = "board07", "board13"
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


def make(target, folder):
    for number in range(BOARDS):
        board = f"board{number + 1:02}"
        protocol = ["qs", "rkh", "tband"][number % 3]
        for build in range(BUILDS):
            seconds = 10 if build < FIRST_LONG_RUN else 30
            faults = []
            if board == ASSERTING and build == BUILDS - 1:
                seconds = 65
            elif build >= FIRST_SLOW_LINK:
                faults.append("link-rate=1000,burst=400")
            if board == DAMAGED:
                faults.append("flip=3000")
            path = pathlib.Path(folder, f"1.{build}", board, f"{board}-{build}.bin")
            path.parent.mkdir(parents=True, exist_ok=True)
            args = [target, "--proto", protocol, "--virtual-clock", "--seconds", str(seconds)]
            args += ["--seed", str(100 * number + build), "--link", f"file:{path}"]
            args += ["--faults", ",".join(faults)] if faults else []
            subprocess.run(args, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            write_meta(path, protocol, START + datetime.timedelta(days=build, minutes=number), seconds)


if __name__ == "__main__":
    make(*sys.argv[1:])
