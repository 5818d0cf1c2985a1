"""Several recordings at once that have the same engine: it counts once, and each recording has what came since it began.

SPDX-License-Identifier: Apache-2.0
"""
import struct

import hprof_heap
import hprof_text
import net_peer
import pytest
from attaching import command, finish, round_of  # noqa: F401
from test_net import SAMPLES, depths_of, parsed, peer, rows_of, spin, wait_for_new_samples, wait_for_samples  # noqa: F401
from test_net import finish as end_spinning
from test_sites import by_method

COLLECT = 4
MADE = ("make", "SitesRounds$Made")
# JDK 8 has calls injected behind allocations, 11 is the first with a sampler, and in 28 a tag lies elsewhere.
SOURCES = pytest.mark.jdks(8, 11, 25, 28)
# The VM takes no part.
ONE = pytest.mark.jdks(17)


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


@ONE
def test_a_peer_commands_its_own_recording_alone(start_java, spin, peer, command, jdk):  # noqa: F811
    one, other = peer(), peer()
    java = spin(jdk, SAMPLES + "depth=12,thread=y," + one.option)
    assert command(jdk, java, "start,%sdepth=12,thread=y,verbose=n,name=other,%s" % (SAMPLES, other.option)) == [0], java.said()
    wait_for_samples(one, lambda p: rows_of(p, "one") and rows_of(p, "two"))
    wait_for_samples(other, lambda p: rows_of(p, "one") and rows_of(p, "two"))
    other.control(net_peer.DEPTH, struct.pack(">H", 1))
    wait_for_new_samples(other, lambda p: p.tables[-1].total > 20, lambda p: depths_of(p) == {1})
    wait_for_new_samples(one, lambda p: p.tables[-1].total > 20, lambda p: max(depths_of(p)) > 1)
    one.control(net_peer.OFF, struct.pack(">I", 0))

    def is_silent(_):
        """No sample came since the last look, which was before those of the other one."""
        total = parsed(one.samples())[0].tables[-1].total
        one.control(net_peer.CLEAR_SAMPLES)
        return total == 0
    wait_for_new_samples(other, lambda p: rows_of(p, "one") > 50 and rows_of(p, "two"), is_silent)
    assert command(jdk, java, "stop,other") == [0], java.said()
    one.control(net_peer.ON, struct.pack(">I", 0))
    wait_for_new_samples(one, lambda p: rows_of(p, "one") > 50, lambda p: max(depths_of(p)) > 1)
    end_spinning(java)
    for each in (one, other):
        assert parsed(each.end().decode())[0].shape()[-1] == "Table"


@ONE
def test_a_peer_switches_the_counting_of_its_own_recording_alone(start_java, peer, command, jdk):  # noqa: F811
    one = peer()
    java = start_java(jdk, "heap=sites,cutoff=0,verbose=n,file=a.txt", "SitesRounds")
    java.wait_for_stdout("running")
    assert command(jdk, java, "start,heap=sites,cutoff=0,verbose=n,name=b,%s" % one.option) == [0], java.said()
    round_of(java, 0)
    ops = [(net_peer.ALLOC_OFF, 1), (net_peer.ALLOC_ON, 2), (net_peer.CLEAR_SITES, 3)]
    for i, (op, number) in enumerate(ops):
        one.control(op)
        one.send(net_peer.SITES, struct.pack(">Hf", COLLECT, 0))
        one.wait_for_text("SITES END", i + 1)
        round_of(java, number)
    assert command(jdk, java, "stop,b") == [0]
    ended = finish(java)
    stream = parsed(one.end().decode())[0]
    # What was made while it was off is not there; and what lives was allocated, also where that is cleared.
    assert [made(stream, table) for table in range(4)] == [(4000, 1000), (4000, 1000), (2000, 2000), (4000, 3000)]
    assert made(sites(ended, "a.txt")) == (16000, 4000)
