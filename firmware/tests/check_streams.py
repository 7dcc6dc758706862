# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_streams.py SPYTUI STREAMS: spytui reads each kind of record that the library writes, without loss or damage. STREAMS
is the program built from streams.c."""

import json
import os
import socket
import subprocess
import sys
import tempfile

spytui, streams = sys.argv[1:]
built = os.path.dirname(os.path.dirname(streams))
# Streams, one per core if there are several, with their decoder, number of records, and ids of records that their
# version lacks.
WANTED = {
    "qs7": ("qs", 78, [81]),
    "qs8": ("qs", 78, []),
    "qs-reset": ("qs", 211, []),
    "qs-dump": ("qs", 157, []),
    "rkh": ("rkh", 709, []),
    "tband": ("tband", 1575, []),
    "tband-core0 tband-core1": ("tband", 282, []),
    "kev": ("qnx", 395, []),
    "nto1": ("qnx", 101, []),
}
# Programs that trace with the macros of QS, and their number of records.
PROGRAMS = {"qp8/tests/qp8_posix": 729, "qs_app/tests/dropin": 58}
# What programs on boards of QEMU left, with their number of records: RTT is read for a while.
RUST = "rust/thumbv7m-none-eabi/release/"
BOARDS = {
    "cm3/ports/cortex-m/qp8_cm3.qs": [729],
    RUST + "hello.qs": [64],
    RUST + "rtt.qs": range(17, 1000),
}
# In Rust: target info, every kind of name, states, and values of each kind.
RUST_TEXTS = [
    "QP 7.3.4 build 261122_120000, timestamp 4 obj-ptr 4 fun-ptr 4 signal 2 event-size 2 queue-ctr 1 pool-ctr 2 "
    "pool-blk 2 time-evt-ctr 4 objects 32 pools 3 rates 1",
    "DI Obj-Dict lamp 0x20000000 = lamp",
    "DI Fun-Dict 0x1 = lamp_off",
    "DI Fun-Dict 0x2 = lamp_on",
    "DI Sig-Dict 0x0 sig 4 = TIMEOUT_SIG",
    "DI Usr-Dict record 100 = TEMP",
    "DI Enum-Dic group 0 value 1 = BY_TIME",
    "U4 STY_RESET power",
    "SM Init lamp lamp_off",
    "TI QF_RUN application runs",
    "SM St-Exit lamp lamp_off",
    "SM St-Entry lamp lamp_on",
    "SM Tran lamp TIMEOUT_SIG  lamp_off → lamp_on",
    "U0 SWITCHED lamp lamp_on TIMEOUT_SIG BY_TIME 0x7E7D 0.5 01 02",
    "U0 TEMP 201 0.1 C",
]
# Expected reports about some of them.
NOTES = {"qs-reset": ["restart", "time_back"]}
good = True


def check(is_good, what):
    global good
    good = good and is_good
    print("ok" if is_good else "not ok", "-", what)


def is_clean(decoded):
    return all(row["type"] != "note" or row["kind"] == "prolog" for row in decoded)


def records_of(decoded):
    return [row for row in decoded if row["type"] == "record"]


def answers(program, folder):
    """What spytui reads from a program that connects and receives command 3."""
    path = os.path.join(folder, "answers")
    with socket.create_server(("127.0.0.1", 0)) as server, open(path, "wb") as file:
        process = subprocess.Popen([program, f"127.0.0.1:{server.getsockname()[1]}"])
        link = server.accept()[0]
        link.sendall(bytes.fromhex("0201030a000000140000007d5e0000005d7e"))
        while piece := link.recv(4096):
            file.write(piece)
        return process.wait(), rows("qs", [path])


def write(stream, folder):
    path = os.path.join(folder, stream)
    with open(path, "wb") as file:
        subprocess.run([streams, stream], check=True, stdout=file)
    return path


def rows(proto, paths):
    if len(paths) > 1:
        paths = [f"{path}@{core}" for core, path in enumerate(paths)]
    command = [spytui, "decode", "--proto", proto, "--format", "jsonl"] + paths
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # The first line contains the version.
    return [json.loads(line) for line in text.splitlines()[1:]]


with tempfile.TemporaryDirectory() as folder:
    for stream, (proto, count, not_known) in WANTED.items():
        decoded = rows(proto, [write(one, folder) for one in stream.split()])
        records = [row for row in decoded if row["type"] == "record"]
        notes = [row["kind"] for row in decoded if row["type"] == "note" and row["kind"] != "prolog"]
        check(len(records) == count and notes == NOTES.get(stream, []), f"{stream}: {len(records)} records, notes: {notes}")
        unknown = [row["id"] for row in records if "is not known" in row["text"]]
        check(unknown == not_known, f"{stream}: not known: {unknown}")
    for name, count in PROGRAMS.items():
        path = os.path.join(folder, os.path.basename(name))
        subprocess.run([os.path.join(built, name), f"file:{path}"], check=True)
        decoded = rows("qs", [path])
        found = len(records_of(decoded))
        check(found == count and is_clean(decoded), f"{name}: {found} records, none bad")
    status, decoded = answers(os.path.join(built, "qp8/tests/qp8_posix"), folder)
    done = [row["kind"] for row in records_of(decoded)].count("QS_TARGET_DONE")
    check(status == 0 and done == 1 and is_clean(decoded), f"qp8_posix: {done} command done")
    for name, count in BOARDS.items():
        board = os.path.join(os.path.dirname(built), name)
        if os.path.exists(board):
            decoded = rows("qs", [board])
            found = len(records_of(decoded))
            check(found in count and is_clean(decoded), f"{os.path.basename(name)}: {found} records, none bad")
    board = os.path.join(os.path.dirname(built), RUST + "hello.qs")
    if os.path.exists(board):
        texts = [row["text"] for row in records_of(rows("qs", [board]))]
        missing = [text for text in RUST_TEXTS if text not in texts]
        check(not missing, f"hello.qs: every kind of name and element, missing: {missing}")
sys.exit(not good)
