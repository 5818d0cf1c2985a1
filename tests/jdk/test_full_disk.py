"""A heap dump on a disk that is full: one line says so, the program goes on, and what is in the file is whole.

The disk is a small file system in memory (needs root; skipped where none can be mounted).
SPDX-License-Identifier: Apache-2.0
"""
import subprocess

import hprof_heap
import pytest
from conftest import TIMEOUT_S, one_jdk


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "none", str(folder)], stdin=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, check=False, timeout=TIMEOUT_S)
    if mounted.returncode != 0:
        pytest.skip("no file system can be mounted here: run as root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True, timeout=TIMEOUT_S)


@one_jdk
@pytest.mark.parametrize("fork", ["y", "n"], ids=["child", "pause"])
def test_a_heap_dump_that_has_no_room(jdk, fork, run_java, small_disk):
    ended = run_java(jdk, "heap=dump,format=b,fork=%s,file=%s/out" % (fork, small_disk), "Hello")
    assert (ended.rc, ended.stdout) == (0, "Hello\n"), ended.stderr
    error, = [line for line in ended.stderr.splitlines() if "HPROF ERROR" in line]
    assert error.startswith("HPROF ERROR: ") and error.endswith("the program goes on"), "a line of its own"
    assert "heap dump" in error and "No space left on device" in error
    assert [path.name for path in small_disk.iterdir()] == ["out"]
    heap = hprof_heap.Heap((small_disk / "out").read_bytes())
    heap.check()
    assert heap.dump_count == 0 and heap.strings, "what was there before the dump is whole"


@one_jdk
@pytest.mark.parametrize("fork", ["y", "n"], ids=["child", "pause"])
def test_a_file_that_is_full_before_the_dump(jdk, fork, run_java):
    """The child would wait for ever for what comes before the dump to be written."""
    ended = run_java(jdk, "heap=dump,fork=%s,file=/dev/full" % fork, "Hello")
    assert (ended.rc, ended.stdout) == (0, "Hello\n"), ended.stderr
    errors = [line for line in ended.stderr.splitlines() if "HPROF ERROR" in line]
    assert errors and all("No space left on device" in error for error in errors), ended.stderr
    assert "stood still" not in ended.stderr
