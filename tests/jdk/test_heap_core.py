"""Heaps of cores, and of JVMs that are read without their help: against the JVM's own histogram and dump of the same moment.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import hprof_heap
import pytest

from asking import ask
from conftest import TIMEOUT_S, compile_library, one_jdk, old_and_new, wait_until
from cores import make_core  # noqa: F401 (a fixture)
from test_heapdump import G1, HIDDEN, PARALLEL, SERIAL, SHENANDOAH, ZGC, has_collector
from test_heapdump_readers import mat, read_by_all, shark, visualvm  # noqa: F401 (fixtures)

ROW = re.compile(r" *\d+: +(\d+) +(\d+)  (\S+)")
# What the VM puts into the unused ends of allocation buffers before it walks through its heap.
FILLERS = {"[I", "java.lang.Object", "[Ljdk.internal.vm.FillerElement;", "jdk.internal.vm.FillerObject"}
FILLERS_MAX = 64
# What the program's own threads make when they sleep again after the JVM has answered.
ASLEEP = {"jdk.internal.event.ThreadSleepEvent"}
# Fields that the VM adds to each class, which its own dumps have among the static ones.
INJECTED = re.compile("<|(init_lock|resolved_references)$")
HEAP = ["-Xms64m", "-Xmx64m"]
MODES = {"serial": [SERIAL], "parallel": [PARALLEL], "g1": [G1], "g1-wide": [G1, "-XX:-UseCompressedOops"],
         "serial-compact": [SERIAL, "-XX:+UnlockExperimentalVMOptions", "-XX:+UseCompactObjectHeaders"]}


def rows_of(text):
    """Objects and bytes by class; hidden classes by the name without their number."""
    rows = collections.Counter(), collections.Counter()
    for count, size, name in ROW.findall(text):
        name = HIDDEN.sub("", name)
        rows[0][name] += int(count)
        rows[1][name] += int(size)
    return rows


def assert_same_histogram(ours, theirs, jdk):
    for mine, its in zip(rows_of(ours), rows_of(theirs)):
        different = {name: (mine[name], its[name]) for name in set(mine) | set(its) if mine[name] != its[name]}
        assert set(different) <= FILLERS | ASLEEP, different
    mine, its = rows_of(ours)[0], rows_of(theirs)[0]
    for name in FILLERS:
        # JDK 8 leaves out the one object that stands for deleted handles.
        assert 0 <= its[name] - mine[name] + (jdk.number == 8) <= FILLERS_MAX, name
    assert mine["HeapGraph$Node"] > 500


def values_of(heap, thing):
    """All that a record says of its object, whatever the order of the fields."""
    if isinstance(thing, hprof_heap.Instance):
        return {name: repr(value) for name, value in heap.fields(thing).items()}
    return thing._replace(trace=0)


def assert_same_objects(ours, theirs):
    """Each object of both files lies at the same place and has the same values, but for those of threads that come and go."""
    assert set(ours.classes) == set(theirs.classes)
    missing = collections.Counter(theirs.name_of(theirs.objects[i]) for i in set(theirs.objects) - set(ours.objects))
    assert set(missing) <= {"int[]", "java.lang.Object", "jdk.internal.vm.FillerObject"} and sum(missing.values()) <= FILLERS_MAX, missing
    more = collections.Counter(ours.name_of(ours.objects[i]) for i in set(ours.objects) - set(theirs.objects))
    assert set(more) <= {"java.lang.Object", "java.lang.Class"} and sum(more.values()) <= 3, more
    both = [i for i in ours.objects if i in theirs.objects and ours.name_of(ours.objects[i]) != "java.lang.Class"]
    different = collections.Counter(ours.name_of(ours.objects[i]) for i in both
                                    if values_of(ours, ours.objects[i]) != values_of(theirs, theirs.objects[i]))
    assert set(different) <= {"java.lang.Thread", "java.lang.Thread$FieldHolder", "java.lang.ThreadGroup", "java.lang.Thread[]"}, different
    assert sum(different.values()) <= 6
    for number, cls in theirs.classes.items():
        mine = ours.classes[number]
        assert mine.size == cls.size and mine.loader == cls.loader
        values = [{field.name: repr(field.value) for field in one.statics if not INJECTED.match(field.name)} for one in (mine, cls)]
        assert values[0] == values[1], cls.name


def assert_roots(ours, theirs):
    """All of the JVM's, but for threads that have ended since, and for the objects of classes whose loading has not ended."""
    mine = {root.id for root in ours.roots}
    missing = collections.Counter(root.kind for root in theirs.roots if root.id not in mine and root.id in ours.objects)
    assert set(missing) <= {"thread", "sticky class"} and max(missing.values(), default=0) <= 2, missing
    assert all(root.id not in theirs.classes for root in theirs.roots if root.kind == "sticky class" and root.id not in mine)
    kinds = collections.Counter(root.kind for root in ours.roots)
    assert kinds["java frame"] > 0 and kinds["native stack"] > 0 and kinds["jni global"] > 0 and kinds["sticky class"] > 400


