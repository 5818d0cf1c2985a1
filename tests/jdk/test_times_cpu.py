"""cpu=times with clock=cpu: what each thread has used of the processors, as the VM's own bean has it.

SPDX-License-Identifier: Apache-2.0
"""
import re

import hprof_text
import pytest
from conftest import compile_library

PAGES = "no pages of perf events"


@pytest.fixture(scope="session")
def without_perf(tmp_path_factory):
    """The environment of a process that has no perf events."""
    return {"LD_PRELOAD": str(compile_library(tmp_path_factory, "noperf", "-ldl"))}.items()


@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.parametrize("perf", ["pages", "calls"])
def test_work_has_the_time_of_its_threads_and_waiting_has_none(jdk, run_java, without_perf, perf):
    ended = run_java(jdk, "cpu=times,cutoff=0,raw=y,depth=1,clock=cpu", "CpuClock", env=without_perf if perf == "calls" else ())
    assert ended.rc == 0, ended.stderr
    if perf == "calls":
        assert PAGES in ended.stderr
    elif PAGES in ended.stderr:
        pytest.skip("PAGES NOT TESTED: perf_event_open is refused here")
    text = hprof_text.Text(ended.text())
    hprof_text.check(text, cutoff=0, depth=1)
    assert "by clock cpu" in ended.stderr and text.quality()["times_cpu_clock"] == 1
    spun = [int(us) for us in re.findall(r"^spun (\d+)$", ended.stdout, re.M)]
    mine = hprof_text.us_of(text.tables[0], "CpuClock.")
    # The rest of what the bean says is what asking it costs, in methods of the JDK.
    assert len(spun) == 3 and 0.85 * sum(spun) < mine["CpuClock.spin"] < 1.01 * sum(spun), (spun, mine)
    # Three sleeps of 600 ms, a read of as long, and a wait for a process.
    assert mine["CpuClock.sleep"] < 60000 and mine["CpuClock.read"] < 150000, mine
    assert sum(table.total for table in text.of(hprof_text.Waiting)) < 300
    unfinished, = text.of(hprof_text.Unfinished)
    busy = int(re.search(r"^busy for (\d+)$", ended.stdout, re.M).group(1))
    open_calls = hprof_text.us_of(unfinished, "")
    assert max(open_calls, key=open_calls.get).startswith("CpuClock$") and max(open_calls.values()) > 0.99 * busy
