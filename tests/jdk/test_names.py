"""The names of methods whose classes are unloaded or redefined all the time: none is missing, none is another's.

What runs is spelled in each stack by callers that stay (Spell.java), so each sample says what name is right.
SPDX-License-Identifier: Apache-2.0
"""
import re
import zipfile

import jfr_file
import pytest
from conftest import JDKS, clean_environment, compile_programs
from hprof_text import Text
from kept import made_once

BITS = 10
FRESH_LINE = 0x1234  # Redefine.FIRST_LINE: two bytes that are nowhere else in the class file
FRESH = "\n" * (FRESH_LINE - 1) + """\
public class Fresh implements java.util.function.Consumer<java.util.concurrent.CountDownLatch> { static long sum; \
public void accept(java.util.concurrent.CountDownLatch runs) \
{ for (int i = 0; i < 100000; i++) { sum = sum * 31 + i; if (i == 100) runs.countDown(); } } }
"""


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """programs_names, compiled once, and Fresh."""
    folder = compile_programs(tmp_path_factory, "programs_names")
    (folder / "Fresh.java").write_text(FRESH)
    oldest = JDKS[min(JDKS)]
    return made_once([folder / "Fresh.java"], lambda into: [oldest.tool("javac"), "-nowarn", "-source", "8", "-target", "8", "-d", into,
                                                            str(folder / "Fresh.java")], folder, clean_environment())


@pytest.fixture(scope="session")
def redefiner(tmp_path_factory):
    """A jar that makes Redefine a Java agent."""
    jar = tmp_path_factory.mktemp("jar") / "redefine.jar"
    with zipfile.ZipFile(jar, "w") as z:
        z.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nPremain-Class: Redefine\nCan-Redefine-Classes: true\n\n")
    return jar


def read(ended):
    assert ended.rc == 0, ended.stderr
    text = Text(ended.text("out.txt"))
    return text.traces.values(), text.quality()


def options(mem, interval="100us"):
    return "cpu=samples,interval=%s,depth=64,cutoff=0,file=out.txt,mem=%s" % (interval, mem)


def spelled(trace):
    """The number that a stack's callers spell; None if it is not (yet) all there."""
    bits = [frame.method for frame in reversed(trace.frames) if frame.klass == "Spell" and frame.method in ("zero", "one")]
    return int("".join("01"[bit == "one"] for bit in bits), 2) if len(bits) == BITS else None


def numbers_of(traces, method, number_of):
    """The numbers of all frames of such methods; each must be what the stack's callers say."""
    numbers = set()
    for trace in traces:
        own = [frame for frame in trace.frames if re.fullmatch(method, "%s.%s" % frame[:2])]
        for frame in own:
            assert number_of(frame) == spelled(trace), "\n".join("%s.%s" % frame[:2] for frame in trace.frames)
            numbers.add(number_of(frame))
    return numbers


def number_of_generated(frame):
    numbers = set(re.findall(r"\d{5}", "%s %s %s" % (frame.klass, frame.method, frame.source)))
    return int(numbers.pop()) if len(numbers) == 1 else -1


def check_unload(ended):
    traces, q = read(ended)
    assert len(numbers_of(traces, r"Gen\d{5}\..*", number_of_generated)) > 200
    assert q["nameless"] == q["names_full"] == q["names_unreadable"] == q["lost_memory_full"] == 0, q
    assert q["names_given_back"] > 1000, q
    return q


@pytest.mark.jdks(8, 17, 25, "newest")
def test_classes_that_come_and_go_keep_their_own_names_and_lose_none(run_java, jdk):
    q = check_unload(run_java(jdk, options("8m"), "Unload", 2500, 300, 50, vm=["-Xmx64m"]))
    assert q["unnamed_frames"] == 0, q


@pytest.mark.jdks("newest")
@pytest.mark.parametrize("vm", ["-XX:+UseZGC", "-XX:-UsePerfData"])
def test_so_they_do_when_classes_go_at_any_time_and_where_the_vm_does_not_count_them(run_java, jdk, vm):
    check_unload(run_java(jdk, options("8m"), "Unload", 2500, 300, 50, vm=["-Xmx64m", vm]))


@pytest.mark.jdks("newest")
def test_so_they_do_among_native_frames(run_java, jdk):
    # Stacks with frames of C need more room; with 14 MB no name need be given back. The program waits for the compiler: interpreted for long,
    # as where that gets no processor, it has three times as many stacks.
    check_unload(run_java(jdk, options("11m") + ",native=y", "Unload", 2500, 300, 50, vm=["-Xmx64m", "-Xbatch", "-XX:TieredStopAtLevel=1"]))


@pytest.mark.jdks("newest")
def test_new_names_without_end_are_lost_by_count_and_not_by_mistake(run_java, jdk):
    """The table keeps its names: a model of 1,120 KB is full before a thousand classes have been seen.

    Half of it is for them even where the VM's start is seen most often, on a busy machine."""
    traces, q = read(run_java(jdk, options("2m"), "Unload", 1000, 1000, 50, vm=["-Xmx64m"]))
    assert q["lost_memory_full"] > 0, q
    assert 0 < len(numbers_of(traces, r"Gen\d{5}\..*", number_of_generated)) < 1000
    assert q["samples"] == sum(q[part] for part in ("walked", "failed", "nameless", "lost_ring_full", "thread_end", "lost_memory_full")) + \
        sum(q.get(part, 0) for part in ("no_Java_frame", "signal_blocked", "signal_lost"))
    assert q["unnamed_frames"] <= q["names_full"] + q["names_unreadable"], q


@pytest.mark.jdks(8, 25)
def test_lost_samples_have_their_event(jdk, run_java):
    """The program makes more classes than there is room for: from then on the stacks of its thread find none."""
    ended = run_java(jdk, options("2m").replace("out.txt", "x.jfr") + ",jdk.CPUTimeSample#enabled=true", "Unload", 1000, 1000, 50, vm=["-Xmx64m"])
    path = ended.cwd / "x.jfr"
    quality = {e["name"]: e["count"] for e in jfr_file.events(JDKS[max(JDKS)], path, "hprof.Quality")}
    lost = jfr_file.events(JDKS[max(JDKS)], path, "jdk.CPUTimeSamplesLost")
    assert sum(e["lostSamples"] for e in lost) == quality.get("lost_ring_full", 0) + quality.get("lost_memory_full", 0) > 0
    assert any(e["eventThread"] and e["eventThread"]["javaName"] for e in lost)
    if JDKS[max(JDKS)].number >= 25:
        assert re.search("Lost Samples: [1-9]", jfr_file.tool(JDKS[max(JDKS)], "view", "cpu-time-statistics", path))


@pytest.mark.jdks(8, 17, 25, "newest")
def test_redefined_methods_keep_the_lines_of_their_version(run_java, redefiner, jdk):
    traces, q = read(run_java(jdk, options("4m", "1ms"), "Redefine", 300, vm=["-Xmx64m", "-javaagent:%s" % redefiner]))
    numbers = numbers_of(traces, r"Fresh\.accept", lambda frame: frame.line - FRESH_LINE)
    # Each version runs for a few ms, once: what the ring has no room for is missing.
    assert len(numbers) > 50 and len(numbers) + q["lost_ring_full"] > 200, (len(numbers), q)
    assert q["unnamed_frames"] == q["names_full"] == 0, q
