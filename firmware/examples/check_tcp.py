#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_tcp.py PROGRAM: the TCP output example serves a host, executes its command, and serves the next one."""
import socket
import subprocess
import sys
import time


def frame(record: int, payload: bytes) -> bytes:
    """A QS command."""
    content = bytes([0, record]) + payload
    content += bytes([255 - sum(content) % 256])
    stuffed = b"".join(bytes([0x7D, byte ^ 0x20]) if byte in (0x7D, 0x7E) else bytes([byte]) for byte in content)
    return stuffed + b"\x7e"


def connect(port: int) -> socket.socket:
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=10)
        except ConnectionRefusedError:
            time.sleep(0.05)
    sys.exit("it does not listen")


def read_until(host: socket.socket, *wanted: bytes) -> None:
    trace = b""
    while not all(part in trace for part in wanted):
        trace += host.recv(4096) or sys.exit(f"it hung up after {trace!r}")


def read_answer(host: socket.socket) -> None:
    """The status says that command 1 is done."""
    trace = b""
    while not any(len(part) > 3 and part[1:3] == b"\x42\x01" for part in trace.split(b"\x7e")):
        trace += host.recv(4096) or sys.exit(f"no answer in {trace!r}")


with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
target = subprocess.Popen([sys.argv[1], str(port)])
try:
    for _ in range(2):
        with connect(port) as host:
            read_until(host, b"lamp_off\0", b"SWITCH\0", b"0.1 C\0")
            host.sendall(frame(1, bytes([1]) + bytes(12)))
            read_answer(host)
finally:
    target.kill()