def of_jvm(jdk, hprof, folder):
    """What the JVM itself says: its dump, then its histogram. Neither collects."""
    def tell(java):
        path = folder / "jvm.hprof"
        told = subprocess.run([*jdk.asking_tool("jcmd"), str(java.pid), "GC.heap_dump", "-all", str(path)], stdout=subprocess.PIPE, text=True,
                              check=True, timeout=TIMEOUT_S).stdout
        assert "created" in told, told
        return path, ask(hprof, "histo", java.pid)[0]
    return tell


def vm_of(jdk, mode):
    vm = [*MODES[mode], *HEAP]
    if mode == "serial-compact" and not 24 <= jdk.number <= 26:
        pytest.skip("only there compact headers are an option")
    return vm


@pytest.mark.parametrize("mode", list(MODES))
def test_a_core_has_the_objects_that_the_jvm_had(jdk, mode, hprof, make_core, tmp_path):    # noqa: F811
    core, (its_dump, its_histo) = make_core(jdk, "0x33", 500, 600000, vm=vm_of(jdk, mode), program="HeapGraph", before=of_jvm(jdk, hprof, tmp_path))
    ours, said = ask(hprof, "histo", core)
    assert said == ""
    assert_same_histogram(ours, its_histo, jdk)
    path = tmp_path / "ours.hprof"
    said = ask(hprof, "dump-heap", core, path)[1]
    assert " words that may be references count as roots" in said and path.stat().st_mode & 0o777 == 0o600
    heap = hprof_heap.Heap(path.read_bytes())
    heap.check()
    theirs = hprof_heap.Heap(its_dump.read_bytes())
    assert_same_objects(heap, theirs)
    assert_roots(heap, theirs)
    assert any("main" in name for name in heap.started.values())
    main = next(frames for thread, frames in heap.traces.values() if heap.started.get(thread) == "main")
    assert [frame[1] for frame in main][-1] == "main" and main[-1][0] == "HeapGraph" and main[-1][2] > 0


@pytest.mark.everyday("oldest", 25)
def test_what_native_code_holds_is_a_root(jdk, hprof, make_core, tmp_path, tmp_path_factory):    # noqa: F811
    """C code that has called Java holds objects by local references: 40 at each of 3 levels, more than a block of handles has."""
    if os.uname().machine != "x86_64":
        pytest.skip("elsewhere such handles are not looked for")
    vm = [G1, *HEAP, "-Djava.library.path=%s" % compile_library(tmp_path_factory, "handles").parent]
    core, (its_dump, _) = make_core(jdk, "0x33", 40, 3, vm=vm, program="HoldsHandles", before=of_jvm(jdk, hprof, tmp_path))
    path = tmp_path / "ours.hprof"
    ask(hprof, "dump-heap", core, path)
    roots = {}
    for name, file in ("ours", path), ("theirs", its_dump):
        heap = hprof_heap.Heap(file.read_bytes())
        held = [root for root in heap.roots if root.kind == "jni local" and root.id in heap.objects
                and heap.name_of(heap.objects[root.id]) == "HoldsHandles$Held"]
        roots[name] = collections.Counter(root.id for root in held)
    assert len(roots["ours"]) == 120 and roots["ours"] == roots["theirs"], roots


