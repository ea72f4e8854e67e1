"""`python -m bench.screenshots [--results DIR]`: pictures of every page, for the README, in docs/screenshots.

They show the documentation of Python's standard library, as `aboutness demo` makes it, in the system's Chromium.
With `--all DIR` each page is taken on a phone and in dark colours, too, to be looked at.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import aboutness as ab
from aboutness.app.comparing import save_comparison
from aboutness.app.demo import TRAININGS, build_demo, compare_demo, train_demo

FOLDER = Path(__file__).parents[1] / "docs" / "screenshots"
WIDE, PHONE = {"width": 1250, "height": 860}, {"width": 390, "height": 844}
PAGES = {
    "search": "/search?q=compress+data&r=default&r=bm25&r=iwcs",
    "explain": "/explain?q=compress+data&id=zlib.compress&r=bm25&r=desm-in-out",
    "words": "/words?q=compress",
    "perturb": "/perturb?set=python",
    "map": "/map?q=compress+data",
    "compare": "/compare",
    "judge": "/judge?q=compress+data",
    "index": "/indexes",
}


def made_index(path: Path) -> ab.Index:
    """Return the index of the demonstration, with all that it trains."""
    index = build_demo(path)
    for way in TRAININGS:
        train_demo(index, way)
    return index


def pictures(address: str, target: Path, kinds: dict[str, dict[str, Any]]) -> None:
    """Take a picture of every page, in some kinds of windows."""
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium") or shutil.which("google-chrome")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    target.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        for kind, options in kinds.items():
            page = browser.new_context(**options).new_page()
            for name, path in PAGES.items():
                page.goto(address + path)
                page.wait_for_load_state("networkidle")
                page.wait_for_timeout(500)  # what is drawn after the last answer
                page.screenshot(path=target / f"{name}{kind}.png")
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, help="results of experiments, for the page that compares")
    parser.add_argument("--index", type=Path, help="an index of the demonstration that is there already")
    parser.add_argument("--all", type=Path, help="take all kinds of windows, into this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        index = options.index or made_index(Path(temporary) / "demo.index").path
        results = options.results or made_results(index, Path(temporary) / "results")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "aboutness", "serve", f"demo={index}", "--port", str(port)]
        server = subprocess.Popen([*command, "--results", str(results)])
        try:
            address = f"http://127.0.0.1:{port}"
            for _ in range(300):
                try:
                    urllib.request.urlopen(f"{address}/v1/live")
                    break
                except OSError:
                    time.sleep(0.1)
            desk = {"viewport": WIDE}
            if options.all:
                dark = {"color_scheme": "dark"}
                kinds = {"": desk, "-dark": desk | dark, "-phone": {"viewport": PHONE, "is_mobile": True}}
                kinds["-phone-dark"] = kinds["-phone"] | dark
                pictures(address, options.all, kinds)
            else:
                pictures(address, FOLDER, {"": desk})
        finally:
            server.terminate()
            server.wait(60)


def made_results(index: Path, target: Path) -> Path:
    """Return a folder with the demonstration's comparison of all rankers."""
    save_comparison(compare_demo(ab.Index.open(index)), target / "standard library")
    return target


if __name__ == "__main__":
    main()
