"""ZGC: what it maps shared is copied inside the pause, and a child reads the copy, stale references and all.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import os
import pathlib
import re
import signal

import hprof_heap
from conftest import old_and_new
import pytest
from test_heapdump import FORKED, INSIDE, check_graph, dump_of, has_collector, numbers
from test_heapdump_sites import COUNT, sites
from test_refused_calls import refuse  # noqa: F401 (a fixture)

ANY = ["-XX:+UseZGC", "-XX:+IgnoreUnrecognizedVMOptions"]
TWO = [*ANY, "-XX:+ZGenerational"]
ONE = [*ANY, "-XX:-ZGenerational"]
CELLS = 5000
DUMPS = 3
LARGE_PAGES = 300    # of 2 MB: the heap, and what the VM takes beside it
PROCESS_MADVISE, MADV_PAGEOUT = 440, 21

pytestmark = pytest.mark.jdks(since=17)


@pytest.fixture(params=["one", "two"])
def zgc(jdk, request):
    """The options for ZGC with one generation, or with two."""
    since, last = (17, 23) if request.param == "one" else (21, 99)
    vm = ONE if request.param == "one" else TWO
    if not since <= jdk.number <= last or not has_collector(jdk, vm):
        pytest.skip("JDK %d has no ZGC with %s" % (jdk.number, request.param))
    return vm


@pytest.mark.parametrize("options", ["", ",sites=n", ",format=a"])
def test_all_is_there_and_the_program_goes_on(jdk, zgc, options, run_java):
    ended = run_java(jdk, "heap=dump,format=b,idsize=8" + options, "HeapGraph", 20000, vm=[*zgc, "-Xmx300m"])
    assert ended.rc == 0 and INSIDE not in ended.stderr and "child" in ended.stderr, ended.stderr
    if "=a" not in options:
        check_graph(dump_of(ended), 20000)


@pytest.mark.parametrize("vm", [["-XX:-UseCompressedClassPointers"], ["-XX:+UseCompactObjectHeaders"]], ids=["full", "compact"])
def test_other_layouts_of_objects(jdk, zgc, vm, run_java):
    vm = [*zgc, "-XX:+UnlockExperimentalVMOptions", *vm]
    if not has_collector(jdk, vm):
        pytest.skip("JDK %d has no %s" % (jdk.number, vm[-1]))
    ended = run_java(jdk, "heap=dump,format=b", "HeapGraph", vm=vm)
    assert INSIDE not in ended.stderr, ended.stderr
    check_graph(dump_of(ended))


@old_and_new
def test_the_copy_is_of_one_moment(jdk, zgc, start_java, tmp_path):
    sign = tmp_path / "sign"
    java = start_java(jdk, "heap=dump,format=b,doe=n,dumptest=3", "HeapFreeze", sign, vm=[*zgc, "-Xmx300m"])
    java.wait_for_stdout("ready")
    java.signal(signal.SIGQUIT)
    java.wait_for_child()
    sign.touch()
    java.wait_for_stdout("changed")
    assert FORKED not in java.err.read_text()
    (java.cwd / "dumptest").touch()
    ended = java.end()
    assert ended.rc == 0 and "value 222" in ended.stdout
    heap = hprof_heap.Heap(ended.read("java.hprof"))
    heap.check()
    cells = [heap.fields(cell) for cell in heap.instances_of("HeapFreeze$Cell")]
    assert [(cell["value"], numbers(heap, cell["array"])[1]) for cell in cells] == [(111, [111])] * 1000


def check_cells(heap):
    heap.check()
    cls, = heap.classes_named("HeapChurn")
    cells = heap.objects[next(field.value for field in cls.statics if field.name == "cells")].items
    assert len(cells) == CELLS
    for number, cell in enumerate(cells):
        cell = heap.fields(heap.objects[cell])
        box = heap.fields(heap.objects[cell["box"]])
        of = heap.fields(heap.objects[box["of"]])
        assert (cell["number"], box["number"], of["number"]) == (number, number, number)
        filler = heap.objects[box["filler"]]
        assert filler.type == "byte" and set(filler.data) <= {number & 255}


@pytest.mark.parametrize("options", [",sites=n", ""], ids=["", "sites"])
def test_while_objects_are_moved(jdk, zgc, options, start_java):
    java = start_java(jdk, "heap=dump,format=b,doe=n,verbose=y" + options, "HeapChurn", CELLS, "stop",
                      vm=[*zgc, "-Xmx100m", "-XX:ZCollectionIntervalMinor=0.02",
                          *(["-XX:ZCollectionInterval=0.02"] if zgc is ONE else [])])
    java.wait_for_stdout("collected 2\n")
    for dump in range(DUMPS):
        java.signal(signal.SIGQUIT)
        java.wait_for_stderr(FORKED, dump + 1)
        java.wait_for_stdout("collected %d\n" % (3 + 3 * dump))
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and INSIDE not in ended.stderr and "ERROR" not in ended.stderr, ended.stderr
    data = ended.read("java.hprof")
    for dump in range(DUMPS):
        heap = hprof_heap.Heap(data, dump)
        assert heap.dump_count == DUMPS
        check_cells(heap)


@old_and_new
def test_sites_come_from_the_table_of_tags(jdk, zgc, run_java):
    found = []
    for vm in (zgc, ["-XX:+UseSerialGC"]):
        ended = run_java(jdk, "heap=dump,format=b,depth=8", "HeapGraph", COUNT, vm=vm)
        assert ended.rc == 0 and INSIDE not in ended.stderr, ended.stderr
        found.append(sites(hprof_heap.Heap(ended.read("java.hprof"))))
    nodes = [{frames: count for (name, frames), count in some.items() if name == "HeapGraph$Node"} for some in found]
    assert nodes[0] == nodes[1] and sum(nodes[0].values()) > COUNT


@old_and_new
def test_with_live_n_a_line_says_what_is_not_there(jdk, zgc, run_java):
    """What cannot be reached is not looked for in a copy either."""
    ended = run_java(jdk, "heap=dump,format=b,live=n,verbose=y", "HeapGraph", vm=[*zgc, "-Xmx200m"])
    assert ended.rc == 0 and INSIDE not in ended.stderr and "child" in ended.stderr, ended.stderr
    assert "live=n: a copy of ZGC's heap is not searched for what nobody can reach" in ended.stderr
    check_graph(hprof_heap.Heap(ended.read("java.hprof")))


def dumps_of_churn(java, ended_after=DUMPS):
    """HeapChurn's dumps, of which each is of one moment; the program, which writes all the time, finds its own values afterwards."""
    for dump in range(ended_after):
        java.signal(signal.SIGQUIT)
        java.wait_for_stderr(FORKED, dump + 1)
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and "whole" in ended.stdout and INSIDE not in ended.stderr and "ERROR" not in ended.stderr, ended.stderr
    data = ended.read("java.hprof")
    for dump in range(ended_after):
        check_cells(hprof_heap.Heap(data, dump))
    return [tuple(map(float, copied)) for copied in COPIED.findall(ended.stderr)]


