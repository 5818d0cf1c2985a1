"""hprof stat: the columns of jstat, byte for byte those of the same JDK on a saved file; and our own.

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import re
import signal
import subprocess

import pytest

from asking import ask, told

OPTIONS = ("class", "compiler", "gc", "gccapacity", "gccause", "gcmetacapacity", "gcnew", "gcnewcapacity", "gcold", "gcoldcapacity",
           "gcutil", "printcompilation")
# These show what no collector has a part in.
OF_NO_COLLECTOR = ("class", "compiler", "printcompilation")
# What has counters of its own, and since when; "-Xint" has no compiler.
MODES = {"-XX:+UseSerialGC": 8, "-XX:+UseParallelGC": 8, "-XX:+UseG1GC": 8, "-XX:+UseConcMarkSweepGC": (8, 11), "-XX:+UseShenandoahGC": 17,
         "-XX:+UseZGC": 17, "-Xint": 8}


@pytest.fixture
def saved(start_java, tmp_path):
    """saved(jdk, option): a copy of the counters of a JVM that has collected several times, and the JVM."""
    def save(jdk, option):
        java = start_java(jdk, None, "GcMoves", vm=("-Xmx64m", option))
        found = []

        def has_counters():
            found.extend(pathlib.Path("/tmp").glob("hsperfdata_*/%d" % java.pid))
            return found
        java.wait_for(has_counters, "counters")
        # Opened once: a JVM that starts in another namespace of process ids may take the file for one of the dead, and remove it.
        with open(found[0], "rb") as counters:
            java.wait_for(lambda: counters.seek(0) == 0 and b"sun.gc.lastCause" in counters.read(), "a collection")
            java.wait_for_cpu(0.2)
            counters.seek(0)
            (tmp_path / "saved").write_bytes(counters.read())
        return tmp_path / "saved", java
    return save


@pytest.mark.parametrize("mode", MODES)
def test_columns_are_those_of_jstat(hprof, saved, jdk, mode, request):
    since = MODES[mode]
    if jdk.number not in since if isinstance(since, tuple) else jdk.number < since:
        pytest.skip("JDK %d does not have it" % jdk.number)
    path, java = saved(jdk, mode)
    java.signal(signal.SIGKILL)
    # Every day a collector's columns are asked for with it, and the others with one collector and without compiler.
    columns = OPTIONS
    if request.config.option.everyday:
        columns = [option for option in OPTIONS if mode == "-XX:+UseG1GC" or (option in OF_NO_COLLECTOR) == (mode == "-Xint")]
    for option in columns:
        flags = ["-t"] if jdk.number < 25 else []    # later ones print the time of day that it is now
        theirs = told(jdk, "jstat", "-" + option, *flags, "file://%s" % path)
        assert ask(hprof, "stat", "-" + option, *flags, path)[0] == theirs, option


@pytest.mark.jdks(8, 17, "newest")
def test_lines_come_until_the_jvm_ends(hprof, saved, jdk):
    path, java = saved(jdk, "-XX:+UseG1GC")
    assert ask(hprof, "stat", "-options")[0] == told(jdk, "jstat", "-options")
    assert ask(hprof, "stat", "-gc", "file://%s" % path) == ask(hprof, "stat", "-gc", path)
    lines = ask(hprof, "stat", "-gcutil", "-h", 2, java.pid, "10ms", 5)[0].splitlines()
    assert len(lines) == 8 and [lines.index(line) for line in lines if "YGC" in line] == [0, 0, 0]
    head, row = ask(hprof, "stat", java.pid)[0].splitlines()
    assert head.split()[:4] == ["UPTIME", "HEAP", "SIZE", "META"] and len(row.split()) >= len(head.split())
    assert bool(re.match(r"\s+[\d.]+\s+[\d.]+M\*", row)) == (jdk.number >= 25)
    java.signal(signal.SIGKILL)
    java.process.wait()
    assert "no such process" in ask(hprof, "stat", java.pid, status=1)[1]


def test_time_to_a_safepoint_is_in_a_stop(hprof, start_java, jdk, tmp_path):
    """A program that is stopped late, by its own clock: the counters of JDK 17 and later leave that out, and move when the stop ends."""
    java = start_java(jdk, None, "LateStop", tmp_path / "go", vm=("-XX:+UseSerialGC", "-XX:-UseCountedLoopSafepoints", "-Xmx32m"))
    java.wait_for_stdout("running")
    # The slow one sees the two stops of the program without the program between them.
    with open(tmp_path / "stat", "wb") as rows, open(tmp_path / "slow", "wb") as slow, open(tmp_path / "top", "wb") as pages:
        watching = [subprocess.Popen([hprof, "stat", str(java.pid), "20ms"], stdout=rows),
                    subprocess.Popen([hprof, "stat", str(java.pid), "250ms"], stdout=slow),
                    subprocess.Popen([hprof, "top", "--json", "--no-stop", "-d", "50ms", str(java.pid)], stdout=pages)]
        def pages_come():
            seen = (tmp_path / "top").read_bytes().count(b"\n")
            java.wait_for(lambda: (tmp_path / "top").read_bytes().count(b"\n") >= seen + 2, "two pages")
        try:
            pages_come()
            (tmp_path / "go").touch()
            java.wait_for_stdout("collected")
            pages_come()
        finally:
            for watch in watching:
                watch.terminate()
                watch.wait()
    spent_s = int(re.search(r"collected (\d+)", java.out.read_text()).group(1)) / 1000
    stop = [row.split()[12] for row in ask(hprof, "stat", java.pid)[0].splitlines()]
    assert stop[0] == "STOP" and not stop[1].endswith("!") and float(stop[1]) > spent_s * 0.9
    for name in "stat", "slow":
        seen = [float(row.split()[12].rstrip("!")) for row in (tmp_path / name).read_text().splitlines()[1:-1] if "!" in row]
        assert seen and max(seen) <= float(stop[1]) * 1.1
    whole = [json.loads(line) for line in (tmp_path / "top").read_text().splitlines() if line.endswith("}")]
    assert max(page["stop_s"] for page in whole) > 0
    assert all(0 <= page["heap"]["safepoint_percent"] <= 100 for page in whole)
    assert sum(page["heap"]["safepoint_percent"] * page["seconds"] for page in whole) / 100 > spent_s * 0.9


def test_what_cannot_be_shown_is_said(hprof, tmp_path):
    assert "known are class compiler" in ask(hprof, "stat", "-c", "nothing", 1, status=2)[1]
    assert "other machines are not asked" in ask(hprof, "stat", "4711@host", status=2)[1]
    assert "--interval 'often'" in ask(hprof, "stat", 4711, "often", status=2)[1]
    assert "not a file of performance counters" in ask(hprof, "stat", __file__, status=1)[1]


@pytest.mark.jdks(8, 17, 25)
def test_a_counter_is_found_by_the_name_of_another_jdk(hprof, start_java, jdk):
    """What has gone is told with the JDK since which it is so; a JVM that still has it just prints it."""
    java = start_java(jdk, None, "Spin", "never", vm=("-XX:+UseSerialGC",))
    java.wait_for_stdout("spinning")
    is_old = jdk.number < 17
    named = {"sun.gc.tlab.slowWaste": "sun.gc.tlab.refillWaste", "sun.gc.tlab.maxSlowWaste": "sun.gc.tlab.maxRefillWaste"}
    for old, new in [*named.items()]:
        for asked in (old, new):
            out, said = ask(hprof, "counters", java.pid, asked)
            assert out.startswith((old if is_old else new) + "=") and out.count("\n") == 1
            assert said == ("" if (asked == old) == is_old else "hprof: %d (Spin): %s is called %s in this JVM\n" %
                            (java.pid, asked, new if asked == old else old))
    names = [row["name"] for row in json.loads(ask(hprof, "counters", "--json", java.pid, "sun.gc.tlab.slowWaste")[0])]
    assert names == ["sun.gc.tlab.slowWaste" if is_old else "sun.gc.tlab.refillWaste"]
    for name, since in (("sun.rt._sync_Parks", 25), ("sun.cls.lookupSysClassTime", 21), ("sun.property.sun.boot.class.path", 9)):
        has = jdk.number < since
        out, said = ask(hprof, "counters", java.pid, name, status=0 if has else 1)
        assert (out.startswith(name + "=") and not said) if has else "JVMs of JDK %d and later have no %s" % (since, name) in said


@pytest.mark.jdks(8, 17, "newest")
def test_counters_that_are_read_each_millisecond_never_go_back(hprof, start_java, jdk):
    """The JVM writes them while they are read: a number that is read in two halves, or of two moments, would show."""
    java = start_java(jdk, None, "GcMoves", vm=("-Xmx64m", "-XX:+UseSerialGC"))
    java.wait_for_cpu(0.5)
    head, *lines = ask(hprof, "stat", "-c", "gcutil", java.pid, "1ms", 400)[0].splitlines()
    names, before = head.split(), None
    assert len(lines) == 400
    for line in lines:
        row = {name: float(word) for name, word in zip(names, line.split()) if word != "-"}
        assert all(0 <= row[name] <= 100 for name in ("S0", "S1", "E", "O", "M")), row
        assert abs(row["GCT"] - row["YGCT"] - row["FGCT"]) < 0.0021, row
        for name in ("YGC", "YGCT", "FGC", "FGCT", "GCT"):
            assert before is None or row[name] >= before[name], (before, row)
        before = row


@pytest.mark.jdks(17, 21, 25, "newest")
@pytest.mark.parametrize("collector,has_not", [("-XX:+UseZGC", "FULL"), ("-XX:+UseSerialGC", "CONC")])
def test_what_a_collector_does_not_publish_is_a_dash(hprof, saved, jdk, collector, has_not):
    """Of collections of a kind that it does not have there is neither a number nor a time; 0 would be a claim."""
    path, _ = saved(jdk, collector)
    head, line = ask(hprof, "stat", path)[0].splitlines()
    columns = {head[at.start():at.end()].strip(): line[at.start():at.end()].strip() for at in re.finditer(r" *\S+(?: +TIME)?", head)}
    own = {name.split()[0]: words.split() for name, words in columns.items() if name.endswith("TIME")}
    assert own[has_not] == ["-", "-"], (head, line)
    assert "-" not in own["YOUNG" if has_not == "CONC" else "CONC"], (head, line)
