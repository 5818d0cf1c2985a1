"""cpu=times and cpu=old: counts are exact, times make sense.

The program Calls counts its own calls and prints them; the agent has to find the same numbers, whatever the compilers
do meanwhile. What is known beforehand of JDK 8's own agent and of JFR's jdk.MethodTiming is compared with theirs.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import signal
import subprocess
import time

from attaching import attach  # noqa: F401
import golden
import hprof_text
import jfr_file
from conftest import old_and_new, one_jdk
import conftest
import pytest

ALL = ("recursion", "exceptions", "uncaught", "constructors", "interfaces", "threads")
SAID = re.compile(r"^calls (\S+) = (\d+)$", re.M)
LINE = re.compile(r"HPROF: cpu=(?:times|old) by clock (\w+): \d+ calls?, \d+ ms; (\d+) ha(?:s|ve) not ended, \d+ (?:is|are) not counted$", re.M)
CLOCKS = ("tsc", "nano", "tick", "cpu", "none")
SLEPT_MS = 10 * 20 + 5 * 5 + 5 * 10    # by the program Times, in one thread
NEWEST = conftest.JDKS[max(conftest.JDKS)]
AT_ONCE = 40    # threads: the 20 of Calls.threads, those that it has besides, and the VM's own


def expected(stdout):
    """{method: calls} as the program itself counted them."""
    counts = {method: int(count) for method, count in SAID.findall(stdout)}
    assert counts, stdout
    return counts


def found(tables):
    """{method: calls} of the classes of Calls in the tables; all bodies of lambdas are Calls.lambda."""
    counts = {}
    for table in tables:
        for row in table.rows:
            method = re.sub(r"\.lambda\$.*", ".lambda", row.method)
            if method.startswith("Calls"):
                counts[method] = counts.get(method, 0) + row.count
    return counts


def wrong(stdout, tables):
    """{method: (expected, found)} where they are not the same."""
    counts = found(tables)
    return {method: (count, counts.get(method, 0)) for method, count in expected(stdout).items()
            if counts.get(method, 0) != count}


def run_calls(run_java, jdk, options, *parts, rc=0, depth=4, **keywords):
    ended = run_java(jdk, "cpu=times,cutoff=0,raw=y," + options, "Calls", *parts, **keywords)
    assert ended.rc == rc, ended.stderr
    text = hprof_text.Text(ended.text())
    hprof_text.check(text, cutoff=0, depth=depth)
    return ended, text


def test_the_counts_are_those_of_the_program(jdk, run_java):
    ended, text = run_calls(run_java, jdk, "", *ALL, "never")
    assert wrong(ended.stdout, text.calls) == {}
    assert all(expected(ended.stdout)["Calls." + part] == 1 for part in ALL + ("never",))


@one_jdk
@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.parametrize("options", ["mem=4m,depth=1000", "mem=2m,include=Calls*:java.*:jdk.*:sun.*"])
def test_the_counts_are_exact_without_room_for_paths(jdk, run_java, options):
    """Recursion, exceptions and threads, most of them in methods whose paths find no room."""
    ended, text = run_calls(run_java, jdk, options, *ALL, "never", depth=1000)
    assert wrong(ended.stdout, text.calls) == {}
    quality = text.quality()
    assert quality["times_shallow_calls"] > 1000 and "raise mem=" in ended.stderr
    assert 0 < quality["times_corrected_us"] < quality["times_raw_us"], "what a call costs was measured, too"
    without = {row.method for row in text.tables[0].rows
               if [frame.method for frame in text.traces[row.trace].frames[1:]] == ["callersNotKept"]}
    assert any(method.startswith("Calls") for method in without)


def whole_table(ended):
    """{method: [calls, us as measured, us corrected]} of the second table of timesboth=y, which needs no room for paths."""
    whole = collections.defaultdict(lambda: [0, 0, 0])
    for line in ended.text("timesboth.txt").splitlines():
        calls, raw, corrected, klass, method = line.split(" ")
        row = whole[klass.replace("/", ".") + "." + method]
        row[:] = row[0] + int(calls), row[1] + int(raw) / 1000, row[2] + int(corrected) / 1000
    return whole


@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.parametrize("options", ["mem=2m,depth=1000", "mem=64m,depth=40", "mem=2m,depth=1000,clock=cpu"])
def test_the_time_of_each_method_is_the_same_whatever_room_there_is(jdk, run_java, options):
    """Against a table of the same run that is kept apart from paths: recursion, exceptions, threads, waits."""
    ended, text = run_calls(run_java, jdk, "timesboth=y," + options, *ALL, depth=1000)
    whole = whole_table(ended)
    assert (text.quality()["times_shallow_calls"] > 1000) == ("mem=2m" in options)
    ours = collections.defaultdict(lambda: [0, 0, 0, 0])
    for raw in text.of(hprof_text.Raw):
        for row in raw.rows:
            mine = ours[row.method]
            mine[:] = mine[0] + row.count, mine[1] + row.raw, mine[2] + row.corrected, mine[3] + 1
    assert {method: (row[0], whole[method][0]) for method, row in ours.items() if row[0] != whole[method][0]} == {}
    # Rows are cut off at microseconds, and the clock's unit is measured anew; overloads that differ in the sign of their corrected time are one name.
    assert {method: (row, whole[method]) for method, row in ours.items()
            if not -1 - row[1] / 10000 <= whole[method][1] - row[1] <= row[1] / 10000 + row[3] + 1} == {}
    assert {method: (row, whole[method]) for method, row in ours.items()
            if not -2 - row[2] / 10000 <= whole[method][2] - row[2] <= row[2] / 10000 + row[3] + 2} == {}
    assert sum(row[0] for row in ours.values()) > 100000


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_rows_of_less_than_a_millisecond_are_left_out(jdk, run_java):
    """As the original does; their time is in the total, and in rows of their methods where it is enough."""
    ended = run_java(jdk, "cpu=times,cutoff=0,depth=2000", "Calls", *ALL)
    text = hprof_text.Text(ended.text())
    hprof_text.check(text, cutoff=0, depth=2000)
    table = text.tables[0]
    used = {row.trace for each in text.calls + text.of(hprof_text.Unfinished) + text.of(hprof_text.Waiting) for row in each.rows}
    assert set(text.traces) == used
    assert 0 < len(table.rows) < 2000 and all(row.self / 100 * table.total > 0.4 for row in table.rows)
    full = run_java(jdk, "cpu=times,cutoff=0,raw=y,depth=2000", "Calls", *ALL)
    assert len(hprof_text.Text(full.text()).tables[0].rows) > 10 * len(table.rows)


@one_jdk
def test_a_cost_that_cannot_be_is_not_taken_off(jdk, run_java):
    """Where the compilers had no time for the code that the calibration runs, a call seems to cost tens of times as much."""
    for cost, is_taken in ((1, True), (1000000, False)):
        ended = run_java(jdk, "cpu=times,cutoff=0,timescost=%d" % cost, "CpuHot", 300)
        quality = hprof_text.Text(ended.text()).quality()
        assert (quality["times_corrected_us"] < quality["times_raw_us"]) == is_taken, quality
        assert ("are not corrected for it" in ended.stderr) != is_taken and (quality["times_cost_outside_ps"] > 0) == is_taken


@one_jdk
def test_calls_that_never_end_have_a_table_of_their_own(jdk, run_java):
    """A thread that waits when the VM ends is not in CPU TIME, whatever time it has waited."""
    golden.listed("Calls that have not ended")
    ended, text = run_calls(run_java, jdk, "", "recursion", "never", "recursion")
    table, = text.tables
    unfinished, = text.of(hprof_text.Unfinished)
    assert not {"Calls$4.run", "Calls.sink"} & {row.method for row in table.rows}
    never = found([unfinished])
    assert (never["Calls$4.run"], never["Calls.sink"]) == (1, 31)
    assert text.quality()["times_unfinished_calls"] == sum(row.count for row in unfinished.rows)
    assert any(table.is_unfinished and table.total > 0 for table in text.of(hprof_text.Waiting))
    assert text.quality()["times_unfinished_us"] == pytest.approx(1000 * unfinished.total, abs=1000)
    assert int(LINE.search(ended.stderr).group(2)) == text.quality()["times_unfinished_calls"]


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_raw_times_stand_beside_the_corrected_ones(jdk, run_java):
    _, text = run_calls(run_java, jdk, "include=Calls*", "recursion", "exceptions")
    raw, = text.of(hprof_text.Raw)
    quality = text.quality()
    assert [(row.rank, row.count, row.trace, row.method) for row in raw.rows] == \
           [(row.rank, row.count, row.trace, row.method) for row in text.tables[0].rows]
    assert all(row.corrected <= row.raw for row in raw.rows)
    assert (raw.raw, raw.corrected) == (quality["times_raw_us"], quality["times_corrected_us"])
    fib = [row for row in raw.rows if row.method == "Calls.fib"]
    calls, cost = sum(row.count for row in fib), sum(row.raw - row.corrected for row in fib) * 1000
    # A call of fib makes two calls at most on the average: Calls.hit and, but for the first ones, itself. The costs of
    # a call are rounded to tenths of a nanosecond, those of a row to microseconds.
    most = calls * (raw.inside + 0.05 + 2 * (raw.outside + 0.05)) + 2000 * len(fib)
    assert calls > 10000 and 0 < cost <= most


@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.parametrize("vm", ["-Xint", "-Xcomp"])
def test_interpreted_or_compiled_at_once(jdk, run_java, vm):
    if vm == "-Xcomp" and jdk.number != 8:
        vm = "-XX:TieredStopAtLevel=1"
    ended, text = run_calls(run_java, jdk, "include=Calls*", *ALL, vm=[vm])
    assert wrong(ended.stdout, text.calls) == {}


def test_all_of_it_verified(jdk, run_java):
    """The injected classes and the tracker itself pass the verifier."""
    ended, text = run_calls(run_java, jdk, "", *ALL, vm=["-Xverify:all"])
    assert wrong(ended.stdout, text.calls) == {}
    assert text.quality()["times_classes_refused"] == 0


@old_and_new
def test_system_exit_in_a_deep_stack(jdk, run_java):
    ended, text = run_calls(run_java, jdk, "", "recursion", "exit", rc=3)
    assert wrong(ended.stdout, text.calls) == {}
    assert found(text.calls)["Calls.exit"] == 21


@old_and_new
@pytest.mark.jdks(since=21)
def test_virtual_threads_have_their_own_trees(jdk, run_java):
    ended, text = run_calls(run_java, jdk, "", "virtual")
    assert wrong(ended.stdout, text.calls) == {}
    # Work is called by the threads' own run(), whatever carried them.
    callers = {text.traces[row.trace].frames[1].method for row in text.tables[0].rows if row.method == "Calls.work"}
    assert callers == {"run"}


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.jdks(8, "newest")
def test_each_clock_counts_the_same(jdk, run_java, clock):
    start = time.monotonic()
    ended, text = run_calls(run_java, jdk, "clock=" + clock, *ALL)
    lasted_ms = 1000 * (time.monotonic() - start)
    assert wrong(ended.stdout, text.calls) == {}
    line = LINE.search(ended.stderr)
    assert line.group(1) == clock
    if clock == "none":
        assert text.tables[0].total == 0
    else:
        assert 0 < text.tables[0].total < AT_ONCE * lasted_ms


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_the_default_clock_is_named(jdk, run_java):
    ended, _ = run_calls(run_java, jdk, "", "recursion")
    assert LINE.search(ended.stderr).group(1) in ("tsc", "nano")


@one_jdk
@pytest.mark.parametrize("memory", ["1m", "64m"])
def test_two_dumps_share_the_calls_between_them(jdk, start_java, memory):
    java = start_java(jdk, "cpu=times,cutoff=0,raw=y,include=Calls*,mem=" + memory, "Calls", "recursion", "exceptions", "wait:go", "exceptions",
                      "constructors")
    java.wait_for_stdout("waiting for go")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("done.")
    (java.cwd / "go").touch()
    ended = java.end()
    text = hprof_text.Text(ended.text())
    hprof_text.check(text, cutoff=0)
    first, second = text.tables
    assert wrong(ended.stdout, text.calls) == {}
    assert found([first])["Calls.recursion"] == 1 and "Calls.recursion" not in found([second])
    assert found([first])["Calls.exceptions"] == found([second])["Calls.exceptions"] == 1


@one_jdk
@pytest.mark.jdks(8, 21, "newest")
def test_rows_of_each_thread(jdk, run_java):
    ended = run_java(jdk, "cpu=times,cutoff=0,raw=y,thread=y", "Calls", "threads", "recursion")
    text = hprof_text.Text(ended.text())
    hprof_text.check(text, cutoff=0, threads=True)
    assert wrong(ended.stdout, text.calls) == {}
    name = {thread.serial: thread.name for thread in text.of(hprof_text.ThreadStart)}
    work = {name[text.traces[row.trace].thread]: row.count for row in text.tables[0].rows if row.method == "Calls.work"}
    assert work == {"worker%d" % i: 1 for i in range(20)}


@pytest.mark.parametrize("depth", [0, 1, 2, 40])
@pytest.mark.jdks(8, "newest")
def test_depth(jdk, run_java, depth):
    ended = run_java(jdk, "cpu=times,cutoff=0,raw=y,include=Calls*,depth=%d" % depth, "Calls", "recursion", "exceptions")
    text = hprof_text.Text(ended.text())
    hprof_text.check(text, cutoff=0, depth=depth)
    counts = expected(ended.stdout)
    # Calls.hit is called once for each call that is counted, and is one itself.
    assert sum(row.count for row in text.tables[0].rows) >= 2 * sum(counts.values())
    if depth:
        assert wrong(ended.stdout, text.calls) == {}
        assert max(len(trace.frames) for trace in text.traces.values()) == min(depth, 40)
    else:
        assert [row.method for row in text.tables[0].rows] == ["<empty trace>"]


@one_jdk
@pytest.mark.jdks(8, 17, "newest")
def test_old_has_the_same_counts(jdk, run_java):
    ended = run_java(jdk, "cpu=old", "Calls", *ALL)
    table, = hprof_text.read_old(ended.text())
    counts = {}
    for row in table:
        method = re.sub(r"\.lambda\$.*", ".lambda(", row.callee).partition("(")[0]
        counts[method] = counts.get(method, 0) + row.count
    assert {m: (n, counts.get(m)) for m, n in expected(ended.stdout).items() if counts.get(m) != n} == {}
    main = [row for row in table if row.callee.startswith("Calls.main(")]
    assert [row.caller for row in main] == ["<unknown caller>"]
    recursion, = [row for row in table if row.callee == "Calls.recursion()V"]
    assert recursion.caller == "Calls.main([Ljava/lang/String;)V" and recursion.time <= main[0].time


@one_jdk
@pytest.mark.jdks(8, 17, "newest")
def test_times_fit_into_each_other(jdk, run_java):
    """Ten times 20 ms of sleep are in Times.leaf with all it calls, and in its caller too; not in its own time."""
    ended = run_java(jdk, "cpu=old", "Times")
    took = {(row.callee.partition("(")[0], row.caller.partition("(")[0]): row.time
            for row in hprof_text.read_old(ended.text())[0]}
    assert took["Times.sleep", "Times.leaf"] >= 198    # 1 % for the clock
    assert took["Times.main", "<unknown caller>"] >= took["Times.mid", "Times.main"] >= took["Times.leaf", "Times.mid"]
    assert took["Times.leaf", "Times.mid"] >= took["Times.sleep", "Times.leaf"]
    start = time.monotonic()
    text = hprof_text.Text(run_java(jdk, "cpu=times,cutoff=0,raw=y,include=Times*", "Times").text())
    lasted_ms = 1000 * (time.monotonic() - start)
    own = collections.Counter()
    waiting, = (table for table in text.of(hprof_text.Waiting) if not table.is_unfinished)
    for row in waiting.rows:
        own[text.traces[row.trace].frames[1 + (text.traces[row.trace].frames[1].klass == "java.lang.Thread")].method] += \
            row.self / 100 * waiting.total
    # All sleeps are called by Times.sleep, in whose own time they are not, and the one thread's time is counted once.
    assert own["sleep"] >= 0.98 * SLEPT_MS and text.tables[0].total + waiting.total <= lasted_ms
    work = sum(row.self / 100 * text.tables[0].total for row in text.tables[0].rows if row.method == "Times.sleep")
    assert work < SLEPT_MS / 2
    assert text.quality()["times_corrected_us"] <= text.quality()["times_raw_us"]
    assert text.tables[0].total == pytest.approx(text.quality()["times_corrected_us"] / 1000, abs=2)


@pytest.mark.parametrize("options, has, has_not", [
    ("include=Calls", {"Calls.fall", "Calls.main"}, {"Calls$Oops.<init>", "java.lang.String.length"}),
    ("include=Calls.f*", {"Calls.fall", "Calls.fib"}, {"Calls.main", "Calls$Oops.<init>"}),
    ("include=Calls$Oops.<init>:Calls.fib", {"Calls$Oops.<init>", "Calls.fib"}, {"Calls.fall"}),
    ("include=Calls*,exclude=Calls.fib:Calls$*", {"Calls.fall"}, {"Calls.fib", "Calls$Oops.<init>"}),
    ("exclude=java.*", {"Calls.fall"}, {"java.util.HashMap.get", "java.lang.Thread.start"}),
])
@pytest.mark.jdks(8, "newest")
def test_include_and_exclude(jdk, run_java, options, has, has_not):
    ended = run_java(jdk, "cpu=times,cutoff=0,raw=y," + options, "Calls", "recursion", "exceptions")
    text = hprof_text.Text(ended.text())
    rows = {row.method for row in text.tables[0].rows}
    assert has <= rows and not has_not & rows
    counts = found(text.calls)
    assert all(expected(ended.stdout)[method] == counts[method] for method in has - {"Calls.main"})


@old_and_new
@pytest.mark.jdks(8, 11, "newest")
def test_what_is_left_alone_is_listed(jdk, run_java):
    _, text = run_calls(run_java, jdk, "", "recursion")
    golden.listed("NOT TIMED")
    block, = text.of(hprof_text.NotTimed)
    listed = {method for methods in block.methods.values() for method in methods}
    assert {"java.lang.Math.max(II)I", "java.lang.Object.<init>()V"} <= listed
    assert "java.lang.Object.<init>" not in {row.method for row in text.tables[0].rows}
    assert text.quality()["times_methods_left_alone"] >= len(listed)


def test_intrinsics_can_be_counted(jdk, run_java):
    ended = run_java(jdk, "cpu=times,cutoff=0,raw=y,depth=2,intrinsics=count", "Calls", "intrinsics")
    assert (ended.rc, ended.stdout) == (0, "calls Calls.intrinsics = 1\n")     # the VM has nothing to complain about
    text = hprof_text.Text(ended.text())
    counts = {row.method: row.count for row in text.tables[0].rows
              if [frame.method for frame in text.traces[row.trace].frames[1:]] == ["intrinsics"]}
    assert (counts["java.lang.Math.max"], counts["java.lang.String.equals"]) == (300000, 200000)


@old_and_new
def test_no_frame_of_ours_in_samples_or_stack_traces(jdk, run_java):
    golden.listed("`cpu=samples,cpu=times`")
    ended = run_java(jdk, "cpu=samples,cpu=times,interval=1,cutoff=0,raw=y", "Calls", *("recursion", "interfaces") * 5, "constructors", "trace")
    assert "Hprof_libhprof_Times" not in ended.text() and "Hprof_libhprof_Times" not in ended.stdout
    assert ended.stdout.count("at Calls.fallWithTrace") == 4
    text = hprof_text.Text(ended.text())
    assert [table.title for table in text.tables] == ["CPU SAMPLES", "CPU TIME (ms)"]
    samples = text.tables[0]
    assert samples.total > 50
    assert sum(1 for row in samples.rows if row.method.startswith("Calls")) > 0
    assert wrong(ended.stdout, text.calls[1:]) == {}


@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("memory", ["1m", "64m"])
def test_memory_that_is_full_takes_callers_but_no_calls(jdk, run_java, memory):
    levels, times = 13, 3
    ended = run_java(jdk, "cpu=times,cutoff=0,raw=y,depth=32,include=Paths,mem=" + memory, "Paths", levels, times)
    assert ended.rc == 0
    text = hprof_text.Text(ended.text())
    table, = text.calls
    counts = collections.Counter()
    for row in table.rows:
        counts[row.method] += row.count
    ways = times << levels
    assert (counts["Paths.go"], counts["Paths.left"], counts["Paths.right"], counts["Paths.<init>"], counts["Paths.all"]) == (
        ways * (levels + 1), ways * levels // 2, ways * levels // 2, ways, times)
    shallow = text.quality()["times_shallow_calls"]
    assert (shallow > 0) == ("raise mem=" in ended.stderr) == (memory == "1m")
    assert text.quality()["times_lost_calls"] == 0


@one_jdk
def test_without_a_word_about_memory_there_is_more_room_for_paths(jdk, run_java):
    """On a machine of a few GB. Rows of less than a millisecond are left out: the model would have no room for so many."""
    held = (32 << 20) // 120    # nodes, half of 64 MB
    for memory in ("", "mem=64m,"):
        quality = hprof_text.Text(run_java(jdk, "cpu=times,depth=64,include=Paths,%sfile=java.hprof.txt" % memory, "Paths", 16, 1).text()).quality()
        assert (quality["times_shallow_calls"] > 0, quality["times_tree_nodes"] > held) == (memory != "", memory == "")


def pairs(text, of_methods):
    """{(callee, caller): calls} of a table of cpu=old, where both are the program's; or {callee: calls}."""
    table, = hprof_text.read_old(text)
    counts = {}
    for row in table:
        if row.callee.startswith("Calls") and row.caller.startswith("Calls"):
            key = row.callee if of_methods else (row.callee, row.caller)
            counts[key] = counts.get(key, 0) + row.count
    return counts


