"""Several recordings at once in one JVM: each has its own engines, settings, file and sums.

SPDX-License-Identifier: Apache-2.0
"""
import signal
import struct
import time

import hprof_text
import jfr_file
import pytest
from asking import ask
from attaching import call, command, finish, round_of, running  # noqa: F401
from conftest import compile_library
from robust import Profile, classes  # noqa: F401
from test_again import calls_of

CPU = "start,cpu=samples,depth=32,thread=y,cutoff=0,verbose=n,"
# Walkers and timers differ most between these.
SOME = pytest.mark.jdks(8, 17, 25)
# The VM takes no part: what is tested is who may run beside whom, and what is given back.
ONE = pytest.mark.jdks(17)
ROWS_OF_A_LIBRARY = 256 << 10    # bytes, of the smallest that has any to speak of
MAPPED_ROOM = 1 << 20            # bytes of the model, in rounds that follow the first
NATIVE = "getBooleanAttributes0"


@pytest.fixture(scope="session")
def held(tmp_path_factory):
    return compile_library(tmp_path_factory, "held")


def answer(java, name):
    return (java.cwd / name).read_text().rstrip("\n")


def cpu_ns(profile):
    """CPU time that a recording has seen of the thread main."""
    return profile.of_thread("main") * profile.quality["interval_ns"]


@SOME
def test_two_recordings_of_samples_with_their_own_intervals(start_java, command, jdk):
    """The coarse one begins before the fine one and ends after it: two changes of the timers' interval under way."""
    java = running(start_java, jdk)
    assert command(jdk, java, CPU + "interval=10ms,file=coarse.txt,name=coarse", "pause=600", CPU + "interval=1ms,depth=4,file=fine.txt",
                   "pause=1500", "stop,id=2,answer=fine", "pause=600", "stop,coarse") == [0] * 4
    assert " id=2 name=2 " in answer(java, "fine")
    ended = finish(java)
    coarse, fine = (Profile(ended.text(name + ".txt")).check() for name in ("coarse", "fine"))
    assert (coarse.quality["interval_ns"], fine.quality["interval_ns"]) == (10000000, 1000000)
    assert max(len(row.frames) for row in fine.rows) <= 4 < max(len(row.frames) for row in coarse.rows)
    # main does nothing but work: what the fine one saw is a part of what the coarse one saw, and neither misses much of it.
    assert fine.of_thread("main") > 50 and 0.3 < cpu_ns(fine) / cpu_ns(coarse) < 0.9, ended.stderr


@ONE
def test_a_coarse_recording_takes_a_fair_part_of_fine_samples(start_java, command, jdk):
    java = running(start_java, jdk)
    assert command(jdk, java, CPU + "interval=1ms,file=fine.txt,name=fine", CPU + "interval=10ms,file=coarse.txt,name=coarse", "pause=2500",
                   "stop,coarse", "stop,fine") == [0] * 4
    ended = finish(java)
    coarse, fine = (Profile(ended.text(name + ".txt")).check() for name in ("coarse", "fine"))
    # Each thread's time is counted to the interval; the start and stop of the one take some 100 ms of the other.
    assert 0.75 < cpu_ns(coarse) / cpu_ns(fine) < 1.1, ended.stderr
    # Of N samples a part p with a standard error of sqrt(p (1 - p) / N): five of them are room enough.
    share = [p.with_frame("Robust.round") / p.of_thread("main") for p in (coarse, fine)]
    assert abs(share[0] - share[1]) < 5 * max(0.02, (share[1] * (1 - share[1]) / coarse.of_thread("main")) ** 0.5)


@ONE
def test_dumps_in_turns_have_their_own_sums(start_java, command, jdk):
    java = running(start_java, jdk)
    for lines in ([CPU + "interval=1ms,file=a.txt"], [CPU + "interval=1ms,file=b.txt"], ["dump,id=2", "dump,id=1"], ["dump,id=2", "stop,id=1"]):
        assert command(jdk, java, *lines) == [0] * len(lines)
        java.wait_for_cpu(0.2)
    command(jdk, java, "stop")
    ended = finish(java)
    a, b = (Profile(ended.text(name)).check() for name in ("a.txt", "b.txt"))
    assert len(a.tables) == 2 and len(b.tables) == 3
    assert a.totals[0] > 1.3 * b.totals[0] > 0
    assert b.of_thread("main") > 0 and all(b.totals)


