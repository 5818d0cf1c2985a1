"""The agent stops and begins again in one JVM: what it measures is right each time, and nothing of it is left behind.

SPDX-License-Identifier: Apache-2.0
"""
import re
import signal
import struct

import pytest
from attaching import command, finish, load, running  # noqa: F401
from conftest import agent_for, compile_library, old_and_new, one_jdk, wait_until
from robust import Profile, classes  # noqa: F401

CPU = "cpu=samples,interval=1ms,depth=32,thread=y,cutoff=0,file="


@pytest.fixture(scope="session")
def held(tmp_path_factory):
    """The path of native/held.c as a shared library."""
    return compile_library(tmp_path_factory, "held")


@old_and_new
def test_samples_are_taken_again_and_again(start_java, command, jdk):
    java = running(start_java, jdk)
    starts = [part for i in range(3) for part in ("start,%sout%d.txt" % (CPU, i), "pause=300", "stop")]
    assert command(jdk, java, *starts, "stop") == [0] * 6 + [-1]
    ended = finish(java)
    for i in range(3):
        profile = Profile(ended.text("out%d.txt" % i)).check()
        assert len(profile.tables) == 1
        assert profile.of_thread("main") > 0 and profile.with_frame("Robust.round") > 0
    assert ended.stderr.count("nothing is measured in this JVM") == 1


@one_jdk
def test_what_the_command_line_began_can_be_stopped_and_begun_again(start_java, command, jdk):
    java = start_java(jdk, CPU + "first.txt", "Robust", "wait")
    java.wait_for_stdout("running")
    java.wait_for_cpu(0.3)
    assert command(jdk, java, "stop", CPU + "second.txt", "pause=300") == [0, 0]
    ended = finish(java)
    for name in ("first.txt", "second.txt"):
        assert Profile(ended.text(name)).check().of_thread("main") > 0


# glibc gives each larger block a mapping of its own then: what the VM writes to a thread that it has freed ends it.
MAPS_BLOCKS = {"MALLOC_MMAP_THRESHOLD_": "1024"}


def test_threads_that_end_while_nothing_is_measured(start_java, command, jdk):
    """The VM frees a thread, and knows it no more when the agent begins again."""
    java = start_java(jdk, None, "ThreadsEnd", env=MAPS_BLOCKS.items())
    java.wait_for_stdout("ready")
    once = ["start,%sout.txt" % CPU, "stop"]
    assert command(jdk, java, *once) == [0] * 2
    (java.cwd / "end").touch()
    java.wait_for_stdout("ended")
    assert command(jdk, java, *once) == [0] * 2
    (java.cwd / "over").touch()
    ended = java.end()
    assert ended.rc == 0, ended.stderr


@old_and_new
def test_the_last_line_is_that_of_the_last_table(start_java, command, jdk):
    """Threads that begin and end while the file takes its last tables do not stand below them: `record` knows a whole file by its last line."""
    java = start_java(jdk, None, "ThreadsChurn", vm=["-Xmx64m"])
    java.wait_for_stdout("running")
    assert command(jdk, java, "start,event=gc,file=other.jfr,name=other") == [0], java.said()    # so that the agent goes on
    for turn in range(10):
        assert command(jdk, java, "start,%so%d.txt,name=one" % (CPU, turn), "pause=50", "stop,one") == [0, 0], java.said()
    ended = finish(java)
    assert [ended.text("o%d.txt" % turn)[-30:] for turn in range(10) if not ended.text("o%d.txt" % turn).endswith(" END\n")] == []
    assert "THREAD START" in ended.text("o0.txt")


# The VM takes no part: the options and the file are refused before it is asked for anything.
@pytest.mark.everyday(17)
def test_start_that_fails_leaves_nothing_behind(start_java, command, jdk):
    java = running(start_java, jdk)
    assert command(jdk, java, "start,cpu=samples,file=/nowhere/at/all", "stop", "start," + CPU + "out.txt", "pause=200", "stop") == \
        [-1, -1, 0, 0]
    assert Profile(finish(java).text("out.txt")).check().of_thread("main") > 0


@old_and_new
def test_threads_of_ours_that_begin_after_the_end_do_nothing(start_java, jdk):
    """threadlate= holds the agent's own threads back: by then the agent is released, and they may use nothing of it."""
    java, agent = running(start_java, jdk), agent_for("threadlate=1")
    for engines in ("gc", "lock+load", "compile", "cpu", "wall", "io"):
        for more in ("", ",duration=1h", ",onexit=y:dump"):
            assert load(java, agent, "start,threadlate=150,verbose=n,event=%s%s,file=late.jfr,force=y" % (engines, more)) == 0, java.said()
            assert load(java, agent, "stop") == 0, java.said()
    assert load(java, agent, "start,threadlate=0,event=gc,verbose=n,file=last.jfr") == 0, java.said()
    java.wait_for_cpu(0.5)
    assert load(java, agent, "stop") == 0, java.said()
    finish(java)


