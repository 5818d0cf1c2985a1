"""cpu=times and virtual threads: their waits, and the CPU time of those that change their carriers.

SPDX-License-Identifier: Apache-2.0
"""
import re

import hprof_text
import pytest
from conftest import compile_programs, old_and_new


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """programs_virtual, compiled once."""
    return compile_programs(tmp_path_factory, "programs_virtual", 21)


@old_and_new
@pytest.mark.jdks(21, 25, "newest")
@pytest.mark.parametrize("options", ["", "include=CarrierClock*", "include=CarrierClock.turns"])
def test_the_clock_of_a_virtual_thread_stands_while_another_has_its_carrier(jdk, run_java, options):
    """Whatever makes it leave, and wherever it comes back; also where its methods have no probes."""
    ended = run_java(jdk, "cpu=times,cutoff=0,raw=y,depth=1,clock=cpu," + options, "CarrierClock",
                     vm=["-Djdk.virtualThreadScheduler.parallelism=3"])
    assert ended.rc == 0, ended.stderr
    text = hprof_text.Text(ended.text())
    hprof_text.check(text, cutoff=0, depth=1)
    carriers = int(re.search(r"^carriers (\d+)$", ended.stdout, re.M).group(1))
    mine = hprof_text.us_of(text.tables[0], "CarrierClock.")
    del mine["CarrierClock.main"]
    # What is missing is the scheduler's own work, which is more where many others have the processor.
    assert 0.7 * carriers < sum(mine.values()) < 1.01 * carriers, (carriers, mine)
    if options != "include=CarrierClock.turns":
        # Both do the same, 720 times; a clock that goes on elsewhere is seen in those that leave.
        assert 0.8 < mine["CarrierClock.yields"] / mine["CarrierClock.spin"] < 1.25, mine
        assert mine["CarrierClock.spin"] + mine["CarrierClock.yields"] > 0.65 * carriers, mine


@old_and_new
@pytest.mark.jdks(21, 25, "newest")
@pytest.mark.parametrize("options", ["", "include=VirtualWaits*"])
def test_a_virtual_thread_that_waits_is_in_the_table_of_waits(jdk, run_java, options):
    ended = run_java(jdk, "cpu=times,cutoff=0,raw=y,depth=40," + options, "VirtualWaits")
    assert ended.rc == 0, ended.stderr
    text = hprof_text.Text(ended.text())
    hprof_text.check(text, cutoff=0, depth=40)
    waits, unended = text.of(hprof_text.Waiting)
    assert not waits.is_unfinished and unended.is_unfinished
    waited, open_waits = (hprof_text.called_ms(text, table, "VirtualWaits") for table in (waits, unended))
    ways = ("park", "sleep", "queue", "object", "unpark", "pinned")
    assert {name: waited[name] for name in ways if waited[name] < 110} == {}
    # Who is waited for in these two may have begun its nap before.
    assert waited["lock"] > 0 and waited["join"] > 0 and open_waits["forever"] > 8 * 110
    own = hprof_text.us_of(text.tables[0], "VirtualWaits.")
    assert own["VirtualWaits.work"] >= 140000
    assert {name: own["VirtualWaits." + name] for name in ways if own["VirtualWaits." + name] > 75000} == {}
