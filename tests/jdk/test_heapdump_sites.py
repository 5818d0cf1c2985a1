"""The sites of objects in a heap dump: read from the VM's table of tags, or found by JVM TI's walk, they are the same.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import pathlib
import platform
import re
import signal

from attaching import command  # noqa: F401
import hprof_heap
from conftest import old_and_new, one_jdk
import pytest

WALK = ",dumptest=4"  # the table is not read
COUNT = 20000
SMALL = 500000
TAG_BYTES = 32  # of each tag in the VM's table, at least


def sites(heap):
    """How many objects of the program there are, by class and the frames of their site."""
    counted = collections.Counter()
    for thing in heap.objects.values():
        name = re.sub(r"0x[0-9a-f]+", "0x", heap.name_of(thing))  # hidden classes are named by an address
        if name.startswith("HeapGraph"):
            counted[name, tuple(frame[1:] for frame in heap.traces[thing.trace][1])] += 1
    return counted


@old_and_new
@pytest.mark.parametrize("collector", ["", "-XX:+UseShenandoahGC"])
def test_the_table_of_tags_says_what_the_walk_says(jdk, collector, run_java):
    if "Shenandoah" in collector and (jdk.number < 17 or run_java(jdk, None, "HeapGraph", 1, vm=[collector]).rc != 0):
        pytest.skip("no Shenandoah here that is dumped by a fork")
    found = []
    for test in ("", WALK):
        ended = run_java(jdk, "heap=dump,format=b,depth=8" + test, "HeapGraph", COUNT, vm=[collector] if collector else [])
        assert ended.rc == 0
        assert ("sites by a walk" in ended.stderr) == bool(test), ended.stderr
        heap = hprof_heap.Heap(ended.read("java.hprof"))
        heap.check()
        found.append(sites(heap))
    assert found[0] == found[1]
    nodes = {frames: count for (name, frames), count in found[0].items() if name == "HeapGraph$Node"}
    assert sum(nodes.values()) > COUNT
    assert all(frames and frames[-1][0] in ("main", "<clinit>") for frames in nodes)


def large_kilobytes(java):
    text = pathlib.Path("/proc/%d/smaps_rollup" % java.pid).read_text()
    return int(re.search(r"AnonHugePages:\s+(\d+) kB", text).group(1))


@one_jdk
@pytest.mark.parametrize("sites", ["y", "n"])
def test_the_tags_are_on_large_pages_when_the_process_forks(jdk, sites, start_java):
    """The less page tables there are, the shorter is the pause. Without sites nothing is moved."""
    enabled = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if not enabled.exists() or "[madvise]" not in enabled.read_text():
        pytest.skip("large pages only for who asks: %s" % enabled)
    if tuple(int(part) for part in re.findall(r"\d+", platform.release())[:2]) < (6, 1):
        pytest.skip("MADV_COLLAPSE is newer than Linux %s" % platform.release())
    java = start_java(jdk, "heap=dump,format=b,doe=n,dumptest=3,sites=" + sites, "HeapScribble", 16, "stop", SMALL,
                      vm=["-XX:+UseSerialGC", "-Xmx200m"])
    java.wait_for_stdout("pass 1\n")
    before = large_kilobytes(java)
    java.signal(signal.SIGQUIT)
    java.wait_for_child()
    gained = large_kilobytes(java) - before
    (java.cwd / "dumptest").touch()
    java.wait_for_stderr("done.")
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and "every write is there" in ended.stdout, ended.stdout + ended.stderr
    heap = hprof_heap.Heap(ended.read("java.hprof"))
    heap.check()
    assert len(heap.instances_of("java.lang.Object")) >= SMALL
    if sites == "y":
        assert gained >= SMALL * TAG_BYTES / 1024 / 2
    else:
        assert gained < 4096


@pytest.mark.jdks(8, 21)
def test_sites_are_no_deeper_than_their_recording_has_them(jdk, start_java, command):  # noqa: F811
    """Another one counts them deeper."""
    java = start_java(jdk, "heap=sites,depth=12,file=deep.txt", "MonWork", "later", 1)
    java.wait_for_stdout("before go")
    assert command(jdk, java, "start,heap=dump,format=b,depth=2,file=x.hprof", "stop,id=2") == [0, 0]
    java.process.kill()
    heap = hprof_heap.Heap(java.end().read("x.hprof"))
    heap.check()
    depths = collections.Counter(len(heap.traces[thing.trace][1]) for thing in heap.objects.values())
    assert max(depths) == 2 and depths[2] > 50, depths