# The handler is ours and the kernel delivers; samples of each JDK, again and again, are in the first test.
@pytest.mark.everyday(17)
def test_late_signal_does_not_end_the_jvm(start_java, command, jdk):
    java = running(start_java, jdk)
    command(jdk, java, "start,%sout.txt" % CPU, "pause=100", "stop")
    for _ in range(3):
        java.signal(16)    # SIGSTKFLT, which the timers raise
    command(jdk, java, "start,%sout2.txt,verbose=y" % CPU, "pause=100", "stop")
    ended = finish(java)
    assert "another handler" not in ended.stderr


# What each of two recordings in a row has to have.
FOUND = {
    "cpu=samples,interval=1ms": "CPU SAMPLES END",
    "heap=sites": "SITES END",
    "heap=dump": "HEAP DUMP END",
    "heap=histo": "HISTOGRAM END",
    "cpu=times": "CPU TIME (ms) END",
    "monitor=all": "MONITOR TIME END",
}


def calls_of(text, method):
    """How often a table of cpu=times says that a method was called."""
    return sum(map(int, re.findall(r"^ *\d+ +\S+ +\S+ +(\d+) +\d+ +%s$" % re.escape(method), text, re.M)))


def rounds(java, command, jdk, options, first, count):
    """So many recordings of one round each, and a round behind each that nobody sees."""
    for i in range(first, first + 2 * count, 2):
        assert command(jdk, java, "start,%s,depth=4,cutoff=0,file=%d.txt" % (options, i)) == [0], java.said()
        for j in (i, i + 1):
            (java.cwd / ("go%d" % j)).touch()
            java.wait_for_stdout("round %d\n" % j)
            if j == i:
                assert command(jdk, java, "stop") == [0]


# Without a clock: a row whose time is all the tracker's own is in no table.
TIMES = ["cpu=times,clock=none", "cpu=times,clock=none,thread=y", "cpu=times,clock=none,include=Again.*"]


# A start of cpu=times changes all classes, which takes a new JDK seconds; it does so in test_each_measurement_can_follow_each.
@pytest.mark.everyday(8, 17)
@pytest.mark.parametrize("options", TIMES)
def test_times_count_the_calls_of_their_recording_alone(start_java, command, jdk, options):
    java = start_java(jdk, None, "Again")
    java.wait_for_stdout("running")
    rounds(java, command, jdk, options, 0, 3)
    ended = finish(java)
    for i in (0, 2, 4):
        text = ended.text("%d.txt" % i)
        assert calls_of(text, "Again.leaf") == 1110 + i, ended.stderr
        assert calls_of(text, "Again.branch") == 3
        assert calls_of(text, "Again.round") == 1


@pytest.mark.everyday(17)
def test_times_begin_again_while_calls_of_the_first_recording_are_open(start_java, command, jdk):
    java = start_java(jdk, "cpu=times,clock=none,depth=2,file=first.txt", "Again")
    java.wait_for_stdout("running")
    assert command(jdk, java, "stop") == [0]
    rounds(java, command, jdk, "cpu=times,clock=none", 0, 2)
    ended = finish(java)
    for i in (0, 2):
        assert calls_of(ended.text("%d.txt" % i), "Again.leaf") == 1110 + i
        assert calls_of(ended.text("%d.txt" % i), "Again.main") == 0


# The VM takes no part: what the first start has chosen stays in the agent.
@pytest.mark.everyday(17)
@pytest.mark.parametrize("other,what", [("clock=none", "clock="), ("mem=100m", "mem="), ("cpu=old", "cpu=")])
def test_times_run_again_with_the_same_clock_table_and_room(start_java, command, jdk, other, what):
    java = running(start_java, jdk)
    line = "start,%scutoff=0,file=%s.txt"
    times = "" if what == "cpu=" else "cpu=times,"
    assert command(jdk, java, line % ("cpu=times,", "first"), "stop", line % (times + other + ",", "other"),
                   line % ("cpu=times,", "last"), "pause=100", "stop") == [0, 0, -1, 0, 0]
    ended = finish(java)
    assert "another %s" % what in ended.stderr
    assert calls_of(ended.text("last.txt"), "Robust.round") > 0


