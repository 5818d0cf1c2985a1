"""hprof probe: pairs with their durations, conditions, and functions with what they return.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import json
import os
import re
import signal
import subprocess

import pytest

from conftest import TIMEOUT_S, one_jdk, wait_until
from test_probe import NOTE, classes, go, hprof, own, probe, refuse, uprobes  # noqa: F401 (fixtures)

# Two probes of its own, a recursion, a call that longjmp() leaves, threads that end within a pair, and a thread that changes
# its processor within each pair.
PROGRAM = NOTE + r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static jmp_buf out;
__attribute__((noinline)) void work__begin(long number) { NOTE("work__begin", "8@%rdi"); __asm__ volatile("" :: "r"(number)); }
__attribute__((noinline)) void work__end(long number) { NOTE("work__end", "8@%rdi"); __asm__ volatile("" :: "r"(number)); }
__attribute__((noinline)) int down(int depth) { int r = depth > 0 ? down(depth - 1) + 1 : -100; __asm__ volatile("" : "+r"(r)); return r; }
__attribute__((noinline)) int leaves(int how) { if (how) longjmp(out, 1); __asm__ volatile(""); return -7; }
__attribute__((noinline)) const char *named(const char *word) { __asm__ volatile("" : "+r"(word)); return word; }
static void *ends(void *number) { work__begin((long)number); return NULL; }
static void on_cpu(int cpu) { cpu_set_t set; CPU_ZERO(&set); CPU_SET(cpu, &set); sched_setaffinity(0, sizeof(set), &set); }
static void *moves(void *unused)
{
    int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < 200; i++) { on_cpu(i % cpus); work__begin(1000 + i); on_cpu((i + 1) % cpus); work__end(1000 + i); }
    return unused;
}
int main(void)
{
    pthread_t thread;
    puts("up"); fflush(stdout);
    while (access("go", F_OK) != 0) usleep(1000);
    work__begin(1); work__begin(2); work__end(2); work__end(1);
    work__end(99);                                                      /* began before anybody looked */
    for (long i = 0; i < 3; i++) { pthread_create(&thread, NULL, ends, (void *)i); pthread_join(thread, NULL); }
    pthread_create(&thread, NULL, moves, NULL); pthread_join(thread, NULL);
    down(5);
    for (int i = 0; i < 4; i++) { if (setjmp(out) == 0) leaves(i % 2); }
    named("first"); named("second");
    for (int i = 0; i < 10; i++) close(i < 7 ? -1 : dup(0));
    puts("done"); fflush(stdout);
    for (;;) pause();
}
"""


@pytest.fixture
def program(own):  # noqa: F811
    if os.uname().machine != "x86_64":
        pytest.skip("the descriptors are those of x86-64")
    return own(PROGRAM, "-fno-optimize-sibling-calls", "-pthread", "-Wl,--build-id")


class Watch:
    """A `probe count` or `probe trace` whose probes are in place."""

    def __init__(self, hprof, pid, tmp_path, *words):
        self.err, self.out = tmp_path / "watch.stderr", tmp_path / "watch.stdout"
        options = [word for word in words if word.startswith("-")]
        rest = [word for word in words if not word.startswith("-")]
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen([hprof, "probe", *options, str(pid), *rest], stdout=out, stderr=err)
        wait_until(lambda: "probe: watching" in self.err.read_text(), "probes", lambda: self.process.poll() is not None, self.err.read_text)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(TIMEOUT_S) == 0, self.err.read_text()
        return [json.loads(line) for line in self.out.read_text().splitlines()]


def run_own(hprof, program, tmp_path, *words):
    """The rows of a watch over all that the program does, and what it said at the end."""
    watch = Watch(hprof, program.pid, tmp_path, "--json", *words)
    (tmp_path / "go").touch()
    assert program.stdout.readline() == "done\n"
    rows = watch.end()
    assert program.poll() is None
    return rows, watch.err.read_text()


