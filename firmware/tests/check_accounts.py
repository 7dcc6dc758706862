# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_accounts.py SPYTUI TARGET [SEEDS]: spytui's counts for the demo's streams match what the target logs as sent,
dropped and damaged, for many faults with SEEDS seeds each. TARGET is the program spytui-target."""

import collections
import dataclasses
import json
import re
import subprocess
import sys
import tempfile

spytui, target = sys.argv[1:3]
seeds = range(1, 1 + int(sys.argv[3] if len(sys.argv) > 3 else 3))
folder = tempfile.mkdtemp()
failed = []

INJECTED = ("flip", "loss", "noise", "dup", "garbage")
DAMAGE = "flip=200,loss=200,noise=200,dup=200"
MIXES = [
    "flip=100",
    "loss=100",
    "noise=100",
    "dup=100",
    "garbage=100",
    "link-rate=60",
    DAMAGE,
    f"{DAMAGE},reset-every=60",
    f"{DAMAGE},burst=4000",
    f"{DAMAGE},link-rate=60",
    f"{DAMAGE},burst=4000,link-rate=2000,reset-every=60,garbage=100",
]
# A link that is too slow, with bursts and resets.
DROPS = [
    "link-rate=60",
    "link-rate=60,burst=4000",
    "link-rate=2000,burst=4000",
    "link-rate=400,burst=4000,reset-every=20",
    "link-rate=60,reset-every=50",
]


@dataclasses.dataclass
class Sent:
    """A stream of the target, and the log of what the target sent."""

    data: bytes
    frames: int
    damaged: int
    beyond: int
    dropped: int
    resets: int
    # Ends of damaged pieces, and positions of faults.
    pieces: list
    faults: list
    path: str


@dataclasses.dataclass
class Seen:
    """The counts and rows of spytui."""

    stats: dict
    rows: list

    def __getitem__(self, name):
        return self.stats[name]

    def adds_up(self):
        parts = ("record_bytes", "other_bytes", "skipped_bytes", "pending_bytes")
        return self["bytes"] == sum(self[part] for part in parts)

    def bad(self):
        return sum(self[kind] for kind in ("bad_checksum", "bad_frame", "too_short", "too_long"))

    def doubted(self):
        """Frames rejected although their checksum is right; the target's log lists them as beyond the sum."""
        return sum("neither number nor payload fit" in row["text"] for row in self.rows if row["type"] == "note")

    def notes(self):
        """Number of notes with bytes by kind, without the head of a stream."""
        notes = (row for row in self.rows if row["type"] == "note" and row.get("bytes"))
        return collections.Counter(note["kind"] for note in notes if note["kind"] != "prolog")

    def resets(self, proto):
        """Number of target resets: QS reports each twice, and either report may be damaged."""
        if proto != "qs":
            return self["epochs"]
        count, said = -1, 0
        for row in self.rows:
            if row["kind"] == "restart":
                count, said = count + 1, 3
            elif row["type"] == "record":
                said -= 1
                if is_reset_info(row) and said < 0:
                    count += 1
        return count

    def unseen(self):
        """Damaged frames that no good frame follows before the next reset: no sequence number shows their loss."""
        total, damaged = 0, 0
        for row in self.rows:
            if row["kind"] == "restart" or is_reset_info(row):
                total, damaged = total + damaged, 0
            elif row["kind"] in ("bad_checksum", "bad_frame", "too_short", "console") and row.get("bytes"):
                damaged += 1
            elif row["type"] == "record" and row["kind"] != "FWK.TCFG":
                damaged = 0
        return total + damaged

    def totals(self):
        """Totals reported by the drop records; the last `dropped_evt_cnt` may be from any core."""
        for row in self.rows:
            if row["type"] != "record":
                continue
            if row["kind"] == "dropped_evt_cnt":
                yield row["fields"]["cnt"]
            elif row["kind"] == "1021":
                yield int(row["fields"]["w"].split()[0], 16)
            elif "dropped" in row["fields"]:
                yield int(re.search(r"STY_DROPS\D+(\d+)", row["text"])[1])

    def said(self, key, kind=None):
        """Sum over rows: notes of a kind, or fields of records."""
        if kind is not None:
            return sum(row[key] for row in self.rows if row["kind"] == kind and row["type"] == "note")
        return sum(row["fields"].get(key, 0) for row in self.rows if row["type"] == "record")

    def lost_by_row(self):
        return self.said("lost", "gap") + self.said("more_lost")

    def dropped_by_row(self, proto):
        return self.said("dropped") if proto in ("qs", "rkh") else self.said("lost", "drop")

    def records(self):
        rows = (row for row in self.rows if row["type"] == "record")
        return [(row["pos"], row["pos"] + row["len"], row["kind"]) for row in rows]


def is_reset_info(row):
    return row["kind"] == "QS_TARGET_INFO" and row["fields"]["reset"]


