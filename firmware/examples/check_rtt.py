#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_rtt.py QEMU PROGRAM: reads the trace as a debug probe does: finds the control block in memory, takes what the write
position says, sets the read position, and sends a command by the other channel."""
import socket
import struct
import subprocess
import sys
import time

RAM, SIZE = 0x20000000, 0x2000
COMMAND = bytes([0, 1, 1]) + bytes(12)


class Debugger:
    """Just enough of the protocol of GDB; memory can be reached while the processor is stopped."""

    def __init__(self, port: int) -> None:
        for _ in range(100):
            try:
                self.link = socket.create_connection(("127.0.0.1", port), timeout=10)
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        self.ask("?")

    def send(self, text: str) -> None:
        self.link.sendall(f"${text}#{sum(text.encode()) % 256:02x}".encode())

    def reply(self) -> str:
        packet = b""
        while b"#" not in packet or len(packet.split(b"#")[1]) < 2:
            packet += self.link.recv(4096) or sys.exit("QEMU is gone")
        self.link.sendall(b"+")
        return packet.split(b"$")[-1].split(b"#")[0].decode()

    def ask(self, text: str) -> str:
        self.send(text)
        return self.reply()

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
    memory = b"".join(probe.read(RAM + at, 0x400) for at in range(0, SIZE, 0x400))
    at = memory.find(b"SEGGER RTT\0")
    return RAM + at if at >= 0 else sys.exit("there is no control block")


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
        probe.run_for(0.1)  # QEMU takes half of it to go on
        trace += take(probe, channel)
    return trace


def main() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    qemu = subprocess.Popen([sys.argv[1], "-M", "lm3s6965evb", "-display", "none", "-monitor", "none", "-serial", "null",
        "-kernel", sys.argv[2], "-gdb", f"tcp:127.0.0.1:{port}"])
    try:
        probe = Debugger(port)
        probe.run_for(0.2)
        block = find(probe)
        collect(probe, block + 24, b"lamp_off\0", b"SWITCH\0", b"0.1 C\0")
        give(probe, block + 48, COMMAND + bytes([255 - sum(COMMAND) % 256, 0x7E]))
        collect(probe, block + 24, b"\x42\x01")
    finally:
        qemu.kill()


main()