@pytest.mark.everyday("oldest", 28)
@pytest.mark.parametrize("collector", [SERIAL, PARALLEL], ids=["serial", "parallel"])
def test_words_that_lead_to_no_object_are_no_roots(jdk, collector, hprof, make_core, tmp_path, tmp_path_factory):    # noqa: F811
    """What a collection has left behind the top of a space, and mirrors of an archive whose classes nobody has loaded."""
    vm = [collector, *HEAP, "-XX:+IgnoreUnrecognizedVMOptions", "-XX:-UseCompactObjectHeaders",
          "-Djava.library.path=%s" % compile_library(tmp_path_factory, "strays").parent]
    core, words = make_core(jdk, "0x33", 300, vm=vm, program="HoldsStrays",
                            before=lambda java: int(re.search(r"ready (\d+)", java.out.read_text()).group(1)))
    assert words > 300 + 100    # some mirrors are near the one of java.lang.Object
    for options in ["--live"], []:
        path = tmp_path / ("%d.hprof" % len(options))
        ask(hprof, "dump-heap", *options, core, path)
        heap = hprof_heap.Heap(path.read_bytes())
        heap.check()
        assert heap.histogram().get("HoldsStrays$Dead", 0) == 0, options


@pytest.mark.jdks(8, 17, 25)
def test_what_can_be_reached_in_a_core(jdk, hprof, make_core, tmp_path, visualvm, shark, mat):    # noqa: F811
    core, _ = make_core(jdk, "0x33", 500, 600000, vm=[G1, *HEAP], program="HeapGraph")
    path = tmp_path / "live.hprof.gz"
    ask(hprof, "dump-heap", "--live", core, "-o", path)
    plain = tmp_path / "live.hprof"
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    heap = hprof_heap.Heap(plain.read_bytes())
    heap.check()
    # The format has no place for what the fields of a java.lang.Class hold, as its name and the VM's lock; the JVM's dumps have none either.
    lost = collections.Counter(heap.name_of(heap.objects[i]) for i in set(heap.objects) - set(heap.reachable()))
    assert lost.pop("HeapGraph$Node", 0) <= 1    # what a soft reference alone holds: our reader does not follow these
    assert not any(name.startswith("HeapGraph") for name in lost) and sum(lost.values()) < 3 * len(heap.classes), lost
    nodes = heap.histogram()["HeapGraph$Node"]
    counted = rows_of(ask(hprof, "histo", "--live", core)[0])[0]
    assert nodes == counted["HeapGraph$Node"] > 500
    said = read_by_all(plain, heap, visualvm, shark)
    assert "rooted true retained true" in said
    said = mat(plain)
    assert all(line.startswith("class ") for line in said[:-1]) and said[-1] == "retained true", said


