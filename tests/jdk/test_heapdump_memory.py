"""A program that writes all over its heap while a dump is made: the child that needs too much memory goes, the program does not.

Each page that the program writes to is copied. The limit is forkmem=, or that of a memory cgroup (needs root; skipped
where none can be made). SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import resource
import signal

import hprof_heap
import pytest
from conftest import one_jdk

MEGABYTES = 128
# The child waits before it reads, until there is a file "dumptest": time enough to write to every page.
OPTIONS = "heap=dump,format=b,dumptest=3"
VM = ["-XX:+UseSerialGC", "-Xms%dm" % (2 * MEGABYTES), "-Xmx%dm" % (2 * MEGABYTES), "-Xmn16m"]
# The versions of cgroups: where they are, the limit, what is in use, the most that was.
GROUPS = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "memory.max_usage_in_bytes"),
          ("/sys/fs/cgroup", "memory.max", "memory.current", "memory.peak")]


def passes(java):
    return java.out.read_text().count("pass ")


def dump_in_vain(java, why):
    """SIGQUIT, and the child's end; then the program is at work still."""
    java.wait_for_stdout("pass 1\n")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr(why)
    so_far = passes(java)
    java.wait_for(lambda: passes(java) > so_far + 1, "another pass")


def check_one_message(ended, why):
    assert ended.rc == 0 and "every write is there" in ended.stdout, ended.stdout + ended.stderr
    error, = [line for line in ended.stderr.splitlines() if "HPROF ERROR" in line]
    assert why in error and error.endswith("the dump is not in the file, the program goes on"), error
    assert "java.hprof" in ended.files and "java.hprof.TMP" not in ended.files


@one_jdk
def test_forkmem_is_reached_by_random_writes(jdk, start_java):
    java = start_java(jdk, OPTIONS + ",forkmem=24m,inpause=n", "HeapScribble", MEGABYTES, "stop", vm=VM)
    dump_in_vain(java, "forkmem=")
    (java.cwd / "dumptest").touch()    # for the dump at the end
    (java.cwd / "stop").touch()
    ended = java.end()
    check_one_message(ended, "it needed more memory than forkmem= allows")
    heap = hprof_heap.Heap(ended.read("java.hprof"))
    heap.check()
    assert heap.dump_count == 1, "that at the end: nothing is written to the heap any more"
    assert sum(thing.count for thing in heap.instances_of("int[]")) >= MEGABYTES << 18


@pytest.mark.jdks("newest")
def test_a_child_that_stands_still_is_ended(jdk, start_java):
    """It is given two seconds, not the minute that people get, and waits longer for the file "dumptest"."""
    java = start_java(jdk, OPTIONS + ",dumpstuck=2", "HeapScribble", MEGABYTES, "stop", vm=VM)
    dump_in_vain(java, "stood still")
    (java.cwd / "dumptest").touch()    # for the dump at the end
    (java.cwd / "stop").touch()
    ended = java.end()
    check_one_message(ended, "it stood still for 2 seconds")
    assert hprof_heap.Heap(ended.read("java.hprof")).dump_count == 1


@one_jdk
def test_a_process_that_may_map_little(jdk, start_java):
    """Memory that is only touched where it is used is still too much under ulimit -v: less is taken then."""
    java = start_java(jdk, "heap=dump,format=b,doe=n", "HeapScribble", MEGABYTES, "stop", vm=VM)
    java.wait_for_stdout("pass 1\n")
    now = int(re.search(r"VmSize:\s+(\d+) kB", pathlib.Path("/proc/%d/status" % java.pid).read_text()).group(1)) << 10
    resource.prlimit(java.pid, resource.RLIMIT_AS, (now + (300 << 20), resource.RLIM_INFINITY))
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("done.")
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and "HPROF ERROR" not in ended.stderr, ended.stderr
    heap = hprof_heap.Heap(ended.read("java.hprof"))
    heap.check()
    assert heap.dump_count == 1


