# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_commands.py SPYTUI TARGET [QEMU PROGRAMS]: spytui changes what the demo sends: records stop and start again. TARGET
is the program spytui-target, reached through a pseudo terminal and TCP; PROGRAMS are the images of the demo for boards, in
a folder, which QEMU runs with their serial line on a TCP socket."""

import json
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

spytui, target = sys.argv[1:3]
qemu, programs = sys.argv[3:5] if len(sys.argv) > 3 else (None, None)

BOARDS = ("lm3s6965evb", "mps2-an385")
# What is switched off and on again, and the group of these records in jsonl.
FILTERS = {
    "qs": ("SM", "SM"),
    "rkh": ("SMA", "SMA"),
    "tband": ("queue", "QUE"),
    "qnx": ("COMM", "COMM"),
}
SCRIPT = """\
wait 2s
expect group:{group} within 20s
target filter -{word}
wait 3s
target info
target filter +{word}
expect group:{group} within 20s
q
"""


def rows_of(proto, link):
    """Rows that spytui prints while it runs the script."""
    word, group = FILTERS[proto]
    command = [spytui, "--proto", proto, "--format", "jsonl", "--exec", "-"] + link
    done = subprocess.run(
        command, input=SCRIPT.format(word=word, group=group), capture_output=True, text=True, timeout=120
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}\n{done.stdout[-2000:]}")
    # The first line contains the version.
    return [json.loads(line) for line in done.stdout.splitlines()[1:]]


def check(name, proto, link):
    group = FILTERS[proto][1]
    rows = rows_of(proto, link)
    rows_of_commands = [(i, row["text"]) for i, row in enumerate(rows) if row.get("kind") in ("command", "result")]
    # Off, its result, info, its result, on, its result.
    if len(rows_of_commands) != 6 or not all("acknowledged" in rows_of_commands[i][1] for i in (1, 3, 5)):
        sys.exit(f"{name}: {rows_of_commands}")
    off, info = rows_of_commands[1][0], rows_of_commands[2][0]
    others = sum(row["type"] == "record" for row in rows[off:info])
    kept = [row for row in rows[off:info] if row.get("group") == group]
    if kept or not others:
        sys.exit(f"{name}: {len(kept)} of {others} records came though they were switched off: {kept[:3]}")
    print(f"{name}: obeys, {others} other records meanwhile")


def through_link(proto, link, option):
    with subprocess.Popen([target, "--proto", proto, "--link", link], stdout=subprocess.PIPE, text=True) as program:
        try:
            check(f"spytui-target {proto} {link}", proto, [option, program.stdout.readline().strip()])
        finally:
            program.kill()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def on_board(proto, machine):
    image = os.path.join(programs, f"demo_{machine.replace('-', '_')}_{proto}.elf")
    # The board starts when the host connects.
    address = f"127.0.0.1:{free_port()}"
    serial = f"tcp:{address},server=on,wait=on"
    options = ["-display", "none", "-monitor", "none", "-serial", serial]
    # It reports that it waits.
    board = subprocess.Popen([qemu, "-M", machine, "-kernel", image] + options, stderr=subprocess.DEVNULL)
    try:
        check(f"{machine} {proto}", proto, ["--tcp", address])
    finally:
        board.kill()
        board.wait()


def main():
    # They mostly wait.
    with ThreadPoolExecutor(max_workers=4) as pool:
        jobs = []
        for proto in FILTERS:
            jobs.append(pool.submit(through_link, proto, "pty", "--port"))
            jobs.append(pool.submit(through_link, proto, "tcp:127.0.0.1:0", "--tcp"))
            jobs.extend(pool.submit(on_board, proto, machine) for machine in (BOARDS if qemu else ()))
        for job in jobs:
            job.result()
    if not qemu:
        print("skipped the boards: there is no QEMU")


main()