@ONE
def test_other_engines_come_and_go_beside_samples(start_java, command, jdk):
    java = start_java(jdk, "cpu=samples,interval=1ms,file=first.txt,verbose=n", "Robust", "wait")
    java.wait_for_stdout("running")
    lines = [part for i, what in enumerate(["heap=sites", "cpu=times", "monitor=y", "event=exception", "heap=sites"])
             for part in ("start,%s,file=%d.txt,verbose=n,name=x" % (what, i), "pause=300", "status,answer=status%d" % i, "stop,x")]
    assert command(jdk, java, *lines) == [0] * 15
    assert " id=1 name=1 " in answer(java, "status1") and " id=3 name=x " in answer(java, "status1")
    for i, counts in enumerate([" sites=", " under_way=", " contentions=", " exceptions=", " sites="]):
        assert counts in answer(java, "status%d" % i)
    ended = finish(java)
    for i, table in enumerate(["SITES END", "CPU TIME (ms) END", "MONITOR TIME END", "EVENTS exception END", "SITES END"]):
        assert table in ended.text("%d.txt" % i), ended.stderr
        assert "CPU SAMPLES BEGIN" not in ended.text("%d.txt" % i)
    assert "  times_under_way = " in ended.text("1.txt"), "calls that a late start has not seen begin"
    assert Profile(ended.text("first.txt")).check().with_frame("Robust.round") > 0
    assert "ERROR" not in ended.stderr


@ONE
def test_two_binary_files_name_their_own_classes_and_threads(start_java, command, jdk, hprof):
    java = running(start_java, jdk)
    command(jdk, java, CPU + "interval=1ms,format=b,file=a.hprof", "pause=300", CPU + "interval=1ms,format=b,file=b.hprof", "pause=300",
            "stop,id=1", "pause=200", "stop")
    finish(java)
    for name in ("a.hprof", "b.hprof"):
        assert "Robust.round" in call([hprof, "report", str(java.cwd / name)])


@ONE
def test_a_text_file_beside_jfr_has_one_row_of_each_stack(start_java, command, jdk):
    """Frames of a native method have one bytecode index, as have their callers', which run interpreted and compiled."""
    java = running(start_java, jdk)
    assert command(jdk, java, CPU + "interval=1ms,file=text.txt,name=text", "pause=300",
                   CPU + "interval=1ms,depth=2,format=jfr,file=x.jfr,name=jfr", "pause=3500", "stop,jfr", "stop,text") == [0] * 4
    ended = finish(java)
    profile = Profile(ended.text("text.txt")).check()
    stacks = [(row.thread, *row.frames) for row in profile.rows if NATIVE in row.frames[0]]
    assert stacks and len(stacks) == len(set(stacks)), stacks
    samples = jfr_file.events(jdk, java.cwd / "x.jfr", "jdk.ExecutionSample")
    assert len({frame["type"] for sample in samples for frame in sample["stackTrace"]["frames"]}) > 1, "kinds are kept for the one that has them"
    assert any(sample["stackTrace"]["truncated"] for sample in samples), "what depth=2 cuts"


@ONE
def test_what_cannot_be_shared_is_refused_by_name(start_java, command, jdk):
    java = running(start_java, jdk)
    assert command(jdk, java, "start,cpu=samples,signal=VTALRM,heap=sites,file=a.txt,name=a,mem=32m") == [0]
    refused = {"cpu=samples,signal=PROF": "signal= is fixed by recording a", "cpu=samples,mem=64m": "mem= is fixed by recording a",
               "cpu=samples,lineno=n": "lineno= is fixed by recording a", "cpu=samples,native=y": "native= is fixed by recording a",
               "heap=sites,sample=64k": "sample= is fixed by recording a"}
    for i, (options, why) in enumerate(refused.items()):
        assert command(jdk, java, "start,%s,file=b.txt,answer=a%d" % (options, i)) == [-1]
        assert answer(java, "a%d" % i).startswith("hprof/1 error state ") and why in answer(java, "a%d" % i)
    assert command(jdk, java, "start,cpu=samples,file=b.txt", "stop,answer=which", "stop,id=7", "stop,a", "stop") == [0, -1, -1, 0, 0]
    assert "which recording? There are: id=1 name=a, id=" in answer(java, "which")
    finish(java)


