#!/usr/bin/env python3
"""Reads a JUnit file of `spytui check` back with the package `junitparser`.

    check.py SPYTUI      checks captures with this program

Says "skipped" and ends well where the package is not installed.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

CAPTURES = Path(__file__).resolve().parents[3] / "decoders/qs/tests/captures"
RULES = """
[[expect]]
name = "it holds & <is> \\"quoted\\" \\u0001"
count = { row = "kind:TE0-Post BEAT_SIG", min = 1 }

[[expect]]
name = "it fails"
losses = 0

[[expect]]
name = "it is unknown"
never = { row = "sev>=error" }

[[expect]]
name = "it may be unknown"
never = { row = "sev>=error" }
allow-unknown = true
"""


def main():
    try:
        from junitparser import Error, Failure, JUnitXml, Skipped
    except ImportError:
        return print("skipped: the package junitparser is not installed")
    with tempfile.TemporaryDirectory() as folder:
        rules, out = Path(folder) / "rules.toml", Path(folder) / "out.xml"
        rules.write_text(RULES)
        capture = CAPTURES / "oven-734-flips.bin"
        args = [sys.argv[1], "check", "--proto", "qs", capture, "--rules", rules, "--junit", out]
        code = subprocess.run(args, stdout=subprocess.DEVNULL, check=False).returncode
        xml = JUnitXml.fromfile(str(out))
    suites = list(xml)
    cases = [case for suite in suites for case in suite]
    results = [[type(result) for result in case.result] for case in cases]
    names = ['it holds & <is> "quoted" \ufffd', "it fails", "it is unknown", "it may be unknown"]
    assert code == 1, code
    assert [case.name for case in cases] == names, cases
    assert results == [[], [Failure], [Error], [Skipped]], results
    assert "wrong checksum" in cases[1].result[0].text, cases[1].result[0].text
    assert [(s.tests, s.failures, s.errors, s.skipped) for s in suites] == [(4, 1, 1, 1)]
    print("read back: 4 verdicts")


if __name__ == "__main__":
    main()
