"""heap=sites of a JVM that runs already, and tables that the other side of net=host:port asks for.

SPDX-License-Identifier: Apache-2.0
"""
import struct

from attaching import attach  # noqa: F401
import hprof_binary
import hprof_text
import net_peer
from conftest import one_jdk
import pytest
from test_net import binary_records, peer  # noqa: F401
from test_sites import SITES_HEAD, SITES_ROW, by_method

INCREMENTAL, BY_ALLOCATED, GC = 1, 2, 4
INTS, LONGS = 10, 11    # kinds of arrays in binary records


def wait_for_agent(java, file):
    """A table by SIGQUIT shows that the agent has started."""
    java.wait_for(lambda: (java.cwd / file).exists(), file)
    java.signal(3)
    java.wait_for(lambda: "SITES END" in (java.cwd / file).read_text(), "a table in " + file)


def test_a_jvm_that_runs_already(jdk, start_java, attach):  # noqa: F811
    java = start_java(jdk, None, "SitesLate")
    java.wait_for_stdout("waiting")
    assert "return code: 0" in attach(jdk, java, "heap=sites,depth=8,cutoff=0,file=late.txt")
    wait_for_agent(java, "late.txt")
    (java.cwd / "go1").touch()
    java.wait_for_stdout("made")
    (java.cwd / "go2").touch()
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    text = hprof_text.Text(ended.text("late.txt"))
    hprof_text.check(text, all_traces=True, depth=8, cutoff=0)
    first, last = (by_method(text, "SitesLate", table) for table in (0, 1))
    objects, arrays = ("objects", "SitesLate$Made"), ("arrays", "int[]")
    assert not first[objects].objects and not first[arrays].objects
    # A thread that begins later is counted from its first object on: docs/allocation.md.
    assert (last[objects].objects, last[objects].live_objects) == (4000, 1000)
    assert (last[arrays].objects, last[arrays].live_objects) == (4000, 1000)
    assert last[objects].bytes == 4 * last[objects].live_bytes


class Tables:
    """The tables that a peer has asked for: binary records."""

    def __init__(self, one):
        self.one, self.count = one, 0

    def ask(self, flags, cutoff=0.0):
        """The record's flags, its totals, and its rows as (kind, live bytes, live, bytes, objects)."""
        self.one.send(net_peer.SITES, struct.pack(">Hf", flags, cutoff))
        self.count += 1
        self.one.wait_for(lambda: len(self.bodies()) == self.count, "table %d" % self.count)
        body = self.bodies()[-1]
        seen, _, *totals, count = SITES_HEAD.unpack_from(body)
        rows = [SITES_ROW.unpack_from(body, SITES_HEAD.size + i * SITES_ROW.size) for i in range(count)]
        assert len(body) == SITES_HEAD.size + count * SITES_ROW.size
        return seen, totals, [(kind, *counts) for kind, _, _, *counts in rows]

    def bodies(self):
        return [body for tag, body in binary_records(self.one.data) if tag == 6]


def made(rows, kind, objects):
    """The rows of arrays of this kind of which so many were made."""
    return [row for row in rows if (row[0], row[4]) == (kind, objects)]


@one_jdk
def test_tables_that_a_peer_asks_for(jdk, start_java, peer):  # noqa: F811
    one = peer()
    java = start_java(jdk, "heap=sites,format=b,depth=2,cutoff=0," + one.option, "SitesLife")
    java.wait_for_stdout("first")
    tables = Tables(one)
    flags, _, rows = tables.ask(INCREMENTAL | GC)
    assert flags == INCREMENTAL | GC
    assert len(made(rows, INTS, 1000)) == 1 and not made(rows, LONGS, 500)
    # Kept are 100 objects, and none of the 1000 arrays.
    assert made(rows, INTS, 1000)[0][2] == 0
    assert [row for row in rows if (row[0], row[2], row[4]) == (0, 100, 100)]
    (java.cwd / "go1").touch()
    java.wait_for_stdout("second")
    flags, _, rows = tables.ask(INCREMENTAL)
    assert flags == INCREMENTAL
    # What had been in a table before and is as it was is in no further one.
    assert len(made(rows, LONGS, 500)) == 1 and not made(rows, INTS, 1000)
    assert made(rows, LONGS, 500)[0][2] == 500, "no collection was asked for"
    flags, totals, rows = tables.ask(BY_ALLOCATED)
    assert flags == BY_ALLOCATED
    assert len(made(rows, INTS, 1000)) == len(made(rows, LONGS, 500)) == 1
    allocated = [row[3] for row in rows]
    assert allocated == sorted(allocated, reverse=True) and totals[2:] == [sum(allocated), sum(row[4] for row in rows)]
    flags, totals, rows = tables.ask(GC)
    assert flags == GC
    live = [row[1] for row in rows]
    assert live == sorted(live, reverse=True) and totals[:2] == [sum(live), sum(row[2] for row in rows)]
    assert made(rows, LONGS, 500)[0][2] == 0
    assert [row for row in rows if (row[0], row[2], row[4]) == (0, 50, 100)]
    _, totals, some = tables.ask(0, cutoff=0.05)
    assert 0 < len(some) < len(rows) and all(row[1] >= 0.05 * totals[0] for row in some)
    (java.cwd / "go2").touch()
    assert java.end().rc == 0
    hprof_binary.records_of(one.end())


@one_jdk
def test_cleared_and_paused_counts(jdk, start_java, peer):  # noqa: F811
    one = peer()
    java = start_java(jdk, "heap=sites,format=b,depth=2,cutoff=0," + one.option, "SitesLife")
    java.wait_for_stdout("first")
    tables = Tables(one)
    one.control(net_peer.CLEAR_SITES)
    _, _, rows = tables.ask(GC)
    # All that is left of it is what is live.
    assert not made(rows, INTS, 1000)
    assert [row for row in rows if (row[0], row[2], row[4]) == (0, 100, 100)]
    one.control(net_peer.ALLOC_OFF)
    tables.ask(0)    # commands are obeyed in their order
    (java.cwd / "go1").touch()
    java.wait_for_stdout("second")
    _, _, rows = tables.ask(0)
    assert not made(rows, LONGS, 500)
    (java.cwd / "go2").touch()
    assert java.end().rc == 0
    one.end()


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_the_text_table_says_its_order(jdk, start_java, peer):  # noqa: F811
    one = peer()
    java = start_java(jdk, "heap=sites,depth=2,cutoff=0," + one.option, "SitesLife")
    java.wait_for_stdout("first")
    one.send(net_peer.SITES, struct.pack(">Hf", BY_ALLOCATED, 0.0))
    one.wait_for_text("SITES END")
    assert "SITES BEGIN (ordered by allocated bytes)" in one.text
    one.send(net_peer.SITES, struct.pack(">Hf", GC, 0.0))
    one.wait_for_text("SITES END", 2)
    assert one.text.count("SITES BEGIN (ordered by live bytes)") == 1
    (java.cwd / "go1").touch()
    (java.cwd / "go2").touch()
    assert java.end().rc == 0
    one.end()
