"""A heap dump by a forked child is the heap of one moment, on every JDK and collector; the program goes on and sees no child.

SPDX-License-Identifier: Apache-2.0
"""
import signal

import hprof_heap
import pytest
from test_heapdump import FORKED, numbers
from test_heapdump_selftest import COLLECTORS, options_of


@pytest.mark.parametrize("collector", list(COLLECTORS))
def test_the_child_sees_what_was_and_nobody_sees_the_child(jdk, collector, start_java, tmp_path):
    vm = options_of(jdk, collector)
    sign = tmp_path / "sign"
    java = start_java(jdk, "heap=dump,format=b,doe=n,dumptest=3", "HeapFreeze", sign, vm=vm)
    java.wait_for_stdout("ready")
    java.signal(signal.SIGQUIT)
    java.wait_for_child()
    assert " done." not in java.err.read_text(), "the child waits before it reads"
    assert FORKED not in java.err.read_text()
    assert sorted(path.name for path in java.cwd.iterdir()) == ["java.hprof.TMP"]
    sign.touch()
    java.wait_for_stdout("changed")
    assert FORKED not in java.err.read_text()
    (java.cwd / "dumptest").touch()
    ended = java.end()
    assert ended.rc == 0 and "status" not in ended.stdout and "value 222" in ended.stdout
    heap = hprof_heap.Heap(ended.read("java.hprof"))
    heap.check()
    cells = [heap.fields(cell) for cell in heap.instances_of("HeapFreeze$Cell")]
    assert [(cell["value"], numbers(heap, cell["array"])[1]) for cell in cells] == [(111, [111])] * 1000