@old_and_new
@pytest.mark.parametrize("step", [1, -1], ids=["forward", "backward"])
def test_each_measurement_can_follow_each(start_java, command, jdk, step, request):
    """Each twice, with all the others in between, and behind either neighbour of the list."""
    java = running(start_java, jdk)
    # JDK 8 takes seconds for each change of all classes; that it can change them again is seen every day where memory is counted.
    rounds = 1 if request.config.option.everyday and jdk.number == 8 else 2
    turns = [(options, "%s%d.txt" % (options.translate({ord("="): "-", ord(","): "-"}), turn)) for turn in range(rounds) for options in list(FOUND)[::step]]
    lines = [part for turn in turns for part in ("start,%s,file=%s" % turn, "pause=100", "stop")]
    assert command(jdk, java, *lines) == [0] * 2 * len(turns)
    ended = finish(java)
    assert [file for options, file in turns if FOUND[options] not in ended.text(file)] == [], ended.stderr
    assert "ERROR" not in ended.stderr


ENGINES = {
    "cpu": "cpu=samples,interval=1ms,depth=16",
    "sites": "heap=sites",
    "sampled": "heap=sites,sample=64k",
    "heap": "heap=all,format=b",
    "histo": "heap=histo",
    "monitor": "monitor=y",
    "parks": "monitor=all,cpu=samples",
}
LIBRARIES = 6  # where samples of this program may be: libjvm, libc, libjava, libzip, libpthread and the dynamic linker


def held_when_settled(command, jdk, java, counts):
    """What counts says of the library's memory when all classes have their own code back: beside other work JDK 8 and 11 take longer than a stop waits."""
    answer = java.cwd / "settled"

    def is_settled():
        assert command(jdk, java, "status,answer=settled") == [0]
        return "classes_restoring=" not in answer.read_text()

    wait_until(is_settled, "own code in all classes", said=java.said)
    return struct.unpack("3q", counts.read_bytes())


@pytest.mark.parametrize("engine", ENGINES)
def test_memory_of_ours_stays_as_it_is(start_java, command, jdk, agent, held, tmp_path, engine, request):
    """What stays is the unwind rows of a library that a sample was first met in: no more steps than there are such libraries."""
    counts = tmp_path / "held"
    java = start_java(jdk, None, "Robust", "wait", env={"LD_PRELOAD": "%s:%s" % (held, agent), "HELD_FILE": str(counts),
                                                       "HELD_LIBRARY": "libhprof.so"}.items())
    java.wait_for_stdout("running")
    once = ["start,%s,file=out.txt,verbose=n" % ENGINES[engine], "pause=50", "stop"]
    assert command(jdk, java, *once * 2, once[0]) == [0] * 5
    during = struct.unpack("3q", counts.read_bytes())
    assert command(jdk, java, "stop") == [0]
    after = [held_when_settled(command, jdk, java, counts)]
    assert during[2] > after[0][2], "the count works"
    allowed = LIBRARIES if "cpu=samples" in ENGINES[engine] else 0
    for _ in range(max(2, allowed + 1) if request.config.option.everyday else 50):
        assert command(jdk, java, *once) == [0] * 2
        after.append(held_when_settled(command, jdk, java, counts))
    steps = [(a, b) for a, b in zip(after, after[1:]) if a != b]
    assert len(steps) <= allowed, steps
    finish(java)


# What is looked at is memory of ours: a newer VM has no other part than these have.
@pytest.mark.jdks(8, 17)
@pytest.mark.everyday(17)
@pytest.mark.parametrize("clock", ["tsc", "tick"])
def test_memory_of_times_does_not_grow(start_java, command, jdk, agent, held, tmp_path, clock):
    """The trees stay, and a thread's tables grow with the places it has been to: less than one block more for each of 16 starts."""
    counts = tmp_path / "held"
    java = start_java(jdk, None, "Robust", "wait", env={"LD_PRELOAD": "%s:%s" % (held, agent), "HELD_FILE": str(counts),
                                                       "HELD_LIBRARY": "libhprof.so"}.items())
    java.wait_for_stdout("running")
    once = ["start,cpu=times,clock=%s,file=out.txt,verbose=n" % clock, "pause=50", "stop"]
    assert command(jdk, java, *once * 2) == [0] * 4
    before = held_when_settled(command, jdk, java, counts)
    assert command(jdk, java, *once * 8) == [0] * 16
    after = held_when_settled(command, jdk, java, counts)
    bytes_room, blocks_room, mapped_room = 32 << 10, 8, 1 << 20
    assert all(late <= early + room for late, early, room in zip(after, before, (bytes_room, blocks_room, mapped_room))), (before, after)
    finish(java)
