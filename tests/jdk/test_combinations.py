"""All engines in one run: many dumps, each GC, doe=n, thread=y, on every JDK.

What each engine measures is tested elsewhere; here they must not disturb each other. The program says what it did.
SPDX-License-Identifier: Apache-2.0
"""
import re
import shutil
import signal
import subprocess
import time

import hprof_binary
import hprof_text
import pytest
from conftest import clean_environment, old_and_new, one_jdk
from robust import crash_files
from test_monitor import BLOCKER, GATE, names, rows_of

ALL = "cpu=samples,interval=1ms,heap=sites,monitor=all,thread=y,depth=8,cutoff=0"
ORDER = ["MonitorDump", "MonitorTime", "Sites", "Table"]
HEAP_TOO = ALL.replace("heap=sites", "heap=all"), ["MonitorDump", "MonitorTime", "Heap", "Sites", "Table"]
THING = "CombiWork$Thing"
COLLECTORS = {"Serial": [], "Parallel": [], "ConcMarkSweep": [],
              "Shenandoah": ["-XX:+UnlockExperimentalVMOptions"], "Z": ["-XX:+UnlockExperimentalVMOptions"],
              "Epsilon": ["-XX:+UnlockExperimentalVMOptions"]}


def collector_flags(name):
    return COLLECTORS[name] + ["-XX:+Use%sGC" % name, "-Xmx300m"]