def start_churn(jdk, vm, start_java):
    java = start_java(jdk, "heap=dump,format=b,idsize=8,doe=n,verbose=y,sites=n", "HeapChurn", CELLS, "stop", vm=["-Xms40m", "-Xmx200m", *vm])
    java.wait_for_stdout("collected 1\n")
    return java


def set_of_system(path, value):
    """Writes a setting of the kernel if this user may; returns what it was."""
    before = path.read_text().strip()
    try:
        path.write_text(value)
    except OSError:
        pass
    return re.search(r"\[(\w+)\]", before).group(1) if "[" in before else before


@pytest.fixture(params=["hugetlbfs", "thp"])
def large_pages(request):
    """Options for a heap on large pages; the machine gets its settings back."""
    if request.param == "thp":
        path, option = pathlib.Path("/sys/kernel/mm/transparent_hugepage/shmem_enabled"), "-XX:+UseTransparentHugePages"
        if not path.exists():
            pytest.skip("LARGE PAGES NOT TESTED: this kernel has no transparent ones")
        before = set_of_system(path, "advise")
        has = "[never]" not in path.read_text() and "[deny]" not in path.read_text()
    else:
        path, option = pathlib.Path("/proc/sys/vm/nr_hugepages"), "-XX:+UseLargePages"
        if not path.exists():
            pytest.skip("LARGE PAGES NOT TESTED: this kernel has no hugetlbfs")
        before = set_of_system(path, str(int(path.read_text()) + LARGE_PAGES))
        free = re.search(r"HugePages_Free: +(\d+)", pathlib.Path("/proc/meminfo").read_text())
        has = free and int(free.group(1)) >= LARGE_PAGES
    yield [option] if has else None
    set_of_system(path, before)


