#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_test_target.py PROGRAM: spytui-target --test does what a host of QUTest commands, and sends nothing else."""

import socket
import subprocess
import sys

program = sys.argv[1]
COMMAND, RESET, TICK, PEEK, POKE, FILL, SETUP, TEARDOWN, PROBE, GLB, LOC, AO, CURR, CONTINUE, QUERY, EVENT = range(1, 17)
SM, AO_KIND, MP, _, TE, AP, SM_AO = range(7)
ENUM, SIG, OBJ, FUN, USR, INFO, DONE, STATUS, QUERY_DATA, PEEK_DATA, ASSERT, RUN = 54, *range(60, 71)
PAUSED, PROBE_GET = 58, 59
ENTRY, EXIT, INIT_TRAN, INTERN, TRAN, IGNORED, DISPATCH, POST, GET_LAST, TICKED = 1, 2, 4, 5, 6, 7, 8, 14, 17, 31
good = True


def check(is_good, what):
    global good
    good = good and is_good
    print("ok" if is_good else "not ok", "-", what)


def le(number, size):
    return number.to_bytes(size, "little")


class Host:
    """The target's end of the link, and what its dictionaries say."""

    def __init__(self, link):
        self.link, self.pending, self.number, self.of_target = link, b"", 0, 0
        self.link.settimeout(10)
        self.names = {}

    def send(self, *commands):
        """Each is an id and a payload; all in one piece."""
        out = b""
        for command, payload in commands:
            self.number = (self.number + 1) % 256
            content = bytes([self.number, command]) + payload
            content += bytes([255 - sum(content) % 256])
            out += b"".join(bytes([0x7D, b ^ 0x20]) if b in (0x7D, 0x7E) else bytes([b]) for b in content) + b"\x7e"
        self.link.sendall(out)

    def next(self):
        """Id and payload of the next record."""
        while b"\x7e" not in self.pending:
            piece = self.link.recv(4096)
            if not piece:
                raise EOFError
            self.pending += piece
        stuffed, self.pending = self.pending.split(b"\x7e", 1)
        frame, escaped = bytearray(), False
        for b in stuffed:
            if b == 0x7D:
                escaped = True
            else:
                frame.append(b ^ 0x20 if escaped else b)
                escaped = False
        if sum(frame) % 256 != 255 or (frame[1] != 0 and frame[0] != (self.of_target + 1) % 256):
            sys.exit(f"a damaged frame, or one is missing before: {frame.hex()}")
        self.of_target = frame[0]
        return frame[1], bytes(frame[2:-1])

    def until(self, last):
        """The records up to one of id `last`; names are kept and left out."""
        found = []
        while not found or found[-1][0] != last:
            record, payload = self.next()
            if record in (ENUM, SIG, OBJ, FUN, USR):
                size = {ENUM: 2, SIG: 6, OBJ: 4, FUN: 4, USR: 1}[record]
                self.names[payload[size:-1].decode()] = int.from_bytes(payload[: 1 if record == ENUM else 2 if record == SIG else size], "little")
            else:
                found.append((record, payload))
        return found

    def do(self, last, *commands):
        self.send(*commands)
        return self.until(last)

    def acks(self, command, payload=b""):
        answer = self.do(STATUS, (command, payload))
        return answer == [(STATUS, bytes([command]))]

    # Commands.

    def address(self, name):
        return le(self.names[name], 4)

    def command(self, name, *parameters):
        p = list(parameters) + [0] * (3 - len(parameters))
        return COMMAND, bytes([self.names[name]]) + b"".join(le(number, 4) for number in p)

    def event(self, where, sig, parameters=b""):
        return EVENT, bytes([where]) + le(self.names[sig], 2) + le(len(parameters), 2) + parameters

    def probe(self, function, data):
        return PROBE, le(data, 4) + self.address(function)


def bits(*numbers):
    return b"\x10" + le(sum(1 << number for number in numbers), 16)


def ids(records):
    return [record for record, _ in records]


def status(command):
    return STATUS, bytes([command])


def done(time, command):
    return DONE, le(time, 4) + bytes([command])


