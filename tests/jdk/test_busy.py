"""More busy threads than processors, with deep stacks: what is lost between their handlers and the table.

SPDX-License-Identifier: Apache-2.0
"""
import os

from conftest import one_jdk
import pytest
from robust import Profile, classes  # noqa: F401

THREADS, DEPTH, WORK_MS = 64, 512, 2000


@one_jdk
@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("calls", [20, DEPTH + 100])
def test_64_threads_at_1_ms_lose_less_than_a_thousandth(run_java, jdk, calls):
    """Whether stacks are as deep as depth= allows or not, once the threads are there. While they begin they hold the agent's
    lock by turns, and on a machine with other things to do the drain thread has few turns of its own: not judged."""
    ended = run_java(jdk, "cpu=samples,interval=1ms,depth=%d,cutoff=0,mem=64m,file=out.txt" % DEPTH, "Busy", THREADS, calls, WORK_MS)
    assert ended.rc == 0, ended.stderr
    q = Profile(ended.text("out.txt")).check().quality
    if q["samples"] < 0.8 * WORK_MS * min(THREADS, os.cpu_count()):
        pytest.skip("LOSSES NOT JUDGED: others had the processors for %d of %d ms" % (
            WORK_MS * os.cpu_count() - q["samples"], WORK_MS * os.cpu_count()))
    assert q["lost_ring_full"] <= q["samples"] / 1000, q
