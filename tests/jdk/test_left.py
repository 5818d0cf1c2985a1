"""Tests leave nothing in /tmp: what left.py removes, and what it leaves alone; and that a run which is stopped ends what it started.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import signal
import subprocess
import sys

import conftest
import left
import pytest
from asking import ask, waiting    # noqa: F401
from robust import classes    # noqa: F401
from selection import one_jdk

RECORDING = "-XX:StartFlightRecording"


def names_of(pid):
    return [name for name in os.listdir(left.TMP) if left.named(name) == pid]


@pytest.mark.jdks("newest")
def test_what_a_killed_jvm_leaves_is_removed(hprof, waiting, jdk, request):    # noqa: F811
    java, lives = waiting(jdk, RECORDING), waiting(jdk, RECORDING)
    for one in java, lives:
        ask(hprof, "threads", one.pid)
        one.wait_for(lambda one=one: len(names_of(one.pid)) == 2, "a door and a repository")
    request.config.left.look()
    java.signal(signal.SIGKILL)
    java.process.wait()
    assert len(names_of(java.pid)) == 2
    request.config.left.clear()
    assert names_of(java.pid) == [] and len(names_of(lives.pid)) == 2


@one_jdk
def test_what_is_not_ours_stays(waiting, jdk):    # noqa: F811
    """A JVM that others started has not our mark, nor has one that is gone."""
    java = waiting(jdk)
    assert left.is_ours(java.pid, str(os.getpid())) and not left.is_ours(java.pid, "1")
    assert not left.is_ours(1, str(os.getpid())) and not left.is_ours(2**22 + 1, str(os.getpid()))


@pytest.mark.parametrize("name, pid", [(".java_pid12", 12), (".attach_pid12", 12), ("perf-12.map", 12), ("2026_11_29_01_30_00_12", 12),
                                       (".java_pid12x", None), ("hsperfdata_root", None), ("2026_11_29", None)])
def test_whose_a_name_is(name, pid):
    assert left.named(name) == pid


class Run:
    """tests/run over one file of tests, in a tree and with a TMPDIR of their own."""

    def __init__(self, folder, test):
        root, self.temporary = folder / "root", folder / "tmp"
        for name in ("root/tests/jdk", "root/build", "tmp"):
            (folder / name).mkdir(parents=True)
        (root / "build/build.ninja").touch()
        (root / "tools").symlink_to(conftest.ROOT / "tools")
        (root / "tests/run").write_text((conftest.ROOT / "tests/run").read_text())
        (root / "tests/unstable").touch()
        (root / "meson").write_text("#!/bin/sh\necho '[]'\n")
        (root / "meson").chmod(0o755)
        (root / "tests/jdk/conftest.py").write_text("def pytest_addoption(parser):\n    parser.addoption('--everyday', action='store_true')\n"
                                                    "    parser.addoption('--part')\n")
        (root / "tests/jdk/test_one.py").write_text(test)
        self.out = folder / "said"
        with open(self.out, "wb") as said:
            self.process = subprocess.Popen([sys.executable, str(root / "tests/run")], stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                            env=conftest.clean_environment({"TMPDIR": str(self.temporary), "HPROF_CACHE": str(folder),
                                                                            "PATH": "%s:%s" % (root, os.environ["PATH"])}))

    def end(self):
        try:
            return self.process.wait(conftest.TIMEOUT_S)
        finally:
            self.process.kill()
            self.process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_ends_what_it_started(number, tmp_path):
    """A test that never ends by itself: its fixture puts away what is its own, the folder of the run goes."""
    run = Run(tmp_path, "import os, pytest, time\n@pytest.fixture\ndef mine():\n    yield\n    open(%r, 'w').close()\n"
              "def test_long(mine):\n    open(%r, 'w').write(str(os.getpid()))\n    time.sleep(3600)\n"
              % (str(tmp_path / "put_away"), str(tmp_path / "begun")))
    try:
        conftest.wait_until(lambda: (tmp_path / "begun").exists() and (tmp_path / "begun").read_text(), "test",
                            lambda: run.process.poll() is not None, run.out.read_text)
        assert os.listdir(run.temporary)
        run.process.send_signal(number)
    finally:
        status = run.end()
    assert status == 1 and (tmp_path / "put_away").exists() and os.listdir(run.temporary) == []
    assert not pathlib.Path("/proc", (tmp_path / "begun").read_text()).exists()


@pytest.mark.parametrize("leaves", [False, True])
def test_a_run_that_leaves_something_fails(leaves, tmp_path):
    run = Run(tmp_path, "import tempfile\ndef test_short():\n    %s\n" % ("tempfile.mkdtemp(prefix='litter')" if leaves else "assert True"))
    status, said = run.end(), run.out.read_text()
    assert os.listdir(run.temporary) == []
    assert ("\nLEFT in TMPDIR: litter" in said) == leaves == (status == 1) and "1 passed" in said, said
