"""Several recordings at once that have the same engine: it counts once, and each recording has what came since it began.

SPDX-License-Identifier: Apache-2.0
"""
import hprof_heap
import hprof_text
import pytest
from attaching import command, finish  # noqa: F401
from robust import classes  # noqa: F401
from test_again import calls_of
from test_sites import by_method

MADE = ("make", "SitesRounds$Made")
# JDK 8 has calls injected behind allocations, 11 is the first with a sampler, and in 28 a tag lies elsewhere.
SOURCES = pytest.mark.jdks(8, 11, 25, 28)
# The VM takes no part.
ONE = pytest.mark.jdks(17)


def round_of(java, number):
    (java.cwd / ("go%d" % number)).touch()
    java.wait_for_stdout("round %d\n" % number)


def made(text, table=-1):
    """(allocated, live) objects of the rounds."""
    count = by_method(text, "SitesRounds", table).get(MADE)
    return (count.objects, count.live_objects) if count else (0, 0)


def sites(ended, name, depth=4):
    text = hprof_text.Text(ended.text(name))
    hprof_text.check(text, all_traces=True, depth=depth, cutoff=0)
    return text


@SOURCES
@pytest.mark.everyday(8, 25)
def test_each_recording_has_the_objects_made_since_it_began(start_java, command, jdk):
    java = start_java(jdk, "heap=sites,cutoff=0,verbose=n,file=a.txt", "SitesRounds")
    java.wait_for_stdout("running")
    round_of(java, 0)
    assert command(jdk, java, "start,heap=sites,cutoff=0,verbose=n,file=b.txt,name=b") == [0], java.said()
    round_of(java, 1)
    round_of(java, 2)
    assert command(jdk, java, "start,heap=sites,cutoff=0,verbose=n,file=c.txt,name=c", "dump,b") == [0, 0]
    round_of(java, 3)
    assert command(jdk, java, "stop,b") == [0]
    round_of(java, 4)
    assert command(jdk, java, "start,heap=sites,cutoff=0,verbose=n,file=d.txt,name=d", "stop,c", "stop,d") == [0] * 3
    ended = finish(java)
    a, b, c, d = (sites(ended, name + ".txt") for name in "abcd")
    assert made(a) == (20000, 5000), ended.stderr
    assert (made(b, 0), made(b)) == ((8000, 2000), (12000, 3000))
    assert made(c) == (8000, 2000)
    assert made(d) == (0, 0), "a place that is used again has nothing of the one before"
    assert "ERROR" not in ended.stderr


@ONE
def test_each_has_its_own_depth_and_threads(start_java, command, jdk):
    """Sites that a recording does not tell apart are one row of its table."""
    java = start_java(jdk, "heap=sites,cutoff=0,depth=8,thread=y,verbose=n,file=deep.txt", "SitesRounds")
    java.wait_for_stdout("running")
    assert command(jdk, java, "start,heap=sites,cutoff=0,depth=1,verbose=n,file=flat.txt,name=flat") == [0], java.said()
    round_of(java, 0)
    round_of(java, 1)
    assert command(jdk, java, "stop,flat") == [0]
    ended = finish(java)
    rows = {}
    for name in ("deep", "flat"):
        text = hprof_text.Text(ended.text(name + ".txt"))
        rows[name] = [(row, text.traces[row.trace]) for row in text.of(hprof_text.Sites)[-1].rows if row.klass == MADE[1]]
    assert [row.objects for row, _ in rows["deep"]] == [4000, 4000], "one row a thread"
    assert [row.objects for row, _ in rows["flat"]] == [8000], "one row"
    assert [len(trace.frames) for _, trace in rows["flat"]] == [1] and rows["flat"][0][1].thread is None
    assert all(len(trace.frames) > 2 for _, trace in rows["deep"])


@ONE
def test_sampled_ones_estimate_their_own_time(start_java, command, jdk):
    java = start_java(jdk, "heap=sites,sample=1k,cutoff=0,verbose=n,file=a.txt", "SitesRounds")
    java.wait_for_stdout("running")
    round_of(java, 0)
    assert command(jdk, java, "start,heap=sites,sample=512,file=no.txt", "start,heap=sites,sample=1k,cutoff=0,verbose=n,file=b.txt,name=b") == [-1, 0]
    round_of(java, 1)
    assert command(jdk, java, "stop,b") == [0]
    ended = finish(java)
    assert "sample= is fixed by recording 1" in ended.stderr
    a, b = (made(hprof_text.Text(ended.text(name + ".txt"))) for name in "ab")
    # An object of 32 bytes is drawn with p = 0.03: of 4000 an estimate has a standard error of sqrt(4000 (1 - p) / p) = 360; five of them.
    assert abs(b[0] - 4000) < 1800 and abs(a[0] - 8000) < 2600, (a, b)
    assert abs(b[1] - 1000) < 900, b


@pytest.mark.jdks(8, 17, 25)
@pytest.mark.everyday(17)
def test_dumps_of_two_recordings_are_whole_and_in_turns(start_java, command, jdk):
    java = start_java(jdk, "heap=dump,format=b,verbose=n,file=a.hprof", "SitesRounds")
    java.wait_for_stdout("running")
    round_of(java, 0)
    assert command(jdk, java, "start,heap=dump,format=b,sites=n,primarrays=n,verbose=n,file=b.hprof,name=b",
                   "start,heap=all,verbose=n,file=c.txt,name=c") == [0] * 2, java.said()
    round_of(java, 1)
    assert command(jdk, java, "dump,b", "dump,id=1", "dump,c", "dump,b", "dump,id=1", "stop,b") == [0] * 6
    round_of(java, 2)
    assert command(jdk, java, "stop,c") == [0]
    ended = finish(java)
    assert "ERROR" not in ended.stderr
    heaps = {}
    for name in "ab":
        heaps[name] = hprof_heap.Heap(ended.read(name + ".hprof"))
        heaps[name].check()
    counted = {name: [thing for thing in heap.objects.values() if heap.name_of(thing) == MADE[1]] for name, heap in heaps.items()}
    assert (len(counted["a"]), len(counted["b"])) == (3000, 2000)
    assert all(heaps["a"].traces[thing.trace][1] for thing in counted["a"]), "made since a began"
    assert not any(heaps["b"].traces[thing.trace][1] for thing in counted["b"]), "sites=n"
    text = ended.text("c.txt")
    assert text.count("HEAP DUMP END") == text.count("SITES END") == 2
    assert made(hprof_text.Text(text)) == (8000, 2000)


TIMES = "start,cpu=times,clock=none,depth=4,cutoff=0,verbose=n,"


# The tracker and its class file differ between these.
@pytest.mark.jdks(8, 17, 25)
@pytest.mark.everyday(8, 17)
def test_each_recording_has_the_calls_since_it_began(start_java, command, jdk):
    java = start_java(jdk, None, "Again")
    java.wait_for_stdout("running")
    assert command(jdk, java, TIMES + "file=a.txt,name=a") == [0], java.said()
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
