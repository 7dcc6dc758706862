# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the checks with front ends share: spytui in QSPY's place, and a target that connects to it."""

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager


def free_port(kind):
    with socket.socket(type=kind) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Host:
    """A running spytui: `tcp` takes the target, `udp` the front end, and `folder` is removed at the end."""

    def __init__(self, folder):
        self.folder = folder
        self.tcp, self.udp = free_port(socket.SOCK_STREAM), free_port(socket.SOCK_DGRAM)
        self.running = []

    def start(self, command, output=subprocess.DEVNULL):
        started = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.running.append(started)

    def start_target(self, target, *options):
        self.start([target, *options, "--link", f"connect:127.0.0.1:{self.tcp}"])

    def said(self):
        with open(os.path.join(self.folder, "log")) as log:
            return log.read()

    def wait_for(self, text, after=""):
        for _ in range(200):
            if text in self.said():
                return
            time.sleep(0.05)
        sys.exit(f"spytui did not say {text!r}{after}")


@contextmanager
def host(spytui, *options):
    with tempfile.TemporaryDirectory() as folder:
        one = Host(folder)
        command = [spytui, "--proto", "qs", *options, "--headless"]
        command += ["--listen", f"127.0.0.1:{one.tcp}", "--qspy", f"127.0.0.1:{one.udp}"]
        try:
            with open(os.path.join(folder, "log"), "w") as log:
                one.start(command, log)
            one.wait_for("front ends are served")
            yield one
        finally:
            for process in one.running:
                process.kill()
                process.wait()


def run(script, modules, seconds):
    """What a Python script prints that finds its modules in these folders. It is ended after that time."""
    process = subprocess.Popen(
        [sys.executable, *script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(modules)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    end = threading.Timer(seconds, process.kill)
    end.start()
    try:
        return process.communicate()[0]
    finally:
        end.cancel()


def versions(clients):
    return sorted(os.listdir(clients)) if os.path.isdir(clients) else []
