"""event=nativemem: mapped pages by stack, and what of them is still mapped, against a program with known counts.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import subprocess

import jfr_file
import pytest
from conftest import JDKS, compile_library, compile_programs
from robust import crash_files
from test_nativemem import collapsed, of, quality

COUNT = 200
PAGE = os.sysconf("SC_PAGESIZE")
FILE_BYTES = 1 << 20
WELL = 8  # functions of maps.c
# Pages of each function: mapped, and still mapped. Threads that a function starts are not below it.
PAGES = {
    "maps_leak": (3 * COUNT, 3 * COUNT),
    "maps_churn": (2 * COUNT + 2, 0),
    "maps_parts": (10 * COUNT, 7 * COUNT),
    "maps_many": (6 * COUNT, 0),
    "maps_commit": (6 * COUNT, 3 * COUNT),
    "maps_again": (2 * COUNT, 2 * COUNT),
    "maps_moved": (4 * COUNT, 3 * COUNT),
    "maps_failed": (1, 0),
    "maps_race": (4 * COUNT, 0),
}


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """programs_blocks, compiled once."""
    return compile_programs(tmp_path_factory, "programs_blocks")


@pytest.fixture(scope="session")
def maps(tmp_path_factory):
    """The path of native/maps.c as a shared library."""
    return compile_library(tmp_path_factory, "maps", "-pthread", "-fno-optimize-sibling-calls")


@pytest.fixture
def run_maps(run_java, maps):
    """run_maps(jdk, options): the program's Ended."""
    def run(jdk, options):
        ended = run_java(jdk, options, "Maps", COUNT, vm=["-Dmaps=%s" % maps])
        assert ended.rc == 0, ended.stdout + ended.stderr
        assert ended.stdout == "well %d\ndone\n" % WELL, ended.stdout
        assert not crash_files(ended)
        return ended
    return run


@pytest.mark.jdks(8, 11, 17, 21, 25, 26, 27, "newest")
def test_each_mapping_is_counted_until_it_is_unmapped(jdk, hprof, run_maps):
    """Parts of a mapping that are unmapped, mapped over or moved do not count any more; the rest of it does."""
    path = run_maps(jdk, "event=nativemem,depth=64,mem=256m,file=x.jfr").cwd / "x.jfr"
    made, left = collapsed(hprof, path, "mmap"), collapsed(hprof, path, "mapped")
    counts = quality(hprof, path)
    assert not any(counts["nativemem_" + name] for name in ("lost", "mappings_unwatched", "unhooked")), counts
    # The innermost C function is the one that maps; map_at() may be inlined into map(), and both into it.
    assert {name: (of(made, name + "$"), of(left, name + "$")) for name in PAGES} == {
        name: (mapped * PAGE, still * PAGE) for name, (mapped, still) in PAGES.items()}
    assert of(made, r"Maps\.mapsFile$") == of(left, r"Maps\.mapsFile$") == FILE_BYTES
    # What the JVM maps itself is there, too.
    assert of(made, r"libjvm\.so|commit_memory") > 0
    said = subprocess.run([hprof, "report", "-e", "mmap", "--leak", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    total = sum(value for _, value in left)
    assert re.search(r"memory that is still mapped\n  %d bytes in \d+ mappings, of %d bytes that were mapped\n"
                     % (total, sum(value for _, value in made)), said), said[:500]
    assert re.search(r"^ *[\d.]+%% +%d +%d +[\d.]+s +[\d.]+s$" % (FILE_BYTES, 1), said, re.M), said


def test_the_events_are_there(hprof, run_maps):
    """Each call is an event; the JDK's own parser reads them, and the sums of `query` are those of the report."""
    newest = JDKS[max(JDKS)]
    path = run_maps(newest, "event=nativemem,depth=64,mem=256m,file=x.jfr").cwd / "x.jfr"
    events = jfr_file.counts(newest, path)
    # Reservations, and calls that failed, are no events.
    assert events["hprof.Mmap"] >= COUNT * 14 and events["hprof.Munmap"] >= COUNT * 10, events
    asked = subprocess.run([hprof, "query", str(path), "--format", "csv", 'select sum(size), count(*), min(duration) > 0 from "hprof.StillMapped"'],
                           stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[1]
    assert asked == "%d,%d,1" % (sum(value for _, value in collapsed(hprof, path, "mapped")), events["hprof.StillMapped"])


@pytest.mark.jdks(25)
def test_no_room_for_mappings_is_said(jdk, hprof, run_maps):
    """With a small mem= there is room for some 1,000 ranges: the others count as mapped, and never as still mapped."""
    ended = run_maps(jdk, "event=nativemem,depth=16,mem=1m,file=x.jfr")
    path, counts = ended.cwd / "x.jfr", quality(hprof, ended.cwd / "x.jfr")
    left = collapsed(hprof, path, "mapped")
    assert counts["nativemem_mappings_unwatched"] + counts["nativemem_lost"] > 0, counts
    assert 0 < of(left, "maps_") < sum(still for _, still in PAGES.values()) * PAGE
