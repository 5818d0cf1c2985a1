"""hprof memory: each planted amount is in its row, the rows add up, and the VM's own account agrees.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

from asking import ask
from conftest import compile_library, compile_programs, one_jdk
from robust import crash_files

MB = 1 << 20
HEAP, DIRECT, MAPPED, BLOCK, THREADS = 64, 24, 20, 48, 40
COLLECTORS = {"Serial": 8, "Parallel": 8, "G1": 8, "Shenandoah": 17, "Z": 17}


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_metrics")


@pytest.fixture
def planted(start_java):
    """planted(jdk, *options of the VM): a JVM with the planted amounts that does nothing any more."""
    def start(jdk, *vm):
        java = start_java(jdk, None, "Planted", HEAP, DIRECT, MAPPED, BLOCK, THREADS, vm=("-Xmx256m", "-Xss1m") + vm)
        java.wait_for_stdout("running")
        return java
    return start


class Memory:
    """What `hprof memory --json` says of one JVM."""

    def __init__(self, hprof, pid, *options):
        [self.said] = json.loads(ask(hprof, "memory", "--json", *options, pid)[0])
        self.rows = {row["row"]: row for row in self.said["rows"]}

    def resident(self, *names):
        return sum(self.rows[name]["resident"] for name in names)

    def committed(self, *names):
        return sum(self.rows[name]["committed"] for name in names)


def rollup(pid):
    return int(re.search(r"^Rss:\s+(\d+) kB", pathlib.Path("/proc/%d/smaps_rollup" % pid).read_text(), re.M)[1]) << 10


def check_sums(got, pid):
    assert sum(row["resident"] for row in got.rows.values()) == got.said["resident"]
    before, after = got.said["rollup"], rollup(pid)
    # The program does nothing, but the VM has threads that wake up now and then.
    assert abs(got.said["resident"] - before) <= 64 << 10 and abs(after - before) <= MB, (got.said["resident"], before, after)
    for name in ("libraries", "modules", "jars", "files", "shared", "archive"):
        assert sum(part["resident"] for part in got.said["files"] if part["row"] == name) == got.resident(name), name
    assert sum(part["resident"] for part in got.said["not_explained"]) == got.resident("other")


@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.parametrize("collector", COLLECTORS)
def test_each_planted_amount_is_in_its_row(hprof, planted, jdk, collector):
    if jdk.number < COLLECTORS[collector]:
        pytest.skip("JDK %d does not have it" % jdk.number)
    java = planted(jdk, "-XX:+Use%sGC" % collector)
    got = Memory(hprof, java.pid)
    check_sums(got, java.pid)
    assert got.said["vm"] is True and got.said["allocator"] == "glibc"
    views = 3 if collector == "Z" and jdk.number < 21 else 1
    assert HEAP * MB <= got.resident("heap") <= views * 256 * MB
    buffers = got.rows["direct"]
    assert buffers["count"] >= DIRECT // 2 * (1 + 128)
    assert DIRECT * MB <= buffers["resident"] <= (DIRECT + 2) * MB
    assert got.said["direct"]["found"] and got.said["direct"]["count"] == buffers["count"]
    [file] = [part for part in got.said["files"] if part["path"].endswith("/planted.data")]
    assert (file["row"], file["resident"], file["reserved"]) == ("files", MAPPED * MB, MAPPED * MB)
    assert BLOCK * MB <= got.resident("blocks") <= (BLOCK + 16) * MB
    tasks = len(os.listdir("/proc/%d/task" % java.pid))
    assert got.rows["stacks"]["count"] == tasks > THREADS
    assert got.rows["stacks"]["reserved"] >= THREADS * MB
    assert THREADS * 8192 <= got.resident("stacks") <= tasks * MB // 4
    assert got.resident("code") >= MB // 2 and got.resident("metaspace") + got.resident("classes") >= MB // 4
    assert got.rows["libraries"]["resident"] >= 4 * MB
    assert got.resident("other") <= 2 * MB + got.said["resident"] // 50, got.said["not_explained"][:9]


def account(hprof, pid):
    """{category: (reserved, committed)} of the regions that VM.native_memory detail lists."""
    said = subprocess.run([hprof, "jcmd", str(pid), "VM.native_memory", "detail", "scale=KB"], stdout=subprocess.PIPE, text=True, check=True).stdout
    regions, category, rest = {}, None, 0
    for line in said.partition("Virtual memory map:")[2].partition("Details:")[0].splitlines():
        whole = re.match(r"\[0x([0-9a-f]+) - 0x([0-9a-f]+)\] reserved (and committed )?\d+KB for ([\w ()]+?)(?: from.*)?$", line)
        part = re.match(r"\s+\[0x([0-9a-f]+) - 0x([0-9a-f]+)\] committed \d+KB", line)
        if whole:
            category = whole[4].strip()
            sums = regions.setdefault(category, [0, 0])
            size = int(whole[2], 16) - int(whole[1], 16)
            sums[0] += size
            # Parts are listed below it, or it is one part.
            rest = size if whole[3] else 0
            sums[1] += rest
        elif part and category:
            regions[category][1] += int(part[2], 16) - int(part[1], 16) - rest
            rest = 0
    return regions


@pytest.mark.jdks(8, 17, 25, "newest")
@pytest.mark.parametrize("collector", ["Serial", "Parallel", "G1"])
def test_the_rows_agree_with_the_account_of_the_vm(hprof, planted, jdk, collector):
    """The VM's list of its regions is an oracle of its own kind: it comes from where the memory was reserved."""
    java = planted(jdk, "-XX:+Use%sGC" % collector, "-XX:NativeMemoryTracking=detail")
    regions = account(hprof, java.pid)
    got = Memory(hprof, java.pid)

    def committed(*names):
        return sum(regions.get(name, (0, 0))[1] for name in names)

    assert got.committed("heap") == committed("Java Heap"), regions
    assert abs(got.committed("code") - committed("Code")) <= MB, (got.rows["code"], regions)
    meta, theirs = got.committed("metaspace", "classes"), committed("Class", "Metaspace")
    assert abs(meta - theirs) <= MB, (got.rows["metaspace"], got.rows["classes"], regions)
    tables, theirs = got.committed("gc", "vm"), committed("GC")
    assert theirs - MB <= tables <= theirs + 4 * MB, (got.rows["gc"], got.rows["vm"], regions)


