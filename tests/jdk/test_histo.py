"""heap=histo: the heap by class, against the program's own counts and `jcmd GC.class_histogram -all`.

SPDX-License-Identifier: Apache-2.0
"""
import re
import signal
import subprocess

import pytest
from conftest import TIMEOUT_S, old_and_new, one_jdk
from test_heapdump import G1, PARALLEL, SERIAL, SHENANDOAH, ZGC, has_collector

OBJECTS, THREADS, BIG = 5000, 2, 600000
ALIVE = (OBJECTS + 99) // 100 * THREADS
SAID = "HPROF: heap histogram: pause "
INSIDE = "the heap histogram is made inside the pause"
# No collection while the test runs.
ROOMY = {"serial": [SERIAL, "-Xmn150m"], "parallel": [PARALLEL, "-Xmn150m"], "g1": [G1, "-Xmn150m"],
         "shen": [*SHENANDOAH, "-XX:+UnlockDiagnosticVMOptions", "-XX:ShenandoahGCMode=passive"], "zgc": [*ZGC]}
HEAD = re.compile(r"(LIVE )?HISTOGRAM BEGIN \(total = (\d+) bytes\) ")
ROW = re.compile(r" *(\d+) +[\d.]+% +[\d.]+% +(\d+) +(\d+) (.+)$")
JCMD_ROW = re.compile(r" *\d+: +(\d+) +(\d+) +(\S+)")
CLASSES = {"HeapGarbage$Dead": "HeapGarbage$Dead", "HeapGarbage$Alive": "HeapGarbage$Alive",
           "HeapGarbage$Alive[]": "[LHeapGarbage$Alive;"}


class Table:
    """The last histogram of a text file."""

    def __init__(self, text):
        *_, last = HEAD.finditer(text)
        lines = text[last.start():].splitlines()
        live, size = last.groups()
        self.what = "live" if live else "all"
        self.bytes = int(size)
        rows = [ROW.match(line).groups() for line in lines[3:lines.index((live or "") + "HISTOGRAM END")]]
        assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
        assert [int(row[1]) for row in rows] == sorted((int(row[1]) for row in rows), reverse=True)
        self.rows = {name: (int(count), int(size)) for _, size, count, name in rows}
        self.sum = sum(int(row[1]) for row in rows)


def vm_of(jdk, collector):
    vm = [*ROOMY[collector], "-Xms300m", "-Xmx300m"]
    if collector in ("shen", "zgc") and not has_collector(jdk, vm):
        pytest.skip("JDK %d has no such collector" % jdk.number)
    return vm


def table_of(java, count=1):
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr(SAID, count)
    return Table((java.cwd / "java.hprof.txt").read_text(errors="replace"))


def jcmd(jdk, java, *options):
    said = subprocess.run([*jdk.asking_tool("jcmd"), str(java.pid), "GC.class_histogram", *options], stdout=subprocess.PIPE,
                          text=True, check=True, timeout=TIMEOUT_S).stdout
    return {name: (int(count), int(size)) for count, size, name in JCMD_ROW.findall(said)}


@pytest.mark.parametrize("collector", list(ROOMY))
def test_it_counts_what_the_jvms_own_counts(jdk, collector, start_java):
    java = start_java(jdk, "heap=histo,doe=n,cutoff=0", "HeapGarbage", OBJECTS, THREADS, BIG, vm=vm_of(jdk, collector))
    java.wait_for_stdout("ready")
    table, theirs = table_of(java), jcmd(jdk, java, "-all")
    assert table.sum == table.bytes, "with cutoff=0 all classes have a row"
    assert table.rows["HeapGarbage$Alive"][0] == ALIVE
    walked = collector == "zgc" or collector == "shen" and INSIDE in java.err.read_text()    # from reference to reference
    assert table.rows.get("HeapGarbage$Dead", (0, 0))[0] == (0 if walked else OBJECTS * THREADS)
    assert table.what == "all" or collector == "zgc"
    for ours, name in CLASSES.items():
        if name in theirs or collector not in ("shen", "zgc"):    # the JVM's own walks so there, too
            assert table.rows.get(ours) == theirs.get(name), ours


