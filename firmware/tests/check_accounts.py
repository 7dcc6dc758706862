"""check_accounts.py SPYTUI TARGET: what spytui counts in the demo's streams is what the target says it sent, dropped and
damaged. TARGET is the program spytui-target."""

import collections
import json
import re
import subprocess
import sys
import tempfile

spytui, target = sys.argv[1:]
folder = tempfile.mkdtemp()
failed = []


def run_target(proto, faults, seconds):
    """A stream as a file, and the end of the log as numbers."""
    stream, log = f"{folder}/{proto}.bin", f"{folder}/{proto}.log"
    subprocess.run(
        [target, "--proto", proto, "--link", f"file:{stream}", "--virtual-clock", "--seconds", str(seconds)]
        + ["--faults", faults, "--log", log],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    with open(log, encoding="utf-8") as text:
        end = text.read()
    numbers = re.search(r"frames: (\d+) in, \d+ pieces out, (\d+) damaged, of these (\d+)", end)
    frames, damaged, beyond = (int(n) for n in numbers.groups())
    dropped = int(re.search(r"dropped: (\d+)", end)[1])
    return stream, {"frames": frames, "damaged": damaged, "beyond": beyond, "dropped": dropped}


def counters(proto, stream):
    """The counters of `spytui stats` by name; `adds up` is 1 if they do."""
    text = subprocess.run([spytui, "stats", "--proto", proto, stream], check=True, capture_output=True, text=True).stdout
    found = collections.Counter({"adds up": int("adds up" in text)})
    for name, number in re.findall(r"^(\w[\w ]*?)  +≥?([\d\s]+)$", text, re.MULTILINE):
        found[name] = int(re.sub(r"\s", "", number))
    return found


def notes(proto, stream):
    """How many notes there are of each kind; only those that have bytes, and not the head of a stream."""
    command = [spytui, "decode", "--proto", proto, "--format", "jsonl", stream]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = (json.loads(line) for line in text.splitlines())
    kinds = (row["kind"] for row in rows if row["type"] == "note" and row.get("bytes"))
    return collections.Counter(kind for kind in kinds if kind != "prolog")


def check(good, what):
    print("ok" if good else "not ok", "-", what)
    if not good:
        failed.append(what)


def check_no_fault(proto):
    stream, sent = run_target(proto, "", 300)
    seen = counters(proto, stream)
    bad = [name for name in seen if name in ("gaps", "lost", "resyncs", "dropped") or name.startswith(("bad", "short"))]
    check(seen["adds up"] and not bad and not notes(proto, stream), f"{proto}: no fault, no loss, no damage {bad}")
    if proto != "qnx":
        check(seen["records"] == sent["frames"], f"{proto}: {seen['records']} records, all that were sent")


def check_damage(proto, seed):
    faults = f"flip=100,loss=100,noise=100,dup=100,seed={seed}"
    stream, sent = run_target(proto, faults, 300)
    seen, kinds = counters(proto, stream), notes(proto, stream)
    received = seen["records"] + seen["lost"]
    # Damage beyond the sum may hit a number, and count 256 too many.
    check((received - sent["frames"]) % 256 == 0, f"{proto}: {faults}: received + lost is {received}, sent {sent['frames']}")
    bad = sum(kinds[kind] for kind in ("bad_checksum", "bad_frame", "too_short"))
    # Of a frame behind printable bytes nothing is lost: those are shown as text.
    parts = (bad, sent["beyond"], kinds["console"])
    check(sum(parts) == sent["damaged"], f"{proto}: damaged {sent['damaged']} = bad, beyond the sum, behind text: {parts}")
    check(seen["adds up"], f"{proto}: bytes add up")


def check_resets(proto):
    stream, sent = run_target(proto, "reset-every=60", 300)
    seen = counters(proto, stream)
    check(not seen["lost"] and not seen["dropped"] and seen["epochs"] >= 4, f"{proto}: resets are no loss")
    if proto != "qnx":
        check(seen["records"] == sent["frames"], f"{proto}: with resets {seen['records']} records, all that were sent")


def check_burst(proto):
    stream, sent = run_target(proto, "burst=4000", 60)
    seen = counters(proto, stream)
    if proto == "tband":
        check(seen["dropped"] == sent["dropped"] > 3000, f"tband: a burst drops {seen['dropped']}, as the target says")
    elif proto == "qnx":
        check(seen["lost buffers"] > 0 and seen["adds up"], f"qnx: a burst drops {seen['lost buffers']} buffers")
    else:
        same = (seen["lost"] - sent["dropped"]) % 256 == 0
        check(same and sent["dropped"] > 3000, f"{proto}: a burst drops {sent['dropped']}, the same modulo 256")


known = subprocess.run([spytui, "plugins"], check=True, capture_output=True, text=True).stdout
for name in ("qs", "rkh", "tband", "qnx"):
    if not re.search(rf"^{name}\b", known, re.MULTILINE):
        print(f"skipped: there is no decoder for {name}")
        continue
    check_no_fault(name)
    check_resets(name)
    check_burst(name)
    if name in ("qs", "rkh"):
        for number in (1, 2, 3):
            check_damage(name, number)
sys.exit(bool(failed))
