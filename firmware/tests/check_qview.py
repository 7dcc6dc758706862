# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_qview.py SPYTUI TARGET CLIENTS: QView runs qview/view.py through spytui against the program spytui-target, and
refuses target info of the other form. CLIENTS is a folder with each version of the package qview in a folder of its
own, as `pip install --target CLIENTS/VERSION qview==VERSION` makes it. There is no window, so no display is needed."""

import os
import re
import socket
import sys
from concurrent.futures import ThreadPoolExecutor

import front_end

spytui, target, clients = map(os.path.abspath, sys.argv[1:])
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "qview")
NO_WINDOW = os.path.join(FOLDER, "no_window")

# What the view prints, as regular expressions, and what spytui says that it sent: to a test target and to another one.
TEST_PRINTS = """\
names
reset
names
paused
acknowledged glb_filter
acknowledged loc_filter
acknowledged current_obj
acknowledged event
done event
acknowledged ao_filter
acknowledged event
dispatch HEAT_ON burner burner_off
exit burner burner_off
entry burner burner_on
entry burner burner_purging
done event
query burner burner_purging
acknowledged current_obj
acknowledged event
dispatch HEAT_OFF burner burner_purging
exit burner burner_purging
exit burner burner_on
entry burner burner_off
done event
acknowledged event
dispatch DOOR_OPENED burner burner_off
done event
acknowledged command
BOILER 540 0.1 C
PRESSURE 1540 mbar
FLOW 0 l/min
done command
acknowledged tick
done tick
acknowledged current_obj
peek 0 2 1: 540
""".splitlines()
TEST_SENDS = """\
info
reset!
raw 10 10fe0300000000800300000000f0ffff1f
raw 11 1000000000000000000000000000000000
raw 13 0080100020
raw 16 fe00000000
raw 12 0080100020
raw 16 ff07000000
raw 15 00
raw 13 0180100020
raw 16 fd08000000
raw 16 0011000000
raw 1 06000000000000000000000000
tick 0
raw 13 05c0120020
raw 4 00000201
""".splitlines()
UNKNOWN = ["Object Dictionary not found for Name=nobody", "Command Dictionary not found for Name=NOTHING"]
FREE_PRINTS = """\
names
reset
names
entry door door_closed
entry burner burner_off
entry pump pump_stopped
entry supervisor supervisor_idle
run
acknowledged glb_filter
acknowledged command
done command
acknowledged current_obj
query door door_(closed|open)
BOILER \\d+ 0.1 C
PRESSURE \\d+ mbar
FLOW \\d+ l/min
""".splitlines()
FREE_SENDS = """\
info
reset!
raw 10 10000000000000000000000000f0ffff1f
raw 1 05010000000000000000000000
raw 13 00c0100020
raw 15 00
""".splitlines()


def view(client, is_test, form):
    """Lines that the view prints, those of spytui, and what these say that the view sent. `form`: which target info."""
    port = front_end.free_port(socket.SOCK_DGRAM)
    with front_end.host(spytui, "-o", f"front-end-info={form}") as host:
        host.start_target(target, *(["--test"] if is_test else []))
        host.wait_for("TstPause" if is_test else "QF_RUN")
        script = [os.path.join(FOLDER, "view.py"), f"127.0.0.1:{host.udp}", str(port)]
        printed = front_end.run(script, [NO_WINDOW, os.path.join(clients, client)], 30)
        host.wait_for("front end detached", f" after qview {client} printed\n{printed}")
        said = host.said()
    return printed.splitlines(), said, re.findall(rf" target (.*) · front end 127\.0\.0\.1:{port} ", said)


def check(client, is_test):
    form = 7 if client.startswith("7.") else 8
    printed, said, sent = view(client, is_test, form)
    prints, sends = (TEST_PRINTS, TEST_SENDS) if is_test else (FREE_PRINTS, FREE_SENDS)
    if form == 8:
        # QView 8 takes the first target info for that of a reset.
        prints = ["reset", *prints]
    if is_test:
        good = len(printed) == len(prints) and all(map(re.fullmatch, prints, printed))
    else:
        # This target runs all the time, so there may be other records before the filter is set.
        lines = iter(printed)
        good = all(any(re.fullmatch(one, line) for line in lines) for one in prints)
    notes = ["front end attached, channels 00000001", *(UNKNOWN if is_test else [])]
    missing = [note for note in notes if note not in said]
    kind = "test target of 8.1.5" if is_test else "target of 7.3.4"
    if not good or sent != sends or missing:
        printed, sent = "\n".join(printed), "\n".join(sent)
        sys.exit(f"qview {client}, {kind}, printed\n{printed}\nand sent\n{sent}\nRows that are missing: {missing}")
    print(f"qview {client}, {kind}: {len(sent)} commands, all answered", flush=True)


def check_refusal(client):
    form = 8 if client.startswith("7.") else 7
    printed, _, sent = view(client, True, form)
    if sent != ["info"] or len(printed) != 1 or not printed[0].startswith("dialog"):
        sys.exit(f"qview {client} reads target info of {form}: {printed}")
    print(f"qview {client} refuses target info of {form} as expected", flush=True)


versions = front_end.versions(clients)
if not versions:
    print("skipped: there is no package qview")
    sys.exit(0)
with ThreadPoolExecutor(max_workers=4) as pool:
    jobs = [pool.submit(check, client, is_test) for client in versions for is_test in (True, False)]
    jobs += [pool.submit(check_refusal, client) for client in {versions[0], versions[-1]}]
    for job in jobs:
        job.result()
