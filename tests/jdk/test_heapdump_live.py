"""live=n: heap dumps with what nobody can reach, against the program's own counts and the JVM's dump of all objects.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import signal
import subprocess

from attaching import attach  # noqa: F401
import hprof_heap
from conftest import TIMEOUT_S, old_and_new, one_jdk
import pytest
from test_heapdump import FORKED, G1, HIDDEN, PARALLEL, SERIAL, SHENANDOAH, ask, has_collector

OBJECTS, THREADS = 5000, 2
FOUND = re.compile(r"(\d+) of the objects cannot be reached, (\d+) of their references led nowhere, "
                   r"(\d+\.\d) KB of the heap are no objects")
# No collection while the test runs.
ROOMY = {"serial": [SERIAL, "-Xmn150m"], "parallel": [PARALLEL, "-Xmn150m"], "g1": [G1, "-Xmn150m"],
         "shen": [*SHENANDOAH, "-XX:+UnlockDiagnosticVMOptions", "-XX:ShenandoahGCMode=passive"]}


def roomy(jdk, collector):
    vm = [*ROOMY[collector], "-Xms300m", "-Xmx300m"]
    if collector == "shen" and (jdk.number < 17 or not has_collector(jdk, vm)):
        pytest.skip("JDK %d has no such collector that can be read" % jdk.number)
    return vm


def dump_with_garbage(java):
    """The dump that SIGQUIT asks for, and what the agent says of its unreachable objects."""
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("no objects")
    heap = hprof_heap.Heap((java.cwd / "java.hprof").read_bytes())
    heap.check()
    objects, links, kilobytes = FOUND.search(java.err.read_text()).groups()
    return heap, int(objects), int(links), float(kilobytes)


def check_dead(heap):
    """All objects that were made are there, with what they hold."""
    dead = heap.instances_of("HeapGarbage$Dead")
    assert len(dead) == OBJECTS * THREADS
    numbers = collections.Counter()
    for thing in dead:
        values = heap.fields(thing)
        numbers[values["number"]] += 1
        assert heap.text(values["text"]) == "dead %d" % values["number"]
        before = heap.fields(heap.objects[values["before"]])["number"] if values["before"] else None
        assert before == (values["number"] - 1 if values["number"] % 10 else None)
    assert set(numbers.values()) == {THREADS} and set(numbers) == set(range(OBJECTS))
    assert len(heap.instances_of("HeapGarbage$Alive")) == OBJECTS // 100 * THREADS
    big, = (array for array in heap.instances_of("long[]") if array.count == 600000)
    assert (big.data[:8], big.data[-8:]) == ((12345).to_bytes(8, "big"), (54321).to_bytes(8, "big"))


@pytest.mark.parametrize("collector", list(ROOMY))
def test_all_that_was_made_is_there(jdk, collector, start_java):
    vm = roomy(jdk, collector)
    java = start_java(jdk, "heap=dump,format=b,doe=n,live=n", "HeapGarbage", OBJECTS, THREADS, 600000, vm=vm)
    java.wait_for_stdout("ready")
    heap, unreachable, links, kilobytes = dump_with_garbage(java)
    check_dead(heap)
    assert (links, kilobytes) == (0, 0)
    assert len(heap.objects) > unreachable > OBJECTS * THREADS


def test_the_jvms_dump_of_all_has_the_same(jdk, start_java, tmp_path):
    java = start_java(jdk, "heap=dump,format=b,doe=n,live=n,idsize=8", "HeapGarbage", OBJECTS, THREADS, 600000,
                      vm=roomy(jdk, "g1"))
    java.wait_for_stdout("ready")
    theirs = tmp_path / "theirs.hprof"
    ask(jdk, java, "GC.heap_dump", "-all", str(theirs))
    heap, *_ = dump_with_garbage(java)
    jvms = hprof_heap.Heap(theirs.read_bytes())
    # The JVM shows the fillers behind allocation buffers, int[] arrays and small objects; nothing else is only there. Ours
    # came later.
    only_theirs = collections.Counter(jvms.name_of(jvms.objects[i]) for i in jvms.objects if not heap.get(i))
    assert set(only_theirs) <= {"int[]", "java.lang.Object", "jdk.internal.vm.FillerObject"}, only_theirs
    only_ours = collections.Counter(heap.name_of(heap.objects[i]) for i in heap.objects if not jvms.get(i))
    only_ours.pop("java.lang.Class", None)      # of an archive's classes that nobody has loaded
    assert sum(only_ours.values()) < 100, only_ours
    assert not [name for name in only_ours if name.startswith("HeapGarbage")]
    for number, thing in jvms.objects.items():
        ours = heap.objects.get(number)
        if ours and isinstance(thing, hprof_heap.Instance) and jvms.name_of(thing).startswith("HeapGarbage"):
            assert HIDDEN.sub("", heap.name_of(ours)) == HIDDEN.sub("", jvms.name_of(thing))
            assert heap.fields(ours) == jvms.fields(thing)


@one_jdk
@pytest.mark.jdks(8, 25)
def test_without_it_nothing_of_that_is_there(jdk, start_java):
    java = start_java(jdk, "heap=dump,format=b,doe=n", "HeapGarbage", OBJECTS, THREADS, 600000, vm=roomy(jdk, "g1"))
    java.wait_for_stdout("ready")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr(FORKED)
    heap = hprof_heap.Heap((java.cwd / "java.hprof").read_bytes())
    assert not heap.instances_of("HeapGarbage$Dead")
    assert len(heap.instances_of("HeapGarbage$Alive")) == OBJECTS // 100 * THREADS
    assert not FOUND.search(java.err.read_text())


@one_jdk
@pytest.mark.jdks(8, 25)
def test_inside_the_pause_a_line_says_that_it_cannot_be(jdk, run_java):
    ended = run_java(jdk, "heap=dump,format=b,live=n,fork=n", "HeapGarbage", 100, 1, 0)
    assert ended.rc == 0
    assert "live=n: inside the pause only objects that can be reached are seen" in ended.stderr
    heap = hprof_heap.Heap(ended.read("java.hprof"))
    heap.check()
    assert not heap.instances_of("HeapGarbage$Dead") and heap.instances_of("HeapGarbage$Alive")


@pytest.mark.jdks(8, 11, 21, "newest")
@pytest.mark.parametrize("live", ["y", "n"])
def test_an_agent_that_comes_later_keeps_to_it(jdk, live, start_java, attach):  # noqa: F811 pylint: disable=redefined-outer-name
    java = start_java(jdk, None, "HeapGarbage", OBJECTS, THREADS, 600000, vm=roomy(jdk, "g1"))
    java.wait_for_stdout("ready")
    assert "return code: 0" in attach(jdk, java, "heap=dump,format=b,doe=n,file=java.hprof,live=" + live)
    if live == "n":
        check_dead(dump_with_garbage(java)[0])
        return
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr(FORKED)
    heap = hprof_heap.Heap((java.cwd / "java.hprof").read_bytes())
    heap.check()
    assert not heap.instances_of("HeapGarbage$Dead")
    assert len(heap.instances_of("HeapGarbage$Alive")) == OBJECTS // 100 * THREADS


@old_and_new
@pytest.mark.parametrize("how", ["", "fork=n,"], ids=["forked", "paused"])
def test_classes_that_come_meanwhile_leave_no_hole(jdk, how, start_java):
    """Between the list of classes and the walk over the heap others may be loaded, of which objects are found."""
    java = start_java(jdk, "heap=dump,format=b,doe=n,%sfile=out" % how, "HeapComes", vm=["-Xmx64m", SERIAL])
    java.wait_for_stdout("ready")
    for count in (1, 2):
        java.signal(signal.SIGQUIT)
        java.wait_for_stderr(" done.", count)
    data = (java.cwd / "out").read_bytes()
    for which in (0, 1):
        hprof_heap.Heap(data, which).check()


@pytest.mark.parametrize("collector", [SERIAL, PARALLEL, G1])
def test_what_remains_in_the_fillers_of_gaps_is_in_no_dump(jdk, collector, hprof, start_java, tmp_path):
    """Numbers that a program has dropped are in the dump of a JVM itself, as int[] arrays that nobody made."""
    java, secret = start_java(jdk, None, "HeapFillers", 600000, vm=["-Xmx128m", collector]), b"\x5e\xc2\xe7\xed"
    java.wait_for_stdout("ready")
    theirs = tmp_path / "theirs.hprof"
    ask(jdk, java, "GC.heap_dump", "-all", str(theirs))
    assert secret in theirs.read_bytes() or collector == G1 or jdk.number > 28
    for options in (), ("--live",):
        path = tmp_path / ("ours%d.hprof" % len(options))
        subprocess.run([hprof, "dump-heap", "--fork", *options, str(java.pid), str(path)], check=True, stdout=subprocess.DEVNULL,
                       timeout=TIMEOUT_S)
        heap = hprof_heap.Heap(path.read_bytes())
        heap.check()
        # G1 up to JDK 17 closes no gaps: dropped objects stay as they are, and are in a dump of all objects (docs/heap-dump.md).
        assert secret not in path.read_bytes() or collector == G1 and jdk.number <= 17 and not options
        assert len(heap.instances_of("byte[]")) > 30000
        assert not [name for name in heap.histogram() if "Filler" in name]
