from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request

from cli.running import environment


class Serving:
    """The command in a process of its own."""

    def __init__(self, *arguments):
        command = [sys.executable, "-m", "aboutness", "serve", *map(str, arguments), "--port", "0"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment())
        self.line = self.process.stdout.readline()
        self.url = self.line.removeprefix("Serving at ").strip()

    def get(self, path, **headers):
        with urllib.request.urlopen(
            urllib.request.Request(self.url + path, headers=headers), timeout=30
        ) as answer:
            return json.load(answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        assert self.end()[0] == 0

    def end(self, signal_=signal.SIGTERM):
        self.process.send_signal(signal_)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err