@pytest.mark.jdks(8)
@pytest.mark.parametrize("of_methods, parts", [(False, ("recursion", "constructors", "threads")),
                                               (True, ("recursion", "exceptions", "constructors", "threads"))])
def test_the_same_counts_as_the_original(jdk, run_java, of_methods, parts):
    """By cpu=old, since cpu=times of the original leaves out what took no millisecond.

    Where a method catches within its own recursion the original takes the wrong one: then methods only."""
    if not jdk.original_agent:
        pytest.skip("this JDK 8 has no agent of its own")
    for row in ("Interfaces", "Lambdas", "Calls that an exception ends", "Calls that have not ended"):
        golden.listed(row)
    theirs, ours = (pairs(run_java(jdk, "cpu=old", "Calls", *parts, **library).text(), of_methods)
                    for library in ({"library": jdk.original_agent}, {}))
    assert ours == theirs
    assert sum(ours.values()) > 40000


@pytest.mark.jdks(25)
def test_the_same_counts_as_jfr(jdk, run_java, tmp_path):
    """jdk.MethodTiming, in another run of the same program. It does not count calls that an exception ends."""
    recording = tmp_path / "times.jfr"
    parts = ("recursion", "interfaces")
    ended = run_java(jdk, None, "Calls", *parts, vm=[
        "-XX:StartFlightRecording:filename=%s,method-timing=Calls" % recording])
    assert ended.rc == 0, ended.stderr
    printed = subprocess.run([*jdk.short_tool("jfr"), "print", "--events", "jdk.MethodTiming", str(recording)],
                             stdout=subprocess.PIPE, text=True, check=True, timeout=100, stdin=subprocess.DEVNULL)
    theirs = {}
    for event in printed.stdout.split("jdk.MethodTiming {")[1:]:
        method = re.search(r"method = (Calls\.[\w<>$]+)", event)
        if method:
            theirs[method.group(1)] = int(re.search(r"invocations = (\d+)", event).group(1))
    theirs = {method: count for method, count in theirs.items() if count and "lambda" not in method}
    _, text = run_calls(run_java, jdk, "", *parts)
    ours = found(text.calls)
    assert len(theirs) > 8 and theirs["Calls.fib"] > 10000
    assert {method: (count, ours.get(method)) for method, count in theirs.items()
            if method != "Calls.main" and ours.get(method) != count} == {}


