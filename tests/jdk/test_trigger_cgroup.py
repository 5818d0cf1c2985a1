"""oncgroup=: a recording begins, or the heap is written, before a memory cgroup is full.

In real groups (version 1 or 2, what the machine has; needs root, skipped where none can be made), and in a folder of files that
stands for /proc and for groups of version 2. SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess
import time

import hprof_heap
import pytest
from conftest import TIMEOUT_S, old_and_new, one_jdk
from test_heapdump_memory import group  # noqa: F401 pylint: disable=unused-import
from test_triggers import fired

MEGABYTE = 1 << 20
HELD = 128    # MB that the program takes, one after the other, when it is told to
SAID = re.compile(r"HPROF: oncgroup: the working set is (\d+) MB of the (\d+) MB that the memory cgroup may use \((\d+) %\): (\w+), recording 1$")
VM = ["-XX:+UseSerialGC", "-Xms192m", "-Xmx192m", "-Xmn16m"]
LOOKS_S = 0.6    # some looks at the group


def what_was_said(java_or_ended):
    text = java_or_ended.stderr if hasattr(java_or_ended, "stderr") else java_or_ended.err.read_text()
    return [SAID.match(line) for line in text.splitlines() if line.startswith("HPROF: oncgroup: ")]


def wait_for_histogram(java):
    java.wait_for(lambda: any("HISTOGRAM END" in path.read_text() for path in java.cwd.glob("hprof-histo-*.txt")), "a histogram")


# ---- a real group


@pytest.fixture
def java_in(group, start_java):    # noqa: F811 pylint: disable=redefined-outer-name
    """Fires in that group, as a function of the JDK, the agent's options and what it does."""
    return lambda jdk, options, *does: start_java(jdk, options, "Fires", *does, vm=VM, before=group.entered())


def stat_of(folder):
    return {name: int(value) for name, value in (line.split() for line in (folder / "memory.stat").read_text().splitlines())}


def working_set(group):    # noqa: F811 pylint: disable=redefined-outer-name
    stat = stat_of(group.folder)
    return int((group.folder / group.usage).read_text()) - stat.get("total_inactive_file", stat.get("inactive_file"))


def limit_so_that_it_is_reached(group, percent):    # noqa: F811 pylint: disable=redefined-outer-name
    """By what the program will hold, and not before. Returns the limit."""
    used = working_set(group)
    limit = int((used + HELD * MEGABYTE) * 100 / (percent + 4))
    assert used < limit * (percent - 10) // 100
    (group.folder / group.limit).write_text(str(limit))
    return limit


