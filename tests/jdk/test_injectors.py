"""Several who change classes in one JVM: the changes of all are alive, whoever comes first, and after we have gone.

The others are an agent of the tests' own with a class load hook (native/marker.c), the debugger, and async-profiler, which injects
the method that it is told to, or has the VM's one allocation sampler. How our engines share classes among themselves: test_classfile.py, test_together.py.
SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

import hprof_text
from attaching import attach, command  # noqa: F401
from conftest import compile_library
from test_signals import async_profiler  # noqa: F401

PART = 1000    # calls of Marked.say
ENGINES = "cpu=times,monitor=all,heap=sites,cutoff=0,raw=y,include=Marked*,file=out.txt"
LATE = "cpu=times,monitor=all,cutoff=0,raw=y,include=Marked*,file=out.txt"


@pytest.fixture(scope="session")
def marker(tmp_path_factory):
    return compile_library(tmp_path_factory, "marker")


def calls_of_say(ended):
    text = hprof_text.Text(ended.text("out.txt"))
    return sum(row.count for table in text.calls for row in table.rows if row.method == "Marked.say")


def said(ended, parts):
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert "said %d\n" % (PART * parts) in ended.stdout
    return re.findall(r"^\w+: (.*)", ended.stdout, re.M)


@pytest.mark.parametrize("kind", ["retransform", "plain"])
@pytest.mark.parametrize("order", ["first", "last"])
def test_a_class_load_hook_of_others_beside_ours(run_java, jdk, agent, marker, kind, order):
    ours, theirs = "-agentpath:%s=%s" % (agent, ENGINES), "-agentpath:%s=%s" % (marker, kind)
    ended = run_java(jdk, None, "Marked", vm=[ours, theirs] if order == "first" else [theirs, ours])
    assert said(ended, 1) == ["marked!!"]
    assert calls_of_say(ended) == PART


@pytest.mark.parametrize("kind", ["retransform", "plain"])
def test_engines_that_start_and_stop_late_beside_a_hook_of_others(start_java, attach, jdk, marker, kind):    # noqa: F811
    java = start_java(jdk, None, "Marked", "first", "second", vm=["-agentpath:%s=%s" % (marker, kind)])
    java.wait_for_stdout("waiting for first")
    assert "return code: 0" in attach(jdk, java, LATE)
    (java.cwd / "first").touch()
    java.wait_for_stdout("waiting for second")
    assert "return code: 0" in attach(jdk, java, "stop")
    (java.cwd / "second").touch()
    ended = java.end()
    assert said(ended, 3) == ["marked!!"] * 3
    assert calls_of_say(ended) == PART, "of the part in between"


@pytest.mark.jdks(8, 17, 21)    # the last that this version of it knows
@pytest.mark.parametrize("order", ["first", "last"])
def test_async_profiler_and_we_inject_the_same_method(run_java, jdk, agent, async_profiler, order):    # noqa: F811
    ours = "-agentpath:%s=%s" % (agent, ENGINES)
    theirs = "-agentpath:%s=start,event=Marked.say,interval=1,collapsed,file=rival.txt" % async_profiler
    ended = run_java(jdk, None, "Marked", vm=[ours, theirs] if order == "first" else [theirs, ours])
    assert said(ended, 1) == ["unmarked"]
    assert calls_of_say(ended) == PART
    assert sum(int(line.split()[-1]) for line in ended.text("rival.txt").splitlines() if "Marked.say" in line) == PART


DEBUGGER = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n"


@pytest.mark.jdks(17, 21)    # from JDK 11 on there is one sampler; 21: the last that this version of it knows
def test_async_profiler_s_allocations_and_our_other_engines(run_java, jdk, agent, async_profiler):    # noqa: F811
    """It came first and has the VM's sampler: heap=sites says so and is left out, all others inject and count."""
    theirs = "-agentpath:%s=start,event=alloc,alloc=1k,collapsed,file=rival.txt" % async_profiler
    ended = run_java(jdk, None, "Marked", vm=[theirs, "-agentpath:%s=%s" % (agent, ENGINES)])
    assert said(ended, 1) == ["unmarked"]
    assert "no allocation sites: can_generate_sampled_object_alloc_events: another agent has it" in ended.stderr
    assert "SITES BEGIN" not in ended.text("out.txt")
    assert calls_of_say(ended) == PART
    assert "Marked.part" in ended.text("rival.txt")


@pytest.mark.jdks(17, 21)
def test_engines_that_start_late_beside_the_debugger_a_hook_and_a_sampler(start_java, attach, jdk, marker, async_profiler):    # noqa: F811
    theirs = ["-agentpath:%s=retransform" % marker, DEBUGGER,
              "-agentpath:%s=start,event=alloc,alloc=1k,collapsed,file=rival.txt" % async_profiler]
    java = start_java(jdk, None, "Marked", "first", "second", vm=theirs)
    java.wait_for_stdout("waiting for first")
    assert "return code: 0" in attach(jdk, java, "start," + LATE)
    (java.cwd / "first").touch()
    java.wait_for_stdout("waiting for second")
    assert "return code: 0" in attach(jdk, java, "stop")
    (java.cwd / "second").touch()
    ended = java.end()
    assert said(ended, 3)[-3:] == ["marked!!"] * 3    # behind a line of the debugger's
    assert calls_of_say(ended) == PART, "of the part in between"
    assert "Marked.part" in ended.text("rival.txt")


RECORDER = "-XX:StartFlightRecording:filename=theirs.jfr"
WRITES_AGAIN = re.compile(r"Adding instrumentation to event class (\S+) using retransform")


@pytest.mark.jdks(11, 17, 21, "newest")
def test_the_recorder_of_the_jdk_need_not_write_its_events_again(start_java, attach, jdk):    # noqa: F811
    """Its Java code does that for each class that somebody changes, for seconds; so we leave these classes alone. The log
    has what the recorder did by itself before we came."""
    java = start_java(jdk, None, "Marked", "first", "second", vm=[RECORDER, "-Xlog:jfr+system=info:file=log.txt"])
    java.wait_for_stdout("waiting for first")
    before = WRITES_AGAIN.findall((java.cwd / "log.txt").read_text())
    assert "return code: 0" in attach(jdk, java, "cpu=times,cutoff=0,raw=y,file=out.txt")
    (java.cwd / "first").touch()
    java.wait_for_stdout("waiting for second")
    assert "return code: 0" in attach(jdk, java, "stop")
    (java.cwd / "second").touch()
    ended = java.end()
    assert calls_of_say(ended) == PART
    log = (java.cwd / "log.txt").read_text()
    assert WRITES_AGAIN.findall(log) == before and "Unexpected error" not in log


@pytest.mark.jdks(17)    # what is tested is the agent's own time
def test_a_lease_begins_when_the_start_has_answered(start_java, command, jdk, marker):    # noqa: F811
    """A start that changes classes may take longer than its lease, and who waits for the end of another lease looks at it meanwhile."""
    java = start_java(jdk, None, "Marked", "go", vm=["-agentpath:%s=slow" % marker])
    java.wait_for_stdout("waiting for go")
    assert command(jdk, java, "start,cpu=samples,file=kept.txt", "start,cpu=samples,lease=1s,file=gone.txt", "stop,id=2",
                   "start,cpu=times,include=Marked,lease=3s,file=late.txt,name=late,answer=start", "pause=300", "status,id=3") == [0] * 5
    assert " name=late " in (java.cwd / "start").read_text()
    (java.cwd / "go").touch()
    assert java.end().rc == 0
