"""The roots of heap dumps are the program's own: none is the agent's, and it makes no difference who asks for the dump.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import signal

import hprof_heap
import pytest
from asking import ask
from conftest import old_and_new

LOADERS = 100
DONE = "HPROF: heap dump: pause "


def roots_of(path):
    """The file, and how many roots there are of each kind and name; a stack may have run on between two dumps."""
    heap = hprof_heap.Heap(path.read_bytes())
    heap.check()
    assert not [root for root in heap.roots if root.kind == "jni local" and root.id in heap.classes]
    return heap, collections.Counter((root.kind, heap.name_of(heap.get(root.id))) for root in heap.roots
                                     if root.kind in ("jni local", "jni global", "sticky class"))


@pytest.mark.parametrize("options", ["", ",cpu=samples"])
def test_dropped_loaders_stay_away_from_the_dump_of_the_end(jdk, options, start_java):
    java = start_java(jdk, "heap=dump,format=b,doe=y" + options, "HeapDropped", LOADERS, 0, vm=["-Xmx256m"])
    ended = java.end()
    assert (ended.rc, ended.stdout.split()[:2]) == (0, ["dropped", "100"])
    heap, _ = roots_of(java.cwd / "java.hprof")
    assert not heap.classes_named("HeapLoaders$Payload")
    assert heap.classes_named("HeapDropped") and not heap.instances_of("HeapDropped$Loader")


@pytest.mark.parametrize("options", ["", ",fork=n"])
def test_roots_are_the_same_whoever_asks(jdk, options, start_java):
    asked = start_java(jdk, "heap=dump,format=b,doe=n" + options, "HeapGraph", 10, 600000)
    asked.wait_for_stdout("ready")
    asked.signal(signal.SIGQUIT)
    asked.wait_for_stderr(DONE)
    asked.signal(signal.SIGTERM)
    asked.end()
    ended = start_java(jdk, "heap=dump,format=b" + options, "HeapGraph", 10, 0)
    assert ended.end().rc == 0
    _, of_asked = roots_of(asked.cwd / "java.hprof")
    _, of_ended = roots_of(ended.cwd / "java.hprof")
    assert {key: n for key, n in (of_asked - of_ended).items() if key[0] != "sticky class"} == {}
    assert {key: n for key, n in (of_ended - of_asked).items() if key[0] != "sticky class"} == {}


@old_and_new
def test_classes_that_are_dropped_are_told(jdk, start_java, hprof):
    """JVM TI has no event of that: the next dump tells of what was loaded before it and is loaded no more."""
    java = start_java(jdk, "cpu=samples,format=b,doe=n", "HeapDropped", LOADERS, 600000, vm=["-Xmx256m"])
    java.wait_for_stdout("ready")
    for count in (0, LOADERS):
        java.signal(signal.SIGQUIT)
        java.wait_for_stderr("done.", 1 if count == 0 else 2)
        heap = hprof_heap.Heap((java.cwd / "java.hprof").read_bytes())
        assert heap.unloaded.count("HeapLoaders$Payload") == count, heap.unloaded
        assert not {"HeapDropped", "HeapDropped$Loader", "java.lang.String"} & set(heap.unloaded)
        ask(hprof, "jcmd", java.pid, "GC.run")