def timings(path, tool_jdk):
    """{method: jdk.MethodTiming} of the last dump; overloads and bodies of lambdas by their number of calls alone."""
    events = jfr_file.events(tool_jdk, path, "jdk.MethodTiming")
    last = max(event["startTime"] for event in events)
    found = collections.defaultdict(list)
    for event in events:
        method = event["method"]
        name = re.sub(r"\.lambda\$.*", ".lambda", method["type"]["name"].replace("/", ".") + "." + method["name"])
        if event["startTime"] == last:
            found[name].append(event)
    return found


NS = re.compile(r"PT(?:(\d+)M)?(?:([\d.]+)S)?$")


def ns_of(duration):
    minutes, seconds = NS.match(duration).groups()
    return round((60 * int(minutes or 0) + float(seconds or 0)) * 1e9)


@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.parametrize("options", ["", ",clock=nano", ",mem=2m,depth=1000"])
def test_a_recording_says_how_long_calls_took(jdk, run_java, options):
    ended = run_java(jdk, "cpu=times,file=x.jfr" + options, "Calls", *ALL)
    assert ended.rc == 0, ended.stderr
    if "mem=" in options:
        assert "raise mem=" in ended.stderr
    of = timings(ended.cwd / "x.jfr", NEWEST)
    counts = {name: sum(event["invocations"] for event in events) for name, events in of.items()}
    assert {name: (count, counts.get(name)) for name, count in expected(ended.stdout).items() if counts.get(name) != count} == {}
    for events in of.values():
        for event in events:
            assert ns_of(event["minimum"]) <= ns_of(event["average"]) <= ns_of(event["maximum"]), event


