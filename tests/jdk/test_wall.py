"""event=wall: samples of all threads, running or not, add up to the time that each has lived.

Each thread of the program spends its time in one way, and says how long that took by its own clock.
SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import ctypes
import os
import pathlib
import platform
import re
import subprocess
import time
import zipfile

from attaching import attach, command  # noqa: F401 pylint: disable=unused-import
import conftest
from hprof_text import Text
import jfr_file
from kept import jar_of
import pytest

NEWEST = conftest.JDKS[max(conftest.JDKS)]
STATES = {"sleeps": "sleeping", "waits": "waiting", "parks": "parked", "reads": "native", "enters": "blocked", "computes": "running"}
INTERVAL_MS = 10
LASTS_MS = 2000
ROW = re.compile(r" *\d+ +[\d.]+% +[\d.]+% (\d+) (\d+) - (.+)")
# JDK 8 does not export where a thread's state of the system lies; 25 has other native methods under Thread.sleep and Object.wait.
OLD_AND_NEW = pytest.mark.jdks(8, 25)


def lives(stdout):
    """{thread: ms} as the program measured them."""
    return {name: int(ms) for name, ms in re.findall(r"^(\w+) (\d+)$", stdout, re.M)}


def rows_of(text):
    """[(samples, stack, state)] of the last table."""
    traces = dict(re.findall(r"^TRACE (\d+):.*\n((?:\t.*\n)+)", text, re.M))
    table = re.findall(r"^EVENTS wall BEGIN .*?^EVENTS wall END$", text, re.S | re.M)[-1]
    return [(int(count), traces[trace], state) for count, trace, state in (row.groups() for row in map(ROW.fullmatch, table.splitlines()[2:-1]))]


def samples_of(text):
    """{thread: {state: samples}} of the last table."""
    found = {}
    for count, stack, state in rows_of(text):
        thread = next((name for name in STATES if "Spends.%s(" % name in stack), None)
        states = found.setdefault(thread, {})
        states[state] = states.get(state, 0) + count
    return found


def is_near(samples, life_ms):
    """Within 5 %, and what a thread does before and after its method."""
    return abs(samples * INTERVAL_MS - life_ms) <= 0.05 * life_ms + 3 * INTERVAL_MS


@OLD_AND_NEW
@pytest.mark.parametrize("walkin", ["handler", "thread"])
def test_the_samples_of_a_thread_are_its_life_and_say_how_it_spent_it(jdk, walkin, run_java):
    ended = run_java(jdk, "event=wall,wall=%dms,walkin=%s,depth=64,cutoff=0" % (INTERVAL_MS, walkin), "Spends", LASTS_MS)
    assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stdout + ended.stderr
    found, known = samples_of(ended.text()), lives(ended.stdout)
    assert known.keys() == STATES.keys()
    quality = {name: count for name, count in Text(ended.text()).quality().items() if name.startswith("wall_")}
    for thread, life_ms in known.items():
        assert is_near(sum(found[thread].values()), life_ms), "%s %d %s %s" % (thread, life_ms, found, quality)
        # One that is to wait is ready first, and after: on a busy machine for long, and ready is running.
        ready = 0 if STATES[thread] == "running" else found[thread].get("running", 0)
        own, all_of_it = found[thread][STATES[thread]], sum(found[thread].values())
        assert own >= 0.8 * (all_of_it - ready) and own >= 0.25 * all_of_it, (thread, found)
    assert re.search(r"^  wall_lost = 0 ", ended.text(), re.M)
    stops, stopped_ns = (int(re.search(r"^  %s = (\d+)" % name, ended.text(), re.M).group(1)) for name in ("wall_stops", "wall_stopped_ns"))
    assert 0 < stops < stopped_ns, "one that computes is asked"


PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH, WALL = 0x4206, 0x4207, 17, 0x40000000


@contextlib.contextmanager
def held(java, thread_name):
    """Stops one thread, as a machine does that has no processor for it."""
    def is_that(task):
        return (task / "comm").read_text().strip() == thread_name[:15]
    tid = next(int(task.name) for task in pathlib.Path("/proc/%d/task" % java.pid).iterdir() if is_that(task))
    kernel = ctypes.CDLL(None, use_errno=True)
    kernel.ptrace.argtypes = [ctypes.c_long] * 4
    if kernel.ptrace(PTRACE_SEIZE, tid, 0, 0) != 0 or kernel.ptrace(PTRACE_INTERRUPT, tid, 0, 0) != 0:
        pytest.skip("no thread can be stopped here: %s" % os.strerror(ctypes.get_errno()))
    os.waitpid(tid, WALL)
    try:
        yield
    finally:
        kernel.ptrace(PTRACE_DETACH, tid, 0, 0)


@pytest.mark.jdks(17)
def test_time_that_nobody_looked_at_is_of_the_threads_that_ended_in_it(jdk, start_java):
    """The thread that looks gets no processor for more than half of their lives, to their end."""
    java = start_java(jdk, "event=wall,wall=%dms,depth=64,cutoff=0" % INTERVAL_MS, "Spends", LASTS_MS)
    java.wait_for_stdout("begun")
    time.sleep(LASTS_MS / 4000)
    with held(java, "HPROF wall sampling thread"):
        java.wait_for_stdout("done")
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    found, known = samples_of(ended.text()), lives(ended.stdout)
    for thread, life_ms in known.items():
        assert is_near(sum(found[thread].values()), life_ms), (thread, life_ms, found)


@OLD_AND_NEW
def test_a_thread_that_is_in_the_vm_has_its_stack(jdk, run_java):
    """Compiled code and the interpreter call the VM without a word of where they go on: only the stack says it."""
    ended = run_java(jdk, "event=wall,wall=2ms,depth=64,cutoff=0", "Fills", LASTS_MS, vm=["-Xmx64m", "-XX:+UseSerialGC"])
    assert ended.rc == 0 and ended.stdout == "done\n", ended.stdout + ended.stderr
    failed = int(re.search(r"^  wall_failed = (\d+)", ended.text(), re.M).group(1))
    fills = sum(count for count, stack, _ in rows_of(ended.text()) if "Fills.fills(" in stack)
    assert fills >= 0.7 * LASTS_MS / 2, fills
    assert failed <= 0.01 * fills, (failed, fills)


@pytest.mark.jdks(17)
def test_a_recording_has_them_as_events_that_others_read(jdk, run_java, hprof, tmp_path):
    ended = run_java(jdk, "event=cpu+wall,wall=%dms,depth=64,file=x.jfr" % INTERVAL_MS, "Spends", LASTS_MS)
    assert ended.rc == 0, ended.stderr
    known, found, running, events = lives(ended.stdout), {}, {}, {}
    for event in jfr_file.events(NEWEST, ended.cwd / "x.jfr", "profiler.WallClockSample"):
        thread = event["sampledThread"]["javaName"]
        events[thread] = events.get(thread, 0) + 1
        found[thread] = found.get(thread, 0) + event["samples"]
        running[thread] = running.get(thread, 0) + event["samples"] * (event["state"] == "STATE_RUNNABLE")
    for thread, life_ms in known.items():
        assert is_near(found[thread], life_ms), (thread, life_ms, found)
    assert events["sleeps"] <= 20 <= found["sleeps"] // 5, events  # one a second as long as it rests
    assert running["computes"] >= 0.8 * found["computes"] and running["sleeps"] <= 0.2 * found["sleeps"]
    subprocess.run([hprof, "report", ended.cwd / "x.jfr", "--event", "wall", "-o", "x.collapsed"], cwd=tmp_path, check=True)
    folded = (tmp_path / "x.collapsed").read_text()
    parks = sum(int(line.rpartition(" ")[2]) for line in folded.splitlines() if re.search(r";Spends\.parks(_\[|;)", line))
    assert is_near(parks, known["parks"])


@pytest.fixture
def async_profiler(tmp_path):
    """The path of one that has the event; tests of signals have an older one."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}[platform.machine()]
    with zipfile.ZipFile(jar_of("async-profiler")) as jar:
        return jar.extract("linux-%s/libasyncProfiler.so" % machine, str(tmp_path))


