# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_qutest.py SPYTUI TARGET CLIENTS: QUTest runs qutest/test_boiler.py through spytui against the program spytui-target, and
reports a test that fails. CLIENTS is a folder with each version of the package qutest in a folder of its own, as
`pip install --target CLIENTS/VERSION qutest==VERSION` makes it."""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

spytui, target, clients = map(os.path.abspath, sys.argv[1:])
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "qutest", "test_boiler.py")
FAILS = """\
from qutest import *
def on_reset():
    expect_pause()
    continue_test()
    expect_run()
test("passes")
command("CHECK", 1)
expect("@timestamp Trg-Done QS_RX_COMMAND")
test("expects something else")
command("CHECK", 2)
expect("@timestamp Trg-Done QS_RX_TICK")
test("passes, too")
tick()
expect("@timestamp Trg-Done QS_RX_TICK")
"""


def free_port(kind):
    with socket.socket(type=kind) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(path, text):
    for _ in range(200):
        with open(path) as file:
            if text in file.read():
                return
        time.sleep(0.05)
    sys.exit(f"spytui did not say {text!r}")


def summary(client, script, launches):
    """Number of tests and of those that failed, as the client says. `launches`: it starts the target itself."""
    tcp, udp = free_port(socket.SOCK_STREAM), free_port(socket.SOCK_DGRAM)
    with tempfile.TemporaryDirectory() as folder:
        log, program = os.path.join(folder, "log"), os.path.join(folder, "target")
        # QUTest 8.0.0 starts the target without an address.
        with open(program, "w") as file:
            file.write(f'#!/bin/sh\nexec "{target}" "${{1:-127.0.0.1:{tcp}}}" </dev/null >/dev/null 2>&1\n')
        os.chmod(program, 0o755)
        command = [spytui, "--proto", "qs", "-o", "reference=qspy-8.1.3", "--headless"]
        command += ["--listen", f"127.0.0.1:{tcp}", "--qspy", f"127.0.0.1:{udp}"]
        with open(log, "w") as file:
            running = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)]
        try:
            wait_for(log, "front ends are served")
            options = [f"-e{program}", f"-q127.0.0.1:{udp}:{tcp}"] if launches else [f"-q127.0.0.1:{udp}"]
            if not launches:
                running.append(subprocess.Popen([target, "--test", "--link", f"connect:127.0.0.1:{tcp}"]))
                wait_for(log, "TstPause")
            done = subprocess.run(
                [sys.executable, os.path.join(clients, client, "bin", "qutest")] + options + [script],
                env={**os.environ, "PYTHONPATH": os.path.join(clients, client)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=120,
            )
        finally:
            for process in running:
                process.kill()
                process.wait()
    counts = re.search(r"Tests +: (\d+).*Failed +: (\d+)", done.stdout, re.DOTALL | re.IGNORECASE)
    return (int(counts[1]), int(counts[2])) if counts else (0, 0), done.stdout


def check(client, script, launches, wanted):
    counts, output = summary(client, script, launches)
    if counts != wanted:
        sys.exit(f"qutest {client}: {counts[0]} tests, {counts[1]} failed, not {wanted}\n{output}")
    how = "starts the target" if launches else "resets the target"
    print(f"qutest {client}, which {how}: {counts[0]} tests, {counts[1]} failed as expected", flush=True)


versions = sorted(os.listdir(clients)) if os.path.isdir(clients) else []
if not versions:
    print("skipped: there is no package qutest")
    sys.exit(0)
with tempfile.TemporaryDirectory() as scripts, ThreadPoolExecutor(max_workers=2) as pool:
    failing = os.path.join(scripts, "test_failing.py")
    with open(failing, "w") as file:
        file.write(FAILS)
    jobs = [pool.submit(check, client, SCRIPT, launches, (11, 0)) for client in versions for launches in (True, False)]
    jobs += [pool.submit(check, versions[-1], failing, launches, (3, 1)) for launches in (True, False)]
    for job in jobs:
        job.result()