@pytest.mark.parametrize("collector", ["shenandoah", "zgc", "zgc-one"])
def test_collectors_that_move_objects_meanwhile(jdk, collector, hprof, make_core):    # noqa: F811
    vm = [*(SHENANDOAH if collector == "shenandoah" else ZGC), *HEAP]
    if collector == "zgc" and 21 <= jdk.number <= 22:
        vm.append("-XX:+ZGenerational")
    if collector == "zgc-one" and not 21 <= jdk.number <= 23:
        pytest.skip("JDK %d has one kind of ZGC" % jdk.number)
    if not has_collector(jdk, vm):
        pytest.skip("JDK %d has no such collector" % jdk.number)
    core, its_histo = make_core(jdk, "0x33", 500, 600000, vm=vm, program="HeapGraph", before=lambda java: ask(hprof, "histo", java.pid)[0])
    if jdk.number < 17:
        said = ask(hprof, "histo", core, status=1)[1]
        assert said.count("\n") == 1 and "cannot be read" in said
        return
    mine, its = rows_of(ask(hprof, "histo", core)[0])[0], rows_of(its_histo)[0]
    assert its["HeapGraph$Node"] - mine["HeapGraph$Node"] in (-1, 0, 1)    # what a weak reference alone holds
    assert abs(its["java.lang.String"] - mine["java.lang.String"]) <= (5 if "zgc" in collector else its["java.lang.String"])


@old_and_new
def test_a_jvm_that_is_stopped(jdk, hprof, start_java, tmp_path):
    java = start_java(jdk, None, "HeapGraph", 500, 600000, vm=[G1, *HEAP])
    java.wait_for_stdout("ready")
    its_histo = ask(hprof, "histo", java.pid)[0]
    java.signal(signal.SIGSTOP)
    wait_until(lambda: " T " in pathlib.Path(f"/proc/{java.pid}/stat").read_text(), "it is stopped")
    ours, said = ask(hprof, "histo", "--outside", "--max-stop", "10s", java.pid)
    assert re.search(r"will stand still for about .*: [\d.]+ MB of its heap are in use\n", said) and "stood still for " in said
    assert_same_histogram(ours, its_histo, jdk)
    path = tmp_path / "ours.hprof"
    ask(hprof, "dump-heap", "--outside", "--max-stop", "10s", java.pid, path)
    hprof_heap.Heap(path.read_bytes()).check()
    java.signal(signal.SIGCONT)
    assert ask(hprof, "histo", java.pid)[0] != ""    # it lives on and answers
    assert "the bound is 0.001 ms: use --max-stop none" in ask(hprof, "histo", "--outside", "--max-stop", "1us", java.pid, status=1)[1]