@pytest.mark.jdks(17)
@pytest.mark.parametrize("whose", ["ours", "theirs"])
def test_async_profiler_s_converter_and_our_report_find_the_same_in_either_s_recording(jdk, run_java, hprof, async_profiler, tmp_path, whose):
    if whose == "ours":
        ended = run_java(jdk, "event=wall,wall=%dms,depth=64,file=x.jfr" % INTERVAL_MS, "Spends", LASTS_MS)
    else:
        ended = run_java(jdk, None, "Spends", LASTS_MS, vm=["-agentpath:%s=start,wall=%dms,jfr,file=x.jfr" % (async_profiler, INTERVAL_MS)])
    assert ended.rc == 0, ended.stderr
    read = {"converter": [*jdk.short_tool("java"), "-jar", jar_of("jfr-converter"), "--wall", "-o", "collapsed", ended.cwd / "x.jfr", "converter"],
            "report": [hprof, "report", "-e", "wall", "--hidden", "--no-threads", "--to", "collapsed", "-o", "report", ended.cwd / "x.jfr"]}
    found = {}
    for reader, argv in read.items():
        subprocess.run([str(word) for word in argv], cwd=tmp_path, check=True, timeout=conftest.TIMEOUT_S, stdout=subprocess.DEVNULL)
        found[reader] = {name: 0 for name in STATES}
        for line in (tmp_path / reader).read_text().splitlines():
            for name in STATES:
                found[reader][name] += int(line.rpartition(" ")[2]) * bool(re.search(r";Spends\.%s(_\[|;| )" % name, line))
    assert found["converter"] == found["report"]
    tables = subprocess.run([hprof, "report", "-n", "10000", ended.cwd / "x.jfr"], stdout=subprocess.PIPE, text=True, check=True).stdout
    total = tables.split("methods by total time, with what they call: wall-clock time\n")[1].split("\n\n")[0]
    assert {name: int(re.search(r"%% +(\d+)  Spends\.%s$" % name, total, re.M).group(1)) for name in STATES} == found["report"]
    assert all(is_near(found["report"][name], life) for name, life in lives(ended.stdout).items()) or whose == "theirs", found
    # How many samples another profiler takes on a busy machine is its own affair.
    assert min(found["report"].values()) >= (0.5 * LASTS_MS / INTERVAL_MS if whose == "ours" else 1), found