def has_collector(jdk, name):
    return subprocess.run([jdk.tool("java")] + collector_flags(name) + ["-version"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=clean_environment(), check=False).returncode == 0


def said(stdout, what):
    return int(re.search(r"^%s (\d+)$" % what, stdout, re.M).group(1))


def dumped_times(java, dumps):
    """Asks for dumps, each after at least one more round of the program."""
    for count in range(1, dumps + 1):
        rounds = java.out.read_text().count("round")
        java.wait_for(lambda seen=rounds: java.out.read_text().count("round\n") > seen, "a round")
        java.signal(signal.SIGQUIT)
        java.wait_for_stderr(" done.\n", count)
    (java.cwd / "stop").touch()
    return java.end()


def check_end(ended):
    assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stdout + ended.stderr
    assert "HPROF ERROR" not in ended.stderr and not crash_files(ended), ended.stderr


def hits(text, klass):
    return sum(row.count for table in text.of(hprof_text.MonitorTime) for row in rows_of(table, klass))


def allocated(sites, klass):
    return sum(row.objects for row in sites.rows if row.klass == klass)


def check_all(ended, order):
    """A file of ALL, or HEAP_TOO, with dumps of these tables."""
    check_end(ended)
    text = hprof_text.Text(ended.text())
    depth = 256 if "Heap" in order else 8    # roots name a frame of their thread's whole stack
    hprof_text.check(text, depth=depth, cutoff=0, threads=True, all_traces=True)
    assert [kind for kind in text.shape() if kind != "Trace"] == order
    assert hits(text, GATE) == said(ended.stdout, "contended")
    assert hits(text, BLOCKER) == said(ended.stdout, "parked")
    things = [allocated(sites, THING) for sites in text.of(hprof_text.Sites)]
    assert things == sorted(things) and things[-1] == said(ended.stdout, "things")
    name = names(text)
    burnt = {name.get(text.traces[row.trace].thread) for table in text.tables for row in table.rows
             if any(frame.method == "burn" for frame in text.traces[row.trace].frames)}
    assert burnt == {"burner"}


@old_and_new
def test_ten_dumps_of_everything(jdk, start_java):
    java = start_java(jdk, ALL, "CombiWork", 10000)
    check_all(dumped_times(java, 10), ORDER * 11)


@pytest.mark.parametrize("collector", list(COLLECTORS))
def test_everything_with_each_collector(jdk, collector, start_java):
    if not has_collector(jdk, collector):
        pytest.skip("JDK %s has no such collector" % jdk.id)
    options, order = HEAP_TOO
    java = start_java(jdk, options, "CombiWork", 10000, vm=collector_flags(collector))
    check_all(dumped_times(java, 1), order * 2)


@one_jdk
def test_with_doe_n_only_the_dump_that_was_asked_for(jdk, start_java):
    ended = dumped_times(start_java(jdk, ALL + ",doe=n", "CombiWork", 10000), 1)
    check_end(ended)
    text = hprof_text.Text(ended.text())
    assert [kind for kind in text.shape() if kind != "Trace"] == ORDER


@old_and_new
@pytest.mark.parametrize("options", ["cpu=times,heap=sites,monitor=y,thread=y",
                                     "cpu=samples,cpu=times,heap=sites,monitor=all"])
def test_method_times_beside_the_others(jdk, start_java, options):
    ended = dumped_times(start_java(jdk, options + ",cutoff=0", "CombiWork", 10000), 1)
    check_end(ended)
    text = hprof_text.Text(ended.text())
    hprof_text.check(text, cutoff=0, threads="thread=y" in options, all_traces=True)
    assert len(text.titled("CPU TIME (ms)")) == 2
    assert hits(text, GATE) == said(ended.stdout, "contended")
    if "monitor=all" in options:
        assert hits(text, BLOCKER) == said(ended.stdout, "parked")
    assert not any("more)" in line for line in text.prologue), "each count has its line"
    assert {"times_cost_inside_ps", "times_lost_calls", "sites", "monitor_hits_lost"} <= set(text.quality())
    said_of_samples = [line for line in ended.stderr.splitlines() if line.startswith("HPROF: cpu=samples")]
    assert not any(" times_" in line or " sites" in line for line in said_of_samples), "these have lines of their own"
    calls = sum(row.count for table in text.titled("CPU TIME (ms)") for row in table.rows if row.method == "MonWork.enter")
    assert calls == said(ended.stdout, "contended")


@one_jdk
def test_a_binary_file_of_samples_and_sites(jdk, start_java):
    ended = dumped_times(start_java(jdk, "cpu=samples,heap=sites,format=b,thread=y,interval=1ms", "CombiWork", 10000), 2)
    check_end(ended)
    binary = hprof_binary.Binary(ended.read("java.hprof"))
    hprof_binary.check(binary, settings=hprof_binary.CONTROL_ALLOC_TRACES | hprof_binary.CONTROL_CPU_SAMPLES)
    assert len(binary.tables) == len(binary.sites) == 3


@pytest.mark.jdks(17, "newest")
@pytest.mark.parametrize("walks", ["histo", "dump", "sites", "of another copy"])
def test_objects_that_a_walk_of_the_heap_makes_stop_nobody(jdk, agent, start_java, walks, tmp_path):
    """The VM makes what compilers kept in registers, tells the sampler of it, and holds all others up meanwhile."""
    vm = ["-Xmx300m"]
    options = {"histo": "event=alloc,alloc=1,heap=histo,fork=n", "dump": "event=alloc,alloc=1,heap=dump,fork=n,format=b",
               "sites": "heap=sites,heap=histo,fork=n"}.get(walks, "event=alloc,alloc=1") + ",verbose=n"
    if walks == "of another copy":
        other = tmp_path / "other/libhprof.so"
        other.parent.mkdir()
        shutil.copy(str(agent), str(other))
        vm.append("-agentpath:%s=heap=histo,fork=n,verbose=n,file=other.txt" % other)
    java = start_java(jdk, options, "Remade", vm=vm)
    java.wait_for_stdout("ready")
    java.wait_for_cpu(1.5)    # what keeps its objects in registers is compiled
    for _ in range(30):
        java.signal(signal.SIGQUIT)
        time.sleep(0.05)
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and "done\n" in ended.stdout and "HPROF ERROR" not in ended.stderr, ended.stderr