@pytest.mark.jdks(11, 17, 21, 25, "newest")
def test_collections_have_durations(jdk, hprof, start_java, tmp_path, uprobes):
    """As many as -Xlog:gc says; their safepoint operations are around them, and pools begin and end in any order."""
    java = start_java(jdk, None, "ProbePairs", vm=("-XX:+UseSerialGC", "-Xmx32m", "-Xlog:gc:file=gc.log"))
    java.wait_for_stdout("up")
    watch = Watch(hprof, java.pid, tmp_path, "--json", "--pairs", "trace", "gc__begin", "mem__pool__gc__begin", "vmops__begin")
    go(java)
    rows = watch.end()
    of = collections.defaultdict(list)
    for row in rows:
        assert row["duration_ns"] >= 0 and row["end"].endswith("end"), row
        of[row["probe"]].append(row)
    ends = [row["time_ns"] + row["duration_ns"] for row in rows]
    assert ends == sorted(ends)
    collections_ = of["hotspot:gc__begin"]
    logged = len(re.findall(r"Pause Full \(System\.gc\(\)\) \d+", (java.cwd / "gc.log").read_text()))
    assert len(collections_) == logged == 7 and all(row["full"] == 1 for row in collections_), (collections_, logged)
    pools = collections.Counter(row["pool"] for row in of["hotspot:mem__pool__gc__begin"])
    assert pools["Eden Space"] == pools["Tenured Gen"] == 7, pools
    assert all({"used", "end_used"} <= set(row) and "end_pool" not in row for row in of["hotspot:mem__pool__gc__begin"])
    around = [row for row in of["hotspot:vmops__begin"] if "Collect" in row["operation"]]
    for gc in collections_:
        assert [op for op in around if op["time_ns"] <= gc["time_ns"] and gc["time_ns"] + gc["duration_ns"] <= op["time_ns"] + op["duration_ns"]], (gc, around)