def start(host):
    """The start up to its pause."""
    records = host.until(PAUSED)
    host.number = 0
    info = records[1][1]
    check(
        ids(records) == [0, INFO, PAUSED] and info[0] == 0x46 and len(info) == 18 and ~int.from_bytes(info[1:5], "little") % 2**32 == 2608050815,
        f"it starts with the info of 8.1.5 and {len(host.names)} names, and pauses",
    )


def run(host):
    host.do(STATUS, (GLB, bits()))
    host.do(RUN, (CONTINUE, b""))


def tests(host):
    start(host)
    check(host.acks(GLB, bits(INIT_TRAN)), "filters can be set during the pause")
    records = host.do(RUN, (CONTINUE, b""))
    machines = [payload[4:8] for record, payload in records[1:-1] if record == INIT_TRAN]
    wanted = [host.address(name) for name in ("door", "burner", "pump", "supervisor")]
    check(records[0] == status(CONTINUE) and machines == wanted and len(records) == 6, "continued, its objects start, and it runs")

    check(host.acks(GLB, bits(DISPATCH, TRAN, ENTRY, EXIT)) and host.acks(SETUP), "a setup")
    check(host.acks(CURR, bytes([SM_AO]) + host.address("burner")), "a current object")
    records = host.do(DONE, host.event(255, "HEAT_ON"))
    burner = host.address("burner")
    check(
        records
        == [
            status(EVENT),
            (DISPATCH, le(1, 4) + le(host.names["HEAT_ON"], 2) + burner + host.address("burner_off")),
            (EXIT, burner + host.address("burner_off")),
            (ENTRY, burner + host.address("burner_on")),
            (ENTRY, burner + host.address("burner_purging")),
            (TRAN, le(2, 4) + le(host.names["HEAT_ON"], 2) + burner + host.address("burner_off") + host.address("burner_purging")),
            done(3, EVENT),
        ],
        "an event is dispatched; time begins at the setup",
    )
    records = host.do(QUERY_DATA, (QUERY, bytes([SM])))
    check(records == [(QUERY_DATA, le(4, 4) + bytes([SM]) + burner + host.address("burner_purging"))], "a state is asked for")
    records = host.do(QUERY_DATA, (QUERY, bytes([AO_KIND])))
    check(records == [(QUERY_DATA, le(5, 4) + bytes([AO_KIND, 5]) + le(0, 2) + le(8, 2) + le(8, 2))], "a queue is asked for")
    records = host.do(DONE, host.event(254, "HEAT_ON"))
    check(ids(records) == [STATUS, ENTRY, DONE], "it takes its initial transition again")
    check(host.acks(TEARDOWN) and host.acks(GLB, bits()), "a teardown")

    check(host.acks(SETUP) and host.acks(GLB, bits(POST, GET_LAST, TRAN)), "another setup")
    check(all(host.acks(*host.probe("read_temperature", value)) for value in (500, 640)), "two probes")
    records = host.do(DONE, host.command("POLL"))
    check(
        ids(records)[:3] == [STATUS, PROBE_GET, POST]
        and records[1][1] == le(1, 4) + host.address("read_temperature") + le(500, 4)
        and ids(records).count(TRAN) == 3
        and records[-1][1][4:] == bytes([COMMAND]),
        f"the cold boiler is read and the events that follow are executed: {ids(records)}",
    )
    check(ids(host.do(DONE, host.command("POLL"))) == [STATUS, PROBE_GET, POST, GET_LAST, DONE], "the next reading changes nothing")
    check(PROBE_GET not in ids(host.do(DONE, host.command("POLL"))), "then the plant is read")
    check(host.acks(LOC, bits(0, 2)) and host.acks(GLB, bits(TRAN, DISPATCH)), "only the pump is traced")
    check(ids(host.do(DONE, host.event(1, "DOOR_OPENED"))) == [STATUS, DISPATCH, TRAN, DONE], "an event by priority, and what the pump did")
    check(host.do(STATUS, (AO, b"\0" + host.address("supervisor")))[0] == status(AO), "the supervisor is traced, too")
    check(ids(host.do(DONE, host.event(0, "DOOR_CLOSED"))) == [STATUS, DISPATCH, TRAN, DONE], "an event is published to it")
    check(host.acks(LOC, bits(*range(128))) and host.acks(GLB, bits(TICKED)), "ticks are traced")
    check(ids(host.do(DONE, (TICK, b"\0"))) == [STATUS, TICKED, DONE], "a tick")
    check(host.acks(TEARDOWN) and host.acks(GLB, bits()), "another teardown")

    host.acks(SETUP)
    check(host.acks(CURR, bytes([AP]) + host.address("plant")), "memory of an object")
    check(host.acks(POKE, bytes([0, 0, 2, 1]) + le(777, 2)) and host.acks(FILL, bytes([2, 0, 2, 2]) + le(9, 2)), "is changed")
    peeked = host.do(PEEK_DATA, (PEEK, bytes([0, 0, 2, 3])))[0][1]
    check(peeked == le(1, 4) + bytes([0, 0, 2, 3]) + le(777, 2) + le(9, 2) * 2, "and read")
    check(host.do(STATUS, (POKE, bytes([8, 0, 1, 1, 0])))[0] == status(0x80 | POKE), "what is behind it is not")
    check(host.do(STATUS, (17, b""))[0] == status(0xC3), "a command that nobody knows")

    records = host.do(DONE, host.command("PAUSE"), (PEEK, bytes([0, 0, 2, 1])), host.command("CHECK", 2000), (CONTINUE, b""))
    check(
        ids(records) == [STATUS, PAUSED, PEEK_DATA, STATUS, DONE] and host.until(DONE) == [status(CONTINUE), done(4, COMMAND)],
        "commands are executed while it pauses",
    )