@pytest.mark.jdks(8, 17, 25, "newest")
def test_the_account_of_the_vm_is_printed_if_asked_for(hprof, planted, jdk):
    java = planted(jdk, "-XX:NativeMemoryTracking=summary")
    got = Memory(hprof, java.pid, "--nmt")
    by_name = {row["category"]: row for row in got.said["nmt"]}
    assert by_name["Java Heap"]["committed"] == got.committed("heap")
    assert by_name["Thread"]["reserved"] >= THREADS * MB
    text = ask(hprof, "memory", "--nmt", java.pid)[0]
    assert "native memory tracking" in text and re.search(r"MB  Java Heap$", text, re.M)


@one_jdk
def test_an_account_that_is_not_kept_is_missing(hprof, planted, jdk):
    java = planted(jdk)
    out, err = ask(hprof, "memory", "--nmt", java.pid, status=1)
    assert "keeps no account" in err and "sum of the rows" in out


@pytest.mark.jdks(8, 17, 25, "newest")
def test_what_malloc_keeps_is_told_and_given_back(hprof, start_java, jdk, tmp_path_factory):
    """A thread has freed 64 MB but for one block in a hundred: glibc keeps them until it is told to trim."""
    keeps = compile_library(tmp_path_factory, "keeps", "-pthread")
    java = start_java(jdk, None, "Planted", 1, 1, 1, 1, 1, vm=["-Xmx64m", "-XX:TieredStopAtLevel=1"], env={"LD_PRELOAD": str(keeps)})
    java.wait_for_stdout("running")
    told = Memory(hprof, java.pid, "--malloc").said["malloc"]
    assert told["kept"] >= 60 * MB and told["used"] + told["kept"] == told["taken"] and "kept_after" not in told, told
    trimmed = Memory(hprof, java.pid, "--trim").said["malloc"]
    assert trimmed["kept"] >= 60 * MB and trimmed["resident_before"] - trimmed["resident_after"] >= 50 * MB, trimmed
    out, err = ask(hprof, "memory", "--trim", java.pid)
    assert re.search(r"\d MB  of that free, and kept for the next malloc\(\)\n", out) and re.search(r"^trimmed: [\d.]+ MB were resident", out, re.M)
    assert "a thread that calls malloc() or free() waits" in err
    java.signal(signal.SIGTERM)
    assert not crash_files(java.end())


@one_jdk
def test_only_glibc_is_asked_what_it_keeps(hprof):
    with subprocess.Popen(["sleep", "100"]) as process:
        try:
            _, err = ask(hprof, "memory", "--malloc", process.pid, status=1)
        finally:
            process.kill()
    assert "%d" % process.pid in err


@one_jdk
def test_several_jvms_and_the_table(hprof, planted, jdk):
    one, two = planted(jdk), planted(jdk)
    said = json.loads(ask(hprof, "memory", "--json", one.pid, two.pid)[0])
    assert [jvm["pid"] for jvm in said] == [one.pid, two.pid] and {jvm["main"] for jvm in said} == {"Planted"}
    text = ask(hprof, "memory", "-n", 3, one.pid)[0]
    head, rows = text.split("\n\n")[0], text.split("\n\n")[1].splitlines()
    assert re.match(r"%d \(Planted\): [\d.]+ MB resident$" % one.pid, head)
    amounts = [float(row.split(" MB")[0]) for row in rows[1:]]
    assert rows[-1].endswith("sum of the rows") and abs(sum(amounts[:-1]) - amounts[-1]) < 0.05 * len(amounts)
    files = text.partition("\nfiles\n")[2].split("\n\n")[0].splitlines()
    assert len(files) == 4 and any(line.endswith("/planted.data") for line in files)


@one_jdk
def test_nothing_is_done_to_the_jvm(hprof, planted, jdk):
    """No thread is made, nothing is printed, and no thread dump is asked for."""
    java = planted(jdk)
    tasks, said = sorted(os.listdir("/proc/%d/task" % java.pid)), java.said()
    for _ in range(3):
        Memory(hprof, java.pid)
    assert sorted(os.listdir("/proc/%d/task" % java.pid)) == tasks and java.said() == said
    assert not pathlib.Path("/tmp/.java_pid%d" % java.pid).exists()


def test_another_process_than_a_jvm(hprof):
    """Its files, its heap and its sums are there; no row of the VM is."""
    with subprocess.Popen(["sleep", "100"]) as process:
        try:
            got = Memory(hprof, process.pid)
        finally:
            process.kill()
    assert got.said["vm"] is not True and got.resident("libraries") > 0
    assert sum(row["resident"] for row in got.rows.values()) == got.said["resident"]