def fill_the_page_cache(group, path, size):    # noqa: F811 pylint: disable=redefined-outer-name
    subprocess.run([*group.entered(), "dd", "if=/dev/zero", "of=%s" % path, "bs=1M", "count=%d" % (size // MEGABYTE), "conv=fsync"],
                   check=True, stderr=subprocess.DEVNULL, timeout=TIMEOUT_S)


@pytest.mark.jdks(8, 17, 25, 27)
def test_the_heap_is_there_before_the_group_is_full(jdk, group, java_in, tmp_path):    # noqa: F811 pylint: disable=redefined-outer-name
    """The page cache does not fire it, although the group is as full of it. There is so much room that the child stays, whatever the
    program takes at one time."""
    java = java_in(jdk, "oncgroup=40%:heap", "wait:1", "grows:%d" % HELD, "wait:2")
    java.wait_for_stdout("does wait:1")
    limit = limit_so_that_it_is_reached(group, 40)
    used = working_set(group)
    fill_the_page_cache(group, tmp_path / "large", limit * 55 // 100 - used)
    assert int((group.folder / group.usage).read_text()) > limit * 40 // 100 > working_set(group), stat_of(group.folder)
    time.sleep(LOOKS_S)
    assert not what_was_said(java), "what fills it is page cache"
    (java.cwd / "go1").touch()
    java.wait_for_stderr("HPROF: oncgroup: ")
    java.wait_for(lambda: list(java.cwd.glob("hprof-heap-*.hprof")), "a dump")
    (java.cwd / "go2").touch()
    ended = java.end()
    assert ended.rc == 0 and "done" in ended.stdout and "ERROR" not in ended.stderr, ended.stderr
    found, = what_was_said(ended)
    assert found and int(found[2]) == limit // MEGABYTE and 40 <= int(found[3]) < 100 and found[4] == "heap", ended.stderr
    dump, = ended.cwd.glob("hprof-h*")
    heap = hprof_heap.Heap(dump.read_bytes())
    heap.check()
    assert heap.dump_count == 1 and heap.classes_named("Fires")


@old_and_new
def test_the_histogram_of_a_program_that_runs(jdk, group, java_in):    # noqa: F811 pylint: disable=redefined-outer-name
    java = java_in(jdk, "oncgroup=60%:histo", "wait:1", "grows:%d" % HELD, "wait:2")
    java.wait_for_stdout("does wait:1")
    limit_so_that_it_is_reached(group, 60)
    (java.cwd / "go1").touch()
    java.wait_for_stderr("HPROF: oncgroup: ")
    wait_for_histogram(java)
    (java.cwd / "go2").touch()
    ended = java.end()
    assert ended.rc == 0 and "ERROR" not in ended.stderr, ended.stderr
    assert len(what_was_said(ended)) == 1 and len(list(ended.cwd.glob("hprof-h*"))) == 1


# ---- groups that are files


class Files:
    """A folder that stands for /proc, and two groups of version 2, one in the other."""

    def __init__(self, folder):
        self.folder = folder
        self.outer, self.inner = folder / "v2/outer", folder / "v2/outer/inner"
        (folder / "self").mkdir(parents=True)
        self.inner.mkdir(parents=True)
        (folder / "self/cgroup").write_text("0::/outer/inner\n")
        (folder / "self/mountinfo").write_text("41 31 0:38 / %s/v2 rw,relatime - cgroup2 cgroup2 rw\n" % folder)
        (folder / "meminfo").write_text("MemTotal: 33554432 kB\nMemFree: 1 kB\nMemAvailable: 16777216 kB\n")
        for one in self.outer, self.inner:
            self.put(one, 1000, 0)
            (one / "memory.max").write_text("max\n")

    def put(self, one, used, inactive):
        """Megabytes. The agent keeps the files open, so they are written in place."""
        for name, text in (("memory.stat", "anon 1\nactive_file 5\ninactive_file %d\n" % (inactive * MEGABYTE)),
                           ("memory.current", "%d\n" % (used * MEGABYTE))):
            with open(one / name, "r+" if (one / name).exists() else "w", encoding="ascii") as file:
                file.write(text + " " * (100 - len(text)))

    def limit(self, one, megabytes):
        with open(one / "memory.max", "r+", encoding="ascii") as file:
            file.write("%-20s\n" % (megabytes * MEGABYTE))


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path / "proc")


@one_jdk
@pytest.mark.jdks(8, 25)
def test_a_group_above_the_page_cache_and_what_is_below_the_level(jdk, files, start_java):
    """No limit at first; then one that is reached by page cache alone; then a group above that is fuller; and once is once."""
    java = start_java(jdk, "proc=%s,oncgroup=75%%:threads:count=2" % files.folder, "Fires", "wait:1")
    java.wait_for_stderr("have no limit: nothing happens until one of them gets a limit")
    files.put(files.inner, 800, 100)
    files.limit(files.inner, 1000)
    time.sleep(LOOKS_S)
    assert not what_was_said(java), "70 percent, and page cache"
    files.put(files.outer, 3000, 50)
    files.limit(files.outer, 3500)
    java.wait_for_stderr("HPROF: oncgroup: ")
    assert what_was_said(java)[0].groups() == ("2950", "3500", "84", "threads")
    java.wait_for_stderr(" threads:\n")
    files.put(files.outer, 1000, 0)
    time.sleep(LOOKS_S)
    files.put(files.outer, 3400, 0)
    time.sleep(LOOKS_S)
    assert len(what_was_said(java)) == 1, "a second time within a minute"
    (java.cwd / "go1").touch()
    ended = java.end()
    assert ended.rc == 0 and "ERROR" not in ended.stderr, ended.stderr
    assert len(fired(ended, "oncgroup")) == 1


@one_jdk
@pytest.mark.jdks(8, 17, 25)
def test_a_recording_begins_and_ends(jdk, files, start_java):
    files.limit(files.inner, 2000)
    java = start_java(jdk, "proc=%s,cpu=samples,file=x.txt,oncgroup=60%%" % files.folder, "Fires", "work:200", "wait:1", "work:1000")
    java.wait_for_stdout("does wait:1")
    assert not (java.cwd / "x.txt").exists()
    files.put(files.inner, 1300, 50)
    java.wait_for_stderr("HPROF: oncgroup: ")
    java.wait_for(lambda: (java.cwd / "x.txt").exists(), "the file")
    (java.cwd / "go1").touch()
    ended = java.end()
    assert ended.rc == 0 and "CPU SAMPLES BEGIN" in ended.text("x.txt"), ended.stderr


@one_jdk
@pytest.mark.jdks(8, 17, 25, 27)
def test_no_room_for_a_child_is_a_histogram(jdk, files, start_java):
    """Nothing of a dump stays; it is counted inside the pause, without memory for objects."""
    files.put(files.inner, 990, 0)
    java = start_java(jdk, "proc=%s,oncgroup=90%%:heap" % files.folder, "Fires", "holds:8", "wait:1", "wait:2")
    java.wait_for_stdout("does wait:1")
    files.limit(files.inner, 1000)
    java.wait_for_stderr("HPROF: oncgroup: ")
    wait_for_histogram(java)
    for number in 1, 2:
        (java.cwd / ("go%d" % number)).touch()
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    error, = [line for line in ended.stderr.splitlines() if "ERROR" in line]
    assert "there is no heap dump" in error and "the memory cgroup has 10 MB of 1000 MB left" in error
    assert "HPROF: the heap histogram is written instead" in ended.stderr
    text = next(ended.cwd.glob("hprof-histo-*.txt")).read_text()
    assert re.search(r"\b8\d{6}\b.*long\[\]", text), text[:2000]


@one_jdk
def test_a_process_without_a_group(jdk, tmp_path, start_java):
    (tmp_path / "proc/self").mkdir(parents=True)
    java = start_java(jdk, "proc=%s,oncgroup=75%%:heap" % (tmp_path / "proc"), "Fires", "work:1")
    ended = java.end()
    assert ended.rc == 0 and "oncgroup=: no memory cgroup of this process can be seen" in ended.stderr
    assert not list(ended.cwd.glob("hprof-h*"))
