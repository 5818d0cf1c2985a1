"""What `hprof heap threads` says of virtual threads.

SPDX-License-Identifier: Apache-2.0
"""
import json

import pytest
from asking import ask, told
from conftest import compile_programs


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """programs_virtual, compiled once."""
    return compile_programs(tmp_path_factory, "programs_virtual", 21)


@pytest.mark.jdks(since=21)
@pytest.mark.parametrize("way", ["command", "jcmd"])
def test_virtual_threads_mounted_or_not(hprof, start_java, jdk, way, tmp_path):
    dump = tmp_path / "x.hprof"
    java = start_java(jdk, None, "HeapVirtualThreads", 600000)
    java.wait_for_stdout("ready")
    if way == "command":
        ask(hprof, "dump-heap", "--fork", java.pid, dump)
    else:
        assert "created" in told(jdk, "jcmd", java.pid, "GC.heap_dump", "-all", dump)
    said = json.loads(ask(hprof, "heap", "--json", "-n", 1000, dump, "threads")[0])
    assert said["virtual_threads"] == 3 and said["virtual_mounted"] == 1
    rows = {row["name"]: row for row in said["stacks"] + said["virtual"] if row["is_virtual"]}
    assert sorted(rows) == ["parked", "spinning", "with a local"]
    assert rows["spinning"]["is_mounted"] and rows["spinning"]["state"] == "running"
    assert "ForkJoinPool" in rows["spinning"]["carrier"]
    for name in ("parked", "with a local"):
        assert not rows[name]["is_mounted"] and rows[name]["state"] == "parked", name
    local = rows["with a local"]["thread_locals"]
    assert any(row["retained_bytes"] >= 300000 and row["key"] == "java.lang.ThreadLocal" for row in local)
    if way == "jcmd" and jdk.number >= 22:
        assert any(row["frame"].startswith("HeapVirtualThreads.park(") for row in rows["parked"]["frames"])
        assert any(row["object"] == "byte[]" and row["retained_bytes"] >= 200000 for row in rows["parked"]["locals"])