class Group:
    """A memory cgroup, or None for its folder."""

    def __init__(self):
        self.folder = None
        for root, self.limit, self.usage, self.peak in GROUPS:
            folder = pathlib.Path(root, "hprof-test-%d" % os.getpid())
            try:
                folder.mkdir()
            except OSError:
                continue
            if (folder / self.limit).exists():
                self.folder = folder
                return
            folder.rmdir()

    def entered(self):
        """The start of the command, of a program that enters the group and becomes another one: `before` of start_java."""
        return ["sh", "-c", 'echo $$ >"$0" && exec "$@"', str(self.folder / "cgroup.procs")]

    def leave_room(self, megabytes):
        """What of files is in memory is no use, as the system drops it when it needs room, and the agent counts it as room."""
        stat = dict(line.split() for line in (self.folder / "memory.stat").read_text().splitlines())
        files = sum(int(stat.get("total_" + name, stat.get(name, 0))) for name in ("inactive_file", "active_file"))
        used = int((self.folder / self.usage).read_text()) - files
        (self.folder / self.limit).write_text(str(used + (megabytes << 20)))

    def limit_to_peak(self, megabytes):
        """To the most that was in use so far, and so many megabytes."""
        if not (self.folder / self.peak).exists():
            pytest.skip("no %s: Linux 5.19" % self.peak)
        peak = int((self.folder / self.peak).read_text())
        (self.folder / self.limit).write_text(str(peak + (megabytes << 20)))


@pytest.fixture
def group():
    made = Group()
    if not made.folder:
        pytest.skip("no memory cgroup can be made here: run as root, with the memory controller on")
    yield made
    made.folder.rmdir()


@pytest.fixture
def java_in_group(group, start_java):
    """HeapScribble in that group, as a function of the JDK and the agent's options."""
    return lambda jdk, options, *more: start_java(jdk, options + ",doe=n", "HeapScribble", MEGABYTES, "stop", *more, vm=VM, before=group.entered())


