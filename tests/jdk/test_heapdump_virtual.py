"""Heap dumps and the stacks of virtual threads that are not mounted: before and after the first collection.

SPDX-License-Identifier: Apache-2.0
"""
import hprof_heap
import pytest
from conftest import compile_programs
from test_heapdump import G1, PARALLEL, SHENANDOAH, has_collector


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """programs_virtual, compiled once."""
    return compile_programs(tmp_path_factory, "programs_virtual", 21)


@pytest.mark.jdks(since=21)
@pytest.mark.parametrize("collected", ["n", "y"])
@pytest.mark.parametrize("vm", [[G1], [G1, "-XX:-UseCompressedOops"], [PARALLEL], list(SHENANDOAH),
                                ["-XX:+UseZGC", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:+ZGenerational"]],
                         ids=["g1", "wide", "parallel", "shen", "zgc"])
def test_what_only_their_stacks_hold_is_there(jdk, vm, collected, run_java):
    if not has_collector(jdk, vm):
        pytest.skip("JDK %d has no such collector" % jdk.number)
    ended = run_java(jdk, "heap=dump,format=b,sites=n", "HeapVirtual", collected, vm=[*vm, "-Xmx200m"])
    assert ended.rc == 0 and "led nowhere" not in ended.stderr, ended.stderr
    heap = hprof_heap.Heap(ended.read("java.hprof"))
    heap.check()
    assert sorted(heap.fields(held)["number"] for held in heap.instances_of("HeapVirtual$Held")) == list(range(100))
