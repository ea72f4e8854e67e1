"""Where an index in memory lies, and for how long."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys

import pytest

from aboutness.app.index import Index
from aboutness.core.errors import NotFound

FORKED = """
import os, sys
from aboutness.app.index import Index
index = Index.build([{"id": "a", "text": "a city"}])
if not os.fork():
    sys.exit(0)
os.wait()
index.add([{"id": "b", "text": "a song"}])
print(len(index), index.path)
"""


def test_a_forked_process_leaves_it_to_the_one_that_made_it():
    ran = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    count, path = ran.stdout.split()
    assert count == "2"
    assert not os.path.exists(path)


def test_one_whose_folder_is_gone_cannot_be_pickled():
    index = Index.build([{"id": "a", "text": "a city"}])
    assert len(pickle.loads(pickle.dumps(index))) == 1
    shutil.rmtree(index.path.parent)
    with pytest.raises(NotFound, match=r"the index in memory is lost: its folder .* was removed; build it anew"):
        pickle.dumps(index)
