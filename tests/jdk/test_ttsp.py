"""event=ttsp: who comes late to a safepoint, how late, and for which operation; the VM's own log is the other opinion.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import subprocess

from attaching import attach, command  # noqa: F401 pylint: disable=unused-import
import conftest
from hprof_text import Text
import jfr_file
import pytest
from robust import crash_files
from test_heapdump import has_collector

NEWEST = conftest.JDKS[max(conftest.JDKS)]
TYPE = "hprof.TimeToSafepoint"
ROUNDS = 5
LONG_NS = 5000000
# A counted loop of an int has a poll with G1 and in the interpreter, and never with these.
NO_INLINE = ["-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,ComesLate.spin"]
NO_POLLS = ["-XX:+UseParallelGC", "-XX:-UseCountedLoopSafepoints", "-Xmx1g", *NO_INLINE]
NO_CLEANUP = ["-XX:+UnlockDiagnosticVMOptions", "-XX:GuaranteedSafepointInterval=0"]    # no safepoints of the VM's own
EACH = pytest.mark.jdks(8, 11, 17, 25, "newest")
SLACK_NS = 100000  # up to JDK 12 the log and the counters look at the clock one after the other


def ns(event):
    return round(1e9 * float(re.fullmatch(r"PT([\d.]+)S", event["duration"])[1]))


def methods(event):
    """Innermost first."""
    stack = event["stackTrace"]
    return [f["method"]["type"]["name"] + "." + f["method"]["name"] for f in stack["frames"]] if stack else []


def log_options(jdk):
    return ["-XX:+PrintGCApplicationStoppedTime"] if jdk.number == 8 else ["-Xlog:safepoint"]


def logged(jdk, stdout):
    """How long the VM waited for its threads by its own log, in ns."""
    if jdk.number <= 12:
        return [round(1e9 * float(s.replace(",", "."))) for s in re.findall(r"Stopping threads took: ([\d.,]+) s", stdout)]
    return [int(s) for s in re.findall(r"Reaching safepoint: +(\d+) ns", stdout)]


def quality(hprof, path):
    """{name: count}; 0 if there is none."""
    said = subprocess.run([hprof, "jfr", "print", "--events", "hprof.Quality", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return collections.Counter(dict(zip(re.findall(r'name = "(\w+)"', said), map(int, re.findall(r"count = (\d+)", said)))))


@pytest.fixture
def late(run_java):
    """late(jdk, what, *vm): the events of a run of ComesLate, and its Ended."""
    def run(jdk, what, *vm, options="event=ttsp", program="ComesLate", rounds=ROUNDS, **keywords):
        ended = run_java(jdk, options + ",depth=32,file=x.jfr", *([program, what, rounds] if program == "ComesLate" else program),
                         vm=[*vm, *log_options(jdk)], **keywords)
        assert ended.rc == 0 and ended.stdout.rstrip().endswith("done") or "\ndone" in ended.stdout, ended.stdout + ended.stderr
        assert not crash_files(ended)
        return jfr_file.events(NEWEST, ended.cwd / "x.jfr", TYPE, depth=32), ended
    return run


def check_log(jdk, events, ended):
    """Each event is in the log; each long time of the log is an event, but for those before and after the recording."""
    log = logged(jdk, ended.stdout)
    slack = SLACK_NS if jdk.number <= 12 else 0
    for event in events:
        assert event["stops"] > 1 or any(abs(ns(event) - told) <= slack for told in log), (ns(event), sorted(log)[-20:])
    ours = sorted((ns(e) for e in events), reverse=True)
    long = sorted((told for told in log if told >= LONG_NS), reverse=True)
    assert len(long) - len([t for t in ours if t >= LONG_NS]) <= 1, (long, ours)
    assert all(abs(a - b) <= slack for a, b in zip(ours[:10], long[:10])) or len(ours) < len(long) or any(e["stops"] > 1 for e in events), (ours, long)


def check_late(events, method, at_least):
    """Of the long ones at least so many name the thread and the method that is late, and none names another."""
    long = [e for e in events if ns(e) >= LONG_NS and e["lateIn"] != "no Java thread"]
    named = [e for e in long if e["eventThread"]]
    assert len(named) >= at_least, events
    assert {e["eventThread"]["javaName"] for e in named} == {"late"}, named
    right = [e for e in named if method in methods(e)]
    # A thread without a processor gives its stack when it has come: then it is back in what called the method.
    assert len(right) >= at_least, [(ns(e), methods(e)) for e in named]
    assert all(any("ComesLate" in of for of in methods(e)) for e in named), [(ns(e), methods(e)) for e in named]


@EACH
def test_a_loop_without_polls_is_named(jdk, late):
    events, ended = late(jdk, "loop", *NO_POLLS)
    check_late(events, "ComesLate.spin", 2)
    assert all(e["lateThreads"] >= 1 and e["lateIn"] in ("Java", "the VM") for e in events if e["eventThread"])
    check_log(jdk, events, ended)
    operations = {e["operation"] for e in events if ns(e) >= LONG_NS and e["stops"] == 1}
    if jdk.number == 8:
        assert operations == {None}
    else:
        assert "ParallelGCSystemGC" in operations or "ParallelGCCollect" in operations, operations


@EACH
@pytest.mark.parametrize("what, method", [("copy", "java.lang.System.arraycopy"), ("fill", "java.util.Arrays.fill")])
def test_a_large_array_is_named(jdk, what, method, late):
    """The time is in a stub of the VM that has no polls: the frame that called it is known."""
    events, ended = late(jdk, what, *NO_POLLS, options="ttsp=1ms")
    long = [e for e in events if e["eventThread"] and e["eventThread"]["javaName"] == "late"]
    assert any("ComesLate." + what in methods(e) for e in long), (method, events)
    check_log(jdk, events, ended)


@pytest.mark.jdks(8, 17, 25, "newest")
def test_a_program_with_polls_has_no_late_thread_in_java(jdk, late, hprof):
    """A busy machine may leave a thread without a processor; no loop is ever late."""
    events, ended = late(jdk, "calls", "-XX:+UseParallelGC", "-XX:+UseCountedLoopSafepoints", "-Xmx256m", options="ttsp=100ms")
    assert events == [] or all(e["lateIn"] in ("no Java thread", "not seen") for e in events), events
    assert quality(hprof, ended.cwd / "x.jfr")["ttsp_shorter"] > 0
    said = subprocess.run([hprof, "report", "-e", "ttsp", "x.jfr"], cwd=ended.cwd, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.search(r"^  %d safepoints?: .*\n  [1-9]\d* more that w\w+ short" % sum(e["stops"] for e in events), said, re.M), said


@pytest.mark.jdks(8, 11, 17, 25)
def test_without_counters_the_vm_is_looked_at(jdk, late):
    """-XX:-UsePerfData: two times of the VM, or its state, or the page that threads poll."""
    events, ended = late(jdk, "loop", "-XX:-UsePerfData", *NO_POLLS)
    check_late(events, "ComesLate.spin", 1)
    log = sorted(logged(jdk, ended.stdout))
    worst = max(map(ns, events))
    assert log[-1] // 2 <= worst <= log[-1] * 2, (worst, log[-10:])
    if jdk.number >= 17:
        assert worst in log


@pytest.mark.jdks(8, 17, "newest")
def test_without_a_debug_register_it_looks_again_and_again(jdk, late, tmp_path_factory, hprof):
    """As in most containers."""
    env = {"LD_PRELOAD": str(conftest.compile_library(tmp_path_factory, "noperf", "-ldl"))}.items()
    # On a busy machine the thread may have come by the time that it is looked at, and then it is in what calls ComesLate.spin.
    events, ended = late(jdk, "loop", *NO_POLLS, env=env, rounds=4 * ROUNDS)
    check_late(events, "ComesLate.spin", 1)
    check_log(jdk, events, ended)
    assert quality(hprof, ended.cwd / "x.jfr")["ttsp_pace"] == 1000000


@pytest.mark.jdks(17, "newest")
def test_many_safepoints_are_looked_at(jdk, hprof, run_java):
    """The register would cost the VM Thread a trap each time. Each safepoint is counted either way."""
    ended = run_java(jdk, "event=ttsp,ttsp=1m,file=x.jfr", "ManyStops", 3000, vm=["-Xlog:safepoint"])
    assert ended.rc == 0 and not crash_files(ended), ended.stderr
    counts, log = quality(hprof, ended.cwd / "x.jfr"), logged(jdk, ended.stdout)
    assert counts["ttsp_pace"] == 50000000 and counts["ttsp_lost"] == 0, counts
    # The log has those before the recording and after it, too.
    assert 3000 <= counts["ttsp_shorter"] <= len(log) and counts["ttsp_shorter_time"] <= sum(log), (counts, len(log), sum(log))


@pytest.mark.jdks(17, 25, "newest")
@pytest.mark.parametrize("collector", ["Z", "Shenandoah"])
def test_collectors_that_stop_for_short_wait_for_late_threads_too(jdk, collector, late):
    if not has_collector(jdk, ["-XX:+Use%sGC" % collector]):
        pytest.skip("this build has no such collector")
    events, ended = late(jdk, "loop", "-XX:+Use%sGC" % collector, "-XX:-UseCountedLoopSafepoints", "-XX:LoopStripMiningIter=0", "-Xmx1g", *NO_INLINE)
    check_late(events, "ComesLate.spin", 1)
    check_log(jdk, events, ended)


@pytest.mark.jdks(21, 25, "newest")
def test_a_virtual_thread_is_late_on_its_carrier(jdk, late, tmp_path_factory):
    folder = conftest.compile_programs(tmp_path_factory, "programs_virtual", 21)
    events, _ = late(jdk, None, *NO_POLLS, program=["-cp", folder, "ComesLateVirtual"])
    right = [e for e in events if "ComesLateVirtual.spin" in methods(e)]
    assert right and all(e["eventThread"]["javaName"].startswith("ForkJoinPool") for e in right), events


@pytest.mark.jdks(17)
def test_a_text_file_has_the_sums(jdk, run_java):
    ended = run_java(jdk, "event=ttsp,depth=8,cutoff=0", "ComesLate", "loop", ROUNDS, vm=NO_POLLS)
    table = re.search(r"^EVENTS ttsp BEGIN .*?^EVENTS ttsp END$", ended.text(), re.S | re.M)[0]
    assert "ParallelGCSystemGC" in table, table
    counts = Text(ended.text()).quality()
    assert counts["ttsp_pace"] in (0, 1000000) and counts["ttsp_resolution"] == 1 and counts["ttsp_lost"] == 0


@pytest.mark.jdks(17, 25)
def test_it_shares_a_recording_with_all_others(jdk, run_java):
    """wall and ttsp ask threads by the same signal."""
    ended = run_java(jdk, "event=cpu+wall+ttsp+lock+alloc,wall=5ms,depth=32,file=x.jfr", "ComesLate", "loop", ROUNDS, vm=NO_POLLS)
    assert ended.rc == 0 and not crash_files(ended), ended.stderr
    found = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", [TYPE, "profiler.WallClockSample"], depth=8)
    assert found["profiler.WallClockSample"]
    check_late(found[TYPE], "ComesLate.spin", 1)


@pytest.mark.jdks(8, 25)
def test_it_begins_and_ends_while_the_program_runs(jdk, start_java, command):  # noqa: F811
    java = start_java(jdk, "event=gc,file=a.txt", "ComesLate", "loop", 4 * ROUNDS, vm=NO_POLLS)
    java.wait_for_stdout("begun")
    for i in range(3):
        assert command(jdk, java, "start,event=ttsp,name=t%d,file=t%d.txt" % (i, i)) == [0]
        assert command(jdk, java, "stop,name=t%d" % i) == [0]
    ended = java.end()
    assert ended.rc == 0 and not crash_files(ended), ended.stderr
    assert all("EVENTS ttsp" in ended.text("t%d.txt" % i) or "ttsp_pace" in ended.text("t%d.txt" % i) for i in range(3))


@pytest.mark.jdks(17)
def test_the_report_has_the_worst_with_their_threads(jdk, hprof, run_java):
    ended = run_java(jdk, "event=ttsp,depth=16,file=x.jfr", "ComesLate", "loop", ROUNDS, vm=[*NO_POLLS, *NO_CLEANUP])
    said = subprocess.run([hprof, "report", "-e", "ttsp", "x.jfr"], cwd=ended.cwd, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.search(r"^  \d+ safepoints?: the VM waited [\d.]+ ms", said, re.M) and "the VM has measured these times" in said, said
    assert re.search(r"^ +\d+ to +\d+ +\d+  #+$", said, re.M), said
    worst = re.findall(r"^ +([\d.]+) +[\d.]+s  (\S+): (.*)$", said, re.M)
    assert worst and worst == sorted(worst, key=lambda row: -float(row[0])) and worst[0][1].startswith("ParallelGC"), said
    assert "late" in worst[0][2] and "ComesLate.spin" in said, said


@pytest.mark.jdks(8, "newest")
def test_where_stacks_cannot_be_read_one_line_says_so(jdk, run_java):
    ended = run_java(jdk, "noreader=1,event=ttsp+gc,file=x.txt", "ComesLate", "calls", 1, vm=["-XX:+UseParallelGC"])
    assert ended.rc == 0 and not crash_files(ended), ended.stderr
    assert "HPROF ERROR: event=ttsp: nothing is measured: the stacks of this VM cannot be read from outside" in ended.stderr
    assert "EVENTS gc BEGIN" in ended.text("x.txt") and "EVENTS ttsp" not in ended.text("x.txt")
