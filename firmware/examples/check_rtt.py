#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_rtt.py QEMU PROGRAM [FILE]: reads the trace like a debug probe: finds the control block in memory, reads up to the
write position, sets the read position, and sends a command through the other channel, if there is one. Writes the trace to
FILE."""
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

RAM, SIZE = 0x20000000, 0x2000
COMMAND = bytes([0, 1, 1]) + bytes(12)


class Debugger:
    """Just enough of the GDB protocol; memory is accessible while the processor is stopped."""

    def __init__(self, path: str) -> None:
        for _ in range(100):
            try:
                self.link = socket.socket(socket.AF_UNIX)
                self.link.connect(path)
                break
            except OSError:
                time.sleep(0.05)
        self.received = b""

    def send(self, text: str) -> None:
        self.link.sendall(f"${text}#{sum(text.encode()) % 256:02x}".encode())

    def reply(self) -> str:
        while not (packet := re.match(rb"[^$]*\$([^#]*)#..", self.received, re.S)):
            self.received += self.link.recv(4096) or sys.exit("QEMU is gone")
        self.received = self.received[packet.end():]
        self.link.sendall(b"+")
        return packet[1].decode()

    def ask(self, text: str) -> str:
        self.send(text)
        # A stop that took long may be reported twice.
        while (reply := self.reply()).startswith("T"):
            pass
        return reply

    def read(self, address: int, count: int) -> bytes:
        return bytes.fromhex(self.ask(f"m{address:x},{count:x}")) if count else b""

    def write(self, address: int, data: bytes) -> None:
        if self.ask(f"M{address:x},{len(data):x}:{data.hex()}") != "OK":
            sys.exit("memory can't be written")

    def run_for(self, seconds: float) -> None:
        self.send("c")
        time.sleep(seconds)
        self.link.sendall(b"\x03")
        self.reply()


def find(probe: Debugger) -> int:
    """Address of the control block, as soon as the program has created it."""
    at = -1
    while at < 0:
        probe.run_for(0.1)  # QEMU takes half of it to go on
        memory = b"".join(probe.read(RAM + at, 0x400) for at in range(0, SIZE, 0x400))
        at = memory.find(b"SEGGER RTT\0")
    return RAM + at


def take(probe: Debugger, channel: int) -> bytes:
    _, buffer, size, write, read, _ = struct.unpack("<6I", probe.read(channel, 24))
    end = write if write >= read else size
    taken = probe.read(buffer + read, min(end - read, 0x200))
    probe.write(channel + 16, struct.pack("<I", (read + len(taken)) % size))
    return taken


def give(probe: Debugger, channel: int, data: bytes) -> None:
    _, buffer, _, write, _, _ = struct.unpack("<6I", probe.read(channel, 24))
    probe.write(buffer + write, data)
    probe.write(channel + 12, struct.pack("<I", write + len(data)))


def collect(probe: Debugger, channel: int, *wanted: bytes) -> bytes:
    trace = b""
    while not all(part in trace for part in wanted):
        probe.run_for(0.1)
        trace += take(probe, channel)
    return trace


def main() -> None:
    path = tempfile.mkdtemp() + "/debugger"
    qemu = subprocess.Popen([sys.argv[1], "-M", "lm3s6965evb", "-display", "none", "-monitor", "none", "-serial", "null",
        "-kernel", sys.argv[2], "-chardev", f"socket,id=debugger,path={path},server=on,wait=off", "-gdb", "chardev:debugger"])
    try:
        probe = Debugger(path)
        block = find(probe)
        trace = collect(probe, block + 24, b"lamp_off\0", b"SWITCH", b"0.1 C\0")
        downs = probe.read(block + 20, 1)[0]
        if downs > 0:
            give(probe, block + 48, COMMAND + bytes([255 - sum(COMMAND) % 256, 0x7E]))
            trace += collect(probe, block + 24, b"\x42\x01")
        for file in sys.argv[3:]:
            pathlib.Path(file).write_bytes(trace)
    finally:
        qemu.kill()
        shutil.rmtree(path.removesuffix("/debugger"))


main()
