# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_qutest.py SPYTUI TARGET CLIENTS: QUTest runs qutest/test_boiler.py through spytui against the program
spytui-target, and reports a test that fails. CLIENTS is a folder with each version of the package qutest in a folder of
its own, as `pip install --target CLIENTS/VERSION qutest==VERSION` makes it."""

import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import front_end

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


def summary(client, script, launches):
    """Number of tests and of those that failed, as the client says. `launches`: it starts the target itself."""
    with front_end.host(spytui, "-o", "reference=qspy-8.1.3") as host:
        options = [f"-q127.0.0.1:{host.udp}"]
        if launches:
            program = os.path.join(host.folder, "target")
            # QUTest 8.0.0 starts the target without an address.
            with open(program, "w") as file:
                file.write(f'#!/bin/sh\nexec "{target}" "${{1:-127.0.0.1:{host.tcp}}}" </dev/null >/dev/null 2>&1\n')
            os.chmod(program, 0o755)
            options = [f"-e{program}", f"-q127.0.0.1:{host.udp}:{host.tcp}"]
        else:
            host.start_target(target, "--test")
            host.wait_for("TstPause")
        package = os.path.join(clients, client)
        output = front_end.run([os.path.join(package, "bin", "qutest"), *options, script], [package], 120)
    counts = re.search(r"Tests +: (\d+).*Failed +: (\d+)", output, re.DOTALL | re.IGNORECASE)
    return (int(counts[1]), int(counts[2])) if counts else (0, 0), output


def check(client, script, launches, wanted):
    counts, output = summary(client, script, launches)
    if counts != wanted:
        sys.exit(f"qutest {client}: {counts[0]} tests, {counts[1]} failed, not {wanted}\n{output}")
    how = "starts the target" if launches else "resets the target"
    print(f"qutest {client}, which {how}: {counts[0]} tests, {counts[1]} failed as expected", flush=True)


versions = front_end.versions(clients)
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