@pytest.mark.jdks(17)
def test_more_threads_than_fit_in_an_interval_have_their_time_and_so_have_short_ones(jdk, run_java):
    """A tenth of a processor is not enough to look at all of them once in 2 ms: each look stands for more."""
    threads, interval_ms = 1000, 2
    ended = run_java(jdk, "event=wall,wall=%dms,depth=64,cutoff=0" % interval_ms, "Crowd", threads, LASTS_MS)
    assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stdout + ended.stderr
    found, known = {}, lives(ended.stdout)
    for count, stack, _ in rows_of(ended.text()):
        method = next((name for name in known if "Crowd.%s(" % name in stack), None)
        found[method] = found.get(method, 0) + count * interval_ms
    assert abs(found["waits"] - known["waits"]) <= 0.15 * known["waits"], (found, known)
    assert abs(found["isShort"] - known["isShort"]) <= 0.5 * known["isShort"], (found, known)
    rested = int(re.search(r"^  wall_rested = (\d+)", ended.text(), re.M).group(1))
    assert rested >= 0.75 * known["waits"] / interval_ms, (rested, known)  # nobody had to read their stacks again


@pytest.mark.jdks(17)
def test_recordings_have_their_own_time_and_one_interval(jdk, start_java, attach):  # noqa: F811 pylint: disable=redefined-outer-name
    """One begins in a running JVM, and ends; another one follows in it."""
    java = start_java(jdk, None, "Spends", 20000)
    java.wait_for_stdout("begun")
    for name in ("one", "two"):
        assert "return code: 0" in attach(jdk, java, "start,wall=%dms,walkin=thread,file=%s.txt,name=%s,depth=64,cutoff=0" % (INTERVAL_MS, name, name))
        if name == "one":
            for other in ("wall=20ms", "wall=50ms", "event=wall,walkin=handler"):    # the last two say what is so by default
                assert "return code: 0" not in attach(jdk, java, "start,%s,file=other.txt,name=other" % other)
            time.sleep(2)    # on a busy machine threads are not looked at as often as asked
            assert "return code: 0" in attach(jdk, java, "stop,one")
    time.sleep(1.5)
    assert "return code: 0" in attach(jdk, java, "stop,two")
    java.process.kill()
    texts = [(java.cwd / (name + ".txt")).read_text() for name in ("one", "two")]
    one, two = (sum(samples_of(text)["sleeps"].values()) * INTERVAL_MS for text in texts)
    assert one >= 1000 and 500 <= two, (one, two)
