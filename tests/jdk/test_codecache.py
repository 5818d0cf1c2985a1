"""event=codecache: how full the code heaps are, and when one was full.

The oracle is what the VM prints when it ends (-XX:+PrintCodeCache), what jcmd says, and the JDK's own recording.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import subprocess

import jfr_file
import pytest
from attaching import attach, call  # noqa: F401 pylint: disable=unused-import
from conftest import JDKS, old_and_new

NEWEST = JDKS[max(JDKS)]
STATISTICS, FULL = "jdk.CodeCacheStatistics", "jdk.CodeCacheFull"
HEAP = re.compile(r"^(CodeCache|CodeHeap '[^']+'): size=(\d+)Kb used=(\d+)Kb max_used=\d+Kb free=(\d+)Kb\n"
                  r" bounds \[(0x\w+), (0x\w+), (0x\w+)\]", re.M)
TOTALS = re.compile(r"\bblobs=(\d+),? nmethods=(\d+),? adapters=(\d+)")
FULL_COUNT = re.compile(r"full_count=(\d+)")
Heap = collections.namedtuple("Heap", "start committed reserved used_kb")


def printed(text):
    """The last that the VM said: its heaps by name, and the numbers of blobs, nmethods and adapters together."""
    text = text.replace("total_blobs", "blobs").replace("total blobs", "blobs")
    heaps = {row[0]: Heap(int(row[4], 16), int(row[5], 16), int(row[6], 16), int(row[2])) for row in HEAP.findall(text)}
    return heaps, tuple(map(int, TOTALS.findall(text)[-1]))


def of(event):
    return Heap(event["startAddress"], event["commitedTopAddress"], event["reservedTopAddress"],
                (event["reservedTopAddress"] - event["startAddress"] - event["unallocatedCapacity"]) // 1024)


def last_look(events):
    """The last event of each heap."""
    return {event["codeBlobType"]: event for event in events}


def totals(look, jdk):
    """As the VM prints them: from JDK 9 on it counts one piece too few, as it subtracts the unused end of the interpreter's."""
    found = [sum(event[field] for event in look.values()) for field in ("entryCount", "methodCount", "adaptorCount")]
    return (found[0] - (jdk.number >= 9), *found[1:])


def test_the_last_look_is_what_the_vm_prints(jdk, run_java):
    """Nothing is compiled, so what the VM prints a moment later is the same. Such a VM has one heap."""
    ended = run_java(jdk, "event=codecache,file=x.jfr", "Hello", vm=["-Xint", "-XX:+PrintCodeCache"])
    assert ended.rc == 0, ended.stderr
    look = last_look(jfr_file.events(NEWEST, ended.cwd / "x.jfr", STATISTICS))
    heaps, numbers = printed(ended.stdout)
    assert len(heaps) == 1 and {name: of(event) for name, event in look.items()} == heaps
    assert totals(look, jdk) == numbers, (look, numbers)


@pytest.mark.jdks(since=11)
def test_levels_of_a_vm_that_compiles_are_those_of_jcmd(jdk, start_java, attach):  # noqa: F811
    """jcmd is asked before and after a dump; where it says the same twice, the dump says it, too. The cache has parts."""
    java = start_java(jdk, None, "Compiles", "waits", vm=["-XX:+SegmentedCodeCache"])
    java.wait_for_stdout("warm")
    attach(jdk, java, "start,event=codecache,file=%s" % (java.cwd / "x.jfr"))
    for _ in range(10):
        before = call([*jdk.asking_tool("jcmd"), str(java.pid), "Compiler.codecache"])
        attach(jdk, java, "dump")
        after = call([*jdk.asking_tool("jcmd"), str(java.pid), "Compiler.codecache"])
        if printed(before) == printed(after):
            break
    else:
        pytest.fail("the code cache does not come to rest: " + after)
    (java.cwd / "go").touch()
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    heaps, numbers = printed(after)
    events = jfr_file.events(NEWEST, ended.cwd / "x.jfr", STATISTICS)
    looks = [last_look(events[:i + 1]) for i in range(len(events))]
    assert len(heaps) == 3 and numbers[1] > 10
    assert any(totals(look, jdk) == numbers and {name: of(event) for name, event in look.items()} == heaps for look in looks), \
        (numbers, [totals(look, jdk) for look in looks])


