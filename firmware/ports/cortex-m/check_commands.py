# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_commands.py QEMU MACHINE PROGRAMS: the demo on a board, PROGRAMS + PROTO.elf, answers commands through a socket."""

import os
import socket
import subprocess
import sys
import tempfile
import time


def qs(number, payload):
    """A QS frame. None of the frames used here needs stuffing."""
    frame = bytes([number]) + payload
    return frame + bytes([~sum(frame) & 0xFF, 0x7E])


def crc(frame):
    """CRC-16/CCITT-FALSE."""
    value = 0xFFFF
    for byte in frame:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value


def companion(op, number, payload=b""):
    """An RKH or tband frame. None of the frames used here needs stuffing."""
    frame = bytes([1 << 5 | op, number]) + payload
    return b"\x7e" + frame + crc(frame).to_bytes(2, "little") + b"\x7e"


PING, USER = 0, 8
OPEN_DOOR = bytes([32, 1, 0, 0, 0])
# The door with its made-up address, from the state door_closed to door_open.
DOOR_OPENS = bytes.fromhex("c0100020 81440000 e1440000")
TBAND_ANSWER = bytes.fromhex("80fe01")

# What is sent, and what must follow: answers and their effects, in order.
EXCHANGES = {
    "qs": [
        (qs(1, b"\x00"), [bytes.fromhex("4000de02")]),
        (qs(2, b"\x01\x02\x01" + bytes(11)), [b"\x42\x01", DOOR_OPENS]),
    ],
    "rkh": [
        (companion(PING, 0), [bytes.fromhex("010001000100")]),
        (companion(USER, 1, OPEN_DOOR), [bytes.fromhex("010801010100"), DOOR_OPENS]),
    ],
    "tband": [
        (companion(PING, 0), [TBAND_ANSWER]),
        (companion(USER, 1, OPEN_DOOR), [TBAND_ANSWER, b"door_open"]),
    ],
    "qnx": [
        (b"5 query 0\n", [bytes.fromhex("0500000001000000")]),
        (b"6 fault 32 1\n", [bytes.fromhex("0600000000000000"), b"door_ope"]),
    ],
}


class Link:
    def __init__(self, path, board):
        self.socket = socket.socket(socket.AF_UNIX)
        self.stream = b""
        # The path exists a moment before QEMU listens.
        while board.poll() is None:
            try:
                self.socket.connect(path)
                return
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.01)
        sys.exit(f"QEMU has ended: {board.returncode}")

    def wait_for(self, wanted, seconds=10):
        """Reads until the bytes arrive; keeps what follows for the next call."""
        end = time.monotonic() + seconds
        while wanted not in self.stream:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            self.stream += self.socket.recv(4096)
        self.stream = self.stream.split(wanted, 1)[1]


def talk(link, exchanges):
    link.wait_for(b"door")
    for command, answers in exchanges:
        link.socket.sendall(command)
        for answer in answers:
            link.wait_for(answer)


def run(qemu, machine, program, exchanges):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "serial")
        serial = f"unix:{path},server=on,wait=on"
        options = ["-display", "none", "-monitor", "none", "-serial", serial]
        board = subprocess.Popen([qemu, "-M", machine, "-kernel", program] + options)
        try:
            talk(Link(path, board), exchanges)
        finally:
            board.kill()
            board.wait()


def main():
    qemu, machine, programs = sys.argv[1:]
    for proto, exchanges in EXCHANGES.items():
        run(qemu, machine, programs + proto + ".elf", exchanges)
        print(f"{machine} {proto}: commands are answered")


main()
