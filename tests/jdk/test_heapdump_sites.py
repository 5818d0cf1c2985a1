"""The sites of objects in a heap dump: read from the VM's table of tags, or found by JVM TI's walk, they are the same.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import re

import hprof_heap
import pytest

WALK = ",dumptest=4"  # the table is not read
COUNT = 20000


def sites(heap):
    """How many objects of the program there are, by class and the frames of their site."""
    counted = collections.Counter()
    for thing in heap.objects.values():
        name = re.sub(r"0x[0-9a-f]+", "0x", heap.name_of(thing))  # hidden classes are named by an address
        if name.startswith("HeapGraph"):
            counted[name, tuple(frame[1:] for frame in heap.traces[thing.trace][1])] += 1
    return counted


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