def send(proto, faults, seconds):
    path, log = f"{folder}/{proto}.bin", f"{folder}/{proto}.log"
    subprocess.run(
        [target, "--proto", proto, "--link", f"file:{path}", "--virtual-clock", "--seconds", str(seconds)]
        + ["--faults", faults, "--log", log],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    with open(path, "rb") as stream:
        data = stream.read()
    with open(log, encoding="utf-8") as text:
        said = text.read()
    numbers = re.search(r"frames: (\d+) in, \d+ pieces out, (\d+) damaged, of these (\d+)", said)
    frames, damaged, beyond = (int(number) for number in numbers.groups())
    dropped, resets = (int(re.search(words, said)[1]) for words in (r"dropped: (\d+)", r"(\d+) resets"))
    pieces = [int(at) for at in re.findall(r"^(\d+) damaged$", said, re.MULTILINE)]
    places = [int(at) for at in re.findall(r"^(\d+) (?:flip|loss|noise|dup)$", said, re.MULTILINE)]
    return Sent(data, frames, damaged, beyond, dropped, resets, pieces, places, path)


def see(proto, sent):
    name = "qnx" if proto == "nto1" else proto
    command = [spytui, "decode", "--proto", name, "--format", "jsonl", "--stats=json", sent.path]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    # The first line contains the version.
    rows = [json.loads(line) for line in done.stdout.splitlines()[1:]]
    return Seen(json.loads(done.stderr.splitlines()[-1]), rows)


def run(proto, faults, seconds=300):
    sent = send(proto, faults, seconds)
    return sent, see(proto, sent)


def check(good, what):
    print("ok" if good else "not ok", "-", what)
    if not good:
        failed.append(what)


def check_no_fault(proto):
    sent, seen = run(proto, "")
    bad = [name for name in ("gaps", "lost", "resyncs", "dropped", "payload_errors", "unknown") if seen[name]]
    whole = seen.adds_up() and not seen.bad() and not seen.notes()
    check(whole and not bad, f"{proto}: no fault, no loss, no damage {bad}")
    if proto in ("qs", "rkh", "tband"):
        check(seen["records"] == sent.frames, f"{proto}: {seen['records']} records, all that were sent")


def check_resets(proto):
    sent, seen = run(proto, "reset-every=60")
    check(not seen["gaps"] and not seen["dropped"] and seen.adds_up(), f"{proto}: {sent.resets} resets are no loss")
    if proto in ("qs", "rkh", "tband"):
        check(seen["records"] == sent.frames, f"{proto}: with resets {seen['records']} records, all that were sent")
    # Nothing in an nto1 stream shows that the target restarted.
    if proto != "nto1":
        check_epochs(proto, sent, seen)


def check_epochs(proto, sent, seen):
    resets = seen.resets(proto)
    check(resets == sent.resets, f"{proto}: {resets} resets, the target says {sent.resets}")


def check_burst(proto, records):
    sent, seen = run(proto, f"burst={records}", 60)
    what = f"{proto}: of a burst of {records} {sent.dropped} are dropped"
    if proto in ("qs", "rkh"):
        check(seen["lost"] == sent.dropped, f"{what}, {seen['lost']} lost")
        check(seen["records"] == sent.frames, f"{what}, {seen['records']} received")
    elif proto == "tband":
        check(seen["dropped"] == sent.dropped, f"{what}, the host says {seen['dropped']}")
    elif proto == "qnx":
        check(seen["lost_buffers"] > 0 and seen.adds_up(), f"{what}, in {seen['lost_buffers']} buffers")
    if records >= 4000:
        check(sent.dropped > 3000, f"{what}, most of them")


def check_drops(proto, faults):
    """The sums, the rows and the kinds of loss all agree with what the target reports as dropped."""
    sent, seen = run(proto, faults, 200)
    what = f"{proto}: {faults}: {sent.dropped} dropped"
    check(seen["dropped"] == sent.dropped, f"{what}, {seen['dropped']} by the sum")
    check(seen.dropped_by_row(proto) == sent.dropped, f"{what}, {seen.dropped_by_row(proto)} by the rows")
    if proto in ("qs", "rkh"):
        check(seen["lost"] == sent.dropped and seen["lost_exact"], f"{what}, {seen['lost']} lost and no more")
        check(seen.lost_by_row() == sent.dropped, f"{what}, {seen.lost_by_row()} lost by the rows")
        others = [gap for gap in seen.rows if gap["kind"] == "gap" and gap.get("cause") != "target"]
        check(not others, f"{what}, all in gaps of the target {others[:3]}")


def check_drops_and_damage(proto, faults):
    """With damage too, drops are distinguished from losses on the line, up to the last total that arrives. The run ends
    before an incident resets the totals."""
    sent, seen = run(proto, faults, 60)
    totals = list(seen.totals())
    what = f"{proto}: {faults}: {sent.dropped} dropped"
    falls = any(after < before for before, after in zip(totals, totals[1:]))
    if falls or max(totals, default=0) != sent.dropped or totals[-1] != sent.dropped:
        # Invisible damage hit a total, or the last one did not arrive.
        print(f"skipped: {what}, reported are {totals[-3:]}")
        return False
    check(seen["dropped"] == sent.dropped, f"{what}, {seen['dropped']} by the sum")
    check(seen.dropped_by_row(proto) == sent.dropped, f"{what}, {seen.dropped_by_row(proto)} by the rows")
    if proto in ("qs", "rkh") and sent.beyond == 0:
        of_target = sum(gap["lost"] for gap in seen.rows if gap["kind"] == "gap" and gap.get("cause") == "target")
        check(of_target <= sent.dropped, f"{what}, {of_target} in gaps of the target alone")
        line = seen["lost"] - sent.dropped
        check(0 <= line <= 2 * sent.damaged, f"{what}, {line} lost on the line, {sent.damaged} damaged")
    return True


def check_mix(proto, faults):
    """QS and RKH: sequence number and checksum show which frames arrived."""
    sent, seen = run(proto, faults)
    all_sent = sent.frames + sent.dropped
    received = seen["records"] + seen["lost"]
    # A damaged flag joins two frames. Damage that the sum misses may hit an 8-bit number.
    unseen, missing = 2 * seen.unseen(), all_sent - received
    same = 0 <= missing <= unseen or sent.beyond and missing % 256 <= unseen
    check(same, f"{proto}: {faults}: {received} received or lost, {all_sent} sent or dropped, at most {unseen} unseen")
    notes = seen.notes()
    # Bytes before the first frame are from before the stream; printable ones are shown as text.
    other = {kind: notes[kind] for kind in ("partial", "console") if notes[kind]}
    reported = seen.bad() - seen.doubted() + sent.beyond + sum(other.values())
    check(reported == sent.damaged, f"{proto}: {faults}: {sent.damaged} damaged: {seen.bad()} bad, {sent.beyond} beyond, {other}")
    check(seen.adds_up(), f"{proto}: {faults}: bytes add up")
    check_epochs(proto, sent, seen)


def check_unsent(proto, faults):
    """tband and QNX: without a checksum, damage may look like a record, but only where the log shows damage."""
    plain = ",".join(fault for fault in faults.split(",") if fault.split("=")[0] not in INJECTED)
    whole, as_sent = run(proto, plain)
    left = collections.Counter(whole.data[begin:end] for begin, end, _ in as_sent.records())
    sent, seen = run(proto, faults)
    marks = sent.pieces if proto == "tband" else sent.faults
    unmarked, altered = [], []
    for begin, end, kind in seen.records():
        if left[sent.data[begin:end]] > 0:
            left[sent.data[begin:end]] -= 1
            continue
        if kind == "BUFFER" and "link-rate" in faults:
            # Noise takes time on a slow link, so another buffer may be dropped, which changes the number.
            continue
        altered.append(kind)
        if not any(begin <= mark <= end for mark in marks):
            unmarked.append(begin)
    check(not unmarked, f"{proto}: {faults}: {len(altered)} records were not sent so, all where the log says {unmarked[:5]}")
    check(len(altered) <= max(sent.damaged, len(sent.faults)), f"{proto}: {faults}: no more than were damaged")
    check(seen.adds_up(), f"{proto}: {faults}: bytes add up")
    # Anything that looks like a total counts as one.
    if proto == "tband" and "dropped_evt_cnt" not in altered:
        check(seen["dropped"] == sent.dropped, f"{proto}: {faults}: {seen['dropped']} dropped, as the target says")


known = subprocess.run([spytui, "plugins"], check=True, capture_output=True, text=True).stdout
for name in ("qs", "rkh", "tband", "qnx", "nto1"):
    if not re.search(rf"^{'qnx' if name == 'nto1' else name}\b", known, re.MULTILINE):
        print(f"skipped: there is no decoder for {name}")
        continue
    check_no_fault(name)
    check_resets(name)
    # In one of 256 bursts, the numbers hide all drops.
    for size in (400, 4000, 4138, 4139):
        check_burst(name, size)
    # nto1 streams show only with an answer that they have totals.
    if name != "nto1":
        for drops in DROPS:
            check_drops(name, drops)
        arrived = [check_drops_and_damage(name, f"{DAMAGE},{drops},seed={seed}") for drops in DROPS[:2] for seed in seeds]
        check(any(arrived), f"{name}: with damage, a last total arrived")
    for mix in MIXES:
        for seed in seeds:
            (check_mix if name in ("qs", "rkh") else check_unsent)(name, f"{mix},seed={seed}")
print(f"{len(failed)} failed")
sys.exit(bool(failed))