@pytest.mark.jdks(8, "newest")
def test_the_time_of_a_call_is_with_what_it_calls(jdk, run_java):
    ended = run_java(jdk, "cpu=times,include=Times,file=x.jfr", "Times")
    of = {name: event for name, (event,) in timings(ended.cwd / "x.jfr", NEWEST).items()}
    slept = {"Times.leaf": (10, 20, 20), "Times.mid": (5, 40, 40), "Times.rec": (5, 5, 25), "Times.catcher": (1, 30, 30),
             "Times.thrower": (1, 10, 10), "Times.main": (1, SLEPT_MS, SLEPT_MS)}
    for name, (calls, least, most) in slept.items():
        assert of[name]["invocations"] == calls
        assert ns_of(of[name]["minimum"]) >= least * 1e6 and ns_of(of[name]["maximum"]) >= most * 1e6
    assert ns_of(of["Times.rec"]["maximum"]) <= ns_of(of["Times.main"]["maximum"])
    view = jfr_file.tool(NEWEST, "view", "method-timing", ended.cwd / "x.jfr")
    assert re.search(r"^Times\.leaf\(\) +10 ", view, re.M), view


@pytest.mark.jdks("newest")
def test_calls_without_a_clock_have_no_times(jdk, run_java):
    ended = run_java(jdk, "cpu=times,clock=none,include=Times,file=x.jfr", "Times")
    assert "jdk.MethodTiming" not in {name for name, count in jfr_file.counts(NEWEST, ended.cwd / "x.jfr").items() if count}