@ONE
def test_a_lease_ends_the_recording_of_a_command_that_has_gone(start_java, command, jdk):
    """It ends alone and by itself, with its table; one without a lease goes on. Who asks for all keeps none alive, who names one does."""
    java = running(start_java, jdk)
    assert command(jdk, java, CPU + "interval=1ms,file=kept.txt,name=kept",
                   CPU + "interval=1ms,lease=3s,file=leased.txt,name=leased,answer=start") == [0] * 2
    assert " name=leased " in answer(java, "start") and " lease=3.0 " in answer(java, "start")
    def has_ended():
        return "CPU SAMPLES END" in (java.cwd / "leased.txt").read_text()
    begun = time.monotonic()
    while time.monotonic() < begun + 4:
        assert command(jdk, java, "status,id=2", "pause=100") == [0] and not has_ended()
    java.wait_for(lambda: command(jdk, java, "status") == [0] and has_ended(), "the end of the lease")
    assert command(jdk, java, "stop,leased,answer=late", "list,answer=one", "stop,kept") == [-1, 0, 0]
    assert answer(java, "late").startswith("hprof/1 error not_found ")
    assert " recordings=1 " in answer(java, "one") and " name=kept " in answer(java, "one")
    ended = finish(java)
    leased, kept = (Profile(ended.text(name)).check() for name in ("leased.txt", "kept.txt"))
    assert leased.of_thread("main") > 0 and len(leased.tables) == len(kept.tables) == 1


@ONE
def test_a_file_that_is_being_written_is_not_taken(start_java, command, jdk):
    """By its own name, or by another one: neither removed nor emptied."""
    java = running(start_java, jdk)
    assert command(jdk, java, CPU + "interval=1ms,file=a.txt") == [0]
    (java.cwd / "link").symlink_to(java.cwd)
    for i, options in enumerate(["file=a.txt", "file=link/a.txt", "file=%s/a.txt,force=y" % java.cwd]):
        assert command(jdk, java, CPU + "%s,answer=a%d" % (options, i)) == [-1]
        assert "another recording writes it" in answer(java, "a%d" % i)
    assert command(jdk, java, "pause=300", CPU + "file=a.txt,force=n,name=other", "stop,other", "stop") == [0] * 3
    ended = finish(java)
    assert Profile(ended.text("a.txt")).check().with_frame("Robust.round") > 0
    assert len(list(java.cwd.glob("a.*"))) == 2, "with force=n the second has a name of its own"


@ONE
def test_there_are_eight_at_most(start_java, command, jdk):
    java = running(start_java, jdk)
    assert command(jdk, java, *[CPU + "file=%d.txt" % i for i in range(9)], CPU + "file=9.txt,answer=full", "status", "stop,id=1",
                   CPU + "file=a.txt") == [0] * 8 + [-1] * 2 + [0, 0, 0]
    assert "there are 8 recordings: stop one of them first" in answer(java, "full")
    finish(java)


@ONE
def test_threads_end_while_a_monitor_recording_ends(start_java, command, jdk):
    """What the recording noted of a thread is given back while that thread may be ending."""
    java = start_java(jdk, "cpu=samples,file=first.txt,verbose=n", "Robust", "churn")
    java.wait_for_stdout("running")
    assert command(jdk, java, *["start,monitor=y,file=x.txt,verbose=n,name=x", "pause=20", "stop,x"] * 20) == [0] * 40
    finish(java)


@ONE
def test_sigquit_is_for_the_option_string(start_java, command, jdk):
    java = start_java(jdk, "cpu=samples,interval=1ms,file=first.txt,verbose=n", "Robust", "wait")
    java.wait_for_stdout("running")
    assert command(jdk, java, CPU + "interval=1ms,file=second.txt", "pause=300") == [0]
    java.signal(signal.SIGQUIT)
    java.wait_for(lambda: "CPU SAMPLES END" in (java.cwd / "first.txt").read_text(), "the dump")
    assert "CPU SAMPLES BEGIN" not in (java.cwd / "second.txt").read_text()
    ended = finish(java)
    assert len(Profile(ended.text("first.txt")).check().tables) == 2
    assert len(Profile(ended.text("second.txt")).check().tables) == 1, "the end of the VM is the end of all"


