"""method=: single calls of chosen methods, and the sums of all calls.

The program knows how often it calls which method and how long a call lasts at least. On JDK 25 and later the JDK's own
jdk.MethodTrace, of the same run, is compared.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import subprocess

from attaching import command  # noqa: F401
import conftest
import jfr_file
import pytest
from emulated import emulated
from selection import old_and_new, one_jdk

pytestmark = emulated

NEWEST = conftest.JDKS[max(conftest.JDKS)]
ALL = pytest.mark.jdks(8, 17, 25, "newest")
VERIFIED = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+BytecodeVerificationLocal", "-XX:+BytecodeVerificationRemote"]


def ms(event):
    return 1000 * float(re.fullmatch(r"PT([\d.]+)S", event["duration"])[1])


def name_of(event):
    return event["method"]["type"]["name"].replace("/", ".") + "." + event["method"]["name"]


def frames_of(event):
    stack = event["stackTrace"]
    return [f["method"]["type"]["name"] + "." + f["method"]["name"] for f in stack["frames"]] if stack else []


def sums_of(events):
    """{method: (calls, shortest, mean, longest in ms)} of the last dump; overloads are added up by calls."""
    found, last = {}, max(event["startTime"] for event in events)
    for event in events:
        if event["startTime"] != last:
            continue
        times = [1000 * float(re.fullmatch(r"PT([\d.]+)S", event[field])[1]) for field in ("minimum", "average", "maximum")]
        before = found.get(name_of(event), (0,))[0]
        found[name_of(event)] = (before + event["invocations"], *times)
    return found


class Found:
    def __init__(self, ended, name="x.jfr"):
        self.ended = ended
        by_type = jfr_file.events_by_type(NEWEST, ended.cwd / name, ["jdk.MethodTrace", "jdk.MethodTiming"], depth=32)
        self.traced = collections.defaultdict(list)
        for event in by_type["jdk.MethodTrace"]:
            self.traced[name_of(event)].append(event)
        self.sums = sums_of(by_type["jdk.MethodTiming"]) if by_type["jdk.MethodTiming"] else {}

    def counts(self):
        return {name: len(events) for name, events in self.traced.items()}


@pytest.fixture
def traced(run_java):
    """traced(jdk, values, *args): the events and sums of a run of MethodCalls, which did all."""
    def run(jdk, values, *args, **keywords):
        options = ",".join("method=" + value for value in values)
        ended = run_java(jdk, options + ",depth=32,file=x.jfr", "MethodCalls", *args, **keywords)
        assert ended.rc == 0 and ended.stdout.endswith("done\n") and "ERROR" not in ended.stderr, ended.stdout + ended.stderr
        return Found(ended)
    return run


@ALL
def test_each_call_above_its_time_is_an_event(jdk, traced):
    found = traced(jdk, ["MethodCalls::slow:>10ms", "MethodCalls::quick:>1h"], "slow:7", "fast:50", "many:20000", "threads:1000",
                   vm=VERIFIED)
    slow = [event for event in found.traced["MethodCalls.slow"] if "MethodCalls.fast" not in frames_of(event)]
    late = int(re.search(r"^late (\d+)$", found.ended.stdout, re.M)[1])
    assert set(found.counts()) == {"MethodCalls.slow"} and len(slow) == 7 + 4
    assert len(found.traced["MethodCalls.slow"]) <= 7 + 4 + late
    assert all(ms(event) >= 19 for event in slow)
    by_thread = collections.Counter(event["eventThread"]["javaName"] for event in slow)
    assert by_thread == {"main": 7, "caller-0": 1, "caller-1": 1, "caller-2": 1, "caller-3": 1}
    # The stack is that of the caller, as the JDK has it.
    assert {frames_of(event)[0] for event in slow if event["eventThread"]["javaName"] == "main"} == {"MethodCalls.does"}
    assert all(event["thrownClass"] is None for event in slow)
    assert found.sums["MethodCalls.quick"][0] == 20000 + 4000
    calls, least, mean, most = found.sums["MethodCalls.slow"]
    assert calls == 7 + 50 + 4 and least <= mean <= most and most >= 19
    assert "HPROF: method=MethodCalls::slow:>10ms: 1 method of 1 class, such as MethodCalls::slow\n" in found.ended.stderr


@ALL
def test_without_a_time_there_are_sums_alone(jdk, traced, hprof):
    found = traced(jdk, ["MethodCalls*::*"], "slow:2", "many:5000", "branches:4000", "twice:2", "made:2", vm=VERIFIED)
    assert not found.traced
    counts = {name: row[0] for name, row in found.sums.items()}
    expected = {"MethodCalls.quick": 5000, "MethodCalls.branches": 4000, "MethodCalls.slow": 2, "MethodCalls.main": 1,
                "MethodCalls$Sleeps.run": 4, "MethodCalls$Task.twice": 2, "MethodCalls$Made.<init>": 4, "MethodCalls.does": 5}
    for name, count in expected.items():
        assert counts.get(name) == count, (name, counts)
    assert found.sums["MethodCalls$Task.twice"][1] >= 39
    said = subprocess.run([hprof, "report", "-e", "method", found.ended.cwd / "x.jfr"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.search(r"^all calls that have ended \(jdk.MethodTiming\)$", said, re.M), said
    assert re.search(r"^ +5000 .* MethodCalls\.quick$", said, re.M), said


@ALL
def test_a_call_that_an_exception_ends_has_its_class(jdk, traced):
    found = traced(jdk, ["MethodCalls::fails:>10ms", "MethodCalls::branches:>0"], "fails:3", "branches:100", vm=VERIFIED)
    fails = found.traced["MethodCalls.fails"]
    assert [event["thrownClass"]["name"] for event in fails] == ["MethodCalls$Fails"] * 3
    branches = found.traced["MethodCalls.branches"]
    thrown = int(re.search(r"thrown (\d+)", found.ended.stdout)[1])
    assert len(branches) == 100 and thrown == 13
    assert sum(event["thrownClass"] is not None for event in branches) == thrown
    assert {event["thrownClass"]["name"] for event in branches if event["thrownClass"]} == {"java/io/IOException"}
    assert found.sums["MethodCalls.branches"][0] == 100


@ALL
def test_of_a_recursion_the_outermost_call_counts(jdk, traced):
    found = traced(jdk, ["MethodCalls::down:>0", "MethodCalls::even:>0", "MethodCalls::odd:>0", "MethodCalls::slow:>10ms"], "recursion:9")
    assert found.counts() == {"MethodCalls.down": 1, "MethodCalls.even": 1, "MethodCalls.odd": 1, "MethodCalls.slow": 2}
    assert {name: row[0] for name, row in found.sums.items()} == found.counts()
    assert frames_of(found.traced["MethodCalls.down"][0])[0] == "MethodCalls.does"
    assert frames_of(found.traced["MethodCalls.odd"][0])[0] == "MethodCalls.even"


@old_and_new
def test_stacks_that_overflow_lose_no_later_call(jdk, traced):
    found = traced(jdk, ["MethodCalls::overflow:>1h", "MethodCalls::bottomless:>0"], "overflow:20", "slow:1", vm=["-Xss512k"])
    assert found.counts() == {"MethodCalls.bottomless": 20}
    assert found.sums["MethodCalls.bottomless"][0] == 20 and found.sums["MethodCalls.overflow"][0] >= 1


@ALL
def test_what_the_tracker_and_the_agent_stand_on_can_be_watched(jdk, traced):
    found = traced(jdk, ["java.lang.*::*:>1us"], "slow:2", "many:1000", "threads:100", "recursion:5", "overflow:2", vm=VERIFIED)
    assert len(found.sums) > 200 and sum(found.counts().values()) > 50


@ALL
def test_the_original_code_is_back_after_the_end(jdk, start_java, command):    # noqa: F811
    java = start_java(jdk, None, "MethodCalls", "slow:1", "wait:1", "slow:3", "branches:50", "wait:2", "slow:2", "wait:3", "slow:2", "many:1000",
                      "wait:4", "slow:1", vm=VERIFIED)
    java.wait_for_stdout("does wait:1")
    assert command(jdk, java, "start,method=MethodCalls::*:>10ms,file=one.jfr") == [0]
    (java.cwd / "go1").touch()
    java.wait_for_stdout("does wait:2")
    assert command(jdk, java, "status,answer=status", "stop") == [0, 0]
    status = (java.cwd / "status").read_text()
    assert re.search(r" methods=\d+ method_calls=4 method_thinned=0", status) and "method_unmatched" not in status, status
    (java.cwd / "go2").touch()
    java.wait_for_stdout("does wait:3")
    assert command(jdk, java, "start,method=MethodCalls::quick,method=MethodCalls::slow,method=No::such:>1ms,file=two.jfr", "status,answer=status") == [0, 0]
    assert 'method_unmatched="No::such:>1ms"' in (java.cwd / "status").read_text()
    (java.cwd / "go3").touch()
    java.wait_for_stdout("does wait:4")
    assert command(jdk, java, "stop") == [0]
    (java.cwd / "go4").touch()
    ended = java.end()
    assert ended.rc == 0 and ended.stdout.endswith("done\n") and "ERROR" not in ended.stderr, ended.stderr
    one, two = Found(ended, "one.jfr"), Found(ended, "two.jfr")
    assert one.counts()["MethodCalls.slow"] == 3 and one.sums["MethodCalls.branches"][0] == 50
    assert not two.traced and two.sums["MethodCalls.quick"][0] == 1000 and two.sums["MethodCalls.slow"][0] == 2
    assert "method=MethodCalls::*:>10ms: " in ended.stderr and ended.stderr.count(
        "method=No::such:>1ms: matches nothing: no loaded class has such a method") == 2


@pytest.mark.jdks(17)
def test_two_recordings_have_their_own_methods_and_times(jdk, start_java, command):    # noqa: F811
    java = start_java(jdk, "method=MethodCalls::slow:>1h,method=MethodCalls::quick:>0,file=long.jfr", "MethodCalls", "wait:1", "slow:3", "many:10")
    java.wait_for_stdout("does wait:1")
    assert command(jdk, java, "start,method=MethodCalls::slow:>10ms,file=short.jfr") == [0]
    (java.cwd / "go1").touch()
    ended = java.end()
    assert ended.rc == 0
    assert Found(ended, "long.jfr").counts() == {"MethodCalls.quick": 10}
    assert Found(ended, "short.jfr").counts() == {"MethodCalls.slow": 3}


@pytest.mark.jdks(25, "newest")
def test_the_jdk_traces_the_same_calls(jdk, traced, hprof, tmp_path):
    theirs = tmp_path / "jdk.jfr"
    found = traced(jdk, ["MethodCalls::slow:>0", "MethodCalls::twice:>0", "MethodCalls::run:>0", "MethodCalls$Sleeps::run:>0"],
                   "slow:5", "fast:30", "twice:3", "threads:10",
                   vm=["-XX:StartFlightRecording:filename=%s,method-trace=MethodCalls::slow;MethodCalls$Sleeps::run" % theirs])
    events = jfr_file.events(jdk, theirs, "jdk.MethodTrace", depth=32)
    by_name = collections.defaultdict(list)
    for event in events:
        by_name[name_of(event)].append(event)
    for name, count in ("MethodCalls.slow", 39), ("MethodCalls$Sleeps.run", 6):
        ours = sorted(found.traced[name], key=lambda e: e["startTime"])
        other = sorted(by_name[name], key=lambda e: e["startTime"])
        assert len(ours) == len(other) == count, (name, len(ours), len(other))
        assert [e["eventThread"]["javaName"] for e in ours if e["eventThread"]["javaName"] == "main"] == \
            [e["eventThread"]["javaName"] for e in other if e["eventThread"]["javaName"] == "main"]
        assert collections.Counter(tuple(frames_of(e)) for e in ours) == collections.Counter(tuple(frames_of(e)) for e in other)
    said = subprocess.run([hprof, "report", "-e", "method", theirs], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.search(r"^ *[\d.]+% +39 .*  MethodCalls\.slow$", said, re.M) and "the 10 longest calls" in said, said


@pytest.mark.jdks(21, 25, "newest")
def test_calls_of_virtual_threads_know_their_time_off_the_carrier(jdk, run_java, tmp_path_factory):
    folder = conftest.compile_programs(tmp_path_factory, "programs_virtual", 21)
    ended = run_java(jdk, "method=VirtualCalls::nested:>0,method=VirtualCalls::works:>0,depth=16,file=x.jfr", "-cp", folder, "VirtualCalls", 20, 60)
    assert ended.rc == 0 and "ERROR" not in ended.stderr, ended.stderr
    found = Found(ended)
    nested = found.traced["VirtualCalls.nested"]
    assert len(nested) == 20 and {e["eventThread"]["javaName"] for e in nested} == {"virtual-%d" % i for i in range(20)}

    def off(event):
        return 1000 * float(re.fullmatch(r"PT([\d.]+)S", event["offCarrier"])[1])
    # a thread that loses its processor between the timer's start and the unmount sleeps on its carrier meanwhile
    assert all(0 <= off(e) <= ms(e) for e in nested), [(off(e), ms(e)) for e in nested]
    assert sum(off(e) > ms(e) / 2 for e in nested) > len(nested) / 2, [(off(e), ms(e)) for e in nested]
    (works,) = found.traced["VirtualCalls.works"]
    assert off(works) < ms(works) / 2


@one_jdk
def test_above_a_rate_calls_are_counted_and_thinned(jdk, traced):
    found = traced(jdk, ["MethodCalls::quick:>0"], "many:300000")
    quality = {e["name"]: e["count"] for e in jfr_file.events(NEWEST, found.ended.cwd / "x.jfr", "hprof.Quality")}
    events = len(found.traced["MethodCalls.quick"])
    assert found.sums["MethodCalls.quick"][0] == 300000
    assert events == quality["method_events"] and events + quality["method_thinned"] + quality.get("method_lost", 0) == 300000
    assert 200 <= events < 100000


@pytest.mark.jdks(17)
def test_what_happened_inside_is_in_the_report(jdk, run_java, hprof):
    ended = run_java(jdk, "method=MethodCalls::spins:>1ms,method=MethodCalls::waits:>1ms,method=MethodCalls::allocates:>1us,event=cpu+lock+gc+alloc,"
                     "interval=1ms,lock=0,depth=16,file=x.jfr", "MethodCalls", "spins:100", "waits:60", "allocates:400", vm=["-Xmx64m"])
    assert ended.rc == 0, ended.stderr
    said = subprocess.run([hprof, "report", "-e", "method", ended.cwd / "x.jfr"], stdout=subprocess.PIPE, text=True, check=True).stdout
    calls = {re.search(r"MethodCalls\.(\w+)", part)[1]: part for part in reversed(re.split(r"\n\n +(?=[\d.]+ ms  )", said)[1:])}
    assert {"spins", "waits", "allocates"} <= set(calls), said
    assert re.search(r"^    cpu +\d+\.\d+ ms in \d+ samples?$", calls["spins"], re.M), calls["spins"]
    assert re.search(r"^    lock +\d+\.\d+ ms in 1 enter$", calls["waits"], re.M), calls["waits"]
    assert re.search(r"^    gc +\d+\.\d+ ms in \d+ pauses?$", calls["allocates"], re.M), calls["allocates"]
    assert re.search(r"^    alloc +\d+ bytes$", calls["allocates"], re.M), calls["allocates"]
    assert "in main (thread " in calls["spins"]
    assert re.search(r"^by method\n +share +calls +ms +longest ms +thrown  method$", said, re.M), said


@pytest.mark.jdks(17)
def test_text_files_have_the_calls_as_rows(jdk, run_java, hprof):
    text = run_java(jdk, "method=MethodCalls::slow:>10ms,depth=8,cutoff=0", "MethodCalls", "slow:3").text()
    table = re.search(r"^EVENTS method BEGIN.*?^EVENTS method END$", text, re.S | re.M)[0]
    assert "MethodCalls.slow" in table, table
    text = run_java(jdk, "method=MethodCalls::quick,depth=8,cutoff=0", "MethodCalls", "many:300").text()
    table = re.search(r"^EVENTS method BEGIN.*?^EVENTS method END$", text, re.S | re.M)[0]
    assert re.search(r"\b300\b.*MethodCalls\.quick", table), table


@pytest.mark.jdks(17)
def test_what_cannot_be_is_refused(jdk, start_java, command):    # noqa: F811
    java = start_java(jdk, None, "MethodCalls", "wait:1")
    java.wait_for_stdout("does wait:1")
    for line, why in (("method=Fires", "method option value must be CLASS::METHOD"),
                      ("method=a..b::c", "method option value must be CLASS::METHOD"),
                      ("method=a::b:>x", "method option value must be CLASS::METHOD"),
                      ("method=a::b(I)V", "method option value must be CLASS::METHOD"),
                      (",".join(["method=a::b"] * 9), "method= may be given eight times")):
        assert command(jdk, java, "start,%s,answer=why" % line) != [0], line
        assert why in (java.cwd / "why").read_text(), line
    (java.cwd / "go1").touch()
    assert java.end().rc == 0


@pytest.mark.jdks(8, 17, 25, "newest")
def test_javac_runs_with_all_its_methods_watched(jdk, start_java, run_java, tmp_path):
    """Real code: every method of the compiler gets a handler, and the classes are verified."""
    source = conftest.HERE / "programs/MethodCalls.java"
    main = ["com.sun.tools.javac.Main"] if jdk.number > 8 else ["-cp", jdk.home + "/lib/tools.jar", "com.sun.tools.javac.Main"]
    modules = ["-m", "jdk.compiler/com.sun.tools.javac.Main"] if jdk.number > 8 else main
    ended = run_java(jdk, "method=com.sun.tools.javac.comp.*::*,method=com.sun.tools.javac.main.JavaCompiler::compile:>1ms,"
                     "method=com.sun.tools.javac.tree.*::*,depth=64,file=x.jfr", *modules, "-d", tmp_path, source, vm=VERIFIED)
    assert ended.rc == 0 and (tmp_path / "MethodCalls.class").exists() and "ERROR" not in ended.stderr, ended.stdout + ended.stderr
    found = Found(ended)
    assert found.counts() == {"com.sun.tools.javac.main.JavaCompiler.compile": 1}
    assert found.sums["com.sun.tools.javac.comp.Attr.attribClass"][0] > 0 and len(found.sums) > 300


@pytest.mark.jdks(17)
def test_the_command_takes_it_as_an_event(jdk, start_java, hprof):
    """As a user does: in a JVM that runs, beside others; and the report of the file."""
    java = start_java(jdk, None, "MethodCalls", "wait:1", "slow:3", "fails:2", "wait:2")
    java.wait_for_stdout("does wait:1")
    words = ["-e", "cpu,method=MethodCalls::slow:>10ms,method=MethodCalls::fails:>10ms", "-o", java.cwd / "x.jfr"]
    started = subprocess.run([hprof, "start", *words, str(java.pid)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert started.returncode == 0, started.stdout
    (java.cwd / "go1").touch()
    java.wait_for_stdout("does wait:2")
    subprocess.run([hprof, "stop", str(java.pid)], check=True, stdout=subprocess.DEVNULL)
    (java.cwd / "go2").touch()
    assert java.end().rc == 0
    said = subprocess.run([hprof, "report", "-e", "method", java.cwd / "x.jfr"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert re.search(r"^ +\d+\.\d+% +3 +\d+\.\d+ +\d+\.\d+ +0  MethodCalls\.slow$", said, re.M), said
    assert re.search(r"^ +\d+\.\d+% +2 +\d+\.\d+ +\d+\.\d+ +2  MethodCalls\.fails$", said, re.M), said
    assert said.count(", ended by MethodCalls$Fails") == 2, said
    wrong = subprocess.run([hprof, "run", "-e", "cpu,method=Slow", "--", "true"], stderr=subprocess.PIPE, text=True, check=False)
    assert wrong.returncode == 2 and "method option value must be CLASS::METHOD" in wrong.stderr, wrong.stderr