@one_jdk
def test_a_core_of_gdb(jdk, hprof, start_java, tmp_path):
    """Its segments do not begin at pages of the file."""
    if not shutil.which("gcore"):
        pytest.skip("CORES OF GDB NOT TESTED: there is no gcore")
    java = start_java(jdk, None, "HeapGraph", 500, 600000, vm=[SERIAL, *HEAP, "-XX:ReservedCodeCacheSize=16m", "-XX:CompressedClassSpaceSize=16m"])
    java.wait_for_stdout("ready")
    its_histo = ask(hprof, "histo", java.pid)[0]
    subprocess.run(["gcore", "-o", str(tmp_path / "core"), str(java.pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
                   timeout=TIMEOUT_S)
    core = tmp_path / ("core.%d" % java.pid)
    assert_same_histogram(ask(hprof, "histo", core)[0], its_histo, jdk)
    core.unlink()


@one_jdk
def test_a_core_is_asked_in_sql(jdk, hprof, make_core):    # noqa: F811
    """Objects and classes of a query are those of the histogram of what the core's roots hold."""
    core, _ = make_core(jdk, "0x33", 500, 600000, vm=[SERIAL, *HEAP], program="HeapGraph")
    said = json.loads(ask(hprof, "heap", core, "histo", "-n", 100000, "--json")[0])
    rows = [json.loads(line) for line in ask(hprof, "query", "--format", "json", core,
                                             "select class, count(*) n, sum(shallow) s from objects group by class")[0].splitlines()]
    assert {row["class"]: (row["n"], row["s"]) for row in rows} == {row["class"]: (row["objects"], row["shallow_bytes"]) for row in said["rows"]}
    assert [row["n"] for row in rows if row["class"] == "HeapGraph$Node"] == [4 + 500]    # four are in no chain


@one_jdk
def test_what_a_core_lacks_is_said(jdk, hprof, make_core, tmp_path):    # noqa: F811
    core, _ = make_core(jdk, "0x33", 500, 600000, vm=[SERIAL, *HEAP], program="HeapGraph")
    whole = core.stat().st_size
    os.truncate(core, whole // 4)
    path = tmp_path / "none.hprof"
    done = subprocess.run([hprof, "dump-heap", str(core), str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          timeout=TIMEOUT_S)
    assert done.returncode == 1 and "cut" in done.stderr


ONLY_OURS = ["-Xcomp", "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,StackRoots.*"]
STACKS = {"interpreted": ["-Xint", G1], "interpreted-wide": ["-Xint", SERIAL, "-XX:-UseCompressedOops"], "mixed": [PARALLEL],
          "c1": [*ONLY_OURS, SERIAL, "-XX:TieredStopAtLevel=1"], "c2": [*ONLY_OURS, G1, "-XX:-TieredCompilation"],
          "c2-wide": [*ONLY_OURS, PARALLEL, "-XX:-TieredCompilation", "-XX:-UseCompressedOops"], "zgc": [*ONLY_OURS, *ZGC]}
FRAMES_KNOWN = re.compile(r"the references of (\d+) of (\d+) Java frames are known: (\d+) roots")


def of_thread(heap, method):
    """The roots that are in frames of the thread that runs this method of StackRoots: (object, name of the frame's method)."""
    serial, frames = next((thread, frames) for thread, frames in heap.traces.values()
                          if any(frame[0] == "StackRoots" and frame[1] == method for frame in frames))
    return [(root.id, frames[root.rest[1]][1] if root.rest[1] < len(frames) else None)
            for root in heap.roots if root.kind == "java frame" and root.rest[0] == serial]


@pytest.mark.parametrize("mode", list(STACKS))
def test_frames_hold_what_they_use(jdk, mode, hprof, make_core, tmp_path):    # noqa: F811
    """A slot that holds a reference no more, by the compilers' maps or the types of the interpreter, is no root; all of the JVM's roots are."""
    if mode == "zgc" and jdk.number < 21:
        pytest.skip("ZGC with generations is there from JDK 21 on")
    vm = [*STACKS[mode], *HEAP, *(["-XX:+ZGenerational"] if mode == "zgc" and jdk.number <= 22 else [])]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    core, (its_dump, _) = make_core(jdk, "0x33", 20000 if mode == "mixed" else 4, pipe, vm=vm, program="StackRoots",
                                    before=of_jvm(jdk, hprof, tmp_path))
    path = tmp_path / "live.hprof"
    said = ask(hprof, "dump-heap", "--live", core, path)[1]
    exact, frames, roots = map(int, FRAMES_KNOWN.search(said).groups())
    heap = hprof_heap.Heap(path.read_bytes())
    heap.check()
    assert 0.8 * frames <= exact <= frames and roots >= len(of_thread(heap, "outer"))
    held = {(heap.name_of(heap.objects[number]), method) for number, method in of_thread(heap, "outer") if number in heap.objects}
    ours = {(name, method) for name, method in held if name.startswith("StackRoots$")}
    # C2 may do without an object that nobody else sees, and without its monitor
    kept = ("Local", "Stack", "Parameter") + (("Monitor",) if mode == "c1" or mode.startswith("interpreted") else ())
    assert ours >= {("StackRoots$HeldBy" + by, "outer") for by in kept}, held
    there = heap.histogram()
    assert there["StackRoots$Unset"] == 0
    if mode != "mixed":
        assert there["StackRoots$Used"] == mode.startswith("interpreted")
    theirs = hprof_heap.Heap(its_dump.read_bytes())
    mine = {root.id for root in heap.roots}
    for method in ("outer", "main"):
        missing = [theirs.name_of(theirs.objects[number]) for number, _ in of_thread(theirs, method)
                   if number not in mine and number not in theirs.classes]
        assert not missing, (method, missing)
