"""The models that an example and a page of the docs add are as sound as ours: they pass all that every model must."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter

from cli.running import environment
from e2e.blocks import blocks_of
from e2e.pages import ROOT

PAGE = ROOT / "docs" / "how-to" / "add-a-model.md"
TESTS = str(ROOT / "tests" / "models" / "test_conformance.py")
NAMES = ["f2exp", "log-tf"]


def test_new_models_are_as_sound_as_ours(tmp_path):
    """In one process, as what the tests need takes longer than the tests; models are registered before these are."""
    (model,) = [block.text for block in blocks_of(PAGE.read_text("utf-8")) if block.file == "log_tf.py"]
    (tmp_path / "log_tf.py").write_text(model, "utf-8")
    paths = os.pathsep.join([str(tmp_path), str(ROOT / "examples"), environment()["PYTHONPATH"]])
    plugins = ["-p", "new_model", "-p", "log_tf", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *plugins, "-rp", "-k", " or ".join(NAMES), TESTS]
    ran = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment(PYTHONPATH=paths)
    )
    assert ran.returncode == 0, ran.stdout[-3000:]
    passed = Counter(re.findall(rf"^PASSED .*\b({'|'.join(NAMES)})\b", ran.stdout, re.MULTILINE))
    assert all(passed[name] > 25 for name in NAMES), passed