def test_attached_and_stopped(jdk, start_java, attach):
    """Counts begin when it is loaded; when it stops, the classes have their own code again."""
    java = start_java(jdk, None, "Calls", "depth", "recursion", "wait:first", "depth", "exceptions", "interfaces",
                      "wait:second", "depth", "recursion", vm=["-Xint"])
    java.wait_for_stdout("waiting for first")
    assert "return code: 0" in attach(jdk, java, "cpu=times,cutoff=0,raw=y,include=Calls*,file=out.txt")
    (java.cwd / "first").touch()
    java.wait_for_stdout("waiting for second")
    assert "return code: 0" in attach(jdk, java, "stop")
    (java.cwd / "second").touch()
    ended = java.end()
    assert ended.rc == 0
    assert ("throws all compiled code away" in ended.stderr) == (jdk.number < 23)
    text = hprof_text.Text(ended.text("out.txt"))
    hprof_text.check(text, cutoff=0)
    counts = {method: count for method, count in expected(ended.stdout).items()
              if method not in ("Calls.recursion", "Calls.fib", "Calls.even", "Calls.odd")}
    mine = found(text.calls)
    assert {method: (count, mine.get(method)) for method, count in counts.items() if mine.get(method) != count} == {}
    assert not {"Calls.recursion", "Calls.fib"} & set(mine)
    before, during, after = (int(depth) for depth in re.findall(r"^depth (\d+)$", ended.stdout, re.M))
    assert during < 0.95 * before and abs(after - before) < 0.01 * before