def assertion(host):
    check(host.acks(*host.probe("check_pressure", 1)), "a probe for a function that then fails")
    records = host.do(ASSERT, host.command("CHECK", 0))
    check(
        ids(records) == [STATUS, PROBE_GET, ASSERT] and records[-1][1][4:] == le(100, 2) + b"boiler\0",
        "an assertion is sent",
    )


def through_tcp():
    target = subprocess.Popen([program, "--test", "--link", "tcp:127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        port = int(target.stdout.readline().rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port)) as link:
            host = Host(link)
            tests(host)
            assertion(host)
            start(host)
            host.send((RESET, b""))
            start(host)
            check(host.acks(SETUP), "a reset starts it again")
            host.send((TEARDOWN, b""), (RESET, b""))
            check(host.until(STATUS) == [status(TEARDOWN)], "what came before a reset is answered")
            start(host)
            run(host)
            check(host.do(PAUSED, host.command("PAUSE"))[0] == status(COMMAND), "a program that pauses")
            host.send((RESET, b""))
            start(host)
        with socket.create_connection(("127.0.0.1", port)) as link:
            start(Host(link))
    finally:
        target.terminate()
        check(target.wait() == 0, "it ends at a signal")


def that_connects():
    """With the host's address it is a client, as those that QUTest starts."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        for ends in ("reset", "assertion", "lost link"):
            target = subprocess.Popen([program, address])
            with server.accept()[0] as link:
                host = Host(link)
                start(host)
                run(host)
                if ends == "reset":
                    host.send((RESET, b""))
                elif ends == "assertion":
                    assertion(host)
                if ends != "lost link":
                    check(host.link.recv(1) == b"", f"{ends}: it hangs up")
            check(target.wait(10) == 0, f"{ends}: it ends")
        target = subprocess.Popen([program, "--test", "--link", f"connect:{address}"])
        for _ in range(2):
            with server.accept()[0] as link:
                start(Host(link))
        target.terminate()
        target.wait()
    nobody = subprocess.run([program, address], capture_output=True, text=True)
    check(nobody.returncode == 1 and "no host is there" in nobody.stderr, "without a host it says so")


through_tcp()
that_connects()
for wrong in (["--proto", "rkh"], ["--faults", "flip=1"], ["--seconds", "1"], ["--link", "stdout"]):
    refused = subprocess.run([program, "--test"] + wrong, capture_output=True, text=True)
    check(refused.returncode == 2 and "--test" in refused.stderr, f"refused: --test {' '.join(wrong)}")
sys.exit(not good)