@pytest.mark.jdks(11, 17, 25, "newest")
def test_count_sums_durations_of_each_value(jdk, hprof, start_java, tmp_path, uprobes):
    java = start_java(jdk, None, "ProbePairs", vm=("-XX:+UseSerialGC", "-Xmx32m"))
    java.wait_for_stdout("up")
    watch = Watch(hprof, java.pid, tmp_path, "--json", "--pairs", "--by=pool", "count", "mem__pool__gc__end")
    go(java)
    rows = {row["pool"]: row for row in watch.end()}
    for row in rows.values():
        assert row["min_ns"] <= row["p50_ns"] <= row["p90_ns"] <= row["p99_ns"] <= row["max_ns"] <= row["total_ns"], row
        assert row["mean_ns"] == row["total_ns"] // row["count"] and sum(bucket["count"] for bucket in row["histogram"]) == row["count"], row
    assert rows["Eden Space"]["count"] == rows["Tenured Gen"]["count"] == 7, rows
    # the table
    watch = subprocess.Popen([hprof, "probe", "--pairs", str(java.pid), "count", "gc__begin"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert "watching" in watch.stderr.readline()
    go(java, 2)
    watch.send_signal(signal.SIGINT)
    head, line = watch.communicate(timeout=TIMEOUT_S)[0].splitlines()
    assert head.split() == ["COUNT", "TOTAL", "MEAN", "MIN", "P50", "P99", "MAX", "PAIR"] and re.match(r" +7 .* (ns|us|ms|s)  hotspot:gc__begin\.\.end$", line), line


@pytest.mark.jdks(11, 17, 25, "newest")
def test_waits_and_recursive_methods(jdk, hprof, start_java, tmp_path, uprobes):
    """The probes that a flag turns on. A method that an exception ends has an end, too."""
    java = start_java(jdk, None, "ProbePairs", vm=("-XX:+UseSerialGC", "-Xmx32m", "-Xint", "-XX:+DTraceMonitorProbes", "-XX:+DTraceMethodProbes"))
    java.wait_for_stdout("up")
    watch = Watch(hprof, java.pid, tmp_path, "--json", "--pairs", "--max-rate=10000000", "--where=class=ProbePairs", "trace", "method__entry")
    go(java)
    rows = watch.end()
    err = watch.err.read_text()
    assert "were lost" not in err, err
    down = [row for row in rows if row["method"] == "down"]
    assert len(down) == 6, rows
    for outer, row in zip(down[1:], down):  # the innermost one ends first
        assert outer["time_ns"] <= row["time_ns"] and row["time_ns"] + row["duration_ns"] <= outer["time_ns"] + outer["duration_ns"], down
    assert len([row for row in rows if row["method"] == "thrown"]) == 4, rows
    assert re.search(r"left out by --where", err), err
    watch = Watch(hprof, java.pid, tmp_path, "--json", "--pairs", "--where=class=java/lang/Object", "--where=duration>=1ms", "trace", "monitor__wait")
    go(java, 2)
    rows = watch.end()
    timeouts = collections.Counter(row["timeout"] for row in rows)
    assert timeouts[2] >= 5 and timeouts[1] >= 1, rows
    assert all(row["duration_ns"] >= 1000000 for row in rows), rows


@pytest.mark.jdks(17, 25, "newest")
def test_a_recording_has_pairs_with_their_durations(jdk, hprof, start_java, tmp_path, uprobes):
    java = start_java(jdk, None, "ProbePairs", vm=("-XX:+UseSerialGC", "-Xmx32m"))
    java.wait_for_stdout("up")
    file = tmp_path / "pairs.jfr"
    watch = Watch(hprof, java.pid, tmp_path, "--output=%s" % file, "--pairs", "--stack", "trace", "gc__begin", "mem__pool__gc__begin", "class__loaded")
    go(java)
    assert watch.end() == []
    shown = subprocess.run([jdk.tool("jfr"), "print", "--json", "--stack-depth", "64", str(file)], capture_output=True, text=True, check=True).stdout
    of = collections.defaultdict(list)
    for event in json.loads(shown)["recording"]["events"]:
        of[event["type"]].append(event["values"])
    collections_ = of["probe.hotspot.gc__begin__end"]
    assert len(collections_) == 7 and all(event["duration"] != "PT0S" and event["full"] == 1 for event in collections_), collections_
    assert all(event["stackTrace"]["frames"] for event in collections_), collections_
    pools = of["probe.hotspot.mem__pool__gc__begin__end"]
    assert len(pools) % 7 == 0 and all(event["pool"] and event["end_used"] >= 0 for event in pools), pools
    report = subprocess.run([hprof, "report", "-v", str(file)], capture_output=True, text=True, check=True)
    assert re.search(r" 7  probe\.hotspot\.gc__begin__end$", report.stdout, re.M), report.stdout


@one_jdk
def test_nested_pairs_processors_and_threads_that_end(jdk, hprof, program, tmp_path, uprobes):
    rows, err = run_own(hprof, program, tmp_path, "--pairs", "trace", "own:work__begin")
    assert all(row["arg1"] == row["end_arg1"] for row in rows), rows
    assert [row["arg1"] for row in rows] == [2, 1] + [1000 + i for i in range(200)], rows
    assert "not in pairs: 1 end without a begin that was seen, 3 begins of threads that have ended" in err, err


@one_jdk
def test_two_probes_of_the_user_and_conditions(jdk, hprof, program, tmp_path, uprobes):
    rows, err = run_own(hprof, program, tmp_path, "--pair=own:work__begin,own:work__end", "--where=arg1>=1100", "--where=arg1<1110", "trace")
    assert [row["arg1"] for row in rows] == list(range(1100, 1110)), rows
    assert "192 hits or pairs were left out by --where" in err, err


@one_jdk
def test_calls_returns_and_what_longjmp_leaves(jdk, hprof, program, tmp_path, uprobes):
    rows, err = run_own(hprof, program, tmp_path, "--pairs", "trace", "uprobe:own:down(depth:int)", "uretprobe:own:down(int)", "uprobe:own:leaves(how:int)")
    assert [(row["depth"], row["retval"]) for row in rows if row["probe"].endswith("down")] == [(i, -100 + i) for i in range(6)], rows
    assert [(row["how"], row["retval"] & 0xffffffff) for row in rows if row["probe"].endswith("leaves")] == [(0, 0xfffffff9)] * 2, rows
    assert "not in pairs: 2 begins that have no end yet" in err, err


@one_jdk
def test_values_that_functions_return(jdk, hprof, program, tmp_path, uprobes):
    rows, err = run_own(hprof, program, tmp_path, "--where=retval<0", "count", "uretprobe:libc:close(int)")
    assert rows == [{"probe": "uretprobe:libc.so.6:close", "hits": 7}], (rows, err)


@one_jdk
def test_texts_of_functions(jdk, hprof, program, tmp_path, uprobes):
    rows, _ = run_own(hprof, program, tmp_path, "trace", "uprobe:own:named(word:str)", "uretprobe:own:named(str)")
    assert [(row.get("word"), row.get("retval")) for row in rows] == [("first", None), (None, "first"), ("second", None), (None, "second")], rows


@one_jdk
@pytest.mark.parametrize("names", [["uretprobe:own:down(int)"], ["uprobe:own:down(depth:int)", "uretprobe:own:down(int)"]])
def test_stacks_where_the_kernel_has_replaced_return_addresses(jdk, hprof, program, tmp_path, uprobes, names):
    rows, err = run_own(hprof, program, tmp_path, "--stack", "trace", *names)
    assert len(rows) == 6 * len(names), rows
    for row in rows:
        functions = [frame["function"] for frame in row["stack"]]
        # a return is in its caller; depth 5 is called by main()
        depth = row["retval"] + 100 if "retval" in row else row["depth"]
        own = functions[:functions.index("main") + 1]
        assert own == ["down"] * (5 - depth + ("depth" in row)) + ["main"] and row["stack_is_whole"], (row, err)


@one_jdk
@pytest.mark.parametrize("name, why", [
    ("uretprobe:libc:_setjmp", "returns twice"), ("uretprobe:libc:dlsym", "finds its caller"), ("uprobe:libc:no_such_function", "no symbol"),
    ("uprobe:no_such_library:f", "no file of this name"), ("uprobe:libc:strlen", "IFUNC"), ("uprobe:libc:*", "more than 512")])
def test_functions_that_cannot_be_watched(jdk, hprof, program, uprobes, name, why):
    refused = probe(hprof, "-d", "1s", program.pid, "count", name)
    assert refused.returncode == 1 and len(refused.stderr.splitlines()) == 1 and why in refused.stderr, refused.stderr


@pytest.mark.jdks(8, 17, "newest")
def test_functions_of_the_vm(jdk, hprof, start_java, tmp_path, uprobes):
    """Returns of what libjvm.so exports; of others, which code of the VM may call, the calls alone. The program goes on."""
    java = start_java(jdk, None, "ProbePairs", vm=("-XX:+UseSerialGC", "-Xmx32m"))
    java.wait_for_stdout("up")
    watch = Watch(hprof, java.pid, tmp_path, "--json", "--pairs", "--stack", "trace", "uprobe:libjvm:JVM_GC", "uprobe:libjvm:JVM_MonitorWait")
    go(java)
    rows = watch.end()
    assert len([row for row in rows if row["probe"].endswith("JVM_GC")]) == 7, rows
    for row in rows:
        if row["probe"].endswith("JVM_GC"):
            assert row["stack_is_whole"] and "gc" in [frame.get("method") for frame in row["stack"]][:3], row
    refused = probe(hprof, "-d", "1s", java.pid, "count", "uretprobe:libjvm:*InterpreterRuntime*")
    assert refused.returncode == 1 and len(refused.stderr.splitlines()) == 1 and ("does not export it" in refused.stderr or "no symbol" in refused.stderr), refused.stderr
    go(java, 2)
    assert java.process.poll() is None


@one_jdk
@pytest.mark.parametrize("words, why", [
    (["--where", "no_such=1", "count", "own:work__begin"], "none of these probes has a field 'no_such'"),
    (["--where", "duration>1ms", "count", "own:work__begin"], "--pairs has durations"),
    (["--pairs", "--where", "duration>1 apple", "count", "own:work__begin"], "a span of time is wanted"),
    (["--where", "word>x", "count", "uprobe:own:named(word:str)"], "'word' is a text"),
    (["--pairs", "count", "uprobe:own:leaves", "--by", "x"], "none of these probes has such an argument"),
    (["--pairs", "count", "uprobe:libc:_setjmp"], "its return cannot be watched: it returns twice"),
    (["count", "strlen"], "a function is uprobe:LIBRARY:FUNCTION"),
    (["--pair", "own:work__begin,own:nothing", "count"], "'own:nothing' names no probe"),
    (["--pair", "own:work__*,own:work__end", "count"], "names several probes"),
])
def test_what_cannot_be_asked_is_said_before_a_probe_is_put(jdk, hprof, program, uprobes, words, why):
    refused = probe(hprof, "-d", "60s", program.pid, *words)
    assert refused.returncode == 1 and len(refused.stderr.splitlines()) == 1 and why in refused.stderr, refused.stderr
    assert refused.stdout == "" and "watching" not in refused.stderr