def check_caught(text):
    """Each path is that of the calls, however many exceptions methods without probes have caught before."""
    hprof_text.check(text, cutoff=0, depth=64)
    paths = {tuple(frame.method for frame in text.traces[row.trace].frames if frame.klass.startswith("Caught"))
             for table in text.calls for row in table.rows if row.method.startswith("Caught")}
    allowed = {(), ("calm",), ("outer",), ("calm", "outer"), ("main",)}
    allowed |= {("fall",) * depth for depth in range(1, 6)} | {("fall",) * depth + ("outer",) for depth in range(1, 5)}
    bare = {tuple(method for method in path if method not in ("main", "run")) for path in paths}
    assert bare <= allowed, bare - allowed
    assert {("calm",), ("calm", "outer"), ("fall",) * 5, ("fall",) * 4 + ("outer",)} <= bare


@old_and_new
@pytest.mark.parametrize("options", ["include=Caught.fall:Caught.calm:Caught.outer", "include=Caught*,exclude=Caught$Guard"])
def test_exceptions_that_methods_without_probes_catch(jdk, run_java, options):
    ended = run_java(jdk, "cpu=times,cutoff=0,raw=y,depth=64," + options, "Caught", 3000)
    assert ended.rc == 0, ended.stderr
    text = hprof_text.Text(ended.text())
    check_caught(text)
    counts = collections.Counter()
    for table in text.calls:
        for row in table.rows:
            counts[row.method] += row.count
    assert (counts["Caught.fall"], counts["Caught.calm"], counts["Caught.outer"]) == (9 * 3000, 3 * 3000, 3000)


