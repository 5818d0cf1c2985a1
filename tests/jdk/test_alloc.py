"""event=alloc: sampled allocations, as events of a recording and as a table of sites.

The program allocates known numbers of bytes in known places. Samples of small objects stand for some 16 KB each: of n of
them the sum has a standard error of 1 / sqrt(n), and six of those are met by bad luck once in 10^9 runs.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import json
import math
import pathlib
import re
import subprocess

import conftest
import hprof_text
import jfr_file
import pytest
from attaching import command  # noqa: F401 pylint: disable=unused-import
from conftest import compile_programs

NEWEST = conftest.JDKS[max(conftest.JDKS)]
MB = 1 << 20
SIZE = 16 << 10
ASKED = "event=alloc,alloc=16k,depth=16,cutoff=0,"
SIGMAS = 6
# Small objects are of 24 or of 32 bytes, by the header; main and the other thread both make arrays.
PLACES = {("small", "Allocates$Small"): 1, ("arrays", "byte[]"): 2, ("clones", "int[]"): 1, ("large", "long[]"): 4}


@pytest.fixture(scope="session")
def virtual_classes(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_virtual", 21)


def is_near(found, truth, samples, least=1.0):
    return least * truth * (1 - SIGMAS / samples ** 0.5 - 0.02) < found < truth * (1 + SIGMAS / samples ** 0.5 + 0.02)


def by_place(text):
    """{(method of the program, class): (bytes, objects)} of the last table."""
    parsed = hprof_text.Text(text)
    found = collections.defaultdict(lambda: [0, 0])
    for row in parsed.of(hprof_text.Sites)[-1].rows:
        frames = [frame for frame in parsed.traces[row.trace].frames if frame.klass == "Allocates"]
        if frames:
            found[frames[0].method, row.klass][0] += row.bytes
            found[frames[0].method, row.klass][1] += row.objects
    return found


def test_bytes_and_objects_are_right_on_average(jdk, run_java):
    """The VM differs in how it draws, and in where the walker begins."""
    mb = 16
    ended = run_java(jdk, ASKED + "file=x.txt", "Allocates", mb)
    assert ended.rc == 0, ended.stderr
    found = by_place(ended.text("x.txt"))
    for place, parts in PLACES.items():
        truth = parts * mb * MB
        assert is_near(found[place][0], truth, truth / SIZE, 0.75 if place[0] == "small" else 1), (place, found[place])
    # Objects as large as these are all seen, and each counts once.
    assert found["large", "long[]"] == [4 * mb * MB, 2 * mb]
    quality = hprof_text.Text(ended.text("x.txt")).quality()
    assert quality["alloc_interval"] == SIZE and quality["alloc_samples"] > 3 * mb * MB / SIZE
    assert quality["alloc_lost"] == quality["alloc_thinned"] == 0
    assert quality["alloc_asked"] < quality["alloc_samples"] / 20, "the walker takes the stacks"


def errors(sampled, bytes_each, interval, size):
    """The standard error of the sum over objects of `size` bytes, as a part of it."""
    hit = -math.expm1(-size / interval)
    return ((1 - hit) / hit * size / bytes_each) ** 0.5 if sampled else 1


# KB asked for, bytes of a large array, how many, options of the VM. Arrays of 16 KB are those that JDK 11 prefers small ones to most.
ALIKE = {
    "in buffers": (512, 1 << 14, 200000, ["-Xmx64m", "-XX:+UseSerialGC"]),
    "outside of buffers": (512, 1 << 18, 15000, ["-Xmx64m", "-XX:+UseSerialGC"]),
    "some outside": (512, 1 << 16, 60000, ["-Xmx256m", "-XX:+UseG1GC"]),
    "Epsilon": (64, 1 << 18, 2000, ["-Xmx1400m", "-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"]),
}
CHI_SQUARE = 2 * math.log(1e9)    # of two sums: exceeded by chance once in 10^9


@pytest.mark.parametrize("kind", ALIKE)
def test_small_and_large_objects_get_what_they_allocate(jdk, run_java, kind):
    """As many bytes at one site in arrays of 1 KB as at the other in large ones: the chi-square of both sums, where each is as
    much nearer to what was allocated as the file says that the VM may prefer it."""
    kilobytes, large, count, options = ALIKE[kind]
    if kind == "Epsilon" and jdk.number < 11:
        pytest.skip("JDK 8 has no Epsilon")
    truth = large * count
    ended = run_java(jdk, "event=alloc,alloc=%dk,depth=4,cutoff=0,file=x.txt" % kilobytes, "AllocatesAlike", large, count,
                     vm=options)
    assert ended.rc == 0, ended.stderr
    parsed = hprof_text.Text(ended.text("x.txt"))
    found = collections.Counter()
    for row in parsed.of(hprof_text.Sites)[-1].rows:
        frames = [frame.method for frame in parsed.traces[row.trace].frames if frame.klass == "AllocatesAlike"]
        found[frames[0] if frames else None] += row.bytes
    bias = parsed.quality()["alloc_bias_percent"]
    assert bias == (33 if jdk.number == 11 else 2 if 11 < jdk.number < 25 else 0)
    chi_square = sum((max(0, abs(found[method] / truth - 1) - bias / 100) / errors(found[method], truth, kilobytes << 10, size)) ** 2
                     for method, size in (("small", 1024), ("large", large)))
    assert chi_square < CHI_SQUARE, (found, truth, bias)


@pytest.mark.jdks(8, 17, "newest")
def test_a_recording_has_an_event_for_each_sample(jdk, run_java):
    ended = run_java(jdk, ASKED + "file=x.jfr", "Allocates", 16)
    assert ended.rc == 0, ended.stderr
    path = ended.cwd / "x.jfr"
    assert jfr_file.counts(NEWEST, path)["hprof.Site"] == 0, "nothing is there twice"
    events = jfr_file.events(NEWEST, path, "jdk.ObjectAllocationSample", depth=16)
    sums = collections.Counter()
    for event in events:
        assert event["objectClass"]["name"] and event["eventThread"]["javaName"], event
        frames = [frame["method"]["name"] for frame in (event["stackTrace"] or {"frames": ()})["frames"]
                  if frame["method"]["type"]["name"] == "Allocates"]
        sums[event["eventThread"]["javaName"], frames[0] if frames else None] += event["weight"]
    assert is_near(sums["other", "arrays"], 16 * MB, 16 * MB / SIZE)
    assert is_near(sums["main", "arrays"], 16 * MB, 16 * MB / SIZE)
    assert "byte[]" in jfr_file.tool(conftest.JDKS[max(conftest.JDKS)], "view", "allocation-by-class", path)


@pytest.mark.jdks(17)
def test_a_binary_file_has_the_same_table(jdk, run_java, hprof):
    ended = run_java(jdk, ASKED + "file=x.hprof,format=b", "Allocates", 16)
    assert ended.rc == 0, ended.stderr
    collapsed = subprocess.run([hprof, "report", "-e", "alloc", "--to", "collapsed", "-o", "-", str(ended.cwd / "x.hprof")], text=True,
                               stdout=subprocess.PIPE, check=True, timeout=conftest.TIMEOUT_S).stdout
    large = sum(int(line.rpartition(" ")[2]) for line in collapsed.splitlines() if "Allocates.large" in line)
    assert large == 64 * MB


@pytest.mark.jdks(8, 17)
def test_recordings_have_intervals_of_their_own(jdk, start_java, command):    # noqa: F811
    java = start_java(jdk, None, "Allocates", 4, "forever")
    java.wait_for_stdout("running")
    assert command(jdk, java, "start,name=coarse,verbose=n,event=alloc,alloc=256k,depth=8,cutoff=0,file=coarse.txt",
                   "start,name=fine,verbose=n,event=alloc,alloc=16k,depth=8,cutoff=0,file=fine.txt", "pause=1000",
                   "status,answer=status", "stop,fine", "stop,coarse") == [0] * 5
    java.process.kill()
    ended = java.end()
    coarse, fine = (by_place(ended.text(name + ".txt")) for name in ("coarse", "fine"))
    quality = {name: hprof_text.Text(ended.text(name + ".txt")).quality() for name in ("coarse", "fine")}
    assert quality["coarse"]["alloc_interval"] == 256 << 10 and quality["fine"]["alloc_interval"] == SIZE
    assert quality["fine"]["alloc_thinned"] == 0 < quality["coarse"]["alloc_thinned"]
    # The same places in the same proportions, though one has a fraction of the other's samples.
    for found in coarse, fine:
        total = sum(found[place][0] for place in PLACES)
        assert 0.4 < found["large", "long[]"][0] / total < 0.75
    assert " allocations=" in (java.cwd / "status").read_text()


@pytest.mark.jdks(8)
def test_loaded_classes_are_replaced_some_at_a_time_and_the_recording_says_how_many(jdk, start_java, command):    # noqa: F811
    java = start_java(jdk, None, "Allocates", 4, "forever")
    java.wait_for_stdout("running")
    lines = [line for name in ("one", "two") for line in (
        "start,event=alloc,alloc=16k,depth=8,cutoff=0,file=%s.txt" % name, "pause=1000", "status,answer=" + name, "stop")]
    assert command(jdk, java, *lines) == [0] * 6
    java.process.kill()
    ended = java.end()
    for name in "one", "two":
        quality = hprof_text.Text(ended.text(name + ".txt")).quality()
        classes = [quality["alloc_classes_" + what] for what in ("seen", "waiting", "idle")]
        # The second may find probes that have not been taken out yet, and then has fewer to put in.
        assert name == "two" or (sum(classes) > 20 and classes[0] > 0)
        assert name == "two" or 1 < quality["alloc_stops"] and quality["alloc_stop_longest_us"] < quality["alloc_stopped_us"]
        found = by_place(ended.text(name + ".txt"))
        total = sum(found[place][0] for place in PLACES)
        assert all(found[place][0] > 0 for place in PLACES)
        # 4 of 7 parts; a second of a loaded machine may have few of the program's rounds, which make 8 large arrays each.
        part = 8 / max(found["large", "long[]"][1], 1)
        assert 0.4 - part < found["large", "long[]"][0] / total < 0.75 + part
    assert " classes_seen=" in (java.cwd / "one").read_text()
    assert "arrays are seen in" in ended.stderr


@pytest.mark.jdks(21, "newest")
def test_virtual_threads_have_stacks_of_their_own(jdk, run_java, virtual_classes):
    ended = run_java(jdk, "event=alloc,alloc=16k,depth=64,file=x.jfr", "AllocatesVirtual", 4,
                     vm=["-Xbootclasspath/a:%s" % virtual_classes])
    assert ended.rc == 0, ended.stderr
    depths = collections.Counter()
    for event in jfr_file.events(NEWEST, ended.cwd / "x.jfr", "jdk.ObjectAllocationSample", depth=64):
        names = [frame["method"]["name"] for frame in (event["stackTrace"] or {"frames": ()})["frames"]]
        if "level" in names:
            depths[names.count("level")] += event["weight"]
    assert set(depths) == {8} and is_near(depths[8], 32 * MB, 32 * MB / SIZE)


@pytest.mark.jdks(8)
def test_a_finer_interval_holds_for_distances_that_have_begun(jdk, start_java, command):  # noqa: F811
    """Of a program that allocates little: it would take minutes to what was drawn first."""
    java = start_java(jdk, "event=alloc,alloc=2047m,file=coarse.txt", "MonWork", "later", 1)
    java.wait_for_stdout("before go")
    assert command(jdk, java, "start,event=alloc,alloc=256,depth=16,cutoff=0,file=fine.txt", "pause=300", "stop,id=2") == [0] * 2
    java.process.kill()
    found = hprof_text.Text(java.end().text("fine.txt"))
    rows = found.of(hprof_text.Sites)[-1].rows
    assert sum(row.objects for row in rows if found.traces[row.trace].frames[-1].method == "main") > 0


@pytest.mark.jdks(17)
@pytest.mark.parametrize("options, words", [
    ("event=alloc,heap=sites", "ask for one of them"), ("event=alloc,alloc=0", "alloc option value must be a size from 1 to 2g")])
def test_what_cannot_be_is_refused(jdk, run_java, options, words):
    ended = run_java(jdk, options, "Hello")
    assert ended.rc != 0 and words in ended.stderr and ended.files == []


@pytest.mark.jdks(17)
def test_settings_are_those_of_the_jdk_and_stand_in_the_recording(jdk, run_java):
    ended = run_java(jdk, "settings=profile,jdk.ExecutionSample#period=5 ms,jdk.GarbageCollection#enabled=false,file=x.jfr", "Allocates", 64)
    assert ended.rc == 0, ended.stderr
    path = ended.cwd / "x.jfr"
    said = jfr_file.tool(NEWEST, "print", "--json", "--events", "jdk.ActiveSetting", path)
    settings = {(event["values"]["id"], event["values"]["name"]): event["values"]["value"]
                for event in json.loads(said)["recording"]["events"]}
    found = collections.defaultdict(set)
    for (_, name), value in settings.items():
        found[name].add(value)
    assert found["period"] == {"5 ms"} and found["throttle"] == {"300/s", "5 ms", "off"}
    of_enabled = {name for (number, name) in settings if settings[number, "enabled"] == "true"}
    assert {"period", "throttle", "threshold"} <= of_enabled
    # The type that was switched off, the one of its pauses, the other one of samples, that of classes, which profile has off,
    # and those of native memory (two), of input and output, of native locks, of late safepoints, of compilations and of deoptimisations, of
    # virtual threads (three) and of the code cache (two), which only their own options have on.
    assert sum(value == "false" for (_, name), value in settings.items() if name == "enabled") == 5 + 8 + 2 + 2 + 5
    counts = jfr_file.counts(NEWEST, path)
    assert 0 < counts["jdk.ObjectAllocationSample"] and counts["jdk.GarbageCollection"] == 0


@pytest.mark.jdks(17)
def test_files_of_all_jdks_are_read(jdk, start_java, command):    # noqa: F811
    files = [path for home in conftest.JDKS.values() for path in pathlib.Path(home.home).glob("**/lib/jfr/*.jfc")]
    assert len(files) >= 4
    java = start_java(jdk, None, "Allocates", 4, "forever")
    java.wait_for_stdout("running")
    lines = [line for path in files for line in ("start,settings=%s,file=x.jfr" % path, "stop")]
    assert command(jdk, java, *lines) == [0] * len(lines)


@pytest.mark.jdks(17)
def test_an_edited_file_never_keeps_a_jvm_from_starting(jdk, run_java, tmp_path):
    text = (pathlib.Path(jdk.home) / "lib" / "jfr" / "default.jfc").read_text()
    for name, value in (("throttle", "off"), ("period", "everyChunk"), ("threshold", "soon")):
        text, count = re.subn('(<setting name="%s"[^>]*>)[^<]*' % name, r"\g<1>" + value, text)
        assert count > 0
    (tmp_path / "x.jfc").write_text(text)
    ended = run_java(jdk, "settings=%s,file=x.jfr" % (tmp_path / "x.jfc"), "Allocates", 64)
    assert ended.rc == 0 and "threshold of jdk.ThreadPark cannot be 'soon', and is passed over" in ended.stderr, ended.stderr
    counts = jfr_file.counts(NEWEST, ended.cwd / "x.jfr")
    assert counts["jdk.ObjectAllocationSample"] > 0 == counts["jdk.ExecutionSample"]


@pytest.mark.jdks(17)
def test_a_rate_bounds_the_events_and_keeps_the_sums(jdk, run_java):
    mb = 256
    ended = run_java(jdk, ASKED + "allocrate=50/s,file=x.txt", "Allocates", mb)
    assert ended.rc == 0, ended.stderr
    quality = hprof_text.Text(ended.text("x.txt")).quality()
    assert quality["alloc_throttled"] > quality["alloc_samples"] > 0
    # Few samples with unlike weights: what is asked is that the sum is of its size, and not that of those that were taken.
    total = sum(row[0] for row in by_place(ended.text("x.txt")).values())
    assert 0.5 < total / (9 * mb * MB) < 2


FULL = "event=alloc+cpu+lock+exception+wall,alloc=256,wall=1ms,depth=40,mem=12m,file=x.txt"


@pytest.mark.jdks(8, 17, "newest")
def test_a_model_that_is_full_has_no_name_for_what_comes(jdk, run_java):
    """Neither for threads nor for classes and methods: each engine that looks at names goes on without."""
    ended = run_java(jdk, FULL, "FullModel")
    assert ended.rc == 0 and ended.stdout == "ends\n", ended.stderr
    assert said_lost(ended) == hprof_text.Text(ended.text("x.txt")).quality()["alloc_lost"] > 1000


def said_lost(ended):
    return int(re.search(r"HPROF: event=alloc: \d+ objects sampled, .*; (\d+) found no room: raise mem=\n", ended.stderr)[1])


@pytest.mark.jdks(8, 17, "newest")
def test_each_kind_has_its_own_word_for_what_was_lost(jdk, hprof, start_java):
    """The status, the last line and the quality counts have one number; lost= is that of CPU samples, which may be 0."""
    java = start_java(jdk, FULL, "FullModel", "stop")
    java.wait_for_stdout("ends")
    said = subprocess.run([hprof, "status", str(java.pid)], stdout=subprocess.PIPE, text=True, check=True, timeout=conftest.TIMEOUT_S).stdout
    words = re.findall(r" (\w+)=", said.splitlines()[-1])
    assert len(words) == len(set(words)) and {"alloc_lost", "lost", "lock_lost", "wall_lost"} <= set(words), said
    now = int(re.search(r" alloc_lost=(\d+)", said)[1])
    (java.cwd / "stop").touch()
    ended = java.end()
    last = said_lost(ended)    # the JVM's own threads allocate a little for the command and for the end
    assert 1000 < now <= last == hprof_text.Text(ended.text("x.txt")).quality()["alloc_lost"] < 1.2 * now, said