@ONE
def test_a_hundred_overlaps_leave_nothing_behind(start_java, command, jdk, agent, held, tmp_path, request):
    times = 4 if request.config.option.everyday else 100
    counts = tmp_path / "held"
    java = start_java(jdk, None, "Robust", "wait", env={"LD_PRELOAD": "%s:%s" % (held, agent), "HELD_FILE": str(counts),
                                                       "HELD_LIBRARY": "libhprof.so"}.items())
    java.wait_for_stdout("running")
    once = [CPU + "interval=1ms,file=b.txt,name=b", "pause=20", "stop,b", "start,heap=sites,verbose=n,file=c.txt,name=c", "pause=20", "stop,c"]
    assert command(jdk, java, CPU + "interval=10ms,file=a.txt,name=a", "pause=2000", *once * 3) == [0] * 13

    def held_now():
        return struct.unpack("3q", counts.read_bytes())

    kept = [held_now()]
    for _ in range(times):
        assert command(jdk, java, *once) == [0] * 4
        kept.append(held_now())
    rounds = [[late - early for late, early in zip(after, before)] for before, after in zip(kept, kept[1:])]
    # A sample may be the first that needs the rows of a library, which stay, and so does its file, mapped: there are four.
    first = [grown for grown in rounds if grown[0] > ROWS_OF_A_LIBRARY or grown[2] > MAPPED_ROOM]
    assert len(first) <= 4, kept
    # What else grows is the model with what it meets: names, frames and traces of the recording that goes on.
    for what, room in enumerate((512 << 10, 40, MAPPED_ROOM)):
        assert sum(grown[what] for grown in rounds if grown not in first) <= room, kept
    finish(java)


TIMES = "start,cpu=times,clock=none,depth=4,cutoff=0,verbose=n,"


# The tracker and its class file differ between these.
@pytest.mark.jdks(8, 17, 25)
@pytest.mark.everyday(8, 17)
def test_each_recording_has_the_calls_since_it_began(start_java, command, hprof, jdk):
    java = start_java(jdk, None, "Again")
    java.wait_for_stdout("running")
    assert command(jdk, java, TIMES + "file=a.txt,name=a") == [0], java.said()
    # Up to JDK 11 loaded classes are changed a few at a time, which takes long on a busy machine.
    java.wait_for(lambda: " classes_left=0 " in ask(hprof, "status", java.pid)[0], "the change of all classes")
    round_of(java, 0)
    assert command(jdk, java, TIMES + "thread=y,file=b.txt,name=b") == [0], java.said()
    round_of(java, 1)
    assert command(jdk, java, "dump,b", "stop,a") == [0] * 2
    round_of(java, 2)
    assert command(jdk, java, TIMES + "file=c.txt,name=c", "stop,b") == [0] * 2
    round_of(java, 3)
    assert command(jdk, java, "stop,c") == [0]
    ended = finish(java)
    rounds = {name: calls_of(ended.text(name + ".txt"), "Again.leaf") for name in "abc"}
    assert rounds == {"a": 1110 + 1111, "b": 1111 + 1112, "c": 1113}, ended.stderr
    threads = {trace.thread for trace in hprof_text.Text(ended.text("b.txt")).traces.values()
               if any(frame.method == "leaf" for frame in trace.frames)}
    assert len(threads) > 3 and None not in threads, "main, a thread that stays, and one that ends in each round"
    for name in "ac":
        text = hprof_text.Text(ended.text(name + ".txt"))
        rows = [text.traces[row.trace] for row in text.of(hprof_text.Table)[-1].rows if row.method == "Again.leaf"]
        assert rows and all(trace.thread is None for trace in rows)
    assert all("NOT TIMED BEGIN" in ended.text(name + ".txt") for name in "abc"), "each lists what is left alone"
    assert "ERROR" not in ended.stderr


@ONE
def test_paths_are_as_deep_as_the_first_recording_wants_them(start_java, command, jdk):
    """Where the agent comes with the JVM it keeps no more of a path than depth= names."""
    java = start_java(jdk, "cpu=times,clock=none,depth=2,cutoff=0,verbose=n,file=a.txt", "Again")
    java.wait_for_stdout("running")
    times = "start,cpu=times,clock=none,cutoff=0,verbose=n,"
    assert command(jdk, java, times + "depth=3,file=no.txt,answer=no", times + "depth=1,file=b.txt,name=b") == [-1, 0]
    assert "say depth=2 or less" in (java.cwd / "no").read_text()
    round_of(java, 0)
    assert command(jdk, java, "stop,b") == [0]
    ended = finish(java)
    assert [calls_of(ended.text(name + ".txt"), "Again.branch") for name in "ab"] == [4, 3]
    text = hprof_text.Text(ended.text("b.txt"))
    assert {len(text.traces[row.trace].frames) for row in text.of(hprof_text.Table)[-1].rows} == {1}