@pytest.mark.jdks(11, 17, 25, "newest")
def test_exceptions_that_methods_entered_before_the_agent_catch(jdk, start_java, attach):
    java = start_java(jdk, None, "Caught", "stop")
    java.wait_for_stdout("ready")
    assert "return code: 0" in attach(jdk, java, "cpu=times,cutoff=0,raw=y,depth=64,include=Caught*,file=out.txt")
    before = java.out.read_text().count("rounds")
    java.wait_for(lambda: java.out.read_text().count("rounds") > before + 10, "10,000 rounds more")
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and "room for paths" not in ended.stderr, ended.stderr
    check_caught(hprof_text.Text(ended.text("out.txt")))


@pytest.mark.parametrize("options, words", [
    ("clock=sun", "no clock sun: use tsc, nano, tick, cpu or none"),
    ("intrinsics=yes", "intrinsics option value must be leave|count")])
@pytest.mark.jdks("newest")
def test_wrong_options_are_refused(jdk, run_java, options, words):
    ended = run_java(jdk, "cpu=times," + options, "Hello")
    assert ended.rc == 1 and words in ended.stderr and ended.files == []


@pytest.mark.parametrize("options", ["", "include=Waits*"])
def test_waits_are_told_apart_from_work(jdk, run_java, options):
    golden.listed("Methods that wait")
    ended = run_java(jdk, "cpu=times,cutoff=0,raw=y,depth=40," + options, "Waits", "unended")
    assert ended.rc == 0 and "Re-registering" not in ended.stdout + ended.stderr
    text = hprof_text.Text(ended.text())
    hprof_text.check(text, cutoff=0, depth=40)
    waits, unended = text.of(hprof_text.Waiting)
    assert not waits.is_unfinished and unended.is_unfinished
    slept = hprof_text.called_ms(text, waits, "Waits")
    each = ("object", "thread", "queue", "reference", "selector", "park", "socket", "interrupted")
    # A timeout may run before the wait begins: while classes are loaded.
    assert {name: slept[name] for name in each if slept[name] < 110} == {}
    assert hprof_text.called_ms(text, unended, "Waits")["run"] >= 150
    own = collections.Counter()
    for row in text.tables[0].rows:
        own[row.method] += row.self / 100 * text.tables[0].total
    # No method of the program but one has done anything for long.
    assert own["Waits.work"] >= 140
    delayed_ms = int(re.search(r"^delayed (\d+)$", ended.stdout, re.M)[1])
    assert {name: own["Waits." + name] for name in each if own["Waits." + name] > 75 + delayed_ms} == {}