@pytest.mark.parametrize("collector", list(ROOMY))
def test_with_live_nothing_is_counted_that_nobody_can_reach(jdk, collector, start_java):
    java = start_java(jdk, "heap=histo,doe=n,cutoff=0,live=y", "HeapGarbage", OBJECTS, THREADS, BIG, vm=vm_of(jdk, collector))
    java.wait_for_stdout("ready")
    table = table_of(java)
    assert table.what == "live"
    assert table.rows["HeapGarbage$Alive"][0] == ALIVE
    # The last ones may be in frames that the compiler has not forgotten yet.
    assert table.rows.get("HeapGarbage$Dead", (0, 0))[0] <= 10 * THREADS
    theirs = jcmd(jdk, java)
    assert table.rows["HeapGarbage$Alive"] == theirs["HeapGarbage$Alive"]
    assert table.rows["HeapGarbage$Alive[]"] == theirs["[LHeapGarbage$Alive;"]


@old_and_new
@pytest.mark.parametrize("live", ["n", "y"])
def test_inside_the_pause_it_is_the_same(jdk, live, start_java):
    java = start_java(jdk, "heap=histo,doe=n,cutoff=0,fork=n,live=" + live, "HeapGarbage", OBJECTS, THREADS, BIG,
                      vm=vm_of(jdk, "serial"))
    java.wait_for_stdout("ready")
    inside = table_of(java)
    assert "all of it inside" in java.err.read_text()
    assert inside.rows["HeapGarbage$Alive"][0] == ALIVE
    assert (inside.rows.get("HeapGarbage$Dead", (0, 0))[0] == OBJECTS * THREADS) == (live == "n")


@one_jdk
def test_each_dump_has_one_and_the_end(jdk, start_java):
    java = start_java(jdk, "heap=histo", "HeapGarbage", OBJECTS, THREADS, 3000, vm=vm_of(jdk, "g1"))
    java.wait_for_stdout("ready")
    table_of(java)
    table_of(java, 2)
    ended = java.end()
    assert ended.rc == 0 and "HPROF ERROR" not in ended.stderr, ended.stderr
    text = ended.text()
    assert text.count("HISTOGRAM BEGIN") == text.count("HISTOGRAM END") == 3
    assert Table(text).rows["HeapGarbage$Dead"][0] == OBJECTS * THREADS


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_beside_a_heap_dump_in_the_same_file(jdk, run_java):
    ended = run_java(jdk, "event=histo,heap=dump,live=y,cutoff=0", "HeapGarbage", OBJECTS, THREADS, 100, vm=vm_of(jdk, "g1"))
    assert ended.rc == 0 and "HPROF ERROR" not in ended.stderr, ended.stderr
    text = ended.text()
    assert text.index("HISTOGRAM END") < text.index("HEAP DUMP BEGIN")
    assert len(re.findall(r"^OBJ .*class=HeapGarbage\$Alive@", text, re.M)) == Table(text).rows["HeapGarbage$Alive"][0] == ALIVE


@pytest.mark.jdks("newest")
def test_a_binary_file_has_none(jdk, run_java):
    ended = run_java(jdk, "heap=histo,format=b", "HeapGarbage", 1, 1, 1)
    assert ended.rc == 1 and "heap=histo is not supported with format=b" in ended.stderr, ended


@pytest.mark.jdks("newest")
def test_a_child_that_ends_early_leaves_no_table(jdk, run_java):
    ended = run_java(jdk, "heap=histo,dumptest=2", "HeapGarbage", 1, 1, 1, vm=[SERIAL])
    assert ended.rc == 0 and "there is no table, the program goes on" in ended.stderr, ended.stderr
    assert "HISTOGRAM" not in ended.text()
