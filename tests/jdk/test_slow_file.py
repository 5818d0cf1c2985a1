"""A file that takes nothing holds up nobody: the program's threads come and go while a pipe is full that nobody reads.

No test measures time: the pipe is read only after the program has done what it would have to wait for.
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import signal
import threading

import hprof_binary
import hprof_heap
import hprof_text
import pytest
from conftest import compile_library, old_and_new, one_jdk
from net_peer import without_quality

THREADS = 60  # each with a name of 4,000 bytes: several times what a pipe holds


class Pipe:
    """A FIFO that is open for reading, and not read before read()."""

    def __init__(self, path):
        os.mkfifo(path)
        self.fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.received, self.thread = b"", None

    def take(self):
        with os.fdopen(self.fd, "rb") as pipe:
            self.received = pipe.read()

    def read(self):
        os.set_blocking(self.fd, True)
        self.thread = threading.Thread(target=self.take, daemon=True)
        self.thread.start()

    def end(self):
        self.thread.join()
        return self.received


@pytest.fixture
def rounds(start_java, tmp_path):
    """rounds(jdk, options): a program with its first round behind it, and the pipe that is its full file."""
    def start(jdk, options, *args, **keywords):
        pipe = Pipe(tmp_path / "pipe")
        java = start_java(jdk, "%s,file=%s" % (options, tmp_path / "pipe"), "Rounds", THREADS, *args, **keywords)
        more(java, 1)
        return java, pipe
    return start


def more(java, number):
    (java.cwd / ("go%d" % number)).touch()
    java.wait_for_stdout("round %d\n" % number)


def finish(java):
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    return ended


def text_of(data):
    body, counts = without_quality(data.decode())
    return hprof_text.Text(body), counts


def check_threads(profile, wanted):
    started = [thread.serial for thread in profile.of(hprof_text.ThreadStart) if thread.name.startswith("nnn")]
    ends = {end.serial for end in profile.of(hprof_text.ThreadEnd)}
    assert len(started) == wanted and set(started) <= ends


@one_jdk
def test_threads_come_and_go_while_nobody_reads(jdk, rounds):
    java, pipe = rounds(jdk, "cpu=samples,interval=1ms")
    more(java, 2)
    pipe.read()
    finish(java)
    profile, counts = text_of(pipe.end())
    check_threads(profile, 2 * THREADS)
    assert profile.tables[-1].total > 0 and "file_dropped" not in counts[-1]


@one_jdk
@pytest.mark.jdks(8, 17, "newest")
def test_a_dump_on_request_holds_nobody_up(jdk, rounds):
    java, pipe = rounds(jdk, "cpu=samples,interval=1ms,depth=32")
    for number in (2, 3):
        java.signal(signal.SIGQUIT)
        java.wait_for_stderr("Dumping CPU usage", number - 1)
        more(java, number)
    pipe.read()
    java.wait_for_stderr(" done.", 2)
    finish(java)
    profile, _ = text_of(pipe.end())
    check_threads(profile, 3 * THREADS)
    assert len(profile.tables) == 3 and profile.tables[0].total > 0


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_all_engines_that_write_as_they_go(jdk, rounds):
    java, pipe = rounds(jdk, "cpu=times,monitor=y,heap=sites")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("Dumping ")
    more(java, 2)
    pipe.read()
    finish(java)
    profile, _ = text_of(pipe.end())
    check_threads(profile, 2 * THREADS)


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_a_binary_file_with_its_classes(jdk, rounds):
    java, pipe = rounds(jdk, "cpu=samples,interval=1ms,format=b")
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("Dumping ")
    more(java, 2)
    pipe.read()
    finish(java)
    profile = hprof_binary.Binary(pipe.end())
    hprof_binary.check(profile)
    gone = [profile.classes[serial].name for serial in profile.unloaded]
    assert not gone, "the program keeps its classes, those of lambdas too, which are in no list of JDK 8"
    assert len([t for t in profile.threads.values() if t.name.startswith("nnn")]) == 2 * THREADS


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_a_heap_dump_waits_for_its_turn_and_the_program_for_nobody(jdk, rounds):
    java, pipe = rounds(jdk, "heap=dump", vm=["-Xmx64m", "-XX:+UseSerialGC"])
    java.signal(signal.SIGQUIT)
    java.wait_for_child()
    java.signal(signal.SIGQUIT)  # waits for the first
    more(java, 2)
    assert "Dumping" not in java.err.read_text()
    pipe.read()
    java.wait_for_stderr(" done.", 2)
    finish(java)
    data = pipe.end()
    assert data.count(b"HEAP DUMP BEGIN (") == data.count(b"HEAP DUMP END\n") == 3
    assert data.count(b"THREAD START (") == data.count(b"THREAD END (") + live_threads(data)
    inside = [piece.partition(b"HEAP DUMP END\n")[0] for piece in data.split(b"HEAP DUMP BEGIN (")[1:]]
    assert not any(b"THREAD START (" in dump for dump in inside)


def live_threads(data):
    """Those that have a START and no END."""
    started = set(line.partition(b"id = ")[2].partition(b",")[0]
                  for line in data.split(b"\n") if line.startswith(b"THREAD START ("))
    ended = set(line.partition(b"id = ")[2].partition(b")")[0] for line in data.split(b"\n") if line.startswith(b"THREAD END ("))
    assert ended <= started
    return len(started - ended)


@pytest.mark.jdks("newest")
def test_the_end_does_not_wait_for_ever(jdk, rounds):
    java, pipe = rounds(jdk, "cpu=samples")
    ended = finish(java)
    assert ended.stderr.count("HPROF ERROR: cannot write ") == 1 and "what follows is lost" in ended.stderr
    os.close(pipe.fd)


@one_jdk
@pytest.mark.parametrize("options", ["heap=dump,format=b", "heap=dump,format=b,fork=n"], ids=["child", "pause"])
@pytest.mark.jdks(8, 17, "newest")
def test_a_binary_heap_dump_into_a_pipe_is_whole(jdk, options, rounds):
    java, pipe = rounds(jdk, options, vm=["-Xmx64m", "-XX:+UseSerialGC"])
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("Dumping ")
    more(java, 2)
    pipe.read()
    java.wait_for_stderr(" done.")
    finish(java)
    data = pipe.end()
    for which in range(2):
        heap = hprof_heap.Heap(data, which)
        heap.check()
        assert heap.classes_named("Rounds") and heap.dump_count == 2


@pytest.fixture(scope="module")
def slow_disk(tmp_path_factory):
    """A library to preload: native/slowdisk.c."""
    return compile_library(tmp_path_factory, "slowdisk")


@old_and_new
@pytest.mark.parametrize("hold, form", [("writer", "b"), ("end", "a")], ids=["before", "after"])
def test_a_slow_disk_holds_up_the_dump_in_the_pause_alone(jdk, hold, form, start_java, slow_disk):
    java = start_java(jdk, "heap=dump,fork=n,doe=n,format=%s,file=out" % form, "Rounds", THREADS,
                      vm=["-Xmx64m", "-XX:+UseSerialGC"], env={"LD_PRELOAD": str(slow_disk)})
    more(java, 1)
    hold = java.cwd / ("hold " + hold)
    hold.touch()
    java.signal(signal.SIGQUIT)
    java.wait_for((java.cwd / "held").exists, "a write that waits")
    more(java, 2)
    (java.cwd / "stop").touch()
    assert "done." not in java.err.read_text() and java.process.poll() is None
    hold.unlink()
    ended = java.end()
    assert ended.rc == 0 and ended.stderr.count(" done.") == 1, ended.stderr
    if form == "a":
        assert ended.text("out").count("HEAP DUMP END\n") == 1
        check_threads(hprof_text.Text(without_quality(ended.text("out").partition("HEAP DUMP BEGIN")[0])[0]), THREADS)
        return
    heap = hprof_heap.Heap(ended.read("out"))
    heap.check()
    assert heap.classes_named("Rounds") and heap.dump_count == 1
    assert len([name for name in heap.started.values() if name.startswith("nnn")]) == 2 * THREADS


@one_jdk
@pytest.mark.jdks(8, 17, "newest")
def test_what_does_not_fit_is_left_out_by_records_and_counted(jdk, rounds):
    java, pipe = rounds(jdk, "cpu=samples,interval=1ms", 1500000)  # 90 MB of names, and room for 64
    java.signal(signal.SIGQUIT)
    java.wait_for_stderr("Dumping CPU usage")
    pipe.read()
    java.wait_for_stderr(" done.")
    ended = finish(java)
    profile, counts = text_of(re.sub(b"n{1000,}", b"nnn", pipe.end()))
    named = {thread.serial for thread in profile.of(hprof_text.ThreadStart) if thread.name == "nnn"}
    dropped, = {table["file_dropped"] for table in counts}
    assert 0 < THREADS - len(named) <= dropped < THREADS, "what is not there is counted"
    rows = {row.trace for table in profile.tables for row in table.rows}
    assert rows <= {trace.serial for trace in profile.of(hprof_text.Trace)}
    assert len(profile.tables) == 2 and ended.stderr.count("records are left out, and counted as file_dropped") == 1
    assert "was written too slowly: %d records (" % dropped in ended.stderr