@one_jdk
@pytest.mark.jdks(8, 17, "newest")
def test_waits_stay_apart_where_callers_are_not_kept(jdk, run_java):
    text = hprof_text.Text(run_java(jdk, "cpu=times,cutoff=0,raw=y,depth=40,mem=1m", "Waits").text())
    ended, = (table for table in text.of(hprof_text.Waiting) if not table.is_unfinished)
    assert ended.total >= 8 * 110, "eight waits of 150 ms"
    own = collections.Counter()
    for row in text.tables[0].rows:
        own[row.method] += row.self / 100 * text.tables[0].total
    assert own["Waits.work"] >= 140
    assert not {"java.lang.Object.wait", "java.lang.Thread.sleep"} & set(own)


@one_jdk
@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("options", ["cpu=old", "cpu=times,clock=none"])
def test_where_waits_are_not_told_apart(jdk, run_java, options):
    """The oldest format has the table of the original, and without a clock there is nothing to tell apart."""
    ended = run_java(jdk, options + ",cutoff=0", "Waits")
    assert ended.rc == 0 and "WAITING (ms) BEGIN" not in ended.text()


@pytest.mark.jdks(8, 17)
def test_native_methods_that_wait_are_given_back(jdk, start_java, attach):
    java = start_java(jdk, None, "Calls", "wait:first", "recursion", "wait:second", "recursion")
    java.wait_for_stdout("waiting for first")
    assert "return code: 0" in attach(jdk, java, "cpu=times,cutoff=0,raw=y,include=Calls*,file=out.txt")
    (java.cwd / "first").touch()
    java.wait_for_stdout("waiting for second")
    assert "return code: 0" in attach(jdk, java, "stop")
    (java.cwd / "second").touch()
    ended = java.end()
    assert ended.rc == 0 and "Re-registering" not in ended.stdout + ended.stderr
    assert "java.lang.Thread.sleep" in {row.method for table in hprof_text.Text(ended.text("out.txt")).of(hprof_text.Waiting)
                                        for row in table.rows}


def inline_limits(jdk, java):
    """{flag: number} of the VM's limits for what its compilers inline, in its own words."""
    flags = subprocess.run([*jdk.asking_tool("jcmd"), str(java.pid), "VM.flags", "-all"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    return {flag: int(value) for flag, value in
            re.findall(r"\b(MaxInlineSize|FreqInlineSize|C1MaxInlineSize) *:?= *(\d+)", flags)}


@pytest.mark.parametrize("options,is_lowered", [("cpu=times", True), ("cpu=times,include=Calls*", False)])
def test_methods_with_probes_are_not_inlined_and_the_limits_are_given_back(jdk, start_java, attach, options, is_lowered):
    java = start_java(jdk, None, "Calls", "wait:first")
    java.wait_for_stdout("waiting for first")
    before = inline_limits(jdk, java)
    assert before["FreqInlineSize"] > 9 < before["MaxInlineSize"]
    assert "return code: 0" in attach(jdk, java, options + ",file=out.txt")
    assert inline_limits(jdk, java) == ({flag: 9 for flag in before} if is_lowered else before)
    assert "return code: 0" in attach(jdk, java, "stop")
    assert inline_limits(jdk, java) == before
    (java.cwd / "first").touch()
    assert java.end().rc == 0
