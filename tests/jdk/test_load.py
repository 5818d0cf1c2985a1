"""event=load: looks at the process each second, against what the program does and what the JDK says of the same moment.

SPDX-License-Identifier: Apache-2.0
"""
import re

import conftest
import jfr_file
import pytest

NEWEST = conftest.JDKS[max(conftest.JDKS)]
TYPES = ["jdk.CPULoad", "jdk.ResidentSetSize", "jdk.GCHeapMemoryUsage", "jdk.JavaThreadStatistics"]
COLLECTORS = ["Serial", "Parallel", "G1", "Shenandoah", "Z"]
KEPT_MB, HEAP_MB = 24, 256
MB = 1 << 20


def looks(path):
    return jfr_file.events_by_type(NEWEST, path, TYPES)


# Each collector has its heap in another way; on these JDKs they were written anew.
@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.everyday(17)
@pytest.mark.parametrize("collector", COLLECTORS)
def test_the_heap_is_read_while_the_program_runs(jdk, run_java, collector):
    ended = run_java(jdk, "event=load+gc,file=x.jfr", "Collects", KEPT_MB, 30,
                     vm=["-Xms%dm" % HEAP_MB, "-Xmx%dm" % HEAP_MB, "-XX:+Use%sGC" % collector])
    if any(words in ended.stderr for words in ("Unrecognized VM option", "not supported", "is experimental")):
        pytest.skip("this build of JDK %d has no such collector" % jdk.number)
    assert ended.rc == 0, ended.stderr
    found = looks(ended.cwd / "x.jfr")
    assert found["jdk.CPULoad"] and len(found["jdk.CPULoad"]) == len(found["jdk.ResidentSetSize"])
    used = [look["used"] for look in found["jdk.GCHeapMemoryUsage"]]
    if "the heap's size is not known" in ended.stderr:
        assert not used
    else:
        # The last look comes at the end of the program, which still has what it kept.
        assert len(used) == len(found["jdk.CPULoad"]) and all(0 < bytes_ <= HEAP_MB * MB for bytes_ in used)
        assert used[-1] > KEPT_MB * MB * 0.9


@pytest.mark.jdks(17)
def test_parts_of_the_processors_and_threads(jdk, run_java):
    ended = run_java(jdk, "event=load,file=x.jfr", "CpuHot", 2500)
    found = looks(ended.cwd / "x.jfr")
    assert len(found["jdk.CPULoad"]) >= 3    # two beats, and the end
    for look in found["jdk.CPULoad"]:
        assert 0 <= look["jvmUser"] <= 1.05 and 0 <= look["jvmSystem"] <= 1.05 and 0 < look["machineTotal"] <= 1.05
        assert look["jvmUser"] + look["jvmSystem"] <= look["machineTotal"] + 0.1
    assert max(look["jvmUser"] for look in found["jdk.CPULoad"]) > 0.02
    for look in found["jdk.JavaThreadStatistics"]:
        assert 2 <= look["activeCount"] <= look["peakCount"] <= look["accumulatedCount"] and look["daemonCount"] < look["activeCount"]
    assert all(8 * MB < look["size"] <= look["peak"] for look in found["jdk.ResidentSetSize"])
    text = jfr_file.tool(NEWEST, "print", "--events", "jdk.CPULoad,jdk.ResidentSetSize", ended.cwd / "x.jfr")
    assert re.search(r"jvmUser = [\d.]+%", text) and re.search(r"size = [\d.]+ [MG]B", text)


@pytest.mark.jdks(17)
def test_pauses_are_in_the_recording_before_any_dump(jdk, start_java):
    """The program is killed: what it leaves has the pauses of a second ago."""
    java = start_java(jdk, "event=gc,file=x.jfr", "Collects", KEPT_MB, 1000, vm=["-Xmx256m", "-XX:+UseSerialGC"])
    path = java.cwd / "x.jfr"

    def has_pauses():
        try:
            return jfr_file.counts(NEWEST, path)["jdk.GCPhasePause"] > 0
        except AssertionError:    # its beginning is not written yet
            return False

    java.wait_for(has_pauses, "a pause in the recording")
    java.process.kill()
    java.process.wait()
    found = jfr_file.counts(NEWEST, path)
    assert found["jdk.GCPhasePause"] == found["jdk.GarbageCollection"] > 0


@pytest.mark.jdks(17)
def test_a_text_file_has_the_sums(jdk, run_java):
    text = run_java(jdk, "event=load,cutoff=0", "CpuHot", 1500).text()
    row = re.search(r"^EVENTS levels BEGIN \(looks=(\d+) heap_used=(\d+) resident=(\d+) threads=(\d+)\)", text, re.M)
    number, heap, resident, threads = map(int, row.groups())
    assert number >= 2 and heap / number < resident / number and threads / number >= 2
    assert re.search(r"^EVENTS load BEGIN \(user_time_ns=\d+ system_time_ns=\d+ machine_time_ns=\d+ possible_time_ns=\d+\)", text, re.M)
