"""heap=dump: engine_heapdump's file against what the program knows of its objects, and against the JVM's own dump.

SPDX-License-Identifier: Apache-2.0
"""
import hprof_heap

HIDDEN = "dumptest=1,"


def test_a_dump_at_the_end_is_whole(jdk, run_java):
    ended = run_java(jdk, HIDDEN + "heap=dump,format=b", "Hello")
    heap = hprof_heap.Heap(ended.read("java.hprof"))
    heap.check()
    assert ended.files == ["java.hprof"]
    assert heap.dump_count == 1
    assert heap.classes_named("Hello") and heap.instances_of("java.lang.Thread")