@pytest.mark.everyday(21, 25)
def test_a_heap_on_large_pages(jdk, zgc, large_pages, start_java):
    if not large_pages:
        pytest.skip("LARGE PAGES NOT TESTED: the machine has none to give")
    java = start_churn(jdk, [*zgc, *large_pages], start_java)
    for inside, before in dumps_of_churn(java):
        assert before == 0 or inside < before


def put_out(pid):
    """Asks the kernel to put the memory of a heap of ZGC into swap."""
    libc = ctypes.CDLL(None, use_errno=True)
    pidfd = os.pidfd_open(pid)
    for line in pathlib.Path("/proc/%d/maps" % pid).read_text().splitlines():
        if "/memfd:java_heap" in line:
            low, high = (int(number, 16) for number in line.split()[0].split("-"))
            piece = (ctypes.c_size_t * 2)(low, high - low)
            libc.syscall(PROCESS_MADVISE, pidfd, piece, ctypes.c_size_t(1), MADV_PAGEOUT, 0)
    os.close(pidfd)


@pytest.mark.everyday(21, 25)
def test_a_heap_that_is_in_swap(jdk, zgc, start_java):
    """Pages go out while the program stands, and come back when they are read."""
    if pathlib.Path("/proc/swaps").read_text().count("\n") < 2:
        pytest.skip("SWAP NOT TESTED: the machine has none")
    java = start_churn(jdk, zgc, start_java)
    java.signal(signal.SIGSTOP)
    put_out(java.pid)
    out = re.findall(r"Swap: +(\d+) kB", pathlib.Path("/proc/%d/smaps_rollup" % java.pid).read_text())
    java.signal(signal.SIGCONT)
    assert int(out[0]) > 1024, "no page went out"
    dumps_of_churn(java, 1)


COPIED = re.compile(r"heap dump: pause [\d.]+ ms \(([\d.]+) MB of the heap were copied in it, ([\d.]+) MB before\)")


@pytest.mark.everyday(17, 25)
@pytest.mark.parametrize("refused", [[], ["userfaultfd=EPERM"], ["userfaultfd=ENOSYS"]], ids=["", "refused", "unknown"])
def test_it_is_copied_before_the_pause_where_the_kernel_tells_what_is_written(jdk, zgc, refused, refuse, run_java):    # noqa: F811
    """20,000 nodes are more than a megabyte, and nobody writes to them."""
    ended = run_java(jdk, "heap=dump,format=b,verbose=y", "HeapGraph", 20000, vm=[*zgc, "-Xmx300m"], before=refuse(*refused) if refused else ())
    check_graph(dump_of(ended), 20000)
    inside, before = map(float, COPIED.search(ended.stderr).groups())
    if refused:
        assert before == 0 and inside > 1
    elif before == 0:
        pytest.skip("this kernel does not tell which pages are written")
    else:
        assert inside < before