@one_jdk
def test_a_memory_cgroup_ends_the_child_and_not_the_program(jdk, group, java_in_group):
    java = java_in_group(jdk, OPTIONS)
    java.wait_for_stdout("pass 1\n")
    group.leave_room(MEGABYTES // 2)
    dump_in_vain(java, "the memory cgroup has ")
    (java.cwd / "stop").touch()
    ended = java.end()
    check_one_message(ended, "the heap dump's child was ended by signal 9, the memory cgroup has ")
    assert hprof_heap.Heap(ended.read("java.hprof")).dump_count == 0


def check_whole(ended, stood):
    """The dump has every array, and the values of one moment: so many were written when it was taken."""
    assert ended.rc == 0 and "every write is there" in ended.stdout, ended.stdout + ended.stderr
    assert "HPROF ERROR" not in ended.stderr, ended.stderr
    assert ("the heap dump stops the program for about " in ended.stderr) == stood, ended.stderr
    assert (" ms, while a child worked, child " in ended.stderr) == stood, ended.stderr
    heap = hprof_heap.Heap(ended.read("java.hprof"))
    heap.check()
    assert heap.dump_count == 1
    assert sum(thing.count for thing in heap.instances_of("int[]")) >= MEGABYTES << 18


@one_jdk
def test_a_memory_cgroup_without_room_for_a_child(jdk, group, java_in_group):
    """Then the program stands still while the child works, which so needs no room for copies."""
    java = java_in_group(jdk, OPTIONS.replace(",dumptest=3", "") + ",verbose=y,inpause=y")
    java.wait_for_stdout("pass 1\n")
    group.leave_room(24)    # a child would need 27 at least, one for which the program stands 15
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("HPROF: heap dump: pause ")
    (java.cwd / "stop").touch()
    ended = java.end()
    assert "it stands still while a child works (the memory cgroup has " in ended.stderr
    check_whole(ended, True)


@pytest.mark.jdks(8, 17, 25, 27)
def test_a_program_that_stands_needs_no_room_for_copies(jdk, group, java_in_group):
    """There is room for a child, but not for copies of all pages, to which the program writes all the time."""
    java = java_in_group(jdk, "heap=dump,format=b,verbose=y,forkmem=0")
    java.wait_for_stdout("pass 1\n")
    group.leave_room(MEGABYTES // 3)
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("HPROF: heap dump: pause ")
    so_far = passes(java)
    java.wait_for(lambda: passes(java) > so_far + 1, "another pass")
    (java.cwd / "stop").touch()
    ended = java.end()
    assert "it stands still while a child works (forkmem= allows fewer copies of its pages)" in ended.stderr
    check_whole(ended, True)


@one_jdk
def test_forkmem_that_is_enough_for_all_copies_lets_the_program_run(jdk, start_java):
    java = start_java(jdk, "heap=dump,format=b,verbose=y,doe=n,forkmem=1g", "HeapScribble", MEGABYTES, "stop", vm=VM)
    java.wait_for_stdout("pass 1\n")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("HPROF: heap dump: pause ")
    (java.cwd / "stop").touch()
    check_whole(java.end(), False)


@one_jdk
def test_a_child_for_which_the_program_stands_is_killed(jdk, start_java):
    """The program goes on at once, and says that there is no dump."""
    java = start_java(jdk, OPTIONS + ",verbose=y,doe=n,forkmem=0", "HeapScribble", MEGABYTES, "stop", vm=VM)
    java.wait_for_stdout("pass 1\n")
    java.signal(signal.SIGQUIT)
    java.wait_for_child()
    child, = {int(child) for task in pathlib.Path("/proc/%d/task" % java.pid).iterdir() for child in (task / "children").read_text().split()}
    os.kill(child, signal.SIGKILL)
    java.wait_for_stderr("child was ended by signal 9")
    so_far = passes(java)
    java.wait_for(lambda: passes(java) > so_far + 1, "another pass")
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and "every write is there" in ended.stdout
    assert hprof_heap.Heap(ended.read("java.hprof")).dump_count == 0


@one_jdk
def test_without_room_for_a_child_no_dump_where_none_is_wanted_in_a_pause(jdk, group, java_in_group):
    """What was prepared is given back: the next dump, when there is room, is whole."""
    java = java_in_group(jdk, "heap=dump,format=b,inpause=n,verbose=y")
    java.wait_for_stdout("pass 1\n")
    group.leave_room(24)
    dump_in_vain(java, "there is no room for a child while the program runs (the memory cgroup has ")
    assert (java.cwd / "java.hprof").exists()
    group.leave_room(8 * MEGABYTES)
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("HPROF: heap dump: pause ")
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and "every write is there" in ended.stdout and "inside" not in ended.stderr, ended.stdout + ended.stderr
    heap = hprof_heap.Heap(ended.read("java.hprof"))
    heap.check()
    assert heap.dump_count == 1 and sum(thing.count for thing in heap.instances_of("int[]")) >= MEGABYTES << 18


@one_jdk
@pytest.mark.parametrize("room, objects", [(24, "1000000"), (10, "0")])
def test_a_memory_cgroup_without_room_for_any_dump(jdk, group, java_in_group, room, objects):
    """Inside the pause each object is tagged, which takes more than the objects, and some memory goes anyway: no dump."""
    java = java_in_group(jdk, "heap=dump,format=b,fork=n", objects)
    java.wait_for_stdout("pass 1\n")
    group.leave_room(room)
    dump_in_vain(java, "there is no heap dump in java.hprof (Cannot allocate memory, the memory cgroup has ")
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and "every write is there" in ended.stdout, ended.stdout + ended.stderr
    assert hprof_heap.Heap(ended.read("java.hprof")).dump_count == 0