# All methods are compiled at once, and nothing is thrown away: the cache is soon full.
FULL_VM = ["-Xcomp", "-XX:TieredStopAtLevel=3", "-XX:-UseCodeCacheFlushing", "-XX:ReservedCodeCacheSize=2560k",
           "-XX:InitialCodeCacheSize=2496k", "-XX:+PrintCodeCache"]


@pytest.mark.jdks(since=17)
def test_a_heap_that_was_full_is_told(jdk, run_java):
    ended = run_java(jdk, "event=codecache,file=x.jfr", "FillsCode", vm=FULL_VM)
    assert ended.rc == 0, ended.stderr
    found = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", [STATISTICS, FULL])
    counts = [event["fullCount"] for event in found[FULL]]
    said = [int(number) for number in FULL_COUNT.findall(ended.stdout)]
    assert said[-1] > 0, ended.stdout
    assert counts and counts == sorted(set(counts)) and counts[-1] <= said[-1], (counts, said)
    assert all(event["codeCacheMaxCapacity"] == 2560 << 10 for event in found[FULL])


@pytest.mark.jdks(8)
def test_jdk_8_does_not_tell_when_it_was_full(jdk, run_java):
    ended = run_java(jdk, "event=codecache,file=x.jfr", "FillsCode", vm=FULL_VM)
    assert ended.rc == 0, ended.stderr
    found = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", [STATISTICS, FULL])
    assert found[STATISTICS] and not found[FULL]


@old_and_new
def test_text_report_and_recording_say_the_same(jdk, hprof, run_java):
    ended = run_java(jdk, "event=codecache,cutoff=0", "Hello", vm=["-Xint"])
    assert ended.rc == 0, ended.stderr
    (head,) = re.findall(r"^EVENTS codecache BEGIN \(looks=(\d+) used=(\d+) reserved=(\d+) full=(\d+)\)", ended.text(), re.M)
    assert int(head[0]) > 0 and 0 < int(head[1]) < int(head[2]) and head[3] == "0" and "CodeCache" in ended.text()
    for options, path in ((None, "java.hprof.txt"), ("event=codecache,file=x.jfr", "x.jfr")):
        if options:
            ended = run_java(jdk, options, "Hello", vm=["-Xint"])
        said = subprocess.run([hprof, "report", "-e", "codecache", str(ended.cwd / path)], stdout=subprocess.PIPE, text=True, check=True).stdout
        assert "levels of the code cache" in said and "CodeCache" in said, said


@pytest.mark.jdks(17, "newest")
def test_recordings_of_the_jdk_are_read(jdk, hprof, run_java):
    jfr = "-XX:StartFlightRecording:settings=none,+jdk.CodeCacheStatistics#enabled=true,filename=jdk.jfr"
    ended = run_java(jdk, "event=codecache,file=x.jfr", "Hello", vm=["-Xint", jfr])
    assert ended.rc == 0, ended.stderr
    ours, theirs = (last_look(jfr_file.events(NEWEST, ended.cwd / name, STATISTICS)) for name in ("x.jfr", "jdk.jfr"))
    fields = ("startAddress", "reservedTopAddress")
    assert {name: [event[field] for field in fields] for name, event in ours.items()} == \
        {name: [event[field] for field in fields] for name, event in theirs.items()}
    said = subprocess.run([hprof, "report", "-e", "codecache", str(ended.cwd / "jdk.jfr")], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "levels of the code cache" in said and "CodeCache" in said, said


@old_and_new
def test_it_starts_and_ends_many_times(jdk, start_java, attach):  # noqa: F811
    java = start_java(jdk, None, "Compiles", "waits")
    java.wait_for_stdout("warm")
    for i in range(20):
        attach(jdk, java, "start,event=codecache,file=%s" % (java.cwd / ("%d.jfr" % i)))
        attach(jdk, java, "stop")
    assert all(jfr_file.events(NEWEST, java.cwd / ("%d.jfr" % i), STATISTICS) for i in (0, 19))
    (java.cwd / "go").touch()
    assert java.end().rc == 0


@old_and_new
def test_a_vm_that_cannot_be_read_goes_on(jdk, run_java):
    ended = run_java(jdk, "noreader=1,event=codecache,file=x.jfr", "Hello")
    assert ended.rc == 0 and "HPROF ERROR: event=codecache: nothing is measured: this VM cannot be read (" in ended.stderr, ended.stderr
