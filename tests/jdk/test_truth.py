"""Programs that know where their CPU time went, against our table.

The program's clock is each thread's own CPU clock. A sample is a unit of that clock, so what is compared is time with
time. Walks that fail leave no row: shares are compared over walked samples, totals over all.
SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re

from conftest import old_and_new
import pytest
from robust import Profile, classes, helper  # noqa: F401
from emulated import emulated, not_emulated

pytestmark = emulated

ENGINES = (pytest.param("perf", marks=not_emulated("it has no perf events")), "ctimer",
           pytest.param("monotonic", marks=not_emulated("the states of threads that it polls are the emulator's")))
# Once in 10^9 by chance, with one degree of freedom: A and the spinner have one method each, B has two.
CHI_SQUARE = 38.0
SIGMAS = 6.2    # once in 10^9
WORK_MS = 1200


def run(run_java, jdk, engine, interval, *args, options=""):
    ended = run_java(jdk, "cpu=samples,depth=64,thread=y,cutoff=0,timer=%s,interval=%s,file=out.txt%s"
                     % (engine, interval, options), *args)
    if engine == "perf" and "timer=perf does not work here" in ended.stderr:
        pytest.skip("PERF ENGINE NOT TESTED: perf_event_open is refused here")
    assert ended.rc == 0, ended.stderr
    return ended, Profile(ended.text("out.txt")).check()


def stolen_ms():
    """The time that a hypervisor has taken away. perf's event counts what of it falls into a thread's time, the thread's own
    clock does not."""
    line = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0]
    return 1000 * int(line.split()[8]) / os.sysconf("SC_CLK_TCK")


def said(ended, kind):
    return {name: int(value) for name, value in re.findall(r"^%s (\w+) (\d+)$" % kind, ended.stdout, re.M)}


@pytest.mark.parametrize("interval_ms", [10, 1])
@pytest.mark.parametrize("engine", ENGINES)
def test_shares_and_totals_are_those_of_the_programs_own_clock(run_java, jdk, engine, interval_ms):
    before = stolen_ms()
    ended, profile = run(run_java, jdk, engine, "%dms" % interval_ms, "Truth", WORK_MS)
    stolen = stolen_ms() - before if engine == "perf" else 0
    methods, threads, q = said(ended, "method"), said(ended, "thread"), profile.quality
    observed = {name: profile.with_frame("Truth." + name) for name in methods}
    n, used = sum(observed.values()), sum(methods.values())
    # One walk that fails may have the weight of a pause of the machine.
    missing = min(q["samples"] - q["walked"], profile.extra)
    assert n > 0.9 * used / (interval_ms * 1e6) - missing, (observed, q)

    # Methods: chi-square over independent observations. A signal that stands for several intervals is one.
    weight = max(1.0, q["samples"] / max(1, q["signals"] - q["signals_early"]))
    chi = sum((observed[m] - n * methods[m] / used) ** 2 / (n * methods[m] / used) for m in methods) / weight
    assert chi < CHI_SQUARE, "chi-square %.1f, %d samples of weight %.2f: %s for %s" % (
        chi, n, weight, observed, methods)

    # Threads: each walked share of its time; a thread's samples are its time to one interval and a signal's delay.
    for name in ("A", "B", "spinner"):
        share = threads[name] / (interval_ms * 1e6)
        assert profile.of_thread(name) <= 1.02 * share + stolen / interval_ms + 5, (name, share, stolen,
                                                                                    profile.of_thread(name))
        assert profile.of_thread(name) >= 0.93 * share - 5 - missing, (name, share, profile.of_thread(name))

    # Those that wait have the samples of their start and no more, however long they wait. Timers of wall time wake
    # them: what that costs is on their clock too.
    for name, ns in said(ended, "waiting").items():
        assert profile.of_thread(name) <= 2 * ns / (interval_ms * 1e6) + stolen / interval_ms + 5, (name, ns, stolen, q)
        assert profile.of_thread(name) * interval_ms < WORK_MS / 4, "they waited for longer than the others worked"

    # Total: between what the program's threads used and that with all of the VM's Java threads (main has started it).
    low = sum(threads[name] for name in ("A", "B", "spinner"))
    high = low + said(ended, "live")["all"]
    total = q["samples"] * interval_ms * 1e6
    slack = 0.02 * high + 3 * interval_ms * 1e6
    assert low - slack < total < high + slack + stolen * 1e6, (low / 1e6, total / 1e6, high / 1e6, q)


@old_and_new
@pytest.mark.jdks(8, 21, "newest")
@pytest.mark.parametrize("engine", ENGINES)
def test_short_threads_are_seen_as_often_as_their_time_deserves(run_java, jdk, engine):
    """3,000 threads of 1 ms at an interval of 10 ms: each is seen with a chance of 1 in 10."""
    ended, profile = run(run_java, jdk, engine, "10ms", "Short", 3000, 1000)
    expected = int(re.search(r"^short (\d+)$", ended.stdout, re.M).group(1)) / 10e6
    seen = profile.of_thread("short") + profile.quality.get("thread_end", 0)
    failed = profile.quality["failed"]
    sigma = expected ** 0.5
    assert expected > 230
    # What failed may have been one of theirs. The start and end of a thread lie outside of its own reading: up to 15 %.
    assert seen + failed > expected - SIGMAS * sigma, (seen, failed, expected)
    assert seen < 1.15 * expected + SIGMAS * sigma, (seen, failed, expected)
