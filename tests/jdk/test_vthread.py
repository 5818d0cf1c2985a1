"""event=vthread: virtual threads that start and end, and times that one was pinned, with what pinned it.

The program starts a known number of threads and pins some of them, each in a known way; the second oracle is the JDK's own recording.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import subprocess

import jfr_file
import pytest
from attaching import attach, load  # noqa: F401 pylint: disable=unused-import
from conftest import JDKS, agent_for, compile_library, compile_programs

NEWEST = JDKS[max(JDKS)]
START, END, PINNED = "jdk.VirtualThreadStart", "jdk.VirtualThreadEnd", "jdk.VirtualThreadPinned"
THREADS, MONITOR, NATIVE, INITIALIZERS, FREE = 500, 3, 4, 2, 2
COUNTS = (THREADS, MONITOR, NATIVE, INITIALIZERS, FREE)
UNMOUNTS_IN_VM = 24  # from there on a monitor does not pin
JFR = ("-XX:StartFlightRecording:settings=none,+%s#enabled=true,+%s#threshold=20ms,+%s#stackTrace=true,filename=jdk.jfr"
       % (PINNED, PINNED, PINNED))


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """programs_pinned, compiled once."""
    return compile_programs(tmp_path_factory, "programs_pinned", 21)


@pytest.fixture(scope="session")
def native(tmp_path_factory):
    """The options of a VM that finds the library of the native frame."""
    return ["-Djava.library.path=%s" % compile_library(tmp_path_factory, "pin").parent, "--enable-native-access=ALL-UNNAMED"]


def reasons(jdk):
    wanted = {"Native frame Pins.callBack on stack": NATIVE, "VM call to Pins$Initialized0.<clinit> on stack": 1,
              "VM call to Pins$Initialized1.<clinit> on stack": 1}
    if jdk.number < UNMOUNTS_IN_VM:
        wanted["Monitor held by Pins.holdsMonitor"] = MONITOR
    return wanted


def methods(event):
    return [frame["method"]["type"]["name"].replace("/", ".") + "." + frame["method"]["name"] for frame in event["stackTrace"]["frames"]]


@pytest.mark.jdks(since=21)
def test_each_start_end_and_pin_is_told(jdk, run_java, native):
    ended = run_java(jdk, "event=vthread,depth=64,file=x.jfr", "Pins", *COUNTS, vm=native)
    assert ended.rc == 0 and "done 2" in ended.stdout, ended.stderr
    assert "HPROF ERROR" not in ended.stderr, ended.stderr
    found = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", [START, END, PINNED], depth=64)
    started, gone = ([event["javaThreadId"] for event in found[name]] for name in (START, END))
    assert len(started) == sum(COUNTS) == len(set(started)) and sorted(started) == sorted(gone)
    pinned = found[PINNED]
    assert collections.Counter(event["pinnedReason"] for event in pinned) == reasons(jdk)
    assert {event["blockingOperation"] for event in pinned} == {"LockSupport.park"}
    for event in pinned:
        assert "Pins.park" in methods(event) and not any("Hprof" in method for method in methods(event)), methods(event)
        assert event["eventThread"]["javaName"] == "pins" and event["javaThreadId"] in started
        assert event["carrierThread"]["javaName"].startswith("ForkJoinPool-1-worker-"), event["carrierThread"]


@pytest.mark.jdks(since=21)
def test_pins_are_those_of_the_jdk(jdk, run_java, native):
    ended = run_java(jdk, "event=vthread,file=x.jfr", "Pins", 0, *COUNTS[1:], vm=[*native, JFR])
    assert ended.rc == 0, ended.stderr
    ours, theirs = (jfr_file.events(NEWEST, ended.cwd / name, PINNED, depth=64) for name in ("x.jfr", "jdk.jfr"))
    assert len(ours) == len(theirs) == sum(reasons(jdk).values())
    if jdk.number >= UNMOUNTS_IN_VM:
        def words(events):
            return collections.Counter((event["blockingOperation"], event["pinnedReason"].replace("Native frame Pins.callBack", "Native or VM frame"))
                                       for event in events)
        assert words(ours) == words(theirs)


@pytest.mark.jdks(21, "newest")
def test_a_recording_that_comes_later_has_what_comes_then(jdk, start_java, attach, native):  # noqa: F811
    java = start_java(jdk, None, "Pins", *COUNTS, "waits", vm=native)
    java.wait_for_stdout("begins")
    attach(jdk, java, "start,event=vthread,file=%s" % (java.cwd / "x.jfr"))
    (java.cwd / "go").touch()
    ended = java.end()
    assert ended.rc == 0 and "HPROF ERROR" not in ended.stderr, ended.stderr
    found = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", [START, END, PINNED], depth=64)
    assert len(found[START]) == len(found[END]) == sum(COUNTS)
    wanted = {reason if not reason.startswith("Monitor") else None: count for reason, count in reasons(jdk).items()}
    assert collections.Counter(event["pinnedReason"] for event in found[PINNED]) == wanted


@pytest.mark.jdks(21, "newest")
def test_short_pins_are_counted(jdk, run_java, native):
    """The threshold is above each pin, and below it in another recording of the same time."""
    ended = run_java(jdk, "event=vthread,vthread=10s", "Pins", *COUNTS, vm=native)
    assert ended.rc == 0, ended.stderr
    (head,) = re.findall(r"^EVENTS vthread BEGIN \(pinned_time_ns=(\d+) pinned=(\d+) started=(\d+) ended=(\d+)\)", ended.text(), re.M)
    assert head == ("0", "0", str(sum(COUNTS)), str(sum(COUNTS)))
    (shorter,) = re.findall(r"\bvthread_shorter = (\d+)", ended.text())
    assert int(shorter) >= sum(reasons(jdk).values())


@pytest.mark.jdks(21, "newest")
def test_text_report_and_recording_say_the_same(jdk, hprof, run_java, native):
    ended = run_java(jdk, "event=vthread,cutoff=0", "Pins", *COUNTS, vm=native)
    assert ended.rc == 0, ended.stderr
    (head,) = re.findall(r"^EVENTS vthread BEGIN \(pinned_time_ns=(\d+) pinned=(\d+) started=(\d+) ended=(\d+)\)", ended.text(), re.M)
    pins = sum(reasons(jdk).values())
    assert int(head[0]) >= pins * 20_000_000 and head[1:] == (str(pins), str(sum(COUNTS)), str(sum(COUNTS)))
    said = subprocess.run([hprof, "report", "-e", "vthread", str(ended.cwd / "java.hprof.txt")], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "virtual threads" in said and "Native frame Pins.callBack on stack" in said, said


@pytest.mark.jdks(21, "newest")
def test_recordings_of_the_jdk_are_read(jdk, hprof, run_java, native):
    jfr = JFR + ",+%s#enabled=true,+%s#enabled=true" % (START, END)
    ended = run_java(jdk, None, "Pins", *COUNTS, vm=[*native, jfr])
    assert ended.rc == 0, ended.stderr
    found = jfr_file.events_by_type(NEWEST, ended.cwd / "jdk.jfr", [START, END, PINNED])
    said = subprocess.run([hprof, "report", "--to", "hprof-text", str(ended.cwd / "jdk.jfr")], stdout=subprocess.PIPE, text=True, check=True).stdout
    (head,) = re.findall(r"^EVENTS vthread BEGIN \(pinned_time_ns=(\d+) pinned=(\d+) started=(\d+) ended=(\d+)\)", said, re.M)
    assert [int(number) for number in head[1:]] == [len(found[name]) for name in (PINNED, START, END)]


@pytest.mark.jdks(21, "newest")
def test_it_starts_and_ends_many_times_while_threads_are_pinned(jdk, start_java, native):
    java, agent = start_java(jdk, None, "Pins", 20000, 20, 40, 2, 5, "waits", vm=native), agent_for("")
    java.wait_for_stdout("begins")
    (java.cwd / "go").touch()
    for i in range(15):
        assert load(java, agent, "start,event=vthread,vthread=0,file=%d.jfr" % i) == 0, java.said()
        assert load(java, agent, "stop") == 0, java.said()
    ended = java.end()
    assert ended.rc == 0 and "done 2" in ended.stdout and "HPROF ERROR" not in ended.stderr, ended.stderr


@pytest.mark.jdks(21, "newest")
def test_it_works_where_the_vm_cannot_be_read(jdk, run_java, native):
    """All its sources are interfaces of the VM."""
    ended = run_java(jdk, "noreader=3,event=vthread,file=x.jfr", "Pins", *COUNTS, vm=native)
    assert ended.rc == 0 and "HPROF ERROR" not in ended.stderr, ended.stderr
    found = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", [START, END, PINNED], depth=64)
    assert len(found[START]) == len(found[END]) == sum(COUNTS) and len(found[PINNED]) == sum(reasons(jdk).values())


@pytest.mark.jdks(8, 17)
def test_a_jdk_without_virtual_threads_says_so(jdk, run_java):
    ended = run_java(jdk, "event=vthread,file=x.jfr", "-version")
    assert ended.rc == 0 and "HPROF ERROR: event=vthread: nothing is measured: virtual threads came with JDK 21" in ended.stderr, ended.stderr
